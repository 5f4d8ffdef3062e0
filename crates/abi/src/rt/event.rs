//! `acl/rt/event.h`: events: marks in a stream that other streams and threads wait for.

enums! {
    /// Answer of `aclrtQueryEvent`, the older question.
    aclrtEventStatus {
        ACL_EVENT_STATUS_COMPLETE = 0,
        ACL_EVENT_STATUS_NOT_READY = 1,
        ACL_EVENT_STATUS_RESERVED = 2,
    }

    /// Answer of `aclrtQueryEventStatus`. The numbers are the other way round than those of
    /// `aclrtEventStatus`.
    aclrtEventRecordedStatus {
        ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
        ACL_EVENT_RECORDED_STATUS_COMPLETE = 1,
    }

    /// Whether all waits for the event are over.
    aclrtEventWaitStatus {
        ACL_EVENT_WAIT_STATUS_COMPLETE = 0,
        ACL_EVENT_WAIT_STATUS_NOT_READY = 1,
        ACL_EVENT_WAIT_STATUS_RESERVED = 0xffff,
    }
}

defines! {
    // Flags of `aclrtCreateEventWithFlag` and `aclrtCreateEventExWithFlag`; they may be combined.
    u32 {
        ACL_EVENT_SYNC = 0x00000001,
        ACL_EVENT_CAPTURE_STREAM_PROGRESS = 0x00000002,
        ACL_EVENT_TIME_LINE = 0x00000008,
        ACL_EVENT_DEVICE_USE_ONLY = 0x00000010,
        ACL_EVENT_EXTERNAL = 0x00000020,
        ACL_EVENT_IPC = 0x00000040,
    }

    // Flags of `aclrtRecordEventWithFlag`.
    u32 {
        ACL_EVENT_RECORD_DEFAULT = 0x0,
        ACL_EVENT_RECORD_EXTERNAL = 0x01,
    }
}
