/* also: mstx_second_file.c
 * MSTX from the header alone, in two files of one program that is linked with nothing: is a tool found
 * as documented, attached once, and what if there is none? */
#include "parts/mstx_heard.h"

#include <mstx/ms_tools_ext.h>
#include <mstx/ms_tools_ext_mem.h>

#include "parts/mstx_second_file.h"

/* Called by the tool that calls MSTX while it is attached. */
static int call_mstx(void)
{
    mstxMarkA("from the tool", NULL);
    return mstxRangeStartA("from the tool", NULL) != 0;
}

int main(void)
{
    mstxMemVirtualRangeDesc_t range = {0, &range, 64};
    mstxMemHeapDesc_t heapDesc = {MSTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR, MSTX_MEM_TYPE_VIRTUAL_ADDRESS, &range};
    mstxMemRegionHandle_t handle = NULL;
    mstxMemRegionsRegisterBatch_t batch = {NULL, MSTX_MEM_TYPE_VIRTUAL_ADDRESS, 1, &range, &handle};
    mstxMemRegionRef_t ref;
    mstxMemRegionsUnregisterBatch_t gone = {1, &ref};
    mstxMemPermissionsAssignRegionsDesc_t wanted;
    mstxMemPermissionsAssignBatch_t permissions = {1, &wanted};
    uint64_t id = 3;
    mstxDomainHandle_t domain;

    open_globally();
    leave_address(call_mstx);
    mstxMarkA("hello", NULL);
    mstxGetToolId(NULL);
    mstxGetToolId(&id);
    domain = second_file_domain();
    if (getenv("TOOL_ONE") == NULL) {
        HOLDS(id == MSTX_TOOL_INVALID_ID && domain == NULL && second_file_range() == 0);
        HOLDS(mstxMemHeapRegister(domain, &heapDesc) == NULL);
        mstxMemRegionsRegister(domain, &batch);
        HOLDS(handle == NULL);
        return 0;
    }
    HOLDS(id == 0x1111);
    HOLDS(second_file_range() == 102);
    mstxRangeEnd(102);
    mstxDomainMarkA(domain, "m", NULL);
    HOLDS(mstxDomainRangeStartA(domain, "dr", NULL) == 103);
    mstxDomainRangeEnd(domain, 103);
    batch.heap = mstxMemHeapRegister(domain, &heapDesc);
    mstxMemRegionsRegister(domain, &batch);
    wanted.flags = 1;
    wanted.region.refType = MSTX_MEM_REGION_REF_TYPE_HANDLE;
    wanted.region.handle = handle;
    mstxMemPermissionsAssign(domain, &permissions);
    ref.refType = MSTX_MEM_REGION_REF_TYPE_HANDLE;
    ref.handle = handle;
    mstxMemRegionsUnregister(domain, &gone);
    mstxMemHeapUnregister(domain, batch.heap);
    mstxDomainDestroy(domain);
    HEARD("TOOL_ONE", "mark hello;domain second_domain=101;range second=102;end 102;mark m in 101;"
                      "range dr=103 in 101;end 103 in 101;heap 104 in 101;region 105 in heap 104;"
                      "permit 105=1;region-end 69;heap-end 104;destroy 101;");
    HOLDS(tool_inits("TOOL_ONE") == 1);
    return 0;
}
