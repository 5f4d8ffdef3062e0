/* Threads that concurrently do everything that the header forbids: stale pools and blocks, foreign addresses, wrong streams, absurd
 * sizes. Each call fails or does what it should, each block is freed once, and nothing leaks. */
#include "driver.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 6, STEPS = 1500, SLOTS = 64, POOLS = 4, STREAMS = 3, PAGE = 2 << 20 };

static _Atomic(void *) slots[SLOTS];
static _Atomic(millpondCudaPool *) pools[POOLS];
static Handle streams[STREAMS], event, context;
static atomic_llong allocated, freed;

static void check_code(int code) { CHECK(code <= 0 && code >= MILLPOND_CUDA_NO_MEMORY); }

static int visit(void *user, const millpondCudaBlock *block) {
    CHECK(block->state >= MILLPOND_CUDA_LIVE && block->state <= MILLPOND_CUDA_SEGMENT && block->address != NULL);
    return ++*(int *)user > 300;
}

static Handle some_stream(uint64_t *state) {
    switch (next_number(state) % 8) {
    case 0: return NULL;
    case 1: return (Handle)1;
    case 2: return (Handle)2;
    default: return streams[next_number(state) % STREAMS];
    }
}

/* A block's address, an address near one, or one that has nothing to do with blocks. */
static void *some_address(uint64_t *state) {
    char *block = slots[next_number(state) % SLOTS];
    switch (next_number(state) % 10) {
    case 0: return block + 1;
    case 1: return block + (int64_t)next_number(state) - (1 << 30);
    case 2: return &allocated;
    case 3: return (void *)(uintptr_t)(next_number(state) << 33 | next_number(state));
    case 4: return (void *)UINTPTR_MAX;
    default: return block;
    }
}

static size_t some_size(uint64_t *state) {
    static const size_t absurd[] = {0, SIZE_MAX, SIZE_MAX - 511, (size_t)1 << 63, (size_t)1 << 48, (size_t)1 << 40, (size_t)3 << 30};
    if (next_number(state) % 16 == 0) return absurd[next_number(state) % (sizeof absurd / sizeof *absurd)];
    return next_number(state) % ((size_t)1 << next_number(state) % 24);
}

static void keep(void *block, uint64_t *state) {
    if (block == NULL) {
        CHECK(millpondCudaCode() < 0 && millpondCudaCode() != MILLPOND_CUDA_INTERNAL && *millpondCudaMessage() != 0);
        return;
    }
    CHECK(address_of(block) % 512 == 0);
    allocated++;
    block = atomic_exchange(&slots[next_number(state) % SLOTS], block);
    /* Several threads may have the same block: one of them frees it. */
    if (block != NULL && millpondCudaFree(block) == 0) freed++;
}

static void renew(uint64_t *state) {
    millpondCudaOptions options = {.struct_size = sizeof options, .page_bytes = PAGE};
    millpondCudaPool *pool, *before;
    options.flags = next_number(state) % 3 == 0 ? MILLPOND_CUDA_NO_WINDOWS : 0;
    OURS(millpondCudaCreate(0, &options, &pool));
    before = atomic_exchange(&pools[next_number(state) % POOLS], pool);
    OURS(millpondCudaDestroy(before));
    CHECK(millpondCudaDestroy(before) == MILLPOND_CUDA_NOT_OURS);
}

