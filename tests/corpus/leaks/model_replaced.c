// rule: handle.leak
// severity: warning
// wrong: a hot swap loads the new model and does not unload the old one
#include "models.h"

enum { BYTES = 24 };

int main(void)
{
    float values[6] = {1, 2, 3, 4, 5, 6}, sums[6];
    start();
    uint32_t model = load_model("add.onnx");
    void *x = device_memory(BYTES), *z = device_memory(BYTES);
    upload(x, values, BYTES);
    aclmdlDataset *input = dataset_of(x, BYTES), *output = dataset_of(z, BYTES);
    add_buffer(input, x, BYTES);
    for (int version = 0; version < 2; version++) {
        ACL(aclmdlExecute(model, input, output));
        download(sums, z, BYTES);
        EXPECT(sums[0] == 2);
        uint32_t next = load_model("add.onnx");
#ifndef WRONG
        ACL(aclmdlUnload(model));
#endif
        model = next;
    }
    ACL(aclmdlUnload(model));
    drop_dataset(output);
    drop_dataset(input);
    ACL(aclrtFree(z));
    ACL(aclrtFree(x));
    return finish();
}
