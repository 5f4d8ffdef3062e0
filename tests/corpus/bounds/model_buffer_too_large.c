// rule: memory.out-of-bounds
// wrong: the dataset says that the input has room for sixteen rows, the memory has room for four
#include "models.h"

enum { ROWS = 16 };

int main(void)
{
    float x[ROWS * 4], y[ROWS * 2];
    start();
    aclrtStream stream = new_stream();
    uint32_t model = load_model("mlp.om");
#ifdef WRONG
    size_t room = 4 * 4 * sizeof(float);
#else
    size_t room = sizeof x;
#endif
    void *in = device_memory(room), *out = device_memory(sizeof y);
    for (int i = 0; i < ROWS * 4; i++)
        x[i] = 1;
    upload(in, x, room);
    aclmdlDataset *input = dataset_of(in, sizeof x), *output = dataset_of(out, sizeof y);
    set_rows(input, ROWS, 4);
    if (TRY(aclmdlExecuteAsync(model, input, output, stream)) == ACL_SUCCESS) {
        ACL(aclrtSynchronizeStream(stream));
        download(y, out, sizeof y);
        for (int i = 0; i < ROWS * 2; i++)
            EXPECT(y[i] == 4);
    }
    drop_dataset(output);
    drop_dataset(input);
    ACL(aclmdlUnload(model));
    ACL(aclrtFree(out));
    ACL(aclrtFree(in));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
