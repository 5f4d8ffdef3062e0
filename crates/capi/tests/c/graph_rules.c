/* Graphs: the rules of a capture one by one, each with its code, and what a launch refuses. */
#include "gate.h"
#include "models.h"

#include <pthread.h>

enum { BYTES = 64 };

static aclrtStream a, b, c;
static aclrtEvent first, second, third;
static void *x, *y;

static void begin(aclmdlRICaptureMode mode)
{
    OK(aclmdlRICaptureBegin(a, mode));
}

/* The end of a capture that cannot become a graph. The streams are free afterwards. */
static void fails(aclError code)
{
    aclmdlRICaptureStatus status;
    aclmdlRI graph = NULL, known;
    CODE(aclmdlRICaptureEnd(a, &graph), code);
    CHECK(graph == NULL);
    OK(aclmdlRICaptureGetInfo(b, &status, &known));
    EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    OK(aclrtSynchronizeStream(a));
    OK(aclrtSynchronizeStream(b));
    OK(aclrtSynchronizeStream(c));
}

static int value(void *memory)
{
    unsigned char bytes[BYTES];
    OK(aclrtMemcpy(bytes, BYTES, memory, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    return bytes[0];
}

/* Streams join transitively, and come back through others. */
static void joins(void)
{
    aclmdlRICaptureStatus status;
    aclmdlRI graph, of_a, of_c;
    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    OK(aclrtRecordEvent(first, a));
    OK(aclrtStreamWaitEvent(b, first));
    OK(aclrtRecordEvent(second, b));
    OK(aclrtStreamWaitEvent(c, second));
    OK(aclmdlRICaptureGetInfo(a, &status, &of_a));
    OK(aclmdlRICaptureGetInfo(c, &status, &of_c));
    EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    CHECK(of_a == of_c);
    OK(aclrtMemsetAsync(x, BYTES, 3, BYTES, c));
    OK(aclrtRecordEvent(third, c));
    OK(aclrtStreamWaitEvent(b, third));
    OK(aclrtMemcpyAsync(y, BYTES, x, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, b));
    OK(aclrtRecordEvent(second, b));
    OK(aclrtStreamWaitEvent(a, second));
    /* It ends where it began. */
    CODE(aclmdlRICaptureEnd(b, &graph), ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED);
    OK(aclmdlRICaptureEnd(a, &graph));
    CHECK(graph == of_a);
    EQ(value(y), 0);
    OK(aclmdlRIExecuteAsync(graph, a));
    OK(aclrtSynchronizeStream(a));
    EQ(value(y), 3);
    OK(aclmdlRIDestroy(graph));
    OK(aclrtMemset(y, BYTES, 0, BYTES));

    /* One of two does not come back. */
    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    OK(aclrtRecordEvent(first, a));
    OK(aclrtStreamWaitEvent(b, first));
    OK(aclrtStreamWaitEvent(c, first));
    OK(aclrtMemsetAsync(x, BYTES, 1, BYTES, c));
    OK(aclrtRecordEvent(second, b));
    OK(aclrtStreamWaitEvent(a, second));
    fails(ACL_ERROR_RT_STREAM_UNJOINED);

    /* It came back, and went on. */
    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    OK(aclrtRecordEvent(first, a));
    OK(aclrtStreamWaitEvent(b, first));
    OK(aclrtRecordEvent(second, b));
    OK(aclrtStreamWaitEvent(a, second));
    OK(aclrtMemsetAsync(x, BYTES, 1, BYTES, b));
    fails(ACL_ERROR_RT_STREAM_UNJOINED);

    /* A stream cannot be part of two captures. */
    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    OK(aclmdlRICaptureBegin(b, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(aclrtRecordEvent(first, a));
    CODE(aclrtStreamWaitEvent(b, first), ACL_ERROR_RT_CAPTURE_DEPENDENCY);
    CODE(aclmdlRICaptureEnd(b, &graph), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    OK(aclmdlRICaptureEnd(a, &graph));
    OK(aclmdlRIDestroy(graph));
}

/* An event of a capture belongs to it until it is recorded outside. */
static void events(void)
{
    aclrtEventRecordedStatus reached;
    aclmdlRI graph;
    float milliseconds;
    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    OK(aclrtRecordEvent(first, a));
    OK(aclmdlRICaptureEnd(a, &graph));
    CODE(aclrtSynchronizeEvent(first), ACL_ERROR_RT_EVENT_CAPTURED);
    CODE(aclrtQueryEventStatus(first, &reached), ACL_ERROR_RT_EVENT_CAPTURED);
    CODE(aclrtStreamWaitEvent(b, first), ACL_ERROR_RT_EVENT_CAPTURED);
    CODE(aclrtEventElapsedTime(&milliseconds, first, first), ACL_ERROR_RT_EVENT_CAPTURED);
    OK(aclrtRecordEvent(first, b));
    OK(aclrtSynchronizeEvent(first));
    OK(aclmdlRIDestroy(graph));

    begin(ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
    OK(aclrtRecordEvent(first, a));
    CODE(aclrtSynchronizeEvent(first), ACL_ERROR_RT_EVENT_CAPTURED);
    fails(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    OK(aclrtRecordEvent(first, b));
    OK(aclrtSynchronizeEvent(first));
}

static aclrtEventRecordedStatus progress_of(aclrtEvent event)
{
    aclrtEventRecordedStatus reached = 77;
    OK(aclrtQueryEventStatus(event, &reached));
    return reached;
}

/* An event that tells an allocator when memory may be used again. It may be recorded and asked for during a capture, and is not complete as long
 * as a launch may use that memory. */
static void progress(void)
{
    const aclrtEventRecordedStatus done = ACL_EVENT_RECORDED_STATUS_COMPLETE, not_yet = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    aclrtEvent polled, timed;
    aclrtEventStatus old;
    aclmdlRI graph;
    Gate gate;
    OK(aclrtCreateEventExWithFlag(&polled, ACL_EVENT_CAPTURE_STREAM_PROGRESS));
    OK(aclrtCreateEventWithFlag(&timed, ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE));
    OK(aclrtRecordEvent(polled, b));
    OK(aclrtSynchronizeEvent(polled));
    EQ(progress_of(polled), done);

    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    OK(aclrtMemsetAsync(x, BYTES, 3, BYTES, a));
    OK(aclrtRecordEvent(polled, a));
    OK(aclrtRecordEvent(timed, a));
    OK(aclrtMemsetAsync(y, BYTES, 3, BYTES, a));
    EQ(progress_of(polled), not_yet);
    OK(aclrtQueryEvent(timed, &old));
    EQ(old, ACL_EVENT_STATUS_NOT_READY);
    OK(aclmdlRICaptureEnd(a, &graph));
    EQ(progress_of(polled), not_yet);
    OK(aclmdlRIExecuteAsync(graph, a));
    OK(aclrtSynchronizeStream(a));
    EQ(progress_of(polled), not_yet);
    CODE(aclrtSynchronizeEvent(polled), ACL_ERROR_RT_EVENT_CAPTURED);
    /* The graph is gone, but not its last launch. */
    gate = gate_close(b);
    OK(aclmdlRIExecuteAsync(graph, b));
    OK(aclmdlRIDestroy(graph));
    EQ(progress_of(polled), not_yet);
    gate_open(gate);
    OK(aclrtSynchronizeStream(b));
    gate_free(gate);
    EQ(progress_of(polled), done);
    OK(aclrtQueryEvent(timed, &old));
    EQ(old, ACL_EVENT_STATUS_COMPLETE);

    /* A capture that came to nothing. */
    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    OK(aclrtRecordEvent(polled, a));
    CODE(aclrtMemset(x, BYTES, 0, BYTES), ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);
    EQ(progress_of(polled), not_yet);
    fails(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    EQ(progress_of(polled), done);

    /* A graph that was never launched; and a record outside of it. */
    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    OK(aclrtRecordEvent(polled, a));
    OK(aclrtRecordEvent(timed, a));
    OK(aclmdlRICaptureEnd(a, &graph));
    OK(aclrtRecordEvent(timed, b));
    OK(aclrtSynchronizeEvent(timed));
    EQ(progress_of(timed), done);
    EQ(progress_of(polled), not_yet);
    OK(aclmdlRIDestroy(graph));
    EQ(progress_of(polled), done);

    /* Streams can wait for it all the same. */
    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    OK(aclrtRecordEvent(polled, a));
    OK(aclrtStreamWaitEvent(b, polled));
    OK(aclrtMemsetAsync(x, BYTES, 0, BYTES, b));
    OK(aclrtRecordEvent(polled, b));
    EQ(progress_of(polled), not_yet);
    OK(aclrtStreamWaitEvent(a, polled));
    OK(aclmdlRICaptureEnd(a, &graph));
    OK(aclmdlRIDestroy(graph));
    OK(aclrtDestroyEvent(polled));
    OK(aclrtDestroyEvent(timed));
    OK(aclrtMemset(x, BYTES, 3, BYTES));
    OK(aclrtMemset(y, BYTES, 0, BYTES));
}

static void *copies(void *code)
{
    unsigned char bytes[BYTES];
    OK(aclrtSetDevice(0));
    if (*(aclError *)code == ACL_SUCCESS) {
        OK(aclrtMemcpy(bytes, BYTES, x, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    } else {
        CODE(aclrtMemcpy(bytes, BYTES, x, BYTES, ACL_MEMCPY_DEVICE_TO_HOST), *(aclError *)code);
    }
    OK(aclrtResetDevice(0));
    return NULL;
}

static void *ends(void *unused)
{
    aclmdlRI graph;
    (void)unused;
    OK(aclrtSetDevice(0));
    OK(aclmdlRICaptureEnd(a, &graph));
    OK(aclmdlRIDestroy(graph));
    OK(aclrtResetDevice(0));
    return NULL;
}

enum { BATCH, BATCH_V2, DESCRIPTION, MODEL, MODEL_V2, FILL, UNSAFE };

static aclError unsafe(int which, void *description, uint32_t model, aclmdlDataset *inputs, aclmdlDataset *outputs)
{
    unsigned char bytes[BYTES];
    void *to[1] = {bytes}, *from[1] = {x};
    size_t room[1] = {BYTES}, size[1] = {BYTES}, first[1] = {0}, failed = 77;
    aclrtMemcpyBatchAttr attribute;
    memset(&attribute, 0, sizeof attribute);
    attribute.dstLoc.type = ACL_MEM_LOCATION_TYPE_HOST;
    attribute.srcLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    switch (which) {
    case BATCH: return aclrtMemcpyBatch(to, room, from, size, 1, &attribute, first, 1, &failed);
    case BATCH_V2: return aclrtMemcpyBatchV2(to, room, from, size, 1, &attribute, first, 1);
    case DESCRIPTION: return aclrtSetMemcpyDesc(description, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, x, y, 8, NULL);
    case MODEL: return aclmdlExecute(model, inputs, outputs);
    case MODEL_V2: return aclmdlExecuteV2(model, inputs, outputs, b, NULL);
    default: return aclrtMemsetAsync(bytes, BYTES, 0, BYTES, b);
    }
}

static void unsafe_calls(void)
{
    aclmdlDataset *inputs = aclmdlCreateDataset(), *outputs = aclmdlCreateDataset();
    void *description = to_device(NULL, 64);
    uint32_t model = load("add.onnx");
    aclmdlRI graph;
    int which;
    for (which = 0; which < 2; which++) {
        add_buffer(inputs, to_device(NULL, 24), 24);
    }
    add_buffer(outputs, to_device(NULL, 24), 24);
    for (which = 0; which < UNSAFE; which++) {
        OK(unsafe(which, description, model, inputs, outputs));
        begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
        CODE(unsafe(which, description, model, inputs, outputs), ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);
        fails(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
        begin(ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
        OK(unsafe(which, description, model, inputs, outputs));
        OK(aclmdlRICaptureEnd(a, &graph));
        OK(aclmdlRIDestroy(graph));
    }
    drop_dataset(inputs);
    drop_dataset(outputs);
    OK(aclmdlUnload(model));
    OK(aclrtFree(description));
}

/* Who may make unsafe calls, and who may end a capture. */
static void modes(void)
{
    aclError refused = ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, fine = ACL_SUCCESS;
    aclmdlRICaptureMode mode;
    pthread_t thread;
    void *made, *pinned;
    aclmdlRI graph;
    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    pthread_create(&thread, NULL, copies, &refused);
    pthread_join(thread, NULL);
    fails(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    begin(ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL);
    pthread_create(&thread, NULL, copies, &fine);
    pthread_join(thread, NULL);
    OK(aclmdlRICaptureEnd(a, &graph));
    OK(aclmdlRIDestroy(graph));
    begin(ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
    /* A thread that is not relaxed itself may: the mode of the capture decides. */
    mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
    OK(aclmdlRICaptureThreadExchangeMode(&mode));
    EQ(mode, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    value(x);
    pthread_create(&thread, NULL, ends, NULL);
    pthread_join(thread, NULL);
    /* Every call that reads or writes memory before it returns. */
    unsafe_calls();
    /* Memory may be allocated and freed in every mode. */
    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    OK(aclrtMalloc(&made, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtFree(made));
    OK(aclrtMallocHost(&pinned, BYTES));
    OK(aclrtMemcpyAsync(pinned, BYTES, x, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, a));
    OK(aclmdlRICaptureEnd(a, &graph));
    OK(aclmdlRIExecuteAsync(graph, a));
    OK(aclrtSynchronizeStream(a));
    EQ(((unsigned char *)pinned)[0], value(x));
    OK(aclmdlRIDestroy(graph));
    OK(aclrtFreeHost(pinned));
}

/* Groups and updates that do not fit. */
static void groups(void)
{
    aclrtTaskGrp group = NULL;
    aclmdlRI graph;
    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    CODE(aclmdlRICaptureTaskGrpEnd(a, &group), ACL_ERROR_STREAM_TASK_GROUP_STATUS);
    OK(aclmdlRICaptureTaskGrpBegin(a));
    fails(ACL_ERROR_STREAM_TASK_GROUP_STATUS);

    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    OK(aclmdlRICaptureTaskGrpBegin(a));
    OK(aclrtMemsetAsync(x, BYTES, 5, BYTES, a));
    OK(aclmdlRICaptureTaskGrpEnd(a, &group));
    /* An update of a stream that is captured. */
    CODE(aclmdlRICaptureTaskUpdateBegin(a, group), ACL_ERROR_RT_STREAM_CAPTURED);
    OK(aclmdlRICaptureEnd(a, &graph));
    OK(aclmdlRICaptureTaskUpdateBegin(b, group));
    CODE(aclmdlRICaptureTaskUpdateBegin(b, group), ACL_ERROR_RT_STREAM_CAPTURED);
    CODE(aclrtMemcpyAsync(x, BYTES, y, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, b),
         ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP);
    CODE(aclmdlRICaptureTaskUpdateEnd(b), ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP);
    OK(aclmdlRICaptureTaskUpdateBegin(b, group));
    OK(aclrtMemsetAsync(x, BYTES, 6, BYTES, b));
    OK(aclmdlRICaptureTaskUpdateEnd(b));
    OK(aclrtSynchronizeStream(b));
    EQ(value(x), 3);
    OK(aclmdlRIExecuteAsync(graph, a));
    OK(aclrtSynchronizeStream(a));
    EQ(value(x), 6);
    OK(aclmdlRIDestroy(graph));
}

/* A launch is refused before anything of it is queued. */
static void refused(void)
{
    aclmdlRI graph;
    void *word;
    OK(aclrtMalloc(&word, 8, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(x, BYTES, 0, BYTES));
    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    OK(aclrtRecordEvent(first, a));
    OK(aclrtStreamWaitEvent(b, first));
    OK(aclrtMemsetAsync(y, BYTES, 9, BYTES, b));
    OK(aclrtRecordEvent(second, b));
    OK(aclrtMemsetAsync(x, BYTES, 9, BYTES, a));
    OK(aclrtStreamWaitEvent(a, second));
    OK(aclrtValueWrite(word, 1, 0, a));
    OK(aclmdlRICaptureEnd(a, &graph));
    OK(aclrtMemset(y, BYTES, 0, BYTES));
    OK(aclrtFree(word));
    CODE(aclmdlRIExecuteAsync(graph, a), ACL_ERROR_RT_PARAM_INVALID);
    OK(aclrtSynchronizeDevice());
    EQ(value(x), 0);
    EQ(value(y), 0);
    OK(aclmdlRIDestroy(graph));
}

/* An abort of the stream that launches drops all of the launch. */
static void aborted(void)
{
    aclrtStream opener;
    aclrtEvent hold;
    aclmdlRI graph;
    OK(aclrtCreateStream(&opener));
    OK(aclrtCreateEvent(&hold));
    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    OK(aclrtRecordEvent(first, a));
    OK(aclrtStreamWaitEvent(b, first));
    OK(aclrtMemsetAsync(y, BYTES, 7, BYTES, b));
    OK(aclrtRecordEvent(second, b));
    OK(aclrtStreamWaitEvent(a, second));
    OK(aclrtMemcpyAsync(x, BYTES, y, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, a));
    OK(aclmdlRICaptureEnd(a, &graph));
    OK(aclrtStreamWaitEvent(a, hold));
    OK(aclmdlRIExecuteAsync(graph, a));
    OK(aclrtStreamAbort(a));
    OK(aclrtRecordEvent(hold, opener));
    OK(aclrtSynchronizeStream(opener));
    OK(aclrtSynchronizeStream(a));
    OK(aclrtSynchronizeDevice());
    EQ(value(x), 0);
    EQ(value(y), 0);
    OK(aclmdlRIExecuteAsync(graph, a));
    OK(aclrtSynchronizeStream(a));
    EQ(value(x), 7);
    OK(aclmdlRIDestroy(graph));
    OK(aclrtDestroyEvent(hold));
    OK(aclrtDestroyStream(opener));
}

/* A graph of one device on a stream of another. */
static void devices(void)
{
    aclrtStream far;
    aclmdlRI graph;
    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    OK(aclrtMemsetAsync(x, BYTES, 1, BYTES, a));
    OK(aclmdlRICaptureEnd(a, &graph));
    OK(aclrtSetDevice(1));
    OK(aclrtCreateStream(&far));
    CODE(aclmdlRIExecuteAsync(graph, far), ACL_ERROR_RT_PARAM_INVALID);
    OK(aclrtDestroyStream(far));
    OK(aclrtResetDevice(1));
    OK(aclrtSetDevice(0));
    OK(aclmdlRIDestroy(graph));
}

int main(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&a));
    OK(aclrtCreateStream(&b));
    OK(aclrtCreateStream(&c));
    OK(aclrtCreateEventExWithFlag(&first, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
    OK(aclrtCreateEventExWithFlag(&second, ACL_EVENT_SYNC));
    OK(aclrtCreateEventExWithFlag(&third, ACL_EVENT_SYNC));
    OK(aclrtMalloc(&x, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc(&y, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(x, BYTES, 0, BYTES));
    OK(aclrtMemset(y, BYTES, 0, BYTES));
    joins();
    events();
    progress();
    modes();
    groups();
    refused();
    aborted();
    devices();
    OK(aclrtFree(x));
    OK(aclrtFree(y));
    OK(aclrtDestroyEvent(first));
    OK(aclrtDestroyEvent(second));
    OK(aclrtDestroyEvent(third));
    OK(aclrtDestroyStream(a));
    OK(aclrtDestroyStream(b));
    OK(aclrtDestroyStream(c));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
