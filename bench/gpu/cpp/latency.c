/*
 * Time of an allocation and a free through include/millpond/cuda.h, beside cuMemAllocAsync and cuMemAlloc of the driver, and how
 * fast memory with pages of several sizes is copied. Prints one line of JSON for each figure.
 *
 * Usage: latency [--tiny] [PAGE_BYTES]
 *
 * --tiny: a few calls of each kind and small copies, to see that it works. A driver without cuMemAllocAsync is measured without it.
 */
#include "driver.h"

#include <pthread.h>
#include <time.h>

enum { THREADS = 8 };

static int (*cuMemAllocAsync)(uint64_t *, size_t, Handle);
static int (*cuMemFreeAsync)(uint64_t, Handle);
static int (*cuDeviceGetDefaultMemPool)(Handle *, int);
static int (*cuMemPoolSetAttribute)(Handle, int, void *);
static int (*cuEventElapsedTime)(float *, Handle, Handle);
static int (*cuCtxGetCurrent)(Handle *);

static Handle context;
static millpondCudaPool *pool;
static int tiny;

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* ---- the three allocators ---- */

typedef uint64_t Alloc(size_t bytes, Handle stream);
typedef void Free(uint64_t address, Handle stream);

static uint64_t ours_alloc(size_t bytes, Handle stream) {
    uint64_t address = address_of(millpondCudaAlloc(pool, bytes, stream));
    CHECK(address != 0);
    return address;
}

static void ours_free(uint64_t address, Handle stream) {
    (void)stream;
    millpondCudaFree((void *)(uintptr_t)address);
}

static uint64_t async_alloc(size_t bytes, Handle stream) {
    uint64_t address;
    CU(cuMemAllocAsync(&address, bytes, stream));
    return address;
}

static void async_free(uint64_t address, Handle stream) { CU(cuMemFreeAsync(address, stream)); }

static uint64_t plain_alloc(size_t bytes, Handle stream) {
    uint64_t address;
    (void)stream;
    CU(cuMemAlloc(&address, bytes));
    return address;
}

static void plain_free(uint64_t address, Handle stream) {
    (void)stream;
    CU(cuMemFree(address));
}

static const struct {
    const char *name;
    Alloc *alloc;
    Free *free;
    int pairs, steps;
} allocators[] = {
    {"millpond", ours_alloc, ours_free, 1000000, 2000000},
    {"cuMemAllocAsync", async_alloc, async_free, 50000, 100000},
    {"cuMemAlloc", plain_alloc, plain_free, 100, 0},
};

/* ---- latency ---- */

static void pairs(int which, size_t bytes, Handle stream) {
    int count = tiny ? 10 : allocators[which].pairs;
    double best = 1e30;
    for (int round = 0; round < 10; round++) {
        double begun;
        for (int warm = 0; warm < 10; warm++) allocators[which].free(allocators[which].alloc(bytes, stream), stream);
        begun = now_ns();
        for (int at = 0; at < count; at++) allocators[which].free(allocators[which].alloc(bytes, stream), stream);
        begun = (now_ns() - begun) / count;
        if (begun < best) best = begun;
    }
    printf("{\"what\": \"pair\", \"allocator\": \"%s\", \"bytes\": %zu, \"ns\": %.1f}\n", allocators[which].name, bytes, best);
    fflush(stdout);
}

typedef struct {
    int which, steps;
    uint64_t seed;
    Handle stream;
    double ns;
    pthread_barrier_t *start;
} Work;

/* A thousand live blocks of 512 bytes to 4 MiB, or a hundred with --tiny: each step frees one of them and allocates another. */
static void *mix(void *argument) {
    Work *work = argument;
    Alloc *alloc = allocators[work->which].alloc;
    Free *release = allocators[work->which].free;
    int blocks = tiny ? 100 : 1000;
    uint64_t *live = calloc((size_t)blocks, sizeof *live), state = work->seed;
    size_t *sizes = calloc((size_t)blocks, sizeof *sizes);
    double begun = 0;
    CU(cuCtxSetCurrent(context));
    for (int at = 0; at < blocks; at++) {
        sizes[at] = (size_t)512 << next_number(&state) % 14;
        live[at] = alloc(sizes[at], work->stream);
    }
    for (int step = -work->steps / 4; step < work->steps; step++) {
        int at = (int)(next_number(&state) % (uint64_t)blocks);
        if (step == 0) {
            pthread_barrier_wait(work->start);
            begun = now_ns();
        }
        release(live[at], work->stream);
        live[at] = alloc((size_t)512 << next_number(&state) % 14, work->stream);
    }
    work->ns = (now_ns() - begun) / (2.0 * work->steps);
    for (int at = 0; at < blocks; at++) release(live[at], work->stream);
    free(live);
    free(sizes);
    return NULL;
}

