// rule: stream.race
// wrong: one stream brings data to the host, another takes it from there, and neither waits for the other
#include "corpus.h"

enum { BYTES = 1 << 14 };

int main(void)
{
    start();
    aclrtStream down = new_stream(), up = new_stream();
    aclrtEvent there = new_event();
    void *staging = pinned_memory(BYTES), *from = device_memory(BYTES), *to = device_memory(BYTES);
    ACL(aclrtMemsetAsync(from, BYTES, 33, BYTES, down));
    ACL(aclrtMemcpyAsync(staging, BYTES, from, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, down));
    ACL(aclrtRecordEvent(there, down));
#ifndef WRONG
    ACL(aclrtStreamWaitEvent(up, there));
#endif
    ACL(aclrtMemcpyAsync(to, BYTES, staging, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, up));
    ACL(aclrtSynchronizeStream(up));
    ACL(aclrtSynchronizeStream(down));
    EXPECT(device_bytes(to, BYTES, 33));
    ACL(aclrtFree(to));
    ACL(aclrtFree(from));
    ACL(aclrtFreeHost(staging));
    ACL(aclrtDestroyEvent(there));
    ACL(aclrtDestroyStream(up));
    ACL(aclrtDestroyStream(down));
    return finish();
}
