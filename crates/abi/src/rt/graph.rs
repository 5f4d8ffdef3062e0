//! `acl/rt/graph.h`: graphs: work that is captured from streams once and launched as often as wanted.

use core::ffi::c_void;

enums! {
    /// Which threads may make unsafe calls while a stream is captured.
    aclmdlRICaptureMode {
        ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0,
        ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL = 1,
        ACL_MODEL_RI_CAPTURE_MODE_RELAXED = 2,
    }

    /// Whether a stream is being captured.
    aclmdlRICaptureStatus {
        ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0,
        ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE = 1,
        ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED = 2,
    }

    /// How the value of a condition chooses.
    aclmdlRICondTaskType {
        ACL_MODEL_RI_COND_TASK_TYPE_IF = 0,
        ACL_MODEL_RI_COND_TASK_TYPE_WHILE = 1,
        ACL_MODEL_RI_COND_TASK_TYPE_SWITCH = 2,
    }
}

defines! {
    // Flags of `aclmdlRICondHandleCreate`.
    u32 {
        ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT = 1,
    }
}

/// The handle of a graph.
pub type aclmdlRI = *mut c_void;

/// The handle of a group of a graph's tasks.
pub type aclrtTaskGrp = *mut c_void;

/// The handle of a value that chooses among branches.
pub type aclmdlRICondHandle = *mut c_void;

structs! {
    /// A task that runs one of several graphs.
    aclmdlRICondTaskParams {
        handle: aclmdlRICondHandle,
        r#type: aclmdlRICondTaskType,
        size: u32,
        modelRIArray: *mut aclmdlRI,
    }
}
