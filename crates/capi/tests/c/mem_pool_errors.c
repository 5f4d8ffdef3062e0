/* What if a pool is not used as it should be? Each mistake has its code and a
 * sentence, results are not written, and the pool is as before.
 * Runs with MILLPOND_CAPACITY=64M and MILLPOND_DEVICES=2. */
#include "check.h"
#include "gate.h"
#include <acl/acl_rt_memory_soma.h>

#define CAPACITY (64 * MIB)
#define PAGE (2 * MIB)
#define BAD ACL_ERROR_INVALID_PARAM
#define NO_HANDLE ACL_ERROR_RT_INVALID_HANDLE

static aclrtStream stream;
static char mark;

static aclrtMemPoolProps good_props(void)
{
    aclrtMemPoolProps props;
    memset(&props, 0, sizeof props);
    props.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    props.handleType = ACL_MEM_HANDLE_TYPE_NONE;
    props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    return props;
}

static void refuses(aclrtMemPoolProps props, aclError code)
{
    aclrtMemPool pool = &mark;
    CODE(aclrtMemPoolCreate(&pool, &props), code);
    EQ_PTR(pool, &mark);
}

static aclrtMemPool create(size_t size)
{
    aclrtMemPool pool = NULL;
    aclrtMemPoolProps props = good_props();
    props.maxSize = size;
    OK(aclrtMemPoolCreate(&pool, &props));
    return pool;
}

static void creation(void)
{
    aclrtMemPoolProps props = good_props();
    aclrtMemPool pool = &mark;
    size_t i;

    CODE(aclrtMemPoolCreate(NULL, &props), BAD);
    CODE(aclrtMemPoolCreate(&pool, NULL), BAD);
    EQ_PTR(pool, &mark);

    props.allocType = (aclrtMemAllocationType)(ACL_MEM_ALLOCATION_TYPE_PINNED + 1);
    refuses(props, BAD);
    MENTIONS("allocType");
    props = good_props();
    props.location.type = ACL_MEM_LOCATION_TYPE_HOST;
    refuses(props, BAD);
    MENTIONS("location");
    for (i = 0; i < sizeof props.reserved; i++) {
        props = good_props();
        props.reserved[i] = 1;
        refuses(props, BAD);
        MENTIONS("reserved");
    }
    props = good_props();
    props.location.id = 2;
    refuses(props, ACL_ERROR_RT_INVALID_DEVICEID);
    props.location.id = UINT32_MAX;
    refuses(props, ACL_ERROR_RT_INVALID_DEVICEID);
    props = good_props();
    props.maxSize = CAPACITY + 1;
    refuses(props, ACL_ERROR_RT_PARAM_INVALID);
    props.maxSize = SIZE_MAX;
    refuses(props, ACL_ERROR_RT_PARAM_INVALID);
    props.maxSize = SIZE_MAX - PAGE;
    refuses(props, ACL_ERROR_RT_PARAM_INVALID);
}

static void attributes(void)
{
    aclrtMemPool pool = create(4 * PAGE);
    uint64_t value = 12345;
    uint32_t flag = 2;
    int attr;

    CODE(aclrtMemPoolGetAttr(NULL, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value), BAD);
    CODE(aclrtMemPoolSetAttr(NULL, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value), BAD);
    CODE(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, NULL), BAD);
    CODE(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, NULL), BAD);
    for (attr = -1; attr <= 10; attr++) {
        if (attr < 1 || attr > 8) {
            FAILS(aclrtMemPoolGetAttr(pool, (aclrtMemPoolAttr)attr, &value));
            FAILS(aclrtMemPoolSetAttr(pool, (aclrtMemPoolAttr)attr, &value));
        }
    }
    EQ(value, 12345);
    for (attr = 1; attr <= 3; attr++) {
        FAILS(aclrtMemPoolSetAttr(pool, (aclrtMemPoolAttr)attr, &flag));
    }
    value = 4 * PAGE + 1;
    CODE(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value),
         ACL_ERROR_RT_PARAM_INVALID);
    value = 0;
    CODE(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT, &value),
         ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &value),
         ACL_ERROR_RT_PARAM_INVALID);
    value = 1;
    CODE(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH, &value),
         ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, &value),
         ACL_ERROR_RT_PARAM_INVALID);
    for (attr = 1; attr <= 8; attr++) {
        value = 0;
        OK(aclrtMemPoolGetAttr(pool, (aclrtMemPoolAttr)attr, &value));
        EQ(value, 0);
    }
    OK(aclrtMemPoolDestroy(pool));
}

static void no_block(void *address)
{
    CODE(aclrtMemPoolFreeAsync(address, stream), ACL_ERROR_RT_PARAM_INVALID);
}

