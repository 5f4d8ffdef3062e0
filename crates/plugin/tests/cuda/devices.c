/* Memory of one GPU that a stream of another uses: a synchronisation of one says nothing of the other's streams. */
#include "driver.h"

enum { BYTES = 4 << 20, VALUE = 0x07070707 };

static millpondCudaPool *pool;
static Handle contexts[2], streams[2], side;

/* A block of GPU 0 that GPU 1 fills and that is freed meanwhile. */
static void *used_by_the_other(Handle stream) {
    void *block = millpondCudaAlloc(pool, BYTES, streams[0]);
    CHECK(block != NULL);
    if (stream == NULL) OURS(millpondCudaRecordUseOn(block, 1, stream));
    else OURS(millpondCudaRecordUse(block, stream));
    CU(cuCtxSetCurrent(contexts[1]));
    CU(cuMemsetD32Async(address_of(block), VALUE, BYTES / 4, stream));
    CU(cuCtxSetCurrent(contexts[0]));
    return block;
}

static void synchronise(int device) {
    uint64_t moment = millpondCudaNow();
    CU(cuCtxSetCurrent(contexts[device]));
    CU(cuCtxSynchronize());
    OURS(millpondCudaDeviceSynchronized(device, moment));
    CU(cuCtxSetCurrent(contexts[0]));
}

static unsigned word(const void *block) {
    unsigned found = 0;
    CU(cuMemcpyDtoHAsync(&found, address_of(block), sizeof found, side));
    CU(cuStreamSynchronize(side));
    return found;
}

int main(void) {
    millpondCudaOptions options = {.struct_size = sizeof options, .page_bytes = BYTES};
    millpondCudaPool *other;
    void *block, *next, *there;
    open_driver();
    for (int device = 0; device < 2; device++) {
        CU(cuDevicePrimaryCtxRetain(&contexts[device], device));
        CU(cuCtxSetCurrent(contexts[device]));
        CU(cuStreamCreate(&streams[device], 1));
    }
    CU(cuCtxSetCurrent(contexts[0]));
    CU(cuStreamCreate(&side, 1));
    OURS(millpondCudaCreate(0, &options, &pool));
    OURS(millpondCudaCreate(1, &options, &other));
    OURS(millpondCudaAllowPeer(0, 1));
    /* GPU 1 has memory of its own for that stream. */
    there = millpondCudaAlloc(other, BYTES, streams[1]);
    CHECK(there != NULL);
    for (int of_default = 0; of_default < 2; of_default++) {
        /* No event of the library's own shows how far GPU 1 is. */
        OURS(millpondCudaCapture(0, 1));
        OURS(millpondCudaCapture(1, 1));
        block = used_by_the_other(of_default ? NULL : streams[1]);
        OURS(millpondCudaFree(block));
        synchronise(0);
        next = millpondCudaAlloc(pool, BYTES, streams[0]);
        CHECK(next != NULL && (next != block || word(block) == VALUE));
        CHECK(next != block);
        synchronise(1);
        CHECK(word(block) == VALUE);
        CHECK(millpondCudaAlloc(pool, BYTES, streams[0]) == block);
        OURS(millpondCudaCapture(0, -1));
        OURS(millpondCudaCapture(1, -1));
        OURS(millpondCudaFree(block));
        OURS(millpondCudaFree(next));
        /* With such events, which GPU 1 records, it is shown without a synchronisation. */
        OURS(millpondCudaTrim(pool, 0, NULL));
        synchronise(0);
        OURS(millpondCudaTrim(pool, 0, NULL));
        OURS(millpondCudaSetLimit(0, BYTES));
        block = used_by_the_other(of_default ? NULL : streams[1]);
        OURS(millpondCudaFree(block));
        next = millpondCudaAlloc(pool, BYTES, streams[0]);
        CHECK(next != NULL && word(next) == VALUE);
        OURS(millpondCudaFree(next));
        OURS(millpondCudaSetLimit(0, UINT64_MAX));
    }
    CHECK(millpondCudaRecordUseOn(there, -1, NULL) == MILLPOND_CUDA_INVALID);
    OURS(millpondCudaFree(there));
    return 0;
}
