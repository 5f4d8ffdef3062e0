// rule: allocator.misaligned
// wrong: the allocator puts a header of sixteen bytes before each block and forgets the alignment
#include "pool.h"
#include "tensors.h"

enum { SIDE = 16, ARENA = 1 << 20 };

static void *alloc_with_header(void *object, size_t size)
{
#ifdef WRONG
    size_t header = 16;
#else
    size_t header = 64;
#endif
    char *block = arena_alloc(object, size + header);
    return block ? block + header : NULL;
}

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    Arena arena = {device_memory(ARENA), ARENA, 0, 0, 0};
    aclrtAllocatorDesc desc = arena_desc(&arena);
    ACL(aclrtAllocatorSetAllocFuncToDesc(desc, alloc_with_header));
    ACL(aclrtAllocatorRegister(stream, desc));
    ACL(aclrtAllocatorDestroyDesc(desc));
    Tensor matrix = new_matrix(SIDE, SIDE), sums = new_vector(SIDE);
    fill(matrix, 1);
    square_sums(matrix, sums, stream);
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(holds(sums, SIDE));
    EXPECT(arena.served > 0);
    drop(sums);
    drop(matrix);
    ACL(aclrtAllocatorUnregister(stream));
    ACL(aclrtDestroyStream(stream));
    ACL(aclrtFree(arena.arena));
    return finish();
}
