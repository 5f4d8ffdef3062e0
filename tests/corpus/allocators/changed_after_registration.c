// rule: allocator.changed-descriptor
// severity: warning
// wrong: statistics are switched on by setting another function in a description that is registered already
#include "pool.h"
#include "tensors.h"

enum { SIDE = 8, ARENA = 1 << 18 };

static size_t largest;

static void *counting_alloc(void *object, size_t size)
{
    largest = size > largest ? size : largest;
    return arena_alloc(object, size);
}

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    Arena arena = {device_memory(ARENA), ARENA, 0, 0, 0};
    aclrtAllocatorDesc desc = arena_desc(&arena);
#ifdef WRONG
    ACL(aclrtAllocatorRegister(stream, desc));
    ACL(aclrtAllocatorSetAllocFuncToDesc(desc, counting_alloc));
#else
    ACL(aclrtAllocatorSetAllocFuncToDesc(desc, counting_alloc));
    ACL(aclrtAllocatorRegister(stream, desc));
#endif
    ACL(aclrtAllocatorDestroyDesc(desc));
    Tensor matrix = new_matrix(SIDE, SIDE), sums = new_vector(SIDE);
    fill(matrix, 1);
    square_sums(matrix, sums, stream);
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(holds(sums, SIDE));
    EXPECT(largest > 0);
    drop(sums);
    drop(matrix);
    ACL(aclrtAllocatorUnregister(stream));
    ACL(aclrtDestroyStream(stream));
    ACL(aclrtFree(arena.arena));
    return finish();
}
