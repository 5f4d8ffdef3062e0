// rule: memory.out-of-bounds
// wrong: a tensor lies across a page that the allocator has not mapped
#include "vmm.h"

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    char *base = reserve(3 * PAGE);
    aclrtDrvMemHandle first = physical(PAGE), second = physical(PAGE);
    ACL(aclrtMapMem(base, PAGE, 0, first, 0));
#ifdef WRONG
    char *place = base + 2 * PAGE;
#else
    char *place = base + PAGE;
#endif
    ACL(aclrtMapMem(place, PAGE, 0, second, 0));
    char *tensor = base + PAGE - 4096;
    TRY(aclrtMemsetAsync(tensor, 8192, 6, 8192, stream));
    TRY(aclrtSynchronizeStream(stream));
#ifndef WRONG
    EXPECT(device_bytes(tensor, 8192, 6));
#endif
    ACL(aclrtUnmapMem(place));
    ACL(aclrtUnmapMem(base));
    ACL(aclrtFreePhysical(second));
    ACL(aclrtFreePhysical(first));
    ACL(aclrtReleaseMemAddress(base));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
