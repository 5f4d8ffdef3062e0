/* Do events order the streams of two processes? The handle stands for the event, not for one record; a wait is for the
 * newest record when it is called; and a process that dies ends the waits of the other. */
#include "two.h"

#define SIZE (1 * MIB)

static aclrtStream stream;

static void open_device(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
}

static void close_device(void)
{
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
}

static aclrtEvent created(void)
{
    aclrtEvent event = NULL;
    OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC));
    CHECK(event != NULL);
    return event;
}

static message handle_of(aclrtEvent event)
{
    message said;
    aclrtIpcEventHandle handle;
    memset(&said, 0, sizeof said);
    OK(aclrtIpcGetEventHandle(event, &handle));
    memcpy(said.bytes, &handle, sizeof handle);
    return said;
}

static aclrtEvent opened(const message *said)
{
    aclrtEvent event = NULL;
    aclrtIpcEventHandle handle;
    memcpy(&handle, said->bytes, sizeof handle);
    OK(aclrtIpcOpenEventHandle(handle, &event));
    return event;
}

static aclrtEventRecordedStatus status_of(aclrtEvent event)
{
    aclrtEventRecordedStatus status;
    OK(aclrtQueryEventStatus(event, &status));
    return status;
}

/* A function that holds a stream until it may go on. */
static int gate[2];

static void hold(void *unused)
{
    char byte;
    (void)unused;
    CHECK(read(gate[0], &byte, 1) == 1);
}

static void block_stream(void)
{
    CHECK(pipe(gate) == 0);
    OK(aclrtLaunchHostFunc(stream, hold, NULL));
}

static void let_go(void)
{
    CHECK(write(gate[1], "", 1) == 1);
}

