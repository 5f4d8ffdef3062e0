// rule: stream.race
// wrong: the program believes that work on the default stream waits for all other streams
#include "corpus.h"

enum { BYTES = 8192 };

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    void *buffer = device_memory(BYTES), *copy = device_memory(BYTES);

    ACL(aclrtMemsetAsync(buffer, BYTES, 5, BYTES, stream));
#ifndef WRONG
    aclrtEvent filled = new_event();
    ACL(aclrtRecordEvent(filled, stream));
    ACL(aclrtStreamWaitEvent(NULL, filled));
#endif
    ACL(aclrtMemcpyAsync(copy, BYTES, buffer, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, NULL));
    ACL(aclrtSynchronizeStream(NULL));
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(device_bytes(copy, BYTES, 5));

#ifndef WRONG
    ACL(aclrtDestroyEvent(filled));
#endif
    ACL(aclrtFree(copy));
    ACL(aclrtFree(buffer));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
