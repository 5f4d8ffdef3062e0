// rule: stream.race
// wrong: two models that share one work memory run on two streams at the same time
#include "models.h"

enum { ROWS = 3, IN = ROWS * 4 * 4, OUT = ROWS * 2 * 4 };

int main(void)
{
    float x[ROWS * 4], y[ROWS * 2];
    size_t work_size = 0, weight_size = 0;
    uint32_t models[2];
    aclmdlDataset *inputs[2], *outputs[2];
    void *ins[2], *outs[2], *weights[2];
    start();
    aclrtStream streams[2] = {new_stream(), new_stream()};
    aclrtEvent first_done = new_event();
    ACL(aclmdlQuerySize(model_path("fixed.om"), &work_size, &weight_size));
    EXPECT(work_size > 0);
    void *work = device_memory(work_size);
    for (int i = 0; i < ROWS * 4; i++)
        x[i] = 1;
    for (int i = 0; i < 2; i++) {
        weights[i] = device_memory(weight_size ? weight_size : 1);
        ACL(aclmdlLoadFromFileWithMem(model_path("fixed.om"), &models[i], work, work_size, weights[i], weight_size));
        ins[i] = device_memory(IN);
        outs[i] = device_memory(OUT);
        upload(ins[i], x, IN);
        inputs[i] = dataset_of(ins[i], IN);
        outputs[i] = dataset_of(outs[i], OUT);
    }
    for (int turn = 0; turn < 2; turn++) {
        ACL(aclmdlExecuteAsync(models[0], inputs[0], outputs[0], streams[0]));
        ACL(aclrtRecordEvent(first_done, streams[0]));
#ifndef WRONG
        ACL(aclrtStreamWaitEvent(streams[1], first_done));
#endif
        ACL(aclmdlExecuteAsync(models[1], inputs[1], outputs[1], streams[1]));
        ACL(aclrtSynchronizeDevice());
    }
    for (int i = 0; i < 2; i++) {
        download(y, outs[i], OUT);
        EXPECT(y[0] == 4 && y[ROWS * 2 - 1] == 4);
        ACL(aclmdlUnload(models[i]));
        drop_dataset(outputs[i]);
        drop_dataset(inputs[i]);
        ACL(aclrtFree(outs[i]));
        ACL(aclrtFree(ins[i]));
        ACL(aclrtFree(weights[i]));
        ACL(aclrtDestroyStream(streams[i]));
    }
    ACL(aclrtFree(work));
    ACL(aclrtDestroyEvent(first_done));
    return finish();
}
