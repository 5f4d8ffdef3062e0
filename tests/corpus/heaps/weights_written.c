// rule: heap.permission
// wrong: the optimiser writes into weights that the program declared to be frozen
#include "heaps.h"

enum { POOL = 1 << 14, LAYER = 4096 };

static void set_permission(mstxMemRegionHandle_t region, uint32_t flags)
{
    mstxMemPermissionsAssignRegionsDesc_t desc;
    memset(&desc, 0, sizeof desc);
    desc.flags = flags;
    desc.region.refType = MSTX_MEM_REGION_REF_TYPE_HANDLE;
    desc.region.handle = region;
    mstxMemPermissionsAssignBatch_t batch = {1, &desc};
    mstxMemPermissionsAssign(globalDomain, &batch);
}

int main(void)
{
    mstxMemRegionHandle_t layers[3];
    start();
    aclrtStream stream = new_stream();
    char *pool = device_memory(POOL);
    mstxMemHeapHandle_t heap = heap_register(pool, POOL);
    for (int i = 0; i < 3; i++) {
        layers[i] = region_register(heap, pool + i * LAYER, LAYER);
        ACL(aclrtMemsetAsync(pool + i * LAYER, LAYER, i, LAYER, stream));
    }
    set_permission(layers[0], MSTX_MEM_PERMISSIONS_REGION_FLAGS_READ);
#ifdef WRONG
    int first = 0;
#else
    int first = 1;
#endif
    for (int i = first; i < 3; i++)
        ACL(aclrtMemsetAsync(pool + i * LAYER, LAYER, 10 + i, LAYER, stream));
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(device_bytes(pool, LAYER, 0));
    EXPECT(device_bytes(pool + 2 * LAYER, LAYER, 12));
    for (int i = 0; i < 3; i++)
        region_unregister(layers[i]);
    mstxMemHeapUnregister(globalDomain, heap);
    ACL(aclrtFree(pool));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
