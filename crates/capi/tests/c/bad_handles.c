/* What if a handle is not what it should be? Gone, gone twice, foreign, a small
 * number, all ones, another kind of object: every function that takes one refuses
 * it and says why, and nothing is touched. */
#include "check.h"
#include <acl/acl_rt_allocator.h>

static void *device, *host;
static aclrtStream good_stream;
static aclrtEvent good_event;
static aclrtAllocatorDesc good_desc;
static int calls;

static void must_not_run(void *unused)
{
    (void)unused;
    calls++;
}

/* Each function that takes a stream, with everything else in order. */
#define STREAM_CALL(name, call)                 \
    static aclError name(aclrtStream h)         \
    {                                           \
        return call;                            \
    }
static int32_t i32;
static uint32_t u32;
static uint64_t u64;
static float f32;
static aclrtStreamStatus stream_status;
static aclrtEventStatus event_status;
static aclrtEventRecordedStatus recorded_status;
static aclrtEventWaitStatus wait_status;
static aclrtAllocatorDesc found_desc;

STREAM_CALL(s_destroy, aclrtDestroyStream(h))
STREAM_CALL(s_destroy_force, aclrtDestroyStreamForce(h))
STREAM_CALL(s_sync, aclrtSynchronizeStream(h))
STREAM_CALL(s_sync_timeout, aclrtSynchronizeStreamWithTimeout(h, 5))
STREAM_CALL(s_query, aclrtStreamQuery(h, &stream_status))
STREAM_CALL(s_id, aclrtStreamGetId(h, &i32))
STREAM_CALL(s_priority, aclrtStreamGetPriority(h, &u32))
STREAM_CALL(s_flags, aclrtStreamGetFlags(h, &u32))
STREAM_CALL(s_wait, aclrtStreamWaitEvent(h, good_event))
STREAM_CALL(s_wait_timeout, aclrtStreamWaitEventWithTimeout(h, good_event, 1))
STREAM_CALL(s_record, aclrtRecordEvent(good_event, h))
STREAM_CALL(s_reset, aclrtResetEvent(good_event, h))
STREAM_CALL(s_memcpy, aclrtMemcpyAsync(device, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, h))
STREAM_CALL(s_memcpy2d, aclrtMemcpy2dAsync(device, 8, host, 8, 8, 8, ACL_MEMCPY_HOST_TO_DEVICE, h))
STREAM_CALL(s_memset, aclrtMemsetAsync(device, 64, 0, 64, h))
STREAM_CALL(s_memset32, aclrtMemsetD32Async(device, 64, 0, 16, h))
STREAM_CALL(s_host_func, aclrtLaunchHostFunc(h, must_not_run, NULL))
STREAM_CALL(s_callback, aclrtLaunchCallback(must_not_run, NULL, ACL_CALLBACK_NO_BLOCK, h))
STREAM_CALL(s_subscribe, aclrtSubscribeReport(1, h))
STREAM_CALL(s_unsubscribe, aclrtUnSubscribeReport(1, h))
STREAM_CALL(s_register, aclrtAllocatorRegister(h, good_desc))
STREAM_CALL(s_find, aclrtAllocatorGetByStream(h, &found_desc, NULL, NULL, NULL, NULL, NULL))

STREAM_CALL(e_destroy, aclrtDestroyEvent(h))
STREAM_CALL(e_record, aclrtRecordEvent(h, good_stream))
STREAM_CALL(e_reset, aclrtResetEvent(h, good_stream))
STREAM_CALL(e_query, aclrtQueryEvent(h, &event_status))
STREAM_CALL(e_status, aclrtQueryEventStatus(h, &recorded_status))
STREAM_CALL(e_wait_status, aclrtQueryEventWaitStatus(h, &wait_status))
STREAM_CALL(e_sync, aclrtSynchronizeEvent(h))
STREAM_CALL(e_sync_timeout, aclrtSynchronizeEventWithTimeout(h, 5))
STREAM_CALL(e_wait, aclrtStreamWaitEvent(good_stream, h))
STREAM_CALL(e_wait_timeout, aclrtStreamWaitEventWithTimeout(good_stream, h, 1))
STREAM_CALL(e_elapsed_from, aclrtEventElapsedTime(&f32, h, good_event))
STREAM_CALL(e_elapsed_to, aclrtEventElapsedTime(&f32, good_event, h))
STREAM_CALL(e_timestamp, aclrtEventGetTimestamp(h, &u64))
STREAM_CALL(e_id, aclrtGetEventId(h, &u32))

