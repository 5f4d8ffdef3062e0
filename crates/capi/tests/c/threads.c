/* What if many threads use one device? Eight of them allocate, copy, wait and free
 * on streams of their own and get their own data; others destroy streams that are
 * in use, and everybody gets an answer. */
#include "check.h"
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 8
#define ROUNDS 60

static void *works(void *argument)
{
    int number = (int)(intptr_t)argument;
    unsigned state = (unsigned)number + 1;
    int round;

    OK(aclrtSetDevice(0));
    for (round = 0; round < ROUNDS; round++) {
        size_t size, i;
        aclrtStream up = NULL, down = NULL;
        aclrtEvent event = NULL;
        void *device = NULL, *from = NULL, *to = NULL;
        unsigned char *bytes;

        state = state * 1103515245u + 12345u;
        size = 1 + (state >> 8) % 50000;
        OK(aclrtCreateStream(&up));
        OK(aclrtCreateStream(&down));
        OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
        OK(aclrtMallocAlign32(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtMallocHost(&from, size));
        OK(aclrtMallocHost(&to, size));
        memset(from, number * 16 + round % 16, size);
        memset(to, 0xff, size);

        OK(aclrtMemcpyAsync(device, size, from, size, ACL_MEMCPY_HOST_TO_DEVICE, up));
        OK(aclrtRecordEvent(event, up));
        OK(aclrtStreamWaitEvent(down, event));
        OK(aclrtMemcpyAsync(to, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST, down));
        OK(aclrtSynchronizeStream(down));
        bytes = to;
        for (i = 0; i < size; i++) {
            EQ(bytes[i], (number * 16 + round % 16) & 0xff);
        }

        OK(aclrtFree(device));
        OK(aclrtFreeHost(from));
        OK(aclrtFreeHost(to));
        OK(aclrtDestroyEvent(event));
        OK(aclrtDestroyStream(up));
        OK(aclrtDestroyStream(down));
    }
    OK(aclrtResetDevice(0));
    return NULL;
}

#define SHARED 16
static _Atomic(aclrtStream) shared[SHARED];
static _Atomic(aclrtEvent) shared_events[SHARED];
static atomic_int stop;
static void *shared_block;

/* Uses whatever handle lies there; the other side may have destroyed it. */
static void *uses(void *argument)
{
    unsigned state = (unsigned)(intptr_t)argument;
    OK(aclrtSetDevice(0));
    while (!atomic_load(&stop)) {
        aclrtStream stream, other;
        aclrtEvent event;
        aclrtStreamStatus status;
        state = state * 1103515245u + 12345u;
        stream = atomic_load(&shared[(state >> 8) % SHARED]);
        other = atomic_load(&shared[(state >> 12) % SHARED]);
        event = atomic_load(&shared_events[(state >> 16) % SHARED]);
        RETURNS(aclrtMemsetAsync(shared_block, 4096, 1, 4096, stream));
        RETURNS(aclrtRecordEvent(event, stream));
        RETURNS(aclrtStreamWaitEvent(other, event));
        RETURNS(aclrtStreamQuery(stream, &status));
        RETURNS(aclrtSynchronizeStreamWithTimeout(stream, 1));
    }
    OK(aclrtResetDevice(0));
    return NULL;
}

static void *destroys(void *argument)
{
    unsigned state = (unsigned)(intptr_t)argument;
    int round;
    OK(aclrtSetDevice(0));
    for (round = 0; round < 400; round++) {
        aclrtStream fresh = NULL;
        aclrtEvent event = NULL;
        size_t place;
        state = state * 1103515245u + 12345u;
        place = (state >> 8) % SHARED;
        OK(aclrtCreateStream(&fresh));
        fresh = atomic_exchange(&shared[place], fresh);
        OK(aclrtDestroyStream(fresh));
        OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
        event = atomic_exchange(&shared_events[place], event);
        OK(aclrtDestroyEvent(event));
    }
    OK(aclrtResetDevice(0));
    return NULL;
}

static void on_their_own(void)
{
    pthread_t threads[THREADS];
    intptr_t i;
    for (i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, works, (void *)i) == 0);
    }
    for (i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void against_each_other(void)
{
    pthread_t users[3], destroyers[2];
    intptr_t i;

    OK(aclrtMalloc(&shared_block, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    for (i = 0; i < SHARED; i++) {
        aclrtStream stream = NULL;
        aclrtEvent event = NULL;
        OK(aclrtCreateStream(&stream));
        OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
        atomic_store(&shared[i], stream);
        atomic_store(&shared_events[i], event);
    }
    for (i = 0; i < 3; i++) {
        CHECK(pthread_create(&users[i], NULL, uses, (void *)(i + 1)) == 0);
    }
    for (i = 0; i < 2; i++) {
        CHECK(pthread_create(&destroyers[i], NULL, destroys, (void *)(i + 100)) == 0);
    }
    for (i = 0; i < 2; i++) {
        pthread_join(destroyers[i], NULL);
    }
    atomic_store(&stop, 1);
    for (i = 0; i < 3; i++) {
        pthread_join(users[i], NULL);
    }
    OK(aclrtSynchronizeDevice());
    for (i = 0; i < SHARED; i++) {
        OK(aclrtDestroyStream(atomic_load(&shared[i])));
        OK(aclrtDestroyEvent(atomic_load(&shared_events[i])));
    }
    OK(aclrtFree(shared_block));
}

int main(void)
{
    size_t before = 0, after = 0, total = 0;
    OPEN_DEVICE();
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
    on_their_own();
    against_each_other();
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
    EQ(after, before);
    CLOSE_DEVICE();
    return 0;
}
