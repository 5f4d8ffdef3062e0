//! `acl/rt/copy.h`: many copies in one call.
//!
//! Everything is checked before the first copy begins, so a batch that is refused has copied nothing, unless a copy itself fails.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_void;

use millpond::Direction;
use millpond::raw::RawCopy;
use millpond_abi as abi;
use millpond_trace::Space;

use super::capture_mode;
use super::memory::space_of;
use crate::boundary::{self, CallError, Out, bad_value, entry, not_null, out};
use crate::current;

/// An error, and which copy it is about, if it is about one.
type Failure = (Option<usize>, CallError);

/// The arguments of a batch, as C has them.
struct Given {
    dsts: *mut *mut c_void,
    destMaxs: *mut usize,
    srcs: *mut *mut c_void,
    sizes: *mut usize,
    numBatches: usize,
    attrs: *mut abi::aclrtMemcpyBatchAttr,
    attrsIndexes: *mut usize,
    numAttrs: usize,
}

/// Whether a location is a device's, and which.
fn location(place: abi::aclrtMemLocation) -> Result<Option<u32>, CallError> {
    match place.r#type {
        abi::ACL_MEM_LOCATION_TYPE_HOST | abi::ACL_MEM_LOCATION_TYPE_HOST_NUMA => Ok(None),
        abi::ACL_MEM_LOCATION_TYPE_DEVICE => Ok(Some(place.id)),
        other => bad_value(
            "attrs",
            format!("a location of type {other}"),
            "it must be ACL_MEM_LOCATION_TYPE_HOST or ACL_MEM_LOCATION_TYPE_DEVICE",
        ),
    }
}

/// Checks that an address is where the program says.
fn is_there(side: &str, address: u64, stated: Option<u32>) -> Result<(), CallError> {
    let (space, _) = space_of(address)?;
    let fits = match (space, stated) {
        (Space::Device(index), Some(device)) => index == device,
        (Space::Pinned | Space::Foreign, None) => true,
        _ => false,
    };
    if fits {
        return Ok(());
    }
    let stated = stated.map_or_else(
        || "the host".to_owned(),
        |device| format!("device {device}"),
    );
    Err(CallError::coded(
        abi::ACL_ERROR_RT_PARAM_INVALID,
        format!(
            "its attribute says that its {side} {address:#x} is memory of {stated}, which is wrong"
        ),
    ))
}

/// Reads which copies each attribute is for: where each begins.
fn attributes(given: &Given) -> Result<Vec<(usize, abi::aclrtMemcpyBatchAttr)>, CallError> {
    not_null(given.attrs, "attrs")?;
    not_null(given.attrsIndexes, "attrsIndexes")?;
    if given.numAttrs == 0 || given.numAttrs > given.numBatches {
        return bad_value(
            "numAttrs",
            given.numAttrs,
            "it must be at least 1 and at most 'numBatches'",
        );
    }
    // SAFETY: the header's contract for the arguments.
    let attributes = unsafe { boundary::array(given.attrs, given.numAttrs, "attrs") }?;
    // SAFETY: as above.
    let begins = unsafe { boundary::array(given.attrsIndexes, given.numAttrs, "attrsIndexes") }?;
    let ascending = begins.windows(2).all(|pair| pair[0] < pair[1]);
    let inside = begins.last().is_some_and(|last| *last < given.numBatches);
    if begins.first() != Some(&0) || !ascending || !inside {
        return bad_value(
            "attrsIndexes",
            format!("{begins:?}"),
            "it must begin with 0, ascend, and stay below 'numBatches'",
        );
    }
    if attributes.iter().any(|it| it.rsv != [0; 16]) {
        return bad_value("attrs", "rsv", "its reserved bytes must be 0");
    }
    Ok(begins.into_iter().zip(attributes).collect())
}

