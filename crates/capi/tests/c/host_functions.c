/* What is a host function? Code of the program in its place on the stream: what was
 * enqueued before it is over, what comes after waits for it. */
#include "check.h"
#include "gate.h"
#include <pthread.h>
#include <stdatomic.h>

#define COUNT 100

static aclrtStream stream;
static unsigned char *host;
static atomic_int next;
static pthread_t main_thread;

typedef struct {
    int number;
} Step;

/* Sees the copy before it, and the function before it, and nothing later. */
static void checks_step(void *argument)
{
    const Step *step = (const Step *)argument;
    EQ(host[0], step->number & 0xff);
    EQ(atomic_load(&next), step->number);
    CHECK(!pthread_equal(pthread_self(), main_thread));
    atomic_store(&next, step->number + 1);
}

static void sets_flag(void *flag)
{
    atomic_store((atomic_int *)flag, 1);
}

static void sets_flag_late(void *flag)
{
    sleep_ms(50);
    atomic_store((atomic_int *)flag, 1);
}

static void in_its_place(void)
{
    Step steps[COUNT];
    void *device = NULL;
    int i;

    OK(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    for (i = 0; i < COUNT; i++) {
        steps[i].number = i;
        OK(aclrtMemsetAsync(device, 64, i, 64, stream));
        OK(aclrtMemcpyAsync(host, 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        OK(aclrtLaunchHostFunc(stream, checks_step, &steps[i]));
    }
    OK(aclrtSynchronizeStream(stream));
    EQ(atomic_load(&next), COUNT);
    OK(aclrtFree(device));
}

/* Later work and other streams' waits hang on the end of the function. */
static void holds_what_follows(void)
{
    aclrtStream other = NULL;
    aclrtEvent event = NULL;
    atomic_int done = 0;

    OK(aclrtCreateStream(&other));
    OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    OK(aclrtLaunchHostFunc(stream, sets_flag_late, &done));
    OK(aclrtRecordEvent(event, stream));
    OK(aclrtStreamWaitEvent(other, event));
    OK(aclrtSynchronizeStream(other));
    EQ(atomic_load(&done), 1);
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyStream(other));
}

typedef struct {
    aclrtStream other;
    atomic_int came_back;
} Inside;

/* The manual forbids calls from in here. They are answered all the same: no lock of
 * the runtime is held while code of the program runs. */
static void calls_from_inside(void *argument)
{
    Inside *inside = (Inside *)argument;
    aclrtStreamStatus status;
    uint32_t count = 0;
    void *block = NULL;
    RETURNS(aclrtGetDeviceCount(&count));
    if (RETURNS(aclrtSetDevice(0)) == 0) {
        RETURNS(aclrtStreamQuery(inside->other, &status));
        if (RETURNS(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST)) == 0) {
            RETURNS(aclrtMemset(block, 64, 0, 64));
            RETURNS(aclrtFree(block));
        }
        RETURNS(aclrtResetDevice(0));
    }
    atomic_store(&inside->came_back, 1);
}

static void from_inside(void)
{
    Inside inside;
    atomic_init(&inside.came_back, 0);
    OK(aclrtCreateStream(&inside.other));
    OK(aclrtLaunchHostFunc(stream, calls_from_inside, &inside));
    OK(aclrtSynchronizeStream(stream));
    EQ(atomic_load(&inside.came_back), 1);
    OK(aclrtDestroyStream(inside.other));
}

static void refused(void)
{
    aclrtStream gone = NULL;
    atomic_int done = 0;
    CODE(aclrtLaunchHostFunc(stream, NULL, NULL), ACL_ERROR_INVALID_PARAM);
    OK(aclrtCreateStream(&gone));
    OK(aclrtDestroyStream(gone));
    FAILS(aclrtLaunchHostFunc(gone, sets_flag, &done));
    OK(aclrtLaunchHostFunc(NULL, sets_flag, &done));
    OK(aclrtSynchronizeStream(NULL));
    EQ(atomic_load(&done), 1);
}

int main(void)
{
    void *p = NULL;
    main_thread = pthread_self();
    OPEN_DEVICE();
    OK(aclrtCreateStream(&stream));
    OK(aclrtMallocHost(&p, 64));
    host = p;
    in_its_place();
    holds_what_follows();
    from_inside();
    refused();
    OK(aclrtFreeHost(p));
    OK(aclrtDestroyStream(stream));
    CLOSE_DEVICE();
    return 0;
}
