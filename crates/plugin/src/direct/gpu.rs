//! What all pools of one device share: the driver, the limit, events of our own.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};

use parking_lot::RwLock;

use super::clocks;
use super::device::Device;
use super::epochs::{self, Spare};

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
    held: AtomicU64,
    most_held: AtomicU64,
    pub(crate) spare: Spare,
    /// Other devices that may access all of it.
    pub(crate) others: RwLock<Vec<i32>>,
    /// Captures that the program said are under way.
    captures: AtomicI32,
    /// Waiting for streams was in vain: not again before one has passed something.
    pub(crate) stalled: AtomicBool,
    pub(crate) counts: Counts,
}

impl Gpu {
    pub(crate) fn new(device: Box<dyn Device>, total: u64) -> Self {
        Self {
            number: device.number(),
            device,
            total,
            limit: AtomicU64::new(u64::MAX),
            held: AtomicU64::new(0),
            most_held: AtomicU64::new(0),
            spare: Spare::default(),
            others: RwLock::default(),
            captures: AtomicI32::new(0),
            stalled: AtomicBool::new(false),
            counts: Counts::default(),
        }
    }

    pub(crate) fn limit(&self) -> u64 {
        self.limit.load(Ordering::Relaxed)
    }

    pub(crate) fn set_limit(&self, bytes: u64) {
        self.limit.store(bytes, Ordering::Relaxed);
    }

    /// Counts bytes as held; false if the limit does not allow it.
    pub(crate) fn hold(&self, bytes: u64) -> bool {
        let limit = self.limit();
        let more = |held: u64| held.checked_add(bytes).filter(|&new| new <= limit);
        let held = self
            .held
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, more);
        if let Ok(before) = held {
            self.most_held.fetch_max(before + bytes, Ordering::AcqRel);
        }
        held.is_ok()
    }

    pub(crate) fn let_go(&self, bytes: u64) {
        self.held.fetch_sub(bytes, Ordering::AcqRel);
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

    /// A capture has begun or ended.
    pub(crate) fn capture(&self, change: i32) {
        self.captures.fetch_add(change, Ordering::AcqRel);
    }

    /// Whether events of our own are out of place now.
    pub(crate) fn is_captured(&self) -> bool {
        self.captures.load(Ordering::Acquire) > 0
    }

    /// Records an epoch on a stream. Called inside the device.
    pub(crate) fn record(&self, stream: &std::sync::Arc<clocks::Stream>) {
        if !self.is_captured() && epochs::record(stream, &*self.device, &self.spare) {
            self.counts.recorded.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Asks for the epochs of all streams; returns whether one has passed. Called inside the device.
    pub(crate) fn poll(&self) -> bool {
        if self.is_captured() {
            return false;
        }
        let mut passed = 0;
        for stream in clocks::all() {
            if stream.device.load(Ordering::Relaxed) == self.number {
                passed += epochs::poll(&stream, &*self.device, &self.spare);
            }
        }
        if passed > 0 {
            self.counts.passed.fetch_add(passed, Ordering::Relaxed);
            self.stalled.store(false, Ordering::Relaxed);
            clocks::sweep();
        }
        passed > 0
    }
}
