// rule: memory.leak
// wrong: device 1 is reset with a buffer of its own still allocated
// options: --devices 2
#include "corpus.h"

enum { BYTES = 4096 };

int main(void)
{
    start();
    for (int device = 0; device < 2; device++) {
        ACL(aclrtSetDevice(device));
        void *scratch = device_memory(BYTES);
        ACL(aclrtMemset(scratch, BYTES, device, BYTES));
        EXPECT(device_bytes(scratch, BYTES, device));
#ifdef WRONG
        if (device == 0)
#endif
            ACL(aclrtFree(scratch));
    }
    ACL(aclrtResetDevice(1));
    ACL(aclrtSetDevice(0));
    return finish();
}
