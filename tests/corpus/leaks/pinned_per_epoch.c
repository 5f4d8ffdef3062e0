// rule: memory.leak
// wrong: each epoch allocates new pinned buffers and frees only those of the last
#include "corpus.h"

enum { EPOCHS = 3, BYTES = 1 << 14 };

int main(void)
{
    void *staging = NULL;
    start();
    void *device = device_memory(BYTES);
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
#ifdef WRONG
        staging = pinned_memory(BYTES);
#else
        if (!staging)
            staging = pinned_memory(BYTES);
#endif
        memset(staging, epoch, BYTES);
        upload(device, staging, BYTES);
        EXPECT(device_bytes(device, BYTES, epoch));
    }
    ACL(aclrtFreeHost(staging));
    ACL(aclrtFree(device));
    return finish();
}
