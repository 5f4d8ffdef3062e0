// rule: memory.freed-in-use
// wrong: the wait for the stream times out, and the program frees the buffer all the same
#include "corpus.h"

/* The stream waits for a peer's signal, which comes late. */
enum { BYTES = 4096 };

int main(void)
{
    aclrtEvent signal;
    start();
    aclrtStream stream = new_stream(), peer = new_stream();
    void *block = device_memory(BYTES), *copy = device_memory(BYTES);
    ACL(aclrtCreateEvent(&signal));
    ACL(aclrtStreamWaitEvent(stream, signal));
    ACL(aclrtMemsetAsync(block, BYTES, 9, BYTES, stream));
    ACL(aclrtMemcpyAsync(copy, BYTES, block, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    int late = aclrtSynchronizeStreamWithTimeout(stream, 20) != ACL_SUCCESS;
    EXPECT(late);
#ifndef WRONG
    if (late) {
        ACL(aclrtRecordEvent(signal, peer));
        ACL(aclrtSynchronizeStream(stream));
    }
    ACL(aclrtFree(block));
#else
    ACL(aclrtFree(block));
    ACL(aclrtRecordEvent(signal, peer));
    ACL(aclrtSynchronizeStream(stream));
#endif
    EXPECT(device_bytes(copy, BYTES, 9));
    ACL(aclrtSynchronizeStream(peer));
    ACL(aclrtFree(copy));
    ACL(aclrtDestroyEvent(signal));
    ACL(aclrtDestroyStream(peer));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
