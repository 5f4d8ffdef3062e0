// rule: handle.destroyed-in-use
// wrong: the model is unloaded while its last run is queued
#include "models.h"

enum { BYTES = 24 };

int main(void)
{
    float values[6] = {1, 2, 3, 4, 5, 6}, sums[6];
    start();
    aclrtStream stream = new_stream();
    uint32_t model = load_model("add.onnx");
    void *x = device_memory(BYTES), *z = device_memory(BYTES);
    upload(x, values, BYTES);
    aclmdlDataset *input = dataset_of(x, BYTES), *output = dataset_of(z, BYTES);
    add_buffer(input, x, BYTES);
    for (int i = 0; i < 3; i++)
        ACL(aclmdlExecuteAsync(model, input, output, stream));
#ifdef WRONG
    ACL(aclmdlUnload(model));
    ACL(aclrtSynchronizeStream(stream));
#else
    ACL(aclrtSynchronizeStream(stream));
    ACL(aclmdlUnload(model));
#endif
    download(sums, z, BYTES);
    for (int i = 0; i < 6; i++)
        EXPECT(sums[i] == 2 * values[i]);
    drop_dataset(output);
    drop_dataset(input);
    ACL(aclrtFree(z));
    ACL(aclrtFree(x));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
