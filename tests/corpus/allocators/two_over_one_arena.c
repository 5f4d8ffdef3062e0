// rule: stream.race allocator.shared allocator.overlap
// wrong: two allocators for two streams cut the same arena, each from its start
#include "pool.h"
#include "tensors.h"

enum { SIDE = 24, ARENA = 1 << 20 };

int main(void)
{
    start();
    aclrtStream streams[2] = {new_stream(), new_stream()};
    char *memory = device_memory(2 * ARENA);
    Arena arenas[2] = {{memory, ARENA, 0, 0, 0}, {memory + ARENA, ARENA, 0, 0, 0}};
#ifdef WRONG
    arenas[1].arena = memory;
#endif
    Tensor matrix = new_matrix(SIDE, SIDE), wide = new_matrix(SIDE, 2 * SIDE);
    Tensor first = new_vector(SIDE), second = new_vector(SIDE);
    fill(matrix, 3);
    fill(wide, 2);
    for (int i = 0; i < 2; i++)
        arena_register(&arenas[i], streams[i]);
    square_sums(matrix, first, streams[0]);
    square_sums(wide, second, streams[1]);
    ACL(aclrtSynchronizeStream(streams[0]));
    ACL(aclrtSynchronizeStream(streams[1]));
    EXPECT(holds(first, 9 * SIDE) && holds(second, 8 * SIDE));
    EXPECT(arenas[0].served > 0 && arenas[1].served > 0);
    drop(second);
    drop(first);
    drop(wide);
    drop(matrix);
    for (int i = 0; i < 2; i++) {
        ACL(aclrtAllocatorUnregister(streams[i]));
        ACL(aclrtDestroyStream(streams[i]));
    }
    ACL(aclrtFree(memory));
    return finish();
}
