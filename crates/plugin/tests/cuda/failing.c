/* Each call of the driver fails once, at every place where it is called: nothing is lost, and the pool goes on. */
#include "driver.h"

static void (*standinFail)(const char *, uint64_t, int);
static uint64_t (*standinCalls)(const char *);
static uint64_t (*standinUsed)(int);
static Handle streams[2], event;
static int refused;

static void *take(millpondCudaPool *pool, size_t bytes, int stream) {
    void *block = millpondCudaAlloc(pool, bytes, streams[stream]);
    if (!block) {
        refused++;
        CHECK(*millpondCudaMessage() != 0 && millpondCudaCode() != 0 && millpondCudaCode() != MILLPOND_CUDA_INTERNAL);
    }
    return block;
}

static void give(void *block) {
    if (block) OURS(millpondCudaFree(block));
}

/* Two streams, windows, events of our own, pages that come and go. Only calls through the library may fail. */
static void run(millpondCudaPool *pool) {
    void *blocks[24] = {0};
    uint64_t returned, moment;
    for (int round = 0; round < 2; round++) {
        for (int at = 0; at < 24; at++) blocks[at] = take(pool, 1 << 20, at % 2);
        for (int at = 0; at < 24; at += 2) {
            give(blocks[at]);
            blocks[at] = NULL;
        }
        for (int at = 1; at < 8; at += 2)
            if (blocks[at]) OURS(millpondCudaRecordUse(blocks[at], streams[0]));
        blocks[0] = take(pool, 9 << 20, 0);
        blocks[2] = take(pool, 5 << 20, 1);
        for (int at = 0; at < 24; at++) {
            give(blocks[at]);
            blocks[at] = NULL;
        }
        moment = millpondCudaNow();
        OURS(millpondCudaDeviceSynchronized(0, moment));
        blocks[0] = take(pool, 30 << 20, 1);
        give(blocks[0]);
        blocks[0] = NULL;
        if (millpondCudaTrim(pool, 0, &returned)) refused++;
    }
}

int main(void) {
    enum { MEMORY = 2, INVALID = 1 };
    millpondCudaOptions options = {.struct_size = sizeof options, .page_bytes = 2 << 20};
    millpondCudaPool *pool;
    uint64_t before, calls, returned;
    int all = 0;
    open_driver();
    FIND(standinFail, "standinFail");
    FIND(standinCalls, "standinCalls");
    FIND(standinUsed, "standinUsed");
    CU(cuStreamCreate(&streams[0], 1));
    CU(cuStreamCreate(&streams[1], 1));
    CU(cuEventCreate(&event, 2));
    OURS(millpondCudaSetLimit(0, 64 << 20));
    OURS(millpondCudaCreate(0, &options, &pool));
    before = standinCalls(NULL);
    run(pool);
    CHECK(refused == 0);
    calls = standinCalls(NULL) - before;
    CHECK(calls > 100);
    for (uint64_t number = 1; number <= calls; number++)
        for (int code = INVALID; code <= MEMORY; code++) {
            refused = 0;
            standinFail(NULL, number, code);
            run(pool);
            all += refused;
            standinFail(NULL, 0, 0);
            /* After the failure everything is as before. */
            refused = 0;
            run(pool);
            if (refused) {
                fprintf(stderr, "after call %llu failed with %d, %d calls were refused: %s\n", (unsigned long long)number, code, refused,
                    millpondCudaMessage());
                return 1;
            }
            millpondCudaTrim(pool, 0, &returned);
        }
    printf("%llu calls failed twice; %d calls of the program did\n", (unsigned long long)calls, all);
    CHECK(all > 0);
    OURS(millpondCudaDestroy(pool));
    return 0;
}
