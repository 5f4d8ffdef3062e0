/* millpondMemGetStatistics and millpondMemGetStreamStatistics: exact numbers of a
 * pool and of the device's own memory. Runs with MILLPOND_CAPACITY=256M. */
#include "check.h"
#include "gate.h"
#include <acl/acl_rt_memory_soma.h>
#include <millpond/millpond.h>

#define PAGE (2 * MIB)

/* Who uses the device's memory: one module, the program. */
static void modules(void)
{
    aclrtMemUsageInfo found[3];
    size_t count = 77, free_now, total;
    void *block;

    OK(aclrtMalloc(&block, 8 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
    memset(found, 0xee, sizeof found);
    OK(aclrtGetMemUsageInfo(0, found, 3, &count));
    EQ(count, 1);
    EQ_STR(found[0].name, "app");
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_now, &total));
    EQ(found[0].curMemSize, total - free_now);
    CHECK(found[0].memPeakSize >= found[0].curMemSize);
    EQ(found[1].name[0] & 0xff, 0xee);
    OK(aclrtFree(block));
    OK(aclrtGetMemUsageInfo(0, found, 3, &count));
    CHECK(found[0].curMemSize < found[0].memPeakSize);

    CODE(aclrtGetMemUsageInfo(0, NULL, 3, &count), ACL_ERROR_INVALID_PARAM);
    MENTIONS("memUsageInfo");
    CODE(aclrtGetMemUsageInfo(0, found, 0, &count), ACL_ERROR_INVALID_PARAM);
    MENTIONS("inputNum");
    CODE(aclrtGetMemUsageInfo(0, found, 3, NULL), ACL_ERROR_INVALID_PARAM);
    MENTIONS("outputNum");
    CODE(aclrtGetMemUsageInfo(9, found, 3, &count), ACL_ERROR_RT_INVALID_DEVICEID);
}

static void *of_module(uint16_t id, size_t size)
{
    void *block = NULL;
    aclrtMallocAttribute attribute;
    aclrtMallocConfig config = {&attribute, 1};
    memset(&attribute, 0, sizeof attribute);
    attribute.attr = ACL_RT_MEM_ATTR_MODULE_ID;
    attribute.value.moduleId = id;
    OK(aclrtMallocWithCfg(&block, size, ACL_MEM_MALLOC_HUGE_ONLY, &config));
    return block;
}

static void used(const aclrtMemUsageInfo *info, const char *name, size_t now, size_t peak)
{
    EQ_STR(info->name, name);
    EQ(info->curMemSize, now);
    EQ(info->memPeakSize, peak);
}

