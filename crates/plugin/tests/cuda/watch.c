/* Calls of the CUDA runtime are seen in this program, and in a library that is loaded later. */
#include "driver.h"

int cudaEventRecord(void *event, void *stream);
int cudaEventQuery(void *event);
int cudaEventSynchronize(void *event);
int cudaEventDestroy(void *event);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
int cudaStreamSynchronize(void *stream);
int cudaStreamDestroy(void *stream);
int cudaDeviceSynchronize(void);

static void (*standinCapture)(void *, int);
static millpondCudaPool *pool;

static void *freed(Handle stream) {
    void *block = millpondCudaAlloc(pool, 2 << 20, stream);
    CHECK(block != NULL);
    OURS(millpondCudaFree(block));
    return block;
}

/* Whether a stream gets a block that another has freed. It keeps what it gets. */
static int gets(Handle stream, void *block) { return millpondCudaAlloc(pool, 2 << 20, stream) == block; }

int main(void) {
    Handle a, b, event;
    millpondCudaOptions options = {.struct_size = sizeof options, .page_bytes = 2 << 20, .slack_permille = 1};
    millpondCudaStatistics stats = {.struct_size = sizeof stats};
    uint32_t replaced = 0, again = 0;
    void *block;
    open_driver();
    FIND(standinCapture, "standinCapture");
    OURS(millpondCudaWatch(&replaced));
    CHECK(replaced >= 8);
    OURS(millpondCudaWatch(&again));
    CHECK(again == replaced);
    OURS(millpondCudaCreate(0, &options, &pool));
    CU(cuStreamCreate(&a, 1));
    CU(cuStreamCreate(&b, 1));
    CU(cuEventCreate(&event, 2));

    block = freed(a);
    CHECK(!gets(b, block));
    CU(cudaEventRecord(event, a));
    CU(cudaStreamWaitEvent(b, event, 0));
    CHECK(gets(b, block));

    block = freed(a);
    CU(cudaEventRecord(event, a));
    CU(cudaEventSynchronize(event));
    CHECK(gets(b, block));

    block = freed(a);
    CU(cudaStreamSynchronize(a));
    CHECK(gets(b, block));

    block = freed(a);
    CU(cudaDeviceSynchronize());
    CHECK(gets(b, block));

    /* An event in a graph says nothing; nor does the one that it was before. */
    block = freed(a);
    CU(cudaEventRecord(event, a));
    standinCapture(a, 1);
    cudaEventRecord(event, a);
    standinCapture(a, 0);
    cudaStreamWaitEvent(b, event, 0);
    CHECK(!gets(b, block));

    /* Destroyed, and its number given to another event whose record nobody saw. */
    CU(cudaEventRecord(event, a));
    CU(cudaEventDestroy(event));
    CHECK(cudaStreamWaitEvent(b, event, 0) != 0);
    CHECK(!gets(b, block));
    CHECK(cudaEventQuery(event) != 0);

    OURS(millpondCudaStats(pool, &stats));
    CHECK(stats.seen_records >= 3 && stats.seen_waits >= 1 && stats.seen_synchronisations >= 3);
    CU(cudaStreamDestroy(a));
    return 0;
}
