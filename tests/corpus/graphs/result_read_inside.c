// rule: graph.illegal-call
// wrong: a step that is captured still copies its result to the host at once, as it did before
#include "corpus.h"

enum { BYTES = 1024 };

static char *state, *output;
static char result[BYTES];

/* One step, as it was written before there were graphs. */
static void step(aclrtStream stream)
{
    ACL(aclrtMemsetAsync(state, BYTES, 5, BYTES, stream));
    ACL(aclrtMemcpyAsync(output, BYTES, state, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
#ifdef WRONG
    TRY(aclrtMemcpy(result, BYTES, output, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
#endif
}

int main(void)
{
    aclmdlRI graph = NULL;
    start();
    aclrtStream stream = new_stream();
    state = device_memory(BYTES);
    output = device_memory(BYTES);
    ACL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
    step(stream);
    if (TRY(aclmdlRICaptureEnd(stream, &graph)) == ACL_SUCCESS) {
        ACL(aclmdlRIExecuteAsync(graph, stream));
        ACL(aclrtSynchronizeStream(stream));
        download(result, output, BYTES);
        EXPECT(all_bytes(result, BYTES, 5));
        ACL(aclmdlRIDestroy(graph));
    }
    ACL(aclrtFree(output));
    ACL(aclrtFree(state));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
