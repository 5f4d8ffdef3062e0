//! How many bytes an allocator holds of its device, event by event.
//!
//! Segments are what it took. A block that lies in none of them lies in a segment that is older than the recording: of that, the pages
//! of the block are known.

use crate::event::{Event, Kind};
use crate::ranges::Ranges;

/// What such a segment is counted in: 2 MiB.
const PAGE_SHIFT: u32 = 21;

/// The bytes of one device.
#[derive(Debug, Clone, Default)]
pub struct Reserved {
    segments: Ranges,
    /// Pages outside of all segments.
    older: Ranges,
    bytes: u64,
    has_segments: bool,
}

impl Reserved {
    /// Takes the next event of the device into account.
    pub fn apply(&mut self, event: &Event) {
        match event.kind {
            Kind::Alloc => {
                let end = event.address.saturating_add(event.bytes.max(1));
                for (at, end) in self.segments.missing(event.address, end) {
                    let (first, behind) = (at >> PAGE_SHIFT, ((end - 1) >> PAGE_SHIFT) + 1);
                    let new = Ranges::sum(&self.older.missing(first, behind));
                    self.older.add(first, behind);
                    self.bytes = self.bytes.saturating_add(new << PAGE_SHIFT);
                }
            }
            Kind::SegmentAlloc | Kind::SegmentMap => {
                let end = event.address.saturating_add(event.bytes);
                let new = Ranges::sum(&self.segments.missing(event.address, end));
                self.segments.add(event.address, end);
                self.bytes = self.bytes.saturating_add(new);
                self.has_segments = true;
            }
            // Pages may be taken away from the middle of what was mapped at once.
            Kind::SegmentFree | Kind::SegmentUnmap => {
                let end = event.address.saturating_add(event.bytes);
                let missing = Ranges::sum(&self.segments.remove(event.address, end));
                let gone = end - event.address - missing;
                self.bytes = self.bytes.saturating_sub(gone);
            }
            _ => {}
        }
    }

    /// The bytes after the last event.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether the recording has segments at all. If not, the bytes say nothing.
    pub fn has_segments(&self) -> bool {
        self.has_segments
    }
}
