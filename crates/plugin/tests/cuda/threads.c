/* Threads with streams of their own allocate at the same time, and free blocks of each other. */
#include "driver.h"

#include <pthread.h>

enum { THREADS = 4, STEPS = 30000, SHARED = 64 };

static millpondCudaPool *pool;
static Handle streams[THREADS];
static void *_Atomic shared[SHARED];

static void *work(void *argument) {
    int self = (int)(intptr_t)argument;
    uint64_t state = (uint64_t)self + 1;
    void *own[32] = {0};
    open_driver();
    for (int step = 0; step < STEPS; step++) {
        int at = (int)(next_number(&state) % 32), place = (int)(next_number(&state) % SHARED);
        size_t bytes = (size_t)512 << next_number(&state) % 12;
        void *block;
        if (own[at]) {
            /* Somebody else's turn, or ours. */
            block = __atomic_exchange_n(&shared[place], own[at], __ATOMIC_ACQ_REL);
            own[at] = NULL;
            if (block) OURS(millpondCudaFree(block));
        } else {
            own[at] = millpondCudaAlloc(pool, bytes, streams[self]);
            CHECK(own[at] != NULL);
        }
        if (step % 4096 == 0) {
            uint64_t moment = millpondCudaNow();
            CU(cuStreamSynchronize(streams[self]));
            OURS(millpondCudaStreamSynchronized(streams[self], moment));
        }
    }
    for (int at = 0; at < 32; at++) OURS(millpondCudaFree(own[at]));
    return NULL;
}

static uint64_t last_end;

/* Blocks and segments do not overlap. */
static int look(void *user, const millpondCudaBlock *block) {
    if (block->state == MILLPOND_CUDA_SEGMENT) return 0;
    CHECK(address_of(block->address) >= last_end);
    last_end = address_of(block->address) + block->bytes;
    *(uint64_t *)user += block->state == MILLPOND_CUDA_LIVE ? block->bytes : 0;
    return 0;
}

int main(void) {
    millpondCudaOptions options = {.struct_size = sizeof options, .page_bytes = 2 << 20};
    millpondCudaStatistics stats = {.struct_size = sizeof stats};
    pthread_t threads[THREADS];
    uint64_t returned, moment, live = 0;
    open_driver();
    for (int at = 0; at < THREADS; at++) CU(cuStreamCreate(&streams[at], 1));
    OURS(millpondCudaCreate(0, &options, &pool));
    for (int at = 0; at < THREADS; at++) pthread_create(&threads[at], NULL, work, (void *)(intptr_t)at);
    for (int at = 0; at < THREADS; at++) pthread_join(threads[at], NULL);
    OURS(millpondCudaStats(pool, &stats));
    OURS(millpondCudaVisit(pool, look, &live));
    CHECK(live == (uint64_t)stats.used_bytes.current && stats.blocks.current > 0);
    for (int at = 0; at < SHARED; at++) OURS(millpondCudaFree(shared[at]));
    OURS(millpondCudaStats(pool, &stats));
    CHECK(stats.blocks.current == 0 && stats.used_bytes.current == 0 && stats.blocks.allocated == stats.blocks.freed);
    moment = millpondCudaNow();
    CU(cuCtxSynchronize());
    OURS(millpondCudaDeviceSynchronized(0, moment));
    OURS(millpondCudaTrim(pool, 0, &returned));
    OURS(millpondCudaStats(pool, &stats));
    CHECK(stats.reserved_bytes.current == 0);
    OURS(millpondCudaDestroy(pool));
    return 0;
}
