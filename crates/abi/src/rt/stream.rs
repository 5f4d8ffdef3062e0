//! `acl/rt/stream.h`: streams: queues whose tasks run in order, beside those of other streams.

use core::ffi::c_void;

enums! {
    /// Whether a stream has work left.
    aclrtStreamStatus {
        ACL_STREAM_STATUS_COMPLETE = 0,
        ACL_STREAM_STATUS_NOT_READY = 1,
        ACL_STREAM_STATUS_RESERVED = 0xffff,
    }

    /// Fields of a stream configuration.
    aclrtStreamConfigAttr {
        ACL_RT_STREAM_WORK_ADDR_PTR = 0,
        ACL_RT_STREAM_WORK_SIZE = 1,
        ACL_RT_STREAM_FLAG = 2,
        ACL_RT_STREAM_PRIORITY = 3,
    }

    /// Attributes of a stream that can be read and set.
    aclrtStreamAttr {
        ACL_STREAM_ATTR_FAILURE_MODE = 1,
        ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK = 2,
        ACL_STREAM_ATTR_USER_CUSTOM_TAG = 3,
        ACL_STREAM_ATTR_CACHE_OP_INFO = 4,
        ACL_STREAM_ATTR_PRIORITY = 5,
    }

    /// Comparison that `aclrtSwitchStream` makes.
    aclrtCondition {
        ACL_RT_EQUAL = 0,
        ACL_RT_NOT_EQUAL = 1,
        ACL_RT_GREATER = 2,
        ACL_RT_GREATER_OR_EQUAL = 3,
        ACL_RT_LESS = 4,
        ACL_RT_LESS_OR_EQUAL = 5,
    }

    /// Type of the numbers that `aclrtSwitchStream` compares.
    aclrtCompareDataType {
        ACL_RT_SWITCH_INT32 = 0,
        ACL_RT_SWITCH_INT64 = 1,
    }
}

defines! {
    // Flags of `aclrtCreateStreamWithConfig`; they may be combined.
    u32 {
        ACL_STREAM_FAST_LAUNCH = 0x00000001,
        ACL_STREAM_FAST_SYNC = 0x00000002,
        ACL_STREAM_PERSISTENT = 0x00000004,
        ACL_STREAM_HUGE = 0x00000008,
        ACL_STREAM_CPU_SCHEDULE = 0x00000010,
        ACL_STREAM_DEVICE_USE_ONLY = 0x00000020,
    }

    // What a stream does after one of its tasks has failed: `aclrtSetStreamFailureMode`.
    u64 {
        ACL_CONTINUE_ON_FAILURE = 0x00000000,
        ACL_STOP_ON_FAILURE = 0x00000001,
    }

    // Flags of `aclrtStreamWaitEventWithFlag`.
    u32 {
        ACL_EVENT_WAIT_DEFAULT = 0x0,
        ACL_EVENT_WAIT_EXTERNAL = 0x01,
    }
}

unions! {
    /// Value of one stream attribute.
    aclrtStreamAttrValue {
        failureMode: u64,
        overflowSwitch: u32,
        userCustomTag: u32,
        cacheOpInfoSwitch: u32,
        streamPriority: u32,
        reserve: [u32; 4],
    }
}

structs! {
    /// Configuration of a stream.
    aclrtStreamConfigHandle {
        workptr: *mut c_void,
        workSize: usize,
        flag: usize,
        priority: u32,
    }
}
