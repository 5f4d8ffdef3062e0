// rule: stream.race
// wrong: the callback that recycles a slot is queued before the copy that reads the slot
#include "corpus.h"

#include <semaphore.h>

/* The slot is free again when its host function has posted. Uploads go to another stream. */
enum { REQUESTS = 6, BYTES = 2048 };

static sem_t is_free;

static void recycle(void *unused)
{
    (void)unused;
    sem_post(&is_free);
}

int main(void)
{
    start();
    aclrtStream copies = new_stream(), compute = new_stream();
    aclrtEvent copied = new_event();
    char *slot = device_memory(BYTES), *out = device_memory(REQUESTS * BYTES);
    char *host = pinned_memory(REQUESTS * BYTES);
    sem_init(&is_free, 0, 1);
    for (int i = 0; i < REQUESTS; i++) {
        memset(host + i * BYTES, i, BYTES);
        sem_wait(&is_free);
        ACL(aclrtMemcpyAsync(slot, BYTES, host + i * BYTES, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, copies));
        ACL(aclrtRecordEvent(copied, copies));
        ACL(aclrtStreamWaitEvent(compute, copied));
#ifdef WRONG
        ACL(aclrtLaunchHostFunc(compute, recycle, NULL));
        ACL(aclrtMemcpyAsync(out + i * BYTES, BYTES, slot, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, compute));
#else
        ACL(aclrtMemcpyAsync(out + i * BYTES, BYTES, slot, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, compute));
        ACL(aclrtLaunchHostFunc(compute, recycle, NULL));
#endif
    }
    ACL(aclrtSynchronizeStream(copies));
    ACL(aclrtSynchronizeStream(compute));
    for (int i = 0; i < REQUESTS; i++)
        EXPECT(device_bytes(out + i * BYTES, BYTES, i));
    sem_destroy(&is_free);
    ACL(aclrtFreeHost(host));
    ACL(aclrtFree(out));
    ACL(aclrtFree(slot));
    ACL(aclrtDestroyEvent(copied));
    ACL(aclrtDestroyStream(compute));
    ACL(aclrtDestroyStream(copies));
    return finish();
}
