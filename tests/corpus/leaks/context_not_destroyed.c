// rule: handle.leak
// severity: warning
// wrong: the worker's context is created explicitly and never destroyed
#include "corpus.h"

#include <pthread.h>

enum { BYTES = 4096 };

static void *worker(void *result)
{
    aclrtContext context;
    ACL(aclrtCreateContext(&context, 0));
    aclrtStream stream = new_stream();
    void *block = device_memory(BYTES);
    ACL(aclrtMemsetAsync(block, BYTES, 3, BYTES, stream));
    ACL(aclrtSynchronizeStream(stream));
    *(int *)result = device_bytes(block, BYTES, 3);
    ACL(aclrtFree(block));
    ACL(aclrtDestroyStream(stream));
#ifndef WRONG
    ACL(aclrtDestroyContext(context));
#endif
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int result = 0;
    start();
    pthread_create(&thread, NULL, worker, &result);
    pthread_join(thread, NULL);
    EXPECT(result);
    return finish();
}
