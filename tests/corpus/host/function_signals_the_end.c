// rule: memory.freed-in-use
// wrong: the host frees the buffer without waiting for the function that signals the end of the work
#include "corpus.h"

#include <semaphore.h>

/* A host function behind the work posts a semaphore; nothing is synchronised. */
enum { BYTES = 1 << 15, TURNS = 3 };

static sem_t finished;

static void signal_end(void *unused)
{
    (void)unused;
    sem_post(&finished);
}

int main(void)
{
    start();
    sem_init(&finished, 0, 0);
    aclrtStream stream = new_stream();
    void *kept = device_memory(BYTES);
    for (int turn = 0; turn < TURNS; turn++) {
        void *block = device_memory(BYTES);
        ACL(aclrtMemsetAsync(block, BYTES, turn, BYTES, stream));
        ACL(aclrtMemcpyAsync(kept, BYTES, block, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        ACL(aclrtLaunchHostFunc(stream, signal_end, NULL));
#ifdef WRONG
        ACL(aclrtFree(block));
        sem_wait(&finished);
#else
        sem_wait(&finished);
        ACL(aclrtFree(block));
#endif
        EXPECT(device_bytes(kept, BYTES, turn));
    }
    ACL(aclrtSynchronizeStream(stream));
    ACL(aclrtFree(kept));
    ACL(aclrtDestroyStream(stream));
    sem_destroy(&finished);
    return finish();
}
