// rule: heap.region-outside
// wrong: the last block of the pool reaches past the end of its heap
#include "heaps.h"

enum { POOL = 10000, BLOCK = 3000 };

int main(void)
{
    mstxMemRegionHandle_t regions[4];
    int count = 0;
    start();
    char *pool = device_memory(16384);
    mstxMemHeapHandle_t heap = heap_register(pool, POOL);
#ifdef WRONG
    for (int begin = 0; begin < POOL; begin += BLOCK)
#else
    for (int begin = 0; begin + BLOCK <= POOL; begin += BLOCK)
#endif
    {
        regions[count++] = region_register(heap, pool + begin, BLOCK);
        ACL(aclrtMemset(pool + begin, BLOCK, count, BLOCK));
        EXPECT(device_bytes(pool + begin, BLOCK, count));
    }
    while (count > 0)
        region_unregister(regions[--count]);
    mstxMemHeapUnregister(globalDomain, heap);
    ACL(aclrtFree(pool));
    return finish();
}
