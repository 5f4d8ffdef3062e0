//! Pinned host memory: what `aclrtMallocHost` hands out.
//!
//! Ordinary private memory of the process in one range of its own, so that an address tells what it
//! is. Program and work see it at the same place. A forked child gets a copy, as of all private memory.

use parking_lot::Mutex;

use crate::machine::{Allowance, MachineMemory};
use crate::mapping::{self, Mapping};
use crate::{AddressRange, DeviceError, HUGE_PAGE, Memory, os_page};

/// Where the range is put if that place is free: see the host device for why.
const BASE: u64 = 0x0e00_0000_0000;

/// A range of host memory that pinned blocks are cut from.
#[derive(Debug)]
pub struct PinnedMemory {
    mapping: Mapping,
    range: AddressRange,
    allowance: Mutex<Allowance>,
}

impl PinnedMemory {
    /// Reserves `span` bytes, or less where the address space is restricted, but not below `least`.
    pub fn new(span: u64, least: u64) -> Result<Self, DeviceError> {
        let mut span = span.next_multiple_of(HUGE_PAGE);
        loop {
            match Mapping::new(span + HUGE_PAGE, Some(BASE)) {
                Ok(mapping) => {
                    let start = mapping.range().start.next_multiple_of(HUGE_PAGE);
                    let range = AddressRange::new(start, span);
                    // Fewer faults and a shorter page table, where the system can.
                    drop(mapping.advise(range, libc::MADV_HUGEPAGE));
                    return Ok(Self {
                        mapping,
                        range,
                        allowance: Mutex::default(),
                    });
                }
                Err(_) if span / 2 >= least.max(HUGE_PAGE) => {
                    span = (span / 2).next_multiple_of(HUGE_PAGE);
                }
                Err(error) => return Err(error),
            }
        }
    }
}

impl Memory for PinnedMemory {
    fn range(&self) -> AddressRange {
        self.range
    }

    fn distance(&self) -> u64 {
        0
    }

    fn commit(&self, range: AddressRange) -> Result<(), DeviceError> {
        assert!(self.range.covers(range), "pages of this range");
        self.allowance
            .lock()
            .take(range.bytes, || 0, MachineMemory::now)
            .map_err(|machine| DeviceError::MachineFull {
                needed: range.bytes,
                allowed: machine.bytes,
                by: machine.by,
            })?;
        self.mapping.open(range)
    }

    fn give_back(&self, range: AddressRange) -> Result<u64, DeviceError> {
        assert!(self.range.covers(range), "pages of this range");
        let Some(whole) = range.whole_pages(os_page()) else {
            return Ok(0);
        };
        let before = mapping::resident(whole)?;
        self.mapping.advise(whole, libc::MADV_DONTNEED)?;
        Ok(before)
    }

    fn resident(&self) -> Result<u64, DeviceError> {
        mapping::resident(self.range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pinned_pages_are_promised_and_returned() {
        let memory = PinnedMemory::new(1 << 30, 1 << 20).unwrap();
        let part = AddressRange::new(memory.range().start, 4 << 20);
        memory.commit(part).unwrap();
        assert_eq!(memory.distance(), 0);
        assert_eq!(memory.give_back(part).unwrap(), 0);
        assert_eq!(memory.resident().unwrap(), 0);
    }
}
