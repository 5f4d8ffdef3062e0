//! A heap and a region, as the program registered them.

use std::collections::BTreeSet;
use std::sync::Arc;

use millpond_trace::{Bytes, DomainRef, HeapRef, RegionRef, Space};

use super::Origin;
use crate::BlockLifetime;

/// Permissions of MSTX.
pub(crate) const READ: u32 = 1;
pub(crate) const WRITE: u32 = 2;
pub(crate) const SHARED: u32 = 4;

/// A registered heap.
#[derive(Debug, Clone)]
pub(crate) struct Heap {
    pub(crate) number: HeapRef,
    pub(crate) domain: DomainRef,
    pub(crate) device: u32,
    pub(crate) range: Bytes,
    pub(crate) made: Arc<Origin>,
    /// Whether it is judged: its memory is live, and its producer follows the contract.
    pub(crate) counts: bool,
    /// Its regions, by start.
    pub(super) regions: BTreeSet<(u64, RegionRef)>,
    /// The longest that it ever had.
    pub(super) longest: u64,
    /// Whether regions of it ever overlapped.
    pub(super) overlapped: bool,
}

/// A region that is or was registered.
#[derive(Debug, Clone)]
pub(crate) struct Region {
    pub(crate) number: RegionRef,
    pub(crate) domain: DomainRef,
    pub(crate) heap: Option<HeapRef>,
    pub(crate) device: u32,
    pub(crate) range: Bytes,
    pub(crate) flags: u32,
    pub(crate) made: Arc<Origin>,
    pub(crate) ended: Option<Arc<Origin>>,
}

impl Region {
    /// Its name in findings.
    pub(crate) fn name(&self) -> String {
        match self.heap {
            Some(heap) => format!("region {} of heap {heap}", self.number),
            None => format!("region {}", self.number),
        }
    }

    /// Its lifetime, for a finding.
    pub(crate) fn lifetime(&self) -> Arc<BlockLifetime> {
        Arc::new(BlockLifetime {
            name: self.name(),
            space: Space::Device(self.device),
            range: self.range,
            allocated: self.made.operation("registered"),
            freed: self.ended.as_ref().map(|it| it.operation("unregistered")),
        })
    }
}

impl Heap {
    pub(crate) fn end(&self) -> u64 {
        end_of(self.range)
    }

    /// The lowest start of a region that may contain an address.
    pub(super) fn first_start(&self, address: u64) -> u64 {
        if self.overlapped {
            return address.saturating_sub(self.longest);
        }
        // Without overlaps only the previous one can.
        let before = self.regions.range(..(address, 0)).next_back();
        before.map_or(address, |(start, _)| *start)
    }

    /// Where the next region after an address starts.
    pub(super) fn next_start(&self, address: u64) -> Option<u64> {
        let next = self.regions.range((address, u64::MAX)..).next();
        next.map(|(start, _)| *start)
    }

    /// Its lifetime, for a finding.
    pub(crate) fn lifetime(&self) -> Arc<BlockLifetime> {
        Arc::new(BlockLifetime {
            name: format!("heap {}", self.number),
            space: Space::Device(self.device),
            range: self.range,
            allocated: self.made.operation("registered"),
            freed: None,
        })
    }
}

/// The first address after a range.
pub(crate) fn end_of(range: Bytes) -> u64 {
    range.start.saturating_add(range.bytes)
}

/// Whether two ranges share a byte.
pub(crate) fn overlap(one: Bytes, other: Bytes) -> bool {
    one.start < end_of(other) && other.start < end_of(one)
}
