// rule: graph.illegal-call
// wrong: a helper clears its buffer on the default stream while another stream is captured
#include "corpus.h"

enum { BYTES = 1024 };

int main(void)
{
    aclmdlRI graph = NULL;
    start();
    aclrtStream stream = new_stream();
    char *sums = device_memory(BYTES), *output = device_memory(BYTES);
    ACL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
#ifdef WRONG
    TRY(aclrtMemsetAsync(sums, BYTES, 0, BYTES, NULL));
#else
    TRY(aclrtMemsetAsync(sums, BYTES, 0, BYTES, stream));
#endif
    TRY(aclrtMemcpyAsync(output, BYTES, sums, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    if (TRY(aclmdlRICaptureEnd(stream, &graph)) == ACL_SUCCESS) {
        ACL(aclmdlRIExecuteAsync(graph, stream));
        ACL(aclrtSynchronizeStream(stream));
        EXPECT(device_bytes(output, BYTES, 0));
        ACL(aclmdlRIDestroy(graph));
    }
    ACL(aclrtFree(output));
    ACL(aclrtFree(sums));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
