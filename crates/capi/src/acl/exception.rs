//! `acl/rt/callback.h` and `acl/rt/device.h`: functions that learn of failed tasks, and the end of all work of a device.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{c_char, c_void};
use std::time::Duration;

use millpond_abi as abi;

use crate::boundary::{self, CallError, bad_value, entry, value_entry};
use crate::exceptions::{self, Failure};
use crate::hooks::{self, UserData};
use crate::process;

/// What a getter returns that cannot answer.
const UNKNOWN: u32 = u32::MAX;

/// Sets the function that learns of failed tasks, in place of an earlier one.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSetExceptionInfoCallback(
    callback: abi::aclrtExceptionInfoCallback,
) -> abi::aclError {
    entry("aclrtSetExceptionInfoCallback", || {
        exceptions::set(callback)
    })
}
const _: abi::aclrtSetExceptionInfoCallbackFn = aclrtSetExceptionInfoCallback;

/// Adds a function that learns of failed tasks.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtExceptionInfoCallbackRegister(
    callback: abi::aclrtExceptionInfoCallback,
) -> abi::aclError {
    entry("aclrtExceptionInfoCallbackRegister", || {
        exceptions::add(callback.ok_or_else(|| CallError::null("callback"))?)
    })
}
const _: abi::aclrtExceptionInfoCallbackRegisterFn = aclrtExceptionInfoCallbackRegister;

/// Removes it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtExceptionInfoCallbackUnregister(
    callback: abi::aclrtExceptionInfoCallback,
) -> abi::aclError {
    entry("aclrtExceptionInfoCallbackUnregister", || {
        if !exceptions::remove(callback.ok_or_else(|| CallError::null("callback"))?) {
            return bad_value(
                "callback",
                "a function",
                "it must be one that aclrtExceptionInfoCallbackRegister added",
            );
        }
        Ok(())
    })
}
const _: abi::aclrtExceptionInfoCallbackUnregisterFn = aclrtExceptionInfoCallbackUnregister;

fn ask(
    function: &'static str,
    info: *const abi::aclrtExceptionInfo,
    read: impl FnOnce(Failure) -> u32,
) -> u32 {
    value_entry(function, UNKNOWN, || {
        boundary::not_null(info, "info")?;
        let Some(failure) = exceptions::get(info) else {
            return bad_value(
                "info",
                format!("{:#x}", info.addr()),
                "it is valid only inside the function that got it",
            );
        };
        Ok(read(failure))
    })
}

/// The number of the task in its stream.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetTaskIdFromExceptionInfo(
    info: *const abi::aclrtExceptionInfo,
) -> u32 {
    ask("aclrtGetTaskIdFromExceptionInfo", info, |it| it.task)
}
const _: abi::aclrtGetTaskIdFromExceptionInfoFn = aclrtGetTaskIdFromExceptionInfo;

/// The number of the stream.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetStreamIdFromExceptionInfo(
    info: *const abi::aclrtExceptionInfo,
) -> u32 {
    ask("aclrtGetStreamIdFromExceptionInfo", info, |it| it.stream)
}
const _: abi::aclrtGetStreamIdFromExceptionInfoFn = aclrtGetStreamIdFromExceptionInfo;

/// The number that the system gave to the thread that queued the task. Unknown if the task was queued before the first function was registered.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetThreadIdFromExceptionInfo(
    info: *const abi::aclrtExceptionInfo,
) -> u32 {
    ask("aclrtGetThreadIdFromExceptionInfo", info, |it| {
        it.thread.unwrap_or(UNKNOWN)
    })
}
const _: abi::aclrtGetThreadIdFromExceptionInfoFn = aclrtGetThreadIdFromExceptionInfo;

/// The device.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetDeviceIdFromExceptionInfo(
    info: *const abi::aclrtExceptionInfo,
) -> u32 {
    ask("aclrtGetDeviceIdFromExceptionInfo", info, |it| it.device)
}
const _: abi::aclrtGetDeviceIdFromExceptionInfoFn = aclrtGetDeviceIdFromExceptionInfo;

/// The code that the next synchronisation of the stream returns.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetErrorCodeFromExceptionInfo(
    info: *const abi::aclrtExceptionInfo,
) -> u32 {
    ask("aclrtGetErrorCodeFromExceptionInfo", info, |it| {
        it.code.cast_unsigned()
    })
}
const _: abi::aclrtGetErrorCodeFromExceptionInfoFn = aclrtGetErrorCodeFromExceptionInfo;

/// Registers a function that is called before and after all work of a device is aborted.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSetDeviceTaskAbortCallback(
    regName: *const c_char,
    callback: abi::aclrtDeviceTaskAbortCallback,
    args: *mut c_void,
) -> abi::aclError {
    entry("aclrtSetDeviceTaskAbortCallback", || {
        // SAFETY: the header's contract for the arguments.
        let name = unsafe { boundary::text(regName, "regName") }?;
        hooks::register_abort(name, callback, UserData(args));
        Ok(())
    })
}
const _: abi::aclrtSetDeviceTaskAbortCallbackFn = aclrtSetDeviceTaskAbortCallback;

/// Drops the work of all streams of a device that has not begun, and waits for the rest. The limit is in milliseconds; 0 for none.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtDeviceTaskAbort(deviceId: i32, timeout: u32) -> abi::aclError {
    entry("aclrtDeviceTaskAbort", || {
        let device = process::runtime()?.device(i64::from(deviceId))?;
        hooks::abort_stage(deviceId, abi::ACL_RT_DEVICE_TASK_ABORT_PRE, timeout)?;
        let limit = (timeout > 0).then(|| Duration::from_millis(u64::from(timeout)));
        if !device.abort(limit) {
            return Err(CallError::coded(
                abi::ACL_ERROR_RT_TASK_TIMEOUT,
                format!("work that has begun did not end within {timeout} ms"),
            ));
        }
        hooks::abort_stage(deviceId, abi::ACL_RT_DEVICE_TASK_ABORT_POST, timeout)
    })
}
const _: abi::aclrtDeviceTaskAbortFn = aclrtDeviceTaskAbort;
