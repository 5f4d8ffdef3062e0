//! `acl/rt/host_memory.h`: host memory of the program that devices may use.
//!
//! The device is the host, so nothing is locked or mapped: the range is noted, its device address is its own, and asynchronous
//! copies treat it as pinned.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_void;

use millpond_abi as abi;

use crate::boundary::{CallError, bad_value, entry, not_null, out};
use crate::handles::host_pointer;
use crate::{current, process};

fn refused(text: String) -> CallError {
    CallError::coded(abi::ACL_ERROR_RT_PARAM_INVALID, text)
}

fn register(address: u64, bytes: u64) -> Result<(), CallError> {
    current::with(|_| Ok(()))?;
    if bytes == 0 || address.checked_add(bytes).is_none() {
        return Err(refused(format!(
            "{bytes} bytes at {address:#x} are not a range"
        )));
    }
    let runtime = process::runtime()?;
    if runtime.space_of(address).is_some() {
        return Err(refused(format!(
            "{address:#x} is memory of a device, or pinned by aclrtMallocHost already"
        )));
    }
    if !runtime.register_host(address, bytes) {
        return Err(CallError::coded(
            abi::ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
            format!("{bytes} bytes at {address:#x} overlap a range that is registered"),
        ));
    }
    Ok(())
}

fn checked(ptr: *mut c_void) -> Result<u64, CallError> {
    if ptr.is_null() {
        return Err(refused("the argument 'ptr' is NULL".to_owned()));
    }
    // The memory is used by its address from now on.
    Ok(ptr.expose_provenance() as u64)
}

/// Registers host memory and returns its device address.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtHostRegister(
    ptr: *mut c_void,
    size: u64,
    r#type: abi::aclrtHostRegisterType,
    devPtr: *mut *mut c_void,
) -> abi::aclError {
    entry("aclrtHostRegister", || {
        let out = out!(devPtr);
        let known = abi::ACL_HOST_REGISTER_MAPPED
            | abi::ACL_HOST_REGISTER_IOMEMORY
            | abi::ACL_HOST_REGISTER_READONLY;
        if r#type & !known != 0 {
            return Err(CallError::coded(
                abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                format!("the type {type:#x} has unknown bits"),
            ));
        }
        let address = checked(ptr)?;
        register(address, size)?;
        out.write(host_pointer(address));
        Ok(())
    })
}
const _: abi::aclrtHostRegisterFn = aclrtHostRegister;

/// Registers host memory.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtHostRegisterV2(
    ptr: *mut c_void,
    size: u64,
    flag: u32,
) -> abi::aclError {
    entry("aclrtHostRegisterV2", || {
        let known = abi::ACL_HOST_REG_MAPPED
            | abi::ACL_HOST_REG_IOMEMORY
            | abi::ACL_HOST_REG_READONLY
            | abi::ACL_HOST_REG_PINNED;
        if flag == 0 || flag & !known != 0 {
            return Err(refused(format!(
                "the flag {flag:#x} is not a combination of ACL_HOST_REG_* values"
            )));
        }
        register(checked(ptr)?, size)
    })
}
const _: abi::aclrtHostRegisterV2Fn = aclrtHostRegisterV2;

/// The device address of an address in registered host memory.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtHostGetDevicePointer(
    pHost: *mut c_void,
    pDevice: *mut *mut c_void,
    flag: u32,
) -> abi::aclError {
    entry("aclrtHostGetDevicePointer", || {
        let out = out!(pDevice);
        let address = not_null(pHost, "pHost")?;
        if flag != 0 {
            return bad_value("flag", flag, "it is reserved and must be 0");
        }
        if !process::runtime()?.is_registered(address) {
            return Err(refused(format!("{address:#x} is not registered")));
        }
        out.write(pHost);
        Ok(())
    })
}
const _: abi::aclrtHostGetDevicePointerFn = aclrtHostGetDevicePointer;

/// Ends a registration. Waits for queued work that may use the memory, unless that waits for the program.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtHostUnregister(ptr: *mut c_void) -> abi::aclError {
    entry("aclrtHostUnregister", || {
        let address = checked(ptr)?;
        if !process::runtime()?.unregister_host(address) {
            return Err(CallError::coded(
                abi::ACL_ERROR_HOST_MEMORY_NOT_REGISTERED,
                format!("no registered range starts at {address:#x}"),
            ));
        }
        Ok(())
    })
}
const _: abi::aclrtHostUnregisterFn = aclrtHostUnregister;
