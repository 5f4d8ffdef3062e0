/* Functions that learn of failed tasks, and the end of all work of a device. */
#define _GNU_SOURCE
#include "gate.h"
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct seen {
    int count;
    uint32_t task, stream, thread, device, code;
} seen;

static seen set, added;
static aclrtExceptionInfo *kept;

static void note(seen *into, aclrtExceptionInfo *info)
{
    into->task = aclrtGetTaskIdFromExceptionInfo(info);
    into->stream = aclrtGetStreamIdFromExceptionInfo(info);
    into->thread = aclrtGetThreadIdFromExceptionInfo(info);
    into->device = aclrtGetDeviceIdFromExceptionInfo(info);
    into->code = aclrtGetErrorCodeFromExceptionInfo(info);
    kept = info;
    __atomic_add_fetch(&into->count, 1, __ATOMIC_SEQ_CST);
}

static void on_failure(aclrtExceptionInfo *info)
{
    note(&set, info);
}

static void on_failure_too(aclrtExceptionInfo *info)
{
    note(&added, info);
}

/* A task that fails: nobody records the notification. */
static void fail(aclrtNotify notify, aclrtStream stream)
{
    OK(aclrtWaitAndResetNotify(notify, stream, 5));
    CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_WAIT_TIMEOUT);
}

static void failures(void)
{
    aclrtStream stream;
    aclrtNotify notify;
    int32_t id;
    OK(aclrtCreateStream(&stream));
    OK(aclrtStreamGetId(stream, &id));
    OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
    fail(notify, stream);
    EQ(set.count, 0);
    OK(aclrtSetExceptionInfoCallback(on_failure));
    OK(aclrtExceptionInfoCallbackRegister(on_failure_too));
    OK(aclrtExceptionInfoCallbackRegister(on_failure_too));
    fail(notify, stream);
    EQ(set.count, 1);
    EQ(added.count, 1);
    EQ(set.stream, id);
    EQ(set.task, 2);
    EQ(set.device, 0);
    EQ(set.thread, (uint32_t)syscall(SYS_gettid));
    EQ(set.code, ACL_ERROR_RT_WAIT_TIMEOUT);
    EQ(added.stream, id);
    /* What it got is gone. */
    EQ(aclrtGetTaskIdFromExceptionInfo(kept), 0xffffffffu);
    EQ(aclrtGetErrorCodeFromExceptionInfo(NULL), 0xffffffffu);
    EQ(aclrtGetStreamIdFromExceptionInfo(NULL), 0xffffffffu);
    EQ(aclrtGetDeviceIdFromExceptionInfo(NULL), 0xffffffffu);
    EQ(aclrtGetThreadIdFromExceptionInfo(NULL), 0xffffffffu);
    OK(aclrtSetExceptionInfoCallback(NULL));
    fail(notify, stream);
    EQ(set.count, 1);
    EQ(added.count, 2);
    EQ(added.task, 3);
    OK(aclrtExceptionInfoCallbackUnregister(on_failure_too));
    fail(notify, stream);
    EQ(added.count, 2);
    CODE(aclrtExceptionInfoCallbackUnregister(on_failure_too), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtExceptionInfoCallbackUnregister(NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtExceptionInfoCallbackRegister(NULL), ACL_ERROR_INVALID_PARAM);
    OK(aclrtDestroyNotify(notify));
    OK(aclrtDestroyStream(stream));
}

typedef struct other {
    aclrtStream stream;
    aclrtNotify notify;
    uint32_t thread;
} other;

static void *queues(void *arguments)
{
    other *it = arguments;
    it->thread = (uint32_t)syscall(SYS_gettid);
    OK(aclrtSetDevice(0));
    OK(aclrtWaitAndResetNotify(it->notify, it->stream, 5));
    return NULL;
}

/* It is the thread that queued the task, not the one that learns of its failure; and tasks of two threads are told apart. */
static void threads(void)
{
    other it;
    pthread_t thread;
    uint32_t mine = (uint32_t)syscall(SYS_gettid);
    OK(aclrtCreateStream(&it.stream));
    OK(aclrtCreateNotify(&it.notify, ACL_NOTIFY_DEFAULT));
    OK(aclrtExceptionInfoCallbackRegister(on_failure_too));
    EQ(pthread_create(&thread, NULL, queues, &it), 0);
    EQ(pthread_join(thread, NULL), 0);
    CHECK(it.thread != mine);
    CODE(aclrtSynchronizeStream(it.stream), ACL_ERROR_RT_WAIT_TIMEOUT);
    EQ(added.thread, it.thread);
    fail(it.notify, it.stream);
    EQ(added.thread, mine);
    OK(aclrtExceptionInfoCallbackUnregister(on_failure_too));
    OK(aclrtDestroyNotify(it.notify));
    OK(aclrtDestroyStream(it.stream));
}

static int stages[4], stage_count, refuse;

static int32_t on_abort(int32_t device, aclrtDeviceTaskAbortStage stage, uint32_t timeout, void *args)
{
    EQ(device, 0);
    EQ(timeout, 30000);
    CHECK(args == stages);
    stages[stage_count++] = (int)stage;
    return refuse;
}

static void aborts(void)
{
    aclrtStream first, second;
    unsigned char *block, host[8];
    Gate gate;
    OK(aclrtCreateStream(&first));
    OK(aclrtCreateStream(&second));
    OK(aclrtMalloc((void **)&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(block, 64, 0, 64));
    gate = gate_close(first);
    OK(aclrtMemsetAsync(block, 64, 1, 64, first));
    OK(aclrtValueWait(block + 8, 7, ACL_STREAM_WAIT_VALUE_EQ, second));
    OK(aclrtMemsetAsync(block, 64, 2, 64, second));
    OK(aclrtSetDeviceTaskAbortCallback("test", on_abort, stages));
    OK(aclrtDeviceTaskAbort(0, 30000));
    EQ(stage_count, 2);
    EQ(stages[0], ACL_RT_DEVICE_TASK_ABORT_PRE);
    EQ(stages[1], ACL_RT_DEVICE_TASK_ABORT_POST);
    OK(aclrtMemcpy(host, 8, block, 8, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ(host[0], 0);
    /* Streams work again. */
    RETURNS(aclrtSynchronizeStream(first));
    RETURNS(aclrtSynchronizeStream(second));
    OK(aclrtMemsetAsync(block, 64, 3, 64, first));
    OK(aclrtSynchronizeStream(first));
    OK(aclrtMemcpy(host, 8, block, 8, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ(host[0], 3);
    refuse = 5;
    CODE(aclrtDeviceTaskAbort(0, 30000), 5);
    EQ(stage_count, 3);
    OK(aclrtSetDeviceTaskAbortCallback("test", NULL, NULL));
    OK(aclrtDeviceTaskAbort(0, 0));
    EQ(stage_count, 3);
    CODE(aclrtDeviceTaskAbort(7, 0), ACL_ERROR_RT_INVALID_DEVICEID);
    CODE(aclrtSetDeviceTaskAbortCallback(NULL, on_abort, NULL), ACL_ERROR_INVALID_PARAM);
    gate_open(gate);
    gate_free(gate);
    OK(aclrtFree(block));
    OK(aclrtDestroyStream(first));
    OK(aclrtDestroyStream(second));
}

int main(void)
{
    OPEN_DEVICE();
    failures();
    threads();
    aborts();
    CLOSE_DEVICE();
    return 0;
}
