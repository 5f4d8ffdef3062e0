/* How does a stream call back into a thread of the program? The thread subscribes,
 * the callback is put on the stream, and the thread fetches it with
 * aclrtProcessReport. A blocking callback holds its stream, the other kind does not. */
#include "check.h"
#include "gate.h"
#include <pthread.h>
#include <stdatomic.h>

static aclrtStream stream;

static uint64_t this_thread(void)
{
    return (uint64_t)pthread_self();
}

typedef struct {
    atomic_int count;
    int order[64];
    pthread_t thread;
} Log;

typedef struct {
    Log *log;
    int number;
} Entry;

static void writes_entry(void *argument)
{
    Entry *entry = (Entry *)argument;
    int place = atomic_load(&entry->log->count);
    entry->log->order[place] = entry->number;
    entry->log->thread = pthread_self();
    atomic_store(&entry->log->count, place + 1);
}

static void sets_flag(void *flag)
{
    atomic_store((atomic_int *)flag, 1);
}

static void refused(void)
{
    aclrtStream gone = NULL;
    atomic_int ran = 0;

    /* A thread that has not subscribed has nothing to fetch. */
    CODE(aclrtProcessReport(10), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    /* A stream that nobody listens to takes no callback. */
    FAILS(aclrtLaunchCallback(sets_flag, &ran, ACL_CALLBACK_BLOCK, stream));

    FAILS(aclrtSubscribeReport(this_thread(), NULL));
    OK(aclrtCreateStream(&gone));
    OK(aclrtDestroyStream(gone));
    FAILS(aclrtSubscribeReport(this_thread(), gone));
    FAILS(aclrtUnSubscribeReport(this_thread(), NULL));
    FAILS(aclrtUnSubscribeReport(this_thread(), gone));

    OK(aclrtSubscribeReport(this_thread(), stream));
    FAILS(aclrtSubscribeReport(this_thread(), stream));
    CODE(aclrtLaunchCallback(sets_flag, &ran, (aclrtCallbackBlockType)2, stream), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtLaunchCallback(sets_flag, &ran, (aclrtCallbackBlockType)-1, stream), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtLaunchCallback(NULL, &ran, ACL_CALLBACK_BLOCK, stream), ACL_ERROR_INVALID_PARAM);
    FAILS(aclrtLaunchCallback(sets_flag, &ran, ACL_CALLBACK_BLOCK, gone));
    CODE(aclrtProcessReport(0), ACL_ERROR_INVALID_PARAM);
    FAILS(aclrtProcessReport(-2));

    /* Subscribed, and nothing comes. */
    CODE(aclrtProcessReport(20), ACL_ERROR_RT_REPORT_TIMEOUT);

    OK(aclrtUnSubscribeReport(this_thread(), stream));
    CODE(aclrtProcessReport(10), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    FAILS(aclrtLaunchCallback(sets_flag, &ran, ACL_CALLBACK_BLOCK, stream));
    OK(aclrtSynchronizeStream(stream));
    EQ(atomic_load(&ran), 0);
}

/* One thread that puts them there and fetches them itself. */
static void fetched_by_ourselves(void)
{
    static Log log;
    Entry entries[10];
    int i;

    OK(aclrtSubscribeReport(this_thread(), stream));
    for (i = 0; i < 10; i++) {
        entries[i].log = &log;
        entries[i].number = i;
        OK(aclrtLaunchCallback(writes_entry, &entries[i], i % 2 ? ACL_CALLBACK_BLOCK : ACL_CALLBACK_NO_BLOCK,
                               stream));
    }
    /* One call may bring one or several. */
    for (i = 0; i < 10 && atomic_load(&log.count) < 10; i++) {
        OK(aclrtProcessReport(20000));
    }
    EQ(atomic_load(&log.count), 10);
    for (i = 0; i < 10; i++) {
        EQ(log.order[i], i);
    }
    CHECK(pthread_equal(log.thread, pthread_self()));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtUnSubscribeReport(this_thread(), stream));
}

/* The two kinds, seen from the work that comes after. */
static void blocking_or_not(void)
{
    atomic_int called = 0, after = 0;
    aclrtStreamStatus status;
    int i;

    OK(aclrtSubscribeReport(this_thread(), stream));

    OK(aclrtLaunchCallback(sets_flag, &called, ACL_CALLBACK_BLOCK, stream));
    OK(aclrtLaunchHostFunc(stream, sets_flag, &after));
    settle(stream);
    EQ(atomic_load(&called), 0);
    EQ(atomic_load(&after), 0);
    OK(aclrtStreamQuery(stream, &status));
    EQ(status, ACL_STREAM_STATUS_NOT_READY);
    OK(aclrtProcessReport(20000));
    EQ(atomic_load(&called), 1);
    OK(aclrtSynchronizeStream(stream));
    EQ(atomic_load(&after), 1);

    atomic_store(&called, 0);
    atomic_store(&after, 0);
    OK(aclrtLaunchCallback(sets_flag, &called, ACL_CALLBACK_NO_BLOCK, stream));
    OK(aclrtLaunchHostFunc(stream, sets_flag, &after));
    for (i = 0; i < 10000 && !atomic_load(&after); i++) {
        OK(aclrtStreamQuery(stream, &status));
        sleep_ms(1);
    }
    EQ(atomic_load(&after), 1);
    EQ(atomic_load(&called), 0);
    OK(aclrtProcessReport(20000));
    EQ(atomic_load(&called), 1);
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtUnSubscribeReport(this_thread(), stream));
}

