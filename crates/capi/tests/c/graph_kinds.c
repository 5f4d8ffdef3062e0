/* Every kind of work that can be captured. Each row of a table is queued as it is, and captured and launched with other inputs: the results
 * are the same. Then what a row uses is freed or destroyed before one more launch. */
#include "counter.h"
#include "ops.h"

#include <aclnnop/aclnn_add.h>
#include <acl/ops/acl_cblas.h>

enum { COUNT = 16, BYTES = COUNT * sizeof(float), HALF = BYTES / 2, INPUTS = 3 };

typedef struct {
    float out[COUNT], pinned[COUNT];
} Result;

typedef struct {
    const char *name;
    /* Makes what only this row has. */
    void (*begin)(void);
    /* Queues the work on `a`: from `in` or `from_host` to `out` or `to_host`. */
    void (*queue)(void);
    /* What the program does on `b` while the work waits for it, or after it. */
    void (*beside)(void);
    void (*end)(void);
    /* Frees or destroys something before a launch, which then returns this code; with 0 it has the same result all the same. */
    void (*gone)(void);
    aclError code;
} Kind;

static aclrtStream a, b;
static float *in, *out, *middle, *from_host, *to_host;

static void put(int seed)
{
    int i;
    float values[COUNT];
    for (i = 0; i < COUNT; i++) {
        values[i] = (float)(100 * seed + i);
        to_host[i] = 0;
        if (from_host != NULL) {
            from_host[i] = (float)(200 * seed + i);
        }
    }
    if (in != NULL) {
        OK(aclrtMemcpy(in, BYTES, values, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    }
    OK(aclrtMemset(out, BYTES, 0, BYTES));
    OK(aclrtMemset(middle, BYTES, 0, BYTES));
}

static Result got(void)
{
    Result result;
    from_device(result.out, out, BYTES);
    memcpy(result.pinned, to_host, BYTES);
    return result;
}

static void device_copy(void *to, const void *from, aclrtStream stream)
{
    OK(aclrtMemcpyAsync(to, BYTES, from, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
}

/* What most rows lose before the last launch. */
static void free_in(void)
{
    OK(aclrtFree(in));
    in = NULL;
}

static void free_from_host(void)
{
    OK(aclrtFreeHost(from_host));
    from_host = NULL;
}

/* Copies and fills. */

static void copies(void)
{
    device_copy(out, in, a);
    OK(aclrtMemcpyAsync(middle, BYTES, from_host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, a));
    OK(aclrtMemcpyAsync(to_host, BYTES, middle, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, a));
}

static void conditional_copy(void)
{
    OK(aclrtMemcpyAsyncWithCondition(out, BYTES, in, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, a));
}

static void rectangles(void)
{
    OK(aclrtMemcpy2dAsync(out, 24, in, 16, 12, 2, ACL_MEMCPY_DEVICE_TO_DEVICE, a));
    OK(aclrtMemcpy2dAsync(middle, 16, from_host, 32, 12, 2, ACL_MEMCPY_HOST_TO_DEVICE, a));
    OK(aclrtMemcpy2dAsync(to_host, 32, middle, 16, 12, 2, ACL_MEMCPY_DEVICE_TO_HOST, a));
}

static void fills(void)
{
    OK(aclrtMemsetD32Async(middle, BYTES, 0x3f800000, COUNT, a));
    OK(aclrtMemcpyAsync(middle, HALF, in, HALF, ACL_MEMCPY_DEVICE_TO_DEVICE, a));
    OK(aclrtMemsetAsync(middle + 2, 8, 7, 8, a));
    device_copy(out, middle, a);
}

static void batch(int to_device, int with_index)
{
    enum { PARTS = 4, PART = BYTES / PARTS };
    void *to[PARTS], *from[PARTS];
    size_t room[PARTS], size[PARTS], first = 0, failed, i;
    aclrtMemcpyBatchAttr attribute;
    memset(&attribute, 0, sizeof attribute);
    attribute.dstLoc.type = to_device ? ACL_MEM_LOCATION_TYPE_DEVICE : ACL_MEM_LOCATION_TYPE_HOST;
    attribute.srcLoc.type = to_device ? ACL_MEM_LOCATION_TYPE_HOST : ACL_MEM_LOCATION_TYPE_DEVICE;
    for (i = 0; i < PARTS; i++) {
        /* The last part first. */
        size_t other = PARTS - 1 - i;
        to[i] = (char *)(to_device ? middle : to_host) + i * PART;
        from[i] = (char *)(to_device ? from_host : middle) + other * PART;
        room[i] = size[i] = i == 1 ? PART / 2 : PART;
    }
    if (with_index) {
        OK(aclrtMemcpyBatchAsync(to, room, from, size, PARTS, &attribute, &first, 1, &failed, a));
        EQ(failed, SIZE_MAX);
    } else {
        OK(aclrtMemcpyBatchAsyncV2(to, room, from, size, PARTS, &attribute, &first, 1, a));
    }
    /* The arrays are the caller's again. */
    memset(to, 0, sizeof to);
    memset(from, 0, sizeof from);
    memset(size, 0, sizeof size);
}

static void batches(void)
{
    batch(1, 1);
    batch(0, 1);
    batch(1, 0);
    device_copy(out, middle, a);
    batch(0, 0);
}

static void reductions(void)
{
    device_copy(out, in, a);
    OK(aclrtReduceAsync(out, in + 2, HALF, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, a, NULL));
    OK(aclrtReduceAsync(out + 1, in, 8, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX, ACL_INT32, a, NULL));
    OK(aclrtReduceAsync(out + 8, in, HALF, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN, ACL_BF16, a, NULL));
}

static void **places;

static void store_places(void)
{
    void *stored[2];
    stored[0] = out;
    stored[1] = in;
    places = to_device(stored, sizeof stored);
}

static void free_places(void)
{
    if (places != NULL) {
        OK(aclrtFree(places));
    }
    places = NULL;
}

static void offset_copy(void)
{
    OK(aclrtMemcpyAsyncWithOffset(places, BYTES, 8, (const void **)(places + 1), HALF, 16, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, a));
}

static void store_description(void)
{
    size_t size;
    OK(aclrtGetMemcpyDescSize(ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, &size));
    places = to_device(NULL, size);
    OK(aclrtSetMemcpyDesc(places, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, in, out, BYTES, NULL));
}

static void described_copy(void)
{
    OK(aclrtMemcpyAsyncWithDesc(places, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, a));
}

static float *registered;

static void register_memory(void)
{
    void *mapped;
    EQ(posix_memalign((void **)&registered, 4096, 4096), 0);
    OK(aclrtHostRegister(registered, 4096, ACL_HOST_REGISTER_MAPPED, &mapped));
}

static void unregister_memory(void)
{
    if (registered != NULL) {
        OK(aclrtHostUnregister(registered));
        free(registered);
    }
    registered = NULL;
}

static void copies_through_registered_memory(void)
{
    OK(aclrtMemcpyAsync(registered, BYTES, in, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, a));
    OK(aclrtMemcpyAsync(out, BYTES, registered, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, a));
}

/* Operators and models. */

static void by_function(void)
{
    const int64_t dims[1] = {COUNT};
    float half = 0.5f;
    aclTensor *tensors[2];
    aclScalar *alpha = aclCreateScalar(&half, ACL_FLOAT);
    aclOpExecutor *executor;
    uint64_t size;
    tensors[0] = aclCreateTensor(dims, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 1, in);
    tensors[1] = aclCreateTensor(dims, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 1, out);
    OK(aclnnAddGetWorkspaceSize(tensors[0], tensors[0], alpha, tensors[1], &size, &executor));
    OK(aclnnAdd(NULL, size, executor, a));
    OK(aclDestroyTensor(tensors[0]));
    OK(aclDestroyTensor(tensors[1]));
    OK(aclDestroyScalar(alpha));
}

/* A vector that is somewhere in the row's memory. */
static Tensor view(void *memory, int64_t count)
{
    Tensor made;
    made.desc = aclCreateTensorDesc(ACL_FLOAT, 1, &count, ACL_FORMAT_ND);
    made.size = aclGetTensorDescSize(made.desc);
    made.memory = NULL;
    made.buffer = aclCreateDataBuffer(memory, made.size);
    return made;
}

static void by_name(void)
{
    Tensor left = view(in, COUNT), right = view(in, COUNT), sum = view(out, COUNT);
    OK(binary("Add", left, right, sum, NULL, a));
    drop_tensor(left);
    drop_tensor(right);
    drop_tensor(sum);
}

static void compile_minimum(void)
{
    const int64_t count = COUNT;
    aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT, 1, &count, ACL_FORMAT_ND);
    const aclTensorDesc *pair[2], *single[1];
    pair[0] = pair[1] = single[0] = desc;
    OK(aclopCompile("Maximum", 2, pair, 1, single, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL));
    aclDestroyTensorDesc(desc);
}

static void by_name_compiled(void)
{
    Tensor left = view(in, COUNT), right = view(middle, COUNT), sum = view(out, COUNT);
    aclTensorDesc *descs[2], *results[1];
    aclDataBuffer *inputs[2], *outputs[1];
    descs[0] = left.desc;
    descs[1] = right.desc;
    results[0] = sum.desc;
    inputs[0] = left.buffer;
    inputs[1] = right.buffer;
    outputs[0] = sum.buffer;
    OK(aclrtMemsetD32Async(middle, BYTES, 0x42d00000, COUNT, a)); /* 104 */
    OK(aclopExecuteV2("Maximum", 2, descs, inputs, 1, results, outputs, NULL, a));
    drop_tensor(left);
    drop_tensor(right);
    drop_tensor(sum);
}

static float *factors;

static void make_factors(void)
{
    const float values[2] = {1, 0};
    factors = to_device(values, sizeof values);
}

static void free_factors(void)
{
    OK(aclrtFree(factors));
}

static void product_of_matrices(void)
{
    OK(aclblasGemmEx(ACL_TRANS_N, ACL_TRANS_N, ACL_TRANS_N, 2, 2, 3, factors, in, -1, ACL_FLOAT16, in + 4, -1, ACL_FLOAT16, factors + 1,
                     out, -1, ACL_FLOAT, ACL_COMPUTE_HIGH_PRECISION, a));
}

static uint32_t model;
static int is_loaded;

static void load_sum(void)
{
    model = load("add.onnx");
    is_loaded = 1;
}

static void load_layers(void)
{
    model = load("mlp.om");
    is_loaded = 1;
}

static void unload(void)
{
    if (is_loaded) {
        OK(aclmdlUnload(model));
    }
    is_loaded = 0;
}

static void drop_buffers(aclmdlDataset *dataset)
{
    size_t i;
    for (i = 0; i < aclmdlGetDatasetNumBuffers(dataset); i++) {
        OK(aclDestroyDataBuffer(aclmdlGetDatasetBuffer(dataset, i)));
    }
    OK(aclmdlDestroyDataset(dataset));
}

static void run_model(void *x, size_t x_bytes, void *y, size_t y_bytes, const int64_t *dims)
{
    aclmdlDataset *inputs = aclmdlCreateDataset(), *outputs = aclmdlCreateDataset();
    add_buffer(inputs, x, x_bytes);
    if (y != NULL) {
        add_buffer(inputs, y, y_bytes);
    }
    add_buffer(outputs, out, BYTES);
    if (dims != NULL) {
        set_shape(inputs, 0, ACL_FLOAT, 2, dims);
    }
    OK(aclmdlExecuteAsync(model, inputs, outputs, a));
    drop_buffers(inputs);
    drop_buffers(outputs);
}

static void model_of_one_shape(void)
{
    run_model(in, 24, in + 8, 24, NULL);
}

static void model_of_many_shapes(void)
{
    static const int64_t three[2] = {3, 4}, one[2] = {1, 4};
    run_model(in, BYTES, NULL, 0, three);
    OK(aclrtMemcpyAsync(to_host, 24, out, 24, ACL_MEMCPY_DEVICE_TO_HOST, a));
    run_model(in + 4, 16, NULL, 0, one);
}

static Counter counters[2];

static void load_with_allocator(void)
{
    load_layers();
    counter_use(a, &counters[0]);
    counter_use(b, &counters[1]);
}

static void end_allocators(void)
{
    CHECK(counters[0].allocs > 0 && counters[1].allocs > 0);
    EQ(counters[0].live, 0);
    EQ(counters[1].live, 0);
    OK(aclrtAllocatorUnregister(a));
    OK(aclrtAllocatorUnregister(b));
    unload();
}

/* What streams tell each other. In these rows `a` waits for `b`, which fills `middle`, and tells it when it is done. */

static aclrtEvent event, done;
static aclrtNotify notify, notify_done;
static aclrtCntNotify counted, counted_done;
static uint64_t *word;

static void make_events(void)
{
    OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_EXTERNAL));
    OK(aclrtCreateEventWithFlag(&done, ACL_EVENT_EXTERNAL));
}

static void waits_for_event(void)
{
    OK(aclrtStreamWaitEvent(a, event));
    OK(aclrtResetEvent(event, a));
    device_copy(out, middle, a);
    OK(aclrtRecordEvent(done, a));
}

static void record_event(void)
{
    device_copy(middle, in, b);
    OK(aclrtRecordEvent(event, b));
    OK(aclrtStreamWaitEvent(b, done));
    OK(aclrtResetEvent(done, b));
    OK(aclrtMemcpyAsync(to_host, BYTES, out, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, b));
    OK(aclrtSynchronizeStream(b));
}

static void end_events(void)
{
    if (event != NULL) {
        OK(aclrtDestroyEvent(event));
    }
    OK(aclrtDestroyEvent(done));
    event = NULL;
}

static void destroy_event(void)
{
    device_copy(middle, in, b);
    OK(aclrtRecordEvent(event, b));
    OK(aclrtSynchronizeStream(b));
    OK(aclrtDestroyEvent(event));
    event = NULL;
}

/* The same with ordinary events and flags. */
static void make_flagged(void)
{
    OK(aclrtCreateEvent(&event));
    OK(aclrtCreateEventExWithFlag(&done, ACL_EVENT_SYNC));
}

static void waits_with_flag(void)
{
    OK(aclrtStreamWaitEventWithFlag(a, event, 0, ACL_EVENT_WAIT_EXTERNAL));
    device_copy(out, middle, a);
    OK(aclrtRecordEventWithFlag(done, a, ACL_EVENT_RECORD_EXTERNAL));
}

static void record_flagged(void)
{
    device_copy(middle, in, b);
    OK(aclrtRecordEvent(event, b));
    OK(aclrtStreamWaitEvent(b, done));
    OK(aclrtMemcpyAsync(to_host, BYTES, out, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, b));
    OK(aclrtSynchronizeStream(b));
    OK(aclrtResetEvent(event, b));
    OK(aclrtSynchronizeStream(b));
}

static void make_notifies(void)
{
    OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
    OK(aclrtCreateNotify(&notify_done, ACL_NOTIFY_DEFAULT));
}

static void waits_for_notify(void)
{
    OK(aclrtWaitAndResetNotify(notify, a, 0));
    device_copy(out, middle, a);
    OK(aclrtRecordNotify(notify_done, a));
}

static void record_notify(void)
{
    device_copy(middle, in, b);
    OK(aclrtRecordNotify(notify, b));
    OK(aclrtWaitAndResetNotify(notify_done, b, 0));
    OK(aclrtMemcpyAsync(to_host, BYTES, out, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, b));
    OK(aclrtSynchronizeStream(b));
}

static void end_notifies(void)
{
    if (notify != NULL) {
        OK(aclrtDestroyNotify(notify));
    }
    OK(aclrtDestroyNotify(notify_done));
    notify = NULL;
}

static void destroy_notify(void)
{
    device_copy(middle, in, b);
    OK(aclrtRecordNotify(notify, b));
    OK(aclrtSynchronizeStream(b));
    OK(aclrtDestroyNotify(notify));
    notify = NULL;
}

static void make_counted(void)
{
    OK(aclrtCntNotifyCreate(&counted, 0));
    OK(aclrtCntNotifyCreate(&counted_done, 0));
}

static void count(aclrtCntNotify on, aclrtCntNotifyRecordMode mode, uint32_t value, aclrtStream stream)
{
    aclrtCntNotifyRecordInfo info;
    info.mode = mode;
    info.value = value;
    OK(aclrtCntNotifyRecord(on, stream, &info));
}

static void wait_count(aclrtCntNotify on, uint32_t value, int clears, aclrtStream stream)
{
    aclrtCntNotifyWaitInfo info;
    memset(&info, 0, sizeof info);
    info.mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE;
    info.value = value;
    info.isClear = (uint8_t)clears;
    OK(aclrtCntNotifyWaitWithTimeout(on, stream, &info));
}

static void waits_for_count(void)
{
    wait_count(counted, 3, 1, a);
    device_copy(out, middle, a);
    count(counted_done, ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 2, a);
    count(counted_done, ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE, 5, a);
}

static void record_count(void)
{
    device_copy(middle, in, b);
    count(counted, ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 3, b);
    wait_count(counted_done, 7, 0, b);
    OK(aclrtMemcpyAsync(to_host, BYTES, out, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, b));
    OK(aclrtCntNotifyReset(counted_done, b));
    OK(aclrtSynchronizeStream(b));
}

static void end_counted(void)
{
    if (counted != NULL) {
        OK(aclrtCntNotifyDestroy(counted));
    }
    OK(aclrtCntNotifyDestroy(counted_done));
    counted = NULL;
}

static void destroy_counted(void)
{
    device_copy(middle, in, b);
    count(counted, ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 3, b);
    OK(aclrtSynchronizeStream(b));
    OK(aclrtCntNotifyDestroy(counted));
    counted = NULL;
}

static void make_words(void)
{
    const uint64_t zeros[2] = {0, 0};
    word = to_device(zeros, sizeof zeros);
}

static void waits_for_word(void)
{
    OK(aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_EQ, a));
    OK(aclrtValueWrite(word, 0, 0, a));
    device_copy(out, middle, a);
    OK(aclrtValueWrite(word + 1, 6, 0, a));
}

