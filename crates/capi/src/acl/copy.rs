//! `acl/rt/copy.h`: copies and fills, at once and in the order of a stream.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_void;

use millpond::Direction;
use millpond::raw::{FillValue, RawCopy, RawFill, RawRows};
use millpond_abi as abi;
use millpond_trace::{Accesses, Operation};

use super::capture_mode;
use crate::boundary::{CallError, bad_value, entry, not_null};
use crate::{current, process, testing};

/// Asynchronous copies of rows are limited to this many bytes a row and this many rows.
const WIDEST: usize = 5_000_000;
const HIGHEST: usize = 5_242_880;

/// What a kind says about the direction.
#[inline(always)]
fn direction(kind: abi::aclrtMemcpyKind) -> Result<Direction, CallError> {
    Ok(match kind {
        abi::ACL_MEMCPY_HOST_TO_HOST => Direction::HostToHost,
        abi::ACL_MEMCPY_HOST_TO_DEVICE | abi::ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE => {
            Direction::HostToDevice
        }
        abi::ACL_MEMCPY_DEVICE_TO_HOST => Direction::DeviceToHost,
        abi::ACL_MEMCPY_DEVICE_TO_DEVICE => Direction::DeviceToDevice,
        abi::ACL_MEMCPY_DEFAULT => Direction::FromAddresses,
        _ => {
            return bad_value(
                "kind",
                kind,
                "it must be a value of aclrtMemcpyKind from 0 to 5",
            );
        }
    })
}

/// For which stream work is meant: none if it is to be done at once.
type Meant = Option<abi::aclrtStream>;

/// Records work that was refused before the runtime saw it, and returns the error.
#[cold]
fn refused(stream: Meant, accesses: impl FnOnce() -> Accesses, error: CallError) -> CallError {
    process::emit(|| Operation::WorkRefused {
        stream: stream.and_then(number),
        accesses: accesses(),
        reason: error.to_string(),
    });
    error
}

/// The number of a stream, if there is one.
fn number(stream: abi::aclrtStream) -> Option<u64> {
    current::on_stream(stream, "stream", |stream| Ok(stream.id())).ok()
}

/// Refuses to write more than there is room for, in the names of the caller's arguments.
#[inline(always)]
fn fits(count: (&str, u64), room: (&str, u64)) -> Result<(), CallError> {
    if count.1 <= room.1 {
        return Ok(());
    }
    let ((count, bytes), (room, most)) = (count, room);
    Err(CallError::coded(
        abi::ACL_ERROR_RT_PARAM_INVALID,
        format!("'{count}' is {bytes} bytes, but '{room}' allows only {most}"),
    ))
}

/// Checks the arguments that all plain copies have. `None` when there is nothing to copy.
#[inline(always)]
fn plain(
    dst: *mut c_void,
    destMax: usize,
    src: *const c_void,
    count: usize,
    kind: abi::aclrtMemcpyKind,
    meant: Meant,
) -> Result<Option<RawCopy>, CallError> {
    if count == 0 {
        return Ok(None);
    }
    testing::sized(count as u64)?;
    let copy = RawCopy {
        to: not_null(dst, "dst")?,
        room: destMax as u64,
        from: not_null(src, "src")?,
        bytes: count as u64,
        direction: direction(kind)?,
    };
    fits(("count", copy.bytes), ("destMax", copy.room))
        .map_err(|error| refused(meant, || copy.accesses(), error))?;
    Ok(Some(copy))
}

/// Copies before it returns. Unpinned host memory is allowed; a wrong kind is corrected if the addresses determine it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemcpy(
    dst: *mut c_void,
    destMax: usize,
    src: *const c_void,
    count: usize,
    kind: abi::aclrtMemcpyKind,
) -> abi::aclError {
    entry("aclrtMemcpy", || {
        let Some(copy) = plain(dst, destMax, src, count, kind, None)? else {
            return Ok(());
        };
        // The thread's books of provenance: these addresses are used through integers from here.
        let _ = (dst.expose_provenance(), src.expose_provenance());
        capture_mode::forbid("aclrtMemcpy")?;
        current::with(|entry| {
            // SAFETY: the header's contract: host memory in the arguments is valid for the call.
            Ok(unsafe { entry.context.device().copy_at(&copy) }?)
        })
    })
}
const _: abi::aclrtMemcpyFn = aclrtMemcpy;

