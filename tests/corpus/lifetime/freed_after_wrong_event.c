// rule: memory.freed-in-use
// wrong: before the buffer is freed, the host waits for the event of its upload, not of its last use
#include "corpus.h"

enum { BYTES = 1 << 16 };

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    aclrtEvent uploaded = new_event(), used = new_event();
    void *host = pinned_memory(BYTES), *input = device_memory(BYTES), *output = device_memory(BYTES);
    memset(host, 14, BYTES);
    ACL(aclrtMemcpyAsync(input, BYTES, host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    ACL(aclrtRecordEvent(uploaded, stream));
    ACL(aclrtMemcpyAsync(output, BYTES, input, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL(aclrtRecordEvent(used, stream));
#ifdef WRONG
    ACL(aclrtSynchronizeEvent(uploaded));
#else
    ACL(aclrtSynchronizeEvent(used));
#endif
    ACL(aclrtFree(input));
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(device_bytes(output, BYTES, 14));
    ACL(aclrtFree(output));
    ACL(aclrtFreeHost(host));
    ACL(aclrtDestroyEvent(used));
    ACL(aclrtDestroyEvent(uploaded));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
