// rule: heap.ended-in-use
// wrong: the pool's memory is freed while its heap and a region are still registered
#include "heaps.h"

enum { POOL = 1 << 14, BLOCK = 1024 };

int main(void)
{
    start();
    char *pool = device_memory(POOL);
    mstxMemHeapHandle_t heap = heap_register(pool, POOL);
    mstxMemRegionHandle_t block = region_register(heap, pool + BLOCK, BLOCK);
    ACL(aclrtMemset(pool + BLOCK, BLOCK, 1, BLOCK));
    EXPECT(device_bytes(pool + BLOCK, BLOCK, 1));
#ifdef WRONG
    ACL(aclrtFree(pool));
    region_unregister(block);
    mstxMemHeapUnregister(globalDomain, heap);
#else
    region_unregister(block);
    mstxMemHeapUnregister(globalDomain, heap);
    ACL(aclrtFree(pool));
#endif
    return finish();
}
