//! `acl/rt/virtual_memory.h`: shareable handles of physical memory.
//!
//! A name is a number, or 128 bytes with that number inside. Numbers cannot be guessed, and say which process to ask. The
//! process that exported memory may always import it, even if it is not in the list.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_void;

use millpond::{Location, PhysicalMemory, PhysicalRequest};
use millpond_abi as abi;

use crate::boundary::{self, CallError, Out, bad_value, entry, out};
use crate::handles::pointer;
use crate::{current, physical, process, sharing};

/// What 128 bytes that were made here begin with.
const HEADER: &[u8; 16] = b"millpond memory\0";

/// 128 bytes that carry a number: header, number, zeros, and a sum over all of that.
fn to_bytes(number: u64) -> abi::aclrtMemFabricHandle {
    let mut data = [0; 128];
    data[..16].copy_from_slice(HEADER);
    data[16..24].copy_from_slice(&number.to_le_bytes());
    let sum = checksum(&data[..120]);
    data[120..].copy_from_slice(&sum.to_le_bytes());
    abi::aclrtMemFabricHandle { data }
}

/// The number in 128 bytes that were made by [`to_bytes`] and not changed.
fn from_bytes(handle: &abi::aclrtMemFabricHandle) -> Result<u64, CallError> {
    let data = &handle.data;
    let number = |at: usize| {
        let bytes = data[at..at + 8].try_into().unwrap_or_default();
        u64::from_le_bytes(bytes)
    };
    if data[..16] != *HEADER || number(120) != checksum(&data[..120]) {
        return bad_value(
            "shareableHandle",
            "not a handle of this library, or changed",
            "it must be what aclrtMemExportToShareableHandleV2 returned",
        );
    }
    Ok(number(16))
}

/// FNV-1a: enough to detect made-up or damaged bytes.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn known_flags(flags: u64) -> Result<(), CallError> {
    if flags > abi::ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION {
        return bad_value(
            "flags",
            flags,
            "it must be 0 or ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION",
        );
    }
    Ok(())
}

fn unknown_kind<T>(shareType: abi::aclrtMemSharedHandleType) -> Result<T, CallError> {
    bad_value(
        "shareType",
        shareType,
        "it must be ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT or ACL_MEM_SHARE_HANDLE_TYPE_FABRIC",
    )
}

/// The number that a name of either kind carries.
///
/// # Safety
/// `shareableHandle` is null or points to what the kind says.
unsafe fn number_of(
    shareableHandle: *mut c_void,
    shareType: abi::aclrtMemSharedHandleType,
) -> Result<u64, CallError> {
    const ARGUMENT: &str = "shareableHandle";
    match shareType {
        abi::ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT => {
            // SAFETY: as the caller promises.
            unsafe { boundary::read(shareableHandle.cast::<u64>(), ARGUMENT) }
        }
        abi::ACL_MEM_SHARE_HANDLE_TYPE_FABRIC => {
            let place = shareableHandle.cast::<abi::aclrtMemFabricHandle>();
            // SAFETY: as the caller promises.
            from_bytes(&unsafe { boundary::read(place, ARGUMENT) }?)
        }
        other => unknown_kind(other),
    }
}

fn export(memory: &PhysicalMemory, flags: u64) -> Result<u64, CallError> {
    let open = flags == abi::ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION;
    Ok(memory.export_as(Some(sharing::hub()?.new_number()?), open)?)
}

/// Exports physical memory under a number.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemExportToShareableHandle(
    handle: abi::aclrtDrvMemHandle,
    handleType: abi::aclrtMemHandleType,
    flags: u64,
    shareableHandle: *mut u64,
) -> abi::aclError {
    entry("aclrtMemExportToShareableHandle", || {
        let out = out!(shareableHandle);
        if handleType != abi::ACL_MEM_HANDLE_TYPE_NONE {
            return bad_value(
                "handleType",
                handleType,
                "it must be ACL_MEM_HANDLE_TYPE_NONE",
            );
        }
        known_flags(flags)?;
        out.write(export(&*physical::get(handle, "handle")?, flags)?);
        Ok(())
    })
}
const _: abi::aclrtMemExportToShareableHandleFn = aclrtMemExportToShareableHandle;

/// Exports physical memory under a number or under 128 bytes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemExportToShareableHandleV2(
    handle: abi::aclrtDrvMemHandle,
    flags: u64,
    shareType: abi::aclrtMemSharedHandleType,
    shareableHandle: *mut c_void,
) -> abi::aclError {
    entry("aclrtMemExportToShareableHandleV2", || {
        boundary::not_null(shareableHandle, "shareableHandle")?;
        known_flags(flags)?;
        let memory = physical::get(handle, "handle")?;
        match shareType {
            abi::ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT => {
                // SAFETY: the header's contract: what the kind says fits there.
                let out: Out<u64> = unsafe { Out::new(shareableHandle.cast(), "shareableHandle") }?;
                out.write(export(&memory, flags)?);
            }
            abi::ACL_MEM_SHARE_HANDLE_TYPE_FABRIC => {
                // SAFETY: as above.
                let out: Out<abi::aclrtMemFabricHandle> =
                    unsafe { Out::new(shareableHandle.cast(), "shareableHandle") }?;
                out.write(to_bytes(export(&memory, flags)?));
            }
            other => return unknown_kind(other),
        }
        Ok(())
    })
}
const _: abi::aclrtMemExportToShareableHandleV2Fn = aclrtMemExportToShareableHandleV2;

