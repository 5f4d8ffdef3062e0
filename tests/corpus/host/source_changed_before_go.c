// rule: stream.host-buffer
// wrong: the next batch is written into the pinned buffer while its upload waits for another stream
// known-miss: the write comes before the event is recorded, so it is in order; programs that fill a buffer behind a closed gate do the same
#include "corpus.h"

/* The upload is queued early, behind an event that the main loop records later. */
enum { BYTES = 4096 };

int main(void)
{
    aclrtEvent go;
    start();
    aclrtStream copies = new_stream(), control = new_stream();
    char *batch = pinned_memory(BYTES), *device = device_memory(2 * BYTES);
    ACL(aclrtCreateEvent(&go));
    memset(batch, 1, BYTES);
    ACL(aclrtStreamWaitEvent(copies, go));
    ACL(aclrtMemcpyAsync(device, 2 * BYTES, batch, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, copies));
#ifdef WRONG
    memset(batch, 2, BYTES);
#endif
    ACL(aclrtRecordEvent(go, control));
    ACL(aclrtSynchronizeStream(copies));
    EXPECT(device_bytes(device, BYTES, 1));
    memset(batch, 2, BYTES);
    ACL(aclrtMemcpyAsync(device + BYTES, BYTES, batch, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, copies));
    ACL(aclrtSynchronizeStream(copies));
    EXPECT(device_bytes(device + BYTES, BYTES, 2));
    ACL(aclrtSynchronizeStream(control));
    ACL(aclrtDestroyEvent(go));
    ACL(aclrtFree(device));
    ACL(aclrtFreeHost(batch));
    ACL(aclrtDestroyStream(control));
    ACL(aclrtDestroyStream(copies));
    return finish();
}
