// rule: graph.unjoined
// wrong: the side stream records its event before its last copy, so the capture ends without that copy
#include "corpus.h"

enum { BYTES = 2048 };

int main(void)
{
    aclmdlRI graph = NULL;
    start();
    aclrtStream stream = new_stream(), side = new_stream();
    aclrtEvent forked = new_event(), joined = new_event();
    char *keys = device_memory(BYTES), *values = device_memory(BYTES), *cache = device_memory(2 * BYTES);
    ACL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    ACL(aclrtMemsetAsync(keys, BYTES, 3, BYTES, stream));
    ACL(aclrtMemsetAsync(values, BYTES, 3, BYTES, stream));
    ACL(aclrtRecordEvent(forked, stream));
    ACL(aclrtStreamWaitEvent(side, forked));
    ACL(aclrtMemcpyAsync(cache, BYTES, keys, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, side));
#ifdef WRONG
    ACL(aclrtRecordEvent(joined, side));
#endif
    ACL(aclrtMemcpyAsync(cache + BYTES, BYTES, values, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, side));
#ifndef WRONG
    ACL(aclrtRecordEvent(joined, side));
#endif
    ACL(aclrtStreamWaitEvent(stream, joined));
    if (TRY(aclmdlRICaptureEnd(stream, &graph)) == ACL_SUCCESS) {
        ACL(aclmdlRIExecuteAsync(graph, stream));
        ACL(aclrtSynchronizeStream(stream));
        EXPECT(device_bytes(cache, 2 * BYTES, 3));
        ACL(aclmdlRIDestroy(graph));
    }
    ACL(aclrtFree(cache));
    ACL(aclrtFree(values));
    ACL(aclrtFree(keys));
    ACL(aclrtDestroyEvent(joined));
    ACL(aclrtDestroyEvent(forked));
    ACL(aclrtDestroyStream(side));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