/* Blocks that were allocated for others: each module has its own, the largest comes first. */
static void blocks_of_modules(void)
{
    aclrtMemUsageInfo before, found[4];
    size_t count = 0;
    void *large, *small[2], *own;
    aclrtStream stream;

    OK(aclrtGetMemUsageInfo(0, &before, 1, &count));
    large = of_module(7, 40 * MIB);
    small[0] = of_module(300, 2 * MIB);
    small[1] = of_module(300, 1);
    own = of_module(33, 2 * MIB);
    OK(aclrtGetMemUsageInfo(0, found, 4, &count));
    EQ(count, 3);
    used(&found[0], "module 7", 40 * MIB, 40 * MIB);
    EQ(before.curMemSize, 0);
    used(&found[1], "module 300", 4 * MIB, 4 * MIB);
    EQ_STR(found[2].name, "app");
    EQ(found[2].curMemSize, before.curMemSize + 2 * MIB);

    /* Fewer than there are: the largest. */
    memset(found, 0xee, sizeof found);
    OK(aclrtGetMemUsageInfo(0, found, 1, &count));
    EQ(count, 1);
    EQ_STR(found[0].name, "module 7");
    EQ(found[1].name[0] & 0xff, 0xee);

    /* What is freed is no longer in use; the peak stays. The address may then belong to anybody. */
    OK(aclrtFree(large));
    OK(aclrtFreeWithDevSync(small[0]));
    OK(aclrtMalloc(&large, 40 * MIB, ACL_MEM_MALLOC_HUGE_ONLY));
    OK(aclrtGetMemUsageInfo(0, found, 4, &count));
    EQ(count, 3);
    EQ_STR(found[0].name, "app");
    used(&found[1], "module 300", 2 * MIB, 4 * MIB);
    used(&found[2], "module 7", 0, 40 * MIB);
    OK(aclrtFree(large));
    OK(aclrtFree(small[1]));
    OK(aclrtFree(own));
    OK(aclrtGetMemUsageInfo(0, found, 4, &count));
    /* Of those with as much, the one with the smaller number. */
    used(&found[0], "module 7", 0, 40 * MIB);
    EQ_STR(found[1].name, "app");
    EQ(found[1].curMemSize, 0);

    /* Freed in the order of a stream. */
    small[0] = of_module(300, 2 * MIB);
    OK(aclrtCreateStream(&stream));
    OK(aclrtMemPoolFreeAsync(small[0], stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtDestroyStream(stream));
    OK(aclrtGetMemUsageInfo(0, found, 4, &count));
    EQ_STR(found[2].name, "module 300");
    EQ(found[2].curMemSize, 0);
}

static millpondMemStatistics all(aclrtMemPool pool)
{
    millpondMemStatistics numbers;
    memset(&numbers, 0xee, sizeof numbers);
    OK(millpondMemGetStatistics(pool, &numbers));
    return numbers;
}

/* The part of a stream, by its number in records. */
static millpondStreamStatistics part(aclrtMemPool pool, uint64_t stream)
{
    uint64_t count = all(pool).streams, at, found = 0;
    millpondStreamStatistics numbers, result;
    for (at = 0; at < count; at++) {
        OK(millpondMemGetStreamStatistics(pool, at, &numbers));
        if (numbers.stream == stream) {
            result = numbers;
            found++;
        }
    }
    EQ(found, 1);
    return result;
}

static void count(millpondCount count, uint64_t current, uint64_t peak, uint64_t total)
{
    EQ(count.current, current);
    EQ(count.peak, peak);
    EQ(count.total, total);
}

/* All size classes but two are empty. */
static void only(const millpondStreamStatistics *numbers, int first, int second)
{
    int class;
    for (class = 0; class < MILLPOND_SIZE_CLASSES; class ++) {
        if (class != first && class != second) {
            count(numbers->blocks[class], 0, 0, 0);
        }
    }
}

static void of_a_pool(void)
{
    aclrtMemPoolProps props;
    aclrtMemPool pool = NULL;
    aclrtStream first = NULL, second = NULL;
    int32_t ids[2];
    void *small = NULL, *large = NULL, *other = NULL;
    millpondMemStatistics numbers;
    millpondStreamStatistics stream;
    Gate gate;

    memset(&props, 0, sizeof props);
    props.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    props.maxSize = 16 * PAGE;
    OK(aclrtMemPoolCreate(&pool, &props));
    OK(aclrtCreateStream(&first));
    OK(aclrtCreateStream(&second));
    OK(aclrtStreamGetId(first, &ids[0]));
    OK(aclrtStreamGetId(second, &ids[1]));

    numbers = all(pool);
    EQ(numbers.charged, 0);
    EQ(numbers.chargedPeak, 0);
    EQ(numbers.limit, 16 * PAGE);
    EQ(numbers.reserved, 0);
    EQ(numbers.reservedPeak, 0);
    EQ(numbers.blocks, 0);
    EQ(numbers.pagesMoved, 0);
    EQ(numbers.streams, 1);
    EQ(part(pool, 0).bytes.total, 0);

    gate = gate_close(second);
    OK(aclrtMemPoolMallocAsync(&small, 1000, pool, first));
    OK(aclrtMemPoolMallocAsync(&large, PAGE, pool, first));
    OK(aclrtMemPoolMallocAsync(&other, 5000, pool, second));
    numbers = all(pool);
    EQ(numbers.charged, 3 * PAGE);
    EQ(numbers.blocks, 3);
    EQ(numbers.streams, 3);
    CHECK(numbers.reserved >= 2 * PAGE);
    OK(aclrtMemsetAsync(large, PAGE, 0, PAGE, second));
    OK(aclrtMemPoolFreeAsync(large, first));

    numbers = all(pool);
    EQ(numbers.charged, 2 * PAGE);
    EQ(numbers.chargedPeak, 3 * PAGE);
    EQ(numbers.blocks, 2);
    stream = part(pool, (uint64_t)ids[0]);
    count(stream.bytes, PAGE, 2 * PAGE, 1024 + PAGE);
    EQ(stream.pendingBlocks, 1);
    EQ(stream.pendingBytes, PAGE);
    EQ(stream.keptBlocks, 0);
    count(stream.blocks[10], 1, 1, 1);
    count(stream.blocks[21], 0, 1, 1);
    only(&stream, 10, 21);
    stream = part(pool, (uint64_t)ids[1]);
    count(stream.bytes, PAGE, PAGE, 5120);
    count(stream.blocks[12], 1, 1, 1);
    only(&stream, 12, 12);

    /* The first block that is freed need not be kept; one that comes again is. */
    OK(aclrtMemPoolFreeAsync(small, first));
    OK(aclrtMemPoolMallocAsync(&small, 1000, pool, first));
    OK(aclrtMemPoolFreeAsync(small, first));
    stream = part(pool, (uint64_t)ids[0]);
    EQ(stream.keptBlocks, 1);
    count(stream.bytes, 0, 2 * PAGE, 2 * 1024 + PAGE);
    count(stream.blocks[10], 0, 1, 2);
    gate_open(gate);
    gate_free(gate);
    OK(aclrtSynchronizeStream(second));
    OK(aclrtMemPoolFreeAsync(other, second));
    OK(aclrtMemPoolTrimTo(pool, 0));
    numbers = all(pool);
    EQ(numbers.charged, 0);
    EQ(numbers.blocks, 0);
    CHECK(numbers.reservedPeak >= 2 * PAGE);
    CHECK(numbers.reserved < numbers.reservedPeak);
    EQ(part(pool, (uint64_t)ids[0]).pendingBlocks, 0);
    OK(aclrtMemPoolDestroy(pool));
    CODE(millpondMemGetStatistics(pool, &numbers), ACL_ERROR_RT_INVALID_HANDLE);
    CODE(millpondMemGetStreamStatistics(pool, 0, &stream), ACL_ERROR_RT_INVALID_HANDLE);
    OK(aclrtDestroyStream(first));
    OK(aclrtDestroyStream(second));
}

static void of_the_device(void)
{
    millpondMemStatistics before = all(NULL), numbers;
    millpondStreamStatistics stream = part(NULL, 0), later;
    void *block = NULL;

    EQ(before.limit, 256 * MIB);
    OK(aclrtMallocAlign32(&block, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));
    numbers = all(NULL);
    EQ(numbers.charged - before.charged, 4096);
    EQ(numbers.blocks - before.blocks, 1);
    CHECK(numbers.reserved >= 4096);
    later = part(NULL, 0);
    EQ(later.bytes.current - stream.bytes.current, 4096);
    EQ(later.bytes.total - stream.bytes.total, 4096);
    EQ(later.blocks[12].current - stream.blocks[12].current, 1);
    EQ(later.blocks[12].total - stream.blocks[12].total, 1);
    OK(aclrtFree(block));
    EQ(all(NULL).charged, before.charged);
    EQ(part(NULL, 0).blocks[12].current, stream.blocks[12].current);
}

static void mistakes(void)
{
    millpondStreamStatistics stream;
    millpondMemStatistics numbers;
    unsigned char untouched[sizeof stream];
    char local;

    memset(untouched, 0xcd, sizeof untouched);
    memset(&stream, 0xcd, sizeof stream);
    memset(&numbers, 0xcd, sizeof numbers);
    CODE(millpondMemGetStatistics(NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(millpondMemGetStreamStatistics(NULL, 0, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(millpondMemGetStreamStatistics(NULL, 1000000, &stream), ACL_ERROR_INVALID_PARAM);
    MENTIONS("part");
    CODE(millpondMemGetStreamStatistics(NULL, UINT64_MAX, &stream), ACL_ERROR_INVALID_PARAM);
    CODE(millpondMemGetStatistics(&local, &numbers), ACL_ERROR_RT_INVALID_HANDLE);
    CODE(millpondMemGetStreamStatistics(&local, 0, &stream), ACL_ERROR_RT_INVALID_HANDLE);
    EQ(memcmp(&stream, untouched, sizeof stream), 0);
    EQ(memcmp(&numbers, untouched, sizeof numbers), 0);
}

int main(void)
{
    millpondMemStatistics numbers;

    OK(aclInit(NULL));
    CODE(millpondMemGetStatistics(NULL, &numbers), ACL_ERROR_RT_CONTEXT_NULL);
    OK(aclrtSetDevice(0));
    of_a_pool();
    of_the_device();
    modules();
    blocks_of_modules();
    mistakes();
    CLOSE_DEVICE();
    return 0;
}
