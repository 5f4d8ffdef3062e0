// rule: allocator.null-stream
// wrong: the allocator is registered on the null stream, which is not the default stream here
#include "pool.h"
#include "tensors.h"

enum { SIDE = 8, ARENA = 1 << 18 };

int main(void)
{
    aclrtStream stream = NULL;
    start();
#ifndef WRONG
    stream = new_stream();
#endif
    Arena arena = {device_memory(ARENA), ARENA, 0, 0, 0};
    aclrtAllocatorDesc desc = arena_desc(&arena);
    TRY(aclrtAllocatorRegister(stream, desc));
    ACL(aclrtAllocatorDestroyDesc(desc));
    Tensor matrix = new_matrix(SIDE, SIDE), sums = new_vector(SIDE);
    fill(matrix, 1);
    square_sums(matrix, sums, stream);
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(holds(sums, SIDE));
    drop(sums);
    drop(matrix);
#ifndef WRONG
    ACL(aclrtAllocatorUnregister(stream));
    ACL(aclrtDestroyStream(stream));
#endif
    ACL(aclrtFree(arena.arena));
    return finish();
}
