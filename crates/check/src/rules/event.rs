//! Rules about events.

super::rules! {
    NEVER_RECORDED: "event.never-recorded", Warning,
        "wait for an event that was never recorded",
        "An event is recorded before a stream or the host waits for it; otherwise there is nothing to wait for.",
        "aclrtStreamWaitEvent, aclrtSynchronizeEvent";
    RESET_IN_USE: "event.reset-in-use", Error,
        "an event was reset while queued work still waits for it",
        "An event is reset only after the work that waits for it has finished.",
        "aclrtResetEvent";
}
