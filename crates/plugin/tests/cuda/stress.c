/*
 * Streams fill blocks with numbers of their own and look at them before they free them, with waits between streams that are told
 * and uses of other streams. If a stream got bytes that another may still use, a number is another's.
 *
 * Usage: stress [SEED [STEPS [PAGE_BYTES [MOST_BYTES]]]]
 */
#include "driver.h"

enum { STREAMS = 4, BLOCKS = 96, LOOKS = 4096, WORDS = 64 };

typedef struct {
    uint64_t address;
    size_t words;
    unsigned tag;
    int stream, user; /* user: another stream that used it last, or -1 */
} Block;

/* What was read of a block, and what it should be. */
typedef struct {
    unsigned tag;
    size_t count;
    unsigned *words;
} Look;

static Handle streams[STREAMS], event;
static Block blocks[BLOCKS];
static Look looks[LOOKS];
static int live, looked;
static unsigned next_tag = 1, *pinned;
static uint64_t state, most_bytes;

static uint64_t any(uint64_t below) { return next_number(&state) % below; }

static void fill(uint64_t address, size_t words, unsigned tag, int stream) {
    CU(cuMemsetD32Async(address, tag, words, streams[stream]));
}

/* Reads some words of a block, at its start, its end and in between. */
static void look(const Block *block, int stream) {
    for (int part = 0; part < 3; part++) {
        Look *look = &looks[looked];
        size_t count = block->words < WORDS ? block->words : WORDS;
        size_t start = part == 0 ? 0 : part == 1 ? block->words - count : any(block->words - count + 1);
        look->tag = block->tag;
        look->count = count;
        look->words = pinned + (size_t)looked * WORDS;
        CU(cuMemcpyDtoHAsync(look->words, block->address + 4 * start, 4 * count, streams[stream]));
        looked++;
    }
}

static void check_looks(void) {
    uint64_t moment = millpondCudaNow();
    CU(cuCtxSynchronize());
    OURS(millpondCudaDeviceSynchronized(0, moment));
    for (int at = 0; at < looked; at++)
        for (size_t word = 0; word < looks[at].count; word++)
            if (looks[at].words[word] != looks[at].tag) {
                fprintf(stderr, "a word of block %u is %u: another stream has written it\n", looks[at].tag,
                    looks[at].words[word]);
                exit(1);
            }
    looked = 0;
}

static void wait_between(int from, int to) {
    OURS(millpondCudaEventRecorded(event, streams[from]));
    CU(cuEventRecord(event, streams[from]));
    CU(cuStreamWaitEvent(streams[to], event, 0));
    OURS(millpondCudaStreamWaits(streams[to], event));
}

static void allocate(millpondCudaPool *pool) {
    Block *block = &blocks[live];
    uint64_t shift = any(16), bytes = ((uint64_t)512 << shift) + any((uint64_t)512 << shift);
    if (bytes > most_bytes / 8) bytes = most_bytes / 8;
    block->stream = (int)any(STREAMS);
    block->address = address_of(millpondCudaAlloc(pool, bytes, streams[block->stream]));
    if (!block->address) {
        /* The device is full: then everything goes. */
        CHECK(millpondCudaCode() == MILLPOND_CUDA_NO_MEMORY);
        CHECK(live > 0);
        return;
    }
    CHECK(block->address % 512 == 0);
    block->words = bytes / 4;
    block->tag = next_tag++;
    block->user = -1;
    fill(block->address, block->words, block->tag, block->stream);
    live++;
}

static void release(int at) {
    Block block = blocks[at];
    if (looked + 3 > LOOKS) check_looks();
    look(&block, block.user >= 0 ? block.user : block.stream);
    OURS(millpondCudaFree((void *)(uintptr_t)block.address));
    blocks[at] = blocks[--live];
}

int main(int count, char **arguments) {
    uint64_t seed = count > 1 ? strtoull(arguments[1], NULL, 0) : 1;
    uint64_t steps = count > 2 ? strtoull(arguments[2], NULL, 0) : 4000;
    millpondCudaOptions options = {.struct_size = sizeof options};
    millpondCudaStatistics stats = {.struct_size = sizeof stats};
    millpondCudaPool *pool;
    uint64_t returned;
    options.page_bytes = count > 3 ? strtoull(arguments[3], NULL, 0) : 2 << 20;
    most_bytes = count > 4 ? strtoull(arguments[4], NULL, 0) : 256 << 20;
    state = seed;
    open_driver();
    for (int stream = 0; stream < STREAMS; stream++) CU(cuStreamCreate(&streams[stream], 1));
    CU(cuEventCreate(&event, 2));
    CU(cuMemHostAlloc((void **)&pinned, (size_t)LOOKS * WORDS * 4, 0));
    OURS(millpondCudaCreate(0, &options, &pool));
    OURS(millpondCudaSetLimit(0, most_bytes));
    for (uint64_t step = 0; step < steps; step++) {
        uint64_t what = any(100);
        if (what < 45 && live < BLOCKS) allocate(pool);
        else if (what < 80 && live > 0) release((int)any((uint64_t)live));
        else if (what < 86 && live > 0) {
            /* Another stream uses the block, after its owner, and its owner does not wait for it. */
            Block *block = &blocks[any((uint64_t)live)];
            int user = (int)any(STREAMS);
            if (user == block->stream || block->user >= 0) continue;
            wait_between(block->stream, user);
            block->user = user;
            block->tag = next_tag++;
            fill(block->address, block->words, block->tag, user);
            OURS(millpondCudaRecordUse((void *)(uintptr_t)block->address, streams[user]));
        } else if (what < 96) {
            int from = (int)any(STREAMS), to = (int)any(STREAMS);
            if (from != to) wait_between(from, to);
        } else if (what < 99) {
            int stream = (int)any(STREAMS);
            uint64_t moment = millpondCudaNow();
            CU(cuStreamSynchronize(streams[stream]));
            OURS(millpondCudaStreamSynchronized(streams[stream], moment));
        } else {
            OURS(millpondCudaTrim(pool, 0, &returned));
        }
        if (live == BLOCKS)
            while (live > BLOCKS / 2) release((int)any((uint64_t)live));
    }
    while (live > 0) release(live - 1);
    check_looks();
    OURS(millpondCudaStats(pool, &stats));
    printf("seed %llu: %lld blocks, %llu bytes used and %llu held at most, %llu pages moved, %llu waits seen, %llu of %llu own events passed, %llu waits\n",
        (unsigned long long)seed, (long long)stats.blocks.allocated, (unsigned long long)stats.used_bytes.peak,
        (unsigned long long)stats.reserved_bytes.peak, (unsigned long long)stats.moved_pages,
        (unsigned long long)stats.seen_waits, (unsigned long long)stats.epochs_passed,
        (unsigned long long)stats.epochs_recorded, (unsigned long long)stats.waits);
    CHECK(stats.blocks.current == 0 && stats.used_bytes.current == 0 && stats.pages.current > 0);
    OURS(millpondCudaTrim(pool, 0, &returned));
    OURS(millpondCudaStats(pool, &stats));
    CHECK(stats.reserved_bytes.current == 0 && stats.reserved_bytes.allocated == stats.reserved_bytes.freed);
    OURS(millpondCudaDestroy(pool));
    CHECK(millpondCudaDestroy(pool) == MILLPOND_CUDA_NOT_OURS);
    return 0;
}
