// rule: stream.race
// wrong: the loader copies the next input while a launch of the graph may still read the last one
#include "corpus.h"

enum { BYTES = 4096, STEPS = 3 };

int main(void)
{
    aclmdlRI graph = NULL;
    start();
    aclrtStream worker = new_stream(), loader = new_stream();
    aclrtEvent loaded = new_event(), used = new_event();
    char *input = device_memory(BYTES), *output = device_memory(BYTES);
    char *batches = pinned_memory(STEPS * BYTES);
    ACL(aclmdlRICaptureBegin(worker, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    ACL(aclrtMemcpyAsync(output, BYTES, input, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, worker));
    ACL(aclmdlRICaptureEnd(worker, &graph));
    for (int step = 0; step < STEPS; step++) {
        char *batch = batches + step * BYTES;
        memset(batch, step + 1, BYTES);
#ifndef WRONG
        ACL(aclrtStreamWaitEvent(loader, used));
#endif
        ACL(aclrtMemcpyAsync(input, BYTES, batch, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, loader));
        ACL(aclrtRecordEvent(loaded, loader));
        ACL(aclrtStreamWaitEvent(worker, loaded));
        ACL(aclmdlRIExecuteAsync(graph, worker));
        ACL(aclrtRecordEvent(used, worker));
    }
    ACL(aclrtSynchronizeStream(worker));
    EXPECT(device_bytes(output, BYTES, STEPS));
    ACL(aclmdlRIDestroy(graph));
    ACL(aclrtFreeHost(batches));
    ACL(aclrtFree(output));
    ACL(aclrtFree(input));
    ACL(aclrtDestroyEvent(used));
    ACL(aclrtDestroyEvent(loaded));
    ACL(aclrtDestroyStream(loader));
    ACL(aclrtDestroyStream(worker));
    return finish();
}
