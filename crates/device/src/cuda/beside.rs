//! A host device in a runtime that has GPUs too: its streams may copy from and to their memory.
#![expect(unsafe_code, reason = "forwards the trait's own unsafe functions")]

use std::sync::Arc;

use super::staging::{Brought, Staged};
use super::system::Cuda;
use crate::{AddressRange, Device, DeviceError, HostDevice, Memory, Mover, SharedPages};

/// A host device whose streams may copy from and to GPUs.
#[derive(Debug)]
pub struct BesideCuda {
    inner: HostDevice,
    cuda: Arc<Cuda>,
}

impl BesideCuda {
    /// Wraps `inner`.
    pub fn new(inner: HostDevice, cuda: &Arc<Cuda>) -> Self {
        Self {
            inner,
            cuda: Arc::clone(cuda),
        }
    }
}

impl Memory for BesideCuda {
    fn range(&self) -> AddressRange {
        self.inner.range()
    }
    fn distance(&self) -> u64 {
        self.inner.distance()
    }
    fn commit(&self, range: AddressRange) -> Result<(), DeviceError> {
        self.inner.commit(range)
    }
    fn give_back(&self, range: AddressRange) -> Result<u64, DeviceError> {
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
}

impl Mover for BesideCuda {
    unsafe fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), DeviceError> {
        // SAFETY: the caller's promises.
        unsafe { self.cuda.copy(to, from, bytes) }
    }

    unsafe fn fill(&self, to: u64, value: u8, bytes: u64) -> Result<(), DeviceError> {
        // SAFETY: the caller's promises.
        unsafe { self.cuda.fill(to, value, bytes) }
    }

    unsafe fn fill_words(&self, to: u64, value: u32, count: u64) -> Result<(), DeviceError> {
        // SAFETY: the caller's promises.
        unsafe { self.cuda.fill_words(to, value, count) }
    }
}

impl Device for BesideCuda {
    fn note(&self) -> Option<String> {
        self.inner.note()
    }

    fn compute(&self, parts: &[Staged], work: &mut dyn FnMut() -> bool) -> Result<(), DeviceError> {
        self.cuda.work_alone(parts, work)
    }

    fn bring(&self, ranges: &[AddressRange]) -> Result<Option<Brought>, DeviceError> {
        self.cuda.bring(ranges).map(Some)
    }

    fn load_word(&self, at: u64) -> Result<Option<u64>, DeviceError> {
        self.cuda.load_word(at)
    }

    fn store_word(&self, at: u64, word: u64) -> Result<bool, DeviceError> {
        self.cuda.store_word(at, word)
    }
}
