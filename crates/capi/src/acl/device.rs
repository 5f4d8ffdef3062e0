//! `acl/rt/device.h`: devices, set and reset.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::time::Duration;

use millpond_abi as abi;
use millpond_trace::Operation;

use crate::boundary::{CallError, bad_value, entry, out};
use crate::hooks::{self, DeviceState};
use crate::{current, process};

/// Makes a device's primary context the thread's current one, and counts it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSetDevice(deviceId: i32) -> abi::aclError {
    entry("aclrtSetDevice", || {
        // Before any hook hears of it.
        process::runtime()?.device(i64::from(deviceId))?;
        hooks::device_state(deviceId, DeviceState::SetPre);
        let entry = current::retain_primary(i64::from(deviceId))?;
        current::set(Some(entry));
        hooks::device_state(deviceId, DeviceState::SetPost);
        Ok(())
    })
}
const _: abi::aclrtSetDeviceFn = aclrtSetDevice;

/// Takes one `aclrtSetDevice` back, or all; without any left the device is torn down.
pub(crate) fn reset(device: i64, force: bool) -> Result<(), CallError> {
    let handle = process::runtime()?.device(device)?;
    let number = i32::try_from(device).unwrap_or(i32::MAX);
    // A refused reset does not call hooks.
    let leave = current::begin_release(device, force)?;
    hooks::device_state(number, DeviceState::ResetPre);
    let ended = match current::release_primary(device, &leave) {
        None => Ok(()),
        Some(entry) => {
            process::emit(|| Operation::ResetBegan {
                device: handle.index(),
            });
            let ended = current::end(&entry, force);
            // Explicit contexts of the device keep its memory; without any, all of it goes.
            if current::has_explicit_context(device) {
                ended
            } else {
                ended.and(handle.reset().map_err(CallError::from))
            }
        }
    };
    hooks::device_state(number, DeviceState::ResetPost);
    ended
}

/// Destroys everything on a device that is no longer in use.
pub(crate) fn release_memory(device: i64) -> Result<(), CallError> {
    if current::primary_is_active(device) || current::has_explicit_context(device) {
        return Ok(());
    }
    let device = process::runtime()?.device(device)?;
    process::emit(|| Operation::ResetBegan {
        device: device.index(),
    });
    Ok(device.reset()?)
}

/// Takes one `aclrtSetDevice` back; the last one waits for the device's work and releases it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtResetDevice(deviceId: i32) -> abi::aclError {
    entry("aclrtResetDevice", || reset(i64::from(deviceId), false))
}
const _: abi::aclrtResetDeviceFn = aclrtResetDevice;

/// Takes every `aclrtSetDevice` back at once; work that has not begun is dropped.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtResetDeviceForce(deviceId: i32) -> abi::aclError {
    entry("aclrtResetDeviceForce", || reset(i64::from(deviceId), true))
}
const _: abi::aclrtResetDeviceForceFn = aclrtResetDeviceForce;

/// The device of the current context, or the one that it was before `aclFinalize`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetDevice(deviceId: *mut i32) -> abi::aclError {
    entry("aclrtGetDevice", || {
        let out = out!(deviceId);
        out.write(i32::try_from(current::device()?).unwrap_or(i32::MAX));
        Ok(())
    })
}
const _: abi::aclrtGetDeviceFn = aclrtGetDevice;

/// How many devices there are.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetDeviceCount(count: *mut u32) -> abi::aclError {
    entry("aclrtGetDeviceCount", || {
        let out = out!(count);
        out.write(process::settings()?.visible_devices());
        Ok(())
    })
}
const _: abi::aclrtGetDeviceCountFn = aclrtGetDeviceCount;

/// Whether the program runs beside the device or on it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetRunMode(runMode: *mut abi::aclrtRunMode) -> abi::aclError {
    entry("aclrtGetRunMode", || {
        let out = out!(runMode);
        let unified = process::settings()?.unified;
        out.write(if unified {
            abi::ACL_DEVICE
        } else {
            abi::ACL_HOST
        });
        Ok(())
    })
}
const _: abi::aclrtGetRunModeFn = aclrtGetRunMode;

/// Chooses a task scheduler of the device. There is one, so only the value is checked.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSetTsDevice(tsId: abi::aclrtTsId) -> abi::aclError {
    entry("aclrtSetTsDevice", || {
        if !(abi::ACL_TS_ID_AICORE..=abi::ACL_TS_ID_AIVECTOR).contains(&tsId) {
            return bad_value(
                "tsId",
                tsId,
                "it must be ACL_TS_ID_AICORE or ACL_TS_ID_AIVECTOR",
            );
        }
        current::with(|_| Ok(()))
    })
}
const _: abi::aclrtSetTsDeviceFn = aclrtSetTsDevice;

/// Waits for everything that is queued on the current device.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSynchronizeDevice() -> abi::aclError {
    entry("aclrtSynchronizeDevice", || {
        let device = current::context()?.context.device().clone();
        Ok(device.synchronize()?)
    })
}
const _: abi::aclrtSynchronizeDeviceFn = aclrtSynchronizeDevice;

/// The same with a limit in milliseconds; -1 waits as long as it takes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSynchronizeDeviceWithTimeout(timeout: i32) -> abi::aclError {
    entry("aclrtSynchronizeDeviceWithTimeout", || {
        let limit = timeout_of(timeout)?;
        let device = current::context()?.context.device().clone();
        Ok(device.synchronize_within(limit)?)
    })
}
const _: abi::aclrtSynchronizeDeviceWithTimeoutFn = aclrtSynchronizeDeviceWithTimeout;

/// A limit in milliseconds, as synchronisations take it.
pub(crate) fn timeout_of(milliseconds: i32) -> Result<Option<Duration>, CallError> {
    match u64::try_from(milliseconds) {
        Ok(limit) => Ok(Some(Duration::from_millis(limit))),
        Err(_) if milliseconds == -1 => Ok(None),
        Err(_) => Err(CallError::coded(
            abi::ACL_ERROR_RT_PARAM_INVALID,
            format!(
                "the argument 'timeout' is {milliseconds}, but must be -1 (no limit) or a number of milliseconds"
            ),
        )),
    }
}