static void threads(int which, int count, Handle *streams) {
    pthread_t ids[THREADS];
    Work work[THREADS];
    pthread_barrier_t start;
    double sum = 0;
    if (!allocators[which].steps) return;
    pthread_barrier_init(&start, NULL, (unsigned)count);
    for (int at = 0; at < count; at++) {
        int steps = tiny ? 100 : allocators[which].steps / (which ? count : 1);
        work[at] = (Work){which, steps, (uint64_t)at + 1, streams[at], 0, &start};
        pthread_create(&ids[at], NULL, mix, &work[at]);
    }
    for (int at = 0; at < count; at++) {
        pthread_join(ids[at], NULL);
        sum += work[at].ns;
    }
    printf("{\"what\": \"mix\", \"allocator\": \"%s\", \"threads\": %d, \"ns\": %.1f}\n", allocators[which].name, count,
        sum / count);
    fflush(stdout);
}

/* ---- copies ---- */

static void copies(const char *name, uint64_t to, uint64_t from, size_t bytes, Handle stream) {
    enum { TIMES = 20 };
    Handle start, end;
    float milliseconds = 0;
    CU(cuEventCreate(&start, 0));
    CU(cuEventCreate(&end, 0));
    CU(cuMemsetD32Async(from, 1, bytes / 4, stream));
    CU(cuMemcpyDtoDAsync(to, from, bytes, stream));
    CU(cuEventRecord(start, stream));
    for (int at = 0; at < TIMES; at++) CU(cuMemcpyDtoDAsync(to, from, bytes, stream));
    CU(cuEventRecord(end, stream));
    CU(cuEventSynchronize(end));
    CU(cuEventElapsedTime(&milliseconds, start, end));
    if (milliseconds <= 0) return; /* a stand-in of the driver copies in no time */
    printf("{\"what\": \"copy\", \"memory\": \"%s\", \"bytes\": %zu, \"tb_per_s\": %.3f}\n", name, bytes,
        2.0 * (double)bytes * TIMES / ((double)milliseconds * 1e9));
    fflush(stdout);
}

static void all_copies(Handle stream) {
    size_t bytes = tiny ? (size_t)64 << 20 : (size_t)2 << 30;
    uint64_t from = plain_alloc(bytes, stream), to = plain_alloc(bytes, stream);
    copies("cuMemAlloc", to, from, bytes, stream);
    plain_free(from, stream);
    plain_free(to, stream);
    for (int megabytes = 2; megabytes <= 32; megabytes *= 2) {
        millpondCudaOptions options = {.struct_size = sizeof options};
        char name[32];
        double begun;
        options.page_bytes = (uint64_t)megabytes << 20;
        OURS(millpondCudaCreate(0, &options, &pool));
        begun = now_ns();
        from = ours_alloc(bytes, stream);
        to = ours_alloc(bytes, stream);
        begun = now_ns() - begun;
        snprintf(name, sizeof name, "pages of %d MiB", megabytes);
        copies(name, to, from, bytes, stream);
        printf("{\"what\": \"grow\", \"memory\": \"%s\", \"bytes\": %zu, \"ms\": %.1f}\n", name, 2 * bytes, begun / 1e6);
        ours_free(from, stream);
        ours_free(to, stream);
        CU(cuCtxSynchronize());
        OURS(millpondCudaDestroy(pool));
    }
}

/* A function that older drivers do not have. */
#define FIND_IF(function) (*(void **)&function = dlsym(library, #function))

int main(int count, char **arguments) {
    millpondCudaOptions options = {.struct_size = sizeof options};
    Handle streams[THREADS], mempool;
    uint64_t keep = UINT64_MAX;
    size_t sizes[] = {512, 1 << 20, 16 << 20};
    int has_async;
    for (int at = 1; at < count; at++) {
        if (strcmp(arguments[at], "--tiny") == 0) tiny = 1;
        else options.page_bytes = strtoull(arguments[at], NULL, 0);
    }
    open_driver();
    has_async = FIND_IF(cuMemAllocAsync) && FIND_IF(cuMemFreeAsync) && FIND_IF(cuDeviceGetDefaultMemPool) && FIND_IF(cuMemPoolSetAttribute);
    FIND(cuEventElapsedTime, "cuEventElapsedTime");
    FIND(cuCtxGetCurrent, "cuCtxGetCurrent");
    CU(cuCtxGetCurrent(&context));
    if (has_async) {
        CU(cuDeviceGetDefaultMemPool(&mempool, 0));
        CU(cuMemPoolSetAttribute(mempool, 4, &keep));
    }
    for (int at = 0; at < THREADS; at++) CU(cuStreamCreate(&streams[at], 1));
    OURS(millpondCudaCreate(0, &options, &pool));
    for (int which = 0; which < 3; which++)
        for (int size = 0; size < 3; size++)
            if (which != 1 || has_async) pairs(which, sizes[size], streams[0]);
    for (int which = 0; which < 1 + has_async; which++)
        for (int used = 1; used <= THREADS; used *= 2) threads(which, used, streams);
    OURS(millpondCudaDestroy(pool));
    all_copies(streams[0]);
    return 0;
}
