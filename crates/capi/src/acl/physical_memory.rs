//! `acl/rt/virtual_memory.h`: physical memory, which has no address.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_void;

use millpond::{Location, PageKind, PhysicalRequest};
use millpond_abi as abi;
use millpond_trace::Operation;

use crate::boundary::{self, CallError, bad_value, entry, not_null, out};
use crate::handles::pointer;
use crate::{current, physical, process};

/// What an attribute says of memory: on which pages, and whether only the host has it.
fn attribute(attr: abi::aclrtMemAttr) -> Option<(PageKind, bool)> {
    use PageKind::{Gigabyte, Huge, Normal};
    Some(match attr {
        // The kind of memory alone: its usual pages.
        abi::ACL_DDR_MEM | abi::ACL_DDR_MEM_HUGE | abi::ACL_DDR_MEM_P2P_HUGE => (Huge, true),
        abi::ACL_DDR_MEM_NORMAL | abi::ACL_DDR_MEM_P2P_NORMAL => (Normal, true),
        abi::ACL_HBM_MEM
        | abi::ACL_HBM_MEM_HUGE
        | abi::ACL_HBM_MEM_P2P_HUGE
        | abi::ACL_MEM_HUGE
        | abi::ACL_MEM_P2P_HUGE => (Huge, false),
        abi::ACL_HBM_MEM_NORMAL
        | abi::ACL_HBM_MEM_P2P_NORMAL
        | abi::ACL_MEM_NORMAL
        | abi::ACL_MEM_P2P_NORMAL => (Normal, false),
        abi::ACL_HBM_MEM_HUGE1G
        | abi::ACL_HBM_MEM_P2P_HUGE1G
        | abi::ACL_MEM_HUGE1G
        | abi::ACL_MEM_P2P_HUGE1G => (Gigabyte, false),
        _ => return None,
    })
}

/// A place that memory can be at or be used from. Devices have to exist.
pub(crate) fn location(
    location: abi::aclrtMemLocation,
    argument: &'static str,
) -> Result<Location, CallError> {
    Ok(match location.r#type {
        abi::ACL_MEM_LOCATION_TYPE_DEVICE => {
            process::runtime()?.device(i64::from(location.id))?;
            Location::Device(location.id)
        }
        abi::ACL_MEM_LOCATION_TYPE_HOST => Location::Host,
        abi::ACL_MEM_LOCATION_TYPE_HOST_NUMA => Location::HostNode(location.id),
        other => {
            return bad_value(
                argument,
                format!("of type {other}"),
                "it must be the host, a node of the host, or a device",
            );
        }
    })
}

/// Checks what a program says about physical memory.
fn request(prop: &abi::aclrtPhysicalMemProp, bytes: u64) -> Result<PhysicalRequest, CallError> {
    match prop.handleType {
        abi::ACL_MEM_HANDLE_TYPE_NONE => {}
        abi::ACL_MEM_HANDLE_TYPE_POSIX => {
            return Err(CallError::coded(
                abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                "memory that is shared by a file descriptor is not supported: 'prop->handleType' \
                 must be ACL_MEM_HANDLE_TYPE_NONE",
            ));
        }
        other => {
            return bad_value(
                "prop->handleType",
                other,
                "it must be ACL_MEM_HANDLE_TYPE_NONE",
            );
        }
    }
    if prop.allocationType != abi::ACL_MEM_ALLOCATION_TYPE_PINNED {
        return bad_value(
            "prop->allocationType",
            prop.allocationType,
            "it must be ACL_MEM_ALLOCATION_TYPE_PINNED",
        );
    }
    let Some((pages, host_only)) = attribute(prop.memAttr) else {
        return bad_value(
            "prop->memAttr",
            prop.memAttr,
            "it must be a value of aclrtMemAttr",
        );
    };
    let location = location(prop.location, "prop->location")?;
    if host_only && matches!(location, Location::Device(_)) {
        return bad_value(
            "prop->memAttr",
            prop.memAttr,
            "ACL_DDR_* is memory of the host: use ACL_HBM_* or ACL_MEM_* on a device",
        );
    }
    Ok(PhysicalRequest {
        bytes,
        location,
        pages,
        flags: prop.memAttr.cast_unsigned(),
    })
}

/// Allocates physical memory.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMallocPhysical(
    handle: *mut abi::aclrtDrvMemHandle,
    size: usize,
    prop: *const abi::aclrtPhysicalMemProp,
    flags: u64,
) -> abi::aclError {
    entry("aclrtMallocPhysical", || {
        let out = out!(handle);
        // SAFETY: the header's contract for the arguments.
        let prop = unsafe { boundary::read(prop, "prop") }?;
        if size == 0 {
            return bad_value("size", 0, "it must be at least one page");
        }
        crate::testing::sized(size as u64)?;
        if flags != 0 {
            return bad_value("flags", flags, "it is reserved and must be 0");
        }
        let request = request(&prop, size as u64)?;
        current::with(|_| Ok(()))?;
        let memory = process::runtime()?.alloc_physical(request)?;
        out.write(pointer(physical::add(memory)?));
        Ok(())
    })
}
const _: abi::aclrtMallocPhysicalFn = aclrtMallocPhysical;

