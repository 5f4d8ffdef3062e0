// rule: graph.freed-memory
// wrong: the output is allocated anew for a larger batch, but the graph is not captured again
#include "corpus.h"

enum { BYTES = 4096 };

static aclrtStream stream;
static char *input, *output;
static aclmdlRI graph;

static void capture(void)
{
    if (graph) {
        ACL(aclmdlRIDestroy(graph));
    }
    ACL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    ACL(aclrtMemcpyAsync(output, BYTES, input, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL(aclmdlRICaptureEnd(stream, &graph));
}

int main(void)
{
    start();
    stream = new_stream();
    input = device_memory(BYTES);
    output = device_memory(BYTES);
    ACL(aclrtMemset(input, BYTES, 9, BYTES));
    capture();
    ACL(aclmdlRIExecuteAsync(graph, stream));
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(device_bytes(output, BYTES, 9));

    ACL(aclrtFree(output));
    output = device_memory(4 * BYTES);
#ifndef WRONG
    capture();
#endif
    TRY(aclmdlRIExecuteAsync(graph, stream));
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(device_bytes(output, BYTES, 9));

    ACL(aclmdlRIDestroy(graph));
    ACL(aclrtFree(output));
    ACL(aclrtFree(input));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