/// Checks all arguments, and returns the copies that are to be made.
fn check(given: &Given) -> Result<Vec<(usize, RawCopy)>, Failure> {
    let general = |error| (None, error);
    let number = given.numBatches;
    for (pointer, argument) in [
        (given.dsts.cast_const().cast::<c_void>(), "dsts"),
        (given.destMaxs.cast_const().cast(), "destMaxs"),
        (given.srcs.cast_const().cast(), "srcs"),
        (given.sizes.cast_const().cast(), "sizes"),
    ] {
        not_null(pointer, argument).map_err(general)?;
    }
    if number == 0 {
        return bad_value("numBatches", 0, "it must be at least 1").map_err(general);
    }
    // SAFETY: the header's contract for the arguments.
    let sizes = unsafe { boundary::array(given.sizes, number, "sizes") }.map_err(general)?;
    if sizes.iter().all(|size| *size == 0) {
        return Ok(Vec::new());
    }
    // SAFETY: as above.
    let rooms = unsafe { boundary::array(given.destMaxs, number, "destMaxs") }.map_err(general)?;
    // SAFETY: as above.
    let to = unsafe { boundary::array(given.dsts, number, "dsts") }.map_err(general)?;
    // SAFETY: as above.
    let from = unsafe { boundary::array(given.srcs, number, "srcs") }.map_err(general)?;
    let attributes = attributes(given).map_err(general)?;
    let mut copies = Vec::new();
    let mut together = None;
    for (index, &size) in sizes.iter().enumerate() {
        let about = |error| (Some(index), error);
        let attribute = attributes.partition_point(|(begin, _)| *begin <= index) - 1;
        let attribute = attributes[attribute].1;
        let sides = (
            location(attribute.dstLoc).map_err(about)?,
            location(attribute.srcLoc).map_err(about)?,
        );
        let direction = match sides {
            (Some(_), None) => Direction::HostToDevice,
            (None, Some(_)) => Direction::DeviceToHost,
            _ => {
                return Err(about(CallError::coded(
                    abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                    format!(
                        "copy {index} is not between host and device: a batch copies in one of these directions"
                    ),
                )));
            }
        };
        if *together.get_or_insert(direction) != direction {
            return Err(about(CallError::coded(
                abi::ACL_ERROR_RT_PARAM_INVALID,
                format!("copy {index} has another direction than copy 0: a batch has one"),
            )));
        }
        if size == 0 {
            continue;
        }
        let copy = RawCopy {
            to: not_null(to[index], "dsts").map_err(about)?,
            room: rooms[index] as u64,
            from: not_null(from[index], "srcs").map_err(about)?,
            bytes: size as u64,
            direction,
        };
        let _ = (
            to[index].expose_provenance(),
            from[index].expose_provenance(),
        );
        if copy.bytes > copy.room {
            return Err(about(CallError::coded(
                abi::ACL_ERROR_RT_PARAM_INVALID,
                format!(
                    "copy {index} has {size} bytes, but 'destMaxs' allows only {}",
                    copy.room
                ),
            )));
        }
        is_there("destination", copy.to, sides.0).map_err(about)?;
        is_there("source", copy.from, sides.1).map_err(about)?;
        copies.push((index, copy));
    }
    Ok(copies)
}

/// Makes all copies with `copy`, and says which one failed, if the caller asks.
fn carry_out(
    given: &Given,
    failed: Option<Out<usize>>,
    mut copy: impl FnMut(&RawCopy) -> Result<(), CallError>,
) -> Result<(), CallError> {
    let done = check(given).and_then(|copies| {
        copies
            .iter()
            .try_for_each(|(index, one)| copy(one).map_err(|error| (Some(*index), error)))
    });
    let which = done.as_ref().err().and_then(|(index, _)| *index);
    if let Some(failed) = failed {
        failed.write(which.unwrap_or(usize::MAX));
    }
    done.map_err(|(_, error)| error)
}

fn at_once(
    function: &'static str,
    given: &Given,
    failed: Option<Out<usize>>,
) -> Result<(), CallError> {
    carry_out(given, failed, |copy| {
        capture_mode::forbid(function)?;
        current::with(|entry| {
            // SAFETY: the header's contract: host memory in the arguments is valid for the call.
            Ok(unsafe { entry.context.device().copy_at(copy) }?)
        })
    })
}

