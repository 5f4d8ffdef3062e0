/* Which GPUs may access a pool's memory: pages that are mapped before, after and while access is allowed, and GPUs that cannot have it. */
#include "driver.h"

#include <pthread.h>

enum { PAGE = 2 << 20, GPUS = 16 };

static Handle contexts[GPUS], streams[GPUS];

/* What the driver returns for a write to a block by a GPU. */
static int queue_from(int device, void *block, size_t bytes) {
    CU(cuCtxSetCurrent(contexts[device]));
    int code = cuMemsetD32Async(address_of(block), 7, bytes / 4, streams[device]);
    CU(cuCtxSetCurrent(contexts[0]));
    return code;
}

/* The same, and checks that the bytes are written. */
static int write_from(int device, void *block, size_t bytes) {
    int code = queue_from(device, block, bytes);
    CU(cuCtxSetCurrent(contexts[device]));
    CU(cuStreamSynchronize(streams[device]));
    CU(cuCtxSetCurrent(contexts[0]));
    return code;
}

static void *take(millpondCudaPool *pool, size_t bytes) {
    void *block = millpondCudaAlloc(pool, bytes, streams[0]);
    CHECK(block != NULL);
    return block;
}

/* A GPU that does not exist, or that the hardware gives no access: an error, and the pool works as before. */
static void refused(millpondCudaPool *pool) {
    CHECK(millpondCudaAllowPeer(0, 99) < 0 && strstr(millpondCudaMessage(), "CUDA_ERROR_INVALID_DEVICE"));
    OURS(millpondCudaFree(take(pool, PAGE)));
    CHECK(millpondCudaAllowPeer(0, -1) == MILLPOND_CUDA_INVALID && strstr(millpondCudaMessage(), "device -1 is negative"));
    CHECK(millpondCudaAllowPeer(99, 0) < 0 && millpondCudaAllowPeer(-1, 0) < 0);
    OURS(millpondCudaFree(take(pool, 9 * PAGE)));
}

static void without_peers(millpondCudaPool *pool) {
    void *block;
    CHECK(millpondCudaAllowPeer(0, 1) == MILLPOND_CUDA_REFUSED);
    CHECK(strstr(millpondCudaMessage(), "device 1 cannot access the memory of device 0"));
    block = take(pool, 20 * PAGE);
    CHECK(write_from(0, block, PAGE) == 0 && write_from(1, block, PAGE) != 0);
    OURS(millpondCudaAllowPeer(0, 0));
    OURS(millpondCudaFree(block));
}

/* Blocks in pages that existed before, in later pages, in windows, and in pools that are created later. */
static void with_peers(millpondCudaPool *pool, const millpondCudaOptions *options) {
    void *blocks[16], *block;
    millpondCudaStatistics stats = {.struct_size = sizeof stats};
    millpondCudaPool *later;
    for (int at = 0; at < 16; at++) blocks[at] = take(pool, PAGE);
    CHECK(write_from(1, blocks[0], PAGE) != 0);
    OURS(millpondCudaAllowPeer(0, 1));
    OURS(millpondCudaAllowPeer(0, 1));
    for (int at = 0; at < 16; at++) CHECK(write_from(1, blocks[at], PAGE) == 0 && write_from(2, blocks[at], PAGE) != 0);
    for (int at = 0; at < 16; at += 2) OURS(millpondCudaFree(blocks[at]));
    block = take(pool, 5 * PAGE);
    OURS(millpondCudaStats(pool, &stats));
    CHECK(stats.moved_pages > 0);
    CHECK(write_from(1, block, 5 * PAGE) == 0 && write_from(0, block, 5 * PAGE) == 0);
    OURS(millpondCudaAllowPeer(0, 2));
    CHECK(write_from(2, block, 5 * PAGE) == 0);
    OURS(millpondCudaFree(block));
    for (int at = 1; at < 16; at += 2) OURS(millpondCudaFree(blocks[at]));
    OURS(millpondCudaCreate(0, options, &later));
    block = take(later, 3 * PAGE);
    CHECK(write_from(1, block, 3 * PAGE) == 0);
    OURS(millpondCudaFree(block));
    OURS(millpondCudaDestroy(later));
}

static void give_all_back(millpondCudaPool *pool) {
    for (int device = GPUS - 1; device >= 0; device--) {
        CU(cuCtxSetCurrent(contexts[device]));
        CU(cuCtxSynchronize());
        OURS(millpondCudaDeviceSynchronized(device, millpondCudaNow()));
    }
    OURS(millpondCudaTrim(pool, 0, NULL));
}

static void *take_many(void *pool) {
    static void *blocks[200];
    CU(cuCtxSetCurrent(contexts[0]));
    for (int at = 0; at < 200; at++) blocks[at] = take(pool, PAGE);
    return blocks;
}

/* A GPU gets access while a thread takes pages: afterwards it can access all of them. */
static void meanwhile(millpondCudaPool *pool) {
    for (int peer = 4; peer < GPUS; peer++) {
        pthread_t thread;
        void *found;
        CHECK(pthread_create(&thread, NULL, take_many, pool) == 0);
        OURS(millpondCudaAllowPeer(0, peer));
        CHECK(pthread_join(thread, &found) == 0);
        for (int at = 0; at < 200; at++) {
            void *block = ((void **)found)[at];
            CHECK(write_from(peer, block, PAGE) == 0);
            OURS(millpondCudaFree(block));
        }
        give_all_back(pool);
    }
}

/* A stream of a GPU without a pool uses or owns a block: a request waits for the stream before it fails. */
static void stream_of_a_gpu_without_a_pool(millpondCudaPool *pool, int device) {
    void *block;
    OURS(millpondCudaAllowPeer(0, device));
    give_all_back(pool);
    OURS(millpondCudaSetLimit(0, 4 * PAGE));
    block = take(pool, 4 * PAGE);
    OURS(millpondCudaRecordUseOn(block, device, streams[device]));
    CHECK(queue_from(device, block, 4 * PAGE) == 0);
    OURS(millpondCudaFree(block));
    block = take(pool, 3 * PAGE);
    OURS(millpondCudaFree(block));
    give_all_back(pool);
    block = millpondCudaAlloc(pool, 4 * PAGE, streams[device + 1]);
    CHECK(block != NULL);
    OURS(millpondCudaAllowPeer(0, device + 1));
    CHECK(queue_from(device + 1, block, 4 * PAGE) == 0);
    OURS(millpondCudaFree(block));
    OURS(millpondCudaFree(take(pool, 3 * PAGE)));
    OURS(millpondCudaSetLimit(0, UINT64_MAX));
}

int main(void) {
    millpondCudaOptions options = {.struct_size = sizeof options, .page_bytes = PAGE};
    const char *peers = getenv("STANDIN_PEERS");
    millpondCudaPool *pool;
    open_driver();
    for (int device = 0; device < GPUS; device++) {
        CU(cuDevicePrimaryCtxRetain(&contexts[device], device));
        CU(cuCtxSetCurrent(contexts[device]));
        CU(cuStreamCreate(&streams[device], 1));
    }
    CU(cuCtxSetCurrent(contexts[0]));
    OURS(millpondCudaCreate(0, &options, &pool));
    refused(pool);
    if (peers && *peers == '0') {
        without_peers(pool);
        return 0;
    }
    with_peers(pool, &options);
    stream_of_a_gpu_without_a_pool(pool, 2);
    meanwhile(pool);
    return 0;
}
