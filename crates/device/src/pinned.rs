//! Pinned host memory: what `aclrtMallocHost` hands out.
//!
//! Ordinary private memory of the process in one range of its own, so that an address tells what it
//! is. Program and work see it at the same place. A forked child gets a copy, as of all private memory.

use std::sync::Arc;

use crate::backing::{self, Backing};
use crate::machine::{Ledger, Promises};
use crate::mapping::Mapping;
use crate::{AddressRange, DeviceError, HUGE_PAGE, Memory, os_page};

/// Where the range is put if that place is free: see the host device for why.
const BASE: u64 = 0x0e00_0000_0000;

/// A range of host memory that pinned blocks are cut from.
#[derive(Debug)]
pub struct PinnedMemory {
    backing: Arc<Backing>,
    range: AddressRange,
    ledger: Arc<Ledger>,
}

impl PinnedMemory {
    /// Reserves `span` bytes, or less where the address space is restricted, but not below `least`.
    /// Nobody else's promises are counted: see [`PinnedMemory::sharing`].
    pub fn new(span: u64, least: u64) -> Result<Self, DeviceError> {
        Self::sharing(span, least, &Arc::default())
    }

    /// As [`PinnedMemory::new`], with promises that count together with all others in `ledger`.
    pub fn sharing(span: u64, least: u64, ledger: &Arc<Ledger>) -> Result<Self, DeviceError> {
        let (mapping, range) = backing::reserve(span, least, |span| {
            let mapping = Mapping::new(span + HUGE_PAGE, Some(BASE))?;
            let start = mapping.range().start.next_multiple_of(HUGE_PAGE);
            Ok((mapping, AddressRange::new(start, span)))
        })?;
        // Fewer faults and a shorter page table, where the system can.
        drop(mapping.advise(range, libc::MADV_HUGEPAGE));
        let backing = Arc::new(Backing::new(mapping, range, None));
        ledger.enter(&backing);
        Ok(Self {
            backing,
            range,
            ledger: Arc::clone(ledger),
        })
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
        self.ledger.commit(&self.backing, range)
    }

    fn give_back(&self, range: AddressRange) -> Result<u64, DeviceError> {
        assert!(self.range.covers(range), "pages of this range");
        let Some(whole) = range.whole_pages(os_page()) else {
            return Ok(0);
        };
        let before = self.backing.resident_in(whole)?;
        self.backing.give_back(whole)?;
        self.ledger.returned(&*self.backing, whole.bytes);
        Ok(before)
    }

    fn resident(&self) -> Result<u64, DeviceError> {
        self.backing.resident()
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

    #[test]
    fn a_span_beyond_all_address_space_is_no_overflow() {
        let memory = PinnedMemory::new(u64::MAX, 1 << 20).unwrap();
        assert!(memory.range().bytes >= 1 << 20);
    }
}
