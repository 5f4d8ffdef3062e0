// rule: handle.use-after-destroy
// wrong: the pool of streams keeps a stream that was destroyed, and work is queued on it
#include "corpus.h"

enum { STREAMS = 3, BYTES = 4096 };

static aclrtStream streams[STREAMS];
static int next;

static aclrtStream stream_get(void)
{
    return streams[next++ % STREAMS];
}

static void stream_retire(int index)
{
    ACL(aclrtSynchronizeStream(streams[index]));
    ACL(aclrtDestroyStream(streams[index]));
#ifndef WRONG
    streams[index] = new_stream();
#endif
}

int main(void)
{
    start();
    for (int i = 0; i < STREAMS; i++)
        streams[i] = new_stream();
    void *block = device_memory(BYTES);
    stream_retire(1);
    for (int i = 0; i < 2 * STREAMS; i++) {
        aclrtStream stream = stream_get();
        TRY(aclrtMemsetAsync(block, BYTES, i, BYTES, stream));
        TRY(aclrtSynchronizeStream(stream));
    }
    EXPECT(device_bytes(block, BYTES, 2 * STREAMS - 1));
    ACL(aclrtFree(block));
    for (int i = 0; i < STREAMS; i++)
        TRY(aclrtDestroyStream(streams[i]));
    return finish();
}
