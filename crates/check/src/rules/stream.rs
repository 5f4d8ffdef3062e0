//! Rules about the order of work in several streams.

super::rules! {
    RACE: "stream.race", Error,
        "two accesses to the same bytes have no order",
        "Work in different streams is ordered only by events and synchronisation.",
        "aclrtStreamWaitEvent, aclrtSynchronizeStream";
    HOST_BUFFER: "stream.host-buffer", Error,
        "the host buffer of a queued copy was freed, changed or read too early",
        "The host memory of an asynchronous copy is left alone until the copy was waited for; what it reads may be read.",
        "aclrtMemcpyAsync";
    DEADLOCK: "stream.deadlock", Error,
        "a call waits for work that can not go on",
        "What a call waits for is let go on by work that is queued already, or by another thread.",
        "aclrtSynchronizeStream, aclrtDestroyStream, aclrtMemcpyAsync with host memory that is not pinned, aclrtProcessReport";
    STALLED: "stream.stalled", Hint,
        "a call has waited long for work that stands still",
        "Somebody records the event that a stream waits for, and processes its reports.",
        "aclrtStreamWaitEvent, aclrtProcessReport";
    CALLBACK_CALLS: "stream.callback-calls", Warning,
        "a function that a stream runs makes a call that is forbidden there",
        "A function that a stream runs does not allocate, free, queue work, wait for work or end it.",
        "aclrtLaunchHostFunc, aclrtLaunchCallback";
    MISSING_RECORD_USE: "stream.missing-record-use", Error,
        "memory goes back to its stream while another stream may still use it",
        "Before a block is freed in the order of its stream, work of other streams that uses it is ordered before, or its use is recorded.",
        "aclrtMemPoolFreeAsync, millpondRecordUse";
}