/* The data arrives before the wait ends. */
static void orders(void)
{
    aclrtEvent ready, back;
    message said;
    void *block;
    int round;
    open_device();
    ready = created();
    back = created();
    OK(aclrtMalloc(&block, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    said = handle_of(ready);
    OK(aclrtIpcMemGetExportKey(block, SIZE, said.key, KEY_BYTES, 1));
    say(&said);
    said = handle_of(back);
    say(&said);
    /* Never recorded: nothing to wait for. */
    EQ(status_of(back), ACL_EVENT_RECORDED_STATUS_COMPLETE);
    OK(aclrtStreamWaitEvent(stream, back));
    OK(aclrtSynchronizeStream(stream));
    for (round = 1; round <= 30; round++) {
        OK(aclrtMemsetAsync(block, SIZE, round, SIZE, stream));
        OK(aclrtRecordEvent(ready, stream));
        say_go();
        /* Under the eager schedule the stream runs on its own; under the others a thread has to wait for it. */
        OK(aclrtSynchronizeEvent(ready));
        heard();
        OK(aclrtStreamWaitEvent(stream, back));
    }
    OK(aclrtSynchronizeStream(stream));
    CHECK(is_full_of(block, SIZE, 130));
    say_go();
    other_ended_well();
    OK(aclrtDestroyEvent(ready));
    OK(aclrtDestroyEvent(back));
    OK(aclrtFree(block));
    close_device();
}

static void ordered(void)
{
    aclrtEvent ready, twice, back;
    message first, second;
    void *block, *copy;
    int round;
    open_device();
    first = heard();
    second = heard();
    ready = opened(&first);
    twice = opened(&first);
    back = opened(&second);
    OK(aclrtIpcMemImportByKey(&block, first.key, 1));
    OK(aclrtMalloc(&copy, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    for (round = 1; round <= 30; round++) {
        heard();
        OK(aclrtStreamWaitEvent(stream, round % 2 ? ready : twice));
        OK(aclrtMemcpyAsync(copy, SIZE, block, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        OK(aclrtMemsetAsync(block, SIZE, 100 + round, SIZE, stream));
        OK(aclrtRecordEvent(back, stream));
        say_go();
        OK(aclrtSynchronizeStream(stream));
        CHECK(is_full_of(copy, SIZE, round));
    }
    heard();
    OK(aclrtDestroyEvent(twice));
    OK(aclrtSynchronizeEvent(ready));
    OK(aclrtDestroyEvent(ready));
    OK(aclrtDestroyEvent(back));
    OK(aclrtIpcMemClose(first.key));
    OK(aclrtFree(copy));
    close_device();
}

/* Pending is pending in both, and a wait has a limit. */
static void pends(void)
{
    aclrtEvent event;
    message said;
    open_device();
    event = created();
    block_stream();
    OK(aclrtRecordEvent(event, stream));
    EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
    CODE(aclrtSynchronizeEventWithTimeout(event, 1), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    said = handle_of(event);
    say(&said);
    heard();
    let_go();
    OK(aclrtSynchronizeStream(stream));
    say_go();
    heard();
    /* Destroyed here first. */
    OK(aclrtDestroyEvent(event));
    say_go();
    other_ended_well();
    close_device();
}

static void pending(void)
{
    aclrtEvent event, late = NULL;
    aclrtIpcEventHandle handle;
    message said;
    open_device();
    said = heard();
    event = opened(&said);
    EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
    CODE(aclrtSynchronizeEventWithTimeout(event, 1), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    OK(aclrtStreamWaitEvent(stream, event));
    say_go();
    heard();
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtSynchronizeEvent(event));
    EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
    say_go();
    heard();
    EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
    OK(aclrtStreamWaitEvent(stream, event));
    OK(aclrtSynchronizeStream(stream));
    memcpy(&handle, said.bytes, sizeof handle);
    CODE(aclrtIpcOpenEventHandle(handle, &late), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(late == NULL);
    OK(aclrtDestroyEvent(event));
    close_device();
}

/* The recorder dies with the record pending. */
static void waits_for_the_dead(void)
{
    aclrtEvent event;
    aclrtEventRecordedStatus status = 77;
    message said;
    int ended;
    open_device();
    said = heard();
    event = opened(&said);
    OK(aclrtStreamWaitEvent(stream, event));
    CHECK(kill(two_other, SIGKILL) == 0);
    ended = end_of_other();
    CHECK(WIFSIGNALED(ended));
    CHECK(aclrtSynchronizeStream(stream) != ACL_SUCCESS);
    CODE(aclrtSynchronizeEvent(event), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    CODE(aclrtQueryEventStatus(event, &status), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    EQ(status, 77);
    /* A new record counts. */
    OK(aclrtDestroyStream(stream));
    OK(aclrtCreateStream(&stream));
    OK(aclrtRecordEvent(event, stream));
    OK(aclrtSynchronizeEvent(event));
    EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
    OK(aclrtDestroyEvent(event));
    close_device();
}

static void dies(void)
{
    aclrtEvent event;
    message said;
    open_device();
    event = created();
    block_stream();
    OK(aclrtRecordEvent(event, stream));
    said = handle_of(event);
    say(&said);
    for (;;) {
        pause();
    }
}

/* The recorder dies with the record pending, and others have recorded often since: the wait is for its record all the same. */
static void outlives_a_record(void)
{
    aclrtEvent event;
    aclrtStream other;
    message said;
    int ended, i;
    open_device();
    OK(aclrtCreateStream(&other));
    said = heard();
    event = opened(&said);
    OK(aclrtStreamWaitEvent(stream, event));
    for (i = 0; i < 100; i++) {
        OK(aclrtRecordEvent(event, other));
    }
    /* They do not depend on the one that is pending. */
    OK(aclrtSynchronizeStream(other));
    EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
    CHECK(kill(two_other, SIGKILL) == 0);
    ended = end_of_other();
    CHECK(WIFSIGNALED(ended));
    CHECK(aclrtSynchronizeStream(stream) != ACL_SUCCESS);
    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyStream(other));
    close_device();
}

/* The waiting process dies: the recorder does not notice. */
static void records_for_the_dead(void)
{
    aclrtEvent event;
    message said;
    int ended, i;
    open_device();
    event = created();
    said = handle_of(event);
    block_stream();
    OK(aclrtRecordEvent(event, stream));
    say(&said);
    heard();
    CHECK(kill(two_other, SIGKILL) == 0);
    ended = end_of_other();
    CHECK(WIFSIGNALED(ended));
    let_go();
    for (i = 0; i < 100; i++) {
        OK(aclrtRecordEvent(event, stream));
    }
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtDestroyEvent(event));
    close_device();
}

static void waits_and_dies(void)
{
    aclrtEvent event;
    message said;
    open_device();
    said = heard();
    event = opened(&said);
    OK(aclrtStreamWaitEvent(stream, event));
    say_go();
    OK(aclrtSynchronizeStream(stream));
    for (;;) {
        pause();
    }
}

/* A key of another kind is refused, and changes nothing: the process that passed it still counts as alive. */
static void looks_at_the_wrong_key(void)
{
    aclrtEvent event;
    aclrtNotify notify = NULL;
    message said;
    void *block;
    open_device();
    event = created();
    OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
    OK(aclrtMalloc(&block, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    said = handle_of(event);
    OK(aclrtNotifyGetExportKey(notify, said.key, KEY_BYTES, ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION));
    say(&said);
    OK(aclrtIpcMemGetExportKey(block, SIZE, said.key, KEY_BYTES, 1));
    say(&said);
    heard();
    EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
    OK(aclrtStreamWaitEvent(stream, event));
    say_go();
    OK(aclrtSynchronizeStream(stream));
    other_ended_well();
    OK(aclrtFree(block));
    OK(aclrtDestroyNotify(notify));
    OK(aclrtDestroyEvent(event));
    close_device();
}

static void passes_the_wrong_key(void)
{
    aclrtEvent event, again;
    aclrtNotify notify = NULL;
    message said, second;
    void *block = NULL;
    open_device();
    said = heard();
    second = heard();
    event = opened(&said);
    block_stream();
    OK(aclrtRecordEvent(event, stream));
    CODE(aclrtIpcMemImportByKey(&block, said.key, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(block == NULL);
    CODE(aclrtNotifyImportByKey(&notify, second.key, 2), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(notify == NULL);
    /* Opened again after the last handle has gone: the record is still pending. */
    OK(aclrtDestroyEvent(event));
    again = opened(&said);
    EQ(status_of(again), ACL_EVENT_RECORDED_STATUS_NOT_READY);
    CODE(aclrtSynchronizeEventWithTimeout(again, 1), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    say_go();
    heard();
    let_go();
    OK(aclrtSynchronizeEvent(again));
    EQ(status_of(again), ACL_EVENT_RECORDED_STATUS_COMPLETE);
    OK(aclrtNotifyImportByKey(&notify, said.key, 2));
    OK(aclrtDestroyNotify(notify));
    OK(aclrtDestroyEvent(again));
    close_device();
}

/* A graph cannot have such events. What is refused changes neither the event nor the capture, but ends an update. */
static void in_captures(aclrtEvent event, aclrtStream other)
{
    aclrtTaskGrp group;
    aclmdlRI graph;
    void *word;
    OK(aclrtMalloc(&word, 8, ACL_MEM_MALLOC_HUGE_FIRST));
    block_stream();
    OK(aclrtRecordEvent(event, stream));
    OK(aclmdlRICaptureBegin(other, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    CODE(aclrtRecordEvent(event, other), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    MENTIONS("aclrtCreateNotify");
    CODE(aclrtStreamWaitEvent(other, event), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
    CODE(aclrtSynchronizeEventWithTimeout(event, 1), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    let_go();
    OK(aclrtSynchronizeEvent(event));
    EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
    CODE(aclrtRecordEvent(event, other), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CODE(aclrtStreamWaitEvent(other, event), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
    OK(aclmdlRICaptureTaskGrpBegin(other));
    OK(aclrtMemsetAsync(word, 8, 1, 8, other));
    OK(aclmdlRICaptureTaskGrpEnd(other, &group));
    OK(aclmdlRICaptureEnd(other, &graph));
    OK(aclmdlRICaptureTaskUpdateBegin(other, group));
    OK(aclrtMemsetAsync(word, 8, 2, 8, other));
    CODE(aclrtRecordEvent(event, other), ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP);
    CODE(aclmdlRICaptureTaskUpdateEnd(other), ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP);
    OK(aclrtRecordEvent(event, other));
    OK(aclrtStreamWaitEvent(stream, event));
    OK(aclrtSynchronizeStream(stream));
    OK(aclmdlRIDestroy(graph));
    OK(aclrtFree(word));
}

/* One process, and wrong arguments. */
static void alone(void)
{
    aclrtEvent event, same = NULL, plain, none = NULL;
    aclrtIpcEventHandle handle, changed;
    aclrtEventStatus old;
    aclrtEventWaitStatus waited;
    aclrtStream other;
    uint64_t time = 77;
    uint32_t id = 77;
    float ms = 77;
    int i;
    open_device();
    OK(aclrtCreateStream(&other));
    CODE(aclrtCreateEventWithFlag(&none, ACL_EVENT_IPC), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CODE(aclrtCreateEventExWithFlag(&none, ACL_EVENT_IPC | ACL_EVENT_SYNC), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CODE(aclrtCreateEventExWithFlag(NULL, ACL_EVENT_IPC), ACL_ERROR_INVALID_PARAM);
    event = created();
    OK(aclrtCreateEvent(&plain));
    CODE(aclrtIpcGetEventHandle(plain, &handle), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtIpcGetEventHandle(NULL, &handle), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtIpcGetEventHandle(event, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtIpcGetEventHandle(stream, &handle), ACL_ERROR_RT_INVALID_HANDLE);
    OK(aclrtIpcGetEventHandle(event, &handle));
    OK(aclrtIpcGetEventHandle(event, &changed));
    CHECK(memcmp(&handle, &changed, sizeof handle) == 0);
    CODE(aclrtIpcOpenEventHandle(handle, NULL), ACL_ERROR_INVALID_PARAM);
    changed.reserved[20] ^= 1;
    CODE(aclrtIpcOpenEventHandle(changed, &none), ACL_ERROR_RT_PARAM_INVALID);
    memset(&changed, 0, sizeof changed);
    CODE(aclrtIpcOpenEventHandle(changed, &none), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(none == NULL);
    /* What such events cannot do. */
    CODE(aclrtResetEvent(event, stream), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CODE(aclrtQueryEvent(event, &old), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CODE(aclrtQueryEventWaitStatus(event, &waited), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CODE(aclrtEventElapsedTime(&ms, event, event), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CODE(aclrtEventGetTimestamp(event, &time), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CODE(aclrtGetEventId(event, &id), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    /* Opened where it was made: two handles of one event. */
    OK(aclrtIpcOpenEventHandle(handle, &same));
    CHECK(same != event);
    block_stream();
    OK(aclrtRecordEvent(event, stream));
    EQ(status_of(same), ACL_EVENT_RECORDED_STATUS_NOT_READY);
    OK(aclrtStreamWaitEvent(other, same));
    let_go();
    OK(aclrtSynchronizeStream(other));
    OK(aclrtSynchronizeEvent(same));
    in_captures(event, other);
    OK(aclrtDestroyEvent(event));
    CODE(aclrtRecordEvent(event, stream), ACL_ERROR_RT_INVALID_HANDLE);
    CODE(aclrtDestroyEvent(event), ACL_ERROR_RT_INVALID_HANDLE);
    for (i = 0; i < 100; i++) {
        OK(aclrtRecordEvent(same, i % 2 ? stream : other));
    }
    OK(aclrtSynchronizeEvent(same));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtSynchronizeStream(other));
    OK(aclrtDestroyEvent(same));
    OK(aclrtDestroyEvent(plain));
    OK(aclrtDestroyStream(other));
    /* Places are used again. */
    for (i = 0; i < 20000; i++) {
        OK(aclrtDestroyEvent(created()));
    }
    close_device();
}

static void nothing(void)
{
}

int main(int argc, char **argv)
{
    static const scene scenes[] = {
        {"orders", orders, ordered, 0},
        {"pends", pends, pending, 0},
        {"waits for the dead", waits_for_the_dead, dies, 1},
        {"outlives a record", outlives_a_record, dies, 1},
        {"records for the dead", records_for_the_dead, waits_and_dies, 1},
        {"wrong key", looks_at_the_wrong_key, passes_the_wrong_key, 0},
        {"alone", alone, nothing, 0},
    };
    return play(argc, argv, scenes, sizeof scenes / sizeof scenes[0]);
}
