/* Events: kinds, queries, waits, resets, times. */
#include "../oracle.h"
#define GROUP "event"

static aclrtEvent plain_event(void)
{
    aclrtEvent event = NULL;
    need("aclrtCreateEvent", CALL(aclrtCreateEvent)(&event));
    return event;
}

static aclrtEvent flagged_event(uint32_t flag)
{
    aclrtEvent event = NULL;
    need("aclrtCreateEventExWithFlag", CALL(aclrtCreateEventExWithFlag)(&event, flag));
    return event;
}

QUESTION(flags, "aclrtCreateEventWithFlag", "Which flags does aclrtCreateEventWithFlag accept?")
{
    static const uint32_t flags[] = {0, 1, 2, 3, 8, 9, 0x10, 0x18, 0x20, 0x40, 0x80, 0x100};
    for (size_t index = 0; index < sizeof flags / sizeof *flags; index++) {
        aclrtEvent event = NULL;
        char name[16];
        snprintf(name, sizeof name, "f%x", flags[index]);
        code(name, CALL(aclrtCreateEventWithFlag)(&event, flags[index]));
    }
}

QUESTION(ex_flags, "aclrtCreateEventExWithFlag", "Which flags does aclrtCreateEventExWithFlag accept?")
{
    static const uint32_t flags[] = {0, 1, 2, 3, 8, 9, 0x10, 0x18, 0x20, 0x40, 0x41, 0x80, 0x100};
    for (size_t index = 0; index < sizeof flags / sizeof *flags; index++) {
        aclrtEvent event = NULL;
        char name[16];
        snprintf(name, sizeof name, "f%x", flags[index]);
        code(name, CALL(aclrtCreateEventExWithFlag)(&event, flags[index]));
    }
}

QUESTION(never_recorded, "aclrtQueryEvent aclrtQueryEventStatus aclrtQueryEventWaitStatus aclrtSynchronizeEvent", "What is an event that was never recorded?")
{
    aclrtEvent event = plain_event();
    aclrtEventStatus status = ACL_EVENT_STATUS_RESERVED;
    aclrtEventRecordedStatus recorded = (aclrtEventRecordedStatus)9;
    aclrtEventWaitStatus waited = ACL_EVENT_WAIT_STATUS_RESERVED;
    RESULT("query", CALL(aclrtQueryEvent)(event, &status), status);
    RESULT("status", CALL(aclrtQueryEventStatus)(event, &recorded), recorded);
    RESULT("wait", CALL(aclrtQueryEventWaitStatus)(event, &waited), waited);
    code("synchronize", CALL(aclrtSynchronizeEventWithTimeout)(event, 10000));
}

QUESTION(recorded, "aclrtRecordEvent aclrtQueryEventStatus aclrtQueryEvent aclrtSynchronizeEvent", "What is an event before and after its stream reaches it?")
{
    aclrtStream stream = new_stream();
    aclrtEvent event = plain_event();
    aclrtEventRecordedStatus recorded = (aclrtEventRecordedStatus)9;
    aclrtEventStatus status = ACL_EVENT_STATUS_RESERVED;
    struct gate *gate = new_gate(stream);
    code("record", CALL(aclrtRecordEvent)(event, stream));
    RESULT("before", CALL(aclrtQueryEventStatus)(event, &recorded), recorded);
    RESULT("older", CALL(aclrtQueryEvent)(event, &status), status);
    code("short", CALL(aclrtSynchronizeEventWithTimeout)(event, 20));
    open_gate(gate);
    code("synchronize", CALL(aclrtSynchronizeEvent)(event));
    RESULT("after", CALL(aclrtQueryEventStatus)(event, &recorded), recorded);
    RESULT("older_after", CALL(aclrtQueryEvent)(event, &status), status);
}

QUESTION(record_default, "aclrtRecordEvent", "May an event be recorded on the default stream, and twice?")
{
    aclrtEvent event = plain_event();
    code("first", CALL(aclrtRecordEvent)(event, NULL));
    code("second", CALL(aclrtRecordEvent)(event, NULL));
    code("null", CALL(aclrtRecordEvent)(NULL, NULL));
    code("synchronize", CALL(aclrtSynchronizeStream)(NULL));
}

QUESTION(record_flag, "aclrtRecordEventWithFlag aclrtStreamWaitEventWithFlag", "Which flags do recording and waiting accept outside a capture?")
{
    aclrtStream stream = new_stream();
    aclrtEvent event = flagged_event(ACL_EVENT_SYNC);
    code("default", CALL(aclrtRecordEventWithFlag)(event, stream, ACL_EVENT_RECORD_DEFAULT));
    code("external", CALL(aclrtRecordEventWithFlag)(event, stream, ACL_EVENT_RECORD_EXTERNAL));
    code("other", CALL(aclrtRecordEventWithFlag)(event, stream, 8));
    code("wait", CALL(aclrtStreamWaitEventWithFlag)(stream, event, 0, ACL_EVENT_WAIT_DEFAULT));
    code("wait_external", CALL(aclrtStreamWaitEventWithFlag)(stream, event, 0, ACL_EVENT_WAIT_EXTERNAL));
    code("wait_other", CALL(aclrtStreamWaitEventWithFlag)(stream, event, 0, 8));
    code("synchronize", CALL(aclrtSynchronizeStreamWithTimeout)(stream, 10000));
}

