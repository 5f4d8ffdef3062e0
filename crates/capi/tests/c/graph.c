/* Graphs: what is captured does not run; every launch runs it, on the streams that were captured. */
#include "gate.h"
#include "models.h"

#include <pthread.h>

#include <aclnnop/aclnn_add.h>
#include <aclnnop/aclnn_mul.h>

enum { COUNT = 8, BYTES = COUNT * sizeof(float) };

static aclrtStream a, b;
static const int64_t dims[1] = {COUNT};

static aclTensor *tensor(void *memory)
{
    aclTensor *made = aclCreateTensor(dims, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 1, memory);
    CHECK(made != NULL);
    return made;
}

/* out = x + y, or x * y. */
static void binary(int multiplies, void *x, void *y, void *out, aclrtStream stream)
{
    float one = 1;
    aclTensor *tensors[3] = {tensor(x), tensor(y), tensor(out)};
    aclScalar *alpha = aclCreateScalar(&one, ACL_FLOAT);
    aclOpExecutor *executor;
    uint64_t size;
    int i;
    if (multiplies) {
        OK(aclnnMulGetWorkspaceSize(tensors[0], tensors[1], tensors[2], &size, &executor));
        EQ(size, 0);
        OK(aclnnMul(NULL, 0, executor, stream));
    } else {
        OK(aclnnAddGetWorkspaceSize(tensors[0], tensors[1], alpha, tensors[2], &size, &executor));
        EQ(size, 0);
        OK(aclnnAdd(NULL, 0, executor, stream));
    }
    /* The program may destroy what it passed. */
    for (i = 0; i < 3; i++) {
        OK(aclDestroyTensor(tensors[i]));
    }
    OK(aclDestroyScalar(alpha));
}

