//! `acl/rt/copy.h`: copies whose addresses are in memory, and copies that compute.
//!
//! Which bytes a copy uses must be known when it is queued, for the memory it keeps and for the checker. So the addresses are
//! read in the order of the stream, and the call waits for that.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_void;

use millpond::raw::RawCopy;
use millpond::{Direction, Stream, Touch};
use millpond_abi as abi;
use millpond_collective::{Element, Reduction, reduce};
use millpond_trace::Space;

use super::memory::space_of;
use crate::boundary::{self, CallError, bad_value, entry, not_null, out};
use crate::current;

/// What a description begins with.
const MAGIC: u64 = u64::from_le_bytes(*b"mp-copy1");

/// Bytes of a description: the word it begins with, source, destination, bytes; the rest is 0.
const DESCRIPTION: usize = 64;

/// Reductions of fewer bytes run inside the call if the stream is idle.
const SMALL: u64 = 1 << 16;

/// Refuses what is not a copy inside a device.
fn inside_a_device(kind: abi::aclrtMemcpyKind) -> Result<(), CallError> {
    match kind {
        abi::ACL_MEMCPY_INNER_DEVICE_TO_DEVICE => Ok(()),
        abi::ACL_MEMCPY_HOST_TO_HOST..=abi::ACL_MEMCPY_INTER_DEVICE_TO_DEVICE => {
            Err(CallError::coded(
                abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                "only ACL_MEMCPY_INNER_DEVICE_TO_DEVICE has this form",
            ))
        }
        other => bad_value("kind", other, "it must be a value of aclrtMemcpyKind"),
    }
}

/// Queues a copy inside a device.
fn copy(stream: &Stream, copy: &RawCopy) -> Result<(), CallError> {
    let sides = (space_of(copy.to)?.0, space_of(copy.from)?.0);
    let inside = matches!(sides, (Space::Device(to), Space::Device(from)) if to == from);
    if !inside {
        return Err(CallError::coded(
            abi::ACL_ERROR_RT_PARAM_INVALID,
            format!(
                "destination {:#x} and source {:#x} are not memory of one device",
                copy.to, copy.from
            ),
        ));
    }
    // SAFETY: both sides are memory of the runtime, as was just found; the call checks them again.
    unsafe { stream.copy_at(copy, false) }?;
    Ok(())
}

/// The address that is stored at a place. In memory of the runtime that is what is there when the stream comes to it.
///
/// # Safety
/// If the place is not memory of the runtime, it is valid for reading eight bytes.
unsafe fn stored(
    stream: &Stream,
    place: *const *const c_void,
    argument: &'static str,
    reader: &str,
) -> Result<u64, CallError> {
    let address = not_null(place, argument)?;
    if space_of(address)?.0 == Space::Foreign {
        // SAFETY: the caller's promise.
        let read = unsafe { boundary::read(place, argument) }?;
        return Ok(read.expose_provenance() as u64);
    }
    let bytes = stream.read_value(address, 8, reader)?;
    let bytes = bytes.try_into().unwrap_or_default();
    Ok(u64::from_le_bytes(bytes))
}

/// How many bytes a description has.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetMemcpyDescSize(
    kind: abi::aclrtMemcpyKind,
    descSize: *mut usize,
) -> abi::aclError {
    entry("aclrtGetMemcpyDescSize", || {
        let out = out!(descSize);
        inside_a_device(kind)?;
        out.write(DESCRIPTION);
        Ok(())
    })
}
const _: abi::aclrtGetMemcpyDescSizeFn = aclrtGetMemcpyDescSize;

