// rule: heap.use-after-unregister
// wrong: a block went back to the program's own pool, and a queued copy uses it afterwards
#include "heaps.h"

/* A free list of equal blocks in one arena. */
enum { BLOCKS = 8, BLOCK = 2048 };

typedef struct {
    char *arena;
    mstxMemHeapHandle_t heap;
    int free[BLOCKS], count;
} FreeList;

static char *take(FreeList *list)
{
    char *block = list->arena + list->free[--list->count] * BLOCK;
    region_register(list->heap, block, BLOCK);
    return block;
}

static void give(FreeList *list, char *block)
{
    region_unregister_at(block);
    list->free[list->count++] = (int)((block - list->arena) / BLOCK);
}

int main(void)
{
    FreeList list = {NULL, NULL, {0}, 0};
    start();
    aclrtStream stream = new_stream();
    list.arena = device_memory(BLOCKS * BLOCK);
    list.heap = heap_register(list.arena, BLOCKS * BLOCK);
    while (list.count < BLOCKS) {
        list.free[list.count] = list.count;
        list.count++;
    }
    char *a = take(&list), *b = take(&list);
    ACL(aclrtMemsetAsync(a, BLOCK, 9, BLOCK, stream));
#ifdef WRONG
    give(&list, a);
    ACL(aclrtMemcpyAsync(b, BLOCK, a, BLOCK, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
#else
    ACL(aclrtMemcpyAsync(b, BLOCK, a, BLOCK, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    give(&list, a);
#endif
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(device_bytes(b, BLOCK, 9));
    give(&list, b);
    EXPECT(list.count == BLOCKS);
    mstxMemHeapUnregister(globalDomain, list.heap);
    ACL(aclrtFree(list.arena));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
