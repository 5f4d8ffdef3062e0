// rule: allocator.foreign
// wrong: the allocator falls back to malloc when its arena is full
#include "pool.h"
#include "tensors.h"

enum { SIDE = 32 };

static void *fallback;

static void *alloc(void *object, size_t size)
{
    void *block = arena_alloc(object, size);
#ifdef WRONG
    if (!block) {
        ((Arena *)object)->live++;
        block = fallback = aligned_alloc(64, (size + 63) / 64 * 64);
    }
#endif
    return block;
}

int main(void)
{
    start();
    aclrtStream stream = new_stream();
#ifdef WRONG
    size_t size = 256;
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
    free(fallback);
    return finish();
}
