// rule: segment.spacing
// wrong: a block of aclrtMallocAlign32 is cut into segments without the 32 bytes behind each
#include "heaps.h"

enum { POOL = 1 << 16, SEGMENTS = 5, LENGTH = 1024 };

int main(void)
{
    mstxMemRegionHandle_t regions[SEGMENTS];
    void *pool = NULL;
    start();
    ACL(aclrtMallocAlign32(&pool, POOL, ACL_MEM_MALLOC_HUGE_FIRST));
    mstxMemHeapHandle_t heap = heap_register(pool, POOL);
#ifdef WRONG
    size_t stride = LENGTH;
#else
    size_t stride = (LENGTH + 32 + 63) / 64 * 64;
#endif
    for (int i = 0; i < SEGMENTS; i++) {
        char *segment = (char *)pool + i * stride;
        regions[i] = region_register(heap, segment, LENGTH);
        ACL(aclrtMemset(segment, LENGTH, i, LENGTH));
    }
    for (int i = 0; i < SEGMENTS; i++) {
        EXPECT(device_bytes((char *)pool + i * stride, LENGTH, i));
        region_unregister(regions[i]);
    }
    mstxMemHeapUnregister(globalDomain, heap);
    ACL(aclrtFree(pool));
    return finish();
}