static void write_word(void)
{
    device_copy(middle, in, b);
    OK(aclrtValueWrite(word, 1, 0, b));
    OK(aclrtValueWait(word + 1, 2, ACL_STREAM_WAIT_VALUE_AND, b));
    OK(aclrtValueWrite(word + 1, 0, 0, b));
    OK(aclrtMemcpyAsync(to_host, BYTES, out, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, b));
    OK(aclrtSynchronizeStream(b));
}

static void free_words(void)
{
    if (word != NULL) {
        OK(aclrtFree(word));
    }
    word = NULL;
}

/* Managed memory, and functions of the program. */

static float *managed;

static void make_managed(void)
{
    OK(aclrtMemAllocManaged((void **)&managed, BYTES, ACL_RT_MEM_ATTACH_GLOBAL));
}

static void prefetches(void)
{
    aclrtMemManagedLocation device, host;
    const void *ranges[1];
    size_t size = BYTES, first = 0;
    device.type = ACL_MEM_LOCATIONTYPE_DEVICE;
    host.type = ACL_MEM_LOCATIONTYPE_HOST;
    device.id = host.id = 0;
    ranges[0] = managed;
    device_copy(managed, in, a);
    OK(aclrtMemManagedPrefetchAsync(managed, BYTES, device, 0, a));
    device_copy(out, managed, a);
    OK(aclrtMemManagedPrefetchBatchAsync(ranges, &size, 1, &host, &first, 1, 0, a));
}

