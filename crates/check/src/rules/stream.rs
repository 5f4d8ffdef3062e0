//! Rules about the order of work in several streams.

super::rules! {
    RACE: "stream.race", Error,
        "two accesses to the same bytes have no order",
        "Work in different streams is ordered only by events and synchronisation.",
        "aclrtStreamWaitEvent, aclrtSynchronizeStream";
    HOST_BUFFER: "stream.host-buffer", Error,
        "the host buffer of a queued copy was freed, changed or read too early",
        "Until an asynchronous copy has been waited for, its host source is not changed or freed, and its host destination is not touched.",
        "aclrtMemcpyAsync";
    DEADLOCK: "stream.deadlock", Error,
        "a call waits for work that cannot proceed",
        "A call waits only for something that queued work or another thread does.",
        "aclrtSynchronizeStream, aclrtDestroyStream, aclrtMemcpyAsync with host memory that is not pinned, aclrtProcessReport";
    STALLED: "stream.stalled", Hint,
        "a call has been waiting for stalled work",
        "An event that a stream waits for is recorded, a word that it waits for is written, and the reports of a stream are processed.",
        "aclrtStreamWaitEvent, aclrtValueWait, aclrtWaitAndResetNotify, aclrtProcessReport";
    CALLBACK_CALLS: "stream.callback-calls", Warning,
        "a host function or callback makes a forbidden call",
        "A host function or callback does not allocate, free, queue work, wait for work or abort it.",
        "aclrtLaunchHostFunc, aclrtLaunchCallback";
    MISSING_RECORD_USE: "stream.missing-record-use", Error,
        "memory is returned to its stream while another stream may still use it",
        "Before a block is freed in the order of its stream, work of other streams that uses it is ordered before the free, or its use is recorded.",
        "aclrtMemPoolFreeAsync, millpondRecordUse";
}
