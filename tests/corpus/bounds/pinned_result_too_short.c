// rule: memory.out-of-bounds
// wrong: the pinned result buffer was made for one beam, and all beams are copied into it
#include "corpus.h"

enum { BEAMS = 4, LENGTH = 512 };

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    size_t bytes = BEAMS * LENGTH * sizeof(int32_t);
    void *tokens = device_memory(bytes);
#ifdef WRONG
    int32_t *host = pinned_memory(LENGTH * sizeof(int32_t));
#else
    int32_t *host = pinned_memory(bytes);
#endif
    ACL(aclrtMemsetAsync(tokens, bytes, 0, bytes, stream));
    TRY(aclrtMemcpyAsync(host, bytes, tokens, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    TRY(aclrtSynchronizeStream(stream));
#ifndef WRONG
    for (int i = 0; i < BEAMS * LENGTH; i++)
        EXPECT(host[i] == 0);
#endif
    ACL(aclrtFreeHost(host));
    ACL(aclrtFree(tokens));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
