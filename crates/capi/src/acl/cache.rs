//! `acl/rt/cache.h`: cache maintenance. There is no cache of a device, so prefetching does nothing; but it has its place in the stream, and
//! a range that is not there is a mistake.
#![expect(
    unsafe_code,
    reason = "exported C symbols; reads and writes memory that the runtime resolved"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_void;

use millpond::raw::RawCopy;
use millpond::{Direction, Touch};
use millpond_abi as abi;

use super::capture_mode;
use super::memory::memory_at;
use crate::boundary::{CallError, bad_value, entry, not_null, out};
use crate::current;

/// A descriptor in device memory: address, size and a word that says that it is one; the rest is zeros.
type Descriptor = [u64; 8];
const IS_DESCRIPTOR: u64 = 0x6d70_5f70_7265_6665;

/// Checks what is to be done: devices only prefetch.
fn only_prefetch(cmoType: abi::aclrtCmoType) -> Result<(), CallError> {
    match cmoType {
        abi::ACL_RT_CMO_TYPE_PREFETCH => Ok(()),
        abi::ACL_RT_CMO_TYPE_WRITEBACK
        | abi::ACL_RT_CMO_TYPE_INVALID
        | abi::ACL_RT_CMO_TYPE_FLUSH => Err(CallError::coded(
            abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            format!(
                "the argument 'cmoType' is {cmoType}, but devices take ACL_RT_CMO_TYPE_PREFETCH only"
            ),
        )),
        other => bad_value("cmoType", other, "it must be a value of aclrtCmoType"),
    }
}

/// A range that a task names and does not touch.
fn named(address: u64, bytes: u64, reads: bool) -> Touch {
    Touch {
        address,
        bytes,
        reads,
        writes: false,
    }
}

/// Prefetches a range, in the order of a stream.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtCmoAsync(
    src: *mut c_void,
    size: usize,
    cmoType: abi::aclrtCmoType,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtCmoAsync", || {
        let address = not_null(src, "src")?;
        if size == 0 {
            return bad_value("size", 0, "it must be at least 1");
        }
        only_prefetch(cmoType)?;
        current::on_stream(stream, "stream", |stream| {
            memory_at(address, size as u64)?;
            let range = named(address, size as u64, false);
            Ok(stream.compute("aclrtCmoAsync", &[range], None, true, |_, _| Ok(()))?)
        })
    })
}
const _: abi::aclrtCmoAsyncFn = aclrtCmoAsync;

/// How many bytes a descriptor has.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtCmoGetDescSize(size: *mut usize) -> abi::aclError {
    entry("aclrtCmoGetDescSize", || {
        let out = out!(size);
        current::with(|_| Ok(()))?;
        out.write(size_of::<Descriptor>());
        Ok(())
    })
}
const _: abi::aclrtCmoGetDescSizeFn = aclrtCmoGetDescSize;

/// Writes a range into a descriptor in device memory.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtCmoSetDesc(
    cmoDesc: *mut c_void,
    src: *mut c_void,
    size: usize,
) -> abi::aclError {
    entry("aclrtCmoSetDesc", || {
        let descriptor = not_null(cmoDesc, "cmoDesc")?;
        let address = not_null(src, "src")?;
        if size == 0 {
            return bad_value("size", 0, "it must be at least 1");
        }
        memory_at(address, size as u64)?;
        let mut words: Descriptor = [0; 8];
        words[..3].copy_from_slice(&[address, size as u64, IS_DESCRIPTOR]);
        capture_mode::forbid("aclrtCmoSetDesc")?;
        let copy = RawCopy {
            to: descriptor,
            room: size_of::<Descriptor>() as u64,
            from: words.as_ptr().expose_provenance() as u64,
            bytes: size_of::<Descriptor>() as u64,
            direction: Direction::HostToDevice,
        };
        current::with(|entry| {
            // SAFETY: the words live until the call returns.
            Ok(unsafe { entry.context.device().copy_at(&copy) }?)
        })
    })
}
const _: abi::aclrtCmoSetDescFn = aclrtCmoSetDesc;

/// Prefetches the range that a descriptor has when the stream gets there.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtCmoAsyncWithDesc(
    cmoDesc: *mut c_void,
    cmoType: abi::aclrtCmoType,
    stream: abi::aclrtStream,
    reserve: *const c_void,
) -> abi::aclError {
    entry("aclrtCmoAsyncWithDesc", || {
        let descriptor = not_null(cmoDesc, "cmoDesc")?;
        only_prefetch(cmoType)?;
        if !reserve.is_null() {
            return bad_value("reserve", "an address", "it must be NULL");
        }
        current::on_stream(stream, "stream", |stream| {
            let bytes = size_of::<Descriptor>() as u64;
            memory_at(descriptor, bytes)?;
            let touches = [named(descriptor, bytes, true)];
            Ok(stream.compute(
                "aclrtCmoAsyncWithDesc",
                &touches,
                None,
                true,
                |places, _| {
                    let place = usize::try_from(places[0]).unwrap_or(0);
                    let place = std::ptr::with_exposed_provenance::<Descriptor>(place);
                    // SAFETY: the runtime has resolved these bytes and keeps them until this returns.
                    let [address, size, mark, ..] = unsafe { place.read_unaligned() };
                    if mark != IS_DESCRIPTOR {
                        return Err("the memory is no descriptor: call aclrtCmoSetDesc".to_owned());
                    }
                    memory_at(address, size).map_err(|error| error.to_string())
                },
            )?)
        })
    })
}
const _: abi::aclrtCmoAsyncWithDescFn = aclrtCmoAsyncWithDesc;
