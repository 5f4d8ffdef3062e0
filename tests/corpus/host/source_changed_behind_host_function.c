// rule: stream.host-buffer
// wrong: the next batch is written into the pinned buffer while the stream is held back by a host function
// known-miss: the write comes before the function ends, which may be what the program wants
#include "corpus.h"

#include <semaphore.h>

/* The stream stands at a host function until the disk has delivered; the upload is queued behind it. */
enum { BYTES = 4096 };

static sem_t delivered;

static void wait_for_disk(void *unused)
{
    (void)unused;
    sem_wait(&delivered);
}

int main(void)
{
    start();
    sem_init(&delivered, 0, 0);
    aclrtStream stream = new_stream();
    char *batch = pinned_memory(BYTES), *device = device_memory(BYTES);
    memset(batch, 1, BYTES);
    ACL(aclrtLaunchHostFunc(stream, wait_for_disk, NULL));
    ACL(aclrtMemcpyAsync(device, BYTES, batch, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
#ifdef WRONG
    memset(batch, 2, BYTES);
    sem_post(&delivered);
    ACL(aclrtSynchronizeStream(stream));
#else
    sem_post(&delivered);
    ACL(aclrtSynchronizeStream(stream));
    memset(batch, 2, BYTES);
#endif
    EXPECT(device_bytes(device, BYTES, 1));
    ACL(aclrtFree(device));
    ACL(aclrtFreeHost(batch));
    ACL(aclrtDestroyStream(stream));
    sem_destroy(&delivered);
    return finish();
}
