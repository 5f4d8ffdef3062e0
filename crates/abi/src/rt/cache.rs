//! `acl/rt/cache.h`: cache maintenance.

enums! {
    /// What is done with cached bytes.
    aclrtCmoType {
        ACL_RT_CMO_TYPE_PREFETCH = 0,
        ACL_RT_CMO_TYPE_WRITEBACK = 1,
        ACL_RT_CMO_TYPE_INVALID = 2,
        ACL_RT_CMO_TYPE_FLUSH = 3,
    }
}

opaque! {
    /// The C object of the same name, only ever behind a pointer.
    aclrtBarrierTaskInfo
}
