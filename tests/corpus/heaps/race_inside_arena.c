// rule: stream.race
// wrong: the pool gives a block back at once, and its next owner on another stream does not wait for the first
#include "heaps.h"

enum { POOL = 1 << 16, BLOCK = 8192 };

int main(void)
{
    start();
    aclrtStream first = new_stream(), second = new_stream();
    aclrtEvent released = new_event();
    char *pool = device_memory(POOL), *host = pinned_memory(BLOCK);
    mstxMemHeapHandle_t heap = heap_register(pool, POOL);
    mstxMemRegionHandle_t block = region_register(heap, pool, BLOCK);
    ACL(aclrtMemsetAsync(pool, BLOCK, 1, BLOCK, first));
    ACL(aclrtMemcpyAsync(host, BLOCK, pool, BLOCK, ACL_MEMCPY_DEVICE_TO_HOST, first));
    ACL(aclrtRecordEvent(released, first));
    region_unregister(block);
    block = region_register(heap, pool, BLOCK);
#ifndef WRONG
    ACL(aclrtStreamWaitEvent(second, released));
#endif
    ACL(aclrtMemsetAsync(pool, BLOCK, 2, BLOCK, second));
    ACL(aclrtSynchronizeStream(first));
    ACL(aclrtSynchronizeStream(second));
    EXPECT(all_bytes(host, BLOCK, 1));
    EXPECT(device_bytes(pool, BLOCK, 2));
    region_unregister(block);
    mstxMemHeapUnregister(globalDomain, heap);
    ACL(aclrtFreeHost(host));
    ACL(aclrtFree(pool));
    ACL(aclrtDestroyEvent(released));
    ACL(aclrtDestroyStream(second));
    ACL(aclrtDestroyStream(first));
    return finish();
}
