// rule: memory.leak
// wrong: a block of a stream-ordered pool is never given back
#include "pool.h"

enum { BLOCKS = 3, BYTES = 4096 };

int main(void)
{
    void *blocks[BLOCKS];
    start();
    aclrtMemPool pool = new_pool();
    aclrtStream stream = new_stream();
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = pool_memory(pool, BYTES, stream);
        ACL(aclrtMemsetAsync(blocks[i], BYTES, i, BYTES, stream));
    }
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(device_bytes(blocks[2], BYTES, 2));
#ifdef WRONG
    int given_back = BLOCKS - 1;
#else
    int given_back = BLOCKS;
#endif
    for (int i = 0; i < given_back; i++)
        ACL(aclrtMemPoolFreeAsync(blocks[i], stream));
    ACL(aclrtSynchronizeStream(stream));
    ACL(aclrtDestroyStream(stream));
    TRY(aclrtMemPoolDestroy(pool));
    return finish();
}
