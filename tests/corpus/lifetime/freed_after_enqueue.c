// rule: memory.freed-in-use
// wrong: the temporary is freed when the copies that use it are queued
#include "corpus.h"

enum { BYTES = 1 << 16 };

static void transform(char *data, aclrtStream stream)
{
    void *temporary = device_memory(BYTES);
    ACL(aclrtMemcpyAsync(temporary, BYTES, data, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL(aclrtMemsetAsync(data, BYTES, 0, BYTES, stream));
    ACL(aclrtMemcpyAsync(data, BYTES, temporary, BYTES / 2, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
#ifndef WRONG
    ACL(aclrtSynchronizeStream(stream));
#endif
    ACL(aclrtFree(temporary));
}

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    char *data = device_memory(BYTES);
    ACL(aclrtMemsetAsync(data, BYTES, 9, BYTES, stream));
    transform(data, stream);
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(device_bytes(data, BYTES / 2, 9));
    EXPECT(device_bytes(data + BYTES / 2, BYTES / 2, 0));
    ACL(aclrtFree(data));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
