//! Pinned host memory that GPUs reach without a detour.
//!
//! The driver copies from and to ordinary host memory through a buffer of its own, at a fifth to a tenth of the speed. So pages
//! of pinned memory are registered with the driver when they are committed, each by itself, because they go back one by
//! one. A copy must not span two registrations: it is made in pieces.
//!
//! Where registering fails (a limit on locked memory, no GPU opened yet), the page works as ordinary memory does.
#![expect(
    unsafe_code,
    reason = "promises the driver that pages stay where they are"
)]

use std::collections::BTreeSet;
use std::sync::Arc;

use millpond_cuda::HostFlags;
use parking_lot::Mutex;

use super::system::Cuda;
use crate::{AddressRange, DeviceError, Frozen, Gate, HUGE_PAGE, Memory, SharedPages};

/// Pinned memory whose pages are registered with the driver.
#[derive(Debug)]
pub struct RegisteredPinned {
    inner: Arc<dyn Memory>,
    cuda: Arc<Cuda>,
    /// The pages that are registered, as work names them.
    pages: Mutex<BTreeSet<u64>>,
}

impl RegisteredPinned {
    /// Wraps `inner`.
    pub fn new(inner: Arc<dyn Memory>, cuda: &Arc<Cuda>) -> Self {
        let memory = Self {
            inner,
            cuda: Arc::clone(cuda),
            pages: Mutex::default(),
        };
        cuda.add_pinned(memory.work());
        memory
    }

    /// Where work names its bytes.
    fn work(&self) -> AddressRange {
        self.kernel(self.inner.range())
    }

    fn kernel(&self, range: AddressRange) -> AddressRange {
        AddressRange::new(range.start.wrapping_add(self.distance()), range.bytes)
    }

    fn register(&self, range: AddressRange) {
        let Some(gpu) = self.cuda.any() else { return };
        let (Ok(_entered), Some(whole)) = (gpu.enter(), range.whole_pages(HUGE_PAGE)) else {
            return;
        };
        let flags = HostFlags {
            portable: true,
            mapped: false,
        };
        let mut pages = self.pages.lock();
        let mut at = whole.start;
        while at < whole.end() {
            if !pages.contains(&at) {
                // SAFETY: the page was committed, and is unregistered before it goes back.
                let registered = unsafe { gpu.driver().host_register(at, HUGE_PAGE, flags) };
                if registered.is_err() {
                    return;
                }
                pages.insert(at);
            }
            at += HUGE_PAGE;
        }
    }

    fn unregister(&self, range: AddressRange) {
        let mut pages = self.pages.lock();
        let first = range.start.saturating_sub(HUGE_PAGE - 1);
        let gone: Vec<u64> = pages.range(first..range.end()).copied().collect();
        let Some(gpu) = self.cuda.any().filter(|_| !gone.is_empty()) else {
            return;
        };
        let entered = gpu.enter();
        for page in gone {
            if entered.is_ok() {
                // What the driver refuses here it has lost already.
                drop(gpu.driver().host_unregister(page));
            }
            pages.remove(&page);
        }
    }
}

impl Memory for RegisteredPinned {
    fn range(&self) -> AddressRange {
        self.inner.range()
    }
    fn distance(&self) -> u64 {
        self.inner.distance()
    }
    fn commit(&self, range: AddressRange) -> Result<(), DeviceError> {
        self.inner.commit(range)?;
        self.register(self.kernel(range));
        Ok(())
    }
    fn give_back(&self, range: AddressRange) -> Result<u64, DeviceError> {
        self.unregister(self.kernel(range));
        self.inner.give_back(range)
    }
    fn windows(&self) -> u64 {
        self.inner.windows()
    }
    fn show(&self, pages: AddressRange, at: u64) -> Result<(), DeviceError> {
        self.inner.show(pages, at)
    }
    fn share(&self, range: AddressRange) -> Result<SharedPages, DeviceError> {
        self.inner.share(range)
    }
    fn resident(&self) -> Result<u64, DeviceError> {
        self.inner.resident()
    }
    fn gate(&self) -> Option<&Arc<Gate>> {
        self.inner.gate()
    }
    fn freeze(&self) -> Option<Frozen> {
        self.inner.freeze()
    }
}

impl Drop for RegisteredPinned {
    fn drop(&mut self) {
        self.unregister(self.work());
        self.cuda.remove_pinned(self.work());
    }
}

/// The end of the piece of a copy that begins at `address` of host memory: at the next border between pages where these may be registered.
pub(super) fn piece(cuda: &Cuda, address: u64, bytes: u64) -> u64 {
    if cuda.is_pinned(address) {
        bytes.min(HUGE_PAGE - address % HUGE_PAGE)
    } else {
        bytes
    }
}