fn in_stream(
    given: &Given,
    failed: Option<Out<usize>>,
    stream: abi::aclrtStream,
) -> Result<(), CallError> {
    // Also where no copy has bytes.
    if !stream.is_null() {
        crate::handles::stream(stream, "stream")?;
    }
    carry_out(given, failed, |copy| {
        current::on_stream(stream, "stream", |stream| {
            let sides = [(copy.to, copy.bytes), (copy.from, copy.bytes)];
            capture_mode::forbid_pageable(stream, &sides)?;
            // SAFETY: the header's contract: host memory in the arguments is valid for the call.
            unsafe { stream.copy_at(copy, false) }?;
            Ok(())
        })
    })
}

/// Makes many copies before it returns.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemcpyBatch(
    dsts: *mut *mut c_void,
    destMaxs: *mut usize,
    srcs: *mut *mut c_void,
    sizes: *mut usize,
    numBatches: usize,
    attrs: *mut abi::aclrtMemcpyBatchAttr,
    attrsIndexes: *mut usize,
    numAttrs: usize,
    failIndex: *mut usize,
) -> abi::aclError {
    entry("aclrtMemcpyBatch", || {
        let given = Given {
            dsts,
            destMaxs,
            srcs,
            sizes,
            numBatches,
            attrs,
            attrsIndexes,
            numAttrs,
        };
        at_once("aclrtMemcpyBatch", &given, Some(out!(failIndex)))
    })
}
const _: abi::aclrtMemcpyBatchFn = aclrtMemcpyBatch;

/// The same, without saying which copy failed.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemcpyBatchV2(
    dsts: *mut *mut c_void,
    destMaxs: *mut usize,
    srcs: *mut *mut c_void,
    sizes: *mut usize,
    numBatches: usize,
    attrs: *mut abi::aclrtMemcpyBatchAttr,
    attrsIndexes: *mut usize,
    numAttrs: usize,
) -> abi::aclError {
    entry("aclrtMemcpyBatchV2", || {
        let given = Given {
            dsts,
            destMaxs,
            srcs,
            sizes,
            numBatches,
            attrs,
            attrsIndexes,
            numAttrs,
        };
        at_once("aclrtMemcpyBatchV2", &given, None)
    })
}
const _: abi::aclrtMemcpyBatchV2Fn = aclrtMemcpyBatchV2;

/// Makes many copies in the order of a stream.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemcpyBatchAsync(
    dsts: *mut *mut c_void,
    destMaxs: *mut usize,
    srcs: *mut *mut c_void,
    sizes: *mut usize,
    numBatches: usize,
    attrs: *mut abi::aclrtMemcpyBatchAttr,
    attrsIndexes: *mut usize,
    numAttrs: usize,
    failIndex: *mut usize,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtMemcpyBatchAsync", || {
        let given = Given {
            dsts,
            destMaxs,
            srcs,
            sizes,
            numBatches,
            attrs,
            attrsIndexes,
            numAttrs,
        };
        in_stream(&given, Some(out!(failIndex)), stream)
    })
}
const _: abi::aclrtMemcpyBatchAsyncFn = aclrtMemcpyBatchAsync;

/// The same, without saying which copy failed.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemcpyBatchAsyncV2(
    dsts: *mut *mut c_void,
    destMaxs: *mut usize,
    srcs: *mut *mut c_void,
    sizes: *mut usize,
    numBatches: usize,
    attrs: *mut abi::aclrtMemcpyBatchAttr,
    attrsIndexes: *mut usize,
    numAttrs: usize,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtMemcpyBatchAsyncV2", || {
        let given = Given {
            dsts,
            destMaxs,
            srcs,
            sizes,
            numBatches,
            attrs,
            attrsIndexes,
            numAttrs,
        };
        in_stream(&given, None, stream)
    })
}
const _: abi::aclrtMemcpyBatchAsyncV2Fn = aclrtMemcpyBatchAsyncV2;
