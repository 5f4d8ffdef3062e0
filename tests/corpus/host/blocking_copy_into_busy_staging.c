// rule: stream.host-buffer stream.race
// wrong: a blocking copy brings the next result into a pinned buffer that a queued upload still reads
#include "corpus.h"

enum { BYTES = 4096 };

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    char *bounce = pinned_memory(BYTES), *from = device_memory(BYTES), *to = device_memory(2 * BYTES);
    ACL(aclrtMemset(from, BYTES, 1, BYTES));
    download(bounce, from, BYTES);
    ACL(aclrtMemcpyAsync(to, 2 * BYTES, bounce, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    ACL(aclrtMemset(from, BYTES, 2, BYTES));
#ifndef WRONG
    ACL(aclrtSynchronizeStream(stream));
#endif
    download(bounce, from, BYTES);
    ACL(aclrtMemcpyAsync(to + BYTES, BYTES, bounce, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(device_bytes(to, BYTES, 1));
    EXPECT(device_bytes(to + BYTES, BYTES, 2));
    ACL(aclrtFree(to));
    ACL(aclrtFree(from));
    ACL(aclrtFreeHost(bounce));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
