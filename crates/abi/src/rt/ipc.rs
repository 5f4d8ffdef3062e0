//! `acl/rt/ipc.h`: sharing device memory and events with other processes.

use core::ffi::c_char;

enums! {
    /// Attributes of an exported key.
    aclrtIpcMemAttrType {
        ACL_RT_IPC_MEM_ATTR_ACCESS_LINK = 0,
    }
}

defines! {
    // Flags of `aclrtIpcMemGetExportKey` and `aclrtIpcMemImportByKey`.
    u64 {
        ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT = 0x0,
        ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION = 0x1,
        ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT = 0x0,
        ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS = 0x1,
    }

    // Values of `ACL_RT_IPC_MEM_ATTR_ACCESS_LINK`.
    u64 {
        ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO = 0,
        ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_HCCS = 1,
        ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_ONE_PORT_PATH = 2,
        ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_MULTI_PORT_PATH = 3,
    }

    // Bytes of an exported event.
    usize {
        ACL_IPC_EVENT_HANDLE_SIZE = 64,
    }
}

structs! {
    /// Processes of one server.
    aclrtServerPid {
        sdid: u32,
        pid: *mut i32,
        num: usize,
    }

    /// An exported event. Its bytes may be sent to another process.
    aclrtIpcEventHandle {
        reserved: [c_char; ACL_IPC_EVENT_HANDLE_SIZE],
    }
}
