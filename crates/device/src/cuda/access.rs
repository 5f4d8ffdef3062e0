//! A GPU for libraries of this process that compute on it themselves.
#![expect(
    unsafe_code,
    reason = "copies to and within memory of a GPU by address"
)]

use std::sync::Arc;

use millpond_cuda::Error;
use parking_lot::RwLockReadGuard;

use super::system::{Cuda, Gpu};
use crate::{AddressRange, DeviceError};

/// A GPU whose memory a library of this process reads and writes with its own kernels.
#[derive(Debug, Clone)]
pub struct GpuAccess {
    cuda: Arc<Cuda>,
    gpu: Arc<Gpu>,
}

/// While it lives, no native work is between copying bytes of a GPU to the mirror and back: it would overwrite what a library
/// writes there meanwhile with older bytes.
#[derive(Debug)]
pub struct Writing<'a> {
    _moving: RwLockReadGuard<'a, ()>,
}

impl GpuAccess {
    pub(super) fn new(cuda: &Arc<Cuda>, gpu: &Arc<Gpu>) -> Self {
        Self {
            cuda: Arc::clone(cuda),
            gpu: Arc::clone(gpu),
        }
    }

    /// Its number among the GPUs that the driver shows to this process.
    pub fn index(&self) -> u32 {
        self.gpu.index()
    }

    /// A description of the GPU for messages.
    pub fn describe(&self) -> String {
        self.gpu.describe()
    }

    /// Bytes of memory that it has.
    pub fn total(&self) -> u64 {
        self.gpu.total()
    }

    /// This GPU's own address of a range that work of this process knows by another address; `None` unless all of it is memory
    /// of this GPU.
    pub fn address_of(&self, range: AddressRange) -> Option<u64> {
        let (found, bytes) = self.cuda.run(range.start, range.bytes.max(1));
        let (gpu, there) = found?;
        (Arc::ptr_eq(&gpu, &self.gpu) && bytes >= range.bytes).then_some(there)
    }

    /// Runs `work` with the GPU's context current on this thread. Afterwards the previous context is current again, even if
    /// `work` made another one current.
    pub fn enter<R>(&self, work: impl FnOnce() -> R) -> Result<R, DeviceError> {
        let _entered = self.gpu.enter()?;
        Ok(work())
    }

    /// Keeps native work on bytes of GPUs from running. Never held while user code runs, because that may wait for such work.
    pub fn writing(&self) -> Writing<'_> {
        Writing {
            _moving: self.cuda.moving_for_long(),
        }
    }

    /// The same where it was let in for a moment: what a library holds meanwhile, others may wait for.
    pub fn writing_again(&self) -> Writing<'_> {
        Writing {
            _moving: self.cuda.moving(),
        }
    }

    /// Waits for all work on the GPU, whoever queued it.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        let _entered = self.gpu.enter()?;
        Ok(self.gpu.driver().synchronize()?)
    }

    /// Allocates memory from the driver. No device counts it.
    pub fn alloc(&self, bytes: u64) -> Result<u64, DeviceError> {
        let allocated = self
            .gpu
            .enter()
            .and_then(|_entered| self.gpu.driver().alloc(bytes));
        allocated.map_err(|error| self.gpu.refused(bytes, error))
    }

    /// Waits for the GPU and frees memory of [`GpuAccess::alloc`].
    pub fn free(&self, address: u64) -> Result<(), DeviceError> {
        let _entered = self.gpu.enter()?;
        Ok(self.gpu.driver().free(address)?)
    }

    /// Writes bytes into memory of this GPU, and waits.
    ///
    /// # Safety
    /// `to` is an address of this GPU with that many bytes, which nothing else uses meanwhile.
    pub unsafe fn write(&self, to: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        let from = bytes.as_ptr().expose_provenance() as u64;
        let length = bytes.len() as u64;
        self.moved(length, |driver, stream| {
            // SAFETY: the caller's promise; the bytes are borrowed until this has been waited for.
            unsafe { driver.copy_to_device(to, from, length, stream) }
        })
    }

    /// Copies bytes within this GPU, and waits.
    ///
    /// # Safety
    /// Both are addresses of this GPU with that many bytes, do not overlap, and nothing else writes them meanwhile.
    pub unsafe fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), DeviceError> {
        self.moved(bytes, |driver, stream| {
            // SAFETY: the caller's promise.
            unsafe { driver.copy_within(to, from, bytes, stream) }
        })
    }

    fn moved(
        &self,
        bytes: u64,
        queue: impl FnOnce(&millpond_cuda::Driver, millpond_cuda::Stream) -> Result<(), Error>,
    ) -> Result<(), DeviceError> {
        self.gpu.work(queue).map_err(|error| DeviceError::Move {
            bytes,
            reason: error.to_string(),
        })
    }
}
