/* Functions of the program that the runtime calls: when, on which thread, in which order. */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "../oracle.h"
#define GROUP "callback"

static long here(void)
{
    return syscall(SYS_gettid);
}

struct visit {
    volatile long thread;
    volatile int count;
    volatile int order[8];
};

static void note_thread(void *argument)
{
    struct visit *visit = argument;
    visit->thread = here();
    visit->count++;
}

QUESTION(host_function, "aclrtLaunchHostFunc", "On which thread does a host function run, and is it done when the stream is?")
{
    static struct visit visit;
    aclrtStream stream = new_stream();
    code("launch", CALL(aclrtLaunchHostFunc)(stream, note_thread, &visit));
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
    code("calls", visit.count);
    fact("thread", "%s", visit.thread == here() ? "caller" : "other");
    code("null", CALL(aclrtLaunchHostFunc)(stream, NULL, NULL));
    code("default", CALL(aclrtLaunchHostFunc)(NULL, note_thread, &visit));
}

static aclError inner;
static void call_inside(void *argument)
{
    (void)argument;
    void *block = NULL;
    inner = CALL(aclrtMalloc)(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST);
}

QUESTION_ALONE(host_function_calls, "aclrtLaunchHostFunc aclrtMalloc", "What does aclrtMalloc return inside a host function?")
{
    aclrtStream stream = new_stream();
    inner = -1;
    need("aclrtLaunchHostFunc", CALL(aclrtLaunchHostFunc)(stream, call_inside, NULL));
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
    code("inner", inner);
}

QUESTION(unsubscribed, "aclrtLaunchCallback", "What does aclrtLaunchCallback return for a stream without a subscribed thread?")
{
    static struct visit visit;
    aclrtStream stream = new_stream();
    code("code", CALL(aclrtLaunchCallback)(note_thread, &visit, ACL_CALLBACK_BLOCK, stream));
    code("null", CALL(aclrtLaunchCallback)(NULL, &visit, ACL_CALLBACK_BLOCK, stream));
    code("default", CALL(aclrtLaunchCallback)(note_thread, &visit, ACL_CALLBACK_BLOCK, NULL));
}

static aclrtContext shared_context;
static volatile bool reporting, ended;
static void *report(void *argument)
{
    (void)argument;
    CALL(aclrtSetCurrentContext)(shared_context);
    while (reporting) {
        CALL(aclrtProcessReport)(50);
    }
    ended = true;
    return NULL;
}

QUESTION_ALONE(subscribed, "aclrtSubscribeReport aclrtProcessReport aclrtLaunchCallback aclrtUnSubscribeReport", "Does a callback run on the subscribed thread?")
{
    static struct visit visit;
    pthread_t thread;
    aclrtStream stream = new_stream();
    need("aclrtGetCurrentContext", CALL(aclrtGetCurrentContext)(&shared_context));
    reporting = true;
    pthread_create(&thread, NULL, report, NULL);
    code("subscribe", CALL(aclrtSubscribeReport)((uint64_t)thread, stream));
    code("twice", CALL(aclrtSubscribeReport)((uint64_t)thread, stream));
    code("launch", CALL(aclrtLaunchCallback)(note_thread, &visit, ACL_CALLBACK_BLOCK, stream));
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
    code("calls", visit.count);
    fact("thread", "%s", visit.thread == here() ? "caller" : "other");
    code("end", CALL(aclrtUnSubscribeReport)((uint64_t)thread, stream));
    code("end_twice", CALL(aclrtUnSubscribeReport)((uint64_t)thread, stream));
    reporting = false;
    pthread_join(thread, NULL);
}

QUESTION(report_unsubscribed, "aclrtProcessReport", "What does aclrtProcessReport return in a thread that nothing is subscribed to?")
{
    code("code", CALL(aclrtProcessReport)(10));
    code("negative", CALL(aclrtProcessReport)(-2));
}

static struct visit states;
static void stream_state(aclrtStream stream, aclrtStreamState state, void *argument)
{
    (void)stream;
    (void)argument;
    if (states.count < 8) {
        states.order[states.count++] = (int)state;
    }
    states.thread = here();
}

QUESTION_ALONE(stream_states, "aclrtRegStreamStateCallback", "When is a stream's callback called, and on which thread?")
{
    code("register", CALL(aclrtRegStreamStateCallback)("oracle", stream_state, NULL));
    code("again", CALL(aclrtRegStreamStateCallback)("oracle", stream_state, NULL));
    aclrtStream stream = new_stream();
    need("aclrtDestroyStream", CALL(aclrtDestroyStream)(stream));
    fact("calls", "%d:%d:%d", states.count, states.order[0], states.order[1]);
    fact("thread", "%s", states.thread == here() ? "caller" : "other");
    code("end", CALL(aclrtRegStreamStateCallback)("oracle", NULL, NULL));
    code("end_twice", CALL(aclrtRegStreamStateCallback)("oracle", NULL, NULL));
    code("no_name", CALL(aclrtRegStreamStateCallback)(NULL, stream_state, NULL));
}

