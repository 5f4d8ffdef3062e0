//! `acl/rt/virtual_memory.h`: reserved addresses and what is mapped there.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_void;

use millpond::{DeviceError, Error, Location};
use millpond_abi as abi;

use super::memory::memory_at;
use super::physical_memory::location;
use crate::boundary::{self, CallError, bad_value, entry, not_null, out};
use crate::handles::pointer;
use crate::{physical, process};

/// Addresses that programs may ask for, from 16 to 24 TiB.
const WISHES: std::ops::Range<u64> = 16 << 40..24 << 40;

/// Reserves addresses.
///
/// # Safety
/// `virPtr` is null or writable.
unsafe fn reserve(
    virPtr: *mut *mut c_void,
    size: usize,
    alignment: usize,
    expectPtr: *mut c_void,
    flags: u64,
) -> Result<(), CallError> {
    let out = out!(virPtr);
    if size == 0 {
        return bad_value("size", 0, "it must be at least 1");
    }
    if alignment != 0 {
        return bad_value(
            "alignment",
            alignment,
            "it must be 0: the library chooses the alignment",
        );
    }
    if flags > 1 {
        return bad_value("flags", flags, "it must be 0, or 1 for huge pages");
    }
    let wanted = (!expectPtr.is_null()).then(|| expectPtr.addr() as u64);
    if let Some(wanted) = wanted
        && !WISHES.contains(&wanted)
    {
        return bad_value(
            "expectPtr",
            format!("{wanted:#x}"),
            "it must be NULL or an address from 16 to 24 TiB",
        );
    }
    let reserved = process::runtime()?.reserve_at(size as u64, wanted);
    let address = reserved.map_err(|error| match error {
        // Address space is used up like memory, and programs test for that code.
        Error::Device(DeviceError::System { .. }) => CallError::coded(
            abi::ACL_ERROR_RT_MEMORY_ALLOCATION,
            format!("cannot reserve {size} bytes of address space: {error}"),
        ),
        other => other.into(),
    })?;
    out.write(pointer(address));
    Ok(())
}

/// Reserves addresses that physical memory can be mapped at.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtReserveMemAddress(
    virPtr: *mut *mut c_void,
    size: usize,
    alignment: usize,
    expectPtr: *mut c_void,
    flags: u64,
) -> abi::aclError {
    entry("aclrtReserveMemAddress", || {
        // SAFETY: the header's contract for the arguments.
        unsafe { reserve(virPtr, size, alignment, expectPtr, flags) }
    })
}
const _: abi::aclrtReserveMemAddressFn = aclrtReserveMemAddress;

/// The same without memory that bypasses caches, of which there is none here.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtReserveMemAddressNoUCMemory(
    virPtr: *mut *mut c_void,
    size: usize,
    alignment: usize,
    expectPtr: *mut c_void,
    flags: u64,
) -> abi::aclError {
    entry("aclrtReserveMemAddressNoUCMemory", || {
        // SAFETY: the header's contract for the arguments.
        unsafe { reserve(virPtr, size, alignment, expectPtr, flags) }
    })
}
const _: abi::aclrtReserveMemAddressNoUCMemoryFn = aclrtReserveMemAddressNoUCMemory;

/// Releases reserved addresses, after everything there is unmapped.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtReleaseMemAddress(virPtr: *mut c_void) -> abi::aclError {
    entry("aclrtReleaseMemAddress", || {
        let address = not_null(virPtr, "virPtr")?;
        Ok(process::runtime()?.release_at(address)?)
    })
}
const _: abi::aclrtReleaseMemAddressFn = aclrtReleaseMemAddress;

fn map(
    virPtr: *mut c_void,
    size: usize,
    offset: usize,
    handle: abi::aclrtDrvMemHandle,
    flags: u64,
    access: bool,
) -> Result<(), CallError> {
    let address = not_null(virPtr, "virPtr")?;
    if size == 0 {
        return bad_value("size", 0, "it must be the size of the physical memory");
    }
    if offset != 0 {
        return bad_value(
            "offset",
            offset,
            "it must be 0: memory is mapped as a whole",
        );
    }
    if flags != 0 {
        return bad_value("flags", flags, "it is reserved and must be 0");
    }
    let memory = physical::get(handle, "handle")?;
    if size as u64 != memory.len() {
        return bad_value(
            "size",
            format!("{size} for memory of {} bytes", memory.len()),
            "memory is mapped as a whole",
        );
    }
    Ok(process::runtime()?.map_at(address, &memory, access)?)
}

/// Maps physical memory at reserved addresses.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMapMem(
    virPtr: *mut c_void,
    size: usize,
    offset: usize,
    handle: abi::aclrtDrvMemHandle,
    flags: u64,
) -> abi::aclError {
    entry("aclrtMapMem", || {
        map(virPtr, size, offset, handle, flags, true)
    })
}
const _: abi::aclrtMapMemFn = aclrtMapMem;

/// The same without access, which `aclrtMemSetAccess` grants.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemMapNoAccess(
    virPtr: *mut c_void,
    size: usize,
    offset: usize,
    handle: abi::aclrtDrvMemHandle,
    flags: u64,
) -> abi::aclError {
    entry("aclrtMemMapNoAccess", || {
        map(virPtr, size, offset, handle, flags, false)
    })
}
const _: abi::aclrtMemMapNoAccessFn = aclrtMemMapNoAccess;

