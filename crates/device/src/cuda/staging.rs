//! Work of this process on memory that only a GPU can touch.
//!
//! Every memory on a GPU has a *mirror*: as many addresses of this process, a constant distance from the GPU's. Work that
//! computes here finds its operands there, at the same offsets, so that ranges that overlap on the device overlap for it, too.
//! Before the work its bytes are brought, after it those that it may have written are sent. Bytes are in the mirror only for
//! that time; the GPU's memory is the truth.
//!
//! What must always hold:
//! - Native work is *alone*: nothing else moves bytes of a GPU between its bringing and its sending. Tensors with gaps
//!   are brought and sent as whole ranges, and what another stream wrote into a gap meanwhile would be lost.
//! - Runs of the engine have tensors without gaps, but user code may run in them (allocators), which may wait for
//!   copies: they are not alone.
//! - A copy inside such work, on the same thread, is a copy within the mirror.
//! - The mirror is emptied only while nothing is brought.
#![expect(unsafe_code, reason = "moves bytes at addresses of operands")]

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use millpond_cuda::{Driver, Error, Stream};
use parking_lot::{RwLock, RwLockReadGuard};

use super::system::{Cuda, Gpu};
use crate::mapping::Mapping;
use crate::{AddressRange, DeviceError};

/// How long a run of a library lets native work go first that waits already.
const COURTESY: Duration = Duration::from_millis(100);

/// Bytes that may stay in mirrors before they are emptied.
const KEPT: u64 = 1 << 30;

thread_local! {
    /// How many pieces of work on brought bytes this thread is inside of.
    static INSIDE: Cell<u32> = const { Cell::new(0) };
}

/// Counts what is brought, and keeps copies out of native work.
#[derive(Debug, Default)]
pub(super) struct Stage {
    alone: RwLock<()>,
    active: AtomicU64,
    /// Bytes that were brought since the mirrors were empty.
    brought: AtomicU64,
}

impl Stage {
    /// Whether nothing is in any mirror that somebody needs. It stays so while the lock of the places is held.
    pub(super) fn is_unused(&self) -> bool {
        self.active.load(Ordering::Acquire) == 0
    }
}

/// A range that work uses, where work finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Staged {
    /// The bytes.
    pub range: AddressRange,
    /// Whether the work may write them.
    pub writes: bool,
}

/// Bytes that were brought. They stay until this is dropped.
#[derive(Debug)]
pub struct Brought {
    cuda: Arc<Cuda>,
}

impl Brought {
    /// Sends these ranges to the GPUs that they belong to.
    pub fn send(&self, ranges: &[AddressRange]) -> Result<(), DeviceError> {
        self.cuda.exchange(ranges, Way::Out)
    }
}

impl Drop for Brought {
    fn drop(&mut self) {
        self.cuda.stage.active.fetch_sub(1, Ordering::AcqRel);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    In,
    Out,
}

/// While it lives, copies of this thread stay within the mirror.
struct Inside;

impl Inside {
    fn enter() -> Self {
        INSIDE.set(INSIDE.get() + 1);
        Self
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.set(INSIDE.get() - 1);
    }
}

/// Whether this thread runs work on brought bytes.
pub(super) fn is_inside() -> bool {
    INSIDE.get() > 0
}

impl Cuda {
    /// Brings bytes for work that is not alone.
    pub fn bring(self: &Arc<Self>, ranges: &[AddressRange]) -> Result<Brought, DeviceError> {
        self.empty_if_full();
        self.stage.active.fetch_add(1, Ordering::AcqRel);
        let brought = Brought {
            cuda: Arc::clone(self),
        };
        self.exchange(ranges, Way::In)?;
        Ok(brought)
    }

