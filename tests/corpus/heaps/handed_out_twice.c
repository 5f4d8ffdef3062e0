// rule: heap.region-overlap
// wrong: the bump pool rounds down instead of up, so a block begins inside the one before
#include "heaps.h"

enum { POOL = 1 << 16, ALIGNMENT = 256 };

static size_t used;

static size_t next_start(void)
{
#ifdef WRONG
    return used / ALIGNMENT * ALIGNMENT;
#else
    return (used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
#endif
}

int main(void)
{
    const size_t sizes[] = {1000, 3000, 512, 700};
    mstxMemRegionHandle_t regions[4];
    char *blocks[4];
    start();
    char *pool = device_memory(POOL);
    mstxMemHeapHandle_t heap = heap_register(pool, POOL);
    for (int i = 0; i < 4; i++) {
        size_t begin = next_start();
        blocks[i] = pool + begin;
        regions[i] = region_register(heap, blocks[i], sizes[i]);
        used = begin + sizes[i];
        ACL(aclrtMemset(blocks[i], sizes[i], i, sizes[i]));
    }
    for (int i = 0; i < 4; i++)
        EXPECT(device_bytes(blocks[i], sizes[i], i));
    for (int i = 0; i < 4; i++)
        region_unregister(regions[i]);
    mstxMemHeapUnregister(globalDomain, heap);
    ACL(aclrtFree(pool));
    return finish();
}
