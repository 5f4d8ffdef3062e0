/* Device and pinned memory: sizes, policies, what freeing accepts, what an address is. */
#include "../oracle.h"
#define GROUP "memory"

/* How far apart two neighbours of this size lie says how sizes are rounded. The smallest distance of several, because
 * allocators may leave gaps. */
static void spacing(aclError (*allocate)(void **, size_t, aclrtMemMallocPolicy), size_t size)
{
    enum { COUNT = 64 };
    uintptr_t blocks[COUNT];
    uintptr_t least = UINTPTR_MAX;
    for (int index = 0; index < COUNT; index++) {
        void *block = NULL;
        need("allocate", allocate(&block, size, ACL_MEM_MALLOC_NORMAL_ONLY));
        blocks[index] = (uintptr_t)block;
        for (int other = 0; other < index; other++) {
            uintptr_t apart = blocks[index] > blocks[other] ? blocks[index] - blocks[other] : blocks[other] - blocks[index];
            least = apart < least ? apart : least;
        }
    }
    code("distance", (long long)least);
}

QUESTION(malloc_zero, "aclrtMalloc", "What does aclrtMalloc return for a size of 0, and does it write the pointer?")
{
    void *block = (void *)1;
    code("code", CALL(aclrtMalloc)(&block, 0, ACL_MEM_MALLOC_HUGE_FIRST));
    fact("written", "%s", block == (void *)1 ? "no" : "yes");
}

QUESTION(malloc_align32_zero, "aclrtMallocAlign32", "What does aclrtMallocAlign32 return for a size of 0?")
{
    void *block = (void *)1;
    code("code", CALL(aclrtMallocAlign32)(&block, 0, ACL_MEM_MALLOC_HUGE_FIRST));
}

QUESTION(malloc_host_zero, "aclrtMallocHost", "What does aclrtMallocHost return for a size of 0?")
{
    void *block = (void *)1;
    code("code", CALL(aclrtMallocHost)(&block, 0));
}

