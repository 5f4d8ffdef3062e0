// rule: stream.race
// wrong: a blocking run of the model starts while the upload of its input is queued on a stream
#include "models.h"

enum { BYTES = 24 };

int main(void)
{
    float sums[6];
    start();
    aclrtStream copies = new_stream();
    uint32_t model = load_model("add.onnx");
    float *host = pinned_memory(BYTES);
    void *x = device_memory(BYTES), *z = device_memory(BYTES);
    aclmdlDataset *input = dataset_of(x, BYTES), *output = dataset_of(z, BYTES);
    add_buffer(input, x, BYTES);
    ACL(aclrtMemset(x, BYTES, 0, BYTES));
    for (int i = 0; i < 6; i++)
        host[i] = (float)i;
    ACL(aclrtMemcpyAsync(x, BYTES, host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, copies));
#ifndef WRONG
    ACL(aclrtSynchronizeStream(copies));
#endif
    ACL(aclmdlExecute(model, input, output));
    download(sums, z, BYTES);
    EXPECT(sums[5] == 10);
    ACL(aclrtSynchronizeStream(copies));
    drop_dataset(output);
    drop_dataset(input);
    ACL(aclmdlUnload(model));
    ACL(aclrtFree(z));
    ACL(aclrtFree(x));
    ACL(aclrtFreeHost(host));
    ACL(aclrtDestroyStream(copies));
    return finish();
}
