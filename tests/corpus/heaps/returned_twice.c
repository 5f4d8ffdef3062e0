// rule: heap.unknown
// wrong: the same block is given back to the pool twice
#include "heaps.h"

enum { POOL = 1 << 14, BLOCK = 2048 };

int main(void)
{
    start();
    char *pool = device_memory(POOL);
    mstxMemHeapHandle_t heap = heap_register(pool, POOL);
    mstxMemRegionHandle_t blocks[2] = {region_register(heap, pool, BLOCK), region_register(heap, pool + BLOCK, BLOCK)};
    ACL(aclrtMemset(pool, POOL, 3, 2 * BLOCK));
    EXPECT(device_bytes(pool, 2 * BLOCK, 3));
    region_unregister(blocks[0]);
#ifdef WRONG
    region_unregister(blocks[0]);
#endif
    region_unregister(blocks[1]);
    mstxMemHeapUnregister(globalDomain, heap);
    ACL(aclrtFree(pool));
    return finish();
}