/// Gives physical memory back. While it is mapped, that takes effect when it is unmapped.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtFreePhysical(handle: abi::aclrtDrvMemHandle) -> abi::aclError {
    entry("aclrtFreePhysical", || {
        physical::free(handle, "handle").inspect_err(|error| {
            process::emit(|| Operation::FreeRefused {
                address: handle.addr() as u64,
                reason: error.to_string(),
            });
        })
    })
}
const _: abi::aclrtFreePhysicalFn = aclrtFreePhysical;

/// What sizes of physical memory are multiples of. The least is also what is recommended.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemGetAllocationGranularity(
    prop: *mut abi::aclrtPhysicalMemProp,
    option: abi::aclrtMemGranularityOptions,
    granularity: *mut usize,
) -> abi::aclError {
    entry("aclrtMemGetAllocationGranularity", || {
        // SAFETY: the header's contract for the arguments.
        let prop = unsafe { boundary::read(prop, "prop") }?;
        let out = out!(granularity);
        if option != abi::ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM
            && option != abi::ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED
        {
            return bad_value(
                "option",
                option,
                "it must be ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM or _RECOMMENDED",
            );
        }
        let request = request(&prop, 0)?;
        let runtime = process::runtime()?;
        let unit = runtime.physical_granularity(request.location, request.pages)?;
        out.write(usize::try_from(unit).unwrap_or(usize::MAX));
        Ok(())
    })
}
const _: abi::aclrtMemGetAllocationGranularityFn = aclrtMemGetAllocationGranularity;

/// The handle of what is mapped at an address. It has to be freed once more.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemRetainAllocationHandle(
    virPtr: *mut c_void,
    handle: *mut abi::aclrtDrvMemHandle,
) -> abi::aclError {
    entry("aclrtMemRetainAllocationHandle", || {
        let address = not_null(virPtr, "virPtr")?;
        let out = out!(handle);
        let memory = process::runtime()?.physical_at(address)?;
        out.write(pointer(physical::retain(memory)?));
        Ok(())
    })
}
const _: abi::aclrtMemRetainAllocationHandleFn = aclrtMemRetainAllocationHandle;

/// What physical memory was allocated with.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemGetAllocationPropertiesFromHandle(
    handle: abi::aclrtDrvMemHandle,
    prop: *mut abi::aclrtPhysicalMemProp,
) -> abi::aclError {
    entry("aclrtMemGetAllocationPropertiesFromHandle", || {
        let out = out!(prop);
        let request = physical::get(handle, "handle")?.request();
        let (id, kind) = match request.location {
            Location::Device(index) => (index, abi::ACL_MEM_LOCATION_TYPE_DEVICE),
            Location::Host => (0, abi::ACL_MEM_LOCATION_TYPE_HOST),
            Location::HostNode(node) => (node, abi::ACL_MEM_LOCATION_TYPE_HOST_NUMA),
        };
        out.write(abi::aclrtPhysicalMemProp {
            handleType: abi::ACL_MEM_HANDLE_TYPE_NONE,
            allocationType: abi::ACL_MEM_ALLOCATION_TYPE_PINNED,
            memAttr: request.flags.cast_signed(),
            location: abi::aclrtMemLocation { id, r#type: kind },
            reserve: 0,
        });
        Ok(())
    })
}
const _: abi::aclrtMemGetAllocationPropertiesFromHandleFn =
    aclrtMemGetAllocationPropertiesFromHandle;

/// Advises a connection for memory of another device. Here there is one, so only the value is checked.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemMapSetLink(
    handle: abi::aclrtDrvMemHandle,
    adviceLink: abi::aclrtMemLinkType,
) -> abi::aclError {
    entry("aclrtMemMapSetLink", || {
        physical::get(handle, "handle")?;
        let known = abi::ACL_RT_MEM_ACCESS_LINK_SIO..=abi::ACL_RT_MEM_ACCESS_UB_MULTI_PORT_PATH;
        if !known.contains(&adviceLink) {
            return bad_value(
                "adviceLink",
                adviceLink,
                "it must be a value of aclrtMemLinkType",
            );
        }
        Ok(())
    })
}
const _: abi::aclrtMemMapSetLinkFn = aclrtMemMapSetLink;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_attribute_has_pages() {
        for attr in abi::ACL_DDR_MEM..=abi::ACL_MEM_P2P_HUGE1G {
            assert!(attribute(attr).is_some(), "{attr}");
        }
        assert_eq!(attribute(-1), None);
        assert_eq!(attribute(abi::ACL_MEM_P2P_HUGE1G + 1), None);
    }
}
