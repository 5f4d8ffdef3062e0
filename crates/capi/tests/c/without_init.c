/* Does anything check that aclInit was called? The manual asks for it, programs
 * leave it out, and the memory, stream and device calls work all the same. */
#include "check.h"

int main(void)
{
    aclrtStream stream = NULL;
    void *block = NULL;
    char text[16] = {0};

    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    OK(aclrtMalloc(&block, 16, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemsetAsync(block, 16, 'x', 15, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(text, 16, block, 15, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ_STR(text, "xxxxxxxxxxxxxxx");
    OK(aclrtFree(block));
    OK(aclrtDestroyStream(stream));

    /* Starting late is fine. */
    OK(aclInit(NULL));
    CLOSE_DEVICE();
    return 0;
}
