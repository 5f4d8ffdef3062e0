/* Stream-ordered pools as their documentation has them: creation, attributes with
 * exact numbers, reuse, data, trimming, thresholds, both ways of freeing, the end.
 * Runs with MILLPOND_CAPACITY=256M. */
#include "check.h"
#include "gate.h"
#include <acl/acl_rt_memory_soma.h>

#define CAPACITY (256 * MIB)
#define PAGE (2 * MIB)

static aclrtStream stream;

static aclrtMemPool create(size_t size)
{
    aclrtMemPool pool = NULL;
    aclrtMemPoolProps props;
    memset(&props, 0, sizeof props);
    props.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    props.handleType = ACL_MEM_HANDLE_TYPE_NONE;
    props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    props.location.id = 0;
    props.maxSize = size;
    OK(aclrtMemPoolCreate(&pool, &props));
    CHECK(pool != NULL);
    return pool;
}

static uint64_t number(aclrtMemPool pool, aclrtMemPoolAttr attr)
{
    uint64_t value = UINT64_MAX;
    OK(aclrtMemPoolGetAttr(pool, attr, &value));
    return value;
}

static void set_number(aclrtMemPool pool, aclrtMemPoolAttr attr, uint64_t value)
{
    OK(aclrtMemPoolSetAttr(pool, attr, &value));
}

/* Used, its peak, reserved, its peak: in pages of 2 MiB. */
static void pages(aclrtMemPool pool, int used, int used_high, int reserved, int reserved_high)
{
    EQ(number(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT), used * PAGE);
    EQ(number(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH), used_high * PAGE);
    EQ(number(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT), reserved * PAGE);
    EQ(number(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH), reserved_high * PAGE);
}

static size_t free_bytes(void)
{
    size_t free_now = 0, total = 0;
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_now, &total));
    EQ(total, CAPACITY);
    return free_now;
}

static void *take(aclrtMemPool pool, size_t size, aclrtStream on)
{
    void *block = NULL;
    OK(aclrtMemPoolMallocAsync(&block, size, pool, on));
    CHECK(block != NULL);
    return block;
}

/* Three switches of 32 bits and five numbers of 64. */
static void attributes(void)
{
    aclrtMemPool pool = create(8 * PAGE);
    int attr, other;

    for (attr = ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES;
         attr <= ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES; attr++) {
        struct {
            uint32_t value, guard;
        } read = {77, 78};
        uint32_t on = 1, off = 0;
        OK(aclrtMemPoolGetAttr(pool, (aclrtMemPoolAttr)attr, &read));
        EQ(read.value, 0);
        EQ(read.guard, 78);
        OK(aclrtMemPoolSetAttr(pool, (aclrtMemPoolAttr)attr, &on));
        for (other = 1; other <= 3; other++) {
            OK(aclrtMemPoolGetAttr(pool, (aclrtMemPoolAttr)other, &read.value));
            EQ(read.value, other == attr);
        }
        OK(aclrtMemPoolSetAttr(pool, (aclrtMemPoolAttr)attr, &off));
        OK(aclrtMemPoolGetAttr(pool, (aclrtMemPoolAttr)attr, &read.value));
        EQ(read.value, 0);
    }
    EQ(number(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD), 0);
    pages(pool, 0, 0, 0, 0);
    set_number(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, 8 * PAGE);
    EQ(number(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD), 8 * PAGE);
    set_number(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, 5);
    EQ(number(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD), 5);
    OK(aclrtMemPoolDestroy(pool));
}

/* A size of 0 is as much as the device has; others are rounded up to whole pages. */
static void sizes(void)
{
    struct {
        size_t asked, limit;
    } table[] = {{0, CAPACITY}, {1, PAGE}, {PAGE + 1, 2 * PAGE}, {CAPACITY, CAPACITY}};
    size_t i;
    for (i = 0; i < sizeof table / sizeof *table; i++) {
        aclrtMemPool pool = create(table[i].asked);
        void *all, *none = &stream;
        /* The largest threshold that is accepted is the size. */
        set_number(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, table[i].limit);
        all = take(pool, table[i].limit, stream);
        CODE(aclrtMemPoolMallocAsync(&none, 1, pool, stream), ACL_ERROR_RT_INTERNAL_ERROR);
        EQ_PTR(none, &stream);
        OK(aclrtMemPoolFreeAsync(all, stream));
        OK(aclrtMemPoolDestroy(pool));
    }
    EQ(free_bytes(), CAPACITY);
}

