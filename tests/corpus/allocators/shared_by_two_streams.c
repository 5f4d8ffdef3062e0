// rule: allocator.shared
// wrong: one arena serves two streams that run at the same time
#include "pool.h"
#include "tensors.h"

enum { SIDE = 32, ARENA = 1 << 20 };

int main(void)
{
    start();
    aclrtStream streams[2] = {new_stream(), new_stream()};
    Arena arenas[2];
    memset(arenas, 0, sizeof arenas);
    for (int i = 0; i < 2; i++) {
        arenas[i].arena = device_memory(ARENA);
        arenas[i].size = ARENA;
    }
    arena_register(&arenas[0], streams[0]);
#ifdef WRONG
    arena_register(&arenas[0], streams[1]);
    ACL(aclrtMemset(arenas[1].arena, ARENA, 0, ARENA));
#else
    arena_register(&arenas[1], streams[1]);
#endif
    Tensor matrix = new_matrix(SIDE, SIDE), first = new_vector(SIDE), second = new_vector(SIDE);
    fill(matrix, 2);
    for (int turn = 0; turn < 3; turn++) {
        square_sums(matrix, first, streams[0]);
        square_sums(matrix, second, streams[1]);
    }
    ACL(aclrtSynchronizeStream(streams[0]));
    ACL(aclrtSynchronizeStream(streams[1]));
    EXPECT(holds(first, 4 * SIDE) && holds(second, 4 * SIDE));
    EXPECT(arenas[0].served > 0);
    drop(second);
    drop(first);
    drop(matrix);
    for (int i = 0; i < 2; i++) {
        ACL(aclrtAllocatorUnregister(streams[i]));
        ACL(aclrtDestroyStream(streams[i]));
        ACL(aclrtFree(arenas[i].arena));
    }
    return finish();
}
