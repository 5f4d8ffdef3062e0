// rule: memory.freed-in-use
// wrong: sleep mode unmaps the cache while a copy to it is queued
#include "vmm.h"

enum { BYTES = 1 << 16 };

int main(void)
{
    char *saved = malloc(BYTES);
    start();
    aclrtStream stream = new_stream();
    char *base = reserve(PAGE);
    aclrtDrvMemHandle page = physical(PAGE);
    ACL(aclrtMapMem(base, PAGE, 0, page, 0));
    ACL(aclrtMemsetAsync(base, PAGE, 55, BYTES, stream));
#ifndef WRONG
    ACL(aclrtSynchronizeStream(stream));
    download(saved, base, BYTES);
    EXPECT(all_bytes(saved, BYTES, 55));
#endif
    ACL(aclrtUnmapMem(base));
    ACL(aclrtSynchronizeStream(stream));
    ACL(aclrtFreePhysical(page));

    page = physical(PAGE);
    ACL(aclrtMapMem(base, PAGE, 0, page, 0));
    ACL(aclrtMemset(base, PAGE, 1, BYTES));
    ACL(aclrtUnmapMem(base));
    ACL(aclrtFreePhysical(page));
    ACL(aclrtReleaseMemAddress(base));
    ACL(aclrtDestroyStream(stream));
    free(saved);
    return finish();
}
