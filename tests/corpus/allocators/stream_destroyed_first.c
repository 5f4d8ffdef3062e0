// rule: allocator.stream-destroyed
// severity: warning
// wrong: the stream is destroyed with the allocator still registered on it
#include "pool.h"
#include "tensors.h"

enum { SIDE = 8, ARENA = 1 << 18 };

int main(void)
{
    start();
    Arena arena = {device_memory(ARENA), ARENA, 0, 0, 0};
    Tensor matrix = new_matrix(SIDE, SIDE), sums = new_vector(SIDE);
    fill(matrix, 1);
    for (int session = 0; session < 2; session++) {
        aclrtStream stream = new_stream();
        arena_register(&arena, stream);
        square_sums(matrix, sums, stream);
        ACL(aclrtSynchronizeStream(stream));
        EXPECT(holds(sums, SIDE));
#ifndef WRONG
        ACL(aclrtAllocatorUnregister(stream));
#endif
        ACL(aclrtDestroyStream(stream));
    }
    drop(sums);
    drop(matrix);
    ACL(aclrtFree(arena.arena));
    return finish();
}
