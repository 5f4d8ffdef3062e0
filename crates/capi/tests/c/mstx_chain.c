/* Two tools of other people at once, and our own listener where records are asked for. Each tool gets
 * back the handles that it gave, and the program sees only ours. */
#define MSTX_NO_IMPL
#include "check.h"

#include <mstx/ms_tools_ext.h>

#include "parts/mstx_heard.h"

int main(void)
{
    mstxMemVirtualRangeDesc_t range[2];
    mstxMemHeapDesc_t heapDesc;
    mstxMemRegionHandle_t handles[2] = {NULL, NULL};
    mstxMemRegionsRegisterBatch_t batch;
    mstxMemRegionRef_t refs[2];
    mstxMemRegionsUnregisterBatch_t gone = {2, refs};
    mstxMemPermissionsAssignRegionsDesc_t wanted;
    mstxMemPermissionsAssignBatch_t permissions = {1, &wanted};
    mstxDomainHandle_t domain;
    mstxMemHeapHandle_t heap;
    mstxRangeId id;
    void *pool;
    char both[2][1024];
    int tool;

    if (getenv("MILLPOND_RECORDS") != NULL) {
        no_records_yet();
    }
    OPEN_DEVICE();
    OK(aclrtMalloc(&pool, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));

    mstxMarkA("hello", NULL);
    id = mstxRangeStartA("r", NULL);
    CHECK(id != 0);
    mstxRangeEnd(id);
    domain = mstxDomainCreateA("d");
    CHECK(domain != NULL);
    mstxDomainMarkA(domain, "m", NULL);
    id = mstxDomainRangeStartA(domain, "dr", NULL);
    mstxDomainRangeEnd(domain, id);
    memset(&heapDesc, 0, sizeof heapDesc);
    memset(range, 0, sizeof range);
    range[0].ptr = pool;
    range[0].size = 4096;
    heapDesc.typeSpecificDesc = range;
    heap = mstxMemHeapRegister(domain, &heapDesc);
    CHECK(heap != NULL);
    memset(&batch, 0, sizeof batch);
    batch.heap = heap;
    batch.regionCount = 2;
    range[0].size = 64;
    range[1].ptr = (char *)pool + 64;
    range[1].size = 64;
    batch.regionDescArray = range;
    batch.regionHandleArrayOut = handles;
    mstxMemRegionsRegister(domain, &batch);
    CHECK(handles[0] != NULL && handles[1] != NULL);
    wanted.flags = 3;
    wanted.region.refType = MSTX_MEM_REGION_REF_TYPE_HANDLE;
    wanted.region.handle = handles[1];
    mstxMemPermissionsAssign(domain, &permissions);
    refs[0].refType = MSTX_MEM_REGION_REF_TYPE_HANDLE;
    refs[0].handle = handles[0];
    refs[1].refType = MSTX_MEM_REGION_REF_TYPE_POINTER;
    refs[1].pointer = range[1].ptr;
    mstxMemRegionsUnregister(domain, &gone);
    mstxMemHeapUnregister(domain, heap);
    mstxDomainDestroy(domain);

    for (tool = 0; tool < 2; tool++) {
        int first = tool == 0 ? 101 : 501;
        snprintf(both[tool], sizeof both[tool],
            "mark hello;range r=%d;end %d;domain d=%d;mark m in %d;range dr=%d in %d;end %d in %d;"
            "heap %d in %d;region %d in heap %d;region %d in heap %d;permit %d=3;region-end %x;"
            "region-end %lx;heap-end %d;destroy %d;",
            first, first, first + 1, first + 1, first + 2, first + 1, first + 2, first + 1, first + 3,
            first + 1, first + 4, first + 3, first + 5, first + 3, first + 5, first + 4,
            (unsigned long)(uintptr_t)range[1].ptr, first + 3, first + 1);
    }
    HEARD("TOOL_ONE", both[0]);
    HEARD("TOOL_TWO", both[1]);
    if (getenv("MILLPOND_RECORDS") != NULL) {
        RECORDS(1, "mark: hello");
        RECORDS(2, " began: ");
        RECORDS(1, "heap 1 unregistered");
        RECORDS(3, " unregistered");
        RECORDS(1, "domain 1 destroyed");
        RECORDS(0, " is not a ");
    }
    OK(aclrtFree(pool));
    return 0;
}
