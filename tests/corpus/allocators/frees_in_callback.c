// rule: allocator.returned-early
// wrong: the allocator's free function gives each block back to the device at once
#include "pool.h"
#include "tensors.h"

/* Each block is an allocation of its own, kept until the end. */
enum { SIDE = 24, MOST = 16 };

typedef struct {
    void *kept[MOST];
    int count;
} Keeper;

static void *alloc(void *object, size_t size)
{
    (void)object;
    return device_memory(size);
}

static void release(void *object, void *block)
{
#ifdef WRONG
    (void)object;
    ACL(aclrtFree(block));
#else
    Keeper *keeper = object;
    keeper->kept[keeper->count++] = block;
#endif
}

int main(void)
{
    Keeper keeper = {{NULL}, 0};
    start();
    aclrtStream stream = new_stream();
    aclrtAllocatorDesc desc = aclrtAllocatorCreateDesc();
    ACL(aclrtAllocatorSetObjToDesc(desc, &keeper));
    ACL(aclrtAllocatorSetAllocFuncToDesc(desc, alloc));
    ACL(aclrtAllocatorSetFreeFuncToDesc(desc, release));
    ACL(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, arena_address));
    ACL(aclrtAllocatorRegister(stream, desc));
    ACL(aclrtAllocatorDestroyDesc(desc));
    Tensor matrix = new_matrix(SIDE, SIDE), sums = new_vector(SIDE);
    fill(matrix, 1);
    for (int i = 0; i < 3; i++)
        square_sums(matrix, sums, stream);
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(holds(sums, SIDE));
    while (keeper.count > 0)
        ACL(aclrtFree(keeper.kept[--keeper.count]));
    drop(sums);
    drop(matrix);
    ACL(aclrtAllocatorUnregister(stream));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
