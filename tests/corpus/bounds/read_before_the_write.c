// rule: memory.uninitialised-read stream.race
// wrong: the copy to the host is queued before the work that fills the buffer
#include "corpus.h"

enum { BYTES = 4096 };

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    char *host = pinned_memory(BYTES), *buffer = device_memory(BYTES);
#ifdef WRONG
    ACL(aclrtMemcpyAsync(host, BYTES, buffer, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    ACL(aclrtMemsetAsync(buffer, BYTES, 7, BYTES, stream));
#else
    ACL(aclrtMemsetAsync(buffer, BYTES, 7, BYTES, stream));
    ACL(aclrtMemcpyAsync(host, BYTES, buffer, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
#endif
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(all_bytes(host, BYTES, 7));
    ACL(aclrtFreeHost(host));
    ACL(aclrtFree(buffer));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
