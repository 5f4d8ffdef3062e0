//! Where memory comes from: the interface between the runtime and its devices.

use std::sync::{Arc, OnceLock};

use millpond_device::{
    AddressSpace, Device, DeviceError, Gate, HostAddressSpace, HostDevice, HostOptions,
    MachineMemory, Memory, PinnedMemory, PinnedOptions,
};

use crate::config::{Config, Pinned};

const GIB: u64 = 1 << 30;

/// The least address space that is of use for a device or a range of pinned memory.
const LEAST_SPAN: u64 = 64 << 20;

/// The most that is reserved for a range of pinned memory unless it is set: what is between the first range and the addresses
/// of devices. Further ranges are opened when it is full.
const MOST_PINNED: u64 = 1 << 40;

/// Where a runtime gets its devices and pinned memory from.
pub trait MemorySource: Send + Sync + std::fmt::Debug {
    /// Opens device number `index`.
    fn device(&self, index: u32, config: &Config) -> Result<Arc<dyn Device>, DeviceError>;
    /// Reserves the first range of pinned host memory.
    fn pinned(&self, config: &Config) -> Result<Arc<dyn Memory>, DeviceError>;
    /// Reserves range number `index` of pinned host memory, from 1, when all before it are full: at least `least`
    /// bytes. A source need not have more than one.
    fn more_pinned(
        &self,
        _index: u32,
        _least: u64,
        _config: &Config,
    ) -> Result<Arc<dyn Memory>, DeviceError> {
        Err(DeviceError::System {
            call: "reserve",
            error: "this source has one range of pinned memory".to_owned(),
        })
    }
    /// Reserves `bytes` bytes of addresses for a pool on device number `index`.
    fn pool(
        &self,
        index: u32,
        bytes: u64,
        config: &Config,
    ) -> Result<Arc<dyn Memory>, DeviceError> {
        let config = Config {
            capacity: bytes,
            ..config.clone()
        };
        Ok(self.device(index, &config)? as Arc<dyn Memory>)
    }
    /// Bytes of memory that everything of this source can have together, however much each device claims. The same
    /// whenever it is asked, so that what programs see as free changes only by what they do. `None` where nothing is known.
    fn limit(&self) -> Option<u64> {
        None
    }
    /// Opens what reserves addresses and maps physical memory. A source need not have one.
    fn address_space(&self, _config: &Config) -> Result<Arc<dyn AddressSpace>, DeviceError> {
        Err(DeviceError::System {
            call: "reserve",
            error: "these devices have no virtual memory".to_owned(),
        })
    }
}

/// The machine's own memory: the default source.
///
/// Its devices and its pinned memory draw on the same machine, so that one ledger counts what all of
/// them have promised.
#[derive(Debug, Clone, Default)]
pub struct HostSource {
    ledger: Arc<millpond_device::Ledger>,
    /// Of pinned memory, once a range of it is watched.
    gate: Arc<OnceLock<Arc<Gate>>>,
}

impl HostSource {
    /// Reserves a range of pinned memory; with a gate, if `config` asks for one.
    fn pinned_range(
        &self,
        index: u32,
        least: u64,
        config: &Config,
    ) -> Result<Arc<dyn Memory>, DeviceError> {
        let total = MachineMemory::total();
        let span = config.pinned_range.unwrap_or_else(|| pinned_span(total));
        let options = PinnedOptions {
            index,
            span: span.max(least),
            least_span: least,
        };
        // All ranges have a gate, or none.
        if config.pinned == Pinned::Gated && (index == 0 || self.gate.get().is_some()) {
            // Two views take twice the addresses, and the first must not reach into those of devices.
            let options = PinnedOptions {
                span: options.span.min(MOST_PINNED / 2).max(least),
                ..options
            };
            let gate = self.gate.get().cloned().unwrap_or_default();
            let watched = PinnedMemory::watched(options, &self.ledger, &gate);
            match watched {
                Ok(pinned) => {
                    self.gate.get_or_init(|| gate);
                    return Ok(Arc::new(pinned));
                }
                Err(error) if index > 0 => return Err(error),
                // Where the system has no file in memory for two views (ulimit -f), nothing is watched.
                Err(_) => {}
            }
        }
        let pinned = PinnedMemory::sharing(options, &self.ledger)?;
        Ok(Arc::new(pinned))
    }
}

/// Twice the machine's memory, in whole GiB: gaps between blocks cost addresses, never memory.
fn pinned_span(total: Option<u64>) -> u64 {
    total.map_or(MOST_PINNED, |bytes| {
        let twice = bytes.saturating_mul(2).min(MOST_PINNED);
        twice.next_multiple_of(GIB)
    })
}

impl HostSource {
    /// Opens a device in the machine's own memory.
    pub(crate) fn host_device(
        &self,
        index: u32,
        config: &Config,
    ) -> Result<HostDevice, DeviceError> {
        let options = HostOptions {
            index,
            // Twice the capacity and some more: gaps between blocks and the alignment of large
            // pages cost addresses, never memory.
            span: config
                .capacity
                .saturating_mul(2)
                .max(GIB)
                .saturating_add(GIB),
            least_span: LEAST_SPAN,
            windows: config.capacity,
            unified: config.unified,
        };
        HostDevice::sharing(options, &self.ledger)
    }

    /// Opens what reserves addresses and maps the machine's own memory.
    pub(crate) fn host_address_space(
        &self,
        config: &Config,
    ) -> Result<HostAddressSpace, DeviceError> {
        HostAddressSpace::sharing(config.unified, &self.ledger)
    }
}

impl MemorySource for HostSource {
    fn device(&self, index: u32, config: &Config) -> Result<Arc<dyn Device>, DeviceError> {
        Ok(Arc::new(self.host_device(index, config)?))
    }

    fn pinned(&self, config: &Config) -> Result<Arc<dyn Memory>, DeviceError> {
        self.pinned_range(0, LEAST_SPAN, config)
    }

    fn more_pinned(
        &self,
        index: u32,
        least: u64,
        config: &Config,
    ) -> Result<Arc<dyn Memory>, DeviceError> {
        if let Some(total) = MachineMemory::total().filter(|total| least > *total) {
            // Addresses would be there, but never the memory.
            return Err(DeviceError::MachineFull {
                needed: least,
                allowed: total,
                by: "the machine's memory",
            });
        }
        self.pinned_range(index, least, config)
    }

    fn pool(
        &self,
        index: u32,
        bytes: u64,
        config: &Config,
    ) -> Result<Arc<dyn Memory>, DeviceError> {
        let options = HostOptions {
            index,
            // Gaps between blocks cost addresses, never memory.
            span: bytes.saturating_mul(2).saturating_add(64 << 20),
            least_span: bytes,
            // There may be many pools: they merge and reuse first, and show no page twice.
            windows: 0,
            unified: config.unified,
        };
        Ok(Arc::new(HostDevice::sharing(options, &self.ledger)?))
    }

    fn limit(&self) -> Option<u64> {
        self.ledger.limit()
    }

    fn address_space(&self, config: &Config) -> Result<Arc<dyn AddressSpace>, DeviceError> {
        Ok(Arc::new(self.host_address_space(config)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_of_pinned_memory_follows_the_machine() {
        for (total, span) in [
            (Some(512 << 20), GIB),
            (Some(8 * GIB), 16 * GIB),
            (Some(8 * GIB + 1), 17 * GIB),
            (Some(4 << 40), 1 << 40),
            (None, 1 << 40),
        ] {
            assert_eq!(pinned_span(total), span, "{total:?}");
        }
    }
}
