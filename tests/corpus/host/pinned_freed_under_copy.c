// rule: stream.host-buffer
// wrong: the staging buffer is freed when its copy is queued, not when it is done
#include "corpus.h"

enum { BYTES = 1 << 16, CHUNKS = 4 };

static void send_chunk(char *device, int value, aclrtStream stream)
{
    void *staging = pinned_memory(BYTES);
    memset(staging, value, BYTES);
    ACL(aclrtMemcpyAsync(device, BYTES, staging, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
#ifndef WRONG
    ACL(aclrtSynchronizeStream(stream));
#endif
    ACL(aclrtFreeHost(staging));
}

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    char *device = device_memory(CHUNKS * BYTES);
    for (int chunk = 0; chunk < CHUNKS; chunk++)
        send_chunk(device + chunk * BYTES, chunk, stream);
    ACL(aclrtSynchronizeStream(stream));
    for (int chunk = 0; chunk < CHUNKS; chunk++)
        EXPECT(device_bytes(device + chunk * BYTES, BYTES, chunk));
    ACL(aclrtFree(device));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
