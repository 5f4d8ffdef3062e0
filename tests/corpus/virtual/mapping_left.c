// rule: memory.leak-mapping
// wrong: the physical memory is freed and the addresses are released, but one page stays mapped
#include "vmm.h"

enum { PAGES = 3 };

int main(void)
{
    aclrtDrvMemHandle pages[PAGES];
    start();
    char *base = reserve(PAGES * PAGE);
    for (int i = 0; i < PAGES; i++) {
        pages[i] = physical(PAGE);
        ACL(aclrtMapMem(base + i * PAGE, PAGE, 0, pages[i], 0));
        ACL(aclrtMemset(base + i * PAGE, PAGE, i, 4096));
    }
    for (int i = 0; i < PAGES; i++)
        EXPECT(device_bytes(base + i * PAGE, 4096, i));
#ifdef WRONG
    int mapped = PAGES - 1;
#else
    int mapped = PAGES;
#endif
    for (int i = 0; i < mapped; i++)
        ACL(aclrtUnmapMem(base + i * PAGE));
    for (int i = 0; i < PAGES; i++)
        ACL(aclrtFreePhysical(pages[i]));
    TRY(aclrtReleaseMemAddress(base));
    return finish();
}
