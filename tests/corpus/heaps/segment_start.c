// rule: segment.start
// wrong: segments are aligned to 32 bytes instead of 64
#include "heaps.h"

enum { POOL = 1 << 15, SEGMENTS = 4, LENGTH = 992 };

int main(void)
{
    mstxMemRegionHandle_t regions[SEGMENTS];
    void *pool = NULL;
    start();
    ACL(aclrtMallocAlign32(&pool, POOL, ACL_MEM_MALLOC_HUGE_FIRST));
    mstxMemHeapHandle_t heap = heap_register(pool, POOL);
#ifdef WRONG
    size_t alignment = 32, spare = 64;
#else
    size_t alignment = 64, spare = 32;
#endif
    size_t stride = (LENGTH + spare + alignment - 1) / alignment * alignment;
    for (int i = 0; i < SEGMENTS; i++) {
        char *segment = (char *)pool + i * stride;
        regions[i] = region_register(heap, segment, LENGTH);
        ACL(aclrtMemset(segment, LENGTH, 40 + i, LENGTH));
    }
    for (int i = 0; i < SEGMENTS; i++) {
        EXPECT(device_bytes((char *)pool + i * stride, LENGTH, 40 + i));
        region_unregister(regions[i]);
    }
    mstxMemHeapUnregister(globalDomain, heap);
    ACL(aclrtFree(pool));
    return finish();
}
