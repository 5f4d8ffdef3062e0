//! `acl/rt/device.h` and `acl/rt/stream.h`: what becomes of results that are too large, and how a program learns of them.
//!
//! Operators follow IEEE 754. What else a stream wants is done behind them, in the same task or in one behind it: results are looked at, and
//! in a stream of the saturation mode infinities and NaN are replaced. Whether something was found is one fact per device.
//!
//! Invariant: while no stream wants it, an operator costs one relaxed load more.
#![expect(
    unsafe_code,
    reason = "exported C symbols; looks at memory that the runtime resolved"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::collections::HashSet;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};

use millpond::{Element, Stream, Touch};
use millpond_abi as abi;
use millpond_functions::{Plan, Tensor};
use parking_lot::Mutex;
use smallvec::SmallVec;

use super::stream::look;
use super::stream_attribute;
use crate::boundary::{CallError, bad_value, entry, not_null, out};
use crate::{current, process};

/// The bytes that `aclrtGetOverflowStatus` writes.
const STATUS_BYTES: usize = 64;

#[derive(Debug, Default)]
struct Devices {
    /// Those whose new streams saturate.
    saturate: HashSet<u32>,
    /// Those on which something was too large.
    overflowed: HashSet<u32>,
}

static DEVICES: Mutex<Option<Devices>> = Mutex::new(None);
/// Whether some stream wants its results looked at.
static WANTED: AtomicBool = AtomicBool::new(false);

/// Forgets what the program has set, and what was found.
pub(crate) fn forget_all() {
    *DEVICES.lock() = None;
    WANTED.store(false, Ordering::Relaxed);
}

/// What a stream wants of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Wishes {
    /// Too large ones are noted.
    pub(super) notes: bool,
    /// They are replaced.
    pub(super) saturates: bool,
}

/// A stream was created.
pub(crate) fn stream_created(stream: &Stream) {
    let device = stream.device_index();
    let devices = DEVICES.lock();
    let saturates = devices
        .as_ref()
        .is_some_and(|devices| devices.saturate.contains(&device));
    if saturates {
        stream_attribute::change_wishes(stream.id(), |wishes| wishes.saturates = true);
        WANTED.store(true, Ordering::Relaxed);
    }
}

/// What is done with the results of a task.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watch {
    device: u32,
    wishes: Wishes,
}

/// What is done with the results of a task that is queued now; usually nothing.
#[inline]
pub(crate) fn watch(stream: &Stream) -> Option<Watch> {
    if !WANTED.load(Ordering::Relaxed) {
        return None;
    }
    let wishes = stream_attribute::wishes(stream.id());
    (wishes != Wishes::default()).then(|| Watch {
        device: stream.device_index(),
        wishes,
    })
}

impl Watch {
    /// Looks at what a plan has written.
    ///
    /// # Safety
    /// As for [`Plan::run`], whose operands these are.
    pub(crate) unsafe fn look(self, plan: &Plan, operands: &[u64]) {
        // SAFETY: as the caller promises.
        let found = unsafe { plan.overflowed(operands, self.wishes.saturates) };
        if found && self.wishes.notes {
            let mut devices = DEVICES.lock();
            devices
                .get_or_insert_default()
                .overflowed
                .insert(self.device);
        }
    }
}

/// Looks at results behind the task that makes them: those of the engine, each with its type, dimensions and address.
pub(crate) fn watch_results<'r>(
    stream: &Stream,
    results: impl Iterator<Item = (Element, &'r [i64], u64)>,
) -> Result<(), CallError> {
    let Some(watch) = watch(stream) else {
        return Ok(());
    };
    let tensors: Vec<Tensor> = results
        .filter(|(_, _, address)| *address != 0)
        .map(|(element, dims, address)| Tensor::dense(element, dims, address))
        .collect();
    let plan = Plan::of_results(tensors.iter());
    let operands = plan.operands().iter();
    let touches: SmallVec<[Touch; 4]> = operands
        .map(|operand| Touch {
            address: operand.address,
            bytes: operand.bytes,
            reads: true,
            writes: watch.wishes.saturates,
        })
        .collect();
    if touches.is_empty() {
        return Ok(());
    }
    Ok(
        stream.compute("overflow", &touches, None, false, move |operands, _| {
            // SAFETY: the runtime has resolved every operand, and keeps them until this returns.
            unsafe { watch.look(&plan, operands) };
            Ok(())
        })?,
    )
}

/// Switches the search for overflow in later tasks of a stream on or off.
pub(super) fn switch(stream: u64, value: u32) {
    stream_attribute::change_wishes(stream, |wishes| wishes.notes = value == 1);
    if value == 1 {
        WANTED.store(true, Ordering::Relaxed);
    }
}

