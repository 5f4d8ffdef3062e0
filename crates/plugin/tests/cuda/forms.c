/* The form for PyTorch's pluggable allocator. */
#include "driver.h"

int main(void) {
    Handle stream;
    millpondCudaPool *pool;
    millpondCudaStatistics stats = {.struct_size = sizeof stats};
    void *block;
    open_driver();
    CU(cuStreamCreate(&stream, 1));
    CHECK(millpondTorchCudaAlloc(0, 0, stream) == NULL);
    CHECK(millpondTorchCudaAlloc(-1, 0, stream) == NULL);
    block = millpondTorchCudaAlloc(1000, 0, stream);
    CHECK(block != NULL);
    OURS(millpondCudaDefault(0, NULL, &pool));
    OURS(millpondCudaStats(pool, &stats));
    CHECK(stats.page_bytes == 4 << 20 && stats.blocks.current == 1 && stats.used_bytes.current == 1024 &&
          stats.requested_bytes.current == 1000 && stats.requested_bytes.allocated == 1000);
    CU(cuMemsetD32Async(address_of(block), 1, 250, stream));
    millpondTorchCudaFree(block, 1000, 0, stream);
    millpondTorchCudaFree(NULL, 0, 0, stream);
    /* Said on stderr, once. */
    millpondTorchCudaFree(block, 1000, 0, stream);
    CHECK(millpondTorchCudaAlloc(1000, 0, stream) == block);
    CHECK(millpondTorchCudaAlloc(1000, 9, stream) == NULL);
    CHECK(millpondTorchNpuAlloc(1000, 0, stream) == NULL);
    return 0;
}
