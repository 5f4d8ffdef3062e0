// rule: stream.race
// wrong: two streams bring their results into the same pinned buffer
#include "corpus.h"

enum { BYTES = 4096 };

int main(void)
{
    start();
    aclrtStream streams[2] = {new_stream(), new_stream()};
    char *results = pinned_memory(2 * BYTES), *blocks = device_memory(2 * BYTES);
    for (int i = 0; i < 2; i++) {
#ifdef WRONG
        char *result = results;
#else
        char *result = results + i * BYTES;
#endif
        ACL(aclrtMemsetAsync(blocks + i * BYTES, BYTES, i + 1, BYTES, streams[i]));
        ACL(aclrtMemcpyAsync(result, BYTES, blocks + i * BYTES, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, streams[i]));
    }
    ACL(aclrtSynchronizeStream(streams[0]));
    ACL(aclrtSynchronizeStream(streams[1]));
    EXPECT(all_bytes(results, BYTES, 1));
    EXPECT(all_bytes(results + BYTES, BYTES, 2));
    ACL(aclrtFree(blocks));
    ACL(aclrtFreeHost(results));
    ACL(aclrtDestroyStream(streams[1]));
    ACL(aclrtDestroyStream(streams[0]));
    return finish();
}
