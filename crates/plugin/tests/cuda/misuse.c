/* What programs do wrong has an error that says it, and no effect. */
#include "driver.h"

#include <sys/wait.h>
#include <unistd.h>

static int shortages, failures, mapped, unmapping;
static void *spare;
static uint64_t asked;

static void (*standinSticky)(int);
static uint64_t (*standinCalls)(const char *);

/* What only asks about a GPU makes no context on it. */
static void asks_only(void) {
    millpondCudaStatistics stats = {.struct_size = sizeof stats};
    uint64_t limit = 0, contexts;
    FIND(standinCalls, "standinCalls");
    contexts = standinCalls("cuDevicePrimaryCtxRetain");
    OURS(millpondCudaDeviceStats(0, &stats));
    CHECK(stats.struct_size == sizeof stats && stats.pools == 0 && stats.reserved_bytes.peak == 0 && stats.limit_bytes == UINT64_MAX);
    OURS(millpondCudaResetPeaks(0));
    OURS(millpondCudaResetCounts(0));
    OURS(millpondCudaGetLimit(0, &limit));
    CHECK(limit == UINT64_MAX && standinCalls("cuDevicePrimaryCtxRetain") == contexts);
    CHECK(millpondCudaDeviceStats(7, &stats) < 0 && strstr(millpondCudaMessage(), "CUDA_ERROR_INVALID_DEVICE"));
    CHECK(millpondCudaResetPeaks(-1) == MILLPOND_CUDA_INVALID);
}

static int listen(void *user, const millpondCudaNews *news) {
    CHECK(user == &spare && news->struct_size == sizeof *news && news->device == 0);
    switch (news->moment) {
    case MILLPOND_CUDA_SHORTAGE:
        shortages++;
        asked = news->bytes;
        CHECK(news->device_total_bytes > 0 && news->reserved_bytes > 0);
        if (!spare) return 0;
        OURS(millpondCudaFree(spare));
        spare = NULL;
        return 1;
    case MILLPOND_CUDA_OUT_OF_MEMORY: failures++; return 0;
    case MILLPOND_CUDA_MAPPED: mapped++; return 0;
    case MILLPOND_CUDA_UNMAPPING: unmapping++; return 0;
    }
    CHECK(!"a moment of the header");
    return 0;
}

/* A request for more than the device has takes nothing and leaves the peaks unchanged; one that fails halfway is counted correctly. */
static void too_much(Handle stream) {
    millpondCudaOptions options = {.struct_size = sizeof options, .page_bytes = 2 << 20};
    millpondCudaStatistics stats = {.struct_size = sizeof stats};
    void (*standinFail)(const char *, uint64_t, int);
    millpondCudaPool *pool;
    void *block;
    uint64_t made;
    FIND(standinFail, "standinFail");
    OURS(millpondCudaSetLimit(0, UINT64_MAX));
    OURS(millpondCudaTrim(NULL, 0, NULL));
    OURS(millpondCudaCreate(0, &options, &pool));
    OURS(millpondCudaResetPeaks(0));
    OURS(millpondCudaResetCounts(0));
    made = standinCalls("cuMemCreate");
    CHECK(millpondCudaAlloc(pool, (size_t)2 << 30, stream) == NULL && millpondCudaCode() == MILLPOND_CUDA_NO_MEMORY);
    CHECK(strstr(millpondCudaMessage(), "1073741824 bytes are free on the device"));
    OURS(millpondCudaDeviceStats(0, &stats));
    /* The driver was asked for all of it at once, a few times. */
    CHECK(standinCalls("cuMemCreate") < made + 16 && stats.reserved_bytes.peak == 0 && stats.reserved_bytes.allocated == 0);
    standinFail("cuMemMap", 4, 719);
    CHECK(millpondCudaAlloc(pool, 8 * (2 << 20), stream) == NULL && millpondCudaCode() == MILLPOND_CUDA_REFUSED);
    standinFail(NULL, 0, 0);
    OURS(millpondCudaDeviceStats(0, &stats));
    CHECK(stats.reserved_bytes.peak < 8 * (2 << 20) && stats.pages.peak < 8);
    CHECK(stats.pages.allocated - stats.pages.freed == stats.pages.current);
    block = millpondCudaAlloc(pool, 8 * (2 << 20), stream);
    CHECK(block != NULL);
    OURS(millpondCudaDeviceStats(0, &stats));
    CHECK(stats.reserved_bytes.peak == 8 * (2 << 20) && stats.reserved_bytes.current == stats.reserved_bytes.peak);
    CHECK(stats.pages.allocated - stats.pages.freed == stats.pages.current);
    OURS(millpondCudaFree(block));
    OURS(millpondCudaDestroy(pool));
}

