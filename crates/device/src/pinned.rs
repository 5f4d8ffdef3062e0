//! Pinned host memory: what `aclrtMallocHost` hands out.
//!
//! Ordinary private memory of the process in one range of its own, so that an address shows what it
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
//! queued work uses it. The pages are shared, so a forked child gets neither view: the parent takes a
//! [`Frozen`] copy before the fork and puts it in place in the child.

use std::sync::Arc;

use crate::backing::{self, Backing, Wish};
use crate::gate::{Frozen, Gate, View};
use crate::machine::{Ledger, Promises};
use crate::mapping::{Mapping, SparseFile};
use crate::{AddressRange, DeviceError, HUGE_PAGE, Memory, os_page};

/// Where the first range is put if that place is free: see the host device for why. Further ranges are below.
const BASE: u64 = 0x0e00_0000_0000;
/// Distance between the places that are tried for two ranges.
const BASE_STEP: u64 = 0x0100_0000_0000;

/// The most ranges of pinned memory of a process: a new one is opened when the others are full.
pub const PINNED_RANGES: usize = 12;

/// Options of a range of pinned memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PinnedOptions {
    /// Which range of the process this is, from 0: decides the address that is tried first.
    pub index: u32,
    /// Bytes of addresses to reserve.
    pub span: u64,
    /// The fewest that are of use, where the address space is restricted.
    pub least_span: u64,
}

impl PinnedOptions {
    fn base(self) -> Option<u64> {
        BASE.checked_sub(BASE_STEP * u64::from(self.index))
            .filter(|base| *base != 0)
    }

    fn wish(&self, views: u64) -> Wish<'static> {
        Wish {
            what: "pinned memory",
            span: self.span,
            least: self.least_span,
            views,
        }
    }
}

/// A range of host memory that pinned blocks are cut from.
#[derive(Debug)]
pub struct PinnedMemory {
    backing: Arc<Backing>,
    range: AddressRange,
    ledger: Arc<Ledger>,
    /// Only if the program's view is watched; then our view begins after the program's.
    gate: Option<Arc<Gate>>,
}

impl PinnedMemory {
    /// Reserves `span` bytes, or less where the address space is restricted, but not below `least`.
    /// Promises of other memories are not counted: see [`PinnedMemory::sharing`].
    pub fn new(span: u64, least: u64) -> Result<Self, DeviceError> {
        let options = PinnedOptions {
            index: 0,
            span,
            least_span: least,
        };
        Self::sharing(options, &Arc::default())
    }

    /// Reserves a range whose promises count together with all others in `ledger`.
    pub fn sharing(options: PinnedOptions, ledger: &Arc<Ledger>) -> Result<Self, DeviceError> {
        let (mapping, range) = backing::reserve(&options.wish(1), |span| {
            let mapping = Mapping::new(span + HUGE_PAGE, options.base())?;
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

    /// As [`PinnedMemory::sharing`], with two views; `gate` opens and closes the program's.
    pub fn watched(
        options: PinnedOptions,
        ledger: &Arc<Ledger>,
        gate: &Arc<Gate>,
    ) -> Result<Self, DeviceError> {
        let view = backing::reserve(&options.wish(2), |span| {
            let file = SparseFile::new(span)?;
            let mapping = Mapping::new(2 * span + HUGE_PAGE, options.base())?;
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
            View::new(backing, range)
        })?;
        let (backing, range) = (Arc::clone(view.backing()), view.range());
        gate.add(view)?;
        ledger.enter(&backing);
        Ok(Self {
            backing,
            range,
            ledger: Arc::clone(ledger),
            gate: Some(Arc::clone(gate)),
        })
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
        self.gate.as_ref()?.freeze()
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
    fn ranges_lie_apart_and_the_last_ones_anywhere() {
        let ranges: Vec<_> = (0..16)
            .map(|index| {
                let options = PinnedOptions {
                    index,
                    span: 64 << 20,
                    least_span: 64 << 20,
                };
                PinnedMemory::sharing(options, &Arc::default()).unwrap()
            })
            .collect();
        for (number, one) in ranges.iter().enumerate() {
            let mut others = ranges[number + 1..].iter();
            assert!(others.all(|other| !one.range().overlaps(other.range())));
        }
    }

    #[test]
    fn a_span_beyond_all_address_space_is_no_overflow() {
        let memory = PinnedMemory::new(u64::MAX, 1 << 20).unwrap();
        assert!(memory.range().bytes >= 1 << 20);
    }
}