/// # Safety
/// Host memory in the arguments is valid for the call.
#[inline(always)]
unsafe fn copy_async(
    dst: *mut c_void,
    destMax: usize,
    src: *const c_void,
    count: usize,
    kind: abi::aclrtMemcpyKind,
    stream: abi::aclrtStream,
) -> Result<(), CallError> {
    let Some(copy) = plain(dst, destMax, src, count, kind, Some(stream))? else {
        return Ok(());
    };
    let _ = (dst.expose_provenance(), src.expose_provenance());
    let snapshot = kind == abi::ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE;
    current::on_stream(stream, "stream", |stream| {
        if !snapshot {
            let sides = [(copy.to, copy.bytes), (copy.from, copy.bytes)];
            capture_mode::forbid_pageable(stream, &sides)?;
        }
        // SAFETY: the caller's promise.
        unsafe { stream.copy_at(&copy, snapshot) }?;
        Ok(())
    })
}

/// Copies in the order of a stream. With host memory that is not pinned the stream is waited for.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemcpyAsync(
    dst: *mut c_void,
    destMax: usize,
    src: *const c_void,
    count: usize,
    kind: abi::aclrtMemcpyKind,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtMemcpyAsync", || {
        // SAFETY: the header's contract for the arguments.
        unsafe { copy_async(dst, destMax, src, count, kind, stream) }
    })
}
const _: abi::aclrtMemcpyAsyncFn = aclrtMemcpyAsync;

/// The same under an older name.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemcpyAsyncWithCondition(
    dst: *mut c_void,
    destMax: usize,
    src: *const c_void,
    count: usize,
    kind: abi::aclrtMemcpyKind,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtMemcpyAsyncWithCondition", || {
        // SAFETY: the header's contract for the arguments.
        unsafe { copy_async(dst, destMax, src, count, kind, stream) }
    })
}
const _: abi::aclrtMemcpyAsyncWithConditionFn = aclrtMemcpyAsyncWithCondition;

/// Checks the arguments of a copy of rows. `None` when there is nothing to copy.
fn rows(
    (dst, dpitch): (*mut c_void, usize),
    (src, spitch): (*const c_void, usize),
    (width, height): (usize, usize),
    kind: abi::aclrtMemcpyKind,
    meant: Meant,
) -> Result<Option<RawRows>, CallError> {
    if width == 0 || height == 0 {
        return Ok(None);
    }
    testing::sized((width as u64).saturating_mul(height as u64))?;
    let rows = RawRows {
        to: not_null(dst, "dst")?,
        to_pitch: dpitch as u64,
        from: not_null(src, "src")?,
        from_pitch: spitch as u64,
        width: width as u64,
        height: height as u64,
        direction: direction(kind).unwrap_or(Direction::FromAddresses),
    };
    if width > dpitch.min(spitch) {
        let expected = "it must not exceed 'dpitch' and 'spitch'";
        let error = CallError::value("width", width, expected);
        return Err(refused(meant, || rows.accesses(), error));
    }
    if !(abi::ACL_MEMCPY_HOST_TO_DEVICE..=abi::ACL_MEMCPY_DEFAULT).contains(&kind) {
        return bad_value(
            "kind",
            kind,
            "it must be a value of aclrtMemcpyKind from 1 to 4",
        );
    }
    let _ = (dst.expose_provenance(), src.expose_provenance());
    Ok(Some(rows))
}

/// Copies rows now.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemcpy2d(
    dst: *mut c_void,
    dpitch: usize,
    src: *const c_void,
    spitch: usize,
    width: usize,
    height: usize,
    kind: abi::aclrtMemcpyKind,
) -> abi::aclError {
    entry("aclrtMemcpy2d", || {
        let Some(rows) = rows((dst, dpitch), (src, spitch), (width, height), kind, None)? else {
            return Ok(());
        };
        capture_mode::forbid("aclrtMemcpy2d")?;
        current::with(|entry| {
            // SAFETY: the header's contract for the arguments.
            Ok(unsafe { entry.context.device().copy_rows_at(&rows) }?)
        })
    })
}
const _: abi::aclrtMemcpy2dFn = aclrtMemcpy2d;

/// Copies rows in the order of a stream.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemcpy2dAsync(
    dst: *mut c_void,
    dpitch: usize,
    src: *const c_void,
    spitch: usize,
    width: usize,
    height: usize,
    kind: abi::aclrtMemcpyKind,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtMemcpy2dAsync", || {
        let sides = ((dst, dpitch), (src, spitch));
        let Some(rows) = rows(sides.0, sides.1, (width, height), kind, Some(stream))? else {
            return Ok(());
        };
        if width > WIDEST {
            return bad_value(
                "width",
                width,
                "it must be at most 5,000,000 bytes for an asynchronous copy",
            );
        }
        if height > HIGHEST {
            return bad_value(
                "height",
                height,
                "it must be at most 5,242,880 rows for an asynchronous copy",
            );
        }
        current::on_stream(stream, "stream", |stream| {
            let sides = [(rows.to, rows.width), (rows.from, rows.width)];
            capture_mode::forbid_pageable(stream, &sides)?;
            // SAFETY: the header's contract for the arguments.
            unsafe { stream.copy_rows_at(&rows) }?;
            Ok(())
        })
    })
}
const _: abi::aclrtMemcpy2dAsyncFn = aclrtMemcpy2dAsync;

