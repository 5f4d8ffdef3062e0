/* What does a huge device cost? Nothing until it is touched: the capacity is a
 * number, an allocation takes addresses, and only written pages take memory.
 * Runs with MILLPOND_CAPACITY=1T. */
#include "check.h"

int main(void)
{
    size_t free_now = 0, total = 0, rss;
    void *block = NULL, *large = NULL;

    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_now, &total));
    if (relaxed()) {
        SKIP("a tool that owns the address space may leave less than 1 TiB");
    } else {
        EQ(total, 1024 * GIB);
    }
    rss = status_bytes("VmRSS:");
    CHECK(relaxed() || rss < 200 * MIB);

    OK(aclrtMallocAlign32(&block, 256 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(relaxed() || status_bytes("VmRSS:") < rss + 32 * MIB);
    OK(aclrtMemset((char *)block + 100 * MIB, MIB, 1, MIB));
    CHECK(relaxed() || status_bytes("VmRSS:") < rss + 64 * MIB);

    /* Far more than this machine has: given, or refused because it could never be
     * backed; either way it costs nothing to ask. */
    if (RETURNS(aclrtMallocAlign32(&large, 512 * GIB, ACL_MEM_MALLOC_HUGE_FIRST)) == 0) {
        OK(aclrtFree(large));
    }
    CHECK(relaxed() || status_bytes("VmRSS:") < rss + 64 * MIB);

    OK(aclrtFree(block));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