QUESTION(malloc_null, "aclrtMalloc aclrtMallocAlign32 aclrtMallocCached aclrtMallocHost", "What do they return for a NULL pointer and a good size?")
{
    code("malloc", CALL(aclrtMalloc)(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    code("align32", CALL(aclrtMallocAlign32)(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    code("cached", CALL(aclrtMallocCached)(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    code("host", CALL(aclrtMallocHost)(NULL, 64));
}

QUESTION(malloc_huge, "aclrtMalloc aclrtMallocHost", "What do they return for more bytes than any machine has?")
{
    void *block = (void *)1;
    code("malloc", CALL(aclrtMalloc)(&block, (size_t)1 << 50, ACL_MEM_MALLOC_HUGE_FIRST));
    fact("written", "%s", block == (void *)1 ? "no" : "yes");
    code("wraps", CALL(aclrtMalloc)(&block, SIZE_MAX, ACL_MEM_MALLOC_HUGE_FIRST));
    code("host", CALL(aclrtMallocHost)(&block, SIZE_MAX));
}

QUESTION(malloc_policies, "aclrtMalloc", "Which policies does aclrtMalloc accept, listed and not?")
{
    static const int policies[] = {0, 1, 2, 3, 4, 5, 8, 100, 0x7fffffff};
    for (size_t index = 0; index < sizeof policies / sizeof *policies; index++) {
        void *block = NULL;
        char name[16];
        snprintf(name, sizeof name, "p%d", policies[index]);
        code(name, CALL(aclrtMalloc)(&block, 4096, (aclrtMemMallocPolicy)policies[index]));
        if (block) {
            CALL(aclrtFree)(block);
        }
    }
}

QUESTION(malloc_page_1g, "aclrtMalloc", "Does a device have pages of 1 GiB?")
{
    void *block = NULL;
    code("code", CALL(aclrtMalloc)(&block, 4096, ACL_MEM_MALLOC_HUGE1G_ONLY));
}

QUESTION(malloc_aligned, "aclrtMalloc aclrtMallocAlign32 acldvppMalloc", "Of what power of two are all their addresses multiples?")
{
    uintptr_t bits[3] = {0, 0, 0};
    for (int round = 0; round < 32; round++) {
        void *a = NULL, *b = NULL, *c = NULL;
        need("aclrtMalloc", CALL(aclrtMalloc)(&a, 1 + (size_t)round * 7, ACL_MEM_MALLOC_NORMAL_ONLY));
        need("aclrtMallocAlign32", CALL(aclrtMallocAlign32)(&b, 1 + (size_t)round * 7, ACL_MEM_MALLOC_NORMAL_ONLY));
        bits[0] |= (uintptr_t)a;
        bits[1] |= (uintptr_t)b;
        need("acldvppMalloc", CALL(acldvppMalloc)(&c, 1 + (size_t)round * 7));
        bits[2] |= (uintptr_t)c;
    }
    fact("malloc_512", "%s", bits[0] % 512 == 0 ? "yes" : "no");
    fact("align32_512", "%s", bits[1] % 512 == 0 ? "yes" : "no");
    fact("dvpp_512", "%s", bits[2] % 512 == 0 ? "yes" : "no");
    fact("~malloc", "%llu", (unsigned long long)(bits[0] & -bits[0]));
    fact("~align32", "%llu", (unsigned long long)(bits[1] & -bits[1]));
}

QUESTION(malloc_rounding_32, "aclrtMalloc", "How far apart are neighbours of 32 bytes, which tells how aclrtMalloc rounds?")
{
    spacing(CALL(aclrtMalloc), 32);
}

QUESTION(malloc_rounding_480, "aclrtMalloc", "How far apart are neighbours of 480 bytes, the most that fits 512 with 32 added?")
{
    spacing(CALL(aclrtMalloc), 480);
}

QUESTION(malloc_rounding_481, "aclrtMalloc", "How far apart are neighbours of 481 bytes?")
{
    spacing(CALL(aclrtMalloc), 481);
}

QUESTION(align32_rounding_512, "aclrtMallocAlign32", "How far apart are neighbours of 512 bytes of aclrtMallocAlign32, which adds nothing?")
{
    spacing(CALL(aclrtMallocAlign32), 512);
}

QUESTION(free_null, "aclrtFree aclrtFreeHost aclrtFreeWithDevSync aclrtFreeHostWithDevSync", "What do they return for NULL?")
{
    code("free", CALL(aclrtFree)(NULL));
    code("host", CALL(aclrtFreeHost)(NULL));
    code("sync", CALL(aclrtFreeWithDevSync)(NULL));
    code("host_sync", CALL(aclrtFreeHostWithDevSync)(NULL));
}

QUESTION_ALONE(free_twice, "aclrtFree", "What does the second aclrtFree of an address return?")
{
    void *block = new_block(4096);
    code("first", CALL(aclrtFree)(block));
    code("second", CALL(aclrtFree)(block));
}

QUESTION_ALONE(free_inside, "aclrtFree", "What does aclrtFree return for an address inside a block?")
{
    char *block = new_block(4096);
    code("code", CALL(aclrtFree)(block + 512));
}

QUESTION_ALONE(free_foreign, "aclrtFree aclrtFreeHost", "What do they return for memory of the C library?")
{
    void *plain = malloc(4096);
    code("free", CALL(aclrtFree)(plain));
    code("host", CALL(aclrtFreeHost)(plain));
}

QUESTION_ALONE(free_wrong_kind, "aclrtFree aclrtFreeHost", "Does each of them free memory of the other kind?")
{
    code("pinned_by_free", CALL(aclrtFree)(new_pinned(4096)));
    code("device_by_host", CALL(aclrtFreeHost)(new_block(4096)));
}

QUESTION_ALONE(free_host_twice, "aclrtFreeHost", "What does the second aclrtFreeHost of an address return?")
{
    void *block = new_pinned(4096);
    code("first", CALL(aclrtFreeHost)(block));
    code("second", CALL(aclrtFreeHost)(block));
}

QUESTION_ALONE(free_queued, "aclrtFree", "Does aclrtFree return while a copy that uses the memory is queued?")
{
    aclrtStream stream = new_stream();
    void *block = new_block(4096), *host = new_pinned(4096);
    struct gate *gate = new_gate(stream);
    need("copy", CALL(aclrtMemcpyAsync)(block, 4096, host, 4096, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    code("free", CALL(aclrtFree)(block));
    open_gate(gate);
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
}

QUESTION(host_reads_device, "aclrtMalloc", "Does the host crash when it reads device memory?")
{
    volatile char *block = new_block(4096);
    (void)block[0];
    fact("reads", "yes");
}

QUESTION(mem_info, "aclrtGetMemInfo", "Which kinds of memory have a total that is not 0?")
{
    for (int kind = 0; kind <= 17; kind++) {
        size_t free_bytes = 0, total = 0;
        char name[16];
        aclError status = CALL(aclrtGetMemInfo)((aclrtMemAttr)kind, &free_bytes, &total);
        snprintf(name, sizeof name, "k%d", kind);
        fact(name, "%d:%s", status, status == 0 && total ? "some" : "none");
    }
}

QUESTION(mem_info_null, "aclrtGetMemInfo", "Does aclrtGetMemInfo accept NULL for one of its results?")
{
    size_t bytes = 0;
    code("no_free", CALL(aclrtGetMemInfo)(ACL_HBM_MEM, NULL, &bytes));
    code("no_total", CALL(aclrtGetMemInfo)(ACL_HBM_MEM, &bytes, NULL));
    code("unlisted", CALL(aclrtGetMemInfo)((aclrtMemAttr)99, &bytes, &bytes));
}

QUESTION(mem_info_change, "aclrtGetMemInfo", "How much less free memory is there after 64 MiB were allocated, and is it back after the free?")
{
    size_t before = 0, after = 0, again = 0, total = 0;
    need("aclrtGetMemInfo", CALL(aclrtGetMemInfo)(ACL_HBM_MEM, &before, &total));
    void *block = new_block(64 << 20);
    need("aclrtGetMemInfo", CALL(aclrtGetMemInfo)(ACL_HBM_MEM, &after, &total));
    code("free", CALL(aclrtFree)(block));
    need("aclrtGetMemInfo", CALL(aclrtGetMemInfo)(ACL_HBM_MEM, &again, &total));
    fact("~mebibytes", "%lld", ((long long)before - (long long)after) >> 20);
    fact("returned", "%s", again >= before ? "yes" : "no");
    fact("~total", "%zu", total);
}

static void place(const char *name, const void *address)
{
    aclrtPtrAttributes attributes;
    memset(&attributes, 0, sizeof attributes);
    aclError status = CALL(aclrtPointerGetAttributes)(address, &attributes);
    fact(name, "%d:type%d:page%u", status, (int)attributes.location.type, attributes.pageSize);
}

QUESTION(attributes, "aclrtPointerGetAttributes", "What are addresses of each kind of memory?")
{
    char *block = new_block(4096), *pinned = new_pinned(4096), plain[64];
    place("device", block);
    place("inside", block + 100);
    place("pinned", pinned);
    place("stack", plain);
    place("null", NULL);
    CALL(aclrtFree)(block);
    place("freed", block);
}

QUESTION(attributes_huge, "aclrtPointerGetAttributes aclrtMalloc", "Which pages do blocks have, by policy and size?")
{
    static const struct { const char *name; size_t size; int policy; } rows[] = {
        {"first_1M", 1 << 20, 0}, {"first_1M1", (1 << 20) + 1, 0}, {"first_4M", 4 << 20, 0}, {"only_64", 64, 1}, {"normal_4M", 4 << 20, 2},
    };
    for (size_t index = 0; index < sizeof rows / sizeof *rows; index++) {
        void *block = NULL;
        need("aclrtMallocAlign32", CALL(aclrtMallocAlign32)(&block, rows[index].size, (aclrtMemMallocPolicy)rows[index].policy));
        place(rows[index].name, block);
    }
}

QUESTION(address_range, "aclrtMemGetAddressRange", "Which range does an address inside a block of 1000 bytes belong to?")
{
    char *block = new_block(1000);
    void *base = NULL;
    size_t size = 0;
    code("code", CALL(aclrtMemGetAddressRange)(block + 10, &base, &size));
    fact("base", "%s", base == block ? "block" : "other");
    code("size", (long long)size);
}

QUESTION(with_cfg, "aclrtMallocWithCfg", "Which configurations does aclrtMallocWithCfg accept?")
{
    void *block = NULL;
    aclrtMallocAttribute attribute = {ACL_RT_MEM_ATTR_MODULE_ID, {.moduleId = 7}};
    aclrtMallocConfig config = {&attribute, 1};
    aclrtMallocConfig empty = {NULL, 0};
    aclrtMallocConfig missing = {NULL, 1};
    code("none", CALL(aclrtMallocWithCfg)(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST, NULL));
    code("empty", CALL(aclrtMallocWithCfg)(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST, &empty));
    code("module", CALL(aclrtMallocWithCfg)(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config));
    code("no_list", CALL(aclrtMallocWithCfg)(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST, &missing));
    attribute.attr = ACL_RT_MEM_ATTR_DEVICE_ID;
    attribute.value.deviceId = 4000;
    code("no_device", CALL(aclrtMallocWithCfg)(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config));
    attribute.attr = (aclrtMallocAttrType)77;
    code("unlisted", CALL(aclrtMallocWithCfg)(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config));
}

QUESTION(host_with_cfg, "aclrtMallocHostWithCfg", "Which configurations does aclrtMallocHostWithCfg accept?")
{
    void *block = NULL;
    aclrtMallocAttribute attribute = {ACL_RT_MEM_ATTR_VA_FLAG, {.vaFlag = 1}};
    aclrtMallocConfig config = {&attribute, 1};
    code("none", CALL(aclrtMallocHostWithCfg)(&block, 64, NULL));
    code("va", CALL(aclrtMallocHostWithCfg)(&block, 64, &config));
    attribute.attr = ACL_RT_MEM_ATTR_DEVICE_ID;
    code("device", CALL(aclrtMallocHostWithCfg)(&block, 64, &config));
}

QUESTION(task_scheduler, "aclrtMallocForTaskScheduler", "Does aclrtMallocForTaskScheduler work without a configuration?")
{
    void *block = NULL;
    code("code", CALL(aclrtMallocForTaskScheduler)(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST, NULL));
    fact("block", "%s", pointer(block));
}

QUESTION(cached, "aclrtMallocCached aclrtMemFlush aclrtMemInvalidate", "What do flushing and invalidating return for cached and for other memory?")
{
    void *cached = NULL, *block = new_block(4096);
    code("malloc", CALL(aclrtMallocCached)(&cached, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    code("flush", CALL(aclrtMemFlush)(cached, 4096));
    code("invalidate", CALL(aclrtMemInvalidate)(cached, 4096));
    code("flush_zero", CALL(aclrtMemFlush)(cached, 0));
    code("flush_other", CALL(aclrtMemFlush)(block, 4096));
    code("flush_null", CALL(aclrtMemFlush)(NULL, 4096));
}

QUESTION(usage, "aclrtGetMemUsageInfo", "Which modules does aclrtGetMemUsageInfo report?")
{
    aclrtMemUsageInfo modules[32];
    size_t count = 0;
    code("code", CALL(aclrtGetMemUsageInfo)(0, modules, 32, &count));
    fact("~modules", "%zu", count);
    fact("first", "%.32s", count ? modules[0].name : "");
    code("no_room", CALL(aclrtGetMemUsageInfo)(0, modules, 0, &count));
    code("no_device", CALL(aclrtGetMemUsageInfo)(4000, modules, 32, &count));
}

QUESTION(l2_flush, "aclrtDeviceL2CacheFlush", "Does aclrtDeviceL2CacheFlush refuse an argument that is not NULL?")
{
    code("null", CALL(aclrtDeviceL2CacheFlush)(NULL));
    code("other", CALL(aclrtDeviceL2CacheFlush)((void *)1));
}

QUESTION(dvpp, "acldvppMalloc acldvppFree", "Are media memory and device memory freed by each other's function?")
{
    void *block = NULL;
    code("malloc", CALL(acldvppMalloc)(&block, 100));
    code("zero", CALL(acldvppMalloc)(&block, 0));
    code("free", CALL(acldvppFree)(block));
    code("device_by_dvpp", CALL(acldvppFree)(new_block(64)));
    need("acldvppMalloc", CALL(acldvppMalloc)(&block, 100));
    code("dvpp_by_free", CALL(aclrtFree)(block));
}

QUESTION(prefetch, "aclrtCmoAsync", "Which kinds of cache maintenance and which ranges does a stream accept?")
{
    static const int kinds[] = {0, 1, 2, 3, 4};
    aclrtStream stream = new_stream();
    char *block = new_block(4096);
    for (size_t index = 0; index < sizeof kinds / sizeof *kinds; index++) {
        char name[16];
        snprintf(name, sizeof name, "k%d", kinds[index]);
        code(name, CALL(aclrtCmoAsync)(block, 4096, (aclrtCmoType)kinds[index], stream));
    }
    code("one_byte", CALL(aclrtCmoAsync)(block + 1, 1, ACL_RT_CMO_TYPE_PREFETCH, stream));
    code("no_bytes", CALL(aclrtCmoAsync)(block, 0, ACL_RT_CMO_TYPE_PREFETCH, stream));
    code("null", CALL(aclrtCmoAsync)(NULL, 4096, ACL_RT_CMO_TYPE_PREFETCH, stream));
    code("default_stream", CALL(aclrtCmoAsync)(block, 4096, ACL_RT_CMO_TYPE_PREFETCH, NULL));
    code("synchronize", CALL(aclrtSynchronizeDevice)());
}

QUESTION(prefetch_description, "aclrtCmoGetDescSize aclrtCmoSetDesc aclrtCmoAsyncWithDesc", "How many bytes has the description of a range, and is prefetching by it accepted?")
{
    size_t size = 0;
    aclrtStream stream = new_stream();
    char *block = new_block(4096);
    RESULT("size", CALL(aclrtCmoGetDescSize)(&size), size);
    char *description = new_block(size > 4096 ? size : 4096);
    code("set", CALL(aclrtCmoSetDesc)(description, block, 4096));
    code("prefetch", CALL(aclrtCmoAsyncWithDesc)(description, ACL_RT_CMO_TYPE_PREFETCH, stream, NULL));
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
    code("flush", CALL(aclrtCmoAsyncWithDesc)(description, ACL_RT_CMO_TYPE_FLUSH, stream, NULL));
    code("reserved", CALL(aclrtCmoAsyncWithDesc)(description, ACL_RT_CMO_TYPE_PREFETCH, stream, &size));
    code("set_no_bytes", CALL(aclrtCmoSetDesc)(description, block, 0));
    code("set_no_range", CALL(aclrtCmoSetDesc)(description, NULL, 4096));
    code("set_nowhere", CALL(aclrtCmoSetDesc)(NULL, block, 4096));
    code("no_size", CALL(aclrtCmoGetDescSize)(NULL));
    code("end", CALL(aclrtSynchronizeStream)(stream));
}
