/* millpondRecordUse: a freed block is not handed out again before work that the
 * runtime cannot see has passed. */
#include "check.h"
#include "gate.h"
#include <acl/acl_rt_memory_soma.h>
#include <millpond/millpond.h>

#define PAGE (2 * MIB)

static aclrtStream stream, other;
static aclrtMemPool pool;

static void *take(void)
{
    void *block = NULL;
    OK(aclrtMemPoolMallocAsync(&block, PAGE, pool, stream));
    return block;
}

/* Is the page at `wanted` among the next few that the stream gets? */
static int comes(void *wanted)
{
    void *blocks[6];
    int found = 0, i;
    for (i = 0; i < 6; i++) {
        blocks[i] = take();
        found |= blocks[i] == wanted;
    }
    for (i = 0; i < 6; i++) {
        OK(aclrtMemPoolFreeAsync(blocks[i], stream));
    }
    return found;
}

/* `seen`: a copy of the other stream names the block. Otherwise the program says so, or not. */
static void pool_block(int seen, int said)
{
    void *block = take();
    Gate gate = gate_close(other);

    if (seen) {
        OK(aclrtMemsetAsync(block, 64, 0, 64, other));
    }
    if (said) {
        OK(millpondRecordUse((char *)block + 12345, other));
    }
    OK(aclrtMemPoolFreeAsync(block, stream));
    EQ(comes(block), !seen && !said);
    gate_open(gate);
    OK(aclrtSynchronizeStream(other));
    CHECK(comes(block));
    gate_free(gate);
    OK(aclrtMemPoolTrimTo(pool, 0));
}

/* The same for aclrtMalloc. */
static void device_block(int said)
{
    void *block = NULL, *more[8];
    int found = 0, i;
    Gate gate;

    OK(aclrtMalloc(&block, 64 * KIB, ACL_MEM_MALLOC_NORMAL_ONLY));
    gate = gate_close(other);
    if (said) {
        OK(millpondRecordUse(block, other));
    }
    OK(aclrtFree(block));
    for (i = 0; i < 8; i++) {
        OK(aclrtMalloc(&more[i], 64 * KIB, ACL_MEM_MALLOC_NORMAL_ONLY));
        found |= more[i] == block;
    }
    EQ(found, !said);
    gate_open(gate);
    OK(aclrtSynchronizeStream(other));
    for (i = 0; i < 8; i++) {
        OK(aclrtFree(more[i]));
    }
    gate_free(gate);
}

/* NULL is the default stream. */
static void default_stream(void)
{
    void *block = take();
    aclrtEvent event = NULL;

    OK(aclrtCreateEvent(&event));
    OK(aclrtStreamWaitEvent(NULL, event));
    OK(millpondRecordUse(block, NULL));
    OK(aclrtMemPoolFreeAsync(block, stream));
    CHECK(!comes(block));
    OK(aclrtRecordEvent(event, other));
    OK(aclrtSynchronizeStream(NULL));
    CHECK(comes(block));
    OK(aclrtDestroyEvent(event));
}

static void mistakes(void)
{
    void *block = take(), *gone = NULL;
    char local;

    CODE(millpondRecordUse(NULL, stream), ACL_ERROR_INVALID_PARAM);
    CODE(millpondRecordUse(&local, stream), ACL_ERROR_RT_PARAM_INVALID);
    CODE(millpondRecordUse((char *)block + PAGE, stream), ACL_ERROR_RT_PARAM_INVALID);
    CODE(millpondRecordUse((void *)(intptr_t)-1, stream), ACL_ERROR_RT_PARAM_INVALID);
    OK(aclrtCreateStream(&gone));
    OK(aclrtDestroyStream(gone));
    CODE(millpondRecordUse(block, gone), ACL_ERROR_RT_INVALID_HANDLE);
    CODE(millpondRecordUse(block, pool), ACL_ERROR_RT_INVALID_HANDLE);
    CODE(millpondRecordUse(block, &local), ACL_ERROR_RT_INVALID_HANDLE);
    OK(aclrtMemPoolFreeAsync(block, stream));
    CODE(millpondRecordUse(block, stream), ACL_ERROR_RT_PARAM_INVALID);
}

int main(void)
{
    aclrtMemPoolProps props;

    OPEN_DEVICE();
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateStream(&other));
    memset(&props, 0, sizeof props);
    props.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    props.maxSize = 16 * PAGE;
    OK(aclrtMemPoolCreate(&pool, &props));

    pool_block(0, 0);
    pool_block(0, 1);
    pool_block(1, 0);
    pool_block(1, 1);
    device_block(0);
    device_block(1);
    default_stream();
    mistakes();

    OK(aclrtMemPoolDestroy(pool));
    CLOSE_DEVICE();
    return 0;
}
