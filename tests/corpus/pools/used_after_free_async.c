// rule: memory.use-after-free
// wrong: the result is copied out behind the free of its block
#include "pool.h"

enum { BYTES = 8192 };

int main(void)
{
    start();
    aclrtMemPool pool = new_pool();
    aclrtStream stream = new_stream();
    char *host = pinned_memory(BYTES);
    void *block = pool_memory(pool, BYTES, stream);
    ACL(aclrtMemsetAsync(block, BYTES, 31, BYTES, stream));
#ifdef WRONG
    ACL(aclrtMemPoolFreeAsync(block, stream));
    TRY(aclrtMemcpyAsync(host, BYTES, block, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    ACL(aclrtSynchronizeStream(stream));
#else
    ACL(aclrtMemcpyAsync(host, BYTES, block, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    ACL(aclrtMemPoolFreeAsync(block, stream));
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(all_bytes(host, BYTES, 31));
#endif
    ACL(aclrtFreeHost(host));
    ACL(aclrtDestroyStream(stream));
    ACL(aclrtMemPoolDestroy(pool));
    return finish();
}
