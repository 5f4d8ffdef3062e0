//! Pinned host memory: what `aclrtMallocHost` hands out.
//!
//! Ordinary private memory of the process in one range of its own, so that an address tells what it
//! is. Program and work see it at the same place. A forked child gets a copy, as of all private memory.
//!
//! A checker that wants to see what the program touches asks for a *watched* one:
//!
//! ```text
//!   the program's view                      our view
//!   ┌──────────────────────────┐            ┌──────────────────────────┐
//!   │ opened and closed by the │── + D ────▶│ always read/write        │──▶ sparse file in memory
//!   │ gate, page by page       │            │                          │
//!   └──────────────────────────┘            └──────────────────────────┘
//! ```
//!
//! Then copies, fills, guards and poison use our view, and the [`Gate`] closes the program's view of a page while
//! queued work uses it. The pages are shared, so a forked child gets neither view: whoever forks takes a
//! [`Frozen`] copy before and puts it in place in the child.

use std::sync::Arc;

use crate::backing::{self, Backing};
use crate::gate::{Frozen, Gate};
use crate::machine::{Ledger, Promises};
use crate::mapping::{Mapping, SparseFile};
use crate::{AddressRange, DeviceError, HUGE_PAGE, Memory, os_page};

/// Where the range is put if that place is free: see the host device for why.
const BASE: u64 = 0x0e00_0000_0000;

/// A range of host memory that pinned blocks are cut from.
#[derive(Debug)]
pub struct PinnedMemory {
    backing: Arc<Backing>,
    range: AddressRange,
    ledger: Arc<Ledger>,
    /// Only where the program's view is watched; then our view begins behind the program's.
    gate: Option<Arc<Gate>>,
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
            gate: None,
        })
    }

    /// As [`PinnedMemory::sharing`], with two views and a gate in the program's.
    pub fn watched(span: u64, least: u64, ledger: &Arc<Ledger>) -> Result<Self, DeviceError> {
        let memory = backing::reserve(span, least, |span| {
            let file = SparseFile::new(span)?;
            let mapping = Mapping::new(2 * span + HUGE_PAGE, Some(BASE))?;
            let start = mapping.range().start.next_multiple_of(HUGE_PAGE);
            for view in [start, start + span] {
                mapping.overlay(view - mapping.range().start, &file)?;
            }
            // A child that had a view would write into its parent's memory.
            mapping.advise(AddressRange::new(start, 2 * span), libc::MADV_DONTFORK)?;
            let range = AddressRange::new(start, span);
            let ours = AddressRange::new(start + span, span);
            drop(mapping.advise(ours, libc::MADV_HUGEPAGE));
            let backing = Arc::new(Backing::new(mapping, ours, Some(file)));
            let gate = Gate::new(Arc::clone(&backing), range)?;
            Ok(Self {
                backing,
                range,
                ledger: Arc::clone(ledger),
                gate: Some(Arc::new(gate)),
            })
        })?;
        ledger.enter(&memory.backing);
        Ok(memory)
    }

    /// Where work touches `range` of the program's view.
    fn ours(&self, range: AddressRange) -> AddressRange {
        AddressRange::new(range.start + self.distance(), range.bytes)
    }
}

impl Memory for PinnedMemory {
    fn range(&self) -> AddressRange {
        self.range
    }

    fn distance(&self) -> u64 {
        self.gate.as_ref().map_or(0, |_| self.range.bytes)
    }

    fn commit(&self, range: AddressRange) -> Result<(), DeviceError> {
        assert!(self.range.covers(range), "pages of this range");
        let ours = self.ours(range);
        self.ledger.promise(&*self.backing, range.bytes, || {
            self.backing.open(ours)?;
            self.gate.as_ref().map_or(Ok(()), |gate| gate.admit(range))
        })
    }

    fn give_back(&self, range: AddressRange) -> Result<u64, DeviceError> {
        assert!(self.range.covers(range), "pages of this range");
        let Some(whole) = range.whole_pages(os_page()) else {
            return Ok(0);
        };
        let ours = self.ours(whole);
        let before = self.backing.resident_in(ours)?;
        self.backing.give_back(ours)?;
        self.ledger.returned(&*self.backing, whole.bytes);
        Ok(before)
    }

    fn resident(&self) -> Result<u64, DeviceError> {
        self.backing.resident()
    }

    fn gate(&self) -> Option<&Arc<Gate>> {
        self.gate.as_ref()
    }

    fn freeze(&self) -> Option<Frozen> {
        self.gate.as_ref()?.freeze(self.distance())
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
