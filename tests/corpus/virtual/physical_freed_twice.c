// rule: memory.double-free
// wrong: the physical memory behind a shared mapping is freed by both of its users
#include "vmm.h"

int main(void)
{
    start();
    char *first = reserve(PAGE), *second = reserve(PAGE);
    aclrtDrvMemHandle page = physical(PAGE);
    ACL(aclrtMapMem(first, PAGE, 0, page, 0));
    ACL(aclrtMapMem(second, PAGE, 0, page, 0));
    ACL(aclrtMemset(first, PAGE, 5, 4096));
    EXPECT(device_bytes(second, 4096, 5));
    ACL(aclrtUnmapMem(first));
#ifdef WRONG
    TRY(aclrtFreePhysical(page));
#endif
    ACL(aclrtUnmapMem(second));
    TRY(aclrtFreePhysical(page));
    ACL(aclrtReleaseMemAddress(second));
    ACL(aclrtReleaseMemAddress(first));
    return finish();
}
