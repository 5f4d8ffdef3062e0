/* Without a tool, and with nobody who reads records: does every function answer what the
 * documentation says, whatever it is given? */
#define MSTX_NO_IMPL
#include "check.h"

#include <mstx/ms_tools_ext.h>

int main(void)
{
    mstxMemVirtualRangeDesc_t range = {0, &range, 64};
    mstxMemHeapDesc_t heap = {MSTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR, MSTX_MEM_TYPE_VIRTUAL_ADDRESS, &range};
    mstxMemRegionHandle_t handle = (mstxMemRegionHandle_t)&range;
    mstxMemRegionsRegisterBatch_t regions = {NULL, MSTX_MEM_TYPE_VIRTUAL_ADDRESS, 1, &range, &handle};
    mstxMemRegionRef_t ref;
    mstxMemRegionsUnregisterBatch_t gone = {1, &ref};
    uint64_t id = 77;

    mstxMarkA("mark", NULL);
    mstxMarkA(NULL, NULL);
    EQ(mstxRangeStartA("range", NULL), 0);
    mstxRangeEnd(0);
    mstxRangeEnd(123);
    mstxGetToolId(NULL);
    mstxGetToolId(&id);
    EQ(id, MSTX_TOOL_INVALID_ID);
    EQ_PTR(mstxDomainCreateA("domain"), NULL);
    EQ_PTR(mstxDomainCreateA(NULL), NULL);
    mstxDomainDestroy(NULL);
    mstxDomainMarkA(globalDomain, "mark", NULL);
    EQ(mstxDomainRangeStartA(globalDomain, "range", NULL), 0);
    mstxDomainRangeEnd(globalDomain, 1);
    EQ_PTR(mstxMemHeapRegister(globalDomain, &heap), NULL);
    EQ_PTR(mstxMemHeapRegister(globalDomain, NULL), NULL);
    mstxMemHeapUnregister(globalDomain, NULL);
    mstxMemRegionsRegister(globalDomain, &regions);
    EQ_PTR(handle, &range);
    ref.refType = MSTX_MEM_REGION_REF_TYPE_POINTER;
    ref.pointer = &range;
    mstxMemRegionsUnregister(globalDomain, &gone);
    mstxMemPermissionsAssign(globalDomain, NULL);

    /* The same when the runtime is there and still nobody reads records. */
    OPEN_DEVICE();
    EQ_PTR(mstxDomainCreateA("domain"), NULL);
    EQ(mstxRangeStartA("range", NULL), 0);
    EQ_PTR(mstxMemHeapRegister(globalDomain, &heap), NULL);
    return 0;
}
