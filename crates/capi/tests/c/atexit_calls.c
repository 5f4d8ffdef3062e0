/* May a program clean up in an atexit handler, in a destructor of its own, or in
 * another thread while the process leaves? Each call returns something, and none
 * hangs or crashes. */
#include "check.h"
#include "gate.h"
#include <pthread.h>
#include <stdatomic.h>

static aclrtStream stream, parked;
static aclrtEvent event;
static void *block, *host;
static int handler_ran;

static void clean_up(void)
{
    handler_ran = 1;
    RETURNS(aclrtSynchronizeStream(stream));
    RETURNS(aclrtMemcpy(host, 64, block, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    RETURNS(aclrtDestroyEvent(event));
    RETURNS(aclrtDestroyStreamForce(parked));
    RETURNS(aclrtDestroyStream(stream));
    RETURNS(aclrtFree(block));
    RETURNS(aclrtFreeHost(host));
    RETURNS(aclrtResetDeviceForce(0));
    RETURNS(aclFinalize());
}

__attribute__((destructor)) static void last_of_all(void)
{
    void *late = NULL;
    if (!handler_ran) {
        fprintf(stderr, "the atexit handler did not run\n");
        _exit(4);
    }
    if (RETURNS(aclrtMalloc(&late, 64, ACL_MEM_MALLOC_HUGE_FIRST)) == 0) {
        RETURNS(aclrtFree(late));
    }
    RETURNS(aclrtResetDevice(0));
    RETURNS(aclFinalize());
}

/* Goes on calling while main returns. */
static void *never_stops(void *ready)
{
    OK(aclrtSetDevice(0));
    atomic_store((atomic_int *)ready, 1);
    for (;;) {
        void *p = NULL;
        if (aclrtMalloc(&p, 4096, ACL_MEM_MALLOC_HUGE_FIRST) == 0) {
            (void)aclrtFree(p);
        } else {
            sleep_ms(1);
        }
    }
    return NULL;
}

int main(void)
{
    static atomic_int ready;
    pthread_t thread;

    OPEN_DEVICE();
    OK(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost(&host, 64));
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateStream(&parked));
    OK(aclrtCreateEvent(&event));
    OK(aclrtMemsetAsync(block, 64, 1, 64, stream));
    OK(aclrtRecordEvent(event, stream));
    gate_close(parked);
    OK(aclrtMemsetAsync(block, 64, 2, 64, parked));

    CHECK(atexit(clean_up) == 0);
    pthread_create(&thread, NULL, never_stops, &ready);
    pthread_detach(thread);
    while (!atomic_load(&ready)) {
        sleep_ms(1);
    }
    return 0;
}
