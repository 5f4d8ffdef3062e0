// rule: handle.destroyed-in-use
// wrong: the event is destroyed while a stream has not come to its wait for it
// known-miss: destroying an event whose recording is queued is documented as allowed, so its waits still hold
#include "corpus.h"

enum { BYTES = 1 << 18 };

int main(void)
{
    start();
    aclrtStream writer = new_stream(), reader = new_stream();
    void *block = device_memory(BYTES), *copy = device_memory(BYTES);
    for (int turn = 0; turn < 4; turn++) {
        aclrtEvent written = new_event();
        ACL(aclrtMemsetAsync(block, BYTES, turn, BYTES, writer));
        ACL(aclrtRecordEvent(written, writer));
        ACL(aclrtStreamWaitEvent(reader, written));
        ACL(aclrtMemcpyAsync(copy, BYTES, block, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, reader));
#ifdef WRONG
        ACL(aclrtDestroyEvent(written));
        ACL(aclrtSynchronizeStream(reader));
#else
        ACL(aclrtSynchronizeStream(reader));
        ACL(aclrtDestroyEvent(written));
#endif
        EXPECT(device_bytes(copy, BYTES, turn));
    }
    ACL(aclrtSynchronizeStream(writer));
    ACL(aclrtFree(copy));
    ACL(aclrtFree(block));
    ACL(aclrtDestroyStream(reader));
    ACL(aclrtDestroyStream(writer));
    return finish();
}
