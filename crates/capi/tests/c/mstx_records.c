/* A program that annotates its pool as the documentation says: does everything come out as records,
 * in order, with handles that are good for what they name and for nothing else? */
#define MSTX_NO_IMPL
#include "check.h"

#include <mstx/ms_tools_ext.h>

#include "parts/mstx_heard.h"

int main(void)
{
    mstxMemVirtualRangeDesc_t range[3];
    mstxMemHeapDesc_t heapDesc;
    mstxMemRegionHandle_t handles[3] = {NULL, NULL, NULL};
    mstxMemRegionsRegisterBatch_t batch;
    mstxMemRegionRef_t refs[3];
    mstxMemRegionsUnregisterBatch_t gone;
    mstxMemPermissionsAssignRegionsDesc_t wanted;
    mstxMemPermissionsAssignBatch_t permissions = {1, &wanted};
    mstxMemHeapHandle_t heap;
    mstxDomainHandle_t domain;
    mstxRangeId first, second;
    aclrtStream stream;
    uint64_t id = 5;
    void *pool;
    char text[256];

    no_records_yet();
    /* Many programs create their domains before they say aclInit. */
    domain = mstxDomainCreateA("my_pool");
    CHECK(domain != NULL);
    mstxMarkA("early", NULL);

    OPEN_DEVICE();
    OK(aclrtCreateStream(&stream));
    OK(aclrtMalloc(&pool, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));
    mstxGetToolId(&id);
    EQ(id, 0);

    EQ_PTR(mstxDomainCreateA("my_pool"), domain);
    RECORDS(1, "domain 1 created: my_pool");
    RECORDS(1, "mark: early");
    EQ_PTR(mstxDomainCreateA("no spaces"), NULL);
    EQ_PTR(mstxDomainCreateA(""), NULL);

    first = mstxRangeStartA("step start", stream);
    second = mstxDomainRangeStartA(domain, "inner", NULL);
    CHECK(first != 0 && second != 0 && first != second);
    mstxDomainRangeEnd(domain, second);
    mstxRangeEnd(first);
    mstxRangeEnd(first);
    mstxRangeEnd(0);
    RECORDS(1, "range 1 began: step start");
    RECORDS(1, "range 2 began: inner  from mstx_records+");
    RECORDS(2, " ended");

    memset(&heapDesc, 0, sizeof heapDesc);
    memset(range, 0, sizeof range);
    range[0].ptr = pool;
    range[0].size = 4096;
    heapDesc.typeSpecificDesc = range;
    heap = mstxMemHeapRegister(domain, &heapDesc);
    CHECK(heap != NULL);
    CHECK((void *)heap != pool);
    snprintf(text, sizeof text, "heap 1 registered in domain 1 on device 0: ");
    RECORDS(1, text);

    range[0].size = 100;
    range[1].ptr = (char *)pool + 128;
    range[1].size = 100;
    range[2].ptr = (char *)pool + 256;
    range[2].size = 100;
    batch.heap = heap;
    batch.regionType = MSTX_MEM_TYPE_VIRTUAL_ADDRESS;
    batch.regionCount = 3;
    batch.regionDescArray = range;
    batch.regionHandleArrayOut = handles;
    mstxMemRegionsRegister(domain, &batch);
    CHECK(handles[0] != NULL && handles[1] != NULL && handles[2] != NULL);
    CHECK(handles[0] != handles[1] && handles[1] != handles[2]);
    RECORDS(3, " in heap 1");

    wanted.flags = MSTX_MEM_PERMISSIONS_REGION_FLAGS_READ;
    wanted.region.refType = MSTX_MEM_REGION_REF_TYPE_HANDLE;
    wanted.region.handle = handles[1];
    mstxMemPermissionsAssign(domain, &permissions);
    RECORDS(1, "region 2 permits 0x1");

    refs[0].refType = MSTX_MEM_REGION_REF_TYPE_HANDLE;
    refs[0].handle = handles[0];
    refs[1].refType = MSTX_MEM_REGION_REF_TYPE_POINTER;
    refs[1].pointer = range[1].ptr;
    gone.refCount = 2;
    gone.refArray = refs;
    mstxMemRegionsUnregister(domain, &gone);
    RECORDS(1, "region 1 unregistered");
    RECORDS(1, "region 2 unregistered");
    gone.refCount = 1;
    mstxMemRegionsUnregister(domain, &gone);
    RECORDS(1, " is not a region");

    mstxMemHeapUnregister(domain, heap);
    RECORDS(1, "heap 1 unregistered");
    mstxMemHeapUnregister(domain, heap);
    RECORDS(1, " is not a heap");
    mstxMemHeapUnregister(domain, NULL);
    RECORDS(1, " is not a heap");

    /* A handle of MSTX is nothing to the runtime, and says what it is. */
    FAILS(aclrtSynchronizeStream((aclrtStream)domain));
    MENTIONS("MSTX domain");

    mstxDomainDestroy(domain);
    EQ(mstxDomainRangeStartA(domain, "late", NULL), 0);
    mstxDomainMarkA(domain, "late", NULL);
    RECORDS(0, "late");
    RECORDS(2, " is not a domain");
    CHECK(mstxDomainCreateA("my_pool") != domain);

    OK(aclrtFree(pool));
    OK(aclrtDestroyStream(stream));
    CLOSE_DEVICE();
    return 0;
}
