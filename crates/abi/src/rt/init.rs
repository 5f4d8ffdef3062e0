//! `acl/rt/init.h`: starting and ending the runtime, what went wrong last, and versions.

use core::ffi::c_char;

enums! {
    /// Whose last error is meant.
    aclrtLastErrLevel {
        ACL_RT_THREAD_LEVEL = 0,
    }

    /// A part of the installation that has a version of its own.
    aclCANNPackageName {
        ACL_PKG_NAME_CANN = 0,
        ACL_PKG_NAME_RUNTIME = 1,
        ACL_PKG_NAME_COMPILER = 2,
        ACL_PKG_NAME_HCCL = 3,
        ACL_PKG_NAME_TOOLKIT = 4,
        ACL_PKG_NAME_OPP = 5,
        ACL_PKG_NAME_OPP_KERNEL = 6,
        ACL_PKG_NAME_DRIVER = 7,
    }
}

defines! {
    // Version of the interface that these headers declare.
    i32 {
        ACL_MAJOR_VERSION = 1,
        ACL_MINOR_VERSION = 17,
        ACL_PATCH_VERSION = 0,
    }

    // Sizes of the texts in `aclCANNPackageVersion`, terminator included.
    usize {
        ACL_PKG_VERSION_MAX_SIZE = 128,
        ACL_PKG_VERSION_PARTS_MAX_SIZE = 64,
    }
}

structs! {
    /// Version of one part, as text.
    aclCANNPackageVersion {
        version: [c_char; ACL_PKG_VERSION_MAX_SIZE],
        majorVersion: [c_char; ACL_PKG_VERSION_PARTS_MAX_SIZE],
        minorVersion: [c_char; ACL_PKG_VERSION_PARTS_MAX_SIZE],
        releaseVersion: [c_char; ACL_PKG_VERSION_PARTS_MAX_SIZE],
        patchVersion: [c_char; ACL_PKG_VERSION_PARTS_MAX_SIZE],
        reserved: [c_char; ACL_PKG_VERSION_MAX_SIZE],
    }
}
