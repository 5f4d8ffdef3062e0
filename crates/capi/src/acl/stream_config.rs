//! `acl/rt/stream.h`: streams that are made from a configuration.
//!
//! The header shows the fields of a configuration, and programs may read and write them, so it is a real object. Whether an address is one
//! that lives is looked up.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::collections::HashSet;
use std::ffi::c_void;

use millpond_abi as abi;
use parking_lot::Mutex;

use super::memory::memory_at;
use super::stream::create_with;
use crate::boundary::{CallError, bad_value, entry, not_null, out, read, value_entry};
use crate::handles::pointer;

/// The addresses of those that live.
static LIVE: Mutex<Option<HashSet<u64>>> = Mutex::new(None);

/// Checks that a configuration lives.
fn known(handle: *const abi::aclrtStreamConfigHandle) -> Result<u64, CallError> {
    let address = not_null(handle, "handle")?;
    if !LIVE
        .lock()
        .as_ref()
        .is_some_and(|live| live.contains(&address))
    {
        return Err(CallError::coded(
            abi::ACL_ERROR_RT_INVALID_HANDLE,
            format!(
                "the argument 'handle' is {address:#x}, but must come from aclrtCreateStreamConfigHandle and not have been destroyed"
            ),
        ));
    }
    Ok(address)
}

/// Forgets those that the program did not destroy. Their memory stays: the program may look at it.
pub(crate) fn forget_all() {
    *LIVE.lock() = None;
}

/// Creates a configuration: no work memory, no flags, priority 0.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtCreateStreamConfigHandle() -> *mut abi::aclrtStreamConfigHandle
{
    value_entry(
        "aclrtCreateStreamConfigHandle",
        std::ptr::null_mut(),
        || {
            let made = Box::into_raw(Box::new(abi::aclrtStreamConfigHandle {
                workptr: std::ptr::null_mut(),
                workSize: 0,
                flag: 0,
                priority: 0,
            }));
            let mut live = LIVE.lock();
            live.get_or_insert_default()
                .insert(made.expose_provenance() as u64);
            Ok(made)
        },
    )
}
const _: abi::aclrtCreateStreamConfigHandleFn = aclrtCreateStreamConfigHandle;

/// Destroys a configuration. Streams that were made from it stay.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtDestroyStreamConfigHandle(
    handle: *mut abi::aclrtStreamConfigHandle,
) -> abi::aclError {
    entry("aclrtDestroyStreamConfigHandle", || {
        let address = known(handle)?;
        let mut live = LIVE.lock();
        // Another thread may have been faster.
        if live.as_mut().is_some_and(|live| live.remove(&address)) {
            // SAFETY: it came out of a box, lives as just checked, and is dropped by the thread that removed it.
            drop(unsafe { Box::from_raw(handle) });
        }
        Ok(())
    })
}
const _: abi::aclrtDestroyStreamConfigHandleFn = aclrtDestroyStreamConfigHandle;

/// Reads the value of a field.
///
/// # Safety
/// `value` is null or points to `size` readable bytes.
unsafe fn given<T: Copy>(value: *const c_void, size: usize) -> Result<T, CallError> {
    not_null(value, "attrValue")?;
    if size != size_of::<T>() {
        return bad_value("valueSize", size, "it must be the size of the field");
    }
    // SAFETY: readable as the caller promises, and of this size as just checked.
    unsafe { read(value.cast::<T>(), "attrValue") }
}

/// Changes a field of a configuration.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSetStreamConfigOpt(
    handle: *mut abi::aclrtStreamConfigHandle,
    attr: abi::aclrtStreamConfigAttr,
    attrValue: *const c_void,
    valueSize: usize,
) -> abi::aclError {
    entry("aclrtSetStreamConfigOpt", || {
        known(handle)?;
        // SAFETY: it lives, as just checked.
        let mut changed = unsafe { read(handle, "handle") }?;
        match attr {
            abi::ACL_RT_STREAM_WORK_ADDR_PTR => {
                // SAFETY: the header's contract for the arguments.
                changed.workptr = unsafe { given(attrValue, valueSize) }?;
            }
            abi::ACL_RT_STREAM_WORK_SIZE => {
                // SAFETY: as above.
                changed.workSize = unsafe { given(attrValue, valueSize) }?;
            }
            abi::ACL_RT_STREAM_FLAG => {
                // SAFETY: as above.
                changed.flag = unsafe { given(attrValue, valueSize) }?;
            }
            abi::ACL_RT_STREAM_PRIORITY => {
                // SAFETY: as above.
                changed.priority = unsafe { given(attrValue, valueSize) }?;
            }
            other => {
                return bad_value("attr", other, "it must be a value of aclrtStreamConfigAttr");
            }
        }
        // SAFETY: it lives, as checked above.
        unsafe { handle.write(changed) };
        Ok(())
    })
}
const _: abi::aclrtSetStreamConfigOptFn = aclrtSetStreamConfigOpt;

/// Creates a stream as a configuration says. Work memory has to be the device's, and is not used: the runtime has its own.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtCreateStreamV2(
    stream: *mut abi::aclrtStream,
    handle: *const abi::aclrtStreamConfigHandle,
) -> abi::aclError {
    entry("aclrtCreateStreamV2", || {
        let out = out!(stream);
        known(handle)?;
        // SAFETY: it lives, as just checked.
        let config = unsafe { read(handle, "handle") }?;
        if config.workptr.is_null() != (config.workSize == 0) {
            return bad_value(
                "handle",
                "a configuration with an address or a size of work memory alone",
                "it must have both or neither",
            );
        }
        if config.workSize > 0 {
            memory_at(config.workptr.addr() as u64, config.workSize as u64)?;
        }
        let flag = u32::try_from(config.flag).unwrap_or(u32::MAX);
        out.write(pointer(create_with(config.priority, flag)?));
        Ok(())
    })
}
const _: abi::aclrtCreateStreamV2Fn = aclrtCreateStreamV2;
