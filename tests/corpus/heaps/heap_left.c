// rule: heap.leak
// severity: warning
// wrong: the second pool is not unregistered before the device is reset
#include "heaps.h"

enum { POOLS = 2, POOL = 1 << 14 };

int main(void)
{
    mstxMemHeapHandle_t heaps[POOLS];
    char *pools[POOLS];
    start();
    for (int i = 0; i < POOLS; i++) {
        pools[i] = device_memory(POOL);
        heaps[i] = heap_register(pools[i], POOL);
        mstxMemRegionHandle_t all = region_register(heaps[i], pools[i], POOL);
        ACL(aclrtMemset(pools[i], POOL, i, POOL));
        EXPECT(device_bytes(pools[i], POOL, i));
        region_unregister(all);
    }
#ifdef WRONG
    mstxMemHeapUnregister(globalDomain, heaps[0]);
    ACL(aclrtFree(pools[0]));
    /* The last pool stays, for the next job. */
#else
    for (int i = 0; i < POOLS; i++) {
        mstxMemHeapUnregister(globalDomain, heaps[i]);
        ACL(aclrtFree(pools[i]));
    }
#endif
    return finish();
}
