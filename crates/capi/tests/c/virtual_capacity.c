/* What does a huge device cost? Nothing until it is touched: the capacity is a
 * number, an allocation takes addresses, and only written pages take memory.
 * Runs with MILLPOND_CAPACITY=1T. */
#include "check.h"

int main(void)
{
    size_t free_now = 0, later = 0, total = 0, rss;
    void *block = NULL, *large = NULL, *host = NULL;

    OPEN_DEVICE();
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_now, &total));
    if (relaxed()) {
        SKIP("a tool that owns the address space may leave less than 1 TiB");
    } else {
        EQ(total, 1024 * GIB);
    }
    /* What the machine cannot give is not free. */
    CHECK(free_now < (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE));
    CHECK(free_now > 512 * MIB);
    rss = status_bytes("VmRSS:");
    CHECK(relaxed() || rss < 200 * MIB);

    OK(aclrtMallocAlign32(&block, 256 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(relaxed() || status_bytes("VmRSS:") < rss + 32 * MIB);
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &later, &total));
    EQ(later, free_now - 256 * MIB);
    /* Pinned memory is of the same machine. */
    OK(aclrtMallocHost(&host, 64 * MIB));
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &later, &total));
    CHECK(later <= free_now - 320 * MIB && later > free_now - 330 * MIB);
    OK(aclrtFreeHost(host));
    OK(aclrtMemset((char *)block + 100 * MIB, MIB, 1, MIB));
    CHECK(relaxed() || status_bytes("VmRSS:") < rss + 64 * MIB);

    /* Far more than this machine has: given, or refused because it could never be
     * backed; either way it costs nothing to ask. */
    if (RETURNS(aclrtMallocAlign32(&large, 512 * GIB, ACL_MEM_MALLOC_HUGE_FIRST)) == 0) {
        OK(aclrtFree(large));
    }
    CHECK(relaxed() || status_bytes("VmRSS:") < rss + 64 * MIB);

    OK(aclrtFree(block));
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &later, &total));
    EQ(later, free_now);
    CLOSE_DEVICE();
    return 0;
}