QUESTION(wait_orders, "aclrtStreamWaitEvent aclrtRecordEvent", "Does a wait hold a stream until the other stream has reached the record?")
{
    aclrtStream first = new_stream(), second = new_stream();
    aclrtEvent event = flagged_event(ACL_EVENT_SYNC);
    char *block = new_block(64), *host = new_pinned(64);
    need("aclrtMemset", CALL(aclrtMemset)(block, 64, 1, 64));
    struct gate *gate = new_gate(first);
    need("aclrtMemsetAsync", CALL(aclrtMemsetAsync)(block, 64, 2, 64, first));
    code("record", CALL(aclrtRecordEvent)(event, first));
    code("wait", CALL(aclrtStreamWaitEvent)(second, event));
    need("aclrtMemcpyAsync", CALL(aclrtMemcpyAsync)(host, 64, block, 64, ACL_MEMCPY_DEVICE_TO_HOST, second));
    code("held", CALL(aclrtSynchronizeStreamWithTimeout)(second, 20));
    open_gate(gate);
    code("end", CALL(aclrtSynchronizeStream)(second));
    code("sees", host[0]);
}

QUESTION_ALONE(wait_unrecorded, "aclrtStreamWaitEvent", "Does a stream pass a wait for an event of aclrtCreateEvent that was never recorded?")
{
    aclrtStream stream = new_stream();
    code("wait", CALL(aclrtStreamWaitEvent)(stream, plain_event()));
    code("synchronize", CALL(aclrtSynchronizeStreamWithTimeout)(stream, 300));
}

QUESTION_ALONE(wait_unrecorded_ex, "aclrtStreamWaitEvent", "Does a stream pass a wait for an event of aclrtCreateEventExWithFlag that was never recorded?")
{
    aclrtStream stream = new_stream();
    code("wait", CALL(aclrtStreamWaitEvent)(stream, flagged_event(ACL_EVENT_SYNC)));
    code("synchronize", CALL(aclrtSynchronizeStreamWithTimeout)(stream, 10000));
}

QUESTION_ALONE(wait_timeout, "aclrtStreamWaitEventWithTimeout", "What does synchronising return after a wait of 1 second that nothing ended?")
{
    aclrtStream held = new_stream(), stream = new_stream();
    aclrtEvent event = plain_event();
    struct gate *gate = new_gate(held);
    need("aclrtRecordEvent", CALL(aclrtRecordEvent)(event, held));
    code("wait", CALL(aclrtStreamWaitEventWithTimeout)(stream, event, 1));
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
    open_gate(gate);
}

QUESTION(wait_last_record, "aclrtStreamWaitEvent", "Is a wait bound to the last record at the time of the call, or to a later one?")
{
    aclrtStream first = new_stream(), second = new_stream(), held = new_stream();
    aclrtEvent event = flagged_event(ACL_EVENT_SYNC);
    need("aclrtRecordEvent", CALL(aclrtRecordEvent)(event, first));
    need("aclrtSynchronizeStream", CALL(aclrtSynchronizeStream)(first));
    need("aclrtStreamWaitEvent", CALL(aclrtStreamWaitEvent)(second, event));
    struct gate *gate = new_gate(held);
    need("aclrtRecordEvent", CALL(aclrtRecordEvent)(event, held));
    code("second", CALL(aclrtSynchronizeStreamWithTimeout)(second, 10000));
    open_gate(gate);
    code("end", CALL(aclrtSynchronizeStream)(held));
}

QUESTION(reset, "aclrtResetEvent", "What does aclrtResetEvent return for events of each kind, and what is the event after it?")
{
    aclrtStream stream = new_stream();
    aclrtEvent plain = plain_event(), flagged = flagged_event(ACL_EVENT_SYNC), older = NULL;
    aclrtEventRecordedStatus recorded = (aclrtEventRecordedStatus)9;
    need("aclrtCreateEventWithFlag", CALL(aclrtCreateEventWithFlag)(&older, ACL_EVENT_SYNC));
    need("aclrtRecordEvent", CALL(aclrtRecordEvent)(plain, stream));
    need("aclrtRecordEvent", CALL(aclrtRecordEvent)(flagged, stream));
    need("aclrtRecordEvent", CALL(aclrtRecordEvent)(older, stream));
    need("aclrtSynchronizeStream", CALL(aclrtSynchronizeStream)(stream));
    code("plain", CALL(aclrtResetEvent)(plain, stream));
    code("ex", CALL(aclrtResetEvent)(flagged, stream));
    code("flag", CALL(aclrtResetEvent)(older, stream));
    need("aclrtSynchronizeStream", CALL(aclrtSynchronizeStream)(stream));
    RESULT("status", CALL(aclrtQueryEventStatus)(plain, &recorded), recorded);
}

