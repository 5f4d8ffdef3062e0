// rule: allocator.stale-descriptor
// wrong: one description is kept for all streams and destroyed after the first registration
#include "pool.h"
#include "tensors.h"

enum { STREAMS = 2, SIDE = 8, ARENA = 1 << 18 };

int main(void)
{
    aclrtStream streams[STREAMS];
    start();
    Arena arena = {device_memory(ARENA), ARENA, 0, 0, 0};
    aclrtAllocatorDesc desc = arena_desc(&arena);
    Tensor matrix = new_matrix(SIDE, SIDE), sums = new_vector(SIDE);
    fill(matrix, 1);
    for (int i = 0; i < STREAMS; i++) {
        streams[i] = new_stream();
        TRY(aclrtAllocatorRegister(streams[i], desc));
#ifdef WRONG
        TRY(aclrtAllocatorDestroyDesc(desc));
#endif
        square_sums(matrix, sums, streams[i]);
        ACL(aclrtSynchronizeStream(streams[i]));
        EXPECT(holds(sums, SIDE));
    }
#ifndef WRONG
    ACL(aclrtAllocatorDestroyDesc(desc));
#endif
    for (int i = 0; i < STREAMS; i++) {
        ACL(aclrtAllocatorUnregister(streams[i]));
        ACL(aclrtDestroyStream(streams[i]));
    }
    drop(sums);
    drop(matrix);
    ACL(aclrtFree(arena.arena));
    return finish();
}
