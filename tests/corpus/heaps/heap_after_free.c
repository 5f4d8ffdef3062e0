// rule: heap.not-allocated
// wrong: the pool is registered over the buffer that was just replaced by a larger one
#include "heaps.h"

enum { SMALL = 4096, LARGE = 16384 };

int main(void)
{
    start();
    char *pool = device_memory(SMALL), *larger = device_memory(LARGE);
    ACL(aclrtMemset(pool, SMALL, 1, SMALL));
    ACL(aclrtMemcpy(larger, LARGE, pool, SMALL, ACL_MEMCPY_DEVICE_TO_DEVICE));
    ACL(aclrtFree(pool));
#ifdef WRONG
    char *base = pool;
#else
    char *base = larger;
#endif
    mstxMemHeapHandle_t heap = heap_register(base, SMALL);
    mstxMemRegionHandle_t region = region_register(heap, base, SMALL);
    EXPECT(device_bytes(larger, SMALL, 1));
    region_unregister(region);
    mstxMemHeapUnregister(globalDomain, heap);
    ACL(aclrtFree(larger));
    return finish();
}
