//! `mstx/mstx_detail/mstx_init_defs.h`: how a tool and the functions of MSTX find each other.

use core::ffi::{c_int, c_uint};

enums! {
    /// Groups of functions.
    mstxFuncModule {
        MSTX_API_MODULE_INVALID = 0,
        MSTX_API_MODULE_CORE = 1,
        MSTX_API_MODULE_CORE_DOMAIN = 2,
        MSTX_API_MODULE_CORE_MEM = 3,
        MSTX_API_MODULE_SIZE = 4,
    }

    /// Marks and ranges of the global domain.
    mstxImplCoreFuncId {
        MSTX_API_CORE_INVALID = 0,
        MSTX_API_CORE_MARK_A = 1,
        MSTX_API_CORE_RANGE_START_A = 2,
        MSTX_API_CORE_RANGE_END = 3,
        MSTX_API_CORE_GET_TOOL_ID = 4,
        MSTX_API_CORE_SIZE = 5,
    }

    /// Domains, their marks and ranges.
    mstxImplCoreDomainFuncId {
        MSTX_API_CORE_DOMAIN_INVALID = 0,
        MSTX_API_CORE_DOMAIN_CREATE_A = 1,
        MSTX_API_CORE_DOMAIN_DESTROY = 2,
        MSTX_API_CORE_DOMAIN_MARK_A = 3,
        MSTX_API_CORE_DOMAIN_RANGE_START_A = 4,
        MSTX_API_CORE_DOMAIN_RANGE_END = 5,
        MSTX_API_CORE_DOMAIN_SIZE = 6,
    }

    /// Heaps, regions and permissions.
    mstxImplCoreMemFuncId {
        MSTX_API_CORE_MEM_INVALID = 0,
        MSTX_API_CORE_MEMHEAP_REGISTER = 1,
        MSTX_API_CORE_MEMHEAP_UNREGISTER = 2,
        MSTX_API_CORE_MEM_REGIONS_REGISTER = 3,
        MSTX_API_CORE_MEM_REGIONS_UNREGISTER = 4,
        MSTX_API_CORE_MEM_PERMISSIONS_ASSIGN = 5,
        MSTX_API_CORE_MEM_SIZE = 6,
    }
}

/// Any function, or none.
pub type mstxFuncPointer = Option<unsafe extern "C" fn()>;

/// An array of places that hold functions.
pub type mstxFuncTable = *mut *mut mstxFuncPointer;

/// Tells where the functions of a module are kept.
pub type mstxGetModuleFuncTableFunc = Option<
    unsafe extern "C" fn(
        module: mstxFuncModule,
        outTable: *mut mstxFuncTable,
        outSize: *mut c_uint,
    ) -> c_int,
>;

/// The function of a tool.
pub type mstxInitInjectionFunc =
    Option<unsafe extern "C-unwind" fn(getFuncTable: mstxGetModuleFuncTableFunc) -> c_int>;
