// rule: allocator.incomplete
// wrong: the function that frees is never set in the description
#include "pool.h"
#include "tensors.h"

enum { SIDE = 8, ARENA = 1 << 18 };

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    Arena arena = {device_memory(ARENA), ARENA, 0, 0, 0};
    aclrtAllocatorDesc desc = aclrtAllocatorCreateDesc();
    ACL(aclrtAllocatorSetObjToDesc(desc, &arena));
    ACL(aclrtAllocatorSetAllocFuncToDesc(desc, arena_alloc));
#ifndef WRONG
    ACL(aclrtAllocatorSetFreeFuncToDesc(desc, arena_free));
#endif
    ACL(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, arena_address));
    TRY(aclrtAllocatorRegister(stream, desc));
    ACL(aclrtAllocatorDestroyDesc(desc));
    Tensor matrix = new_matrix(SIDE, SIDE), sums = new_vector(SIDE);
    fill(matrix, 1);
    square_sums(matrix, sums, stream);
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(holds(sums, SIDE));
    drop(sums);
    drop(matrix);
    TRY(aclrtAllocatorUnregister(stream));
    ACL(aclrtDestroyStream(stream));
    ACL(aclrtFree(arena.arena));
    return finish();
}