static void free_managed(void)
{
    if (managed != NULL) {
        OK(aclrtFree(managed));
    }
    managed = NULL;
}

static void adds_on_the_host(void *unused)
{
    int i;
    (void)unused;
    for (i = 0; i < COUNT; i++) {
        to_host[i] += from_host[i];
    }
}

static void host_functions(void)
{
    OK(aclrtMemcpyAsync(to_host, BYTES, in, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, a));
    OK(aclrtLaunchHostFunc(a, adds_on_the_host, NULL));
    OK(aclrtMemcpyAsync(out, BYTES, to_host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, a));
}

static pthread_t reporter;
static int reports_end;

static void *reports(void *unused)
{
    (void)unused;
    OK(aclrtSetDevice(0));
    while (!__atomic_load_n(&reports_end, __ATOMIC_SEQ_CST)) {
        aclError fetched = aclrtProcessReport(20);
        /* Also in the moment before it is subscribed. */
        CHECK(fetched == ACL_SUCCESS || fetched == ACL_ERROR_RT_REPORT_TIMEOUT || fetched == ACL_ERROR_RT_THREAD_SUBSCRIBE);
    }
    OK(aclrtResetDevice(0));
    return NULL;
}

static int subscribed;

static void subscribe(void)
{
    reports_end = 0;
    EQ(pthread_create(&reporter, NULL, reports, NULL), 0);
    OK(aclrtSubscribeReport((uint64_t)reporter, a));
    OK(aclrtSubscribeReport((uint64_t)reporter, b));
    subscribed = 1;
}

