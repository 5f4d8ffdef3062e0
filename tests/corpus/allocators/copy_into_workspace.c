// rule: stream.race allocator.overlap
// wrong: the program uploads its next input into arena memory that an operator on another stream still works in
#include "pool.h"
#include "tensors.h"

enum { SIDE = 40, ARENA = 1 << 20, BYTES = 4096 };

int main(void)
{
    start();
    aclrtStream compute = new_stream(), copies = new_stream();
    Arena arena = {device_memory(ARENA), ARENA / 2, 0, 0, 0};
    char *staging = pinned_memory(BYTES);
    Tensor matrix = new_matrix(SIDE, SIDE), sums = new_vector(SIDE);
    fill(matrix, 1);
    memset(staging, 5, BYTES);
    arena_register(&arena, compute);
    square_sums(matrix, sums, compute);
#ifdef WRONG
    char *place = arena.arena;
#else
    char *place = arena.arena + ARENA / 2;
#endif
    ACL(aclrtMemcpyAsync(place, BYTES, staging, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, copies));
    ACL(aclrtSynchronizeStream(copies));
    ACL(aclrtSynchronizeStream(compute));
    EXPECT(holds(sums, SIDE));
    EXPECT(device_bytes(place, BYTES, 5));
    drop(sums);
    drop(matrix);
    ACL(aclrtAllocatorUnregister(compute));
    ACL(aclrtFreeHost(staging));
    ACL(aclrtDestroyStream(copies));
    ACL(aclrtDestroyStream(compute));
    ACL(aclrtFree(arena.arena));
    return finish();
}
