// rule: event.reset-in-use
// wrong: the event is put back while the second stream may not have come to its wait
#include "corpus.h"

/* Events of the older kind are put back after each use. */
enum { BYTES = 4096, TURNS = 3 };

int main(void)
{
    aclrtEvent ready;
    start();
    aclrtStream writer = new_stream(), reader = new_stream();
    char *block = device_memory(BYTES), *results = pinned_memory(TURNS * BYTES);
    ACL(aclrtCreateEvent(&ready));
    for (int turn = 0; turn < TURNS; turn++) {
        ACL(aclrtMemsetAsync(block, BYTES, turn, BYTES, writer));
        ACL(aclrtRecordEvent(ready, writer));
        ACL(aclrtStreamWaitEvent(reader, ready));
        ACL(aclrtMemcpyAsync(results + turn * BYTES, BYTES, block, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, reader));
#ifdef WRONG
        ACL(aclrtResetEvent(ready, writer));
        ACL(aclrtSynchronizeStream(reader));
#else
        ACL(aclrtSynchronizeStream(reader));
        ACL(aclrtResetEvent(ready, writer));
#endif
    }
    ACL(aclrtSynchronizeStream(writer));
    for (int turn = 0; turn < TURNS; turn++)
        EXPECT(all_bytes(results + turn * BYTES, BYTES, turn));
    ACL(aclrtDestroyEvent(ready));
    ACL(aclrtFreeHost(results));
    ACL(aclrtFree(block));
    ACL(aclrtDestroyStream(reader));
    ACL(aclrtDestroyStream(writer));
    return finish();
}