/* The same addresses in each iteration, whether the stream has caught up or not. */
static void reuse(int synchronises)
{
    static const size_t lengths[3] = {100, 3 * MIB, 70000};
    aclrtMemPool pool = create(64 * MIB);
    unsigned char *host = NULL, *back = NULL;
    void *first[3];
    int rounds = relaxed() ? 4 : 30, round, i;

    OK(aclrtMallocHost((void **)&host, 3 * MIB));
    OK(aclrtMallocHost((void **)&back, 3 * MIB));
    for (round = 0; round < rounds; round++) {
        void *blocks[3];
        for (i = 0; i < 3; i++) {
            blocks[i] = take(pool, lengths[i], stream);
            if (round == 0) {
                first[i] = blocks[i];
                EQ((uintptr_t)blocks[i] % 512, 0);
            }
            EQ_PTR(blocks[i], first[i]);
        }
        if (synchronises) {
            memset(host, 17 + round, 3 * MIB);
            memset(back, 0, 3 * MIB);
        }
        OK(aclrtMemcpyAsync(blocks[1], 3 * MIB, host, 3 * MIB, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        OK(aclrtMemsetAsync(blocks[0], 100, 0xaa, 100, stream));
        OK(aclrtMemcpyAsync(blocks[2], 70000, blocks[1], 70000, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        OK(aclrtMemcpyAsync(blocks[2], 70000, blocks[0], 100, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        OK(aclrtMemcpyAsync(back, 3 * MIB, blocks[2], 70000, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        for (i = 0; i < 3; i++) {
            OK(aclrtMemPoolFreeAsync(blocks[i], stream));
        }
        if (synchronises) {
            OK(aclrtSynchronizeStream(stream));
            for (i = 0; i < 70000; i += i < 200 ? 1 : 199) {
                EQ(back[i], i < 100 ? 0xaa : 17 + round);
            }
            EQ(back[69999], 17 + round);
        }
    }
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemPoolDestroy(pool));
    OK(aclrtFreeHost(host));
    OK(aclrtFreeHost(back));
}

static void numbers(void)
{
    aclrtMemPool pool = create(16 * PAGE);
    void *small, *large, *nothing = &stream;
    size_t before = free_bytes();

    small = take(pool, 1, stream);
    pages(pool, 1, 1, 1, 1);
    large = take(pool, 2 * PAGE + 1, stream);
    pages(pool, 4, 4, 4, 4);
    EQ(before - free_bytes(), 4 * PAGE);

    /* A size of 0 succeeds and writes nothing. */
    OK(aclrtMemPoolMallocAsync(&nothing, 0, pool, stream));
    EQ_PTR(nothing, &stream);
    pages(pool, 4, 4, 4, 4);

    OK(aclrtMemPoolFreeAsync(large, stream));
    pages(pool, 1, 4, 4, 4);
    set_number(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, 0);
    pages(pool, 1, 1, 4, 4);
    OK(aclrtSynchronizeStream(stream));
    pages(pool, 1, 1, 1, 4);
    EQ(before - free_bytes(), PAGE);
    set_number(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH, 0);
    pages(pool, 1, 1, 1, 1);

    /* Above the threshold it goes back when something is waited for: a stream or the device. */
    set_number(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, 3 * PAGE);
    large = take(pool, 6 * PAGE, stream);
    OK(aclrtMemPoolFreeAsync(large, stream));
    pages(pool, 1, 7, 7, 7);
    OK(aclrtSynchronizeDevice());
    pages(pool, 1, 7, 3, 7);
    EQ(before - free_bytes(), 3 * PAGE);
    set_number(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, 0);
    pages(pool, 1, 7, 3, 7);
    OK(aclrtSynchronizeStream(stream));
    pages(pool, 1, 7, 1, 7);
    OK(aclrtMemPoolFreeAsync(small, stream));
    OK(aclrtMemPoolDestroy(pool));
    EQ(free_bytes(), before);
}

static void trimming(void)
{
    aclrtMemPool pool = create(16 * PAGE);
    void *live = take(pool, 2 * PAGE, stream);
    unsigned char byte = 0;

    OK(aclrtMemset(live, 2 * PAGE, 9, 2 * PAGE));
    OK(aclrtMemPoolFreeAsync(take(pool, 6 * PAGE, stream), stream));
    CODE(aclrtMemPoolTrimTo(pool, 2 * PAGE - 1), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemPoolTrimTo(pool, 0), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemPoolTrimTo(pool, 16 * PAGE + 1), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemPoolTrimTo(pool, SIZE_MAX), ACL_ERROR_RT_PARAM_INVALID);
    pages(pool, 2, 8, 8, 8);
    OK(aclrtMemPoolTrimTo(pool, 8 * PAGE));
    OK(aclrtMemPoolTrimTo(pool, 16 * PAGE));
    pages(pool, 2, 8, 8, 8);
    OK(aclrtMemPoolTrimTo(pool, 5 * PAGE));
    pages(pool, 2, 8, 5, 8);
    OK(aclrtMemPoolTrimTo(pool, 2 * PAGE));
    pages(pool, 2, 8, 2, 8);
    OK(aclrtMemcpy(&byte, 1, (char *)live + 2 * PAGE - 1, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ(byte, 9);
    OK(aclrtMemPoolFreeAsync(live, stream));
    OK(aclrtMemPoolTrimTo(pool, 0));
    pages(pool, 0, 8, 0, 8);
    OK(aclrtMemPoolDestroy(pool));
}

/* aclrtFree takes memory of a pool, aclrtMemPoolFreeAsync takes memory of aclrtMalloc. */
static void crosswise(void)
{
    aclrtMemPool pool = create(16 * PAGE);
    void *block = take(pool, PAGE, stream), *plain = NULL, *again = NULL;
    aclrtPtrAttributes attributes;
    size_t before = free_bytes();
    Gate gate;

    OK(aclrtPointerGetAttributes(block, &attributes));
    EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    EQ(attributes.location.id, 0);
    EQ(attributes.pageSize, PAGE);
    OK(aclrtFree(block));
    pages(pool, 0, 1, 1, 1);
    FAILS(aclrtFree(block));
    FAILS(aclrtMemPoolFreeAsync(block, stream));

    OK(aclrtMalloc(&plain, 64 * KIB, ACL_MEM_MALLOC_HUGE_FIRST));
    gate = gate_close(stream);
    OK(aclrtMemsetAsync(plain, 64 * KIB, 3, 64 * KIB, stream));
    OK(aclrtMemPoolFreeAsync(plain, stream));
    FAILS(aclrtFree(plain));
    EQ(free_bytes(), before);
    /* Nobody gets it before the stream has come there. */
    OK(aclrtMalloc(&again, 64 * KIB, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(again != plain);
    gate_open(gate);
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtFree(again));
    gate_free(gate);
    OK(aclrtMemPoolDestroy(pool));
}

/* Another stream gets freed memory by an event, if the pool may follow events. */
static void follows(uint32_t allowed)
{
    aclrtMemPool pool = create(16 * PAGE);
    aclrtStream other = NULL;
    aclrtEvent event = NULL;
    void *block, *taken;
    Gate gate;

    OK(aclrtCreateStream(&other));
    OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    OK(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, &allowed));
    gate = gate_close(stream);
    block = take(pool, PAGE, stream);
    OK(aclrtMemsetAsync(block, PAGE, 1, PAGE, stream));
    OK(aclrtMemPoolFreeAsync(block, stream));
    taken = take(pool, PAGE, other);
    CHECK(taken != block);
    OK(aclrtMemPoolFreeAsync(taken, other));
    OK(aclrtRecordEvent(event, stream));
    OK(aclrtStreamWaitEvent(other, event));
    taken = take(pool, PAGE, other);
    block = block == taken ? block : take(pool, PAGE, other) == block ? block : NULL;
    EQ(block != NULL, allowed);
    gate_open(gate);
    OK(aclrtSynchronizeDevice());
    OK(aclrtDestroyStream(other));
    OK(aclrtDestroyEvent(event));
    gate_free(gate);
    /* The blocks are live; freeing them by hand is left out, so the pool stays. */
    CODE(aclrtMemPoolDestroy(pool), ACL_ERROR_RT_INTERNAL_ERROR);
    MENTIONS("2 blocks");
}

static void end(void)
{
    aclrtMemPool pool = create(4 * PAGE);
    void *blocks[2];
    Gate gate = gate_close(stream);

    blocks[0] = take(pool, 1, stream);
    blocks[1] = take(pool, PAGE, stream);
    OK(aclrtMemsetAsync(blocks[1], PAGE, 1, PAGE, stream));
    CODE(aclrtMemPoolDestroy(pool), ACL_ERROR_RT_INTERNAL_ERROR);
    MENTIONS("2 blocks");
    OK(aclrtMemPoolFreeAsync(blocks[0], stream));
    CODE(aclrtMemPoolDestroy(pool), ACL_ERROR_RT_INTERNAL_ERROR);
    OK(aclrtMemPoolFreeAsync(blocks[1], stream));
    /* Queued work still names the second: that is no obstacle. */
    OK(aclrtMemPoolDestroy(pool));
    gate_open(gate);
    OK(aclrtSynchronizeStream(stream));
    gate_free(gate);
}

int main(void)
{
    aclrtMemPool survivor;

    OPEN_DEVICE();
    OK(aclrtCreateStream(&stream));
    attributes();
    sizes();
    reuse(1);
    reuse(0);
    numbers();
    trimming();
    crosswise();
    follows(1);
    follows(0);
    end();

    /* A reset ends blocks of pools, and gives back what they had set aside. */
    survivor = create(0);
    take(survivor, 10 * PAGE, stream);
    OK(aclrtResetDevice(0));
    OK(aclrtSetDevice(0));
    EQ(free_bytes(), CAPACITY);
    pages(survivor, 0, 10, 0, 10);
    OK(aclrtMemPoolDestroy(survivor));
    CLOSE_DEVICE();
    return 0;
}