STREAM_CALL(c_destroy, aclrtDestroyContext(h))
STREAM_CALL(c_set, aclrtSetCurrentContext(h))

STREAM_CALL(d_destroy, aclrtAllocatorDestroyDesc(h))
STREAM_CALL(d_object, aclrtAllocatorSetObjToDesc(h, &i32))
STREAM_CALL(d_register, aclrtAllocatorRegister(good_stream, h))

STREAM_CALL(b_destroy, aclDestroyDataBuffer((aclDataBuffer *)h))
STREAM_CALL(b_update, aclUpdateDataBuffer((aclDataBuffer *)h, NULL, 0))

typedef struct {
    const char *name;
    aclError (*call)(void *);
    int null_is_default; /* NULL means the default stream */
} Function;

#define F(call, null) {#call, call, null}
static const Function stream_functions[] = {
    F(s_destroy, 0),     F(s_destroy_force, 0), F(s_sync, 1),        F(s_sync_timeout, 1), F(s_query, 1),
    F(s_id, 1),          F(s_priority, 1),      F(s_flags, 1),       F(s_wait, 1),         F(s_wait_timeout, 1),
    F(s_record, 1),      F(s_reset, 1),         F(s_memcpy, 1),      F(s_memcpy2d, 1),     F(s_memset, 1),
    F(s_memset32, 1),    F(s_host_func, 1),     F(s_callback, 1),    F(s_subscribe, 0),    F(s_unsubscribe, 0),
    F(s_register, 0),    F(s_find, 0),
};
static const Function event_functions[] = {
    F(e_destroy, 0),       F(e_record, 0), F(e_reset, 0), F(e_query, 0),        F(e_status, 0),
    F(e_wait_status, 0),   F(e_sync, 0),   F(e_sync_timeout, 0), F(e_wait, 0),  F(e_wait_timeout, 0),
    F(e_elapsed_from, 0),  F(e_elapsed_to, 0), F(e_timestamp, 0), F(e_id, 0),
};
static const Function context_functions[] = {F(c_destroy, 0), F(c_set, 0)};
static const Function desc_functions[] = {F(d_destroy, 0), F(d_object, 0), F(d_register, 0)};
static const Function buffer_functions[] = {F(b_destroy, 0), F(b_update, 0)};

static void refuses(const Function *function, void *handle, const char *what)
{
    aclError code = function->call(handle);
    int explained = check_fetch_text();
    if (code == 0 || !explained) {
        fprintf(stderr, "%s(%s %p) returned %d%s\n", function->name, what, handle, code,
                explained ? "" : " without a word");
        exit(1);
    }
}

/* A value of every wrong sort, for each function of a group. */
static void all_refuse(const Function *functions, size_t count, void *stale, void *const *other_kinds,
                       size_t kinds)
{
    static uint64_t foreign[16];
    size_t i, k;
    for (i = 0; i < count; i++) {
        refuses(&functions[i], stale, "gone");
        refuses(&functions[i], foreign, "foreign");
        refuses(&functions[i], (void *)(uintptr_t)1, "number");
        refuses(&functions[i], (void *)(uintptr_t)0x1000, "number");
        refuses(&functions[i], (void *)UINTPTR_MAX, "number");
        refuses(&functions[i], (void *)(UINTPTR_MAX / 2 + 1), "number");
        refuses(&functions[i], device, "device pointer");
        refuses(&functions[i], host, "host pointer");
        for (k = 0; k < kinds; k++) {
            refuses(&functions[i], other_kinds[k], "another kind");
        }
        if (!functions[i].null_is_default) {
            refuses(&functions[i], NULL, "null");
        }
    }
    for (i = 0; i < 16; i++) {
        EQ(foreign[i], 0);
    }
}

