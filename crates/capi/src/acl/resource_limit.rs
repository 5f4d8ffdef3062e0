//! `acl/rt/resource_limit.h`: how many cores of a device a process, a stream or a thread may use; and of `acl/rt/device_info.h`, how
//! much memory kernels may use for stacks and for what they print.
//!
//! Kernels run on the machine's own processor, so the numbers change nothing; they are kept and returned. `MILLPOND_THREADS` bounds
//! the threads of kernels.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::cell::Cell;
use std::collections::HashMap;

use millpond_abi as abi;
use parking_lot::Mutex;

use crate::boundary::{CallError, bad_value, entry, out};
use crate::{current, handles, process};

/// Limits of cube cores and of vector cores, as far as they were set.
type Limits = [Option<u32>; 2];

#[derive(Debug, Default)]
struct Set {
    /// Bytes, by device and kind.
    bytes: HashMap<(u32, abi::aclrtDeviceLimit), usize>,
    devices: HashMap<u32, Limits>,
    /// By the numbers of streams, which are never reused.
    streams: HashMap<u64, Limits>,
}

static SET: Mutex<Option<Set>> = Mutex::new(None);

/// Forgets what the program has set.
pub(crate) fn forget_all() {
    *SET.lock() = None;
}

thread_local! {
    /// The stream whose limits this thread uses.
    static USED: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Drops what was set for a stream that ends.
pub(super) fn forget(stream: u64) {
    if let Some(set) = &mut *SET.lock() {
        set.streams.remove(&stream);
    }
}

/// The place of a type, and how many cores of it a device has.
fn cores(of: abi::aclrtDevResLimitType) -> Result<(usize, u32), CallError> {
    let profile = &process::settings()?.profile;
    match of {
        abi::ACL_RT_DEV_RES_CUBE_CORE => Ok((0, profile.cube_cores)),
        abi::ACL_RT_DEV_RES_VECTOR_CORE => Ok((1, profile.vector_cores)),
        other => bad_value(
            "type",
            other,
            "it must be ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE",
        ),
    }
}

/// Checks a limit.
fn limit(of: abi::aclrtDevResLimitType, value: u32) -> Result<(usize, u32), CallError> {
    let (place, all) = cores(of)?;
    if value == 0 || value > all {
        return Err(CallError::coded(
            abi::ACL_ERROR_RT_PARAM_INVALID,
            format!("'value' is {value}: it must be from 1 to {all}, which the device has"),
        ));
    }
    Ok((place, value))
}

fn known(device: i32) -> Result<u32, CallError> {
    process::settings()?.physical(i64::from(device))?;
    Ok(device.cast_unsigned())
}

/// What applies: the stream's limit, else the device's, else all cores.
fn applies(
    device: u32,
    stream: Option<u64>,
    of: abi::aclrtDevResLimitType,
) -> Result<u32, CallError> {
    let (place, all) = cores(of)?;
    let set = SET.lock();
    let found = set.as_ref().and_then(|set| {
        let of_stream = stream.and_then(|stream| set.streams.get(&stream)?[place]);
        of_stream.or_else(|| set.devices.get(&device)?[place])
    });
    Ok(found.unwrap_or(all))
}

/// How many cores of a device this process may use.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetDeviceResLimit(
    deviceId: i32,
    r#type: abi::aclrtDevResLimitType,
    value: *mut u32,
) -> abi::aclError {
    entry("aclrtGetDeviceResLimit", || {
        let out = out!(value);
        out.write(applies(known(deviceId)?, None, r#type)?);
        Ok(())
    })
}
const _: abi::aclrtGetDeviceResLimitFn = aclrtGetDeviceResLimit;

/// Limits them.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSetDeviceResLimit(
    deviceId: i32,
    r#type: abi::aclrtDevResLimitType,
    value: u32,
) -> abi::aclError {
    entry("aclrtSetDeviceResLimit", || {
        let device = known(deviceId)?;
        let (place, value) = limit(r#type, value)?;
        let mut set = SET.lock();
        let limits = set.get_or_insert_default().devices.entry(device);
        limits.or_default()[place] = Some(value);
        Ok(())
    })
}
const _: abi::aclrtSetDeviceResLimitFn = aclrtSetDeviceResLimit;

/// Ends the limits of a device.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtResetDeviceResLimit(deviceId: i32) -> abi::aclError {
    entry("aclrtResetDeviceResLimit", || {
        let device = known(deviceId)?;
        SET.lock().get_or_insert_default().devices.remove(&device);
        Ok(())
    })
}
const _: abi::aclrtResetDeviceResLimitFn = aclrtResetDeviceResLimit;

/// A stream's device and number.
fn of_stream(stream: abi::aclrtStream) -> Result<(u32, u64), CallError> {
    if stream.is_null() {
        return current::with(|entry| {
            let context = &entry.context;
            Ok((context.device().index(), context.default_stream().id()))
        });
    }
    let entry = handles::stream(stream, "stream")?;
    Ok((entry.context.context.device().index(), entry.stream.id()))
}

/// How many cores work of a stream may use.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetStreamResLimit(
    stream: abi::aclrtStream,
    r#type: abi::aclrtDevResLimitType,
    value: *mut u32,
) -> abi::aclError {
    entry("aclrtGetStreamResLimit", || {
        let out = out!(value);
        let (device, stream) = of_stream(stream)?;
        out.write(applies(device, Some(stream), r#type)?);
        Ok(())
    })
}
const _: abi::aclrtGetStreamResLimitFn = aclrtGetStreamResLimit;

/// Limits them.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSetStreamResLimit(
    stream: abi::aclrtStream,
    r#type: abi::aclrtDevResLimitType,
    value: u32,
) -> abi::aclError {
    entry("aclrtSetStreamResLimit", || {
        let (_, stream) = of_stream(stream)?;
        let (place, value) = limit(r#type, value)?;
        let mut set = SET.lock();
        let limits = set.get_or_insert_default().streams.entry(stream);
        limits.or_default()[place] = Some(value);
        Ok(())
    })
}
const _: abi::aclrtSetStreamResLimitFn = aclrtSetStreamResLimit;

/// Ends the limits of a stream.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtResetStreamResLimit(
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtResetStreamResLimit", || {
        forget(of_stream(stream)?.1);
        Ok(())
    })
}
const _: abi::aclrtResetStreamResLimitFn = aclrtResetStreamResLimit;