/// Checks the arguments of a fill. `None` when there is nothing to set.
#[inline(always)]
fn bytes(
    devPtr: *mut c_void,
    maxCount: usize,
    value: i32,
    count: usize,
    meant: Meant,
) -> Result<Option<RawFill>, CallError> {
    if count == 0 {
        return Ok(None);
    }
    testing::sized(count as u64)?;
    let to = not_null(devPtr, "devPtr")?;
    devPtr.expose_provenance();
    let fill = RawFill {
        to,
        room: maxCount as u64,
        bytes: count as u64,
        // Only the low eight bits count, as with memset.
        value: FillValue::Byte(value.to_le_bytes()[0]),
    };
    fits(("count", fill.bytes), ("maxCount", fill.room))
        .map_err(|error| refused(meant, || fill.accesses(), error))?;
    Ok(Some(fill))
}

/// Checks the arguments of a fill with words. `None` when there is nothing to set.
fn words(
    ptr: *mut c_void,
    memSize: usize,
    value: u32,
    N: usize,
    meant: Meant,
) -> Result<Option<RawFill>, CallError> {
    if N == 0 {
        return Ok(None);
    }
    let to = not_null(ptr, "ptr")?;
    let Some(bytes) = (N as u64).checked_mul(4) else {
        return bad_value(
            "N",
            N,
            "four bytes for each must fit into the address space",
        );
    };
    let fill = RawFill {
        to,
        room: memSize as u64,
        bytes,
        value: FillValue::Word(value),
    };
    fits(("N", bytes), ("memSize", fill.room))
        .map_err(|error| refused(meant, || fill.accesses(), error))?;
    let runtime = process::runtime()?;
    if runtime.find_block(to).is_err() && !runtime.is_reserved(to) {
        let expected = "it must be memory that this library allocated";
        let error = CallError::value("ptr", format!("{to:#x}"), expected);
        return Err(refused(meant, || fill.accesses(), error));
    }
    Ok(Some(fill))
}

fn fill_now(fill: Option<RawFill>) -> Result<(), CallError> {
    let Some(fill) = fill else { return Ok(()) };
    capture_mode::forbid("aclrtMemset")?;
    current::with(|entry| {
        // SAFETY: the header's contract for the arguments, which the callers pass on.
        Ok(unsafe { entry.context.device().fill_at(&fill) }?)
    })
}

#[inline(always)]
fn fill_async(fill: Option<RawFill>, stream: abi::aclrtStream) -> Result<(), CallError> {
    let Some(fill) = fill else { return Ok(()) };
    current::on_stream(stream, "stream", |stream| {
        capture_mode::forbid_pageable(stream, &[(fill.to, fill.bytes)])?;
        // SAFETY: the header's contract for the arguments, which the callers pass on.
        unsafe { stream.fill_at(&fill) }?;
        Ok(())
    })
}

/// Sets bytes now.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemset(
    devPtr: *mut c_void,
    maxCount: usize,
    value: i32,
    count: usize,
) -> abi::aclError {
    entry("aclrtMemset", || {
        fill_now(bytes(devPtr, maxCount, value, count, None)?)
    })
}
const _: abi::aclrtMemsetFn = aclrtMemset;

/// Sets bytes in the order of a stream.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemsetAsync(
    devPtr: *mut c_void,
    maxCount: usize,
    value: i32,
    count: usize,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtMemsetAsync", || {
        let fill = bytes(devPtr, maxCount, value, count, Some(stream))?;
        fill_async(fill, stream)
    })
}
const _: abi::aclrtMemsetAsyncFn = aclrtMemsetAsync;

/// Sets 32-bit words now.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemsetD32(
    ptr: *mut c_void,
    memSize: usize,
    value: u32,
    N: usize,
) -> abi::aclError {
    entry("aclrtMemsetD32", || {
        fill_now(words(ptr, memSize, value, N, None)?)
    })
}
const _: abi::aclrtMemsetD32Fn = aclrtMemsetD32;

/// Sets 32-bit words in the order of a stream.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemsetD32Async(
    ptr: *mut c_void,
    memSize: usize,
    value: u32,
    N: usize,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtMemsetD32Async", || {
        let fill = words(ptr, memSize, value, N, Some(stream))?;
        fill_async(fill, stream)
    })
}
const _: abi::aclrtMemsetD32AsyncFn = aclrtMemsetD32Async;
