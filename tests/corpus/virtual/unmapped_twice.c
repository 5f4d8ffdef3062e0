// rule: memory.double-free
// wrong: both the segment and the allocator's clean-up unmap the same page
#include "vmm.h"

int main(void)
{
    start();
    char *base = reserve(2 * PAGE);
    aclrtDrvMemHandle page = physical(2 * PAGE);
    ACL(aclrtMapMem(base, 2 * PAGE, 0, page, 0));
    ACL(aclrtMemset(base + PAGE, PAGE, 1, 4096));
    EXPECT(device_bytes(base + PAGE, 4096, 1));
    ACL(aclrtUnmapMem(base));
#ifdef WRONG
    TRY(aclrtUnmapMem(base));
#endif
    ACL(aclrtFreePhysical(page));
    ACL(aclrtReleaseMemAddress(base));
    return finish();
}