QUESTION(destroy, "aclrtDestroyEvent", "What does aclrtDestroyEvent return for NULL, and while a record is queued?")
{
    aclrtStream stream = new_stream();
    aclrtEvent event = flagged_event(ACL_EVENT_SYNC);
    struct gate *gate = new_gate(stream);
    need("aclrtRecordEvent", CALL(aclrtRecordEvent)(event, stream));
    code("queued", CALL(aclrtDestroyEvent)(event));
    open_gate(gate);
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
    code("null", CALL(aclrtDestroyEvent)(NULL));
}

QUESTION_ALONE(destroy_twice, "aclrtDestroyEvent", "What does the second aclrtDestroyEvent of a handle return?")
{
    aclrtEvent event = plain_event();
    code("first", CALL(aclrtDestroyEvent)(event));
    code("second", CALL(aclrtDestroyEvent)(event));
}

QUESTION(elapsed, "aclrtEventElapsedTime aclrtEventGetTimestamp", "What do times return for events that are recorded, not recorded, and without a time?")
{
    aclrtStream stream = new_stream();
    aclrtEvent start = flagged_event(ACL_EVENT_TIME_LINE), end = flagged_event(ACL_EVENT_TIME_LINE), untimed = flagged_event(ACL_EVENT_SYNC);
    float milliseconds = -1;
    uint64_t stamp = 0;
    code("unrecorded", CALL(aclrtEventElapsedTime)(&milliseconds, start, end));
    need("aclrtRecordEvent", CALL(aclrtRecordEvent)(start, stream));
    need("aclrtRecordEvent", CALL(aclrtRecordEvent)(end, stream));
    need("aclrtRecordEvent", CALL(aclrtRecordEvent)(untimed, stream));
    need("aclrtSynchronizeStream", CALL(aclrtSynchronizeStream)(stream));
    code("code", CALL(aclrtEventElapsedTime)(&milliseconds, start, end));
    fact("positive", "%s", milliseconds >= 0 ? "yes" : "no");
    code("backwards", CALL(aclrtEventElapsedTime)(&milliseconds, end, start));
    fact("negative", "%s", milliseconds <= 0 ? "yes" : "no");
    code("untimed", CALL(aclrtEventElapsedTime)(&milliseconds, untimed, end));
    code("stamp", CALL(aclrtEventGetTimestamp)(end, &stamp));
    fact("stamped", "%s", stamp ? "yes" : "no");
    code("stamp_untimed", CALL(aclrtEventGetTimestamp)(untimed, &stamp));
}

QUESTION(numbers, "aclrtGetEventId aclrtGetEventAvailNum", "Do events have numbers, and how many are left?")
{
    uint32_t id = 0, before = 0, after = 0;
    aclrtEvent event = flagged_event(ACL_EVENT_SYNC);
    code("id", CALL(aclrtGetEventId)(event, &id));
    code("available", CALL(aclrtGetEventAvailNum)(&before));
    flagged_event(ACL_EVENT_SYNC);
    need("aclrtGetEventAvailNum", CALL(aclrtGetEventAvailNum)(&after));
    code("fewer", (long long)before - after);
    fact("~count", "%u", before);
}

QUESTION(timeouts, "aclrtSynchronizeEventWithTimeout", "Which timeouts does aclrtSynchronizeEventWithTimeout accept, for an event that was reached and for one that was not?")
{
    static const int32_t timeouts[] = {-2, -1, 0, 1, 0x7fffffff};
    aclrtStream stream = new_stream();
    aclrtEvent event = flagged_event(ACL_EVENT_SYNC);
    need("aclrtRecordEvent", CALL(aclrtRecordEvent)(event, stream));
    need("aclrtSynchronizeStream", CALL(aclrtSynchronizeStream)(stream));
    for (size_t index = 0; index < sizeof timeouts / sizeof *timeouts; index++) {
        char name[16];
        snprintf(name, sizeof name, "t%d", timeouts[index]);
        code(name, CALL(aclrtSynchronizeEventWithTimeout)(event, timeouts[index]));
    }
    struct gate *gate = new_gate(stream);
    need("aclrtRecordEvent", CALL(aclrtRecordEvent)(event, stream));
    code("short", CALL(aclrtSynchronizeEventWithTimeout)(event, 20));
    code("zero", CALL(aclrtSynchronizeEventWithTimeout)(event, 0));
    open_gate(gate);
    code("end", CALL(aclrtSynchronizeEventWithTimeout)(event, -1));
    code("stream", CALL(aclrtSynchronizeStream)(stream));
    code("null", CALL(aclrtSynchronizeEventWithTimeout)(NULL, 20));
}
