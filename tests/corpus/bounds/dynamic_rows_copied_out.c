// rule: memory.uninitialised-read
// wrong: the model computed two rows, and the program copies sixteen rows of results to the host
#include "models.h"

enum { MOST = 16 };

int main(void)
{
    float x[MOST * 4], y[MOST * 2];
    start();
    aclrtStream stream = new_stream();
    uint32_t model = load_model("mlp.om");
    void *in = device_memory(sizeof x), *out = device_memory(sizeof y);
    aclmdlDataset *input = dataset_of(in, sizeof x), *output = dataset_of(out, sizeof y);
    for (int i = 0; i < MOST * 4; i++)
        x[i] = (float)(i / 4);
    upload(in, x, sizeof x);

    set_rows(input, 2, 4);
    ACL(aclmdlExecuteAsync(model, input, output, stream));
    ACL(aclrtSynchronizeStream(stream));
#ifdef WRONG
    size_t bytes = sizeof y;
#else
    size_t bytes = aclGetTensorDescSize(aclmdlGetDatasetTensorDesc(output, 0));
    EXPECT(bytes == 16);
#endif
    download(y, out, bytes);
    EXPECT(y[0] == 0 && y[1] == 0 && y[2] == 4 && y[3] == 4);

    drop_dataset(output);
    drop_dataset(input);
    ACL(aclmdlUnload(model));
    ACL(aclrtFree(out));
    ACL(aclrtFree(in));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
