/* Default streams of threads (handle 2): no thread can ask for another's, so its memory waits until it says itself how far it is. */
#include "driver.h"

#include <pthread.h>

enum { BYTES = 4 << 20, VALUE = 0x07070707 };

static const Handle own = (Handle)2;
static millpondCudaPool *pool;
static Handle context;
static void *first;
static pthread_barrier_t turn;

static void *other_thread(void *unused) {
    uint64_t moment;
    CU(cuCtxSetCurrent(context));
    first = millpondCudaAlloc(pool, BYTES, own);
    CHECK(first != NULL);
    CU(cuMemsetD32Async(address_of(first), VALUE, BYTES / 4, own));
    OURS(millpondCudaFree(first));
    pthread_barrier_wait(&turn);
    /* The main thread wants memory. */
    pthread_barrier_wait(&turn);
    moment = millpondCudaNow();
    CU(cuStreamSynchronize(own));
    OURS(millpondCudaStreamSynchronized(own, moment));
    pthread_barrier_wait(&turn);
    return unused;
}

int main(void) {
    millpondCudaOptions options = {.struct_size = sizeof options, .page_bytes = BYTES};
    int (*cuCtxGetCurrent)(Handle *);
    pthread_t thread;
    Handle streams[2];
    unsigned found = 0;
    open_driver();
    FIND(cuCtxGetCurrent, "cuCtxGetCurrent");
    CU(cuCtxGetCurrent(&context));
    CU(cuStreamCreate(&streams[0], 1));
    streams[1] = own;
    OURS(millpondCudaCreate(0, &options, &pool));
    OURS(millpondCudaSetLimit(0, BYTES));
    pthread_barrier_init(&turn, NULL, 2);
    CHECK(pthread_create(&thread, NULL, other_thread, NULL) == 0);
    pthread_barrier_wait(&turn);
    for (int which = 0; which < 2; which++) {
        void *block = millpondCudaAlloc(pool, BYTES, streams[which]);
        if (block != NULL) {
            CU(cuMemcpyDtoHAsync(&found, address_of(block), sizeof found, streams[which]));
            CU(cuStreamSynchronize(streams[which]));
        }
        /* A stream that got it may only do so when the other thread's work is over. */
        CHECK(block == NULL || found == VALUE);
        CHECK(block == NULL && millpondCudaCode() == MILLPOND_CUDA_NO_MEMORY);
    }
    pthread_barrier_wait(&turn);
    pthread_barrier_wait(&turn);
    CHECK(millpondCudaAlloc(pool, BYTES, streams[0]) == first);
    CHECK(pthread_join(thread, NULL) == 0);
    return 0;
}
