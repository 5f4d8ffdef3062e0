//! `acl/rt/device.h`: choosing a device, waiting for it, access between devices, and options.

enums! {
    /// Where the program itself runs: on the device, sharing its memory, or on a host beside it.
    aclrtRunMode {
        ACL_DEVICE = 0,
        ACL_HOST = 1,
    }

    /// Task scheduler of a device.
    aclrtTsId {
        ACL_TS_ID_AICORE = 0,
        ACL_TS_ID_AIVECTOR = 1,
        ACL_TS_ID_RESERVED = 2,
    }

    /// What an operator makes of a result that is too large.
    aclrtFloatOverflowMode {
        ACL_RT_OVERFLOW_MODE_SATURATION = 0,
        ACL_RT_OVERFLOW_MODE_INFNAN = 1,
        ACL_RT_OVERFLOW_MODE_UNDEF = 2,
    }
}
