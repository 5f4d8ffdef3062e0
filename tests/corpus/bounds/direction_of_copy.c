// rule: memory.copy-kind
// severity: hint
// wrong: a copy between two device buffers says that it goes from host to host
#include "corpus.h"

enum { BYTES = 4096 };

int main(void)
{
    start();
    void *from = device_memory(BYTES), *to = device_memory(BYTES);
    ACL(aclrtMemset(from, BYTES, 50, BYTES));
#ifdef WRONG
    aclrtMemcpyKind kind = ACL_MEMCPY_HOST_TO_HOST;
#else
    aclrtMemcpyKind kind = ACL_MEMCPY_DEVICE_TO_DEVICE;
#endif
    ACL(aclrtMemcpy(to, BYTES, from, BYTES, kind));
    EXPECT(device_bytes(to, BYTES, 50));
    ACL(aclrtFree(to));
    ACL(aclrtFree(from));
    return finish();
}
