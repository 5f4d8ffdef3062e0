//! `acl/rt/host_memory.h`: host memory that devices may use: registered, and managed by the
//! runtime.

enums! {
    /// How `aclrtHostRegister` makes memory visible.
    aclrtHostRegisterType {
        ACL_HOST_REGISTER_MAPPED = 0,
        ACL_HOST_REGISTER_IOMEMORY = 4,
        ACL_HOST_REGISTER_READONLY = 8,
    }

    /// Part of a device that would access host memory.
    aclrtHacType {
        ACL_RT_HAC_TYPE_STARS = 0,
        ACL_RT_HAC_TYPE_AICPU = 1,
        ACL_RT_HAC_TYPE_AIC = 2,
        ACL_RT_HAC_TYPE_AIV = 3,
        ACL_RT_HAC_TYPE_PCIEDMA = 4,
        ACL_RT_HAC_TYPE_RDMA = 5,
        ACL_RT_HAC_TYPE_SDMA = 6,
        ACL_RT_HAC_TYPE_DVPP = 7,
        ACL_RT_HAC_TYPE_UDMA = 8,
        ACL_RT_HAC_TYPE_CCU = 9,
    }

    /// Whether it can.
    aclrtHostMemMapCapability {
        ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED = 0,
        ACL_RT_HOST_MEM_MAP_SUPPORTED = 1,
    }

    /// Advice on how managed memory will be used.
    aclrtMemManagedAdviseType {
        ACL_MEM_ADVISE_SET_READ_MOSTLY = 0,
        ACL_MEM_ADVISE_UNSET_READ_MOSTLY = 1,
        ACL_MEM_ADVISE_SET_PREFERRED_LOCATION = 2,
        ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 3,
        ACL_MEM_ADVISE_SET_ACCESSED_BY = 4,
        ACL_MEM_ADVISE_UNSET_ACCESSED_BY = 5,
    }

    /// Kind of a place of managed memory.
    aclrtMemManagedLocationType {
        ACL_MEM_LOCATIONTYPE_INVALID = 0,
        ACL_MEM_LOCATIONTYPE_DEVICE = 1,
        ACL_MEM_LOCATIONTYPE_HOST = 2,
        ACL_MEM_LOCATIONTYPE_HOST_NUMA = 3,
        ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT = 4,
    }

    /// What can be asked of managed memory.
    aclrtMemManagedRangeAttribute {
        ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY = 1,
        ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION = 2,
        ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY = 3,
        ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE = 4,
        ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID = 5,
        ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION = 6,
        ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE = 7,
        ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID = 8,
    }
}

defines! {
    // Flags of `aclrtHostRegisterV2`; they may be combined.
    u32 {
        ACL_HOST_REG_MAPPED = 0x2,
        ACL_HOST_REG_IOMEMORY = 0x4,
        ACL_HOST_REG_READONLY = 0x8,
        ACL_HOST_REG_PINNED = 0x10000000,
    }

    // Flag of `aclrtMemAllocManaged`: every stream may use the memory.
    u32 {
        ACL_RT_MEM_ATTACH_GLOBAL = 0x01,
    }
}

structs! {
    /// A place of managed memory. Note that the type comes first, unlike in `aclrtMemLocation`.
    aclrtMemManagedLocation {
        r#type: aclrtMemManagedLocationType,
        id: i32,
    }
}