/// Unmaps. Nothing is waited for: queued work that names the addresses still finds the bytes there.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtUnmapMem(virPtr: *mut c_void) -> abi::aclError {
    entry("aclrtUnmapMem", || {
        let address = not_null(virPtr, "virPtr")?;
        Ok(process::runtime()?.unmap_at(address)?)
    })
}
const _: abi::aclrtUnmapMemFn = aclrtUnmapMem;

/// Grants access to whole mappings.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemSetAccess(
    virPtr: *mut c_void,
    size: usize,
    desc: *mut abi::aclrtMemAccessDesc,
    count: usize,
) -> abi::aclError {
    entry("aclrtMemSetAccess", || {
        let address = not_null(virPtr, "virPtr")?;
        if size == 0 {
            return bad_value("size", 0, "it must be at least 1");
        }
        if count != 1 {
            return bad_value(
                "count",
                count,
                "it must be 1: access is set for one location at a time",
            );
        }
        // SAFETY: the header's contract for the arguments.
        let desc = unsafe { boundary::read(desc, "desc") }?;
        if desc.flags != abi::ACL_RT_MEM_ACCESS_FLAGS_READWRITE {
            return bad_value(
                "desc->flags",
                desc.flags,
                "it must be ACL_RT_MEM_ACCESS_FLAGS_READWRITE",
            );
        }
        let from = location(desc.location, "desc->location")?;
        Ok(process::runtime()?.grant_at(address, size as u64, from)?)
    })
}
const _: abi::aclrtMemSetAccessFn = aclrtMemSetAccess;

/// What may be done from a place with what is mapped at an address.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemGetAccess(
    virPtr: *mut c_void,
    location: *mut abi::aclrtMemLocation,
    flag: *mut u64,
) -> abi::aclError {
    entry("aclrtMemGetAccess", || {
        let address = not_null(virPtr, "virPtr")?;
        // SAFETY: the header's contract for the arguments.
        let place = unsafe { boundary::read(location, "location") }?;
        let out = out!(flag);
        let from = super::physical_memory::location(place, "location")?;
        let flags = if process::runtime()?.has_access_at(address, from)? {
            abi::ACL_RT_MEM_ACCESS_FLAGS_READWRITE
        } else {
            abi::ACL_RT_MEM_ACCESS_FLAGS_NONE
        };
        out.write(u64::from(flags.cast_unsigned()));
        Ok(())
    })
}
const _: abi::aclrtMemGetAccessFn = aclrtMemGetAccess;

/// Start and size of the mapping or block that contains an address.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemGetAddressRange(
    ptr: *mut c_void,
    pbase: *mut *mut c_void,
    psize: *mut usize,
) -> abi::aclError {
    entry("aclrtMemGetAddressRange", || {
        let address = not_null(ptr, "ptr")?;
        let outs = (out!(pbase), out!(psize));
        let runtime = process::runtime()?;
        let range = if runtime.is_reserved(address) {
            runtime.find_mapping(address)?.range
        } else {
            runtime.find_block(address)?.range()
        };
        outs.0.write(pointer(range.start));
        outs.1
            .write(usize::try_from(range.bytes).unwrap_or(usize::MAX));
        Ok(())
    })
}
const _: abi::aclrtMemGetAddressRangeFn = aclrtMemGetAddressRange;

/// Lets another device use memory. Blocks can be reached by every device, and mappings are opened.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemP2PMap(
    devPtr: *mut c_void,
    size: usize,
    dstDevId: i32,
    flags: u64,
) -> abi::aclError {
    entry("aclrtMemP2PMap", || {
        let address = not_null(devPtr, "devPtr")?;
        let bytes = size as u64;
        if size == 0 {
            return bad_value("size", 0, "it must be at least 1");
        }
        if flags != 0 {
            return bad_value("flags", flags, "it is reserved and must be 0");
        }
        let runtime = process::runtime()?;
        let device = runtime.device(i64::from(dstDevId))?;
        memory_at(address, bytes)?;
        if !runtime.is_reserved(address) {
            return Ok(());
        }
        let mut next = address;
        while next < address + bytes {
            let mapping = runtime.find_mapping(next)?.range;
            let from = Location::Device(device.index());
            runtime.grant_at(mapping.start, mapping.bytes, from)?;
            next = mapping.start + mapping.bytes;
        }
        Ok(())
    })
}
const _: abi::aclrtMemP2PMapFn = aclrtMemP2PMap;

/// Maps the memory of one address at a second one. The choice of link is ignored.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemMapSelectedLink(
    virPtrDst: *mut c_void,
    size: usize,
    virPtrSrc: *mut c_void,
    linkIdx: u32,
) -> abi::aclError {
    entry("aclrtMemMapSelectedLink", || {
        let to = not_null(virPtrDst, "virPtrDst")?;
        let from = not_null(virPtrSrc, "virPtrSrc")?;
        if size == 0 {
            return bad_value("size", 0, "it must be the size of the mapping at virPtrSrc");
        }
        if linkIdx > abi::ACL_RT_MEM_LINK_IDX_1 {
            return bad_value(
                "linkIdx",
                linkIdx,
                "it must be ACL_RT_MEM_LINK_IDX_0 or ACL_RT_MEM_LINK_IDX_1",
            );
        }
        Ok(process::runtime()?.map_again_at(to, size as u64, from)?)
    })
}
const _: abi::aclrtMemMapSelectedLinkFn = aclrtMemMapSelectedLink;