static void blocks(void)
{
    aclrtMemPool pool = create(4 * PAGE);
    aclrtStream gone = NULL, foreign = NULL;
    aclrtContext here = NULL, there = NULL;
    void *block = &mark, *pinned = NULL, *heap = malloc(100);

    CODE(aclrtMemPoolMallocAsync(NULL, 1, pool, stream), BAD);
    CODE(aclrtMemPoolMallocAsync(&block, 1, NULL, stream), BAD);
    CODE(aclrtMemPoolMallocAsync(&block, 1, pool, NULL), BAD);
    CODE(aclrtMemPoolFreeAsync(NULL, stream), BAD);
    CODE(aclrtMemPoolTrimTo(NULL, 0), BAD);
    CODE(aclrtMemPoolDestroy(NULL), BAD);

    /* Handles of another kind, of nothing, of what is gone. */
    OK(aclrtCreateStream(&gone));
    OK(aclrtDestroyStream(gone));
    CODE(aclrtMemPoolMallocAsync(&block, 1, pool, gone), NO_HANDLE);
    CODE(aclrtMemPoolMallocAsync(&block, 1, pool, pool), NO_HANDLE);
    CODE(aclrtMemPoolMallocAsync(&block, 1, stream, stream), NO_HANDLE);
    CODE(aclrtMemPoolMallocAsync(&block, 1, &mark, stream), NO_HANDLE);
    CODE(aclrtMemPoolMallocAsync(&block, 0, &mark, stream), NO_HANDLE);
    CODE(aclrtMemPoolMallocAsync(&block, 1, (void *)(intptr_t)-1, stream), NO_HANDLE);
    CODE(aclrtMemPoolDestroy(stream), NO_HANDLE);
    CODE(aclrtMemPoolTrimTo(heap, 0), NO_HANDLE);

    /* A stream of another context, and of another device. */
    OK(aclrtGetCurrentContext(&here));
    OK(aclrtCreateContext(&there, 1));
    OK(aclrtCreateStream(&foreign));
    FAILS(aclrtMemPoolMallocAsync(&block, 1, pool, foreign));
    CODE(aclrtMemPoolMallocAsync(&block, 1, pool, stream), ACL_ERROR_RT_STREAM_CONTEXT);
    OK(aclrtSetCurrentContext(here));
    CODE(aclrtMemPoolMallocAsync(&block, 1, pool, foreign), ACL_ERROR_RT_STREAM_CONTEXT);
    OK(aclrtDestroyContext(there));

    /* Sizes that no pool has. */
    FAILS(aclrtMemPoolMallocAsync(&block, SIZE_MAX, pool, stream));
    FAILS(aclrtMemPoolMallocAsync(&block, SIZE_MAX - 31, pool, stream));
    FAILS(aclrtMemPoolMallocAsync(&block, SIZE_MAX - PAGE, pool, stream));
    CODE(aclrtMemPoolMallocAsync(&block, (size_t)1 << 62, pool, stream), ACL_ERROR_RT_INTERNAL_ERROR);
    CODE(aclrtMemPoolMallocAsync(&block, 4 * PAGE + 1, pool, stream), ACL_ERROR_RT_INTERNAL_ERROR);
    EQ_PTR(block, &mark);

    /* What is no start of a live block. */
    OK(aclrtMemPoolMallocAsync(&block, PAGE, pool, stream));
    OK(aclrtMallocHost(&pinned, 100));
    no_block((char *)block + 1);
    MENTIONS("inside");
    no_block((char *)block + 512);
    no_block((char *)block + PAGE);
    no_block(heap);
    no_block(&mark);
    no_block(pinned);
    no_block((void *)(intptr_t)-1);
    FAILS(aclrtFree((char *)block + 512));
    FAILS(aclrtFreeHost(block));
    CODE(aclrtMemPoolFreeAsync(block, gone), NO_HANDLE);
    OK(aclrtMemPoolFreeAsync(block, stream));
    no_block(block);
    FAILS(aclrtFree(block));
    FAILS(aclrtMemset(block, PAGE, 0, PAGE));

    /* Bytes beyond the block. */
    OK(aclrtMemPoolMallocAsync(&block, PAGE, pool, stream));
    FAILS(aclrtMemsetAsync(block, 2 * PAGE, 0, PAGE + 1, stream));
    FAILS(aclrtMemcpyAsync(block, 200, heap, 200, (aclrtMemcpyKind)99, stream));
    OK(aclrtMemPoolFreeAsync(block, stream));

    OK(aclrtFreeHost(pinned));
    OK(aclrtMemPoolDestroy(pool));
    free(heap);
}

static void stale(void)
{
    aclrtMemPool pool = create(4 * PAGE), next;
    uint64_t value = 12345;
    void *block = &mark;
    int round;

    OK(aclrtMemPoolDestroy(pool));
    /* The second time its addresses serve another pool. */
    next = pool;
    for (round = 0; round < 2; round++) {
        CODE(aclrtMemPoolDestroy(pool), NO_HANDLE);
        CODE(aclrtMemPoolTrimTo(pool, 0), NO_HANDLE);
        CODE(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, &value), NO_HANDLE);
        CODE(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value), NO_HANDLE);
        CODE(aclrtMemPoolMallocAsync(&block, 1, pool, stream), NO_HANDLE);
        EQ(value, 12345);
        EQ_PTR(block, &mark);
        if (round == 0) {
            next = create(4 * PAGE);
            CHECK(next != pool);
        }
    }
    OK(aclrtMemPoolDestroy(next));
}

