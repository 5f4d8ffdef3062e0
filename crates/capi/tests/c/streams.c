/* What is a stream? A queue that can be asked, waited for with a limit, and ended
 * in two ways: after its work, or at once. It belongs to a context, NULL stands for
 * a default one in most places, and a destroyed one is an error to use. */
#include "check.h"
#include "gate.h"
#include <stdatomic.h>

static void sets_flag(void *flag)
{
    atomic_store((atomic_int *)flag, 1);
}

static void sets_flag_late(void *flag)
{
    sleep_ms(80);
    atomic_store((atomic_int *)flag, 1);
}

static aclrtStreamStatus status_of(aclrtStream stream)
{
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    OK(aclrtStreamQuery(stream, &status));
    return status;
}

static void creation(void)
{
    aclrtStream stream = NULL, other = NULL;
    uint32_t before = 0, after = 0, value = 99;
    int32_t id = -1, other_id = -1, null_id = -1, default_id = -1;

    CODE(aclrtCreateStream(NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtCreateStreamWithConfig(NULL, 0, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtGetStreamAvailableNum(NULL), ACL_ERROR_INVALID_PARAM);

    OK(aclrtGetStreamAvailableNum(&before));
    CHECK(before > 0);
    OK(aclrtCreateStream(&stream));
    CHECK(stream != NULL);
    OK(aclrtGetStreamAvailableNum(&after));
    EQ(after, before - 1);
    OK(aclrtCreateStream(&other));
    CHECK(stream != other);

    OK(aclrtStreamGetId(stream, &id));
    OK(aclrtStreamGetId(other, &other_id));
    CHECK(id != other_id);
    /* NULL is the default stream here too. */
    OK(aclrtStreamGetId(NULL, &null_id));
    OK(aclrtDestroyStream(other));
    OK(aclrtCtxGetCurrentDefaultStream(&other));
    OK(aclrtStreamGetId(other, &default_id));
    EQ(null_id, default_id);
    CODE(aclrtStreamGetId(stream, NULL), ACL_ERROR_INVALID_PARAM);

    OK(aclrtDestroyStream(stream));
    OK(aclrtGetStreamAvailableNum(&after));
    EQ(after, before);

    /* Flags come back as given. */
    OK(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC));
    OK(aclrtStreamGetFlags(stream, &value));
    EQ(value, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC);
    OK(aclrtStreamGetPriority(stream, &value));
    EQ(value, 0);
    CODE(aclrtStreamGetFlags(stream, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtStreamGetPriority(stream, NULL), ACL_ERROR_INVALID_PARAM);
    OK(aclrtDestroyStream(stream));
    OK(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_FAST_LAUNCH));
    OK(aclrtStreamGetFlags(stream, &value));
    EQ(value, ACL_STREAM_FAST_LAUNCH);
    OK(aclrtDestroyStream(stream));

    /* A priority outside the range is moved into it. */
    OK(aclrtCreateStreamWithConfig(&stream, 100000, 0));
    OK(aclrtStreamGetPriority(stream, &value));
    CHECK(value < 100000);
    OK(aclrtDestroyStream(stream));
}

static void asking(void)
{
    atomic_int ran = 0;
    aclrtStream stream = NULL;
    Gate gate;

    OK(aclrtCreateStream(&stream));
    EQ(status_of(stream), ACL_STREAM_STATUS_COMPLETE);
    EQ(status_of(NULL), ACL_STREAM_STATUS_COMPLETE);
    CODE(aclrtStreamQuery(stream, NULL), ACL_ERROR_INVALID_PARAM);

    gate = gate_close(stream);
    OK(aclrtLaunchHostFunc(stream, sets_flag, &ran));
    settle(stream);
    EQ(status_of(stream), ACL_STREAM_STATUS_NOT_READY);
    EQ(atomic_load(&ran), 0);

    gate_open(gate);
    /* Polling alone gets there. */
    while (status_of(stream) != ACL_STREAM_STATUS_COMPLETE) {
        sleep_ms(1);
    }
    EQ(atomic_load(&ran), 1);
    gate_free(gate);
    OK(aclrtDestroyStream(stream));
}

static void waiting_with_a_limit(void)
{
    aclrtStream stream = NULL;
    Gate gate;
    double start;

    OK(aclrtCreateStream(&stream));
    OK(aclrtSynchronizeStreamWithTimeout(stream, -1));
    OK(aclrtSynchronizeStreamWithTimeout(stream, 1000));
    OK(aclrtSynchronizeStreamWithTimeout(NULL, 1000));
    CODE(aclrtSynchronizeStreamWithTimeout(stream, -2), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtSynchronizeStreamWithTimeout(stream, INT32_MIN), ACL_ERROR_RT_PARAM_INVALID);

    gate = gate_close(stream);
    start = now_ms();
    CODE(aclrtSynchronizeStreamWithTimeout(stream, 60), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK(now_ms() - start >= 55);
    CODE(aclrtSynchronizeStreamWithTimeout(stream, 1), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    /* Running out of patience does the stream no harm. */
    gate_open(gate);
    OK(aclrtSynchronizeStreamWithTimeout(stream, -1));
    OK(aclrtSynchronizeStream(stream));
    gate_free(gate);
    OK(aclrtDestroyStream(stream));
}

static void two_ways_to_end(void)
{
    atomic_int ran = 0;
    aclrtStream stream = NULL;
    Gate gate;

    /* Destroying waits for what is queued. */
    OK(aclrtCreateStream(&stream));
    OK(aclrtLaunchHostFunc(stream, sets_flag_late, &ran));
    OK(aclrtDestroyStream(stream));
    EQ(atomic_load(&ran), 1);

    /* Destroying by force does not: this stream would never end. */
    atomic_store(&ran, 0);
    OK(aclrtCreateStream(&stream));
    gate = gate_close(stream);
    OK(aclrtLaunchHostFunc(stream, sets_flag, &ran));
    OK(aclrtDestroyStreamForce(stream));
    /* The gate is still closed, so it did not wait. */
    gate_open(gate);
    settle(gate.opener);
    /* What had not begun does not begin any more. */
    EQ(atomic_load(&ran), 0);
    gate_free(gate);
    FAILS(aclrtDestroyStreamForce(stream));
    FAILS(aclrtDestroyStream(stream));

    /* On an idle stream the two are the same. */
    OK(aclrtCreateStream(&stream));
    OK(aclrtDestroyStreamForce(stream));

    FAILS(aclrtDestroyStream(NULL));
    FAILS(aclrtDestroyStreamForce(NULL));
}

/* A stream that is ended by force takes an unfinished record with it. Whoever waits
 * for that record is let go or fails, but does not stand there for ever. */
static void nobody_is_left_waiting(void)
{
    aclrtStream held = NULL, waiting = NULL;
    aclrtEvent event = NULL;
    aclError code;
    Gate gate;

    OK(aclrtCreateStream(&held));
    OK(aclrtCreateStream(&waiting));
    OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    gate = gate_close(held);
    OK(aclrtRecordEvent(event, held));
    OK(aclrtStreamWaitEvent(waiting, event));
    OK(aclrtDestroyStreamForce(held));
    code = RETURNS(aclrtSynchronizeStreamWithTimeout(waiting, 20000));
    CHECK(code != ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    code = RETURNS(aclrtSynchronizeEventWithTimeout(event, 20000));
    CHECK(code != ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    OK(aclrtDestroyStreamForce(waiting));
    OK(aclrtDestroyEvent(event));
    gate_open(gate);
    gate_free(gate);
}

static void after_the_end(void)
{
    aclrtStream stream = NULL, fresh = NULL;
    aclrtEvent event = NULL;
    aclrtStreamStatus status;
    void *block = NULL;
    uint32_t value;
    int32_t id;
    atomic_int ran = 0;

    OK(aclrtCreateEvent(&event));
    OK(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtCreateStream(&stream));
    OK(aclrtDestroyStream(stream));
    /* Another one in its place is not the same one. */
    OK(aclrtCreateStream(&fresh));
    CHECK(fresh != stream);

    FAILS(aclrtDestroyStream(stream));
    FAILS(aclrtDestroyStreamForce(stream));
    FAILS(aclrtSynchronizeStream(stream));
    FAILS(aclrtSynchronizeStreamWithTimeout(stream, 10));
    FAILS(aclrtStreamQuery(stream, &status));
    FAILS(aclrtStreamGetId(stream, &id));
    FAILS(aclrtStreamGetFlags(stream, &value));
    FAILS(aclrtStreamGetPriority(stream, &value));
    FAILS(aclrtStreamWaitEvent(stream, event));
    FAILS(aclrtStreamWaitEventWithTimeout(stream, event, 1));
    FAILS(aclrtRecordEvent(event, stream));
    FAILS(aclrtMemsetAsync(block, 64, 0, 64, stream));
    FAILS(aclrtLaunchHostFunc(stream, sets_flag, &ran));
    OK(aclrtSynchronizeDevice());
    EQ(atomic_load(&ran), 0);

    OK(aclrtDestroyStream(fresh));
    OK(aclrtDestroyEvent(event));
    OK(aclrtFree(block));
}

static void other_contexts(void)
{
    aclrtContext primary = NULL, other = NULL;
    aclrtStream stream = NULL;
    aclrtEvent event = NULL;
    aclrtStreamStatus status;
    atomic_int ran = 0;

    OK(aclrtGetCurrentContext(&primary));
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateEvent(&event));
    OK(aclrtCreateContext(&other, 0));
    CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_STREAM_CONTEXT);
    CODE(aclrtStreamQuery(stream, &status), ACL_ERROR_RT_STREAM_CONTEXT);
    CODE(aclrtRecordEvent(event, stream), ACL_ERROR_RT_STREAM_CONTEXT);
    CODE(aclrtStreamWaitEvent(stream, event), ACL_ERROR_RT_STREAM_CONTEXT);
    CODE(aclrtLaunchHostFunc(stream, sets_flag, &ran), ACL_ERROR_RT_STREAM_CONTEXT);
    OK(aclrtDestroyContext(other));
    OK(aclrtSetCurrentContext(primary));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyStream(stream));
    EQ(atomic_load(&ran), 0);
}

static void the_default_stream(void)
{
    aclrtStream stream = NULL;
    aclrtEvent event = NULL;
    atomic_int ran = 0;

    OK(aclrtCreateEvent(&event));
    OK(aclrtRecordEvent(event, NULL));
    OK(aclrtStreamWaitEvent(NULL, event));
    OK(aclrtLaunchHostFunc(NULL, sets_flag, &ran));
    OK(aclrtSynchronizeStream(NULL));
    EQ(atomic_load(&ran), 1);

    /* It belongs to the context. Whatever destroying it answers, it goes on to work. */
    OK(aclrtCtxGetCurrentDefaultStream(&stream));
    RETURNS(aclrtDestroyStream(stream));
    OK(aclrtLaunchHostFunc(NULL, sets_flag, &ran));
    OK(aclrtSynchronizeStream(NULL));
    OK(aclrtDestroyEvent(event));
}

int main(void)
{
    OPEN_DEVICE();
    creation();
    asking();
    waiting_with_a_limit();
    two_ways_to_end();
    nobody_is_left_waiting();
    after_the_end();
    other_contexts();
    the_default_stream();
    CLOSE_DEVICE();
    return 0;
}
