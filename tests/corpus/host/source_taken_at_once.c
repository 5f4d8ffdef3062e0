// rule: stream.host-buffer
// wrong: the buffer is written again right behind a copy that does not take its source at once
#include "corpus.h"

/* One kind of copy reads its source before the call returns; the usual one does not. */
enum { BYTES = 4096, PARTS = 6 };

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    char *staging = pinned_memory(BYTES), *device = device_memory(PARTS * BYTES);
#ifdef WRONG
    aclrtMemcpyKind kind = ACL_MEMCPY_HOST_TO_DEVICE;
#else
    aclrtMemcpyKind kind = ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE;
#endif
    for (int part = 0; part < PARTS; part++) {
        memset(staging, part, BYTES);
        ACL(aclrtMemcpyAsync(device + part * BYTES, BYTES, staging, BYTES, kind, stream));
    }
    ACL(aclrtSynchronizeStream(stream));
    for (int part = 0; part < PARTS; part++)
        EXPECT(device_bytes(device + part * BYTES, BYTES, part));
    ACL(aclrtFree(device));
    ACL(aclrtFreeHost(staging));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
