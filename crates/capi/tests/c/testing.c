/* What test suites need: do rules make exactly the calls fail that they name, at once, later in the stream or for good? Are calls counted?
 * Does a reset find what was left and leave nothing? Does time jump to limits, and only then? */
#include "check.h"

#include <millpond/testing.h>
#include <pthread.h>

#define MINUTE 60000

static uint64_t calls_of(const char *function)
{
    uint64_t calls = 0, failures = 0;
    OK(millpondCallsGet(function, &calls, &failures));
    CHECK(failures <= calls);
    return calls;
}

static uint64_t failures_of(const char *function)
{
    uint64_t failures = 0;
    OK(millpondCallsGet(function, NULL, &failures));
    return failures;
}

/* A rule for a block of statements. */
static uint64_t with(const char *rule)
{
    uint64_t id = 0;
    OK(millpondFaultAdd(rule, &id));
    CHECK(id != 0);
    return id;
}

static void faults(void)
{
    void *p = NULL, *host = NULL;
    aclrtStream stream = NULL;
    uint64_t calls = 0, hits = 0;

    OK(aclrtCreateStream(&stream));
    OK(aclrtMallocHost(&host, 4096));

    /* By pattern and size; the text names the rule. */
    uint64_t id = with("aclrtMalloc*:bytes>=1M:code=ACL_ERROR_BAD_ALLOC");
    OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    void *large = NULL;
    CODE(aclrtMallocAlign32(&large, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_BAD_ALLOC);
    MENTIONS("injected by the rule 'aclrtMalloc*:bytes>=1M:code=ACL_ERROR_BAD_ALLOC'");
    CHECK(large == NULL);
    CODE(aclrtMallocHost(&large, 1 << 20), ACL_ERROR_BAD_ALLOC);
    OK(millpondFaultSeen(id, &calls, &hits));
    EQ(calls, 2);
    EQ(hits, 2);
    OK(millpondFaultRemove(id));
    CODE(millpondFaultRemove(id), ACL_ERROR_INVALID_PARAM);
    CODE(millpondFaultSeen(id, &calls, &hits), ACL_ERROR_INVALID_PARAM);

    /* A task fails in the order of its stream: the call succeeds, the synchronisation reports it, once, and the copy did not happen. */
    OK(aclrtMemset(p, 64, 1, 64));
    memset(host, 2, 64);
    with("aclrtMemcpyAsync:nth=2:task=ACL_ERROR_RT_AICORE_TIMEOUT");
    OK(aclrtMemcpyAsync(p, 64, host, 32, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    OK(aclrtMemcpyAsync((char *)p + 32, 32, host, 32, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_TIMEOUT);
    MENTIONS("task=ACL_ERROR_RT_AICORE_TIMEOUT");
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(host, 64, p, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ(((char *)host)[0], 2);
    EQ(((char *)host)[32], 1);
    OK(millpondFaultClear());

    /* A lost device: everything fails from then on, but cleaning up works. */
    with("aclrtSynchronizeStream:nth=1:lost");
    OK(aclrtSynchronizeDevice());
    CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_LOST_HEARTBEAT);
    CODE(aclrtMemset(p, 64, 1, 64), ACL_ERROR_RT_LOST_HEARTBEAT);
    MENTIONS("device 0 is lost");
    aclrtDeviceStatus health = ACL_RT_DEVICE_STATUS_END;
    OK(aclrtQueryDeviceStatus(0, &health));
    EQ(health, ACL_RT_DEVICE_STATUS_ABNORMAL);
    OK(aclrtFree(p));
    OK(millpondFaultClear());
    OK(aclrtQueryDeviceStatus(0, &health));
    EQ(health, ACL_RT_DEVICE_STATUS_NORMAL);
    CODE(aclrtQueryDeviceStatus(0, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtQueryDeviceStatus(9, &health), ACL_ERROR_RT_INVALID_DEVICEID);
    OK(aclrtSynchronizeStream(stream));
    /* It is back when its own rule goes; other rules stay. */
    const uint64_t other = with("aclrtMallocHost:nth=1:out-of-memory");
    id = with("aclrtStreamQuery:nth=1:lost");
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    CODE(aclrtStreamQuery(stream, &status), ACL_ERROR_RT_LOST_HEARTBEAT);
    CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_LOST_HEARTBEAT);
    OK(millpondFaultRemove(id));
    OK(aclrtSynchronizeStream(stream));
    CODE(aclrtMallocHost(&large, 64), ACL_ERROR_RT_MEMORY_ALLOCATION);
    OK(millpondFaultRemove(other));

    /* What cannot be understood. */
    CODE(millpondFaultAdd("aclrtMaloc:nth=1", NULL), ACL_ERROR_INVALID_PARAM);
    MENTIONS("similar names: aclrtMalloc");
    CODE(millpondFaultAdd("aclrtFree:nth=1:code=ACL_ERROR_RT_TIMEOUT_", NULL), ACL_ERROR_INVALID_PARAM);
    CODE(millpondFaultAdd("aclrtFree:bytes>=1", NULL), ACL_ERROR_INVALID_PARAM);
    CODE(millpondFaultAdd(NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(millpondFaultSeen(1, NULL, &hits), ACL_ERROR_INVALID_PARAM);
    OK(aclrtFreeHost(host));
    OK(aclrtDestroyStream(stream));
}

static void counts(void)
{
    void *p = NULL;
    OK(millpondCallsBegin());
    EQ(calls_of("*"), 0);
    for (int i = 0; i < 3; i++) {
        OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtFree(p));
    }
    CODE(aclrtFree(NULL), ACL_ERROR_INVALID_PARAM);
    EQ(calls_of("aclrtMalloc"), 3);
    EQ(calls_of("aclrtFree"), 4);
    EQ(failures_of("aclrtFree"), 1);
    EQ(calls_of("aclrt*"), 7);
    /* Refused and injected calls count as failures. */
    CHECK(aclmdlSetExternalWeightAddress(NULL, NULL, NULL, 0) != ACL_SUCCESS);
    EQ(failures_of("aclmdlSetExternalWeightAddress"), 1);
    with("aclrtMalloc:always");
    CODE(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION);
    EQ(failures_of("aclrtMalloc"), 1);
    OK(millpondFaultClear());
    OK(millpondCallsEnd());
    OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtFree(p));
    EQ(calls_of("aclrtMalloc"), 4);
    CODE(millpondCallsGet("aclrtMaloc", NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(millpondCallsGet(NULL, NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(millpondCallsWrite("/no/such/folder/calls.json"), ACL_ERROR_INVALID_FILE);
}

static void wait_for_go(void *go)
{
    while (!__atomic_load_n((int *)go, __ATOMIC_ACQUIRE)) usleep(1000);
}

static void times(void)
{
    aclrtStream stream = NULL;
    aclrtEvent start = NULL, end = NULL, never = NULL;
    millpondTimeMode mode = MILLPOND_TIME_REAL;
    uint64_t before = 0, after = 0;
    float elapsed = 0;
    void *p = NULL;
    static int go;

    CODE(millpondTimeAdvance(1), ACL_ERROR_FEATURE_UNSUPPORTED);
    CODE(millpondTimeSetMode((millpondTimeMode)7), ACL_ERROR_INVALID_PARAM);
    CODE(millpondTimeGetMode(NULL), ACL_ERROR_INVALID_PARAM);
    CODE(millpondTimeNow(NULL), ACL_ERROR_INVALID_PARAM);
    OK(millpondTimeSetMode(MILLPOND_TIME_VIRTUAL));
    OK(millpondTimeGetMode(&mode));
    EQ(mode, MILLPOND_TIME_VIRTUAL);
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateEvent(&start));
    OK(aclrtCreateEvent(&end));
    OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));

    /* A delay is exact, and a limit before its end is reached exactly. */
    OK(millpondTimeNow(&before));
    with("aclrtMemsetAsync:nth=1:delay=300000");
    OK(aclrtRecordEvent(start, stream));
    OK(aclrtMemsetAsync(p, 64, 1, 64, stream));
    OK(aclrtRecordEvent(end, stream));
    CODE(aclrtSynchronizeStreamWithTimeout(stream, MINUTE), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    OK(millpondTimeNow(&after));
    EQ(after - before, 60000000);
    CODE(aclrtSynchronizeEventWithTimeout(end, MINUTE), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    CODE(aclrtSynchronizeDeviceWithTimeout(MINUTE), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtEventElapsedTime(&elapsed, start, end));
    CHECK(elapsed == 300000.0f);
    OK(millpondFaultClear());

    /* A stream that waits for what never comes. */
    OK(aclrtCreateEvent(&never));
    OK(aclrtSetOpWaitTimeout(3600));
    OK(aclrtStreamWaitEvent(stream, never));
    CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_WAIT_TIMEOUT);
    OK(aclrtSetOpWaitTimeout(0));
    aclrtNotify notify = NULL;
    OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
    OK(aclrtWaitAndResetNotify(notify, stream, 10 * MINUTE));
    CHECK(aclrtSynchronizeStream(stream) != ACL_SUCCESS);
    OK(aclrtDestroyNotify(notify));

    /* A function of the program that sleeps; work that can run comes before any limit. */
    OK(aclrtLaunchHostFunc(stream, wait_for_go, &go));
    CODE(aclrtSynchronizeStreamWithTimeout(stream, MINUTE), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
    OK(aclrtSynchronizeStream(stream));
    for (int i = 0; i < 100; i++) OK(aclrtMemsetAsync(p, 64, i, 64, stream));
    OK(aclrtSynchronizeStreamWithTimeout(stream, 1));

    /* By hand. */
    OK(millpondTimeSetMode(MILLPOND_TIME_MANUAL));
    OK(millpondTimeNow(&before));
    OK(millpondTimeAdvance(5000));
    OK(millpondTimeNow(&after));
    EQ(after - before, 5000);
    OK(millpondTimeSetMode(MILLPOND_TIME_REAL));
    OK(millpondTimeNow(&before));
    CHECK(before >= after);

    OK(aclrtFree(p));
    OK(aclrtDestroyEvent(start));
    OK(aclrtDestroyEvent(end));
    OK(aclrtDestroyEvent(never));
    OK(aclrtDestroyStream(stream));
}

static void reset_inside(void *code)
{
    *(aclError *)code = millpondReset(MILLPOND_RESET_DEVICES, NULL);
}

static aclmdlRICaptureMode exchanged(aclmdlRICaptureMode mode)
{
    OK(aclmdlRICaptureThreadExchangeMode(&mode));
    return mode;
}

static pthread_barrier_t met;

/* A thread that lives on while the process is reset. */
static void *relaxes(void *unused)
{
    (void)unused;
    EQ(exchanged(ACL_MODEL_RI_CAPTURE_MODE_RELAXED), ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    EQ(exchanged(ACL_MODEL_RI_CAPTURE_MODE_RELAXED), ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
    pthread_barrier_wait(&met);
    pthread_barrier_wait(&met);
    EQ(exchanged(ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL), ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    return NULL;
}

/* The modes of all threads are forgotten, and a capture that goes on. */
static void resets_modes(void)
{
    millpondResetLevel levels[2] = {MILLPOND_RESET_DEVICES, MILLPOND_RESET_ALL};
    aclrtStream stream;
    pthread_t thread;
    void *p;
    int i;
    for (i = 0; i < 2; i++) {
        EQ(exchanged(ACL_MODEL_RI_CAPTURE_MODE_RELAXED), ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
        pthread_barrier_init(&met, NULL, 2);
        pthread_create(&thread, NULL, relaxes, NULL);
        pthread_barrier_wait(&met);
        OK(aclrtSetDevice(0));
        OK(aclrtCreateStream(&stream));
        OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
        OK(millpondReset(levels[i], NULL));
        if (levels[i] == MILLPOND_RESET_ALL) {
            OK(aclInit(NULL));
        }
        pthread_barrier_wait(&met);
        pthread_join(thread, NULL);
        pthread_barrier_destroy(&met);
        OK(aclrtSetDevice(0));
        OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtMemset(p, 64, 0, 64));
        EQ(exchanged(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
        OK(aclrtFree(p));
    }
}

static void resets(void)
{
    void *p = NULL, *host = NULL;
    aclrtStream stream = NULL, other = NULL;
    aclrtEvent event = NULL;
    uint64_t left = 7;
    aclError inside = ACL_SUCCESS;
    char text[1024], small[4];

    /* Nothing is left: a program that tidies up. */
    OK(millpondReset(MILLPOND_RESET_DEVICES, &left));
    EQ(left, 0);
    OK(millpondResetReport(text, sizeof text));
    CHECK(strcmp(text, "{}") == 0);

    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateStream(&other));
    OK(aclrtCreateEvent(&event));
    OK(aclrtMalloc(&p, 100, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost(&host, 4096));
    aclDataBuffer *buffer = aclCreateDataBuffer(p, 100);
    CHECK(buffer != NULL);
    /* Work that cannot end is dropped. */
    OK(aclrtStreamWaitEvent(stream, event));
    OK(aclrtMemsetAsync(p, 100, 1, 100, stream));
    with("aclrtMalloc:always");
    OK(millpondCallsBegin());
    OK(aclrtSynchronizeStream(other));

    OK(aclrtLaunchHostFunc(other, reset_inside, &inside));
    OK(aclrtSynchronizeStream(other));
    EQ(inside, ACL_ERROR_FEATURE_UNSUPPORTED);
    OK(millpondReset(MILLPOND_RESET_DEVICES, &left));
    EQ(left, 6);
    OK(millpondResetReport(text, sizeof text));
    CHECK(strstr(text, "\"stream\":{\"bytes\":0,\"count\":2}") != NULL);
    CHECK(strstr(text, "\"event\":{\"bytes\":0,\"count\":1}") != NULL);
    CHECK(strstr(text, "\"device memory\":{") != NULL);
    CHECK(strstr(text, "\"pinned memory\":{\"bytes\":4096,\"count\":1}") != NULL);
    CHECK(strstr(text, "\"data buffer\"") != NULL);
    CODE(millpondResetReport(small, sizeof small), ACL_ERROR_INVALID_PARAM);
    CODE(millpondResetReport(NULL, 100), ACL_ERROR_INVALID_PARAM);
    CODE(millpondReset((millpondResetLevel)9, NULL), ACL_ERROR_INVALID_PARAM);

    /* Handles are stale, this thread has no context, rules and counts are gone. */
    CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
    CODE(aclrtDestroyEvent(event), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK(aclDestroyDataBuffer(buffer) != ACL_SUCCESS);
    CHECK(aclrtFree(p) != ACL_SUCCESS);
    CODE(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
    OK(aclrtSetDevice(0));
    OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));

    /* As before aclInit: it can be called again. */
    OK(millpondReset(MILLPOND_RESET_ALL, &left));
    EQ(left, 1);
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
}

int main(void)
{
    OPEN_DEVICE();
    faults();
    counts();
    times();
    resets();
    resets_modes();
    CLOSE_DEVICE();
    return 0;
}
