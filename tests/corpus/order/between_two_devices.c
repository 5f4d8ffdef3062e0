// rule: stream.race
// wrong: device 1 fetches the weights from device 0 before device 0 has written them
// options: --devices 2
#include "corpus.h"

enum { BYTES = 1 << 15 };

int main(void)
{
    int32_t possible = 0;
    start();
    ACL(aclrtDeviceCanAccessPeer(&possible, 0, 1));
    EXPECT(possible == 1);
    aclrtStream first = new_stream();
    void *weights = device_memory(BYTES);
    aclrtEvent written = new_event();

    ACL(aclrtSetDevice(1));
    ACL(aclrtDeviceEnablePeerAccess(0, 0));
    aclrtStream second = new_stream();
    void *mirror = device_memory(BYTES);

    ACL(aclrtSetDevice(0));
    ACL(aclrtDeviceEnablePeerAccess(1, 0));
    ACL(aclrtMemsetAsync(weights, BYTES, 44, BYTES, first));
    ACL(aclrtRecordEvent(written, first));

    ACL(aclrtSetDevice(1));
#ifndef WRONG
    ACL(aclrtStreamWaitEvent(second, written));
#endif
    ACL(aclrtMemcpyAsync(mirror, BYTES, weights, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, second));
    ACL(aclrtSynchronizeStream(second));
    EXPECT(device_bytes(mirror, BYTES, 44));
    ACL(aclrtFree(mirror));
    ACL(aclrtDestroyStream(second));

    ACL(aclrtSetDevice(0));
    ACL(aclrtSynchronizeStream(first));
    ACL(aclrtFree(weights));
    ACL(aclrtDestroyEvent(written));
    ACL(aclrtDestroyStream(first));
    ACL(aclrtResetDevice(1));
    return finish();
}
