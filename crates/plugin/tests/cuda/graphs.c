/* Pools for graphs: what they hold stays where it is, and what is captured records no event. */
#include "driver.h"

typedef struct Stream Stream;
static void (*standinCapture)(void *, int);
static uint64_t (*standinCalls)(const char *);
static uint64_t (*standinUsed)(int);

static millpondCudaStatistics stats_of(millpondCudaPool *pool) {
    millpondCudaStatistics stats = {.struct_size = sizeof stats};
    OURS(millpondCudaStats(pool, &stats));
    return stats;
}

static void synchronize(void) {
    uint64_t moment = millpondCudaNow();
    CU(cuCtxSynchronize());
    OURS(millpondCudaDeviceSynchronized(0, moment));
}

int main(void) {
    enum { BYTES = 6 << 20 };
    millpondCudaOptions options = {.struct_size = sizeof options, .page_bytes = 2 << 20, .flags = MILLPOND_CUDA_KEEP};
    millpondCudaPool *graph, *usual, *third;
    millpondCudaStatistics all = {.struct_size = sizeof all};
    Handle stream, other, event;
    uint64_t returned, recorded, handles[4], page, offset, limit;
    size_t count;
    void *first, *second, *at;
    open_driver();
    FIND(standinCapture, "standinCapture");
    FIND(standinCalls, "standinCalls");
    FIND(standinUsed, "standinUsed");
    CU(cuStreamCreate(&stream, 1));
    CU(cuStreamCreate(&other, 1));
    CU(cuEventCreate(&event, 2));
    OURS(millpondCudaCreate(0, &options, &graph));
    options.flags = 0;
    OURS(millpondCudaCreate(0, &options, &usual));
    CHECK(millpondCudaKeep(usual, 1) == MILLPOND_CUDA_INVALID);

    /* Captured: the program says so, and the driver does. */
    OURS(millpondCudaCapture(0, 1));
    standinCapture(stream, 1);
    recorded = standinCalls("cuEventRecord");
    first = millpondCudaAlloc(graph, BYTES, stream);
    OURS(millpondCudaFree(first));
    second = millpondCudaAlloc(graph, BYTES, stream);
    CHECK(second == first);
    OURS(millpondCudaRecordUse(second, other));
    OURS(millpondCudaFree(second));
    for (int round = 0; round < 200; round++) {
        at = millpondCudaAlloc(graph, 512 + 512 * (size_t)round, stream);
        CHECK(at != NULL);
        OURS(millpondCudaFree(at));
    }
    standinCapture(stream, 0);
    OURS(millpondCudaCapture(0, -1));
    CHECK(standinCalls("cuEventRecord") == recorded);

    /* Nothing of it goes back, and nothing of it goes to another stream for a wait: a graph runs again without it. */
    synchronize();
    OURS(millpondCudaTrim(graph, 0, &returned));
    CHECK(returned == 0 && stats_of(graph).reserved_bytes.current >= BYTES);
    first = millpondCudaAlloc(graph, 24 << 20, stream);
    OURS(millpondCudaFree(first));
    OURS(millpondCudaCapture(0, 1));
    OURS(millpondCudaEventRecorded(event, stream));
    CU(cuEventRecord(event, stream));
    CU(cuStreamWaitEvent(other, event, 0));
    OURS(millpondCudaStreamWaits(other, event));
    second = millpondCudaAlloc(graph, 24 << 20, other);
    CHECK(second != NULL && second != first);
    OURS(millpondCudaFree(second));
    OURS(millpondCudaCapture(0, -1));

    /* The same bytes again, for a program that restores a state. */
    at = millpondCudaAllocAt(graph, 4096, stream, first);
    CHECK(at == first);
    CHECK(millpondCudaAllocAt(graph, 4096, stream, first) == NULL);
    CHECK(millpondCudaCode() == MILLPOND_CUDA_NOT_OURS);
    CHECK(millpondCudaAllocAt(graph, 4096, stream, &options) == NULL);
    CHECK(millpondCudaCode() == MILLPOND_CUDA_INVALID);

    /* The pages behind a block. */
    OURS(millpondCudaPages((char *)at + 1000, handles, 4, &count, &page, &offset));
    CHECK(count == 1 && page == 2 << 20 && handles[0] != 0 && offset == address_of(at) % page + 1000);

    /* All pools of the device, and their limit. */
    first = millpondCudaAlloc(usual, 1 << 20, stream);
    OURS(millpondCudaDeviceStats(0, &all));
    CHECK(all.pools >= 2 && all.blocks.current == 2);
    CHECK(all.reserved_bytes.current == stats_of(graph).reserved_bytes.current + stats_of(usual).reserved_bytes.current);
    CHECK((uint64_t)all.reserved_bytes.current == standinUsed(0));
    OURS(millpondCudaSetLimit(0, (uint64_t)all.reserved_bytes.current));
    OURS(millpondCudaGetLimit(0, &limit));
    CHECK(limit == (uint64_t)all.reserved_bytes.current);
    CHECK(millpondCudaAlloc(usual, 64 << 20, stream) == NULL);
    CHECK(millpondCudaCode() == MILLPOND_CUDA_NO_MEMORY && strstr(millpondCudaMessage(), "the limit of all pools is"));
    OURS(millpondCudaSetLimit(0, UINT64_MAX));

    /* Destroyed with a live block: it stays, and the memory goes when the block is freed. */
    OURS(millpondCudaDestroy(graph));
    CHECK(millpondCudaAlloc(graph, 512, stream) == NULL && millpondCudaCode() == MILLPOND_CUDA_NOT_OURS);
    CU(cuMemsetD32Async(address_of(at), 7, 1024, stream));
    synchronize();
    OURS(millpondCudaFree(at));
    OURS(millpondCudaFree(first));
    OURS(millpondCudaDestroy(usual));
    synchronize();
    OURS(millpondCudaTrim(NULL, 0, &returned));
    CHECK(standinUsed(0) == 0);

    /* The next pool of this kind has the addresses of the first, and starts from nothing. */
    options.flags = MILLPOND_CUDA_KEEP;
    OURS(millpondCudaCreate(0, &options, &third));
    CHECK(third != graph && stats_of(third).blocks.allocated == 0);
    at = millpondCudaAlloc(third, 512, stream);
    CHECK(at != NULL);
    OURS(millpondCudaKeep(third, 0));
    OURS(millpondCudaFree(at));
    synchronize();
    OURS(millpondCudaTrim(third, 0, &returned));
    CHECK(returned == 2 << 20 && standinUsed(0) == 0);
    OURS(millpondCudaDestroy(third));
    return 0;
}