    /// Runs native work on bytes that are brought and sent around it; nothing else moves bytes of GPUs meanwhile. What it
    /// wrote is not sent if it fails.
    pub(super) fn work_alone(
        self: &Arc<Self>,
        parts: &[Staged],
        work: &mut dyn FnMut() -> bool,
    ) -> Result<(), DeviceError> {
        let all: Vec<_> = parts.iter().map(|part| part.range).collect();
        let written = parts.iter().filter(|part| part.writes);
        let written: Vec<_> = written.map(|part| part.range).collect();
        // Work inside of other work is alone already.
        let _alone = (!is_inside()).then(|| self.stage.alone.write());
        let brought = self.bring(&all)?;
        let succeeded = {
            let _inside = Inside::enter();
            work()
        };
        if succeeded {
            brought.send(&written)?;
        }
        Ok(())
    }

    /// Keeps native work out while bytes are moved.
    pub(super) fn moving(&self) -> RwLockReadGuard<'_, ()> {
        self.stage.alone.read_recursive()
    }

    /// The same for work that takes long: native work that is already waiting goes first. Otherwise two streams whose runs overlap
    /// would keep it out as long as they have runs. The wait is limited, because native work may itself wait for this thread.
    pub(super) fn moving_for_long(&self) -> RwLockReadGuard<'_, ()> {
        let polite = self.stage.alone.try_read_for(COURTESY);
        polite.unwrap_or_else(|| self.moving())
    }

    /// Copies ranges that are a GPU's between it and its mirror; others are where work finds them anyway.
    fn exchange(&self, ranges: &[AddressRange], way: Way) -> Result<(), DeviceError> {
        let mut sorted: Vec<_> = ranges.iter().filter(|range| range.bytes > 0).collect();
        sorted.sort_unstable_by_key(|range| range.start);
        let mut joined: Vec<AddressRange> = Vec::new();
        for range in sorted {
            match joined.last_mut() {
                Some(last) if range.start <= last.end() => {
                    last.bytes = last.bytes.max(range.end() - last.start);
                }
                _ => joined.push(*range),
            }
        }
        for range in joined {
            let mut at = range.start;
            while at < range.end() {
                let (found, bytes) = self.run(at, range.end() - at);
                if let Some((gpu, there)) = found {
                    let here = AddressRange::new(at, bytes);
                    self.exchange_run(&gpu, here, there, way)?;
                }
                at += bytes;
            }
        }
        Ok(())
    }

    fn exchange_run(
        &self,
        gpu: &Gpu,
        here: AddressRange,
        there: u64,
        way: Way,
    ) -> Result<(), DeviceError> {
        if way == Way::In {
            self.stage.brought.fetch_add(here.bytes, Ordering::Relaxed);
        }
        let copied = gpu.work(|driver, stream| copy(driver, stream, here, there, way));
        copied.map_err(|error| DeviceError::Move {
            bytes: here.bytes,
            reason: error.to_string(),
        })
    }

    /// Returns the mirrors' pages to the machine if there are many and nobody uses them.
    fn empty_if_full(&self) {
        if self.stage.brought.load(Ordering::Relaxed) < KEPT || is_inside() {
            return;
        }
        // Whoever brings something waits for the lock of the ranges, which `run` takes, until the mirrors are empty.
        self.empty_mirrors(|| {
            let unused = self.stage.is_unused();
            if unused {
                self.stage.brought.store(0, Ordering::Relaxed);
            }
            unused
        });
    }
}

fn copy(
    driver: &Driver,
    stream: Stream,
    here: AddressRange,
    there: u64,
    way: Way,
) -> Result<(), Error> {
    match way {
        // SAFETY: the mirror is mapped as long as the memory, and the caller waits for the stream.
        Way::In => unsafe { driver.copy_to_host(here.start, there, here.bytes, stream) },
        // SAFETY: as above.
        Way::Out => unsafe { driver.copy_to_device(there, here.start, here.bytes, stream) },
    }
}

/// Addresses for a mirror of `bytes` bytes.
pub(super) fn mirror(bytes: u64) -> Result<Arc<Mapping>, DeviceError> {
    let mapping = Mapping::new(bytes, None)?;
    mapping.open(mapping.range())?;
    // Advice: small core files.
    drop(mapping.advise(mapping.range(), libc::MADV_DONTDUMP));
    Ok(Arc::new(mapping))
}
