//! What all pools of one device share: the driver, the limit, events of our own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};

use parking_lot::Mutex;

use super::clocks::{self, Stream};
use super::device::{Device, Refused, inside};
use super::epochs::{self, Spare};
use super::mapping::Others;
use super::pools;

#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) retries: AtomicU64,
    pub(crate) failures: AtomicU64,
    pub(crate) recorded: AtomicU64,
    pub(crate) passed: AtomicU64,
    pub(crate) waits: AtomicU64,
}

#[derive(Debug)]
pub(crate) struct Gpu {
    pub(crate) device: Box<dyn Device>,
    pub(crate) number: i32,
    /// All memory of the device.
    pub(crate) total: u64,
    limit: AtomicU64,
    /// What the limit is compared with: bytes of pages that are held, and of pages that requests are about to take.
    promised: AtomicU64,
    /// Bytes of pages that are held, and their peak.
    held: AtomicU64,
    most_held: AtomicU64,
    pub(crate) spare: Spare,
    /// Other devices that may access all of it.
    pub(crate) others: Others,
    /// Captures that the program said are under way.
    captures: AtomicI32,
    /// Waiting for streams was in vain: not again before one has passed something.
    pub(crate) stalled: AtomicBool,
    /// Why no more work of the device will complete, as the driver last reported it.
    lost: Mutex<Option<Refused>>,
    pub(crate) counts: Counts,
}

impl Gpu {
    pub(crate) fn new(device: Box<dyn Device>, total: u64) -> Self {
        Self {
            number: device.number(),
            device,
            total,
            limit: AtomicU64::new(u64::MAX),
            promised: AtomicU64::new(0),
            held: AtomicU64::new(0),
            most_held: AtomicU64::new(0),
            spare: Spare::default(),
            others: Others::default(),
            captures: AtomicI32::new(0),
            stalled: AtomicBool::new(false),
            lost: Mutex::new(None),
            counts: Counts::default(),
        }
    }

    pub(crate) fn limit(&self) -> u64 {
        self.limit.load(Ordering::Relaxed)
    }

    pub(crate) fn set_limit(&self, bytes: u64) {
        self.limit.store(bytes, Ordering::Relaxed);
    }

    /// Promises bytes to a request; false if the limit does not allow it.
    pub(crate) fn hold(&self, bytes: u64) -> bool {
        if bytes == 0 {
            return true;
        }
        let limit = self.limit();
        let more = |promised: u64| promised.checked_add(bytes).filter(|&new| new <= limit);
        self.promised
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, more)
            .is_ok()
    }

    /// Takes a promise back: the request did not get its pages.
    pub(crate) fn let_go(&self, bytes: u64) {
        self.promised.fetch_sub(bytes, Ordering::AcqRel);
    }

    /// Counts pages that a request got after [`Gpu::hold`] promised them.
    pub(crate) fn has_backed(&self, bytes: u64) {
        let held = self.held.fetch_add(bytes, Ordering::AcqRel) + bytes;
        self.most_held.fetch_max(held, Ordering::AcqRel);
    }

    /// Counts pages that went back to the device.
    pub(crate) fn gave_back(&self, bytes: u64) {
        self.held.fetch_sub(bytes, Ordering::AcqRel);
        self.promised.fetch_sub(bytes, Ordering::AcqRel);
    }

    /// Bytes held now, and the most.
    pub(crate) fn held(&self) -> (u64, u64) {
        let held = self.held.load(Ordering::Acquire);
        (held, self.most_held.load(Ordering::Acquire).max(held))
    }

    pub(crate) fn reset_peak(&self) {
        self.most_held
            .store(self.held.load(Ordering::Acquire), Ordering::Release);
    }

    pub(crate) fn reset_counts(&self) {
        let zero = |count: &AtomicU64| count.store(0, Ordering::Relaxed);
        zero(&self.counts.retries);
        zero(&self.counts.failures);
    }

    /// A capture has begun or ended; false if none is under way that could end.
    pub(crate) fn capture(&self, change: i32) -> bool {
        let counted = |captures: i32| captures.checked_add(change).filter(|&new| new >= 0);
        self.captures
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, counted)
            .is_ok()
    }

    /// Whether events of our own are out of place now.
    pub(crate) fn is_captured(&self) -> bool {
        self.captures.load(Ordering::Acquire) > 0
    }

    /// Records an epoch on a stream, which may be another device's. Called inside the device.
    pub(crate) fn record(&self, stream: &Arc<Stream>) {
        self.record_on(stream, false);
    }

    /// The same before a stream is destroyed.
    pub(crate) fn record_last(&self, stream: &Arc<Stream>) {
        self.record_on(stream, true);
    }

    fn record_on(&self, stream: &Arc<Stream>, is_last: bool) {
        let recorded = self.at_home(stream, |gpu| {
            if !gpu.is_captured() && epochs::record(stream, &*gpu.device, &gpu.spare, is_last) {
                gpu.counts.recorded.fetch_add(1, Ordering::Relaxed);
            }
        });
        // Without an epoch, memory only stays with its stream for longer.
        recorded.ok();
    }

    /// Acts inside the device of a stream: the driver records no event of one device on a stream of another. A device that this
    /// library has not opened is left alone.
    fn at_home<R>(
        &self,
        stream: &Stream,
        act: impl FnOnce(&Self) -> R,
    ) -> Result<Option<R>, Refused> {
        let device = stream.device();
        if device == self.number || device < 0 {
            return Ok(Some(act(self)));
        }
        match pools::opened(device) {
            Some(gpu) => inside(&*gpu.device, || act(gpu)).map(Some),
            None => Ok(None),
        }
    }

    /// Why waiting for work is futile, if the last [`Gpu::poll`] found that it is.
    pub(crate) fn lost(&self) -> Option<Refused> {
        self.lost.lock().clone()
    }

    /// Asks for the epochs of all streams that matter; returns whether one has passed. Called inside the device.
    pub(crate) fn poll(&self) -> bool {
        if self.is_captured() {
            return false;
        }
        let mut passed = 0;
        let mut lost = None;
        for stream in clocks::all() {
            if stream.concerns(self.number) && !stream.epochs.lock().is_empty() {
                let poll = |gpu: &Self| {
                    if gpu.is_captured() {
                        Ok(0)
                    } else {
                        epochs::poll(&stream, &*gpu.device, &gpu.spare)
                    }
                };
                match self
                    .at_home(&stream, poll)
                    .and_then(|polled| polled.unwrap_or(Ok(0)))
                {
                    Ok(more) => passed += more,
                    Err(refused) if refused.is_final => lost = Some(refused),
                    Err(_) => {}
                }
            }
        }
        *self.lost.lock() = lost;
        if passed > 0 {
            self.counts.passed.fetch_add(passed, Ordering::Relaxed);
            self.stalled.store(false, Ordering::Relaxed);
            clocks::sweep();
        }
        passed > 0
    }
}
