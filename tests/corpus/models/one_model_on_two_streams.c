// rule: stream.race
// wrong: two threads of a server run the same model on streams of their own at the same time
// known-miss: the memory that a model brings itself is the runtime's, and each run here has its own
#include "models.h"

enum { BYTES = 24 };

int main(void)
{
    float values[6] = {1, 2, 3, 4, 5, 6}, sums[6];
    aclmdlDataset *inputs[2], *outputs[2];
    void *x, *z[2];
    start();
    aclrtStream streams[2] = {new_stream(), new_stream()};
    uint32_t model = load_model("add.onnx");
    x = device_memory(BYTES);
    upload(x, values, BYTES);
    for (int i = 0; i < 2; i++) {
        z[i] = device_memory(BYTES);
        inputs[i] = dataset_of(x, BYTES);
        add_buffer(inputs[i], x, BYTES);
        outputs[i] = dataset_of(z[i], BYTES);
    }
    for (int i = 0; i < 2; i++) {
        ACL(aclmdlExecuteAsync(model, inputs[i], outputs[i], streams[i]));
#ifndef WRONG
        ACL(aclrtSynchronizeStream(streams[i]));
#endif
    }
    ACL(aclrtSynchronizeDevice());
    for (int i = 0; i < 2; i++) {
        download(sums, z[i], BYTES);
        EXPECT(sums[5] == 12);
        drop_dataset(outputs[i]);
        drop_dataset(inputs[i]);
        ACL(aclrtFree(z[i]));
        ACL(aclrtDestroyStream(streams[i]));
    }
    ACL(aclrtFree(x));
    ACL(aclmdlUnload(model));
    return finish();
}
