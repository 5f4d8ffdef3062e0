/* A stream is destroyed while its work is late: its bytes wait for that work, whether or not a last event could be recorded. */
#include "driver.h"

enum { BYTES = 4 << 20, VALUE = 0x07070707 };

static millpondCudaPool *pool;
static Handle a, b;
/* Keeps its page from being whole. */
static void *small;

/* A stream that fills a block, frees it, and is destroyed. */
static void *left_behind(int with_events, int captured) {
    Handle stream;
    void *block;
    CU(cuStreamCreate(&stream, 1));
    block = millpondCudaAlloc(pool, BYTES, stream);
    CHECK(block != NULL && small != NULL);
    CU(cuMemsetD32Async(address_of(small), 1, 1, stream));
    /* As many events of the library's own as it keeps, all in front of the work on the block. */
    for (int count = 0; with_events && count < 80; count++) {
        void *other = millpondCudaAlloc(pool, 512, a);
        OURS(millpondCudaRecordUse(other, stream));
        OURS(millpondCudaFree(other));
    }
    CU(cuMemsetD32Async(address_of(block), VALUE, BYTES / 4, stream));
    OURS(millpondCudaFree(block));
    if (captured) OURS(millpondCudaCapture(0, 1));
    OURS(millpondCudaStreamGone(stream));
    if (captured) OURS(millpondCudaCapture(0, -1));
    CU(cuStreamDestroy(stream));
    return block;
}

/* What another stream gets once all is held that may be. */
static void *wanted(void) {
    void *block = NULL;
    for (int tries = 0; tries < 10 && block == NULL; tries++) block = millpondCudaAlloc(pool, BYTES, b);
    if (block != NULL) {
        unsigned found = 0;
        CU(cuMemcpyDtoHAsync(&found, address_of(block), sizeof found, b));
        CU(cuStreamSynchronize(b));
        CHECK(found == VALUE);
    }
    return block;
}

int main(void) {
    millpondCudaOptions options = {.struct_size = sizeof options, .page_bytes = BYTES};
    millpondCudaStatistics stats = {.struct_size = sizeof stats};
    uint64_t moment;
    void *first, *block;
    open_driver();
    CU(cuStreamCreate(&a, 1));
    CU(cuStreamCreate(&b, 1));
    OURS(millpondCudaCreate(0, &options, &pool));
    small = millpondCudaAlloc(pool, 512, a);
    /* One page for the small blocks, and one. */
    OURS(millpondCudaSetLimit(0, 2 * BYTES));

    first = left_behind(1, 0);
    block = wanted();
    CHECK(block == first);
    OURS(millpondCudaFree(block));
    CU(cuCtxSynchronize());
    OURS(millpondCudaDeviceSynchronized(0, millpondCudaNow()));

    /* No event could be recorded at its end. */
    first = left_behind(0, 1);
    CHECK(wanted() == NULL && millpondCudaCode() == MILLPOND_CUDA_NO_MEMORY);
    moment = millpondCudaNow();
    CU(cuCtxSynchronize());
    OURS(millpondCudaDeviceSynchronized(0, moment));
    block = wanted();
    CHECK(block != NULL);
    OURS(millpondCudaFree(block));
    OURS(millpondCudaStats(pool, &stats));
    CHECK(stats.reserved_bytes.peak <= 2 * BYTES);
    return 0;
}