/* Memory that the driver's own pool keeps of what was freed in the order of streams is not free, but the driver gives it to whoever asks. */
static void kept_by_the_driver(Handle stream) {
    millpondCudaOptions options = {.struct_size = sizeof options, .page_bytes = 2 << 20};
    void (*standinKeep)(uint64_t);
    millpondCudaPool *pool;
    void *block;
    FIND(standinKeep, "standinKeep");
    OURS(millpondCudaTrim(NULL, 0, NULL));
    OURS(millpondCudaCreate(0, &options, &pool));
    standinKeep((uint64_t)900 << 20);
    block = millpondCudaAlloc(pool, (size_t)512 << 20, stream);
    CHECK(block != NULL);
    OURS(millpondCudaFree(block));
    standinKeep(0);
    OURS(millpondCudaDestroy(pool));
}

int main(void) {
    millpondCudaOptions options = {.struct_size = sizeof options};
    millpondCudaStatistics stats = {.struct_size = sizeof stats};
    millpondCudaPool *pool = NULL, *other;
    Handle stream;
    uint64_t returned;
    void *block, *copy;
    char here;
    pid_t child;
    int status;
    open_driver();
    CU(cuStreamCreate(&stream, 1));
    asks_only();
    too_much(stream);
    kept_by_the_driver(stream);

    CHECK(millpondCudaCreate(0, NULL, NULL) == MILLPOND_CUDA_INVALID && strstr(millpondCudaMessage(), "'pool' is NULL"));
    CHECK(millpondCudaCreate(7, NULL, &pool) < 0 && strstr(millpondCudaMessage(), "CUDA_ERROR_INVALID_DEVICE"));
    CHECK(millpondCudaCreate(-1, NULL, &pool) == MILLPOND_CUDA_INVALID);
    options.page_bytes = 3 << 20;
    CHECK(millpondCudaCreate(0, &options, &pool) == MILLPOND_CUDA_INVALID && strstr(millpondCudaMessage(), "power of two"));
    options.page_bytes = 2 << 20;
    options.flags = 64;
    CHECK(millpondCudaCreate(0, &options, &pool) == MILLPOND_CUDA_INVALID && strstr(millpondCudaMessage(), "0x40"));
    options.flags = 0;
    options.struct_size = 3;
    CHECK(millpondCudaCreate(0, &options, &pool) == MILLPOND_CUDA_INVALID && strstr(millpondCudaMessage(), "struct_size is 3"));
    options.struct_size = sizeof options;
    CHECK(pool == NULL);

    OURS(millpondCudaDefault(0, &options, &pool));
    OURS(millpondCudaDefault(0, NULL, &other));
    CHECK(other == pool);
    options.slack_permille = 99;
    CHECK(millpondCudaDefault(0, &options, &other) == MILLPOND_CUDA_INVALID && strstr(millpondCudaMessage(), "other options"));

    CHECK(millpondCudaAlloc(NULL, 512, stream) == NULL && millpondCudaCode() == MILLPOND_CUDA_NOT_OURS);
    CHECK(millpondCudaAlloc((millpondCudaPool *)&here, 512, stream) == NULL && millpondCudaCode() == MILLPOND_CUDA_NOT_OURS);
    CHECK(millpondCudaAlloc(pool, SIZE_MAX, stream) == NULL && millpondCudaCode() != 0);
    CHECK(millpondCudaAlloc(pool, (size_t)1 << 46, stream) == NULL && strstr(millpondCudaMessage(), "70368744177664 bytes"));
    CHECK(millpondCudaDestroy((millpondCudaPool *)&here) == MILLPOND_CUDA_NOT_OURS);
    CHECK(millpondCudaStats(NULL, &stats) == MILLPOND_CUDA_INVALID);
    CHECK(millpondCudaStats(pool, NULL) == MILLPOND_CUDA_INVALID);
    CHECK(millpondCudaVisit(pool, NULL, NULL) == MILLPOND_CUDA_INVALID);
    CHECK(millpondCudaCapture(0, 2) == MILLPOND_CUDA_INVALID);
    /* If this were accepted, the next capture would not be counted. */
    CHECK(millpondCudaCapture(0, -1) == MILLPOND_CUDA_INVALID && strstr(millpondCudaMessage(), "no capture is under way on device 0"));

    block = millpondCudaAlloc(pool, 0, stream);
    copy = block;
    CHECK(block != NULL);
    OURS(millpondCudaFree(NULL));
    CHECK(millpondCudaFree(&here) == MILLPOND_CUDA_NOT_OURS);
    CHECK(millpondCudaFree((char *)block + 1) == MILLPOND_CUDA_NOT_OURS);
    CHECK(millpondCudaFree((char *)block + 512) == MILLPOND_CUDA_NOT_OURS);
    CHECK(millpondCudaRecordUse(&here, stream) == MILLPOND_CUDA_NOT_OURS);
    CHECK(millpondCudaRecordUseOn(block, 7, NULL) < 0 && strstr(millpondCudaMessage(), "CUDA_ERROR_INVALID_DEVICE"));
    OURS(millpondCudaFree(block));
    CHECK(millpondCudaFree(copy) == MILLPOND_CUDA_NOT_OURS && strstr(millpondCudaMessage(), "freed before"));
    CHECK(millpondCudaRecordUse(copy, stream) == MILLPOND_CUDA_NOT_OURS);
    CHECK(millpondCudaPages(copy, NULL, 0, NULL, NULL, NULL) == MILLPOND_CUDA_NOT_OURS);

    /* The program is asked before a request fails. */
    OURS(millpondCudaListen(listen, &spare));
    OURS(millpondCudaSetLimit(0, 64 << 20));
    spare = millpondCudaAlloc(pool, 40 << 20, stream);
    CHECK(spare != NULL && mapped > 0);
    block = millpondCudaAlloc(pool, 50 << 20, stream);
    CHECK(block != NULL && shortages == 1 && failures == 0 && spare == NULL && asked == 50 << 20);
    CHECK(millpondCudaAlloc(pool, 50 << 20, stream) == NULL && shortages == 2 && failures == 1);
    CHECK(millpondCudaCode() == MILLPOND_CUDA_NO_MEMORY);
    CHECK(strstr(millpondCudaMessage(), "no block of 52428800 bytes on device 0: the limit of all pools is 67108864 bytes"));
    CHECK(strstr(millpondCudaMessage(), "52428800 bytes are in use in 1 block"));
    OURS(millpondCudaStats(pool, &stats));
    CHECK(stats.failures >= 1 && stats.retries >= 1);
    OURS(millpondCudaFree(block));
    CU(cuCtxSynchronize());
    OURS(millpondCudaDeviceSynchronized(0, millpondCudaNow()));
    OURS(millpondCudaTrim(pool, 0, &returned));
    CHECK(returned > 0 && unmapping > 0);
    OURS(millpondCudaResetPeaks(0));
    OURS(millpondCudaResetCounts(0));
    OURS(millpondCudaStats(pool, &stats));
    CHECK(stats.used_bytes.peak == 0 && stats.reserved_bytes.peak == 0 && stats.blocks.allocated == 0 && stats.pages.freed == 0);

    /* A structure of an older program: no more than it has room for is written. */
    memset(&stats, 0xff, sizeof stats);
    stats.struct_size = 16;
    OURS(millpondCudaStats(pool, &stats));
    CHECK(stats.struct_size == 16 && stats.device == 0 && stats.blocks.current == -1);

    /* After a kernel that failed, everything fails; and what is freed is freed. */
    FIND(standinSticky, "standinSticky");
    block = millpondCudaAlloc(pool, 4096, stream);
    standinSticky(700);
    CHECK(millpondCudaAlloc(pool, 50 << 20, stream) == NULL && millpondCudaCode() == MILLPOND_CUDA_REFUSED);
    CHECK(strstr(millpondCudaMessage(), "CUDA_ERROR_ILLEGAL_ADDRESS") && strstr(millpondCudaMessage(), "started again"));
    OURS(millpondCudaFree(block));
    standinSticky(0);
    block = millpondCudaAlloc(pool, 50 << 20, stream);
    CHECK(block != NULL);
    OURS(millpondCudaFree(block));

    /* One size is cached. */
    OURS(millpondCudaFree(millpondCudaAlloc(pool, 4096, stream)));
    child = fork();
    if (child == 0) {
        block = millpondCudaAlloc(pool, 4096, stream);
        if (block != NULL || millpondCudaCode() != MILLPOND_CUDA_FORKED) _exit(2);
        block = millpondCudaAlloc(pool, 123456, stream);
        _exit(block != NULL || millpondCudaCode() != MILLPOND_CUDA_FORKED || !strstr(millpondCudaMessage(), "forked"));
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    return 0;
}
