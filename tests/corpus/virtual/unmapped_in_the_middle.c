// rule: memory.interior-free
// wrong: one large mapping is unmapped by the address of its second page
#include "vmm.h"

int main(void)
{
    start();
    char *base = reserve(2 * PAGE);
    aclrtDrvMemHandle pages = physical(2 * PAGE);
    ACL(aclrtMapMem(base, 2 * PAGE, 0, pages, 0));
    ACL(aclrtMemset(base + PAGE, PAGE, 1, 4096));
    EXPECT(device_bytes(base + PAGE, 4096, 1));
#ifdef WRONG
    TRY(aclrtUnmapMem(base + PAGE));
#endif
    ACL(aclrtUnmapMem(base));
    ACL(aclrtFreePhysical(pages));
    ACL(aclrtReleaseMemAddress(base));
    return finish();
}