/// Writes the description of a copy into device memory.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSetMemcpyDesc(
    desc: *mut c_void,
    kind: abi::aclrtMemcpyKind,
    srcAddr: *mut c_void,
    dstAddr: *mut c_void,
    count: usize,
    config: *mut c_void,
) -> abi::aclError {
    entry("aclrtSetMemcpyDesc", || {
        let to = not_null(desc, "desc")?;
        let (source, destination) = (not_null(srcAddr, "srcAddr")?, not_null(dstAddr, "dstAddr")?);
        inside_a_device(kind)?;
        if count == 0 {
            return bad_value("count", 0, "it must be at least 1");
        }
        if !config.is_null() {
            return bad_value("config", "an address", "it must be NULL");
        }
        let mut description = [0_u64; DESCRIPTION / 8];
        description[..4].copy_from_slice(&[MAGIC, source, destination, count as u64]);
        let write = RawCopy {
            to,
            room: DESCRIPTION as u64,
            from: description.as_ptr().expose_provenance() as u64,
            bytes: DESCRIPTION as u64,
            direction: Direction::HostToDevice,
        };
        current::with(|entry| {
            // SAFETY: the source is the array above; the destination is checked to be device memory, as the direction says.
            Ok(unsafe { entry.context.device().copy_at(&write) }?)
        })
    })
}
const _: abi::aclrtSetMemcpyDescFn = aclrtSetMemcpyDesc;

/// Copies as a description in device memory says.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemcpyAsyncWithDesc(
    desc: *mut c_void,
    kind: abi::aclrtMemcpyKind,
    stream: abi::aclrtStream,
) -> abi::aclError {
    const NAME: &str = "aclrtMemcpyAsyncWithDesc";
    entry(NAME, || {
        let address = not_null(desc, "desc")?;
        inside_a_device(kind)?;
        current::on_stream(stream, "stream", |stream| {
            let bytes = stream.read_value(address, DESCRIPTION as u64, NAME)?;
            let word = |index: usize| {
                let at = bytes.get(index * 8..index * 8 + 8);
                at.and_then(|at| at.try_into().ok())
                    .map_or(0, u64::from_le_bytes)
            };
            if word(0) != MAGIC {
                return bad_value(
                    "desc",
                    format!("{address:#x}"),
                    "it must have been written by aclrtSetMemcpyDesc",
                );
            }
            let described = RawCopy {
                to: word(2),
                room: word(3),
                from: word(1),
                bytes: word(3),
                direction: Direction::DeviceToDevice,
            };
            copy(stream, &described)
        })
    })
}
const _: abi::aclrtMemcpyAsyncWithDescFn = aclrtMemcpyAsyncWithDesc;

/// Copies between addresses that are stored in memory, each with an offset.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemcpyAsyncWithOffset(
    dst: *mut *mut c_void,
    destMax: usize,
    dstDataOffset: usize,
    src: *mut *const c_void,
    count: usize,
    srcDataOffset: usize,
    kind: abi::aclrtMemcpyKind,
    stream: abi::aclrtStream,
) -> abi::aclError {
    const NAME: &str = "aclrtMemcpyAsyncWithOffset";
    entry(NAME, || {
        if count == 0 {
            return Ok(());
        }
        not_null(dst, "dst")?;
        not_null(src, "src")?;
        inside_a_device(kind)?;
        if count > destMax {
            return Err(CallError::coded(
                abi::ACL_ERROR_RT_PARAM_INVALID,
                format!("'count' is {count} bytes, but 'destMax' allows only {destMax}"),
            ));
        }
        current::on_stream(stream, "stream", |stream| {
            let places = (dst.cast::<*const c_void>().cast_const(), src.cast_const());
            // SAFETY: the header's contract for the arguments.
            let to = unsafe { stored(stream, places.0, "dst", NAME) }?;
            // SAFETY: as above.
            let from = unsafe { stored(stream, places.1, "src", NAME) }?;
            let with = |base: u64, offset: usize, argument| {
                let address = base.checked_add(offset as u64);
                address.ok_or_else(|| {
                    let expected = "the address must fit into 64 bits";
                    CallError::value(argument, offset, expected)
                })
            };
            // The manual leaves open whether the limit counts from the address or from the offset; the smaller place is meant
            // by both.
            let room = destMax.saturating_sub(dstDataOffset).max(count);
            let moved = RawCopy {
                to: with(to, dstDataOffset, "dstDataOffset")?,
                room: room as u64,
                from: with(from, srcDataOffset, "srcDataOffset")?,
                bytes: count as u64,
                direction: Direction::DeviceToDevice,
            };
            copy(stream, &moved)
        })
    })
}
const _: abi::aclrtMemcpyAsyncWithOffsetFn = aclrtMemcpyAsyncWithOffset;

