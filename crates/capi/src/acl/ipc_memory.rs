//! `acl/rt/ipc.h`: device memory that other processes use, by a text key.
//!
//! An importer maps the exporter's pages at reserved addresses of its own, so everything that accepts device memory accepts
//! them. They are not a block: `aclrtFree` refuses them, `aclrtIpcMemClose` unmaps them.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::collections::HashMap;
use std::ffi::{c_char, c_void};

use millpond::{Location, Mapping, PhysicalRequest, Reservation};
use millpond_abi as abi;
use millpond_sharing::hex;
use parking_lot::Mutex;

use crate::boundary::{self, CallError, bad_value, entry, not_null, out};
use crate::handles::pointer;
use crate::sharing::wire::{KEY_TEXT, Key, key_of};
use crate::sharing::{self, Exported, unknown_key};
use crate::{current, process};

/// Memory that was imported under a key.
#[derive(Debug)]
struct Import {
    /// Dropped first: what is mapped goes before its addresses.
    mapping: Mapping,
    _addresses: Reservation,
    address: u64,
    /// How often it was imported and not closed.
    count: u64,
}

static IMPORTS: Mutex<Option<HashMap<Key, Import>>> = Mutex::new(None);

/// Reads a key: 64 characters and a terminator.
///
/// # Safety
/// `key` is null or points to a NUL-terminated text.
pub(crate) unsafe fn read_key(key: *const c_char) -> Result<Key, CallError> {
    // SAFETY: as the caller promises.
    let text = unsafe { boundary::text(key, "key") }?;
    key_of(text.as_bytes()).ok_or_else(unknown_key)
}

/// Writes a key and its terminator to `to`, which has room for `room` characters.
///
/// # Safety
/// `to` points to `room` writable characters.
pub(crate) unsafe fn write_key(to: *mut c_char, key: &Key) {
    let text = hex(key);
    for (index, byte) in text.bytes().chain([0]).enumerate() {
        // SAFETY: the caller has checked that there is room for a key.
        unsafe { boundary::put(to, index, c_char::from_le_bytes([byte])) };
    }
}

/// Refuses a place that is too small for a key.
pub(crate) fn room_for_key(key: *mut c_char, room: usize) -> Result<(), CallError> {
    not_null(key, "key")?;
    if room <= KEY_TEXT {
        return bad_value("len", room, "a key needs 65 characters with its terminator");
    }
    Ok(())
}

/// Copies a list of processes.
///
/// # Safety
/// `pid` is null or points to `num` numbers.
pub(crate) unsafe fn processes(pid: *mut i32, num: usize) -> Result<Vec<i32>, CallError> {
    not_null(pid, "pid")?;
    if num == 0 {
        return bad_value("num", 0, "it must be at least 1");
    }
    // SAFETY: as the caller promises.
    unsafe { boundary::array(pid, num, "pid") }
}

/// Exports device memory under a key.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtIpcMemGetExportKey(
    devPtr: *mut c_void,
    size: usize,
    key: *mut c_char,
    len: usize,
    flags: u64,
) -> abi::aclError {
    entry("aclrtIpcMemGetExportKey", || {
        let address = not_null(devPtr, "devPtr")?;
        room_for_key(key, len)?;
        if size == 0 {
            return bad_value("size", 0, "it must be at least 1");
        }
        if flags > abi::ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION {
            return bad_value(
                "flags",
                flags,
                "it must be 0 or ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION",
            );
        }
        let range = process::runtime()?.shared_range(address, size as u64)?;
        let open = flags == abi::ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION;
        let made = sharing::hub()?.export(Exported::Memory(range), open)?;
        // SAFETY: there is room for a key, as was checked, where the header's contract says.
        unsafe { write_key(key, &made) };
        Ok(())
    })
}
const _: abi::aclrtIpcMemGetExportKeyFn = aclrtIpcMemGetExportKey;