/* A full pool says where its memory is. */
static void exhausted(void)
{
    aclrtMemPool pool = create(8 * PAGE);
    aclrtStream other = NULL;
    void *waiting = NULL, *large = NULL, *small = NULL, *none = &mark;
    char where[32];
    Gate gate;

    OK(aclrtCreateStream(&other));
    gate = gate_close(other);
    OK(aclrtMemPoolMallocAsync(&waiting, 2 * PAGE, pool, stream));
    OK(aclrtMemsetAsync(waiting, PAGE, 0, PAGE, other));
    OK(aclrtMemPoolFreeAsync(waiting, stream));
    OK(aclrtMemPoolMallocAsync(&large, 5 * PAGE, pool, stream));
    OK(aclrtMemPoolMallocAsync(&small, 3000, pool, stream));
    CODE(aclrtMemPoolMallocAsync(&none, 3 * PAGE, pool, stream), ACL_ERROR_RT_INTERNAL_ERROR);
    EQ_PTR(none, &mark);
    MENTIONS("6291456 bytes were requested");
    MENTIONS("4194304 of 16777216 bytes are free");
    MENTIONS("live: 12 MiB in 2 blocks, peak 12 MiB");
    MENTIONS("reserved: 16 MiB");
    MENTIONS("waiting for queued work: 4 MiB in 1 block");
    snprintf(where, sizeof where, "%p (10 MiB)", large);
    MENTIONS(where);
    snprintf(where, sizeof where, "%p (3000 bytes)", small);
    MENTIONS(where);
    /* A refusal spoils nothing: what is left can be had. */
    OK(aclrtMemPoolMallocAsync(&none, 2 * PAGE, pool, stream));
    OK(aclrtMemPoolFreeAsync(none, stream));
    OK(aclrtMemPoolFreeAsync(large, stream));
    OK(aclrtMemPoolFreeAsync(small, stream));
    gate_open(gate);
    gate_free(gate);
    OK(aclrtDestroyStream(other));
    OK(aclrtMemPoolDestroy(pool));
}

/* The same for device memory, and for a pool that the device has no room for. */
static void device_full(void)
{
    aclrtMemPool pool = create(0);
    void *most = NULL, *small = NULL, *waiting = NULL, *none = &mark, *pooled = NULL;
    char where[32];
    Gate gate;

    OK(aclrtMalloc(&most, 30 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc(&small, 12 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc(&waiting, 10 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
    gate = gate_close(stream);
    OK(aclrtMemsetAsync(waiting, 64, 0, 64, stream));
    OK(aclrtFree(waiting));
    OK(aclrtMemPoolMallocAsync(&pooled, 4 * PAGE, pool, stream));
    CODE(aclrtMallocAlign32(&none, 20 * MIB, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION);
    EQ_PTR(none, &mark);
    MENTIONS("20971520 bytes were requested");
    MENTIONS("in 2 blocks");
    MENTIONS("reserved: ");
    MENTIONS("largest free range: ");
    MENTIONS("pools or taken as physical memory: 8 MiB");
    MENTIONS("freed by the program and waiting for queued work");
    MENTIONS("in 1 block;");
    snprintf(where, sizeof where, "largest blocks: %p (", most);
    MENTIONS(where);

    CODE(aclrtMemPoolMallocAsync(&none, 20 * MIB, pool, stream), ACL_ERROR_RT_INTERNAL_ERROR);
    MENTIONS("device has no more room for this pool");
    OK(aclrtMemPoolFreeAsync(pooled, stream));
    gate_open(gate);
    gate_free(gate);
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtFree(most));
    OK(aclrtFree(small));
    OK(aclrtMemPoolDestroy(pool));
}

static void too_many(void)
{
    static aclrtMemPool pools[300];
    aclrtMemPoolProps props = good_props();
    int count = 0;
    aclError code;

    props.maxSize = PAGE;
    while (count < 300 && (code = aclrtMemPoolCreate(&pools[count], &props)) == ACL_SUCCESS) {
        count++;
    }
    EQ(count, 256);
    EQ(code, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL);
    CHECK(check_fetch_text());
    MENTIONS("too many pools");
    EQ_PTR(pools[256], NULL);
    while (count > 0) {
        OK(aclrtMemPoolDestroy(pools[--count]));
    }
    OK(aclrtMemPoolDestroy(create(0)));
}

int main(void)
{
    OPEN_DEVICE();
    OK(aclrtCreateStream(&stream));
    creation();
    attributes();
    blocks();
    stale();
    exhausted();
    device_full();
    if (relaxed()) {
        SKIP("256 pools at once take long here");
    } else {
        too_many();
    }
    OK(aclrtDestroyStream(stream));
    CLOSE_DEVICE();
    return 0;
}