fn import(number: u64, device: i64) -> Result<u64, CallError> {
    let runtime = process::runtime()?;
    let from = Location::Device(runtime.device(device)?.index());
    let Some(imported) = sharing::import_number(number)? else {
        return physical::add(runtime.import_physical(number, from)?);
    };
    // Memory of another process's device counts as the importing device's: it goes when that one is reset.
    let location = match imported.request.location {
        Location::Device(_) => from,
        host => host,
    };
    let request = PhysicalRequest {
        location,
        ..imported.request
    };
    let memory = runtime.import_pages(imported.pages, request, imported.keep)?;
    physical::add(memory.for_use_from(from))
}

/// A handle of exported memory, for use by a device.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemImportFromShareableHandle(
    shareableHandle: u64,
    deviceId: i32,
    handle: *mut abi::aclrtDrvMemHandle,
) -> abi::aclError {
    entry("aclrtMemImportFromShareableHandle", || {
        let out = out!(handle);
        out.write(pointer(import(shareableHandle, i64::from(deviceId))?));
        Ok(())
    })
}
const _: abi::aclrtMemImportFromShareableHandleFn = aclrtMemImportFromShareableHandle;

/// The same for use by the current device.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemImportFromShareableHandleV2(
    shareableHandle: *mut c_void,
    shareType: abi::aclrtMemSharedHandleType,
    flags: u64,
    handle: *mut abi::aclrtDrvMemHandle,
) -> abi::aclError {
    entry("aclrtMemImportFromShareableHandleV2", || {
        let out = out!(handle);
        if flags != 0 {
            return bad_value("flags", flags, "it is reserved and must be 0");
        }
        // SAFETY: the header's contract for the arguments.
        let number = unsafe { number_of(shareableHandle, shareType) }?;
        let device = current::with(|entry| Ok(entry.context.device().index()))?;
        out.write(pointer(import(number, i64::from(device))?));
        Ok(())
    })
}
const _: abi::aclrtMemImportFromShareableHandleV2Fn = aclrtMemImportFromShareableHandleV2;

/// Lists processes that may import.
///
/// # Safety
/// `pid` is null or points to `pidNum` numbers.
unsafe fn allow(
    number: impl FnOnce() -> Result<u64, CallError>,
    pid: *mut i32,
    pidNum: usize,
) -> Result<(), CallError> {
    boundary::not_null(pid, "pid")?;
    if pidNum == 0 {
        return bad_value("pidNum", 0, "it must be at least 1");
    }
    let number = number()?;
    // SAFETY: as the caller promises.
    let processes = unsafe { boundary::array(pid, pidNum, "pid") }?;
    Ok(process::runtime()?.allow_importers(number, &processes)?)
}

/// Lets processes import memory.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemSetPidToShareableHandle(
    shareableHandle: u64,
    pid: *mut i32,
    pidNum: usize,
) -> abi::aclError {
    entry("aclrtMemSetPidToShareableHandle", || {
        // SAFETY: the header's contract for the arguments.
        unsafe { allow(|| Ok(shareableHandle), pid, pidNum) }
    })
}
const _: abi::aclrtMemSetPidToShareableHandleFn = aclrtMemSetPidToShareableHandle;

/// The same for a name of either kind.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemSetPidToShareableHandleV2(
    shareableHandle: *mut c_void,
    shareType: abi::aclrtMemSharedHandleType,
    pid: *mut i32,
    pidNum: usize,
) -> abi::aclError {
    entry("aclrtMemSetPidToShareableHandleV2", || {
        // SAFETY: the header's contract for the arguments.
        let number = || unsafe { number_of(shareableHandle, shareType) };
        // SAFETY: as above.
        unsafe { allow(number, pid, pidNum) }
    })
}
const _: abi::aclrtMemSetPidToShareableHandleV2Fn = aclrtMemSetPidToShareableHandleV2;

/// The number of this process, for the list of another one.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtDeviceGetBareTgid(pid: *mut i32) -> abi::aclError {
    entry("aclrtDeviceGetBareTgid", || {
        let out = out!(pid);
        out.write(std::process::id().cast_signed());
        Ok(())
    })
}
const _: abi::aclrtDeviceGetBareTgidFn = aclrtDeviceGetBareTgid;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bytes_that_were_made_here_are_taken() {
        let made = to_bytes(0x1234_5678_9abc_def0);
        assert_eq!(from_bytes(&made).unwrap(), 0x1234_5678_9abc_def0);
        for place in 0..made.data.len() {
            let mut changed = made;
            changed.data[place] ^= 1;
            assert!(from_bytes(&changed).is_err(), "byte {place}");
        }
        let zeros = abi::aclrtMemFabricHandle { data: [0; 128] };
        assert!(from_bytes(&zeros).is_err());
    }
}
