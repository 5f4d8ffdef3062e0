// rule: stream.race
// wrong: the scores are fetched right behind the asynchronous run
#include "models.h"

enum { BATCH = 4, COLUMNS = 3 };

int main(void)
{
    float x[BATCH * COLUMNS], y[BATCH * COLUMNS];
    size_t chooser = 0;
    start();
    aclrtStream stream = new_stream();
    uint32_t model = load_model("batch.om");
    aclmdlDesc *desc = aclmdlCreateDesc();
    ACL(aclmdlGetDesc(desc, model));
    void *in = device_memory(sizeof x), *out = device_memory(sizeof y);
    aclmdlDataset *input = dataset_of(in, sizeof x), *output = dataset_of(out, sizeof y);
    ACL(aclmdlGetInputIndexByName(desc, ACL_DYNAMIC_TENSOR_NAME, &chooser));
    size_t size = aclmdlGetInputSizeByIndex(desc, chooser);
    void *gear = device_memory(size);
    add_buffer(input, gear, size);
    for (int i = 0; i < BATCH * COLUMNS; i++)
        x[i] = (float)i;
    upload(in, x, sizeof x);
    ACL(aclmdlSetDynamicBatchSize(model, input, chooser, BATCH));
    for (int turn = 0; turn < 2; turn++) {
        ACL(aclmdlExecuteAsync(model, input, output, stream));
#ifndef WRONG
        ACL(aclrtSynchronizeStream(stream));
#endif
        download(y, out, sizeof y);
        for (int i = 0; i < BATCH * COLUMNS; i++)
            EXPECT(y[i] == 2 * x[i]);
    }
    ACL(aclrtSynchronizeStream(stream));
    drop_dataset(output);
    drop_dataset(input);
    ACL(aclrtFree(gear));
    ACL(aclrtFree(out));
    ACL(aclrtFree(in));
    ACL(aclmdlDestroyDesc(desc));
    ACL(aclmdlUnload(model));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
