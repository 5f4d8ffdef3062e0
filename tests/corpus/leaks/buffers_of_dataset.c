// rule: handle.leak
// severity: warning
// wrong: the dataset is destroyed, but not the data buffers in it
#include "models.h"

enum { BYTES = 24 };

static void dataset_end(aclmdlDataset *dataset)
{
#ifdef WRONG
    ACL(aclmdlDestroyDataset(dataset));
#else
    drop_dataset(dataset);
#endif
}

int main(void)
{
    float values[6] = {1, 2, 3, 4, 5, 6}, sums[6];
    start();
    uint32_t model = load_model("add.onnx");
    void *x = device_memory(BYTES), *z = device_memory(BYTES);
    upload(x, values, BYTES);
    aclmdlDataset *input = dataset_of(x, BYTES), *output = dataset_of(z, BYTES);
    add_buffer(input, x, BYTES);
    ACL(aclmdlExecute(model, input, output));
    download(sums, z, BYTES);
    EXPECT(sums[5] == 12);
    dataset_end(input);
    dataset_end(output);
    ACL(aclmdlUnload(model));
    ACL(aclrtFree(z));
    ACL(aclrtFree(x));
    return finish();
}