#define ALL_REFUSE(functions, stale, kinds) \
    all_refuse(functions, sizeof functions / sizeof functions[0], stale, kinds, sizeof kinds / sizeof kinds[0])

int main(void)
{
    aclrtContext primary = NULL, context = NULL;
    aclrtStream stream = NULL;
    aclrtEvent event = NULL;
    aclrtAllocatorDesc desc;
    aclDataBuffer *buffer, *good_buffer;
    aclTensorDesc *tensor;
    aclrtStreamStatus status;

    OPEN_DEVICE();
    OK(aclrtGetCurrentContext(&primary));
    OK(aclrtMalloc(&device, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost(&host, 4096));
    OK(aclrtMemset(device, 4096, 0x42, 4096));
    memset(host, 0, 4096);
    OK(aclrtCreateStream(&good_stream));
    OK(aclrtCreateEventWithFlag(&good_event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
    good_desc = aclrtAllocatorCreateDesc();
    CHECK(good_desc != NULL);
    good_buffer = aclCreateDataBuffer(host, 64);
    CHECK(good_buffer != NULL);
    tensor = aclCreateTensorDesc(ACL_FLOAT, 0, NULL, ACL_FORMAT_ND);
    CHECK(tensor != NULL);

    /* One of each that is gone. */
    OK(aclrtCreateStream(&stream));
    OK(aclrtDestroyStream(stream));
    OK(aclrtCreateEvent(&event));
    OK(aclrtDestroyEvent(event));
    OK(aclrtCreateContext(&context, 0));
    OK(aclrtDestroyContext(context));
    OK(aclrtSetCurrentContext(primary));
    desc = aclrtAllocatorCreateDesc();
    OK(aclrtAllocatorDestroyDesc(desc));
    buffer = aclCreateDataBuffer(host, 64);
    OK(aclDestroyDataBuffer(buffer));

    {
        void *const kinds[] = {good_event, primary, good_desc, good_buffer, tensor};
        ALL_REFUSE(stream_functions, stream, kinds);
    }
    {
        void *const kinds[] = {good_stream, primary, good_desc, good_buffer, tensor};
        ALL_REFUSE(event_functions, event, kinds);
    }
    {
        void *const kinds[] = {good_stream, good_event, good_desc, good_buffer, tensor};
        ALL_REFUSE(context_functions, context, kinds);
    }
    {
        void *const kinds[] = {good_stream, good_event, primary, good_buffer, tensor};
        ALL_REFUSE(desc_functions, desc, kinds);
    }
    {
        void *const kinds[] = {good_stream, good_event, primary, good_desc, tensor};
        ALL_REFUSE(buffer_functions, buffer, kinds);
    }

    /* The good ones were not harmed. */
    {
        unsigned char byte = 0;
        OK(aclrtSynchronizeDevice());
        OK(aclrtMemcpy(&byte, 1, device, 1, ACL_MEMCPY_DEVICE_TO_HOST));
        EQ(byte, 0x42);
    }
    EQ(calls, 0);
    OK(aclrtStreamQuery(good_stream, &status));
    EQ(status, ACL_STREAM_STATUS_COMPLETE);
    OK(aclrtRecordEvent(good_event, good_stream));
    OK(aclrtSynchronizeEvent(good_event));
    OK(aclrtDestroyEvent(good_event));
    OK(aclrtDestroyStream(good_stream));
    OK(aclrtAllocatorDestroyDesc(good_desc));
    EQ_PTR(aclGetDataBufferAddr(good_buffer), host);
    OK(aclDestroyDataBuffer(good_buffer));
    EQ(aclGetTensorDescElementCount(tensor), 1);
    aclDestroyTensorDesc(tensor);
    OK(aclrtFree(device));
    OK(aclrtFreeHost(host));
    CLOSE_DEVICE();
    return 0;
}