typedef struct {
    atomic_int ready, stop;
} Pump;

/* The usual arrangement: a thread of its own that does nothing else. */
static void *pumps(void *argument)
{
    Pump *pump = (Pump *)argument;
    OK(aclrtSetDevice(0));
    atomic_store(&pump->ready, 1);
    while (!atomic_load(&pump->stop)) {
        /* Before the subscription and between callbacks these are ordinary answers. */
        aclError code = aclrtProcessReport(20);
        if (code != ACL_SUCCESS) {
            CHECK(code == ACL_ERROR_RT_REPORT_TIMEOUT || code == ACL_ERROR_RT_THREAD_SUBSCRIBE);
            (void)aclGetRecentErrMsg();
            sleep_ms(1);
        }
    }
    OK(aclrtResetDevice(0));
    return NULL;
}

static void fetched_by_a_thread(void)
{
    static Log log;
    Entry entries[50];
    Pump pump = {0, 0};
    pthread_t thread;
    void *device = NULL, *p = NULL;
    unsigned char *host;
    int i;

    CHECK(pthread_create(&thread, NULL, pumps, &pump) == 0);
    while (!atomic_load(&pump.ready)) {
        sleep_ms(1);
    }
    OK(aclrtSubscribeReport((uint64_t)thread, stream));
    OK(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost(&p, 64));
    host = p;
    for (i = 0; i < 50; i++) {
        entries[i].log = &log;
        entries[i].number = i;
        OK(aclrtMemsetAsync(device, 64, i, 64, stream));
        OK(aclrtLaunchCallback(writes_entry, &entries[i], ACL_CALLBACK_BLOCK, stream));
    }
    OK(aclrtMemcpyAsync(host, 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    OK(aclrtSynchronizeStream(stream));
    EQ(atomic_load(&log.count), 50);
    EQ(host[0], 49);
    for (i = 0; i < 50; i++) {
        EQ(log.order[i], i);
    }
    CHECK(pthread_equal(log.thread, thread));

    OK(aclrtUnSubscribeReport((uint64_t)thread, stream));
    atomic_store(&pump.stop, 1);
    pthread_join(thread, NULL);
    OK(aclrtFree(device));
    OK(aclrtFreeHost(host));
}

/* A stream that ends takes its subscription along, and its callbacks too. */
static void the_stream_ends(void)
{
    aclrtStream held = NULL;
    atomic_int called = 0;

    OK(aclrtCreateStream(&held));
    OK(aclrtSubscribeReport(this_thread(), held));
    OK(aclrtLaunchCallback(sets_flag, &called, ACL_CALLBACK_BLOCK, held));
    OK(aclrtDestroyStreamForce(held));
    FAILS(aclrtProcessReport(20));
    FAILS(aclrtUnSubscribeReport(this_thread(), held));
    EQ(atomic_load(&called), 0);
}

int main(void)
{
    OPEN_DEVICE();
    OK(aclrtCreateStream(&stream));
    refused();
    fetched_by_ourselves();
    blocking_or_not();
    fetched_by_a_thread();
    the_stream_ends();
    OK(aclrtDestroyStream(stream));
    CLOSE_DEVICE();
    return 0;
}
