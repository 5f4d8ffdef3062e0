// rule: stream.race
// wrong: a thread hands a buffer to another by a queue, but the streams of the two have no order
#include "corpus.h"

#include <pthread.h>

/* The producer queues work on its stream; the consumer gets buffer and event by a mailbox. */
enum { BYTES = 4096, ITEMS = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int produced, consumed;
static char *buffers[ITEMS];
static aclrtEvent ready[ITEMS];

static void *producer(void *unused)
{
    ACL(aclrtSetDevice(0));
    aclrtStream stream = new_stream();
    for (int i = 0; i < ITEMS; i++) {
        ACL(aclrtMemsetAsync(buffers[i], BYTES, i, BYTES, stream));
        ACL(aclrtRecordEvent(ready[i], stream));
        pthread_mutex_lock(&lock);
        produced++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    while (consumed < ITEMS)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    ACL(aclrtDestroyStream(stream));
    return unused;
}

int main(void)
{
    pthread_t thread;
    char result[BYTES];
    start();
    aclrtStream stream = new_stream();
    char *copy = device_memory(BYTES);
    for (int i = 0; i < ITEMS; i++) {
        buffers[i] = device_memory(BYTES);
        ready[i] = new_event();
    }
    pthread_create(&thread, NULL, producer, NULL);
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (produced <= i)
            pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
#ifndef WRONG
        ACL(aclrtStreamWaitEvent(stream, ready[i]));
#endif
        ACL(aclrtMemcpyAsync(copy, BYTES, buffers[i], BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        ACL(aclrtSynchronizeStream(stream));
        download(result, copy, BYTES);
        EXPECT(all_bytes(result, BYTES, i));
    }
    pthread_mutex_lock(&lock);
    consumed = ITEMS;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    ACL(aclrtSynchronizeDevice());
    for (int i = 0; i < ITEMS; i++) {
        ACL(aclrtDestroyEvent(ready[i]));
        ACL(aclrtFree(buffers[i]));
    }
    ACL(aclrtFree(copy));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
