//! `acl/rt/virtual_memory.h`: virtual memory: address ranges and physical memory as two things,
//! joined by mapping.

use core::ffi::c_void;

use crate::rt::memory::{aclrtMemAttr, aclrtMemLocation};

enums! {
    /// Kind of physical memory.
    aclrtMemAllocationType {
        ACL_MEM_ALLOCATION_TYPE_PINNED = 0,
    }

    /// How physical memory may be exported.
    aclrtMemHandleType {
        ACL_MEM_HANDLE_TYPE_NONE = 0,
        ACL_MEM_HANDLE_TYPE_POSIX = 2,
    }

    /// Kind of an exported handle.
    aclrtMemSharedHandleType {
        ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT = 1,
        ACL_MEM_SHARE_HANDLE_TYPE_FABRIC = 2,
    }

    /// Which granularity is asked for.
    aclrtMemGranularityOptions {
        ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
        ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1,
        ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF = 0xffff,
    }

    /// What a device may do with a mapping.
    aclrtMemAccessFlags {
        ACL_RT_MEM_ACCESS_FLAGS_NONE = 0,
        ACL_RT_MEM_ACCESS_FLAGS_READ = 1,
        ACL_RT_MEM_ACCESS_FLAGS_READWRITE = 3,
    }

    /// Connection over which a mapping is reached.
    aclrtMemLinkType {
        ACL_RT_MEM_ACCESS_LINK_SIO = 0,
        ACL_RT_MEM_ACCESS_LINK_HCCS = 1,
        ACL_RT_MEM_ACCESS_UB_ONE_PORT_PATH = 2,
        ACL_RT_MEM_ACCESS_UB_MULTI_PORT_PATH = 3,
    }
}

defines! {
    // Connection of `aclrtMemMapSelectedLink`.
    u32 {
        ACL_RT_MEM_LINK_IDX_0 = 0,
        ACL_RT_MEM_LINK_IDX_1 = 1,
    }

    // Flags of `aclrtMemExportToShareableHandle`.
    u64 {
        ACL_RT_VMM_EXPORT_FLAG_DEFAULT = 0x0,
        ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION = 0x1,
    }
}

/// Handle of a piece of physical memory.
pub type aclrtDrvMemHandle = *mut c_void;

structs! {
    /// A request for physical memory.
    aclrtPhysicalMemProp {
        handleType: aclrtMemHandleType,
        allocationType: aclrtMemAllocationType,
        memAttr: aclrtMemAttr,
        location: aclrtMemLocation,
        reserve: u64,
    }

    /// Who may access a mapping, and how.
    aclrtMemAccessDesc {
        flags: aclrtMemAccessFlags,
        location: aclrtMemLocation,
        rsv: [u8; 12],
    }

    /// An exported handle of kind `ACL_MEM_SHARE_HANDLE_TYPE_FABRIC`.
    aclrtMemFabricHandle {
        data: [u8; 128],
    }
}
