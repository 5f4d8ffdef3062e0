// rule: memory.wrong-device
// wrong: the loop over devices clears each device's buffer on the first device's stream
// options: --devices 2
#include "corpus.h"

enum { DEVICES = 2, BYTES = 4096 };

int main(void)
{
    aclrtStream streams[DEVICES];
    void *buffers[DEVICES];
    ACL(aclInit(NULL));
    for (int device = 0; device < DEVICES; device++) {
        ACL(aclrtSetDevice(device));
        streams[device] = new_stream();
        buffers[device] = device_memory(BYTES);
    }
    for (int device = 0; device < DEVICES; device++) {
#ifdef WRONG
        ACL(aclrtSetDevice(0));
        aclrtStream stream = streams[0];
#else
        ACL(aclrtSetDevice(device));
        aclrtStream stream = streams[device];
#endif
        ACL(aclrtMemsetAsync(buffers[device], BYTES, device, BYTES, stream));
        ACL(aclrtSynchronizeStream(stream));
        EXPECT(device_bytes(buffers[device], BYTES, device));
    }
    for (int device = DEVICES - 1; device >= 0; device--) {
        ACL(aclrtSetDevice(device));
        ACL(aclrtFree(buffers[device]));
        ACL(aclrtDestroyStream(streams[device]));
        if (device > 0)
            ACL(aclrtResetDevice(device));
    }
    return finish();
}
