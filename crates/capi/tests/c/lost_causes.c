/* What if a program leaves things in a state that no manual describes? A stream waits
 * for an event that is gone, a thread waits for reports of a stream that is gone, a
 * callback needs much stack, signals arrive: the answer comes, and nothing hangs. */
#include "check.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static aclrtStream stream;

/* Nobody can record the event any more, so destroying the stream does not wait for it. */
static void an_event_that_is_gone(void)
{
    aclrtStream waits = NULL;
    aclrtEvent event = NULL;
    OK(aclrtCreateStream(&waits));
    OK(aclrtCreateEvent(&event));
    OK(aclrtStreamWaitEvent(waits, event));
    OK(aclrtDestroyEvent(event));
    RETURNS(aclrtDestroyStream(waits));
    FAILS(aclrtDestroyStream(waits));
}

static void counts(void *count)
{
    atomic_fetch_add((atomic_int *)count, 1);
}

static void reports_of_a_stream_that_is_gone(void)
{
    aclrtStream gone = NULL;
    OK(aclrtCreateStream(&gone));
    OK(aclrtSubscribeReport((uint64_t)pthread_self(), gone));
    OK(aclrtDestroyStream(gone));
    CODE(aclrtProcessReport(50), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    CODE(aclrtProcessReport(-1), ACL_ERROR_RT_THREAD_SUBSCRIBE);
}

/* A subscription cannot be ended while a callback has not run: it would be lost. */
static void callbacks_that_have_not_run(void)
{
    atomic_int ran = 0;
    uint64_t self = (uint64_t)pthread_self();
    OK(aclrtSubscribeReport(self, stream));
    OK(aclrtLaunchCallback(counts, &ran, ACL_CALLBACK_BLOCK, stream));
    CODE(aclrtUnSubscribeReport(self, stream), ACL_ERROR_RT_STREAM_SUBSCRIBE);
    OK(aclrtProcessReport(20000));
    EQ(atomic_load(&ran), 1);
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtUnSubscribeReport(self, stream));
}

/* Threads of C programs have some megabytes of stack, and functions rely on it. */
static void needs_stack(void *done)
{
    volatile char much[4 * 1024 * 1024];
    size_t i;
    for (i = 0; i < sizeof much; i += 4096) {
        much[i] = 1;
    }
    atomic_store((atomic_int *)done, much[4096]);
}

static void a_callback_with_a_deep_stack(void)
{
    atomic_int done = 0;
    OK(aclrtLaunchHostFunc(stream, needs_stack, &done));
    OK(aclrtSynchronizeStream(stream));
    EQ(atomic_load(&done), 1);
}

/* Signals are the program's: no thread of the library takes one. */
static void signals_go_to_the_program(void)
{
    sigset_t set;
    int got = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    CHECK(kill(getpid(), SIGUSR1) == 0);
    CHECK(sigwait(&set, &got) == 0);
    EQ(got, SIGUSR1);
}

/* Waits that are thrown away leave nothing behind in their event. */
static void many_waits_for_one_event(void)
{
    aclrtEvent event = NULL;
    int round;
    OK(aclrtCreateEvent(&event));
    for (round = 0; round < 2000; round++) {
        aclrtStream waits = NULL;
        OK(aclrtCreateStream(&waits));
        OK(aclrtStreamWaitEvent(waits, event));
        OK(aclrtDestroyStreamForce(waits));
    }
    OK(aclrtDestroyEvent(event));
}

/* Polls for the end of a wait, with no other call, finish under every schedule. */
static void polls_for_a_wait(void)
{
    aclrtEvent event = NULL;
    aclrtEventWaitStatus status = ACL_EVENT_WAIT_STATUS_NOT_READY;
    OK(aclrtCreateEvent(&event));
    OK(aclrtRecordEvent(event, stream));
    OK(aclrtStreamWaitEvent(NULL, event));
    OK(aclrtSynchronizeEvent(event));
    while (status != ACL_EVENT_WAIT_STATUS_COMPLETE) {
        OK(aclrtQueryEventWaitStatus(event, &status));
    }
    OK(aclrtSynchronizeStream(NULL));
    OK(aclrtDestroyEvent(event));
}

static aclError refuses(const char *config, size_t length, void *data)
{
    (void)config, (void)length, (void)data;
    return 145000;
}

/* A start that a callback refused has not happened. */
static void a_refused_start(void)
{
    OK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, refuses, NULL));
    CODE(aclInit(NULL), 145000);
    OK(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, refuses));
    OK(aclInit(NULL));
}

/* Sizes that no machine has are refused, not fatal. */
static void sizes_beyond_all_bounds(void)
{
    int64_t dim = 1;
    int64_t range[1][2] = {{1, 2}};
    char byte = 0;
    aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT, 1, &dim, ACL_FORMAT_ND);
    CHECK(desc != NULL);
    FAILS(aclSetTensorConst(desc, &byte, (size_t)1 << 62));
    FAILS(aclSetTensorShapeRange(desc, SIZE_MAX, range));
    aclSetTensorDescName(desc, "\xcf\xf2");
    CHECK(strcmp(aclGetTensorDescName(desc), "\xcf\xf2") == 0);
    aclDestroyTensorDesc(desc);
}

/* A free that no queued work names gives its memory back although a stream stands still. */
static void memory_beside_a_parked_stream(void)
{
    aclrtStream waits = NULL;
    aclrtEvent event = NULL;
    int round;
    OK(aclrtCreateStream(&waits));
    OK(aclrtCreateEvent(&event));
    OK(aclrtStreamWaitEvent(waits, event));
    for (round = 0; round < 500; round++) {
        void *block = NULL;
        OK(aclrtMalloc(&block, 32 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtFree(block));
    }
    OK(aclrtRecordEvent(event, stream));
    OK(aclrtDestroyStream(waits));
    OK(aclrtDestroyEvent(event));
}

int main(void)
{
    a_refused_start();
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    an_event_that_is_gone();
    reports_of_a_stream_that_is_gone();
    callbacks_that_have_not_run();
    a_callback_with_a_deep_stack();
    signals_go_to_the_program();
    many_waits_for_one_event();
    polls_for_a_wait();
    sizes_beyond_all_bounds();
    memory_beside_a_parked_stream();
    OK(aclrtDestroyStream(stream));
    CLOSE_DEVICE();
    return 0;
}
