/* What does an allocation cost, and what is it made of? The table of the malloc
 * family: how a size is rounded, which pages a policy takes, what an unknown policy
 * means, what is refused. Seen from outside through aclrtGetMemInfo and
 * aclrtPointerGetAttributes only. */
#include "check.h"

#define NORMAL_PAGE (4 * KIB)
#define HUGE_PAGE (2 * MIB)

typedef aclError (*Malloc)(void **, size_t, aclrtMemMallocPolicy);

static aclError malloc_cfg(void **p, size_t size, aclrtMemMallocPolicy policy)
{
    return aclrtMallocWithCfg(p, size, policy, NULL);
}

static size_t free_bytes(void)
{
    size_t free_now = 0, total = 0;
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_now, &total));
    CHECK(free_now <= total);
    return free_now;
}

/* One allocation on its own: `pages` pages of `page` bytes, aligned, and all of it given back. */
static void takes(Malloc allocate, const char *name, size_t size, int policy, size_t pages, size_t page)
{
    size_t before = free_bytes();
    aclrtPtrAttributes attributes;
    void *block = NULL;
    size_t taken;

    OK(allocate(&block, size, (aclrtMemMallocPolicy)policy));
    taken = before - free_bytes();
    memset(&attributes, 0xee, sizeof attributes);
    OK(aclrtPointerGetAttributes(block, &attributes));
    if (taken != pages * page || attributes.pageSize != page) {
        fprintf(stderr, "%s(%zu, policy %d) took %zu bytes in pages of %u, expected %zu pages of %zu\n", name,
                size, policy, taken, attributes.pageSize, pages, page);
        exit(1);
    }
    EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    EQ(attributes.location.id, 0);
    /* 64 is promised, 512 is what programs have seen. */
    EQ((uintptr_t)block % 64, 0);
    EQ((uintptr_t)block % 512, 0);

    /* The whole request can be used, up to its last byte. */
    OK(aclrtMemset((char *)block + size - 1, 1, 0x5a, 1));
    OK(aclrtFree(block));
    EQ(free_bytes(), before);
}

#define TAKES(allocate, size, policy, pages, page) takes(allocate, #allocate, size, policy, pages, page)

/* aclrtMalloc rounds up to 32 and adds 32; aclrtMallocAlign32 only rounds up. At a
 * page border that is the difference of a page. */
static void rounding(void)
{
    const int normal = ACL_MEM_MALLOC_NORMAL_ONLY;
    const int huge = ACL_MEM_MALLOC_HUGE_ONLY;

    TAKES(aclrtMalloc, 1, normal, 1, NORMAL_PAGE);
    TAKES(aclrtMalloc, 4064, normal, 1, NORMAL_PAGE); /* 4064 + 32 = 4096 */
    TAKES(aclrtMalloc, 4065, normal, 2, NORMAL_PAGE); /* 4096 + 32 */
    TAKES(aclrtMalloc, 4096, normal, 2, NORMAL_PAGE);
    TAKES(aclrtMalloc, 8160, normal, 2, NORMAL_PAGE);
    TAKES(aclrtMalloc, 8192, normal, 3, NORMAL_PAGE);
    TAKES(aclrtMalloc, HUGE_PAGE - 32, huge, 1, HUGE_PAGE);
    TAKES(aclrtMalloc, HUGE_PAGE - 31, huge, 2, HUGE_PAGE);
    TAKES(aclrtMalloc, HUGE_PAGE, huge, 2, HUGE_PAGE);

    TAKES(aclrtMallocAlign32, 1, normal, 1, NORMAL_PAGE);
    TAKES(aclrtMallocAlign32, 4065, normal, 1, NORMAL_PAGE);
    TAKES(aclrtMallocAlign32, 4096, normal, 1, NORMAL_PAGE);
    TAKES(aclrtMallocAlign32, 4097, normal, 2, NORMAL_PAGE);
    TAKES(aclrtMallocAlign32, 8192, normal, 2, NORMAL_PAGE);
    TAKES(aclrtMallocAlign32, HUGE_PAGE - 31, huge, 1, HUGE_PAGE);
    TAKES(aclrtMallocAlign32, HUGE_PAGE, huge, 1, HUGE_PAGE);
    TAKES(aclrtMallocAlign32, HUGE_PAGE + 1, huge, 2, HUGE_PAGE);

    TAKES(aclrtMallocCached, 4064, normal, 1, NORMAL_PAGE);
    TAKES(aclrtMallocCached, 4096, normal, 2, NORMAL_PAGE);
    TAKES(malloc_cfg, 4096, normal, 1, NORMAL_PAGE);
    TAKES(malloc_cfg, 4097, normal, 2, NORMAL_PAGE);
}

/* Huge pages first means from more than 1 MiB on; huge only and normal only mean
 * what they say; the P2P forms take the same pages. */
