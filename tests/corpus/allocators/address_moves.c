// rule: allocator.unstable
// wrong: the function that returns a block's address counts up a cursor, so it returns another one each time
#include "pool.h"
#include "tensors.h"

enum { SIDE = 8, ARENA = 1 << 18 };

typedef struct {
    char *start;
    size_t size;
} Block;

static Block block;

static void *alloc(void *object, size_t size)
{
    block.start = arena_alloc(object, size + 64);
    block.size = size;
    return &block;
}

static void release(void *object, void *handle)
{
    arena_free(object, handle);
}

static void *address(void *handle)
{
    Block *mine = handle;
#ifdef WRONG
    char *now = mine->start;
    mine->start += 64;
    return now;
#else
    return mine->start;
#endif
}

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    Arena arena = {device_memory(ARENA), ARENA, 0, 0, 0};
    aclrtAllocatorDesc desc = arena_desc(&arena);
    ACL(aclrtAllocatorSetAllocFuncToDesc(desc, alloc));
    ACL(aclrtAllocatorSetFreeFuncToDesc(desc, release));
    ACL(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, address));
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
