// rule: stream.race
// wrong: two threads with contexts of their own work on one buffer, and only a mutex orders their calls
#include "corpus.h"

#include <pthread.h>

enum { BYTES = 8192 };

static char *shared, *copy;
static aclrtEvent written;
static aclrtContext writers;
static aclrtStream writing;

static void *first(void *unused)
{
    ACL(aclrtCreateContext(&writers, 0));
    writing = new_stream();
    ACL(aclrtMemsetAsync(shared, BYTES, 66, BYTES, writing));
    ACL(aclrtRecordEvent(written, writing));
#ifndef WRONG
    ACL(aclrtSynchronizeStream(writing));
#endif
    return unused;
}

static void *second(void *unused)
{
    aclrtContext context;
    ACL(aclrtCreateContext(&context, 0));
    aclrtStream stream = new_stream();
    ACL(aclrtMemcpyAsync(copy, BYTES, shared, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL(aclrtSynchronizeStream(stream));
    ACL(aclrtDestroyStream(stream));
    ACL(aclrtDestroyContext(context));
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    aclrtContext mine;
    start();
    shared = device_memory(BYTES);
    copy = device_memory(BYTES);
    written = new_event();
    ACL(aclrtGetCurrentContext(&mine));
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_join(threads[0], NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[1], NULL);
    ACL(aclrtSynchronizeDevice());
    EXPECT(device_bytes(copy, BYTES, 66));
    ACL(aclrtSynchronizeEvent(written));
    ACL(aclrtDestroyEvent(written));
    ACL(aclrtSetCurrentContext(writers));
    ACL(aclrtDestroyStream(writing));
    ACL(aclrtDestroyContext(writers));
    ACL(aclrtSetCurrentContext(mine));
    ACL(aclrtFree(copy));
    ACL(aclrtFree(shared));
    return finish();
}
