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
    MISSING_RECORD_USE: "stream.missing-record-use", Error,
        "memory goes back to its stream while another stream may still use it",
        "Before a block is freed in the order of its stream, work of other streams that uses it is ordered before, or its use is recorded.",
        "aclrtMemPoolFreeAsync, millpondRecordUse";
}
