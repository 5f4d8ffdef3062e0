//! `acl/rt/reserved.h`: types of parts that are refused or not declared: kernels, labels, groups of cores, snapshots.

use core::ffi::c_void;

enums! {
    /// What can be asked of a compute group.
    aclrtGroupAttr {
        ACL_GROUP_AICORE_INT = 0,
        ACL_GROUP_AIV_INT = 1,
        ACL_GROUP_AIC_INT = 2,
        ACL_GROUP_SDMANUM_INT = 3,
        ACL_GROUP_ASQNUM_INT = 4,
        ACL_GROUP_GROUPID_INT = 5,
    }

    /// Engine that runs a kernel.
    aclrtEngineType {
        ACL_RT_ENGINE_TYPE_AIC = 0,
        ACL_RT_ENGINE_TYPE_AIV = 1,
    }

    /// State of a process that takes a snapshot.
    aclrtProcessState {
        ACL_RT_PROCESS_STATE_RUNNING = 0,
        ACL_RT_PROCESS_STATE_LOCKED = 1,
    }
}

defines! {
    // Streams of a recorded graph.
    u32 {
        ACL_MODEL_STREAM_FLAG_HEAD = 0x00000000,
        ACL_MODEL_STREAM_FLAG_DEFAULT = 0x7FFFFFFF,
    }
}

/// The handle of a label.
pub type aclrtLabel = *mut c_void;

/// The handle of a list of labels.
pub type aclrtLabelList = *mut c_void;

/// The handle of a loaded binary.
pub type aclrtBinHandle = *mut c_void;

/// The handle of a kernel function.
pub type aclrtFuncHandle = *mut c_void;

opaque! {
    /// The C object of the same name, only ever behind a pointer.
    aclrtGroupInfo
}