/// Chooses what operators on streams that are created from now on do with results that are too large.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSetDeviceSatMode(
    mode: abi::aclrtFloatOverflowMode,
) -> abi::aclError {
    entry("aclrtSetDeviceSatMode", || {
        let device = current::with(|entry| Ok(entry.context.device().index()))?;
        let mut devices = DEVICES.lock();
        let saturate = &mut devices.get_or_insert_default().saturate;
        match mode {
            abi::ACL_RT_OVERFLOW_MODE_INFNAN => {
                saturate.remove(&device);
            }
            abi::ACL_RT_OVERFLOW_MODE_SATURATION => {
                let profile = &process::settings()?.profile;
                if !profile.saturates {
                    return Err(CallError::coded(
                        abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                        format!("{} has no saturation mode", profile.soc_name),
                    ));
                }
                saturate.insert(device);
            }
            other => {
                return bad_value(
                    "mode",
                    other,
                    "it must be ACL_RT_OVERFLOW_MODE_SATURATION or ACL_RT_OVERFLOW_MODE_INFNAN",
                );
            }
        }
        Ok(())
    })
}
const _: abi::aclrtSetDeviceSatModeFn = aclrtSetDeviceSatMode;

/// The mode of streams that are created from now on.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetDeviceSatMode(
    mode: *mut abi::aclrtFloatOverflowMode,
) -> abi::aclError {
    entry("aclrtGetDeviceSatMode", || {
        let out = out!(mode);
        let device = current::with(|entry| Ok(entry.context.device().index()))?;
        let devices = DEVICES.lock();
        let saturates = devices
            .as_ref()
            .is_some_and(|devices| devices.saturate.contains(&device));
        out.write(if saturates {
            abi::ACL_RT_OVERFLOW_MODE_SATURATION
        } else {
            abi::ACL_RT_OVERFLOW_MODE_INFNAN
        });
        Ok(())
    })
}
const _: abi::aclrtGetDeviceSatModeFn = aclrtGetDeviceSatMode;

/// Switches the search for overflow in later tasks of a stream on or off.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSetStreamOverflowSwitch(
    stream: abi::aclrtStream,
    flag: u32,
) -> abi::aclError {
    entry("aclrtSetStreamOverflowSwitch", || {
        let id = look(stream, Stream::id)?;
        stream_attribute::check_switch("flag", flag)?;
        switch(id, flag);
        Ok(())
    })
}
const _: abi::aclrtSetStreamOverflowSwitchFn = aclrtSetStreamOverflowSwitch;

/// Whether overflow is looked for in tasks of a stream.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetStreamOverflowSwitch(
    stream: abi::aclrtStream,
    flag: *mut u32,
) -> abi::aclError {
    entry("aclrtGetStreamOverflowSwitch", || {
        let out = out!(flag);
        let id = look(stream, Stream::id)?;
        out.write(u32::from(stream_attribute::wishes(id).notes));
        Ok(())
    })
}
const _: abi::aclrtGetStreamOverflowSwitchFn = aclrtGetStreamOverflowSwitch;

/// Writes, in the order of a stream, whether a result on its device was too large: a number other than 0, and zeros.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetOverflowStatus(
    outputAddr: *mut c_void,
    outputSize: usize,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtGetOverflowStatus", || {
        let address = not_null(outputAddr, "outputAddr")?;
        if outputSize != STATUS_BYTES {
            return bad_value("outputSize", outputSize, "it must be 64");
        }
        current::on_stream(stream, "stream", |stream| {
            let device = stream.device_index();
            let status = Touch {
                address,
                bytes: STATUS_BYTES as u64,
                reads: false,
                writes: true,
            };
            let touches = [status];
            Ok(stream.compute(
                "aclrtGetOverflowStatus",
                &touches,
                None,
                true,
                move |places, _| {
                    let devices = DEVICES.lock();
                    let found = devices
                        .as_ref()
                        .is_some_and(|devices| devices.overflowed.contains(&device));
                    let mut text = [0_u8; STATUS_BYTES];
                    text[0] = u8::from(found);
                    let place = usize::try_from(places[0]).unwrap_or(0);
                    let place = std::ptr::with_exposed_provenance_mut::<[u8; STATUS_BYTES]>(place);
                    // SAFETY: the runtime has resolved these 64 bytes and keeps them until this returns.
                    unsafe { place.write_unaligned(text) };
                    Ok(())
                },
            )?)
        })
    })
}
const _: abi::aclrtGetOverflowStatusFn = aclrtGetOverflowStatus;

/// Forgets, in the order of a stream, that results on its device were too large.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtResetOverflowStatus(
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtResetOverflowStatus", || {
        current::on_stream(stream, "stream", |stream| {
            let device = stream.device_index();
            Ok(
                stream.compute("aclrtResetOverflowStatus", &[], None, true, move |_, _| {
                    if let Some(devices) = &mut *DEVICES.lock() {
                        devices.overflowed.remove(&device);
                    }
                    Ok(())
                })?,
            )
        })
    })
}
const _: abi::aclrtResetOverflowStatusFn = aclrtResetOverflowStatus;
