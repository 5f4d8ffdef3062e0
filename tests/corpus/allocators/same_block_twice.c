// rule: allocator.overlap
// wrong: the allocator forgets to move its mark, so a run that needs two blocks gets the same bytes twice
#include "models.h"
#include "pool.h"

enum { ARENA = 1 << 20, ROWS = 8 };

static void *alloc(void *object, size_t size)
{
    Arena *arena = object;
    size_t used = arena->used;
    void *block = arena_alloc(object, size);
#ifdef WRONG
    arena->used = used;
#else
    (void)used;
#endif
    return block;
}

int main(void)
{
    float x[ROWS * 4], y[ROWS * 2];
    start();
    aclrtStream stream = new_stream();
    uint32_t model = load_model("mlp.om");
    Arena arena = {device_memory(ARENA), ARENA, 0, 0, 0};
    aclrtAllocatorDesc desc = arena_desc(&arena);
    ACL(aclrtAllocatorSetAllocFuncToDesc(desc, alloc));
    ACL(aclrtAllocatorRegister(stream, desc));
    ACL(aclrtAllocatorDestroyDesc(desc));
    void *in = device_memory(sizeof x), *out = device_memory(sizeof y);
    aclmdlDataset *input = dataset_of(in, sizeof x), *output = dataset_of(out, sizeof y);
    for (int i = 0; i < ROWS * 4; i++)
        x[i] = 1;
    upload(in, x, sizeof x);
    set_rows(input, ROWS, 4);
    for (int turn = 0; turn < 3; turn++)
        ACL(aclmdlExecuteAsync(model, input, output, stream));
    ACL(aclrtSynchronizeStream(stream));
    download(y, out, sizeof y);
    EXPECT(y[0] == 4 && y[ROWS * 2 - 1] == 4);
    drop_dataset(output);
    drop_dataset(input);
    ACL(aclmdlUnload(model));
    ACL(aclrtAllocatorUnregister(stream));
    ACL(aclrtDestroyStream(stream));
    ACL(aclrtFree(arena.arena));
    ACL(aclrtFree(out));
    ACL(aclrtFree(in));
    return finish();
}