static void step(uint64_t *state) {
    millpondCudaPool *pool = pools[next_number(state) % POOLS];
    millpondCudaBlock block = {.struct_size = sizeof block};
    millpondCudaStatistics stats = {.struct_size = sizeof stats};
    uint64_t handles[4], bytes, offset;
    size_t count;
    int visits = 0;
    void *address = some_address(state);
    switch (next_number(state) % 40) {
    case 0: check_code(millpondCudaRecordUse(address, some_stream(state))); break;
    case 1: check_code(millpondCudaRecordUseOn(address, (int)next_number(state) % 5 - 2, NULL)); break;
    case 2: check_code(millpondCudaFind(address, &block)); break;
    case 3: check_code(millpondCudaPages(address, handles, 4, &count, &bytes, &offset)); break;
    case 4: CHECK(millpondCudaVisit(pool, visit, &visits) <= 1); break;
    case 5: check_code(millpondCudaTrim(next_number(state) % 2 ? pool : NULL, next_number(state), &bytes)); break;
    case 6: check_code(millpondCudaStats(pool, &stats)); break;
    case 7: check_code(millpondCudaDeviceStats((int)next_number(state) % 5 - 2, &stats)); break;
    case 8: check_code(millpondCudaKeep(pool, 1 + (int)next_number(state) % 2 - 1)); check_code(millpondCudaKeep(pool, 0)); break;
    case 9: keep(millpondCudaAllocAt(pool, some_size(state), some_stream(state), address), state); break;
    case 10: check_code(millpondCudaDeviceSynchronized((int)next_number(state) % 5 - 2, next_number(state) << 40)); break;
    case 11: check_code(millpondCudaStreamWaits(some_stream(state), some_address(state))); break;
    case 12: check_code(millpondCudaResetPeaks(0)); check_code(millpondCudaResetCounts(0)); break;
    case 13: if (next_number(state) % 8 == 0) renew(state); break;
    case 14: check_code(millpondCudaEventRecorded(event, some_stream(state))); check_code(millpondCudaEventGone(address)); break;
    case 15: check_code(millpondCudaDestroy((millpondCudaPool *)address)); break;
    case 16: keep(millpondCudaAlloc((millpondCudaPool *)address, 512, NULL), state); break;
    case 17: keep(millpondTorchCudaAlloc((ssize_t)some_size(state), 0, some_stream(state)), state); break;
    default:
        if (next_number(state) % 2) keep(millpondCudaAlloc(pool, some_size(state), some_stream(state)), state);
        else if (address != NULL && millpondCudaFree(address) == 0) freed++;
    }
}

static void *run(void *seed) {
    uint64_t state = (uint64_t)(uintptr_t)seed;
    CU(cuCtxSetCurrent(context));
    for (int at = 0; at < STEPS; at++) step(&state);
    return NULL;
}

int main(void) {
    millpondCudaStatistics stats = {.struct_size = sizeof stats};
    uint64_t (*standinUsed)(int);
    pthread_t threads[THREADS];
    uint64_t limit;
    open_driver();
    FIND(standinUsed, "standinUsed");
    CU(cuDevicePrimaryCtxRetain(&context, 0));
    for (int at = 0; at < STREAMS; at++) CU(cuStreamCreate(&streams[at], 1));
    CU(cuEventCreate(&event, 2));
    for (int at = 0; at < POOLS; at++) {
        millpondCudaPool *pool;
        OURS(millpondCudaCreate(0, NULL, &pool));
        pools[at] = pool;
    }
    OURS(millpondCudaSetLimit(0, 200 << 20));
    for (uintptr_t at = 0; at < THREADS; at++) CHECK(pthread_create(&threads[at], NULL, run, (void *)(at + 1)) == 0);
    for (int at = 0; at < THREADS; at++) CHECK(pthread_join(threads[at], NULL) == 0);
    OURS(millpondCudaGetLimit(0, &limit));
    CHECK(limit == 200 << 20);
    for (int at = 0; at < SLOTS; at++) {
        void *block = slots[at];
        if (block != NULL && millpondCudaFree(block) == 0) freed++;
    }
    CHECK(allocated == freed && allocated > 100);
    CU(cuCtxSynchronize());
    OURS(millpondCudaDeviceSynchronized(0, millpondCudaNow()));
    OURS(millpondCudaDeviceStats(0, &stats));
    CHECK(stats.blocks.current == 0 && stats.used_bytes.current == 0);
    for (int at = 0; at < POOLS; at++) OURS(millpondCudaDestroy(pools[at]));
    OURS(millpondCudaTrim(NULL, 0, NULL));
    CHECK(standinUsed(0) == 0);
    /* The whole limit is available again. */
    OURS(millpondCudaFree(millpondTorchCudaAlloc(196 << 20, 0, streams[0])));
    return 0;
}
