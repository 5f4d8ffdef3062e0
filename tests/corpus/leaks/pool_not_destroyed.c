// rule: handle.leak
// severity: warning
// wrong: the memory pool is never destroyed
#include "pool.h"

enum { BYTES = 4096 };

int main(void)
{
    start();
    aclrtMemPool pool = new_pool();
    aclrtStream stream = new_stream();
    void *block = pool_memory(pool, BYTES, stream);
    ACL(aclrtMemsetAsync(block, BYTES, 2, BYTES, stream));
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(device_bytes(block, BYTES, 2));
    ACL(aclrtMemPoolFreeAsync(block, stream));
    ACL(aclrtSynchronizeStream(stream));
    ACL(aclrtDestroyStream(stream));
#ifndef WRONG
    ACL(aclrtMemPoolDestroy(pool));
#endif
    return finish();
}
