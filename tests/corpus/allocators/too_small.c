// rule: allocator.too-small
// wrong: the allocator hands out its last bytes although they are fewer than it was asked for
#include "pool.h"
#include "tensors.h"

enum { SIDE = 32, ARENA = 1024 };

static void *alloc(void *object, size_t size)
{
#ifdef WRONG
    Arena *arena = object;
    (void)size;
    arena->live++;
    arena->served++;
    return arena->arena;
#else
    return arena_alloc(object, size);
#endif
}

int main(void)
{
    start();
    aclrtStream stream = new_stream();
#ifdef WRONG
    size_t size = ARENA;
#else
    size_t size = 1 << 20;
#endif
    Arena arena = {device_memory(size), size, 0, 0, 0};
    aclrtAllocatorDesc desc = arena_desc(&arena);
    ACL(aclrtAllocatorSetAllocFuncToDesc(desc, alloc));
    ACL(aclrtAllocatorRegister(stream, desc));
    ACL(aclrtAllocatorDestroyDesc(desc));
    Tensor matrix = new_matrix(SIDE, SIDE), sums = new_vector(SIDE);
    fill(matrix, 1);
    square_sums(matrix, sums, stream);
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(holds(sums, SIDE));
    drop(sums);
    drop(matrix);
    ACL(aclrtAllocatorUnregister(stream));
    ACL(aclrtDestroyStream(stream));
    ACL(aclrtFree(arena.arena));
    return finish();
}
