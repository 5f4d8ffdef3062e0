// rule: heap.unregistered-block
// severity: warning
// wrong: the allocator registers its arena as a heap, but not the blocks that it hands out
#include "heaps.h"
#include "pool.h"
#include "tensors.h"

enum { SIDE = 16, ARENA = 1 << 18 };

static mstxMemHeapHandle_t heap;

static void *alloc(void *object, size_t size)
{
    void *block = arena_alloc(object, size);
#ifndef WRONG
    if (block)
        region_register(heap, block, size);
#endif
    return block;
}

static void release(void *object, void *block)
{
#ifndef WRONG
    region_unregister_at(block);
#endif
    arena_free(object, block);
}

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    Arena arena = {device_memory(ARENA), ARENA, 0, 0, 0};
    heap = heap_register(arena.arena, ARENA);
    aclrtAllocatorDesc desc = arena_desc(&arena);
    ACL(aclrtAllocatorSetAllocFuncToDesc(desc, alloc));
    ACL(aclrtAllocatorSetFreeFuncToDesc(desc, release));
    ACL(aclrtAllocatorRegister(stream, desc));
    ACL(aclrtAllocatorDestroyDesc(desc));
    Tensor matrix = new_matrix(SIDE, SIDE), sums = new_vector(SIDE);
    fill(matrix, 1);
    for (int i = 0; i < 3; i++)
        square_sums(matrix, sums, stream);
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(holds(sums, SIDE));
    EXPECT(arena.served > 0);
    drop(sums);
    drop(matrix);
    ACL(aclrtAllocatorUnregister(stream));
    mstxMemHeapUnregister(globalDomain, heap);
    ACL(aclrtDestroyStream(stream));
    ACL(aclrtFree(arena.arena));
    return finish();
}
