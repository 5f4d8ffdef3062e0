// rule: stream.race
// wrong: the host reads a buffer that a copy behind a host function is still to write
// known-miss: the program's own semaphores are not seen, and the host's read may well come before the function ends
#include "corpus.h"

#include <semaphore.h>

/* Decoding happens in a host function, which waits for its last packet. */
enum { BYTES = 1 << 16 };

static sem_t last_packet;
static unsigned char *decoded;

static void decode(void *unused)
{
    (void)unused;
    sem_wait(&last_packet);
    memset(decoded, 21, BYTES);
}

int main(void)
{
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    start();
    sem_init(&last_packet, 0, 0);
    aclrtStream stream = new_stream();
    aclrtEvent done = new_event();
    decoded = pinned_memory(BYTES);
    char *frame = device_memory(BYTES);
    ACL(aclrtMemset(frame, BYTES, 0, BYTES));
    ACL(aclrtLaunchHostFunc(stream, decode, NULL));
    ACL(aclrtMemcpyAsync(frame, BYTES, decoded, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    ACL(aclrtRecordEvent(done, stream));

    ACL(aclrtQueryEventStatus(done, &status));
    sem_post(&last_packet);
#ifndef WRONG
    while (status != ACL_EVENT_RECORDED_STATUS_COMPLETE)
        ACL(aclrtQueryEventStatus(done, &status));
#endif
    EXPECT(device_bytes(frame, BYTES, 21));

    ACL(aclrtSynchronizeStream(stream));
    ACL(aclrtFree(frame));
    ACL(aclrtFreeHost(decoded));
    ACL(aclrtDestroyEvent(done));
    ACL(aclrtDestroyStream(stream));
    sem_destroy(&last_packet);
    return finish();
}
