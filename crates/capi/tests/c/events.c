/* What is an event? There are three creators with three sets of rules, two queries
 * with opposite numbers, times between events, and streams that wait: also for an
 * event that nobody has recorded yet. */
#include "check.h"
#include "gate.h"
#include <stdatomic.h>

static aclrtStream stream;

static void sets_flag(void *flag)
{
    atomic_store((atomic_int *)flag, 1);
}

static void sleeps(void *ms)
{
    sleep_ms(*(int *)ms);
}

static aclrtEventStatus old_status(aclrtEvent event)
{
    aclrtEventStatus status = ACL_EVENT_STATUS_RESERVED;
    OK(aclrtQueryEvent(event, &status));
    return status;
}

static aclrtEventRecordedStatus new_status(aclrtEvent event)
{
    aclrtEventRecordedStatus status = (aclrtEventRecordedStatus)99;
    OK(aclrtQueryEventStatus(event, &status));
    return status;
}

static aclrtEventWaitStatus wait_status(aclrtEvent event)
{
    aclrtEventWaitStatus status = ACL_EVENT_WAIT_STATUS_RESERVED;
    OK(aclrtQueryEventWaitStatus(event, &status));
    return status;
}

static void creation(void)
{
    aclrtEvent a = NULL, b = NULL;
    uint32_t id_a = 0, id_b = 0;

    CODE(aclrtCreateEvent(NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtCreateEventWithFlag(NULL, ACL_EVENT_SYNC), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtCreateEventExWithFlag(NULL, ACL_EVENT_SYNC), ACL_ERROR_INVALID_PARAM);

    OK(aclrtCreateEventWithFlag(&a, ACL_EVENT_SYNC));
    OK(aclrtCreateEventWithFlag(&b, ACL_EVENT_SYNC));
    CHECK(a != NULL && b != NULL && a != b);
    OK(aclrtGetEventId(a, &id_a));
    OK(aclrtGetEventId(b, &id_b));
    CHECK(id_a != id_b);
    CODE(aclrtGetEventId(a, NULL), ACL_ERROR_INVALID_PARAM);
    OK(aclrtDestroyEvent(a));
    FAILS(aclrtDestroyEvent(a));
    OK(aclrtDestroyEvent(b));
    FAILS(aclrtDestroyEvent(NULL));

    /* A number that is no set of flags: whatever the answer, no crash. */
    if (RETURNS(aclrtCreateEventWithFlag(&a, 0x80000000u)) == 0) {
        OK(aclrtDestroyEvent(a));
    }
}

/* The table of the two queries: never recorded, pending, done. */
static void polarity(void)
{
    aclrtEvent plain = NULL, flagged = NULL, ex = NULL;
    aclrtEventStatus old;
    aclrtEventRecordedStatus recorded;
    aclrtEventWaitStatus waited;
    Gate gate;

    OK(aclrtCreateEvent(&plain));
    OK(aclrtCreateEventWithFlag(&flagged, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
    OK(aclrtCreateEventExWithFlag(&ex, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));

    EQ(old_status(plain), ACL_EVENT_STATUS_COMPLETE);
    EQ(old_status(flagged), ACL_EVENT_STATUS_COMPLETE);
    EQ(new_status(plain), ACL_EVENT_RECORDED_STATUS_NOT_READY);
    EQ(new_status(flagged), ACL_EVENT_RECORDED_STATUS_NOT_READY);
    EQ(new_status(ex), ACL_EVENT_RECORDED_STATUS_COMPLETE);

    gate = gate_close(stream);
    OK(aclrtRecordEvent(plain, stream));
    OK(aclrtRecordEvent(flagged, stream));
    OK(aclrtRecordEvent(ex, stream));
    settle(stream);
    EQ(old_status(plain), ACL_EVENT_STATUS_NOT_READY);
    EQ(old_status(plain), 1);
    EQ(old_status(flagged), 1);
    EQ(new_status(plain), ACL_EVENT_RECORDED_STATUS_NOT_READY);
    EQ(new_status(plain), 0);
    EQ(new_status(flagged), 0);
    EQ(new_status(ex), 0);

    gate_open(gate);
    OK(aclrtSynchronizeStream(stream));
    EQ(old_status(plain), ACL_EVENT_STATUS_COMPLETE);
    EQ(old_status(plain), 0);
    EQ(old_status(flagged), 0);
    EQ(new_status(plain), ACL_EVENT_RECORDED_STATUS_COMPLETE);
    EQ(new_status(plain), 1);
    EQ(new_status(flagged), 1);
    EQ(new_status(ex), 1);

    /* The new kind does not know the old calls. */
    FAILS(aclrtQueryEvent(ex, &old));
    FAILS(aclrtQueryEventWaitStatus(ex, &waited));
    FAILS(aclrtResetEvent(ex, stream));
    /* Programs reset events of the plain kind too, as older manuals tell them. */
    OK(aclrtResetEvent(plain, stream));
    EQ(new_status(plain), 0);
    OK(aclrtRecordEvent(plain, stream));
    OK(aclrtSynchronizeStream(stream));
    EQ(new_status(plain), 1);

    CODE(aclrtQueryEvent(plain, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtQueryEventStatus(plain, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtQueryEventWaitStatus(plain, NULL), ACL_ERROR_INVALID_PARAM);
    FAILS(aclrtQueryEvent(NULL, &old));
    FAILS(aclrtQueryEventStatus(NULL, &recorded));
    FAILS(aclrtQueryEventWaitStatus(NULL, &waited));

    gate_free(gate);
    OK(aclrtDestroyEvent(plain));
    OK(aclrtDestroyEvent(flagged));
    OK(aclrtDestroyEvent(ex));
}

static void synchronization(void)
{
    aclrtEvent event = NULL;
    atomic_int ran = 0;
    Gate gate;
    int ms = 40;
    double start;

    OK(aclrtCreateEvent(&event));
    OK(aclrtLaunchHostFunc(stream, sleeps, &ms));
    OK(aclrtLaunchHostFunc(stream, sets_flag, &ran));
    OK(aclrtRecordEvent(event, stream));
    OK(aclrtSynchronizeEvent(event));
    EQ(atomic_load(&ran), 1);
    OK(aclrtSynchronizeEventWithTimeout(event, 1000));
    OK(aclrtSynchronizeEventWithTimeout(event, -1));
    OK(aclrtDestroyEvent(event));

    /* The limit, on an event that does not come. */
    OK(aclrtCreateEvent(&event));
    gate = gate_close(stream);
    OK(aclrtRecordEvent(event, stream));
    start = now_ms();
    CODE(aclrtSynchronizeEventWithTimeout(event, 60), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    CHECK(now_ms() - start >= 55);
    FAILS(aclrtSynchronizeEventWithTimeout(event, -2));
    gate_open(gate);
    OK(aclrtSynchronizeEvent(event));
    gate_free(gate);
    OK(aclrtDestroyEvent(event));

    /* Only what lies before the record is waited for. */
    OK(aclrtCreateEvent(&event));
    OK(aclrtRecordEvent(event, stream));
    gate = gate_close(stream);
    OK(aclrtSynchronizeEvent(event));
    gate_open(gate);
    gate_free(gate);
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtDestroyEvent(event));
    FAILS(aclrtSynchronizeEvent(NULL));
}

static void time_between(void)
{
    aclrtEvent start = NULL, end = NULL, untimed = NULL, never = NULL;
    uint64_t first = 0, second = 0;
    float ms = -1;
    int pause = 40;
    Gate gate;

    OK(aclrtCreateEventWithFlag(&start, ACL_EVENT_TIME_LINE | ACL_EVENT_SYNC));
    OK(aclrtCreateEventWithFlag(&end, ACL_EVENT_TIME_LINE | ACL_EVENT_SYNC));
    OK(aclrtCreateEventWithFlag(&untimed, ACL_EVENT_SYNC));
    OK(aclrtCreateEvent(&never));

    /* Never recorded, either of them. */
    CODE(aclrtEventElapsedTime(&ms, start, end), ACL_ERROR_RT_INTERNAL_ERROR);
    OK(aclrtRecordEvent(start, stream));
    OK(aclrtSynchronizeStream(stream));
    CODE(aclrtEventElapsedTime(&ms, start, end), ACL_ERROR_RT_INTERNAL_ERROR);
    CODE(aclrtEventElapsedTime(&ms, never, start), ACL_ERROR_RT_INTERNAL_ERROR);
    FAILS(aclrtEventGetTimestamp(never, &first));

    OK(aclrtLaunchHostFunc(stream, sleeps, &pause));
    gate = gate_close(stream);
    OK(aclrtRecordEvent(end, stream));
    OK(aclrtRecordEvent(untimed, stream));
    /* Recorded, and not there yet. */
    CODE(aclrtEventElapsedTime(&ms, start, end), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
    gate_open(gate);
    OK(aclrtSynchronizeStream(stream));

    OK(aclrtEventElapsedTime(&ms, start, end));
    CHECK(ms >= 39.0f);
    CHECK(ms < 60000.0f);
    OK(aclrtEventGetTimestamp(start, &first));
    OK(aclrtEventGetTimestamp(end, &second));
    CHECK(second > first);
    CHECK((double)(second - first) / 1000.0 > (double)ms - 2.0);
    CHECK((double)(second - first) / 1000.0 < (double)ms + 2.0);

    /* The same event twice is no time. */
    OK(aclrtEventElapsedTime(&ms, start, start));
    CHECK(ms == 0.0f);
    /* Backwards: negative, or the code that is defined for it. */
    {
        aclError code = RETURNS(aclrtEventElapsedTime(&ms, end, start));
        CHECK(code == ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL || (code == 0 && ms < 0));
    }

    /* Made without the flag for it. */
    CODE(aclrtEventElapsedTime(&ms, start, untimed), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);

    CODE(aclrtEventElapsedTime(NULL, start, end), ACL_ERROR_INVALID_PARAM);
    FAILS(aclrtEventElapsedTime(&ms, NULL, end));
    FAILS(aclrtEventElapsedTime(&ms, start, NULL));
    CODE(aclrtEventGetTimestamp(end, NULL), ACL_ERROR_INVALID_PARAM);
    FAILS(aclrtEventGetTimestamp(NULL, &first));

    gate_free(gate);
    OK(aclrtDestroyEvent(start));
    OK(aclrtDestroyEvent(end));
    OK(aclrtDestroyEvent(untimed));
    OK(aclrtDestroyEvent(never));
}

/* The stream stands still before an event that is not recorded yet. The proof is
 * what the host can see: a flag and pinned memory, both written by later work. */
static void wait_before_record(void)
{
    static const uint32_t flags[] = {ACL_EVENT_SYNC, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE};
    size_t i;
    for (i = 0; i < 3; i++) {
        aclrtStream producer = NULL, consumer = NULL;
        aclrtEvent event = NULL;
        atomic_int ran = 0;
        void *device = NULL, *p = NULL;
        volatile unsigned char *host;

        if (i < 2) {
            OK(aclrtCreateEventWithFlag(&event, flags[i]));
        } else {
            OK(aclrtCreateEvent(&event));
        }
        OK(aclrtCreateStream(&producer));
        OK(aclrtCreateStream(&consumer));
        OK(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtMallocHost(&p, 64));
        host = p;
        host[0] = 0;
        OK(aclrtMemset(device, 64, 0x11, 64));

        OK(aclrtStreamWaitEvent(consumer, event));
        OK(aclrtMemcpyAsync(p, 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST, consumer));
        OK(aclrtLaunchHostFunc(consumer, sets_flag, &ran));
        settle(consumer);
        EQ(atomic_load(&ran), 0);
        EQ(host[0], 0);
        EQ(wait_status(event), ACL_EVENT_WAIT_STATUS_NOT_READY);

        /* Other streams are not held up. */
        OK(aclrtMemsetAsync(device, 64, 0x22, 64, producer));
        OK(aclrtSynchronizeStream(producer));
        EQ(atomic_load(&ran), 0);
        EQ(host[0], 0);

        OK(aclrtMemsetAsync(device, 64, 0x33, 64, producer));
        OK(aclrtRecordEvent(event, producer));
        OK(aclrtSynchronizeStream(consumer));
        EQ(atomic_load(&ran), 1);
        EQ(host[0], 0x33);
        EQ(wait_status(event), ACL_EVENT_WAIT_STATUS_COMPLETE);

        OK(aclrtDestroyEvent(event));
        OK(aclrtDestroyStream(producer));
        OK(aclrtDestroyStream(consumer));
        OK(aclrtFree(device));
        OK(aclrtFreeHost(p));
    }
}

/* The re-recordable kind counts as complete until it is recorded, so nothing waits. */
static void wait_for_an_ex_event(void)
{
    aclrtStream consumer = NULL;
    aclrtEvent event = NULL;
    atomic_int ran = 0;
    Gate gate;

    OK(aclrtCreateStream(&consumer));
    OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    OK(aclrtStreamWaitEvent(consumer, event));
    OK(aclrtSynchronizeStreamWithTimeout(consumer, 30000));
    OK(aclrtSynchronizeEvent(event));

    gate = gate_close(stream);
    OK(aclrtRecordEvent(event, stream));
    OK(aclrtStreamWaitEvent(consumer, event));
    OK(aclrtLaunchHostFunc(consumer, sets_flag, &ran));
    settle(consumer);
    EQ(atomic_load(&ran), 0);
    gate_open(gate);
    OK(aclrtSynchronizeStream(consumer));
    EQ(atomic_load(&ran), 1);
    OK(aclrtSynchronizeStream(stream));

    gate_free(gate);
    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyStream(consumer));
}

/* Reset takes the record back, in stream order, and the next wait parks again. */
static void reset(void)
{
    aclrtStream consumer = NULL;
    aclrtEvent event = NULL;
    atomic_int ran = 0;

    OK(aclrtCreateStream(&consumer));
    OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
    OK(aclrtRecordEvent(event, stream));
    OK(aclrtStreamWaitEvent(consumer, event));
    OK(aclrtResetEvent(event, consumer));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtSynchronizeStream(consumer));

    OK(aclrtStreamWaitEvent(consumer, event));
    OK(aclrtLaunchHostFunc(consumer, sets_flag, &ran));
    settle(consumer);
    EQ(atomic_load(&ran), 0);
    OK(aclrtRecordEvent(event, stream));
    OK(aclrtSynchronizeStream(consumer));
    EQ(atomic_load(&ran), 1);

    OK(aclrtDestroyEvent(event));
    /* Without the flag for it there is neither waiting nor resetting. */
    OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_TIME_LINE));
    OK(aclrtRecordEvent(event, stream));
    FAILS(aclrtStreamWaitEvent(consumer, event));
    FAILS(aclrtResetEvent(event, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyStream(consumer));
}

/* A stream whose wait runs out has failed, and says so when it is synchronised.
 * The limit is in seconds. */
static void wait_with_a_limit(void)
{
    aclrtStream consumer = NULL;
    aclrtEvent event = NULL;
    double start;

    OK(aclrtCreateEvent(&event));
    OK(aclrtCreateStream(&consumer));
    FAILS(aclrtStreamWaitEventWithTimeout(consumer, event, -1));

    start = now_ms();
    OK(aclrtStreamWaitEventWithTimeout(consumer, event, 1));
    CHECK(relaxed() || now_ms() - start < 900);
    FAILS(aclrtSynchronizeStream(consumer));
    CHECK(now_ms() - start >= 950);
    /* The runtime's own record of it. */
    CHECK(aclrtGetLastError(ACL_RT_THREAD_LEVEL) != ACL_SUCCESS);

    /* The others are well. */
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtDestroyStreamForce(consumer));
    OK(aclrtDestroyEvent(event));

    /* In time, there is nothing to tell. */
    OK(aclrtCreateEvent(&event));
    OK(aclrtCreateStream(&consumer));
    OK(aclrtStreamWaitEventWithTimeout(consumer, event, 30));
    OK(aclrtRecordEvent(event, stream));
    OK(aclrtSynchronizeStream(consumer));
    OK(aclrtDestroyStream(consumer));
    OK(aclrtDestroyEvent(event));
}

static void destroyed_before_it_is_done(void)
{
    aclrtStream consumer = NULL;
    aclrtEvent event = NULL;
    atomic_int ran = 0;
    Gate gate;

    /* Recorded, waited for, not reached: the handle goes, the order stays. */
    OK(aclrtCreateStream(&consumer));
    OK(aclrtCreateEvent(&event));
    gate = gate_close(stream);
    OK(aclrtRecordEvent(event, stream));
    OK(aclrtStreamWaitEvent(consumer, event));
    OK(aclrtLaunchHostFunc(consumer, sets_flag, &ran));
    OK(aclrtDestroyEvent(event));
    FAILS(aclrtSynchronizeEvent(event));
    settle(consumer);
    EQ(atomic_load(&ran), 0);
    gate_open(gate);
    OK(aclrtSynchronizeStream(consumer));
    EQ(atomic_load(&ran), 1);
    gate_free(gate);

    /* Nobody can record it any more: the stream can still be ended. */
    OK(aclrtCreateEvent(&event));
    OK(aclrtStreamWaitEvent(consumer, event));
    OK(aclrtDestroyEvent(event));
    FAILS(aclrtRecordEvent(event, stream));
    OK(aclrtDestroyStreamForce(consumer));
    OK(aclrtSynchronizeStream(stream));
}

int main(void)
{
    OPEN_DEVICE();
    OK(aclrtCreateStream(&stream));
    creation();
    polarity();
    synchronization();
    time_between();
    wait_before_record();
    wait_for_an_ex_event();
    reset();
    wait_with_a_limit();
    destroyed_before_it_is_done();
    OK(aclrtDestroyStream(stream));
    CLOSE_DEVICE();
    return 0;
}
