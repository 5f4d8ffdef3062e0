// rule: memory.double-free
// wrong: two tensors share a block, and each frees it
#include "pool.h"

enum { BYTES = 2048 };

typedef struct {
    void *block;
    int *references;
} Shared;

static void shared_drop(Shared s, aclrtStream stream)
{
#ifdef WRONG
    TRY(aclrtMemPoolFreeAsync(s.block, stream));
#else
    if (--*s.references == 0)
        ACL(aclrtMemPoolFreeAsync(s.block, stream));
#endif
}

int main(void)
{
    int references = 2;
    start();
    aclrtMemPool pool = new_pool();
    aclrtStream stream = new_stream();
    Shared one = {pool_memory(pool, BYTES, stream), &references}, two = one;
    ACL(aclrtMemsetAsync(one.block, BYTES, 1, BYTES, stream));
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(device_bytes(two.block, BYTES, 1));
    shared_drop(one, stream);
    shared_drop(two, stream);
    ACL(aclrtSynchronizeStream(stream));
    ACL(aclrtDestroyStream(stream));
    ACL(aclrtMemPoolDestroy(pool));
    return finish();
}
