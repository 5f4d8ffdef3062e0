// rule: memory.uninitialised-read
// wrong: a block of the pool is reused, and the program reads what its last owner left
#include "heaps.h"

enum { POOL = 1 << 14, BLOCK = 4096 };

int main(void)
{
    static char host[BLOCK];
    start();
    char *pool = device_memory(POOL);
    mstxMemHeapHandle_t heap = heap_register(pool, POOL);
    mstxMemRegionHandle_t first = region_register(heap, pool, BLOCK);
    ACL(aclrtMemset(pool, BLOCK, 8, BLOCK));
    region_unregister(first);
    mstxMemRegionHandle_t second = region_register(heap, pool, BLOCK);
#ifndef WRONG
    ACL(aclrtMemset(pool, BLOCK, 8, BLOCK));
#endif
    download(host, pool, BLOCK);
    EXPECT(all_bytes(host, BLOCK, 8));
    region_unregister(second);
    mstxMemHeapUnregister(globalDomain, heap);
    ACL(aclrtFree(pool));
    return finish();
}
