// rule: memory.use-after-free memory.leak handle.destroyed-in-use
// wrong: the pool is destroyed while a block of it is still in use
#include "pool.h"

enum { BYTES = 4096 };

int main(void)
{
    start();
    aclrtMemPool pool = new_pool();
    aclrtStream stream = new_stream();
    void *block = pool_memory(pool, BYTES, stream), *copy = device_memory(BYTES);
    ACL(aclrtMemsetAsync(block, BYTES, 8, BYTES, stream));
    ACL(aclrtSynchronizeStream(stream));
#ifdef WRONG
    TRY(aclrtMemPoolDestroy(pool));
#endif
    TRY(aclrtMemcpyAsync(copy, BYTES, block, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL(aclrtSynchronizeStream(stream));
#ifndef WRONG
    EXPECT(device_bytes(copy, BYTES, 8));
    ACL(aclrtMemPoolFreeAsync(block, stream));
    ACL(aclrtSynchronizeStream(stream));
    ACL(aclrtMemPoolDestroy(pool));
#endif
    ACL(aclrtFree(copy));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