static void policies(void)
{
    static const int huge_first[] = {ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_HUGE_FIRST_P2P};
    static const int huge_only[] = {ACL_MEM_MALLOC_HUGE_ONLY, ACL_MEM_MALLOC_HUGE_ONLY_P2P};
    static const int normal_only[] = {ACL_MEM_MALLOC_NORMAL_ONLY, ACL_MEM_MALLOC_NORMAL_ONLY_P2P};
    int i;
    for (i = 0; i < 2; i++) {
        TAKES(aclrtMallocAlign32, 1, huge_first[i], 1, NORMAL_PAGE);
        TAKES(aclrtMallocAlign32, MIB, huge_first[i], 256, NORMAL_PAGE);
        TAKES(aclrtMallocAlign32, MIB + 1, huge_first[i], 1, HUGE_PAGE);
        TAKES(aclrtMallocAlign32, 3 * MIB, huge_first[i], 2, HUGE_PAGE);
        TAKES(aclrtMalloc, MIB - 32, huge_first[i], 256, NORMAL_PAGE);
        TAKES(aclrtMalloc, MIB + 1, huge_first[i], 1, HUGE_PAGE);

        TAKES(aclrtMallocAlign32, 1, huge_only[i], 1, HUGE_PAGE);
        TAKES(aclrtMalloc, 1, huge_only[i], 1, HUGE_PAGE);
        TAKES(aclrtMallocAlign32, 3 * MIB, huge_only[i], 2, HUGE_PAGE);

        TAKES(aclrtMallocAlign32, 3 * MIB, normal_only[i], 768, NORMAL_PAGE);
        TAKES(aclrtMalloc, 3 * MIB, normal_only[i], 769, NORMAL_PAGE);
    }
}

/* Any other number is the default. Where huge pages begin for these is told in two
 * ways (above 1 MiB, or from 2 MiB on), so nothing in between is tried. */
static void unknown_policies(void)
{
    static const int odd[] = {0x1000, 0x100, 0x100000, 8, 9, 1000, -1, INT32_MIN, INT32_MAX};
    size_t i;
    for (i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        TAKES(aclrtMallocAlign32, 100, odd[i], 1, NORMAL_PAGE);
        TAKES(aclrtMallocAlign32, MIB, odd[i], 256, NORMAL_PAGE);
        TAKES(aclrtMallocAlign32, 2 * MIB, odd[i], 1, HUGE_PAGE);
        TAKES(aclrtMalloc, 3 * MIB, odd[i], 2, HUGE_PAGE);
        TAKES(aclrtMallocCached, 100, odd[i], 1, NORMAL_PAGE);
    }
    /* To the cached form the P2P policies are unknown as well. */
    TAKES(aclrtMallocCached, 100, ACL_MEM_MALLOC_HUGE_ONLY_P2P, 1, NORMAL_PAGE);
    TAKES(aclrtMallocCached, 3 * MIB, ACL_MEM_MALLOC_NORMAL_ONLY_P2P, 2, HUGE_PAGE);
    TAKES(aclrtMallocCached, 1, ACL_MEM_MALLOC_HUGE_ONLY, 1, HUGE_PAGE);
    TAKES(aclrtMallocCached, 3 * MIB, ACL_MEM_MALLOC_NORMAL_ONLY, 769, NORMAL_PAGE);
}

