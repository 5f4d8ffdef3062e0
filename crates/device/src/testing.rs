//! For tests: devices and memories that fail at call number N.
//!
//! Tests run one scenario for N = 1, 2, 3, … until it passes without a failure, and check each time
//! that the state is as it was before the failed call and that nothing is lost.
#![expect(unsafe_code, reason = "forwards the trait's own unsafe functions")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{
    AddressRange, AddressSpace, Device, DeviceError, Home, HostAddressSpace, HostDevice, Keeper,
    Memory, Mover, PieceId, PinnedMemory, SharedPages, Window,
};

/// Counts calls and says which one fails. Shared by all memories of one test.
#[derive(Debug)]
pub struct FailurePlan {
    calls: AtomicU64,
    fail_at: u64,
}

impl FailurePlan {
    /// The `fail_at`-th call fails; 0 means none does.
    pub fn at(fail_at: u64) -> Arc<Self> {
        Arc::new(Self {
            calls: AtomicU64::new(0),
            fail_at,
        })
    }

    /// Whether the call that was to fail has happened.
    pub fn fired(&self) -> bool {
        self.fail_at != 0 && self.calls.load(Ordering::Relaxed) >= self.fail_at
    }

    fn check(&self, call: &'static str) -> Result<(), DeviceError> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        if number == self.fail_at {
            return Err(DeviceError::System {
                call,
                error: format!("planned failure at call {number}"),
            });
        }
        Ok(())
    }
}

/// A host device whose calls fail as planned.
#[derive(Debug)]
pub struct FailingDevice {
    inner: HostDevice,
    plan: Arc<FailurePlan>,
}

impl FailingDevice {
    /// Wraps `inner`.
    pub fn new(inner: HostDevice, plan: Arc<FailurePlan>) -> Self {
        Self { inner, plan }
    }
}

/// Pinned memory whose calls fail as planned.
#[derive(Debug)]
pub struct FailingPinned {
    inner: PinnedMemory,
    plan: Arc<FailurePlan>,
}

impl FailingPinned {
    /// Wraps `inner`.
    pub fn new(inner: PinnedMemory, plan: Arc<FailurePlan>) -> Self {
        Self { inner, plan }
    }
}

macro_rules! failing_memory {
    ($type:ty) => {
        impl Memory for $type {
            fn range(&self) -> AddressRange {
                self.inner.range()
            }
            fn distance(&self) -> u64 {
                self.inner.distance()
            }
            fn commit(&self, range: AddressRange) -> Result<(), DeviceError> {
                self.plan.check("commit")?;
                self.inner.commit(range)
            }
            fn give_back(&self, range: AddressRange) -> Result<u64, DeviceError> {
                self.plan.check("give_back")?;
                self.inner.give_back(range)
            }
            fn windows(&self) -> u64 {
                self.inner.windows()
            }
            fn show(&self, pages: AddressRange, at: u64) -> Result<(), DeviceError> {
                self.plan.check("show")?;
                self.inner.show(pages, at)
            }
            fn share(&self, range: AddressRange) -> Result<SharedPages, DeviceError> {
                self.plan.check("share")?;
                self.inner.share(range)
            }
            fn resident(&self) -> Result<u64, DeviceError> {
                self.inner.resident()
            }
        }
    };
}
failing_memory!(FailingDevice);
failing_memory!(FailingPinned);

impl Mover for FailingDevice {
    unsafe fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), DeviceError> {
        self.plan.check("copy")?;
        // SAFETY: the caller's promises are those of the inner call.
        unsafe { self.inner.copy(to, from, bytes) }
    }
    unsafe fn fill(&self, to: u64, value: u8, bytes: u64) -> Result<(), DeviceError> {
        self.plan.check("fill")?;
        // SAFETY: the caller's promises are those of the inner call.
        unsafe { self.inner.fill(to, value, bytes) }
    }
    unsafe fn fill_words(&self, to: u64, value: u32, count: u64) -> Result<(), DeviceError> {
        self.plan.check("fill_words")?;
        // SAFETY: the caller's promises are those of the inner call.
        unsafe { self.inner.fill_words(to, value, count) }
    }
}

impl Device for FailingDevice {
    fn note(&self) -> Option<String> {
        self.inner.note()
    }
}

/// Addresses and pieces whose calls fail as planned.
#[derive(Debug)]
pub struct FailingAddressSpace {
    inner: HostAddressSpace,
    plan: Arc<FailurePlan>,
}

impl FailingAddressSpace {
    /// Wraps `inner`.
    pub fn new(inner: HostAddressSpace, plan: Arc<FailurePlan>) -> Self {
        Self { inner, plan }
    }
}

impl AddressSpace for FailingAddressSpace {
    fn granularity(&self, home: Home) -> u64 {
        self.inner.granularity(home)
    }
    fn reserve(&self, bytes: u64, wanted: Option<u64>) -> Result<Window, DeviceError> {
        self.plan.check("reserve")?;
        self.inner.reserve(bytes, wanted)
    }
    fn release(&self, start: u64) -> Result<(), DeviceError> {
        self.plan.check("release")?;
        self.inner.release(start)
    }
    fn create(&self, bytes: u64, home: Home) -> Result<PieceId, DeviceError> {
        self.plan.check("create")?;
        self.inner.create(bytes, home)
    }
    fn destroy(&self, piece: PieceId) -> Result<(), DeviceError> {
        self.plan.check("destroy")?;
        self.inner.destroy(piece)
    }
    fn map(&self, piece: PieceId, at: u64, shown: bool) -> Result<(), DeviceError> {
        self.plan.check("map")?;
        self.inner.map(piece, at, shown)
    }
    fn show(&self, at: u64) -> Result<(), DeviceError> {
        self.plan.check("show")?;
        self.inner.show(at)
    }
    fn share(&self, piece: PieceId) -> Result<SharedPages, DeviceError> {
        self.plan.check("share")?;
        self.inner.share(piece)
    }
    fn adopt(&self, pages: SharedPages, keep: Keeper) -> Result<(PieceId, Home), DeviceError> {
        self.plan.check("adopt")?;
        self.inner.adopt(pages, keep)
    }
    fn hide(&self, at: u64) -> Result<(), DeviceError> {
        self.plan.check("hide")?;
        self.inner.hide(at)
    }
    fn unmap(&self, at: u64) -> Result<(), DeviceError> {
        self.plan.check("unmap")?;
        self.inner.unmap(at)
    }
}
