// rule: stream.race
// wrong: the recursive fork joins its right half only at the top level
#include "corpus.h"

/* Divide and conquer: each half is filled on a stream of its own, then both are copied together. */
enum { STREAMS = 8, BYTES = 8 * 1024 };

static aclrtStream streams[STREAMS];
static aclrtEvent forked[STREAMS], joined[STREAMS];
static int used;

static void conquer(char *data, char *copy, size_t size, aclrtStream stream, int depth)
{
    if (depth == 0) {
        ACL(aclrtMemsetAsync(data, size, 7, size, stream));
        return;
    }
    int right = used++;
    size_t half = size / 2;
    ACL(aclrtRecordEvent(forked[right], stream));
    ACL(aclrtStreamWaitEvent(streams[right], forked[right]));
    conquer(data, copy, half, stream, depth - 1);
    conquer(data + half, copy + half, half, streams[right], depth - 1);
    ACL(aclrtRecordEvent(joined[right], streams[right]));
#ifdef WRONG
    if (depth == 2)
#endif
        ACL(aclrtStreamWaitEvent(stream, joined[right]));
    ACL(aclrtMemcpyAsync(copy, size, data, size, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
}

int main(void)
{
    start();
    for (int i = 0; i < STREAMS; i++) {
        streams[i] = new_stream();
        forked[i] = new_event();
        joined[i] = new_event();
    }
    char *data = device_memory(BYTES), *copy = device_memory(BYTES);
    used = 1;
    conquer(data, copy, BYTES, streams[0], 2);
    ACL(aclrtSynchronizeDevice());
    EXPECT(device_bytes(copy, BYTES, 7));
    ACL(aclrtFree(copy));
    ACL(aclrtFree(data));
    for (int i = 0; i < STREAMS; i++) {
        ACL(aclrtDestroyEvent(joined[i]));
        ACL(aclrtDestroyEvent(forked[i]));
        ACL(aclrtDestroyStream(streams[i]));
    }
    return finish();
}