/// Maps what a process exported under a key. The same key gives the same address, and is counted.
fn import(key: &Key) -> Result<u64, CallError> {
    let runtime = process::runtime()?;
    let device = current::with(|entry| Ok(entry.context.device().index()))?;
    {
        let mut imports = IMPORTS.lock();
        let imports = imports.get_or_insert_default();
        // A reset of the device has unmapped what was imported before it.
        imports.retain(|_, import| runtime.check_mapped(import.mapping.address(), 1).is_ok());
        if let Some(known) = imports.get_mut(key) {
            known.count += 1;
            return Ok(known.address);
        }
    }
    let found = sharing::import_memory(key)?;
    let request = PhysicalRequest {
        location: Location::Device(device),
        ..found.request
    };
    let addresses = runtime.reserve(request.bytes)?;
    let memory = runtime.import_pages(found.pages, request, found.keep)?;
    let mapping = addresses.map(0, &memory)?;
    let fresh = Import {
        address: mapping.address() + found.skip,
        mapping,
        _addresses: addresses,
        count: 1,
    };
    let mut imports = IMPORTS.lock();
    let imports = imports.get_or_insert_default();
    // Another thread may have been faster; then this one's mapping goes again.
    let import = imports
        .entry(*key)
        .and_modify(|known| known.count += 1)
        .or_insert(fresh);
    Ok(import.address)
}

/// Imports device memory of another process.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtIpcMemImportByKey(
    devPtr: *mut *mut c_void,
    key: *const c_char,
    flags: u64,
) -> abi::aclError {
    entry("aclrtIpcMemImportByKey", || {
        let out = out!(devPtr);
        // SAFETY: the header's contract for the arguments.
        let key = unsafe { read_key(key) }?;
        if flags > abi::ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS {
            return bad_value(
                "flags",
                flags,
                "it must be 0 or ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS",
            );
        }
        out.write(pointer(import(&key)?));
        Ok(())
    })
}
const _: abi::aclrtIpcMemImportByKeyFn = aclrtIpcMemImportByKey;

/// Ends one import of a key, or, in the process that exported it, the key.
fn close(key: &Key) -> Result<(), CallError> {
    let gone = {
        let mut imports = IMPORTS.lock();
        let imports = imports.get_or_insert_default();
        match imports.get_mut(key) {
            Some(known) if known.count > 1 => {
                known.count -= 1;
                return Ok(());
            }
            _ => imports.remove(key),
        }
    };
    if gone.is_some() {
        return Ok(());
    }
    if sharing::hub()?.withdraw(key) {
        return Ok(());
    }
    Err(unknown_key())
}

/// Ends the use of a key.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtIpcMemClose(key: *const c_char) -> abi::aclError {
    entry("aclrtIpcMemClose", || {
        // SAFETY: the header's contract for the argument.
        close(&unsafe { read_key(key) }?)
    })
}
const _: abi::aclrtIpcMemCloseFn = aclrtIpcMemClose;

/// Lets processes import what is exported under a key.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtIpcMemSetImportPid(
    key: *const c_char,
    pid: *mut i32,
    num: usize,
) -> abi::aclError {
    entry("aclrtIpcMemSetImportPid", || {
        // SAFETY: the header's contract for the arguments.
        let key = unsafe { read_key(key) }?;
        // SAFETY: as above.
        let processes = unsafe { processes(pid, num) }?;
        if !sharing::hub()?.allow(&key, &processes) {
            return Err(unknown_key());
        }
        Ok(())
    })
}
const _: abi::aclrtIpcMemSetImportPidFn = aclrtIpcMemSetImportPid;

/// Chooses a connection between devices: there are none.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtIpcMemSetAttr(
    _key: *const c_char,
    _type: abi::aclrtIpcMemAttrType,
    _attr: u64,
) -> abi::aclError {
    entry("aclrtIpcMemSetAttr", || {
        Err(CallError::coded(
            abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            "there are no links between devices to choose from",
        ))
    })
}
const _: abi::aclrtIpcMemSetAttrFn = aclrtIpcMemSetAttr;
