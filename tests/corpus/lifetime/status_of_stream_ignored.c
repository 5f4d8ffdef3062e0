// rule: memory.freed-in-use
// wrong: the program queries the stream and frees the buffer whatever the status is
#include "corpus.h"

/* The stream is held back by a start signal until the status was asked for. */
enum { BYTES = 8192 };

int main(void)
{
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    aclrtEvent go;
    start();
    aclrtStream stream = new_stream(), control = new_stream();
    void *block = device_memory(BYTES), *copy = device_memory(BYTES);
    ACL(aclrtCreateEvent(&go));
    ACL(aclrtStreamWaitEvent(stream, go));
    ACL(aclrtMemsetAsync(block, BYTES, 3, BYTES, stream));
    ACL(aclrtMemcpyAsync(copy, BYTES, block, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL(aclrtStreamQuery(stream, &status));
    EXPECT(status == ACL_STREAM_STATUS_NOT_READY);
    ACL(aclrtRecordEvent(go, control));
#ifndef WRONG
    while (status != ACL_STREAM_STATUS_COMPLETE)
        ACL(aclrtStreamQuery(stream, &status));
#endif
    ACL(aclrtFree(block));
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(device_bytes(copy, BYTES, 3));
    ACL(aclrtSynchronizeStream(control));
    ACL(aclrtFree(copy));
    ACL(aclrtDestroyEvent(go));
    ACL(aclrtDestroyStream(control));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
