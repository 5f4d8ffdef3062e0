/* May a thread use a stream when it has set no device? The stream says which device is
 * meant. And an event puts two devices in order, whichever is the current one.
 * Runs with MILLPOND_DEVICES=2. */
#include "check.h"

#include <pthread.h>

enum { BYTES = 4096 };

static aclrtStream streams[2];
static aclrtEvent event;
static void *blocks[2];
static unsigned char *pinned;

static void *without_device(void *unused)
{
    aclrtStreamStatus status;
    int32_t device;
    void *block = NULL;

    CODE(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
    OK(aclrtMemsetAsync(blocks[0], BYTES, 7, BYTES, streams[0]));
    OK(aclrtRecordEvent(event, streams[0]));
    OK(aclrtStreamWaitEvent(streams[1], event));
    OK(aclrtMemcpyAsync(pinned, BYTES, blocks[0], BYTES, ACL_MEMCPY_DEVICE_TO_HOST, streams[0]));
    OK(aclrtSynchronizeStream(streams[0]));
    OK(aclrtStreamQuery(streams[1], &status));
    /* It has no device for that, and what needs one still says so. */
    CODE(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
    CODE(aclrtMalloc(&block, BYTES, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
    CODE(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_CONTEXT_NULL);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int d;

    OK(aclInit(NULL));
    for (d = 0; d < 2; d++) {
        OK(aclrtSetDevice(d));
        OK(aclrtCreateStream(&streams[d]));
        OK(aclrtMalloc(&blocks[d], BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    OK(aclrtMallocHost((void **)&pinned, BYTES));
    OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));

    EQ(pthread_create(&thread, NULL, without_device, NULL), 0);
    EQ(pthread_join(thread, NULL), 0);
    EQ(pinned[0], 7);
    EQ(pinned[BYTES - 1], 7);

    /* Device 1 is the current one here, and then device 0: both streams wait for both. */
    OK(aclrtStreamWaitEvent(streams[0], event));
    OK(aclrtStreamWaitEventWithTimeout(streams[0], event, 10));
    OK(aclrtSetDevice(0));
    OK(aclrtStreamWaitEvent(streams[1], event));
    OK(aclrtStreamWaitEvent(streams[0], event));
    /* Work for a stream of another device than the current one is a mistake all the same. */
    CODE(aclrtMemsetAsync(blocks[1], BYTES, 0, BYTES, streams[1]), ACL_ERROR_RT_STREAM_CONTEXT);

    for (d = 0; d < 2; d++) {
        OK(aclrtSetDevice(d));
        OK(aclrtSynchronizeStream(streams[d]));
        OK(aclrtDestroyStream(streams[d]));
        OK(aclrtFree(blocks[d]));
    }
    OK(aclrtDestroyEvent(event));
    OK(aclrtFreeHost(pinned));
    OK(aclrtResetDeviceForce(0));
    OK(aclrtResetDeviceForce(1));
    OK(aclFinalize());
    return 0;
}
