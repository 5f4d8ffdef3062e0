// rule: stream.race
// wrong: the next request's input is uploaded while the model may still read the one before
#include "models.h"

enum { BYTES = 24, REQUESTS = 4 };

int main(void)
{
    start();
    aclrtStream run = new_stream(), copies = new_stream();
    aclrtEvent input_there = new_event(), model_done = new_event();
    uint32_t model = load_model("add.onnx");
    float *x = device_memory(BYTES), *y = device_memory(BYTES), *z = device_memory(BYTES);
    float *host = pinned_memory(REQUESTS * BYTES), *results = pinned_memory(REQUESTS * BYTES);
    aclmdlDataset *input = dataset_of(x, BYTES), *output = dataset_of(z, BYTES);
    add_buffer(input, y, BYTES);
    ACL(aclrtMemset(y, BYTES, 0, BYTES));

    for (int request = 0; request < REQUESTS; request++) {
        float *mine = host + request * 6;
        for (int i = 0; i < 6; i++)
            mine[i] = (float)(request * 6 + i);
#ifndef WRONG
        if (request > 0)
            ACL(aclrtStreamWaitEvent(copies, model_done));
#endif
        ACL(aclrtMemcpyAsync(x, BYTES, mine, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, copies));
        ACL(aclrtRecordEvent(input_there, copies));
        ACL(aclrtStreamWaitEvent(run, input_there));
        ACL(aclmdlExecuteAsync(model, input, output, run));
        ACL(aclrtRecordEvent(model_done, run));
        ACL(aclrtMemcpyAsync(results + request * 6, BYTES, z, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, run));
    }
    ACL(aclrtSynchronizeStream(copies));
    ACL(aclrtSynchronizeStream(run));
    EXPECT(memcmp(host, results, REQUESTS * BYTES) == 0);

    drop_dataset(output);
    drop_dataset(input);
    ACL(aclmdlUnload(model));
    ACL(aclrtFreeHost(results));
    ACL(aclrtFreeHost(host));
    ACL(aclrtFree(z));
    ACL(aclrtFree(y));
    ACL(aclrtFree(x));
    ACL(aclrtDestroyEvent(model_done));
    ACL(aclrtDestroyEvent(input_there));
    ACL(aclrtDestroyStream(copies));
    ACL(aclrtDestroyStream(run));
    return finish();
}
