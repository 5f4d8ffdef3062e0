//! `mstx/mstx_detail/mstx_types.h` and `mstx/ms_tools_ext_mem.h`: domains, ranges, heaps, regions.

use core::ffi::c_void;

enums! {
    /// What a heap is for.
    mstxMemHeapUsageType {
        MSTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR = 0,
    }

    /// How memory is described.
    mstxMemType {
        MSTX_MEM_TYPE_VIRTUAL_ADDRESS = 0,
    }

    /// How a region is named.
    mstxMemRegionRefType {
        MSTX_MEM_REGION_REF_TYPE_POINTER = 0,
        MSTX_MEM_REGION_REF_TYPE_HANDLE = 1,
    }
}

defines! {
    i32 {
        MSTX_SUCCESS = 0,
        MSTX_FAIL = 1,
    }
    u64 {
        MSTX_TOOL_INVALID_ID = 0x0,
        MSTX_TOOL_MSPROF_ID = 0x1000,
        MSTX_TOOL_MSOPPROF_ID = 0x1001,
        MSTX_TOOL_MSSANITIZER_ID = 0x1002,
        MSTX_TOOL_MSLEAKS_ID = 0x1003,
    }
    u32 {
        MSTX_MEM_PERMISSIONS_REGION_FLAGS_NONE = 0,
        MSTX_MEM_PERMISSIONS_REGION_FLAGS_READ = 1,
        MSTX_MEM_PERMISSIONS_REGION_FLAGS_WRITE = 2,
        MSTX_MEM_PERMISSIONS_REGION_FLAGS_SHARED = 4,
    }
}

opaque! {
    /// What a domain's handle points to, if anybody could look.
    mstxDomainRegistration_st
    /// The same for a heap.
    mstxMemHeap_st
    /// The same for a region.
    mstxMemRegion_st
}

/// A range that has begun; 0 is none.
pub type mstxRangeId = u64;
/// Handle of a domain; null is the global one.
pub type mstxDomainHandle_t = *mut mstxDomainRegistration_st;
/// Handle of a heap.
pub type mstxMemHeapHandle_t = *mut mstxMemHeap_st;
/// Handle of a region.
pub type mstxMemRegionHandle_t = *mut mstxMemRegion_st;

structs! {
    /// Addresses in the memory of a device.
    mstxMemVirtualRangeDesc_t {
        deviceId: u32,
        ptr: *const c_void,
        size: u64,
    }

    /// A heap.
    mstxMemHeapDesc_t {
        usage: mstxMemHeapUsageType,
        r#type: mstxMemType,
        typeSpecificDesc: *const c_void,
    }

    /// Regions to be registered.
    mstxMemRegionsRegisterBatch_t {
        heap: mstxMemHeapHandle_t,
        regionType: mstxMemType,
        regionCount: usize,
        regionDescArray: *const c_void,
        regionHandleArrayOut: *mut mstxMemRegionHandle_t,
    }

    /// One region. In C the second field is a union of `pointer` and `handle`.
    mstxMemRegionRef_t {
        refType: mstxMemRegionRefType,
        pointer: *const c_void,
    }

    /// Regions to be unregistered.
    mstxMemRegionsUnregisterBatch_t {
        refCount: usize,
        refArray: *const mstxMemRegionRef_t,
    }

    /// What may be done with one region.
    mstxMemPermissionsAssignRegionsDesc_t {
        flags: u32,
        region: mstxMemRegionRef_t,
    }

    /// The same for several.
    mstxMemPermissionsAssignBatch_t {
        regionCount: usize,
        regionDescArray: *const mstxMemPermissionsAssignRegionsDesc_t,
    }
}
