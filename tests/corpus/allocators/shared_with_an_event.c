// rule: allocator.shared-by-event
// severity: warning
// wrong: the second stream of a shared allocator waits for an event instead of a synchronisation
#include "pool.h"
#include "tensors.h"

enum { SIDE = 16, ARENA = 1 << 20 };

int main(void)
{
    start();
    aclrtStream first = new_stream(), second = new_stream();
    aclrtEvent done = new_event();
    Arena arena = {device_memory(ARENA), ARENA, 0, 0, 0};
    arena_register(&arena, first);
    arena_register(&arena, second);
    Tensor matrix = new_matrix(SIDE, SIDE), one = new_vector(SIDE), two = new_vector(SIDE);
    fill(matrix, 1);
    square_sums(matrix, one, first);
    ACL(aclrtRecordEvent(done, first));
#ifdef WRONG
    ACL(aclrtStreamWaitEvent(second, done));
#else
    ACL(aclrtSynchronizeEvent(done));
#endif
    square_sums(matrix, two, second);
    ACL(aclrtSynchronizeStream(second));
    ACL(aclrtSynchronizeStream(first));
    EXPECT(holds(one, SIDE) && holds(two, SIDE));
    drop(two);
    drop(one);
    drop(matrix);
    ACL(aclrtAllocatorUnregister(second));
    ACL(aclrtAllocatorUnregister(first));
    ACL(aclrtDestroyEvent(done));
    ACL(aclrtDestroyStream(second));
    ACL(aclrtDestroyStream(first));
    ACL(aclrtFree(arena.arena));
    return finish();
}
