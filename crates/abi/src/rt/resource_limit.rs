//! `acl/rt/resource_limit.h`: how many cores of a device may be used.

enums! {
    /// Kind of cores.
    aclrtDevResLimitType {
        ACL_RT_DEV_RES_CUBE_CORE = 0,
        ACL_RT_DEV_RES_VECTOR_CORE = 1,
    }
}
