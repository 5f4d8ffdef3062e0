/* And where host and device are one? With MILLPOND_RUN_MODE=device the run mode is
 * ACL_DEVICE and a device pointer is an address that the program can use. Programs
 * ask aclrtGetRunMode to know which of the two they have. */
#include "check.h"

int main(void)
{
    enum { SIZE = 100000 };
    aclrtRunMode mode = ACL_HOST;
    aclrtStream stream = NULL;
    void *block = NULL, *second = NULL;
    unsigned char *bytes;
    unsigned char back[64] = {0};
    size_t i;

    OPEN_DEVICE();
    OK(aclrtGetRunMode(&mode));
    EQ(mode, ACL_DEVICE);
    EQ(mode, 0);

    OK(aclrtCreateStream(&stream));
    OK(aclrtMalloc(&block, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc(&second, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));

    /* The device writes, the program reads. */
    OK(aclrtMemsetAsync(block, SIZE, 0x21, SIZE, stream));
    OK(aclrtSynchronizeStream(stream));
    bytes = block;
    for (i = 0; i < SIZE; i++) {
        EQ(bytes[i], 0x21);
    }

    /* The program writes, the device reads. */
    for (i = 0; i < SIZE; i++) {
        bytes[i] = (unsigned char)i;
    }
    OK(aclrtMemcpyAsync(second, SIZE, block, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    OK(aclrtSynchronizeStream(stream));
    EQ(memcmp(block, second, SIZE), 0);
    OK(aclrtMemcpy(back, sizeof back, (char *)second + 200, sizeof back, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ(memcmp(back, bytes + 200, sizeof back), 0);

    OK(aclrtFree(block));
    OK(aclrtFree(second));
    OK(aclrtDestroyStream(stream));
    CLOSE_DEVICE();
    return 0;
}
