//! `acl/acl_rt_memory_soma.h`: stream-ordered pools: memory that is allocated and freed in the
//! order of a stream's tasks.

use core::ffi::c_void;

use crate::rt::memory::aclrtMemLocation;
use crate::rt::virtual_memory::{aclrtMemAllocationType, aclrtMemHandleType};

enums! {
    /// Attributes of a pool: the first three are `uint32_t` switches, 0 at the start; the others
    /// are `uint64_t`.
    aclrtMemPoolAttr {
        ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
        ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC = 2,
        ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,
        ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD = 4,
        ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT = 5,
        ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH = 6,
        ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT = 7,
        ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH = 8,
    }
}

/// Handle of a pool.
pub type aclrtMemPool = *mut c_void;

structs! {
    /// What pool is wanted.
    aclrtMemPoolProps {
        allocType: aclrtMemAllocationType,
        handleType: aclrtMemHandleType,
        location: aclrtMemLocation,
        maxSize: usize,
        reserved: [u8; 32],
    }
}