/// Makes this thread use the limits of a stream.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtUseStreamResInCurrentThread(
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtUseStreamResInCurrentThread", || {
        USED.set(Some(of_stream(stream)?.1));
        Ok(())
    })
}
const _: abi::aclrtUseStreamResInCurrentThreadFn = aclrtUseStreamResInCurrentThread;

/// Ends that.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtUnuseStreamResInCurrentThread(
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtUnuseStreamResInCurrentThread", || {
        let (_, stream) = of_stream(stream)?;
        if USED.get() == Some(stream) {
            USED.set(None);
        }
        Ok(())
    })
}
const _: abi::aclrtUnuseStreamResInCurrentThreadFn = aclrtUnuseStreamResInCurrentThread;

/// How many cores work may use that this thread queues.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetResInCurrentThread(
    r#type: abi::aclrtDevResLimitType,
    value: *mut u32,
) -> abi::aclError {
    entry("aclrtGetResInCurrentThread", || {
        let out = out!(value);
        let device = current::with(|entry| Ok(entry.context.device().index()))?;
        out.write(applies(device, USED.get(), r#type)?);
        Ok(())
    })
}
const _: abi::aclrtGetResInCurrentThreadFn = aclrtGetResInCurrentThread;

/// Checks a kind of limit: chips before Ascend 950 have those of vector kernels only.
fn bytes_limit(limit: abi::aclrtDeviceLimit) -> Result<(), CallError> {
    match limit {
        abi::ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE
        | abi::ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE => Ok(()),
        abi::ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE
        | abi::ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE
        | abi::ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE => {
            let profile = &process::settings()?.profile;
            if profile.has_threads {
                return Ok(());
            }
            Err(CallError::coded(
                abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                format!(
                    "the argument 'limit' is {limit}, a limit of SIMT kernels, which {} does not run",
                    profile.soc_name
                ),
            ))
        }
        other => bad_value("limit", other, "it must be a value of aclrtDeviceLimit"),
    }
}

/// Limits what kernels on the current device may use.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtDeviceSetLimit(
    limit: abi::aclrtDeviceLimit,
    value: usize,
) -> abi::aclError {
    entry("aclrtDeviceSetLimit", || {
        bytes_limit(limit)?;
        let (device, room) = current::with(|entry| {
            let device = entry.context.device();
            Ok((device.index(), device.room().1))
        })?;
        if value == 0 || value as u64 > room {
            return Err(CallError::coded(
                abi::ACL_ERROR_RT_PARAM_INVALID,
                format!("'value' is {value}: it must be from 1 to {room}, the bytes of the device"),
            ));
        }
        let mut set = SET.lock();
        let limits = &mut set.get_or_insert_default().bytes;
        limits.insert((device, limit), value);
        Ok(())
    })
}
const _: abi::aclrtDeviceSetLimitFn = aclrtDeviceSetLimit;

/// The limit that was set.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtDeviceGetLimit(
    limit: abi::aclrtDeviceLimit,
    value: *mut usize,
) -> abi::aclError {
    entry("aclrtDeviceGetLimit", || {
        let out = out!(value);
        bytes_limit(limit)?;
        let device = current::with(|entry| Ok(entry.context.device().index()))?;
        let set = SET.lock();
        let found = set
            .as_ref()
            .and_then(|set| set.bytes.get(&(device, limit)).copied());
        out.write(found.ok_or_else(|| {
            CallError::coded(
                abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                "the limit was not set, and what a chip has without it is not known",
            )
        })?);
        Ok(())
    })
}
const _: abi::aclrtDeviceGetLimitFn = aclrtDeviceGetLimit;
