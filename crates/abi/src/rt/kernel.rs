//! `acl/rt/kernel.h`: kernels for NPU cores, labels inside streams, groups of cores.

use core::ffi::c_void;

enums! {
    /// Options of loading a binary.
    aclrtBinaryLoadOptionType {
        ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1,
        ACL_RT_LOAD_BINARY_OPT_MAGIC = 2,
        ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE = 3,
    }
}

/// The handle of a binary that is not loaded.
pub type aclrtBinary = *mut c_void;

/// The handle of a list of arguments.
pub type aclrtArgsHandle = *mut c_void;

/// The handle of an argument in a list.
pub type aclrtParamHandle = *mut c_void;

structs! {
    /// Where in the arguments an address goes, and what it leads to.
    aclrtPlaceHolderInfo {
        addrOffset: u32,
        dataOffset: u32,
    }
}

opaque! {
    /// The C object of the same name, only ever behind a pointer.
    aclrtBinaryLoadOptions
    /// The C object of the same name, only ever behind a pointer.
    aclrtLaunchKernelCfg
}
