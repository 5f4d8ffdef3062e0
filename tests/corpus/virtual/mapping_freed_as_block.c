// rule: memory.wrong-free
// wrong: the generic clean-up frees a mapped address with aclrtFree
#include "vmm.h"

int main(void)
{
    start();
    char *base = reserve(PAGE);
    aclrtDrvMemHandle page = physical(PAGE);
    ACL(aclrtMapMem(base, PAGE, 0, page, 0));
    ACL(aclrtMemset(base, PAGE, 8, 8192));
    EXPECT(device_bytes(base, 8192, 8));
#ifdef WRONG
    TRY(aclrtFree(base));
#endif
    ACL(aclrtUnmapMem(base));
    ACL(aclrtFreePhysical(page));
    ACL(aclrtReleaseMemAddress(base));
    return finish();
}
