// rule: memory.never-used
// severity: hint
// wrong: a large workspace is allocated for a path that does not exist any more
#include "corpus.h"

enum { BYTES = 1 << 16 };

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    void *data = device_memory(BYTES), *workspace = device_memory(4 * BYTES);
    ACL(aclrtMemsetAsync(data, BYTES, 1, BYTES, stream));
#ifndef WRONG
    ACL(aclrtMemcpyAsync(workspace, 4 * BYTES, data, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
#endif
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(device_bytes(data, BYTES, 1));
    ACL(aclrtFree(workspace));
    ACL(aclrtFree(data));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
