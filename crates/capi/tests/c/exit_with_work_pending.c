/* Can a program simply return from main? There is queued work, a parked stream,
 * a host function that will not end by itself and a thread inside a
 * synchronisation; the process leaves at once with the status of main. */
#include "check.h"
#include "gate.h"
#include <pthread.h>

static void blocks_for_long(void *unused)
{
    (void)unused;
    sleep(3600);
}

static void never_runs(void *unused)
{
    (void)unused;
    fprintf(stderr, "work behind a closed gate ran\n");
    _exit(3);
}

static void *waits(void *stream)
{
    OK(aclrtSetDevice(0));
    (void)aclrtSynchronizeStream(stream);
    return NULL;
}

int main(void)
{
    aclrtStream parked, busy, blocked;
    void *device = NULL, *host = NULL;
    pthread_t thread;
    int i;

    OPEN_DEVICE();
    OK(aclrtMalloc(&device, 4 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost(&host, 4 * MIB));
    OK(aclrtCreateStream(&parked));
    OK(aclrtCreateStream(&busy));
    OK(aclrtCreateStream(&blocked));

    gate_close(parked);
    OK(aclrtLaunchHostFunc(parked, never_runs, NULL));
    OK(aclrtLaunchHostFunc(blocked, blocks_for_long, NULL));
    for (i = 0; i < 200; i++) {
        OK(aclrtMemcpyAsync(device, 4 * MIB, host, 4 * MIB, ACL_MEMCPY_HOST_TO_DEVICE, busy));
    }
    pthread_create(&thread, NULL, waits, parked);
    pthread_detach(thread);
    sleep_ms(30);
    /* The harness ends a program that does not leave. */
    return 0;
}
