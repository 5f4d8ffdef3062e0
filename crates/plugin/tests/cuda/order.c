/* Which stream gets which bytes: only those that it is known to come after. */
#include "driver.h"

enum { BYTES = 4 << 20 };

static millpondCudaPool *pool;
static Handle a, b, c, event, other;

static void *block(Handle stream) {
    void *found = millpondCudaAlloc(pool, BYTES, stream);
    CHECK(found != NULL);
    return found;
}

static void record(Handle of, Handle stream) {
    OURS(millpondCudaEventRecorded(of, stream));
    CU(cuEventRecord(of, stream));
}

static void wait_for(Handle stream, Handle of) {
    CU(cuStreamWaitEvent(stream, of, 0));
    OURS(millpondCudaStreamWaits(stream, of));
}

/* A block that a stream has freed. */
static void *freed(Handle stream) {
    void *found = block(stream);
    OURS(millpondCudaFree(found));
    return found;
}

static millpondCudaStatistics stats(void) {
    millpondCudaStatistics stats = {.struct_size = sizeof stats};
    OURS(millpondCudaStats(pool, &stats));
    return stats;
}

/* All work is over, and all memory goes back. */
static void start_again(void) {
    uint64_t moment = millpondCudaNow(), returned;
    CU(cuCtxSynchronize());
    OURS(millpondCudaDeviceSynchronized(0, moment));
    OURS(millpondCudaTrim(pool, 0, &returned));
    CHECK(stats().reserved_bytes.current == 0);
}

static void same_stream(void) {
    void *first = freed(a);
    CHECK(block(a) == first);
    OURS(millpondCudaFree(first));
    start_again();
}

static void another_stream_waits(void) {
    void *first = freed(a), *second, *third;
    second = block(b);
    CHECK(second != first);
    OURS(millpondCudaFree(second));
    record(event, a);
    third = freed(a);
    CHECK(third == first);
    /* c waits for what was recorded: before the second free. */
    wait_for(c, event);
    CHECK(block(c) != third);
    record(event, a);
    wait_for(c, event);
    CHECK(block(c) == third);
}

/* c waits for b, which waited for a. */
static void knowledge_is_passed_on(void) {
    void *first = freed(a);
    record(event, a);
    wait_for(b, event);
    record(other, b);
    wait_for(c, other);
    CHECK(block(c) == first);
}

static void an_event_captures_what_was_known(void) {
    void *first;
    record(other, b);
    first = freed(a);
    record(event, a);
    wait_for(b, event);
    /* b has recorded before it waited. */
    wait_for(c, other);
    CHECK(block(c) != first);
}

static void an_event_that_is_gone_says_nothing(void) {
    void *first = freed(a);
    record(event, a);
    OURS(millpondCudaEventGone(event));
    wait_for(c, event);
    CHECK(block(c) != first);
}

static void what_is_over_is_everybodys(void) {
    uint64_t moment;
    void *first = freed(a), *second;
    record(event, a);
    CU(cuEventSynchronize(event));
    OURS(millpondCudaEventSynchronized(event));
    CHECK(block(c) == first);
    second = freed(a);
    moment = millpondCudaNow();
    CU(cuStreamSynchronize(a));
    OURS(millpondCudaStreamSynchronized(a, moment));
    CHECK(block(b) == second);
    CHECK(millpondCudaStreamSynchronized(a, UINT64_MAX) == MILLPOND_CUDA_INVALID);
}

/* A block waits for the streams that use it. */
static void other_users(void) {
    void *first = block(a);
    millpondCudaBlock found = {.struct_size = sizeof found};
    OURS(millpondCudaRecordUse((char *)first + 100, b));
    OURS(millpondCudaFind((char *)first + 100, &found));
    CHECK(found.address == first && found.bytes == BYTES && found.requested_bytes == BYTES);
    CHECK(found.stream == a && found.pool == pool && found.state == MILLPOND_CUDA_LIVE);
    CU(cuMemsetD32Async(address_of(first), 1, 16, b));
    OURS(millpondCudaFree(first));
    CHECK(stats().active_blocks.current == stats().blocks.current + 1);
    CHECK(block(a) != first);
    record(event, b);
    wait_for(a, event);
    CHECK(block(a) == first);
}

/* The program never waits and is far ahead: memory stays within bounds, because streams are asked how far they are. */
static void far_ahead(void) {
    int64_t peak;
    for (int step = 0; step < 400; step++) {
        void *batch = millpondCudaAlloc(pool, 16 << 20, a);
        CHECK(batch != NULL);
        CU(cuMemsetD32Async(address_of(batch), 1, 16, a));
        record(event, a);
        wait_for(b, event);
        OURS(millpondCudaRecordUse(batch, b));
        CU(cuMemsetD32Async(address_of(batch), 2, 16, b));
        OURS(millpondCudaFree(batch));
    }
    peak = stats().reserved_bytes.peak;
    if (peak > 192 << 20) {
        fprintf(stderr, "%lld bytes are held for one block of 16 MiB\n", (long long)peak);
        exit(1);
    }
}

/* Streams come and go, and their memory does not. */
static void streams_that_are_destroyed(void) {
    for (int round = 0; round < 200; round++) {
        Handle stream;
        CU(cuStreamCreate(&stream, 1));
        OURS(millpondCudaFree(block(stream)));
        OURS(millpondCudaStreamGone(stream));
        CU(cuStreamDestroy(stream));
    }
    CHECK(stats().reserved_bytes.peak <= 512 << 20);
}

int main(void) {
    millpondCudaOptions options = {.struct_size = sizeof options, .page_bytes = 4 << 20, .slack_permille = 1};
    open_driver();
    CU(cuStreamCreate(&a, 1));
    CU(cuStreamCreate(&b, 1));
    CU(cuStreamCreate(&c, 1));
    CU(cuEventCreate(&event, 2));
    CU(cuEventCreate(&other, 2));
    void (*const cases[])(void) = {same_stream, another_stream_waits, knowledge_is_passed_on, an_event_captures_what_was_known,
        an_event_that_is_gone_says_nothing, what_is_over_is_everybodys, other_users, far_ahead, streams_that_are_destroyed};
    for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
        /* While the program says that it captures, the library learns nothing by itself. */
        int told = cases[at] != far_ahead && cases[at] != streams_that_are_destroyed;
        OURS(millpondCudaCreate(0, &options, &pool));
        if (told) OURS(millpondCudaCapture(0, 1));
        cases[at]();
        if (told) OURS(millpondCudaCapture(0, -1));
        OURS(millpondCudaDestroy(pool));
    }
    return 0;
}
