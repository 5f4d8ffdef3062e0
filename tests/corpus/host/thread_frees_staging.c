// rule: stream.host-buffer
// wrong: the clean-up thread frees staging buffers as soon as it sees that their copy was queued
#include "corpus.h"

#include <pthread.h>

enum { BYTES = 1 << 14, JOBS = 5 };

static struct {
    void *staging;
    aclrtEvent done;
} jobs[JOBS];
static int queued;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

static void *janitor(void *unused)
{
    ACL(aclrtSetDevice(0));
    for (int i = 0; i < JOBS; i++) {
        pthread_mutex_lock(&lock);
        while (queued <= i)
            pthread_cond_wait(&more, &lock);
        pthread_mutex_unlock(&lock);
#ifndef WRONG
        ACL(aclrtSynchronizeEvent(jobs[i].done));
#endif
        ACL(aclrtFreeHost(jobs[i].staging));
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    start();
    aclrtStream stream = new_stream();
    char *device = device_memory(JOBS * BYTES);
    pthread_create(&thread, NULL, janitor, NULL);
    for (int i = 0; i < JOBS; i++) {
        jobs[i].staging = pinned_memory(BYTES);
        jobs[i].done = new_event();
        memset(jobs[i].staging, i, BYTES);
        ACL(aclrtMemcpyAsync(device + i * BYTES, BYTES, jobs[i].staging, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        ACL(aclrtRecordEvent(jobs[i].done, stream));
        pthread_mutex_lock(&lock);
        queued++;
        pthread_cond_signal(&more);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(thread, NULL);
    ACL(aclrtSynchronizeStream(stream));
    for (int i = 0; i < JOBS; i++) {
        EXPECT(device_bytes(device + i * BYTES, BYTES, i));
        ACL(aclrtDestroyEvent(jobs[i].done));
    }
    ACL(aclrtFree(device));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
