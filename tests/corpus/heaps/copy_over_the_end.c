// rule: heap.outside-region
// wrong: a copy runs over the end of one of the pool's blocks into free memory of the pool
#include "heaps.h"

enum { POOL = 1 << 16, BLOCK = 1024 };

int main(void)
{
    static char host[2 * BLOCK];
    start();
    char *pool = device_memory(POOL);
    mstxMemHeapHandle_t heap = heap_register(pool, POOL);
    mstxMemRegionHandle_t block = region_register(heap, pool, BLOCK);
#ifdef WRONG
    size_t bytes = BLOCK + 256;
#else
    size_t bytes = BLOCK;
#endif
    memset(host, 1, sizeof host);
    ACL(aclrtMemcpy(pool, POOL, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT(device_bytes(pool, BLOCK, 1));
    region_unregister(block);
    mstxMemHeapUnregister(globalDomain, heap);
    ACL(aclrtFree(pool));
    return finish();
}
