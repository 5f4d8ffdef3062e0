// rule: graph.two-streams
// wrong: a server launches the same graph for two requests, each on a stream of its own
#include "corpus.h"

enum { BYTES = 1024, REQUESTS = 4 };

int main(void)
{
    aclmdlRI graph = NULL;
    start();
    aclrtStream streams[2] = {new_stream(), new_stream()};
    aclrtEvent free_again = new_event();
    char *state = device_memory(BYTES), *output = device_memory(BYTES);
    ACL(aclmdlRICaptureBegin(streams[0], ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    ACL(aclrtMemsetAsync(state, BYTES, 6, BYTES, streams[0]));
    ACL(aclrtMemcpyAsync(output, BYTES, state, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, streams[0]));
    ACL(aclmdlRICaptureEnd(streams[0], &graph));
    for (int request = 0; request < REQUESTS; request++) {
        aclrtStream stream = streams[request % 2];
#ifndef WRONG
        ACL(aclrtStreamWaitEvent(stream, free_again));
#endif
        ACL(aclmdlRIExecuteAsync(graph, stream));
        ACL(aclrtRecordEvent(free_again, stream));
    }
    ACL(aclrtSynchronizeStream(streams[0]));
    ACL(aclrtSynchronizeStream(streams[1]));
    EXPECT(device_bytes(output, BYTES, 6));
    ACL(aclmdlRIDestroy(graph));
    ACL(aclrtFree(output));
    ACL(aclrtFree(state));
    ACL(aclrtDestroyEvent(free_again));
    ACL(aclrtDestroyStream(streams[1]));
    ACL(aclrtDestroyStream(streams[0]));
    return finish();
}
