// rule: handle.leak
// severity: warning
// wrong: the description of an allocator is not destroyed after it was registered
#include "pool.h"
#include "tensors.h"

enum { SIDE = 8, ARENA = 1 << 18 };

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    Arena arena = {device_memory(ARENA), ARENA, 0, 0, 0};
    aclrtAllocatorDesc desc = arena_desc(&arena);
    ACL(aclrtAllocatorRegister(stream, desc));
#ifndef WRONG
    ACL(aclrtAllocatorDestroyDesc(desc));
#endif
    Tensor matrix = new_matrix(SIDE, SIDE), sums = new_vector(SIDE);
    fill(matrix, 2);
    square_sums(matrix, sums, stream);
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(holds(sums, 4 * SIDE));
    drop(sums);
    drop(matrix);
    ACL(aclrtAllocatorUnregister(stream));
    ACL(aclrtDestroyStream(stream));
    ACL(aclrtFree(arena.arena));
    return finish();
}
