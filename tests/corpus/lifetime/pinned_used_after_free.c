// rule: memory.use-after-free
// wrong: the staging buffer is freed before the last batch is sent from it
#include "corpus.h"

enum { BYTES = 4096, BATCHES = 3 };

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    char *staging = pinned_memory(BYTES), *device = device_memory(BATCHES * BYTES);
    memset(staging, 90, BYTES);
    for (int batch = 0; batch < BATCHES; batch++) {
#ifdef WRONG
        if (batch == BATCHES - 1)
            ACL(aclrtFreeHost(staging));
#endif
        TRY(aclrtMemcpyAsync(device + batch * BYTES, BYTES, staging, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        ACL(aclrtSynchronizeStream(stream));
    }
#ifndef WRONG
    EXPECT(device_bytes(device, BATCHES * BYTES, 90));
    ACL(aclrtFreeHost(staging));
#endif
    ACL(aclrtFree(device));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
