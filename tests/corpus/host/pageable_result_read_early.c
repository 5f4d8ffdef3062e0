// rule: stream.host-buffer
// wrong: the result is read from plain memory before the stream was synchronised
// known-miss: copies to plain memory are done inside the call here, so the result is right
#include "corpus.h"

enum { COUNT = 1000 };

int main(void)
{
    int32_t *counts = malloc(COUNT * sizeof(int32_t)), total = 0;
    start();
    aclrtStream stream = new_stream();
    void *device = device_memory(COUNT * sizeof(int32_t));
    ACL(aclrtMemsetAsync(device, COUNT * sizeof(int32_t), 0, COUNT * sizeof(int32_t), stream));
    ACL(aclrtMemcpyAsync(counts, COUNT * sizeof(int32_t), device, COUNT * sizeof(int32_t), ACL_MEMCPY_DEVICE_TO_HOST, stream));
#ifndef WRONG
    ACL(aclrtSynchronizeStream(stream));
#endif
    for (int i = 0; i < COUNT; i++)
        total += counts[i];
    EXPECT(total == 0);
    ACL(aclrtSynchronizeStream(stream));
    ACL(aclrtFree(device));
    ACL(aclrtDestroyStream(stream));
    free(counts);
    return finish();
}
