//! Memory that programs announce to a communicator. Operations here need no announcement, so it is remembered and checked.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_void;

use millpond_abi as abi;

use super::communicators::{Entry, find};
use super::status;
use crate::boundary::{CallError, array, bad_value, not_null, out};
use crate::handles::{pointer, word};

fn announce(
    entry: &Entry,
    address: *const c_void,
    argument: &'static str,
    bytes: u64,
) -> Result<u64, CallError> {
    let address = not_null(address, argument)?;
    if bytes == 0 {
        return bad_value("size", 0, "it must be more than 0");
    }
    entry.announced.lock().insert(address, bytes);
    Ok(address)
}

fn withdraw(
    entry: &Entry,
    address: *const c_void,
    argument: &'static str,
) -> Result<(), CallError> {
    let known = entry.announced.lock().remove(&not_null(address, argument)?);
    match known {
        Some(_) => Ok(()),
        None => bad_value(
            argument,
            format!("{:#x}", word(address)),
            "it must be registered with this communicator",
        ),
    }
}

/// Announces memory.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclCommRegister(
    comm: abi::HcclComm,
    addr: *mut c_void,
    size: u64,
    handle: *mut *mut c_void,
    _flag: u32,
) -> abi::HcclResult {
    status::entry("HcclCommRegister", || {
        let (entry, handle) = (find(comm)?, out!(handle));
        handle.write(pointer(announce(&entry, addr, "addr", size)?));
        Ok(())
    })
}
const _: abi::HcclCommRegisterFn = HcclCommRegister;

/// Ends an announcement.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclCommDeregister(
    comm: abi::HcclComm,
    handle: *mut c_void,
) -> abi::HcclResult {
    status::entry("HcclCommDeregister", || {
        withdraw(&*find(comm)?, handle, "handle")
    })
}
const _: abi::HcclCommDeregisterFn = HcclCommDeregister;

/// Exchanges announced memory with other ranks.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclCommExchangeMem(
    comm: abi::HcclComm,
    handle: *mut c_void,
    peerRanks: *mut u32,
    peerRankNum: u32,
) -> abi::HcclResult {
    status::entry("HcclCommExchangeMem", || {
        let entry = find(comm)?;
        // SAFETY: the contract of the function.
        let peers: Vec<u32> =
            unsafe { array(peerRanks.cast_const(), peerRankNum as usize, "peerRanks") }?;
        for peer in peers {
            if peer as usize >= entry.communicator.ranks() {
                return bad_value("peerRanks", peer, "it must be a rank of the communicator");
            }
        }
        let address = not_null(handle, "handle")?;
        if !entry.announced.lock().contains_key(&address) {
            let expected = "it must be a handle of HcclCommRegister";
            return bad_value("handle", format!("{address:#x}"), expected);
        }
        Ok(())
    })
}
const _: abi::HcclCommExchangeMemFn = HcclCommExchangeMem;

/// Announces a range of reserved addresses.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclCommSetMemoryRange(
    comm: abi::HcclComm,
    baseVirPtr: *mut c_void,
    size: usize,
    _alignment: usize,
    _flags: u64,
) -> abi::HcclResult {
    status::entry("HcclCommSetMemoryRange", || {
        announce(&*find(comm)?, baseVirPtr, "baseVirPtr", size as u64).map(drop)
    })
}
const _: abi::HcclCommSetMemoryRangeFn = HcclCommSetMemoryRange;

/// Ends the announcement of a range.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclCommUnsetMemoryRange(
    comm: abi::HcclComm,
    baseVirPtr: *mut c_void,
) -> abi::HcclResult {
    status::entry("HcclCommUnsetMemoryRange", || {
        withdraw(&*find(comm)?, baseVirPtr, "baseVirPtr")
    })
}
const _: abi::HcclCommUnsetMemoryRangeFn = HcclCommUnsetMemoryRange;

/// Announces that memory is mapped in a range.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclCommActivateCommMemory(
    comm: abi::HcclComm,
    virPtr: *mut c_void,
    size: usize,
    _offset: usize,
    _handle: abi::aclrtDrvMemHandle,
    _flags: u64,
) -> abi::HcclResult {
    status::entry("HcclCommActivateCommMemory", || {
        let entry = find(comm)?;
        let address = not_null(virPtr, "virPtr")?;
        if size == 0 {
            return bad_value("size", 0, "it must be more than 0");
        }
        // The first part of a range has the range's own address.
        entry.announced.lock().entry(address).or_insert(size as u64);
        Ok(())
    })
}
const _: abi::HcclCommActivateCommMemoryFn = HcclCommActivateCommMemory;

/// Ends the announcement of mapped memory.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclCommDeactivateCommMemory(
    comm: abi::HcclComm,
    virPtr: *mut c_void,
) -> abi::HcclResult {
    status::entry("HcclCommDeactivateCommMemory", || {
        find(comm)?;
        not_null(virPtr, "virPtr").map(drop)
    })
}
const _: abi::HcclCommDeactivateCommMemoryFn = HcclCommDeactivateCommMemory;
