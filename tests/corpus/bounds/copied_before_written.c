// rule: memory.uninitialised-read
// wrong: the checkpoint copies a buffer that nothing has written, and the host gets it through two copies
#include "corpus.h"

enum { BYTES = 8192 };

int main(void)
{
    char *file = malloc(BYTES);
    start();
    aclrtStream stream = new_stream();
    void *state = device_memory(BYTES), *snapshot = device_memory(BYTES), *shadow = device_memory(BYTES);
#ifndef WRONG
    ACL(aclrtMemsetAsync(state, BYTES, 30, BYTES, stream));
#endif
    ACL(aclrtMemcpyAsync(snapshot, BYTES, state, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL(aclrtMemcpyAsync(shadow, BYTES, snapshot, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL(aclrtSynchronizeStream(stream));
    download(file, shadow, BYTES);
    EXPECT(all_bytes(file, BYTES, 30));
    ACL(aclrtFree(shadow));
    ACL(aclrtFree(snapshot));
    ACL(aclrtFree(state));
    ACL(aclrtDestroyStream(stream));
    free(file);
    return finish();
}
