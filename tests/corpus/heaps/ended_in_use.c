// rule: heap.ended-in-use
// wrong: the pool is torn down while one of its blocks is still handed out
#include "heaps.h"

enum { POOL = 1 << 15, BLOCK = 4096 };

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    char *pool = device_memory(POOL);
    mstxMemHeapHandle_t heap = heap_register(pool, POOL);
    mstxMemRegionHandle_t one = region_register(heap, pool, BLOCK);
    mstxMemRegionHandle_t two = region_register(heap, pool + BLOCK, BLOCK);
    ACL(aclrtMemsetAsync(pool, BLOCK, 1, BLOCK, stream));
    ACL(aclrtMemcpyAsync(pool + BLOCK, BLOCK, pool, BLOCK, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(device_bytes(pool + BLOCK, BLOCK, 1));
    region_unregister(one);
#ifndef WRONG
    region_unregister(two);
#else
    (void)two;
#endif
    mstxMemHeapUnregister(globalDomain, heap);
    ACL(aclrtFree(pool));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
