//! `acl/rt/copy.h`: copies whose addresses are in memory, and copies that compute.
//!
//! Addresses in memory of the runtime are read when the stream comes to the copy: see `Stream::copy_found`. What is in memory of the program is
//! read by the call.
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
use millpond_trace::{Bytes, Space};

use super::capture_mode;
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

/// Where an address is stored.
enum Stored {
    /// In memory of the program, which was read.
    Now(u64),
    /// In memory of the runtime, where a task reads it.
    Later(Bytes),
}

impl Stored {
    /// # Safety
    /// If the place is not memory of the runtime, it is valid for reading eight bytes.
    unsafe fn at(place: *const *const c_void, argument: &'static str) -> Result<Self, CallError> {
        let start = not_null(place, argument)?;
        if space_of(start)?.0 == Space::Foreign {
            // SAFETY: the caller's promise.
            let read = unsafe { boundary::read(place, argument) }?;
            return Ok(Self::Now(read.expose_provenance() as u64));
        }
        Ok(Self::Later(Bytes { start, bytes: 8 }))
    }

    /// The place that a task reads.
    fn place(&self) -> Option<Bytes> {
        match self {
            Self::Now(_) => None,
            Self::Later(place) => Some(*place),
        }
    }

    /// The address; those that a task has read are taken from `words`.
    fn address(&self, words: &mut impl Iterator<Item = u64>) -> u64 {
        match self {
            Self::Now(address) => *address,
            Self::Later(_) => words.next().unwrap_or(0),
        }
    }
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
        capture_mode::forbid("aclrtSetMemcpyDesc")?;
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
        let place = Bytes {
            start: address,
            bytes: DESCRIPTION as u64,
        };
        current::on_stream(stream, "stream", |stream| {
            stream.copy_found(NAME, &[place], move |words| match words {
                &[MAGIC, from, to, bytes, ..] => Ok(RawCopy {
                    to,
                    room: bytes,
                    from,
                    bytes,
                    direction: Direction::DeviceToDevice,
                }),
                _ => Err(format!(
                    "what is at {address:#x} is no description: aclrtSetMemcpyDesc must have written it before the stream comes to the copy"
                )),
            })?;
            Ok(())
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
        let places = (dst.cast::<*const c_void>().cast_const(), src.cast_const());
        // SAFETY: the header's contract for the arguments.
        let to = unsafe { Stored::at(places.0, "dst") }?;
        // SAFETY: as above.
        let from = unsafe { Stored::at(places.1, "src") }?;
        let read: Vec<Bytes> = [&to, &from].into_iter().filter_map(Stored::place).collect();
        let described = move |words: &[u64]| {
            let mut words = words.iter().copied();
            let mut with = |stored: &Stored, offset: usize, argument| {
                let base = stored.address(&mut words);
                base.checked_add(offset as u64).ok_or((argument, offset))
            };
            // The manual leaves open whether the limit counts from the address or from the offset; the smaller place is meant
            // by both.
            let room = destMax.saturating_sub(dstDataOffset).max(count);
            Ok(RawCopy {
                to: with(&to, dstDataOffset, "dstDataOffset")?,
                room: room as u64,
                from: with(&from, srcDataOffset, "srcDataOffset")?,
                bytes: count as u64,
                direction: Direction::DeviceToDevice,
            })
        };
        current::on_stream(stream, "stream", |stream| {
            const FITS: &str = "the address must fit into 64 bits";
            if read.is_empty() {
                let moved = described(&[]);
                let moved = moved.map_err(|(name, offset)| CallError::value(name, offset, FITS))?;
                return copy(stream, &moved);
            }
            stream.copy_found(NAME, &read, move |words| {
                described(words).map_err(|(name, offset)| format!("'{name}' is {offset}: {FITS}"))
            })?;
            Ok(())
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