static void unsubscribe(void)
{
    if (subscribed) {
        OK(aclrtUnSubscribeReport((uint64_t)reporter, a));
        OK(aclrtUnSubscribeReport((uint64_t)reporter, b));
    }
    subscribed = 0;
}

static void end_reports(void)
{
    unsubscribe();
    __atomic_store_n(&reports_end, 1, __ATOMIC_SEQ_CST);
    EQ(pthread_join(reporter, NULL), 0);
}

static void callbacks(void)
{
    OK(aclrtMemcpyAsync(to_host, BYTES, in, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, a));
    OK(aclrtLaunchCallback(adds_on_the_host, NULL, ACL_CALLBACK_BLOCK, a));
    OK(aclrtMemcpyAsync(out, BYTES, to_host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, a));
}

static const Kind kinds[] = {
    {"copies", NULL, copies, NULL, NULL, free_in, ACL_ERROR_RT_PARAM_INVALID},
    {"copies, pinned memory freed", NULL, copies, NULL, NULL, free_from_host, ACL_ERROR_RT_PARAM_INVALID},
    {"registered memory", register_memory, copies_through_registered_memory, NULL, unregister_memory, unregister_memory,
     ACL_ERROR_RT_PARAM_INVALID},
    {"conditional copy", NULL, conditional_copy, NULL, NULL, free_in, ACL_ERROR_RT_PARAM_INVALID},
    {"rectangles", NULL, rectangles, NULL, NULL, free_in, ACL_ERROR_RT_PARAM_INVALID},
    {"fills", NULL, fills, NULL, NULL, free_in, ACL_ERROR_RT_PARAM_INVALID},
    {"batches", NULL, batches, NULL, NULL, free_from_host, ACL_ERROR_RT_PARAM_INVALID},
    {"reductions", NULL, reductions, NULL, NULL, free_in, ACL_ERROR_RT_PARAM_INVALID},
    {"copy with offsets", store_places, offset_copy, NULL, free_places, free_places, ACL_ERROR_RT_PARAM_INVALID},
    {"copy by description", store_description, described_copy, NULL, free_places, free_places, ACL_ERROR_RT_PARAM_INVALID},
    {"operator by function", NULL, by_function, NULL, NULL, free_in, ACL_ERROR_RT_PARAM_INVALID},
    {"operator by name", NULL, by_name, NULL, NULL, free_in, ACL_ERROR_RT_PARAM_INVALID},
    {"operator by name, compiled before", compile_minimum, by_name_compiled, NULL, NULL, free_in, ACL_ERROR_RT_PARAM_INVALID},
    {"product of matrices", make_factors, product_of_matrices, NULL, free_factors, free_in, ACL_ERROR_RT_PARAM_INVALID},
    {"model", load_sum, model_of_one_shape, NULL, unload, free_in, ACL_ERROR_RT_PARAM_INVALID},
    {"model, unloaded", load_sum, model_of_one_shape, NULL, unload, unload, 0},
    {"model of many shapes", load_layers, model_of_many_shapes, NULL, unload, unload, 0},
    {"model with an allocator", load_with_allocator, model_of_many_shapes, NULL, end_allocators, free_in, ACL_ERROR_RT_PARAM_INVALID},
    {"external event", make_events, waits_for_event, record_event, end_events, destroy_event, 0},
    {"external flags", make_flagged, waits_with_flag, record_flagged, end_events, destroy_event, 0},
    {"notification", make_notifies, waits_for_notify, record_notify, end_notifies, destroy_notify, 0},
    {"counted notification", make_counted, waits_for_count, record_count, end_counted, destroy_counted, 0},
    {"word in memory", make_words, waits_for_word, write_word, free_words, free_words, ACL_ERROR_RT_PARAM_INVALID},
    {"prefetch", make_managed, prefetches, NULL, free_managed, free_managed, ACL_ERROR_RT_PARAM_INVALID},
    {"host function", NULL, host_functions, NULL, NULL, free_in, ACL_ERROR_RT_PARAM_INVALID},
    {"callback", subscribe, callbacks, NULL, end_reports, unsubscribe, ACL_ERROR_RT_STREAM_NO_CB_REG},
};