static void set(void *memory, float value)
{
    float values[COUNT];
    int i;
    for (i = 0; i < COUNT; i++) {
        values[i] = value;
    }
    OK(aclrtMemcpy(memory, BYTES, values, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
}

static float get(void *memory)
{
    float values[COUNT];
    int i;
    OK(aclrtMemcpy(values, BYTES, memory, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    for (i = 1; i < COUNT; i++) {
        CHECK(values[i] == values[0]);
    }
    return values[0];
}

static void *block(float value)
{
    void *made;
    OK(aclrtMalloc(&made, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    set(made, value);
    return made;
}

static int calls;

static void count(void *by)
{
    __atomic_add_fetch(&calls, *(int *)by, __ATOMIC_SEQ_CST);
}

/* One stream: operators, copies, fills and functions. */
static void straight(void)
{
    void *x = block(2), *y = block(3), *sum = block(0), *product = block(0), *copy = block(0), *pinned;
    aclmdlRICaptureStatus status = 7;
    aclmdlRI graph = NULL, known = NULL;
    uint32_t id = 0;
    int by = 5, round;
    OK(aclrtMallocHost(&pinned, BYTES));
    OK(aclmdlRICaptureGetInfo(a, &status, &known));
    EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(aclmdlRICaptureGetInfo(a, &status, &known));
    EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    CHECK(known != NULL);
    binary(0, x, y, sum, a);
    binary(1, sum, x, product, a);
    OK(aclrtMemcpyAsync(copy, BYTES, product, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, a));
    OK(aclrtMemcpyAsync(pinned, BYTES, copy, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, a));
    OK(aclrtMemsetAsync(product, BYTES, 0, BYTES, a));
    OK(aclrtLaunchHostFunc(a, count, &by));
    OK(aclmdlRICaptureEnd(a, &graph));
    CHECK(graph == known);
    OK(aclmdlRICaptureGetInfo(a, &status, &known));
    EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    OK(aclmdlRIGetId(graph, &id));
    CHECK(id != 0);
    OK(aclrtSynchronizeStream(a));
    CHECK(get(sum) == 0 && get(copy) == 0);
    EQ(calls, 0);
    for (round = 1; round <= 5; round++) {
        set(x, (float)round);
        OK(aclmdlRIExecuteAsync(graph, round % 2 ? a : b));
        OK(aclrtSynchronizeStream(round % 2 ? a : b));
        CHECK(get(sum) == (float)round + 3);
        CHECK(get(copy) == ((float)round + 3) * (float)round);
        CHECK(((float *)pinned)[COUNT - 1] == ((float)round + 3) * (float)round);
        CHECK(get(product) == 0);
        EQ(calls, 5 * round);
    }
    set(x, 1);
    OK(aclmdlRIExecute(graph, -1));
    CHECK(get(copy) == 4);
    OK(aclmdlRIDebugJsonPrint(graph, "graph.json", 1));
    OK(aclmdlRIDestroy(graph));
    CODE(aclmdlRIExecuteAsync(graph, a), ACL_ERROR_RT_INVALID_HANDLE);
    OK(aclrtFree(x));
    OK(aclrtFree(y));
    OK(aclrtFree(sum));
    OK(aclrtFree(product));
    OK(aclrtFree(copy));
    OK(aclrtFreeHost(pinned));
    remove("graph.json");
}

/* Two streams: the second joins by an event and comes back by another. */
static void joined(void)
{
    void *x = block(1), *y = block(2), *left = block(0), *right = block(0), *out = block(0);
    aclrtEvent out_of_a, out_of_b;
    aclmdlRI graph;
    int round;
    OK(aclrtCreateEventExWithFlag(&out_of_a, ACL_EVENT_SYNC));
    OK(aclrtCreateEventExWithFlag(&out_of_b, ACL_EVENT_SYNC));
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    binary(0, x, y, left, a);
    OK(aclrtRecordEvent(out_of_a, a));
    OK(aclrtStreamWaitEvent(b, out_of_a));
    binary(1, left, left, right, b);
    OK(aclrtRecordEvent(out_of_b, b));
    /* b reads left, so a waits before it writes it again. */
    OK(aclrtStreamWaitEvent(a, out_of_b));
    binary(0, left, x, left, a);
    binary(0, left, right, out, a);
    CODE(aclmdlRICaptureEnd(b, &graph), ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED);
    OK(aclmdlRICaptureEnd(a, &graph));
    CODE(aclrtSynchronizeEvent(out_of_a), ACL_ERROR_RT_EVENT_CAPTURED);
    CODE(aclrtStreamWaitEvent(b, out_of_a), ACL_ERROR_RT_EVENT_CAPTURED);
    for (round = 1; round <= 3; round++) {
        set(x, (float)round);
        OK(aclmdlRIExecuteAsync(graph, a));
        OK(aclmdlRIExecuteAsync(graph, b));
        OK(aclrtSynchronizeStream(b));
        OK(aclrtSynchronizeStream(a));
        CHECK(get(right) == ((float)round + 2) * ((float)round + 2));
    }
    /* Recorded again outside, the event is as any other. */
    OK(aclrtRecordEvent(out_of_a, a));
    OK(aclrtStreamWaitEvent(b, out_of_a));
    OK(aclrtSynchronizeStream(b));
    OK(aclmdlRIExecuteAsync(graph, a));
    OK(aclmdlRIDestroy(graph));
    OK(aclrtSynchronizeStream(a));
    OK(aclrtDestroyEvent(out_of_a));
    OK(aclrtDestroyEvent(out_of_b));
    OK(aclrtFree(x));
    OK(aclrtFree(y));
    OK(aclrtFree(left));
    OK(aclrtFree(right));
    OK(aclrtFree(out));
}

/* A capture that is invalid says by what, and gives no graph. */
static void invalid(void)
{
    aclmdlRICaptureStatus status;
    aclmdlRI graph = NULL, known;
    OK(aclmdlRICaptureGetInfo(a, &status, &known));
    EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED);
    CODE(aclmdlRICaptureEnd(a, &graph), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    CHECK(graph == NULL);
    OK(aclmdlRICaptureGetInfo(a, &status, &known));
    EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_NONE);
}

static void *other_thread(void *memory)
{
    float values[COUNT];
    aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
    aclmdlRI graph;
    OK(aclrtSetDevice(0));
    CODE(aclmdlRICaptureEnd(a, &graph), ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD);
    OK(aclmdlRICaptureThreadExchangeMode(&mode));
    EQ(mode, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    /* A relaxed thread may. */
    OK(aclrtMemcpy(values, BYTES, memory, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    OK(aclmdlRICaptureThreadExchangeMode(&mode));
    EQ(mode, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
    CODE(aclrtMemcpy(values, BYTES, memory, BYTES, ACL_MEMCPY_DEVICE_TO_HOST),
         ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);
    OK(aclrtResetDevice(0));
    return NULL;
}

static void rules(void)
{
    float values[COUNT] = {0};
    void *x = block(1), *out = block(0);
    aclmdlRICaptureMode mode = 9;
    aclrtStreamStatus query;
    aclrtEventRecordedStatus reached;
    aclrtEvent event, before;
    aclmdlRICaptureStatus status;
    aclmdlRI graph = NULL;
    aclrtStream lost;
    pthread_t thread;
    OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    OK(aclrtCreateEventExWithFlag(&before, ACL_EVENT_SYNC));
    OK(aclrtRecordEvent(before, b));

    /* Arguments. */
    CODE(aclmdlRICaptureBegin(NULL, 0), ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT);
    CODE(aclmdlRICaptureBegin(a, 3), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlRICaptureEnd(a, &graph), ACL_ERROR_RT_STREAM_NOT_CAPTURED);
    CODE(aclmdlRICaptureEnd(a, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlRICaptureGetInfo(a, NULL, &graph), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlRICaptureThreadExchangeMode(&mode), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlRICaptureThreadExchangeMode(NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlRIExecuteAsync(NULL, a), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlRIExecuteAsync((aclmdlRI)a, a), ACL_ERROR_RT_INVALID_HANDLE);
    CODE(aclmdlRIDestroy((aclmdlRI)&graph), ACL_ERROR_RT_INVALID_HANDLE);
    CODE(aclmdlRICaptureTaskGrpBegin(a), ACL_ERROR_RT_STREAM_NOT_CAPTURED);
    CODE(aclmdlRICaptureTaskUpdateEnd(a), ACL_ERROR_STREAM_TASK_GROUP_STATUS);

    /* An empty capture is a graph that does nothing. */
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(aclmdlRICaptureGetInfo(a, &status, &graph));
    CODE(aclmdlRIDestroy(graph), ACL_ERROR_RT_MODEL_CAPTURED);
    CODE(aclmdlRIExecuteAsync(graph, b), ACL_ERROR_RT_MODEL_CAPTURED);
    CODE(aclmdlRICaptureBegin(a, 0), ACL_ERROR_RT_STREAM_CAPTURED);
    OK(aclmdlRICaptureEnd(a, &graph));
    OK(aclmdlRIExecuteAsync(graph, a));
    OK(aclrtSynchronizeStream(a));
    OK(aclmdlRIDestroy(graph));

    /* Waiting for the stream, or asking it. */
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    CODE(aclrtSynchronizeStream(a), ACL_ERROR_RT_STREAM_CAPTURED);
    invalid();
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    CODE(aclrtStreamQuery(a, &query), ACL_ERROR_RT_STREAM_CAPTURED);
    CODE(aclrtMemsetAsync(x, BYTES, 0, BYTES, a), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    invalid();
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    CODE(aclrtSynchronizeDevice(), ACL_ERROR_RT_STREAM_CAPTURED);
    invalid();
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    OK(aclrtRecordEvent(event, a));
    CODE(aclrtQueryEventStatus(event, &reached), ACL_ERROR_RT_EVENT_CAPTURED);
    invalid();
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    CODE(aclrtStreamWaitEvent(a, before), ACL_ERROR_RT_CAPTURE_DEPENDENCY);
    invalid();
    /* The default stream cannot join. */
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    OK(aclrtRecordEvent(event, a));
    CODE(aclrtStreamWaitEvent(NULL, event), ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT);
    invalid();
    OK(aclrtMemsetAsync(x, BYTES, 0, BYTES, NULL));
    OK(aclrtSynchronizeStream(NULL));
    set(x, 1);

    /* Unsafe calls, by mode. */
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    CODE(aclrtMemset(x, BYTES, 0, BYTES), ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);
    invalid();
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
    CODE(aclrtMemcpy(values, BYTES, x, BYTES, ACL_MEMCPY_DEVICE_TO_HOST), ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);
    invalid();
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    pthread_create(&thread, NULL, other_thread, x);
    pthread_join(thread, NULL);
    invalid();
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    CODE(aclrtMemcpyAsync(x, BYTES, values, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, a), ACL_ERROR_RT_STREAM_CAPTURED);
    invalid();
    /* The same on a stream that is not captured, by mode. */
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    CODE(aclrtMemcpyAsync(values, BYTES, x, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, b), ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);
    invalid();
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
    CODE(aclrtMemcpy2dAsync(values, 4, x, 4, 4, 2, ACL_MEMCPY_DEVICE_TO_HOST, b), ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);
    invalid();
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
    OK(aclmdlRICaptureThreadExchangeMode(&mode));
    OK(aclrtMemcpyAsync(values, BYTES, x, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, b));
    OK(aclmdlRICaptureThreadExchangeMode(&mode));
    /* Memory of the device, and pinned memory, may be copied on other streams in any mode. */
    OK(aclrtMemcpyAsync(out, BYTES, x, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, b));
    OK(aclmdlRICaptureEnd(a, &graph));
    OK(aclmdlRIDestroy(graph));
    OK(aclrtSynchronizeStream(b));
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    CODE(aclrtMemsetAsync(x, BYTES, 0, BYTES, NULL), ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT);
    invalid();
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    OK(aclrtMemcpy(values, BYTES, x, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    OK(aclmdlRICaptureEnd(a, &graph));
    OK(aclmdlRIDestroy(graph));

    /* A stream that is destroyed takes its capture with it, and lets those go that had joined. */
    OK(aclrtCreateStream(&lost));
    OK(aclmdlRICaptureBegin(lost, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(aclrtRecordEvent(event, lost));
    OK(aclrtStreamWaitEvent(b, event));
    OK(aclrtDestroyStreamForce(lost));
    OK(aclmdlRICaptureGetInfo(b, &status, &graph));
    EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    OK(aclrtCreateStream(&lost));
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(aclrtRecordEvent(event, a));
    OK(aclrtStreamWaitEvent(lost, event));
    OK(aclrtDestroyStream(lost));
    invalid();
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    CODE(aclrtSynchronizeStream(a), ACL_ERROR_RT_STREAM_CAPTURED);
    CODE(aclrtRecordEvent(event, a), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    invalid();
    OK(aclrtMemcpy(values, BYTES, x, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));

    /* A stream that does not come back. */
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(aclrtRecordEvent(event, a));
    OK(aclrtStreamWaitEvent(b, event));
    binary(0, x, x, out, b);
    graph = NULL;
    CODE(aclmdlRICaptureEnd(a, &graph), ACL_ERROR_RT_STREAM_UNJOINED);
    CHECK(graph == NULL);
    binary(0, x, x, out, b);
    OK(aclrtSynchronizeStream(b));
    CHECK(get(out) == 2);

    /* Memory that is freed before a launch. */
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    binary(0, x, x, out, a);
    OK(aclmdlRICaptureEnd(a, &graph));
    OK(aclrtFree(out));
    CODE(aclmdlRIExecuteAsync(graph, a), ACL_ERROR_RT_PARAM_INVALID);
    OK(aclmdlRIDestroy(graph));
    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyEvent(before));
    OK(aclrtFree(x));
}

/* A launch waits inside for an event; meanwhile its task gets new arguments. */
static void updated(void)
{
    void *x = block(1), *y = block(10), *out = block(0), *later = block(0);
    aclrtEvent event, old;
    aclrtTaskGrp group = NULL;
    aclmdlRI graph;
    int round;
    OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_EXTERNAL));
    OK(aclrtCreateEvent(&old));
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(aclrtStreamWaitEvent(a, event));
    OK(aclrtResetEvent(event, a));
    OK(aclmdlRICaptureTaskGrpBegin(a));
    CODE(aclmdlRICaptureTaskGrpBegin(a), ACL_ERROR_STREAM_TASK_GROUP_STATUS);
    binary(0, x, x, out, a);
    OK(aclmdlRICaptureTaskGrpEnd(a, &group));
    CHECK(group != NULL);
    binary(0, out, out, later, a);
    OK(aclmdlRICaptureEnd(a, &graph));
    for (round = 1; round <= 3; round++) {
        OK(aclmdlRIExecuteAsync(graph, a));
        OK(aclmdlRICaptureTaskUpdateBegin(b, group));
        binary(0, x, round % 2 ? y : x, out, b);
        OK(aclmdlRICaptureTaskUpdateEnd(b));
        OK(aclrtRecordEvent(event, b));
        OK(aclrtSynchronizeStream(b));
        OK(aclrtSynchronizeStream(a));
        CHECK(get(later) == (round % 2 ? 22 : 4));
    }
    /* Another operator, and one too many. */
    OK(aclmdlRICaptureTaskUpdateBegin(b, group));
    CODE(aclmdlRICaptureTaskUpdateEnd(b), ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP);
    OK(aclmdlRICaptureTaskUpdateBegin(b, group));
    CODE(aclrtRecordEvent(event, b), ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP);
    binary(0, x, y, out, b);
    CODE(aclmdlRICaptureTaskUpdateEnd(b), ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP);
    OK(aclmdlRICaptureTaskUpdateBegin(b, group));
    CODE(aclrtResetEvent(old, b), ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP);
    binary(0, x, y, out, b);
    CODE(aclmdlRICaptureTaskUpdateEnd(b), ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP);
    OK(aclmdlRICaptureTaskUpdateBegin(b, group));
    {
        float pageable[COUNT] = {42};
        CODE(aclrtMemcpyAsync(x, BYTES, pageable, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, b), ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP);
        CODE(aclrtMemcpyAsync(x, BYTES, pageable, BYTES, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, b),
             ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP);
    }
    CODE(aclmdlRICaptureTaskUpdateEnd(b), ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP);
    CHECK(get(x) == 1);
    OK(aclrtSynchronizeStream(b));
    OK(aclmdlRIDestroy(graph));
    CODE(aclmdlRICaptureTaskUpdateBegin(b, group), ACL_ERROR_RT_INVALID_HANDLE);
    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyEvent(old));
    OK(aclrtFree(x));
    OK(aclrtFree(y));
    OK(aclrtFree(out));
    OK(aclrtFree(later));
}

/* A branch by a value in memory, and a loop. */
static void conditional(void)
{
    void *x = block(1), *yes = block(0), *no = block(0), *zero = block(0), *flag;
    aclmdlRI graph, known, branches[2] = {NULL, NULL}, same;
    aclmdlRICaptureStatus status;
    aclmdlRICondTaskParams params;
    aclmdlRICondHandle condition;
    uint64_t *value = NULL, one = 1;
    int round;
    OK(aclrtMalloc(&flag, sizeof one, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(aclmdlRICaptureGetInfo(a, &status, &known));
    CODE(aclmdlRICondHandleCreate(known, 0, 2, &condition), ACL_ERROR_INVALID_PARAM);
    OK(aclmdlRICondHandleCreate(known, 0, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, &condition));
    OK(aclmdlRICondHandleGetCondPtr(condition, &value));
    OK(aclrtMemcpyAsync(value, 1, flag, 1, ACL_MEMCPY_DEVICE_TO_DEVICE, a));
    params.handle = condition;
    params.type = ACL_MODEL_RI_COND_TASK_TYPE_IF;
    params.size = 3;
    params.modelRIArray = branches;
    CODE(aclmdlRIAddCondTask(params, a, 0), ACL_ERROR_INVALID_PARAM);
    params.size = 2;
    CODE(aclmdlRIAddCondTask(params, b, 0), ACL_ERROR_RT_STREAM_NOT_CAPTURED);
    OK(aclmdlRIAddCondTask(params, a, 0));
    CHECK(branches[0] != NULL && branches[1] != NULL);
    OK(aclmdlRICaptureToModelRIBegin(b, branches[0], ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    binary(0, yes, x, yes, b);
    /* The branch ends first. */
    CODE(aclmdlRICaptureEnd(a, &graph), ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING);
    OK(aclmdlRICaptureEnd(b, &same));
    CHECK(same == branches[0]);
    OK(aclmdlRICaptureToModelRIBegin(b, branches[1], ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    binary(0, no, x, no, b);
    OK(aclmdlRICaptureEnd(b, &same));
    binary(0, yes, no, zero, a);
    OK(aclmdlRICaptureEnd(a, &graph));
    for (round = 1; round <= 4; round++) {
        one = round % 2;
        OK(aclrtMemcpy(flag, sizeof one, &one, sizeof one, ACL_MEMCPY_HOST_TO_DEVICE));
        OK(aclmdlRIExecuteAsync(graph, a));
        OK(aclrtSynchronizeStream(a));
        CHECK(get(yes) == (float)((round + 1) / 2));
        CHECK(get(no) == (float)(round / 2));
        CHECK(get(zero) == (float)round);
    }
    /* Two launches in a row. */
    OK(aclmdlRIExecuteAsync(graph, a));
    OK(aclmdlRIExecuteAsync(graph, a));
    OK(aclrtSynchronizeStream(a));
    CHECK(get(zero) == 6);
    OK(aclmdlRIDestroy(branches[0]));
    OK(aclmdlRIDestroy(graph));
    /* The other branch went with it. */
    CODE(aclmdlRIDestroy(branches[1]), ACL_ERROR_RT_INVALID_HANDLE);
    OK(aclrtFree(flag));
    OK(aclrtFree(x));
    OK(aclrtFree(yes));
    OK(aclrtFree(no));
    OK(aclrtFree(zero));
}

/* While: the branch copies from a list of values, and the last is zero. */
static void loop(void)
{
    void *x = block(1), *sum = block(0), *left;
    aclmdlRI graph, known, branch, same;
    aclmdlRICaptureStatus status;
    aclmdlRICondTaskParams params;
    aclmdlRICondHandle condition;
    uint64_t *value;
    OK(aclrtMalloc(&left, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(left, 64, 0, 64));
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(aclmdlRICaptureGetInfo(a, &status, &known));
    OK(aclmdlRICondHandleCreate(known, 1, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, &condition));
    OK(aclmdlRICondHandleGetCondPtr(condition, &value));
    OK(aclrtMemsetAsync(left, 16, 1, 16, a));
    params.handle = condition;
    params.type = ACL_MODEL_RI_COND_TASK_TYPE_WHILE;
    params.size = 1;
    params.modelRIArray = &branch;
    OK(aclmdlRIAddCondTask(params, a, 0));
    OK(aclmdlRICaptureToModelRIBegin(b, branch, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    binary(0, sum, x, sum, b);
    OK(aclrtMemcpyAsync(value, 8, left, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, b));
    OK(aclrtMemcpyAsync(left, 8, (char *)left + 8, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, b));
    OK(aclrtMemcpyAsync((char *)left + 8, 8, (char *)left + 16, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, b));
    OK(aclmdlRICaptureEnd(b, &same));
    OK(aclmdlRICaptureEnd(a, &graph));
    OK(aclmdlRIExecuteAsync(graph, a));
    OK(aclmdlRIExecuteAsync(graph, a));
    OK(aclrtSynchronizeStream(a));
    /* Once by the initial value, twice by the list; and all of it again. */
    CHECK(get(sum) == 6);
    OK(aclmdlRIDestroy(graph));
    OK(aclrtFree(left));
    OK(aclrtFree(x));
    OK(aclrtFree(sum));
}

int main(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&a));
    OK(aclrtCreateStream(&b));
    straight();
    joined();
    rules();
    updated();
    conditional();
    loop();
    OK(aclrtDestroyStream(a));
    OK(aclrtDestroyStream(b));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