/// What elements are.
fn element(of: abi::aclDataType) -> Result<Element, CallError> {
    Ok(match of {
        abi::ACL_FLOAT => Element::F32,
        abi::ACL_FLOAT16 => Element::F16,
        abi::ACL_BF16 => Element::Bf16,
        abi::ACL_INT8 => Element::I8,
        abi::ACL_INT16 => Element::I16,
        abi::ACL_INT32 => Element::I32,
        abi::ACL_UINT32 => Element::U32,
        _ => {
            return Err(CallError::coded(
                abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                format!(
                    "'type' is {of}: only float32, float16, bfloat16, int8, int16, int32 and uint32 are reduced"
                ),
            ));
        }
    })
}

/// Adds bytes of elements to others, or takes the larger or smaller ones.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtReduceAsync(
    dst: *mut c_void,
    src: *const c_void,
    count: u64,
    kind: abi::aclrtReduceKind,
    r#type: abi::aclDataType,
    stream: abi::aclrtStream,
    reserve: *mut c_void,
) -> abi::aclError {
    entry("aclrtReduceAsync", || {
        let (to, from) = (not_null(dst, "dst")?, not_null(src, "src")?);
        let reduction = match kind {
            abi::ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM => Reduction::Sum,
            abi::ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX => Reduction::Max,
            abi::ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN => Reduction::Min,
            abi::ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL => {
                return Err(CallError::coded(
                    abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                    "ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL is not supported",
                ));
            }
            other => return bad_value("kind", other, "it must be a value of aclrtReduceKind"),
        };
        if !reserve.is_null() {
            return bad_value("reserve", "an address", "it must be NULL");
        }
        let element = element(r#type)?;
        let size = element.bytes() as u64;
        if count == 0 || !count.is_multiple_of(size) {
            let expected = "it must be a multiple of the elements' size and not 0";
            return bad_value("count", count, expected);
        }
        let apart = to.abs_diff(from);
        if apart != 0 && apart < count {
            return Err(CallError::coded(
                abi::ACL_ERROR_RT_PARAM_INVALID,
                "source and destination overlap",
            ));
        }
        let touch = |address, writes| Touch {
            address,
            bytes: count,
            reads: true,
            writes,
        };
        let touches = [touch(to, true), touch(from, false)];
        current::on_stream(stream, "stream", |stream| {
            stream.compute(
                "aclrtReduceAsync",
                &touches,
                None,
                count <= SMALL,
                move |places, _| {
                    let &[to, from] = places else {
                        return Err("it has two operands".to_owned());
                    };
                    let at = |place: u64| {
                        usize::try_from(place)
                            .map(std::ptr::with_exposed_provenance_mut::<u8>)
                            .map_err(|_| "an address does not fit".to_owned())
                    };
                    let (to, from) = (at(to)?, at(from)?);
                    let number = usize::try_from(count / size)
                        .map_err(|_| "too many elements".to_owned())?;
                    // SAFETY: the task keeps both ranges, which are the same or do not overlap. As for any copy, the program must
                    // not change the source meanwhile.
                    unsafe { reduce(element, reduction, to, &[to.cast_const(), from], number) };
                    Ok(())
                },
            )?;
            Ok(())
        })
    })
}
const _: abi::aclrtReduceAsyncFn = aclrtReduceAsync;
