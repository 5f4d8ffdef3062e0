// rule: allocator.returned-early
// wrong: the arena goes back to the device when the last block came back, not when the stream was synchronised
#include "pool.h"
#include "tensors.h"

enum { SIDE = 32, ARENA = 1 << 20 };

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    Arena arena = {device_memory(ARENA), ARENA, 0, 0, 0};
    arena_register(&arena, stream);
    Tensor matrix = new_matrix(SIDE, SIDE), sums = new_vector(SIDE);
    fill(matrix, 2);
    for (int i = 0; i < 3; i++)
        square_sums(matrix, sums, stream);
    EXPECT(arena.live == 0);
    ACL(aclrtAllocatorUnregister(stream));
#ifdef WRONG
    ACL(aclrtFree(arena.arena));
    ACL(aclrtSynchronizeStream(stream));
#else
    ACL(aclrtSynchronizeStream(stream));
    ACL(aclrtFree(arena.arena));
#endif
    EXPECT(holds(sums, 4 * SIDE));
    drop(sums);
    drop(matrix);
    ACL(aclrtDestroyStream(stream));
    return finish();
}
