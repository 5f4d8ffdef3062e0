// rule: allocator.unused
// severity: hint
// wrong: the allocator is registered on one stream and the operators run on another
#include "pool.h"
#include "tensors.h"

enum { SIDE = 8, ARENA = 1 << 18 };

int main(void)
{
    start();
    aclrtStream copies = new_stream(), compute = new_stream();
    Arena arena = {device_memory(ARENA), ARENA, 0, 0, 0};
#ifdef WRONG
    aclrtStream served = copies;
#else
    aclrtStream served = compute;
#endif
    arena_register(&arena, served);
    Tensor matrix = new_matrix(SIDE, SIDE), sums = new_vector(SIDE);
    fill(matrix, 1);
    ACL(aclrtMemsetAsync(sums.memory, sums.size, 0, sums.size, copies));
    ACL(aclrtSynchronizeStream(copies));
    square_sums(matrix, sums, compute);
    ACL(aclrtSynchronizeStream(compute));
    EXPECT(holds(sums, SIDE));
    drop(sums);
    drop(matrix);
    ACL(aclrtAllocatorUnregister(served));
    ACL(aclrtDestroyStream(compute));
    ACL(aclrtDestroyStream(copies));
    ACL(aclrtFree(arena.arena));
    return finish();
}
