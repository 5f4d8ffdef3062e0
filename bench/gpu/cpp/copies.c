/*
 * What copies and fills cost that a program queues through AscendCL on a device whose memory is a GPU's. Prints one line of JSON for
 * each figure.
 *
 *     MILLPOND_DEVICE=cuda copies [--tiny]
 *
 * --tiny: a few calls of each kind, to see that it works.
 */
#include <acl/acl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(call)                                                                          \
    do {                                                                                     \
        int code = (call);                                                                   \
        if (code != ACL_SUCCESS) {                                                           \
            fprintf(stderr, "%s returned %d: %s\n", #call, code, aclGetRecentErrMsg());      \
            exit(1);                                                                         \
        }                                                                                    \
    } while (0)

enum { STREAMS = 4 };

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static char *from[STREAMS], *to[STREAMS], *pinned, *plain;
static aclrtStream streams[STREAMS];

typedef enum { WITHIN, FILL, FROM_PINNED, TO_PINNED, FROM_PLAIN } Kind;

static const char *const names[] = {"device to device", "fill", "pinned to device", "device to pinned", "other host memory to device"};

static void queue(Kind kind, int stream, size_t bytes) {
    switch (kind) {
    case WITHIN: CHECK(aclrtMemcpyAsync(to[stream], bytes, from[stream], bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, streams[stream])); break;
    case FILL: CHECK(aclrtMemsetAsync(to[stream], bytes, 1, bytes, streams[stream])); break;
    case FROM_PINNED: CHECK(aclrtMemcpyAsync(to[stream], bytes, pinned, bytes, ACL_MEMCPY_HOST_TO_DEVICE, streams[stream])); break;
    case TO_PINNED: CHECK(aclrtMemcpyAsync(pinned, bytes, from[stream], bytes, ACL_MEMCPY_DEVICE_TO_HOST, streams[stream])); break;
    case FROM_PLAIN: CHECK(aclrtMemcpy(to[stream], bytes, plain, bytes, ACL_MEMCPY_HOST_TO_DEVICE)); break;
    }
}

/* The smallest mean of several rounds, from the first call to the end of the last copy. */
static void measure(Kind kind, int used, size_t bytes, int times) {
    double best = 1e30;
    for (int round = 0; round < 4; round++) {
        double took = now_ns();
        for (int at = 0; at < times; at++)
            for (int stream = 0; stream < used; stream++) queue(kind, stream, bytes);
        for (int stream = 0; stream < used; stream++) CHECK(aclrtSynchronizeStream(streams[stream]));
        took = (now_ns() - took) / times / used;
        /* The first round touches the memory. */
        if (round > 0 && took < best) best = took;
    }
    printf("{\"what\": \"%s\", \"streams\": %d, \"bytes\": %zu, \"us\": %.2f, \"gb_per_s\": %.1f}\n", names[kind], used, bytes,
        best / 1e3, (double)bytes / best);
    fflush(stdout);
}

int main(int count, char **arguments) {
    int tiny = count > 1 && strcmp(arguments[1], "--tiny") == 0;
    int often = tiny ? 4 : 2000, seldom = tiny ? 1 : 10;
    size_t small = 4096, large = tiny ? (size_t)1 << 20 : (size_t)256 << 20;
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    for (int at = 0; at < STREAMS; at++) {
        CHECK(aclrtCreateStream(&streams[at]));
        CHECK(aclrtMalloc((void **)&from[at], large, ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK(aclrtMalloc((void **)&to[at], large, ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK(aclrtMemset(from[at], large, at, large));
    }
    CHECK(aclrtMallocHost((void **)&pinned, large));
    plain = malloc(large);
    if (!plain) return 1;
    memset(plain, 1, large);
    for (Kind kind = WITHIN; kind <= FROM_PLAIN; kind++) {
        measure(kind, 1, small, often);
        if (kind <= FILL) measure(kind, STREAMS, small, often);
        measure(kind, 1, large, seldom);
    }
    free(plain);
    CHECK(aclrtFreeHost(pinned));
    for (int at = 0; at < STREAMS; at++) {
        CHECK(aclrtFree(from[at]));
        CHECK(aclrtFree(to[at]));
        CHECK(aclrtDestroyStream(streams[at]));
    }
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
