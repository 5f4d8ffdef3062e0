/* Producers in use do not follow the contract in five ways. Each has to be survived, and read as it
 * is meant; what it does is told once. */
#define MSTX_NO_IMPL
#include "check.h"

#include <mstx/ms_tools_ext.h>

#include "parts/mstx_heard.h"

static void *pool;

static void region_end(mstxDomainHandle_t domain, int type, const void *value)
{
    mstxMemRegionRef_t ref;
    mstxMemRegionsUnregisterBatch_t gone = {1, &ref};
    memcpy(&ref.refType, &type, sizeof type);
    ref.pointer = value;
    mstxMemRegionsUnregister(domain, &gone);
}

/* Heaps are totals; everything that is not needed lies as it was on the stack. */
static void torch(const char *name)
{
    mstxDomainHandle_t domain = mstxDomainCreateA(name);
    mstxMemVirtualRangeDesc_t range = {0, pool, 1 << 20};
    mstxMemHeapDesc_t heap;
    mstxMemRegionsRegisterBatch_t batch;
    char before[64], *canary = before;
    int i;
    CHECK(domain != NULL);
    memset(before, 0x5a, sizeof before);
    for (i = 0; i < 3; i++) {
        memset(&heap, 0xcd, sizeof heap);
        heap.typeSpecificDesc = &range;
        range.size = (uint64_t)(i + 1) << 30;
        (void)mstxMemHeapRegister(domain, &heap);
        memset(&batch, 0xcd, sizeof batch);
        batch.regionCount = 1;
        batch.regionDescArray = &range;
        /* Garbage that happens to be a good address. */
        batch.regionHandleArrayOut = (mstxMemRegionHandle_t *)canary;
        range.size = 512;
        mstxMemRegionsRegister(domain, &batch);
        memset(&batch.regionHandleArrayOut, 0xcd, sizeof(void *));
        range.ptr = (char *)pool + 512;
        mstxMemRegionsRegister(domain, &batch);
        region_end(domain, 0, pool);
        region_end(domain, 0, (char *)pool + 512);
        region_end(domain, 0, (char *)pool + 999);
        range.ptr = pool;
    }
    for (i = 0; i < 64; i++) {
        EQ(before[i], 0x5a);
    }
}

static void atb(void)
{
    mstxDomainHandle_t domain = mstxDomainCreateA("atb");
    mstxMemVirtualRangeDesc_t range = {0, pool, 4096};
    mstxMemHeapDesc_t heap;
    mstxMemRegionHandle_t handles[2] = {NULL, NULL};
    mstxMemVirtualRangeDesc_t pieces[2] = {{0, pool, 64}, {0, (char *)pool + 64, 64}};
    mstxMemRegionsRegisterBatch_t batch;
    memset(&heap, 0, sizeof heap);
    heap.typeSpecificDesc = &range;
    memset(&batch, 0, sizeof batch);
    batch.heap = mstxMemHeapRegister(domain, &heap);
    batch.regionCount = 2;
    batch.regionDescArray = pieces;
    batch.regionHandleArrayOut = handles;
    mstxMemRegionsRegister(domain, &batch);
    CHECK(handles[0] != NULL && handles[1] != NULL);
    region_end(domain, 0, handles[0]);
    region_end(domain, 0, handles[1]);
    mstxMemHeapUnregister(domain, batch.heap);
}

static void mindspore(void)
{
    mstxDomainHandle_t domain = mstxDomainCreateA("mindsporeMemPool");
    mstxMemVirtualRangeDesc_t range = {0, pool, 4096};
    mstxMemHeapDesc_t heap;
    mstxMemRegionsRegisterBatch_t batch;
    memset(&heap, 0, sizeof heap);
    heap.typeSpecificDesc = &range;
    (void)mstxMemHeapRegister(domain, &heap);
    memset(&batch, 0xcd, sizeof batch);
    batch.heap = (mstxMemHeapHandle_t)pool;
    batch.regionCount = 1;
    range.size = 64;
    batch.regionDescArray = &range;
    mstxMemRegionsRegister(domain, &batch);
    region_end(domain, 0, pool);
    mstxMemHeapUnregister(domain, (mstxMemHeapHandle_t)pool);
}

static void shared(void)
{
    mstxDomainHandle_t domain = mstxDomainCreateA("shmem");
    mstxMemVirtualRangeDesc_t range = {0, pool, 64};
    mstxMemRegionHandle_t handle = NULL;
    mstxMemRegionsRegisterBatch_t batch;
    mstxMemPermissionsAssignRegionsDesc_t wanted;
    mstxMemPermissionsAssignBatch_t permissions = {1, &wanted};
    memset(&batch, 0, sizeof batch);
    batch.regionCount = 1;
    batch.regionDescArray = &range;
    batch.regionHandleArrayOut = &handle;
    mstxMemRegionsRegister(domain, &batch);
    CHECK(handle != NULL);
    wanted.flags = MSTX_MEM_PERMISSIONS_REGION_FLAGS_SHARED;
    wanted.region.refType = MSTX_MEM_REGION_REF_TYPE_HANDLE;
    wanted.region.handle = handle;
    mstxMemPermissionsAssign(domain, &permissions);
    region_end(domain, 1, handle);
}

int main(void)
{
    /* With a queue between a script and its work regions end too early, and that is said of each domain. */
    int queued = strcmp(getenv("TASK_QUEUE_ENABLE"), "0") != 0;
    no_records_yet();
    OPEN_DEVICE();
    OK(aclrtMalloc(&pool, 1 << 20, ACL_MEM_MALLOC_NORMAL_ONLY));
    torch("ptaCaching");
    RECORDS(0, " registered in domain");
    RECORDS(6, " registered on device 0: ");
    RECORDS(6, " in no heap");
    RECORDS(queued ? 1 : 0, "task queue is on");
    torch("msleaks");
    RECORDS(12, " in no heap");
    RECORDS(queued ? 2 : 0, "task queue is on");
    torch("ptaWorkspace");
    RECORDS(12, " in no heap");
    RECORDS(queued ? 2 : 0, "task queue is on");
    atb();
    RECORDS(1, "passed as pointers");
    RECORDS(2, " in heap 1");
    RECORDS(1, "heap 1 unregistered");
    mindspore();
    RECORDS(1, "identified by their addresses");
    RECORDS(1, " in heap 2");
    RECORDS(1, "heap 2 unregistered");
    shared();
    RECORDS(1, "permits 0x7");
    RECORDS(1, "only say that a region is shared");
    RECORDS(12 + 2 + 1 + 1, " registered on device 0: ");
    RECORDS(0, " is not a ");
    OK(aclrtFree(pool));
    return 0;
}
