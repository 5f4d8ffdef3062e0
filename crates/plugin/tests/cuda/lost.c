/* Work fails while a request waits for it: the request reports the failure at once, not a lack of memory. */
#include "driver.h"

enum { PAGE = 2 << 20, ILLEGAL_ADDRESS = 700 };

static int failures;

static int listen(void *user, const millpondCudaNews *news) {
    (void)user;
    failures += news->moment == MILLPOND_CUDA_OUT_OF_MEMORY;
    return 0;
}

int main(void) {
    millpondCudaOptions options = {.struct_size = sizeof options, .page_bytes = PAGE};
    millpondCudaStatistics stats = {.struct_size = sizeof stats};
    millpondCudaPool *pool, *other;
    Handle streams[2];
    void *block, *gone;
    open_driver();
    CU(cuStreamCreate(&streams[0], 1));
    CU(cuStreamCreate(&streams[1], 1));
    OURS(millpondCudaListen(listen, NULL));
    OURS(millpondCudaCreate(0, &options, &pool));
    OURS(millpondCudaCreate(0, &options, &other));
    /* The program wrongly reports that work is complete, so the pool unmaps memory that the work still uses. */
    gone = millpondCudaAlloc(other, PAGE, streams[1]);
    CHECK(gone != NULL);
    CU(cuMemsetD32Async(address_of(gone), 1, PAGE / 4, streams[1]));
    OURS(millpondCudaFree(gone));
    OURS(millpondCudaDeviceSynchronized(0, millpondCudaNow()));
    OURS(millpondCudaTrim(other, 0, NULL));
    block = millpondCudaAlloc(pool, 4 * PAGE, streams[0]);
    CHECK(block != NULL);
    OURS(millpondCudaRecordUse(block, streams[1]));
    OURS(millpondCudaFree(block));
    OURS(millpondCudaSetLimit(0, 4 * PAGE));
    CHECK(millpondCudaAlloc(pool, 3 * PAGE, streams[0]) == NULL);
    CHECK(millpondCudaCode() == MILLPOND_CUDA_REFUSED && strstr(millpondCudaMessage(), "CUDA_ERROR_ILLEGAL_ADDRESS"));
    CHECK(strstr(millpondCudaMessage(), "started again"));
    OURS(millpondCudaStats(pool, &stats));
    CHECK(stats.blocks.current == 0 && stats.failures == 1);
    return 0;
}
