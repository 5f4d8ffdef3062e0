// rule: stream.race
// wrong: the program asks whether the event was reached and does not look at the answer
#include "corpus.h"

/* The work of a frame is queued behind a start signal, so that all streams begin together. */
enum { BYTES = 1 << 16 };

int main(void)
{
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    aclrtEvent go;
    start();
    aclrtStream stream = new_stream(), control = new_stream();
    aclrtEvent done = new_event();
    void *frame = device_memory(BYTES), *host = pinned_memory(BYTES);
    memset(host, 21, BYTES);
    ACL(aclrtMemset(frame, BYTES, 0, BYTES));
    ACL(aclrtCreateEvent(&go));
    ACL(aclrtStreamWaitEvent(stream, go));
    ACL(aclrtMemcpyAsync(frame, BYTES, host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    ACL(aclrtRecordEvent(done, stream));

    ACL(aclrtQueryEventStatus(done, &status));
    ACL(aclrtRecordEvent(go, control));
#ifndef WRONG
    while (status != ACL_EVENT_RECORDED_STATUS_COMPLETE)
        ACL(aclrtQueryEventStatus(done, &status));
#endif
    EXPECT(device_bytes(frame, BYTES, 21));

    ACL(aclrtSynchronizeStream(stream));
    ACL(aclrtSynchronizeStream(control));
    ACL(aclrtFreeHost(host));
    ACL(aclrtFree(frame));
    ACL(aclrtDestroyEvent(done));
    ACL(aclrtDestroyEvent(go));
    ACL(aclrtDestroyStream(control));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
