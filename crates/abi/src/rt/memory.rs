//! `acl/rt/memory.h`: device and pinned host memory: allocating, freeing, asking.

use core::ffi::c_char;

enums! {
    /// Pages of a device allocation. In `aclrtMallocWithCfg` the last three may be added to a page
    /// policy.
    aclrtMemMallocPolicy {
        ACL_MEM_MALLOC_HUGE_FIRST = 0,
        ACL_MEM_MALLOC_HUGE_ONLY = 1,
        ACL_MEM_MALLOC_NORMAL_ONLY = 2,
        ACL_MEM_MALLOC_HUGE_FIRST_P2P = 3,
        ACL_MEM_MALLOC_HUGE_ONLY_P2P = 4,
        ACL_MEM_MALLOC_NORMAL_ONLY_P2P = 5,
        ACL_MEM_MALLOC_HUGE1G_ONLY = 6,
        ACL_MEM_MALLOC_HUGE1G_ONLY_P2P = 7,
        ACL_MEM_TYPE_LOW_BAND_WIDTH = 0x100,
        ACL_MEM_TYPE_HIGH_BAND_WIDTH = 0x1000,
        ACL_MEM_ACCESS_USER_SPACE_READONLY = 0x100000,
    }

    /// Kind of memory: `aclrtGetMemInfo`, `aclrtPhysicalMemProp`.
    aclrtMemAttr {
        ACL_DDR_MEM = 0,
        ACL_HBM_MEM = 1,
        ACL_DDR_MEM_HUGE = 2,
        ACL_DDR_MEM_NORMAL = 3,
        ACL_HBM_MEM_HUGE = 4,
        ACL_HBM_MEM_NORMAL = 5,
        ACL_DDR_MEM_P2P_HUGE = 6,
        ACL_DDR_MEM_P2P_NORMAL = 7,
        ACL_HBM_MEM_P2P_HUGE = 8,
        ACL_HBM_MEM_P2P_NORMAL = 9,
        ACL_HBM_MEM_HUGE1G = 10,
        ACL_HBM_MEM_P2P_HUGE1G = 11,
        ACL_MEM_NORMAL = 12,
        ACL_MEM_HUGE = 13,
        ACL_MEM_HUGE1G = 14,
        ACL_MEM_P2P_NORMAL = 15,
        ACL_MEM_P2P_HUGE = 16,
        ACL_MEM_P2P_HUGE1G = 17,
    }

    /// Whose memory it is.
    aclrtMemLocationType {
        ACL_MEM_LOCATION_TYPE_HOST = 0,
        ACL_MEM_LOCATION_TYPE_DEVICE = 1,
        ACL_MEM_LOCATION_TYPE_UNREGISTERED = 2,
        ACL_MEM_LOCATION_TYPE_MANAGED = 3,
        ACL_MEM_LOCATION_TYPE_HOST_NUMA = 4,
    }

    /// Attributes of `aclrtMallocConfig`.
    aclrtMallocAttrType {
        ACL_RT_MEM_ATTR_RSV = 0,
        ACL_RT_MEM_ATTR_MODULE_ID = 1,
        ACL_RT_MEM_ATTR_DEVICE_ID = 2,
        ACL_RT_MEM_ATTR_VA_FLAG = 3,
    }
}

unions! {
    /// Value of one attribute.
    aclrtMallocAttrValue {
        moduleId: u16,
        deviceId: u32,
        vaFlag: u32,
        rsv: [u8; 8],
    }
}

structs! {
    /// One attribute.
    aclrtMallocAttribute {
        attr: aclrtMallocAttrType,
        value: aclrtMallocAttrValue,
    }

    /// Attributes of one allocation, applied in order.
    aclrtMallocConfig {
        attrs: *mut aclrtMallocAttribute,
        numAttrs: usize,
    }

    /// A place of memory. Note that the number comes first.
    aclrtMemLocation {
        id: u32,
        r#type: aclrtMemLocationType,
    }

    /// What `aclrtPointerGetAttributes` knows of an address.
    aclrtPtrAttributes {
        location: aclrtMemLocation,
        pageSize: u32,
        rsv: [u32; 4],
    }

    /// Memory that one module uses.
    aclrtMemUsageInfo {
        name: [c_char; 32],
        curMemSize: u64,
        memPeakSize: u64,
        reserved: [usize; 8],
    }
}
