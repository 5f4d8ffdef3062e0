//! Memory of GPUs, beside the machine's own.

use std::sync::Arc;

use millpond_device::{
    AddressSpace, BesideCuda, Cuda, CudaAddressSpace, CudaDevice, CudaOptions, Device, DeviceError,
    Memory, RegisteredPinned,
};

use crate::config::Config;
use crate::kind::DeviceKind;
use crate::source::{HostSource, MemorySource};

const GIB: u64 = 1 << 30;

/// Bytes of each handle of the driver: they cost time by the handle and not by the byte, and many small ones cost the GPU
/// bandwidth. A device has at least [`LEAST_PAGES`] of them, so that little memory is not spent on a few pages.
const PAGES: std::ops::RangeInclusive<u64> = 2 << 20..=16 << 20;
const LEAST_PAGES: u64 = 512;

/// Devices that are GPUs or the machine's own memory, as [`Config::kinds`] says. Pinned memory is the machine's.
#[derive(Debug, Clone)]
pub struct GpuSource {
    host: HostSource,
    cuda: Arc<Cuda>,
}

impl GpuSource {
    /// With the driver of this machine.
    pub fn open() -> Result<Self, DeviceError> {
        Ok(Self::with(Cuda::open()?))
    }

    /// With a driver that is open.
    pub fn with(cuda: Arc<Cuda>) -> Self {
        Self {
            host: HostSource::default(),
            cuda,
        }
    }

    fn on_gpu(
        &self,
        gpu: u32,
        bytes: u64,
        windows: bool,
        config: &Config,
    ) -> Result<CudaDevice, DeviceError> {
        if config.unified {
            return Err(DeviceError::System {
                call: "MILLPOND_RUN_MODE=device",
                error: "the program cannot touch the memory of a GPU: choose MILLPOND_RUN_MODE=host or \
                        MILLPOND_DEVICE=host"
                    .to_owned(),
            });
        }
        let options = CudaOptions {
            gpu,
            // Gaps between blocks and the alignment of large pages cost addresses, never memory.
            span: bytes.saturating_mul(2).max(GIB).saturating_add(GIB),
            windows: if windows { bytes } else { 0 },
            page: page_for(bytes),
        };
        CudaDevice::new(&self.cuda, options)
    }
}

/// The size of pages for a memory of `bytes` bytes.
fn page_for(bytes: u64) -> u64 {
    let wanted = (bytes / LEAST_PAGES).clamp(*PAGES.start(), *PAGES.end());
    1 << wanted.ilog2()
}

impl MemorySource for GpuSource {
    fn device(&self, index: u32, config: &Config) -> Result<Arc<dyn Device>, DeviceError> {
        match config.kind(index) {
            DeviceKind::Host => {
                let device = self.host.host_device(index, config)?;
                Ok(Arc::new(BesideCuda::new(device, &self.cuda)))
            }
            DeviceKind::Cuda(gpu) => {
                let total = self.cuda.total(gpu)?;
                let bytes = if config.whole_gpus {
                    total
                } else {
                    config.capacity.min(total)
                };
                Ok(Arc::new(self.on_gpu(gpu, bytes, true, config)?))
            }
        }
    }

    fn pinned(&self, config: &Config) -> Result<Arc<dyn Memory>, DeviceError> {
        let memory = self.host.pinned(config)?;
        Ok(Arc::new(RegisteredPinned::new(memory, &self.cuda)))
    }

    fn more_pinned(
        &self,
        index: u32,
        least: u64,
        config: &Config,
    ) -> Result<Arc<dyn Memory>, DeviceError> {
        let memory = self.host.more_pinned(index, least, config)?;
        Ok(Arc::new(RegisteredPinned::new(memory, &self.cuda)))
    }

    fn pool(
        &self,
        index: u32,
        bytes: u64,
        config: &Config,
    ) -> Result<Arc<dyn Memory>, DeviceError> {
        match config.kind(index) {
            DeviceKind::Host => self.host.pool(index, bytes, config),
            // There may be many pools: they merge and reuse first, and show no page twice.
            DeviceKind::Cuda(gpu) => Ok(Arc::new(self.on_gpu(gpu, bytes, false, config)?)),
        }
    }

    fn limit(&self) -> Option<u64> {
        self.host.limit()
    }

    fn address_space(&self, config: &Config) -> Result<Arc<dyn AddressSpace>, DeviceError> {
        let host = self.host.host_address_space(config)?;
        Ok(Arc::new(CudaAddressSpace::new(host, &self.cuda)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_large_where_there_are_many() {
        for (bytes, page) in [
            (64 << 20, 2 << 20),
            (GIB, 2 << 20),
            (3 * GIB, 4 << 20),
            (8 * GIB, 16 << 20),
            (141 * GIB, 16 << 20),
        ] {
            assert_eq!(page_for(bytes), page, "{bytes}");
        }
    }
}
