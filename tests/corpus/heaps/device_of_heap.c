// rule: heap.wrong-device
// wrong: the pool of device 1 is registered with device 0 in its description
// options: --devices 2
#include "heaps.h"

enum { POOL = 8192 };

int main(void)
{
    start();
    ACL(aclrtSetDevice(1));
    char *pool = device_memory(POOL);
#ifdef WRONG
    uint32_t device = 0;
#else
    uint32_t device = 1;
#endif
    mstxMemVirtualRangeDesc_t range = {device, pool, POOL};
    mstxMemHeapDesc_t desc = {MSTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR, MSTX_MEM_TYPE_VIRTUAL_ADDRESS, &range};
    mstxMemHeapHandle_t heap = mstxMemHeapRegister(globalDomain, &desc);
    mstxMemVirtualRangeDesc_t part = {device, pool, POOL / 2};
    mstxMemRegionHandle_t region = NULL;
    mstxMemRegionsRegisterBatch_t batch = {heap, MSTX_MEM_TYPE_VIRTUAL_ADDRESS, 1, &part, &region};
    mstxMemRegionsRegister(globalDomain, &batch);
    ACL(aclrtMemset(pool, POOL / 2, 2, POOL / 2));
    EXPECT(device_bytes(pool, POOL / 2, 2));
    region_unregister(region);
    mstxMemHeapUnregister(globalDomain, heap);
    ACL(aclrtFree(pool));
    ACL(aclrtResetDevice(1));
    ACL(aclrtSetDevice(0));
    return finish();
}
