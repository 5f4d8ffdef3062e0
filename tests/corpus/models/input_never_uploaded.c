// rule: memory.uninitialised-read
// wrong: the second input of the model is never uploaded
#include "models.h"

enum { BYTES = 24 };

int main(void)
{
    float x[6] = {1, 2, 3, 4, 5, 6}, y[6] = {6, 5, 4, 3, 2, 1}, z[6];
    start();
    aclrtStream stream = new_stream();
    uint32_t model = load_model("add.onnx");
    void *a = device_memory(BYTES), *b = device_memory(BYTES), *c = device_memory(BYTES);
    aclmdlDataset *input = dataset_of(a, BYTES), *output = dataset_of(c, BYTES);
    add_buffer(input, b, BYTES);
    upload(a, x, BYTES);
#ifdef WRONG
    upload(a, y, BYTES);
#else
    upload(b, y, BYTES);
#endif
    ACL(aclmdlExecuteAsync(model, input, output, stream));
    ACL(aclrtSynchronizeStream(stream));
    download(z, c, BYTES);
    for (int i = 0; i < 6; i++)
        EXPECT(z[i] == 7);
    drop_dataset(output);
    drop_dataset(input);
    ACL(aclmdlUnload(model));
    ACL(aclrtFree(c));
    ACL(aclrtFree(b));
    ACL(aclrtFree(a));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