static void device_state(int32_t device, aclrtDeviceState state, void *argument)
{
    (void)device;
    (void)argument;
    if (states.count < 8) {
        states.order[states.count++] = (int)state;
    }
    states.thread = here();
}

QUESTION_IN(INITIALISED, device_states, "aclrtRegDeviceStateCallback", "When is a device's callback called?")
{
    code("register", CALL(aclrtRegDeviceStateCallback)("oracle", device_state, NULL));
    need("aclrtSetDevice", CALL(aclrtSetDevice)(0));
    code("set", states.count);
    need("aclrtResetDevice", CALL(aclrtResetDevice)(0));
    code("reset", states.count);
    for (int index = 0; index < states.count; index++) {
        char name[16];
        snprintf(name, sizeof name, "s%d", index);
        code(name, states.order[index]);
    }
    fact("thread", "%s", states.thread == here() ? "caller" : "other");
}

static int32_t aborted(int32_t device, aclrtDeviceTaskAbortStage stage, uint32_t timeout, void *argument)
{
    (void)device;
    (void)timeout;
    (void)argument;
    if (states.count < 8) {
        states.order[states.count++] = (int)stage;
    }
    return 0;
}

QUESTION_ALONE(abort_states, "aclrtSetDeviceTaskAbortCallback aclrtDeviceTaskAbort", "When is the callback of an abort called?")
{
    code("register", CALL(aclrtSetDeviceTaskAbortCallback)("oracle", aborted, NULL));
    code("abort", CALL(aclrtDeviceTaskAbort)(0, 1000));
    fact("calls", "%d:%d:%d", states.count, states.order[0], states.order[1]);
    code("no_device", CALL(aclrtDeviceTaskAbort)(4000, 1000));
}

static int starts, ends;
static aclError started(const char *config, size_t length, void *argument)
{
    (void)config;
    (void)length;
    (void)argument;
    starts++;
    return 0;
}
static aclError finished(void *argument)
{
    (void)argument;
    ends++;
    return 0;
}

QUESTION_IN(NOTHING, init_callbacks, "aclInitCallbackRegister aclFinalizeCallbackRegister aclInitCallbackUnRegister aclFinalizeCallbackUnRegister", "How often are the callbacks of aclInit and aclFinalize called?")
{
    code("register", CALL(aclInitCallbackRegister)(ACL_REG_TYPE_OTHER, started, NULL));
    code("register_end", CALL(aclFinalizeCallbackRegister)(ACL_REG_TYPE_OTHER, finished, NULL));
    code("init", CALL(aclInit)(NULL));
    code("starts", starts);
    code("late", CALL(aclInitCallbackRegister)(ACL_REG_TYPE_ACL_MODEL, started, NULL));
    code("starts_late", starts);
    code("unregister", CALL(aclInitCallbackUnRegister)(ACL_REG_TYPE_OTHER, started));
    code("finalize", CALL(aclFinalize)());
    code("ends", ends);
    code("unregister_end", CALL(aclFinalizeCallbackUnRegister)(ACL_REG_TYPE_OTHER, finished));
    code("unregister_twice", CALL(aclFinalizeCallbackUnRegister)(ACL_REG_TYPE_OTHER, finished));
}

static void failed_task(aclrtExceptionInfo *info)
{
    (void)info;
}

QUESTION(exceptions, "aclrtSetExceptionInfoCallback aclrtExceptionInfoCallbackRegister aclrtExceptionInfoCallbackUnregister aclrtGetTaskIdFromExceptionInfo aclrtGetStreamIdFromExceptionInfo aclrtGetThreadIdFromExceptionInfo aclrtGetDeviceIdFromExceptionInfo aclrtGetErrorCodeFromExceptionInfo", "What do registering and the getters of NULL return?")
{
    code("set", CALL(aclrtSetExceptionInfoCallback)(failed_task));
    code("unset", CALL(aclrtSetExceptionInfoCallback)(NULL));
    code("register", CALL(aclrtExceptionInfoCallbackRegister)(failed_task));
    code("twice", CALL(aclrtExceptionInfoCallbackRegister)(failed_task));
    code("unregister", CALL(aclrtExceptionInfoCallbackUnregister)(failed_task));
    code("again", CALL(aclrtExceptionInfoCallbackUnregister)(failed_task));
    code("task", CALL(aclrtGetTaskIdFromExceptionInfo)(NULL));
    code("stream", CALL(aclrtGetStreamIdFromExceptionInfo)(NULL));
    code("thread", CALL(aclrtGetThreadIdFromExceptionInfo)(NULL));
    code("device", CALL(aclrtGetDeviceIdFromExceptionInfo)(NULL));
    code("error", CALL(aclrtGetErrorCodeFromExceptionInfo)(NULL));
}
