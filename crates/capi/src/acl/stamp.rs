//! `acl/acl_prof.h`: stamps, which are marks and ranges with a text.
//!
//! They become the same records as marks and ranges of MSTX. The numbers of their ranges are above those of MSTX.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::cell::RefCell;
use std::collections::HashSet;
use std::ffi::{c_char, c_void};
use std::sync::atomic::{AtomicU32, Ordering};

use millpond_abi as abi;
use millpond_trace::Operation;
use parking_lot::Mutex;

use super::prof;
use crate::boundary::{CallError, bad_value, entry, out, value_entry};
use crate::handles::{mint, pointer, resolve, withdraw};
use crate::process;
use crate::registry::{HandleGuard, Kind, Registry};

static STAMPS: Registry<Mutex<String>> = Registry::new(Kind::Stamp);
/// Ranges that were started and not stopped.
static RANGES: Mutex<Option<HashSet<u32>>> = Mutex::new(None);
static NEXT: AtomicU32 = AtomicU32::new(1);

/// Where the numbers of these ranges begin in records.
const FIRST: u64 = 1 << 32;
/// How deep ranges of one thread may be nested.
const DEEPEST: usize = 1 << 16;

thread_local! {
    /// The ranges that this thread has pushed.
    static PUSHED: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

/// A number for a range, never given before.
pub(super) fn next_range() -> u32 {
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The number of a range in records.
pub(super) fn number_of(range: u32) -> u64 {
    FIRST + u64::from(range)
}

/// The number of a stream in records.
pub(super) fn stream_number(stream: abi::aclrtStream) -> Result<Option<u64>, CallError> {
    prof::number_of_stream(stream)
}

fn stamp(handle: *const c_void) -> Result<HandleGuard<'static, Mutex<String>>, CallError> {
    resolve(&STAMPS, Kind::Stamp, handle, "stamp")
}

fn begin(range: u32, message: &str) {
    process::emit(|| Operation::RangeStarted {
        range: number_of(range),
        domain: 0,
        message: message.to_owned(),
        stream: None,
    });
}

fn end(range: u32) {
    process::emit(|| Operation::RangeEnded {
        range: number_of(range),
    });
}

/// Makes a stamp.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclprofCreateStamp() -> *mut c_void {
    value_entry("aclprofCreateStamp", std::ptr::null_mut(), || {
        Ok(pointer(mint(&STAMPS, Kind::Stamp, Mutex::default())?))
    })
}
const _: abi::aclprofCreateStampFn = aclprofCreateStamp;

/// Destroys a stamp. Ranges that it began stay open.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclprofDestroyStamp(stamp: *mut c_void) {
    value_entry("aclprofDestroyStamp", (), || {
        withdraw(&STAMPS, Kind::Stamp, stamp, "stamp").map(drop)
    });
}
const _: abi::aclprofDestroyStampFn = aclprofDestroyStamp;

/// Sets the text of a stamp.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclprofSetStampTraceMessage(
    stamp: *mut c_void,
    msg: *const c_char,
    msgLen: u32,
) -> abi::aclError {
    entry("aclprofSetStampTraceMessage", || {
        let found = self::stamp(stamp)?;
        let length = usize::try_from(msgLen).unwrap_or(usize::MAX);
        // SAFETY: the header's contract for the arguments.
        *found.lock() = unsafe { prof::message(msg, length, "msg") }?;
        Ok(())
    })
}
const _: abi::aclprofSetStampTraceMessageFn = aclprofSetStampTraceMessage;

/// Sets a mark.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclprofMark(stamp: *mut c_void) -> abi::aclError {
    entry("aclprofMark", || {
        let message = self::stamp(stamp)?.lock().clone();
        process::emit(|| Operation::Marked {
            domain: 0,
            message,
            stream: None,
        });
        Ok(())
    })
}
const _: abi::aclprofMarkFn = aclprofMark;

/// Sets a mark in the order of a stream.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclprofMarkEx(
    msg: *const c_char,
    msgLen: usize,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclprofMarkEx", || {
        // SAFETY: the header's contract for the arguments.
        let message = unsafe { prof::message(msg, msgLen, "msg") }?;
        let stream = stream_number(stream)?;
        process::emit(|| Operation::Marked {
            domain: 0,
            message,
            stream,
        });
        Ok(())
    })
}
const _: abi::aclprofMarkExFn = aclprofMarkEx;

/// Begins a range that ends with the matching pop on this thread.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclprofPush(stamp: *mut c_void) -> abi::aclError {
    entry("aclprofPush", || {
        let message = self::stamp(stamp)?.lock().clone();
        let range = next_range();
        PUSHED.with_borrow_mut(|pushed| {
            if pushed.len() >= DEEPEST {
                return bad_value("stamp", "one range too many", "pop some of them first");
            }
            pushed.push(range);
            Ok(())
        })?;
        begin(range, &message);
        Ok(())
    })
}
const _: abi::aclprofPushFn = aclprofPush;

/// Ends the range that this thread pushed last.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclprofPop() -> abi::aclError {
    entry("aclprofPop", || match PUSHED.with_borrow_mut(Vec::pop) {
        Some(range) => {
            end(range);
            Ok(())
        }
        None => Err(CallError::coded(
            abi::ACL_ERROR_INVALID_PARAM,
            "this thread has pushed no range that is still open",
        )),
    })
}
const _: abi::aclprofPopFn = aclprofPop;

/// Begins a range that any thread may end.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclprofRangeStart(
    stamp: *mut c_void,
    rangeId: *mut u32,
) -> abi::aclError {
    entry("aclprofRangeStart", || {
        let id = out!(rangeId);
        let message = self::stamp(stamp)?.lock().clone();
        let range = next_range();
        RANGES.lock().get_or_insert_default().insert(range);
        begin(range, &message);
        id.write(range);
        Ok(())
    })
}
const _: abi::aclprofRangeStartFn = aclprofRangeStart;

/// Ends a range.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclprofRangeStop(rangeId: u32) -> abi::aclError {
    entry("aclprofRangeStop", || {
        let known = RANGES.lock().get_or_insert_default().remove(&rangeId);
        if !known {
            return bad_value("rangeId", rangeId, "no open range has this number");
        }
        end(rangeId);
        Ok(())
    })
}
const _: abi::aclprofRangeStopFn = aclprofRangeStop;
