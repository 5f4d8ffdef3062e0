// rule: memory.freed-in-use
// wrong: a worker thread frees its buffers when it ends, without waiting for the stream that uses them
#include "corpus.h"

#include <pthread.h>

enum { THREADS = 3, BYTES = 1 << 15 };

static char *results;
static aclrtStream streams[THREADS];

static void *worker(void *argument)
{
    int index = (int)(intptr_t)argument;
    ACL(aclrtSetDevice(0));
    void *mine = device_memory(BYTES);
    ACL(aclrtMemsetAsync(mine, BYTES, index + 1, BYTES, streams[index]));
    ACL(aclrtMemcpyAsync(results + index * BYTES, BYTES, mine, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, streams[index]));
#ifndef WRONG
    ACL(aclrtSynchronizeStream(streams[index]));
#endif
    ACL(aclrtFree(mine));
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    start();
    results = device_memory(THREADS * BYTES);
    for (int i = 0; i < THREADS; i++) {
        streams[i] = new_stream();
        pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ACL(aclrtSynchronizeDevice());
    for (int i = 0; i < THREADS; i++) {
        EXPECT(device_bytes(results + i * BYTES, BYTES, i + 1));
        ACL(aclrtDestroyStream(streams[i]));
    }
    ACL(aclrtFree(results));
    return finish();
}
