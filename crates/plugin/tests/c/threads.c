/* Threads with a stream each share the memory of a device: every byte arrives where it was sent. */
#include "shared.h"
#include <pthread.h>

enum { THREADS = 4, TURNS = 300, LIVE = 6 };

static aclrtContext context;

static void *run(void *argument)
{
    unsigned seed = (unsigned)(uintptr_t)argument;
    aclrtStream stream = NULL;
    unsigned char *host = NULL;
    void *blocks[LIVE] = {NULL};
    size_t sizes[LIVE] = {0};
    Allocator a;
    int turn, slot;

    OK(aclrtSetCurrentContext(context));
    OK(aclrtCreateStream(&stream));
    OK(aclrtMallocHost((void **)&host, LIVE * 64));
    a = registered(stream, NULL);
    for (turn = 0; turn < TURNS; turn++) {
        slot = turn % LIVE;
        seed = seed * 1103515245u + 12345u;
        if (blocks[slot] != NULL) {
            OK(aclrtMemcpyAsync(host + slot * 64, 64, (char *)a.address(blocks[slot]) + sizes[slot] - 64, 64,
                                ACL_MEMCPY_DEVICE_TO_HOST, stream));
            a.free(a.object, blocks[slot]);
            OK(aclrtSynchronizeStream(stream));
            EQ(host[slot * 64], (unsigned char)(seed - seed + (turn - LIVE) * 7 + (int)(uintptr_t)argument));
            EQ(host[slot * 64 + 63], host[slot * 64]);
        }
        sizes[slot] = 64 + (seed >> 8) % ((size_t)1 << (10 + seed % 13));
        blocks[slot] = a.alloc(a.object, sizes[slot]);
        CHECK(blocks[slot] != NULL);
        OK(aclrtMemsetAsync(a.address(blocks[slot]), sizes[slot],
                            (unsigned char)(turn * 7 + (int)(uintptr_t)argument), sizes[slot], stream));
        if (turn % 100 == 50) {
            DONE(millpondAllocatorTrim(a.desc, 8 * MIB, NULL));
        }
    }
    for (slot = 0; slot < LIVE; slot++) {
        a.free(a.object, blocks[slot]);
    }
    OK(aclrtSynchronizeStream(stream));
    unregistered(&a);
    OK(aclrtFreeHost(host));
    OK(aclrtDestroyStream(stream));
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    size_t before = 0, after = 0, total = 0;
    int i;

    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtGetCurrentContext(&context));
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
    for (i = 0; i < THREADS; i++) {
        EQ(pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)(i + 1)), 0);
    }
    for (i = 0; i < THREADS; i++) {
        EQ(pthread_join(threads[i], NULL), 0);
    }
    DONE(millpondAllocatorTrim(NULL, 0, NULL));
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
    EQ(after, before);
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
