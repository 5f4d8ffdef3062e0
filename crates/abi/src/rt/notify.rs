//! `acl/rt/notify.h`: notifications: semaphores between streams, also of different processes.

use core::ffi::c_void;

enums! {
    /// How a record changes the number.
    aclrtCntNotifyRecordMode {
        ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE = 0,
        ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE = 1,
        ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE = 2,
        ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE = 4,
    }

    /// What a wait compares the number with.
    aclrtCntNotifyWaitMode {
        ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE = 0,
        ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE = 1,
        ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE = 2,
        ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE = 3,
        ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE = 4,
    }
}

defines! {
    // Flags of `aclrtCreateNotify` and `aclrtCntNotifyCreate`.
    u64 {
        ACL_NOTIFY_DEFAULT = 0x00000000,
        ACL_NOTIFY_DEVICE_USE_ONLY = 0x00000001,
    }

    // Flags of `aclrtNotifyGetExportKey` and `aclrtNotifyImportByKey`.
    u64 {
        ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT = 0x0,
        ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION = 0x02,
        ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT = 0x0,
        ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS = 0x02,
    }
}

/// The handle of a notification.
pub type aclrtNotify = *mut c_void;

/// The handle of a counted notification.
pub type aclrtCntNotify = *mut c_void;

structs! {
    /// One record of a counted notification.
    aclrtCntNotifyRecordInfo {
        mode: aclrtCntNotifyRecordMode,
        value: u32,
    }

    /// One wait for a counted notification.
    aclrtCntNotifyWaitInfo {
        mode: aclrtCntNotifyWaitMode,
        value: u32,
        timeout: u32,
        isClear: u8,
        rsv: [u8; 3],
    }
}