static aclmdlRI captured(const Kind *kind)
{
    static const Result nothing;
    aclmdlRI graph;
    Result result;
    put(0);
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    kind->queue();
    OK(aclmdlRICaptureEnd(a, &graph));
    OK(aclrtSynchronizeStream(a));
    result = got();
    EQ(memcmp(&result, &nothing, sizeof result), 0);
    return graph;
}

/* The result with some input: of a launch on a stream, or of the work as it is. */
static Result ran(const Kind *kind, int seed, aclmdlRI graph, aclrtStream stream)
{
    put(seed);
    if (graph != NULL) {
        OK(aclmdlRIExecuteAsync(graph, stream));
    } else {
        kind->queue();
    }
    if (kind->beside != NULL) {
        kind->beside();
    }
    OK(aclrtSynchronizeStream(stream));
    return got();
}

static void try_kind(const Kind *kind, int captures_first)
{
    Result plain[INPUTS + 1], result;
    aclmdlRI graph = NULL;
    int seed;
    fprintf(stderr, "%s, %s first\n", kind->name, captures_first ? "captured" : "as it is");
    OK(aclrtMalloc((void **)&in, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc((void **)&out, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc((void **)&middle, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost((void **)&from_host, BYTES));
    OK(aclrtMallocHost((void **)&to_host, BYTES));
    if (kind->begin != NULL) {
        kind->begin();
    }
    if (captures_first) {
        graph = captured(kind);
    }
    for (seed = 1; seed <= INPUTS; seed++) {
        plain[seed] = ran(kind, seed, NULL, a);
        CHECK(seed == 1 || memcmp(&plain[seed], &plain[seed - 1], sizeof result) != 0);
    }
    if (!captures_first) {
        graph = captured(kind);
    }
    for (seed = 1; seed <= INPUTS; seed++) {
        /* On the stream of the capture; on another, unless that one is busy beside; two in a row. */
        result = ran(kind, seed, graph, a);
        EQ(memcmp(&result, &plain[seed], sizeof result), 0);
        if (kind->beside != NULL) {
            continue;
        }
        result = ran(kind, seed, graph, b);
        EQ(memcmp(&result, &plain[seed], sizeof result), 0);
        put(seed);
        OK(aclmdlRIExecuteAsync(graph, a));
        OK(aclmdlRIExecuteAsync(graph, a));
        OK(aclrtSynchronizeStream(a));
        result = got();
        EQ(memcmp(&result, &plain[seed], sizeof result), 0);
    }
    put(2);
    kind->gone();
    if (kind->code != ACL_SUCCESS) {
        put(2);
        CODE(aclmdlRIExecuteAsync(graph, a), kind->code);
        OK(aclrtSynchronizeStream(a));
        CODE(aclmdlRIExecuteAsync(graph, a), kind->code);
    } else {
        OK(aclmdlRIExecuteAsync(graph, a));
        OK(aclrtSynchronizeStream(a));
        result = got();
        EQ(memcmp(result.out, plain[2].out, sizeof result.out), 0);
    }
    OK(aclmdlRIDestroy(graph));
    if (kind->end != NULL) {
        kind->end();
    }
    if (in != NULL) {
        OK(aclrtFree(in));
    }
    if (from_host != NULL) {
        OK(aclrtFreeHost(from_host));
    }
    OK(aclrtFree(out));
    OK(aclrtFree(middle));
    OK(aclrtFreeHost(to_host));
}

/* What has outputs whose sizes only a run tells is refused, and the capture goes on without it. */
static void known_only_after_a_run(void)
{
    aclmdlDataset *inputs = aclmdlCreateDataset(), *outputs = aclmdlCreateDataset();
    uint32_t nonzero = load("nonzero.onnx");
    aclmdlRI graph;
    OK(aclrtMalloc((void **)&in, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc((void **)&out, 2 * BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(in, BYTES, 1, BYTES));
    OK(aclrtMemset(out, BYTES, 0, BYTES));
    add_buffer(inputs, in, 32);
    add_buffer(outputs, out, 2 * BYTES);
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    CODE(aclmdlExecuteAsync(nonzero, inputs, outputs, a), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    MENTIONS("known only after it has run");
    device_copy(out, in, a);
    OK(aclmdlRICaptureEnd(a, &graph));
    OK(aclmdlRIExecuteAsync(graph, a));
    OK(aclrtSynchronizeStream(a));
    {
        float values[2];
        from_device(values, out, sizeof values);
        CHECK(values[0] != 0 && values[0] == values[1]);
    }
    OK(aclmdlRIDestroy(graph));
    drop_dataset(inputs);
    drop_dataset(outputs);
    OK(aclmdlUnload(nonzero));
}

/* Operators by name cannot be in a task group; the capture goes on without the group. Nor can they be part of an update. */
static void by_name_in_a_group(void)
{
    const float one = 1, two = 2;
    Tensor left = vector(1, &one), right = vector(1, &two), sum = vector(1, NULL);
    aclrtTaskGrp group = NULL;
    aclmdlRI graph;
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(aclmdlRICaptureTaskGrpBegin(a));
    OK(aclrtMemsetAsync(sum.memory, sizeof one, 0, sizeof one, a));
    OK(binary("Maximum", left, right, sum, NULL, a));
    CODE(aclmdlRICaptureTaskGrpEnd(a, &group), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    MENTIONS("ONNX Runtime");
    CHECK(group == NULL);
    OK(aclmdlRICaptureTaskGrpBegin(a));
    OK(aclrtMemcpyAsync(right.memory, sizeof one, sum.memory, sizeof one, ACL_MEMCPY_DEVICE_TO_DEVICE, a));
    OK(aclmdlRICaptureTaskGrpEnd(a, &group));
    OK(aclmdlRICaptureEnd(a, &graph));
    OK(aclmdlRICaptureTaskUpdateBegin(b, group));
    CODE(binary("Maximum", left, right, sum, NULL, b), ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP);
    CODE(aclmdlRICaptureTaskUpdateEnd(b), ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP);
    OK(aclmdlRIExecuteAsync(graph, a));
    OK(aclrtSynchronizeStream(a));
    floats_are(sum, &two, 1);
    OK(aclmdlRIDestroy(graph));
    drop_tensor(left);
    drop_tensor(right);
    drop_tensor(sum);
}

int main(void)
{
    size_t i;
    OPEN_DEVICE();
    OK(aclrtCreateStream(&a));
    OK(aclrtCreateStream(&b));
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        try_kind(&kinds[i], 1);
        try_kind(&kinds[i], 0);
    }
    known_only_after_a_run();
    by_name_in_a_group();
    OK(aclrtDestroyStream(a));
    OK(aclrtDestroyStream(b));
    CLOSE_DEVICE();
    return 0;
}
