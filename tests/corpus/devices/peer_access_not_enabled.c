// rule: memory.wrong-device
// wrong: a copy between two devices without peer access having been enabled
// options: --devices 2
#include "corpus.h"

enum { BYTES = 8192 };

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    void *here = device_memory(BYTES);
    ACL(aclrtMemset(here, BYTES, 70, BYTES));
    ACL(aclrtSetDevice(1));
    void *there = device_memory(BYTES);
    ACL(aclrtSetDevice(0));
#ifndef WRONG
    int32_t possible = 0;
    ACL(aclrtDeviceCanAccessPeer(&possible, 0, 1));
    EXPECT(possible);
    ACL(aclrtDeviceEnablePeerAccess(1, 0));
#endif
    ACL(aclrtMemcpyAsync(there, BYTES, here, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(device_bytes(there, BYTES, 70));
    ACL(aclrtFree(here));
    ACL(aclrtDestroyStream(stream));
    ACL(aclrtSetDevice(1));
    ACL(aclrtFree(there));
    ACL(aclrtResetDevice(1));
    ACL(aclrtSetDevice(0));
    return finish();
}