/* Pages of 1 GiB: a device has them or refuses; with them nothing is added. */
static void gigabyte_pages(void)
{
    static const int policies_1g[] = {ACL_MEM_MALLOC_HUGE1G_ONLY, ACL_MEM_MALLOC_HUGE1G_ONLY_P2P};
    int i;
    for (i = 0; i < 2; i++) {
        void *block = NULL;
        aclError code = aclrtMalloc(&block, 1, (aclrtMemMallocPolicy)policies_1g[i]);
        if (code == 0) {
            OK(aclrtFree(block));
            TAKES(aclrtMalloc, 1, policies_1g[i], 1, GIB);
            TAKES(aclrtMalloc, GIB, policies_1g[i], 1, GIB);
            TAKES(aclrtMallocAlign32, GIB, policies_1g[i], 1, GIB);
            TAKES(aclrtMallocAlign32, GIB + 1, policies_1g[i], 2, GIB);
        } else {
            check_fetch_text();
            EQ(code, ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
            EQ_PTR(block, NULL);
            CODE(aclrtMallocAlign32(&block, GIB, (aclrtMemMallocPolicy)policies_1g[i]),
                 ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
        }
    }
}

static void refused(Malloc allocate)
{
    void *const untouched = &check_text;
    void *block = untouched;
    const aclrtMemMallocPolicy policy = ACL_MEM_MALLOC_HUGE_FIRST;

    CODE(allocate(NULL, 64, policy), ACL_ERROR_INVALID_PARAM);
    CODE(allocate(&block, 0, policy), ACL_ERROR_INVALID_PARAM);
    /* Rounding this up would wrap around. */
    CODE(allocate(&block, SIZE_MAX, policy), ACL_ERROR_INVALID_PARAM);
    CODE(allocate(&block, SIZE_MAX - 30, policy), ACL_ERROR_INVALID_PARAM);
    /* This one does not wrap around to 32, but to pages it does. */
    FAILS(allocate(&block, SIZE_MAX - 127, policy));
    FAILS(allocate(&block, SIZE_MAX - 4095, policy));
    FAILS(allocate(&block, SIZE_MAX - HUGE_PAGE, ACL_MEM_MALLOC_HUGE_ONLY));
    /* No device is that large. */
    CODE(allocate(&block, (size_t)1 << 62, policy), ACL_ERROR_RT_MEMORY_ALLOCATION);
    CODE(allocate(&block, (size_t)1 << 62, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_ERROR_RT_MEMORY_ALLOCATION);
    EQ_PTR(block, untouched);
}

/* Blocks that live together do not overlap, whatever their sizes and pages. */
static void apart(void)
{
    enum { COUNT = 200 };
    unsigned char *blocks[COUNT];
    size_t sizes[COUNT];
    size_t before = free_bytes();
    unsigned state = 1;
    int i, j;

    for (i = 0; i < COUNT; i++) {
        void *p = NULL;
        state = state * 1103515245u + 12345u;
        sizes[i] = 1 + (state >> 8) % (i % 10 == 0 ? 3 * MIB : 20000);
        OK(aclrtMallocAlign32(&p, sizes[i], (aclrtMemMallocPolicy)((state >> 4) % 3)));
        blocks[i] = p;
        EQ((uintptr_t)p % 512, 0);
        OK(aclrtMemset(p, sizes[i], i, sizes[i]));
    }
    for (i = 0; i < COUNT; i++) {
        for (j = 0; j < i; j++) {
            CHECK(blocks[i] + sizes[i] <= blocks[j] || blocks[j] + sizes[j] <= blocks[i]);
        }
    }
    for (i = 0; i < COUNT; i++) {
        unsigned char ends[2];
        OK(aclrtMemcpy(&ends[0], 1, blocks[i], 1, ACL_MEMCPY_DEVICE_TO_HOST));
        OK(aclrtMemcpy(&ends[1], 1, blocks[i] + sizes[i] - 1, 1, ACL_MEMCPY_DEVICE_TO_HOST));
        EQ(ends[0], i);
        EQ(ends[1], i);
    }
    for (i = 0; i < COUNT; i++) {
        OK(aclrtFree(blocks[(i * 7) % COUNT]));
    }
    EQ(free_bytes(), before);
}

static void mem_info(void)
{
    size_t free_now = 0, total = 0;
    int attr;

    for (attr = ACL_DDR_MEM; attr <= ACL_MEM_P2P_HUGE1G; attr++) {
        /* What a device lacks is 0 of 0. */
        OK(aclrtGetMemInfo((aclrtMemAttr)attr, &free_now, &total));
        CHECK(free_now <= total);
    }
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_now, &total));
    CHECK(total > 0);
    CODE(aclrtGetMemInfo((aclrtMemAttr)18, &free_now, &total), ACL_ERROR_RT_INVALID_MEMORY_TYPE);
    CODE(aclrtGetMemInfo((aclrtMemAttr)-1, &free_now, &total), ACL_ERROR_RT_INVALID_MEMORY_TYPE);
    CODE(aclrtGetMemInfo(ACL_HBM_MEM, NULL, &total), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtGetMemInfo(ACL_HBM_MEM, &free_now, NULL), ACL_ERROR_INVALID_PARAM);
}

static void attributes(void)
{
    aclrtPtrAttributes a;
    void *device = NULL, *host = NULL, *plain = malloc(100);

    OK(aclrtMalloc(&device, 10000, ACL_MEM_MALLOC_NORMAL_ONLY));
    OK(aclrtMallocHost(&host, 10000));

    /* A pointer into a block lies where the block lies. */
    OK(aclrtPointerGetAttributes((char *)device + 5000, &a));
    EQ(a.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    EQ(a.pageSize, NORMAL_PAGE);
    OK(aclrtPointerGetAttributes(host, &a));
    EQ(a.location.type, ACL_MEM_LOCATION_TYPE_HOST);
    OK(aclrtPointerGetAttributes(plain, &a));
    EQ(a.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    EQ(a.pageSize, 0);

    CODE(aclrtPointerGetAttributes(device, NULL), ACL_ERROR_INVALID_PARAM);
    FAILS(aclrtPointerGetAttributes(NULL, &a));

    /* Freed memory is nobody's: refused, or not called the device's any more. */
    OK(aclrtFree(device));
    if (RETURNS(aclrtPointerGetAttributes(device, &a)) == 0) {
        EQ(a.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    }
    OK(aclrtFreeHost(host));
    free(plain);
}

int main(void)
{
    OPEN_DEVICE();
    rounding();
    policies();
    unknown_policies();
    gigabyte_pages();
    refused(aclrtMalloc);
    refused(aclrtMallocAlign32);
    refused(aclrtMallocCached);
    refused(malloc_cfg);
    apart();
    mem_info();
    attributes();
    CLOSE_DEVICE();
    return 0;
}
