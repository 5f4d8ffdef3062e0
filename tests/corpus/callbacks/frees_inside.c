// rule: stream.callback-calls
// severity: warning
// wrong: the callback frees the request's device buffer itself
#include "corpus.h"

#include <pthread.h>
#include <stdatomic.h>

/* A report thread runs callbacks; the main thread frees what they hand back. */
enum { REQUESTS = 4, BYTES = 4096 };

static atomic_int done, stop;
static void *returned[REQUESTS];

static void request_done(void *buffer)
{
#ifdef WRONG
    TRY(aclrtFree(buffer));
    atomic_fetch_add(&done, 1);
#else
    int index = atomic_load(&done);
    returned[index] = buffer;
    atomic_store(&done, index + 1);
#endif
}

static void *reports(void *context)
{
    ACL(aclrtSetCurrentContext(context));
    while (!atomic_load(&stop))
        aclrtProcessReport(100);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    aclrtContext context;
    start();
    ACL(aclrtGetCurrentContext(&context));
    aclrtStream stream = new_stream();
    pthread_create(&thread, NULL, reports, context);
    ACL(aclrtSubscribeReport((uint64_t)thread, stream));
    for (int i = 0; i < REQUESTS; i++) {
        void *buffer = device_memory(BYTES);
        ACL(aclrtMemsetAsync(buffer, BYTES, i, BYTES, stream));
        ACL(aclrtLaunchCallback(request_done, buffer, ACL_CALLBACK_BLOCK, stream));
    }
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(atomic_load(&done) == REQUESTS);
    for (int i = 0; i < REQUESTS; i++) {
        if (returned[i]) {
            EXPECT(device_bytes(returned[i], BYTES, i));
            ACL(aclrtFree(returned[i]));
        }
    }
    ACL(aclrtUnSubscribeReport((uint64_t)thread, stream));
    atomic_store(&stop, 1);
    pthread_join(thread, NULL);
    ACL(aclrtDestroyStream(stream));
    return finish();
}
