// rule: handle.leak
// severity: warning
// wrong: each request creates a stream, and only successful ones destroy it
#include "corpus.h"

enum { BYTES = 1024 };

static int serve(int value)
{
    aclrtStream stream = new_stream();
    void *device = device_memory(BYTES);
    int ok = value >= 0;
    ACL(aclrtMemsetAsync(device, BYTES, value & 0x7f, BYTES, stream));
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(device_bytes(device, BYTES, value & 0x7f));
    ACL(aclrtFree(device));
#ifdef WRONG
    if (ok)
#endif
        ACL(aclrtDestroyStream(stream));
    return ok;
}

int main(void)
{
    start();
    EXPECT(serve(1) == 1);
    EXPECT(serve(-1) == 0);
    EXPECT(serve(2) == 1);
    return finish();
}
