//! Memory as segments, where a runtime has no virtual memory: each is one allocation of the device, of any
//! address, behind a run of pages of the range of offsets.
//!
//! A block must not span two segments, so no two may be neighbours in the range. Hence a
//! segment's place starts at a multiple of [`STEP`] and its length is never one: each is followed by at least
//! one page that stays empty. A segment goes back only as a whole.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use millpond_pool::{PAGE, Pages};
use parking_lot::Mutex;

use crate::calls::{Calls, Refused};
use crate::noted;
use crate::source::{Gone, Kind, Shortage, Source};

/// What the place of every segment is a multiple of, and its length is not.
pub(crate) const STEP: u64 = 32 << 20;

/// A segment that small blocks share.
pub(crate) const SHARED: u64 = 20 << 20;

/// Device memory starts at multiples of this.
const START: u64 = 64;

/// The lengths to try for a segment in which `need` bytes find room: the better one first.
pub(crate) fn lengths(need: u64) -> Option<[u64; 2]> {
    let length = |bytes: u64| {
        let pages = bytes.max(1).checked_next_multiple_of(PAGE)?;
        let more = u64::from(pages.is_multiple_of(STEP)) * PAGE;
        pages.checked_add(more)
    };
    Some([length(need.max(SHARED))?, length(need)?])
}

#[derive(Debug)]
struct Segment {
    bytes: u64,
    address: u64,
}

#[derive(Debug)]
pub(crate) struct Segments {
    calls: Arc<dyn Calls>,
    device: i32,
    /// The address of each page; 0 for none.
    pages: Box<[AtomicU64]>,
    /// By offset.
    held: Mutex<BTreeMap<u64, Segment>>,
}

impl Segments {
    pub(crate) fn new(calls: Arc<dyn Calls>, device: i32, limit: u64) -> Self {
        // Offsets cost 8 bytes per page. Places are rounded up, and what has gone leaves holes.
        let range = limit.saturating_mul(8).clamp(16 << 30, 16 << 40);
        let pages = usize::try_from(range / PAGE).unwrap_or(0);
        Self {
            calls,
            device,
            pages: std::iter::repeat_with(AtomicU64::default)
                .take(pages)
                .collect(),
            held: Mutex::default(),
        }
    }

    fn set(&self, run: Pages, address: Option<u64>) {
        for page in run.each() {
            let at = address.map_or(0, |address| address + (page.offset - run.offset));
            if let Some(entry) = index(page.offset).and_then(|index| self.pages.get(index)) {
                entry.store(at, Ordering::Release);
            }
        }
    }

    /// Gives a segment back if all of it is in `runs`.
    fn release(&self, offset: u64, runs: &[Pages]) -> bool {
        let mut held = self.held.lock();
        let Some(segment) = held.get(&offset) else {
            return false;
        };
        let inside = |run: &&Pages| run.offset >= offset && run.offset - offset < segment.bytes;
        let bytes: u64 = runs.iter().filter(inside).map(|run| run.bytes).sum();
        if bytes != segment.bytes {
            return false;
        }
        let address = segment.address;
        // Said first, because another may get the address at once.
        noted::returned(address, bytes);
        if self.calls.free(address).is_err() {
            noted::added(self.device, address, bytes);
            return false;
        }
        self.set(Pages { offset, bytes }, None);
        held.remove(&offset);
        true
    }

    /// Where the segment starts that a page belongs to.
    fn start_of(&self, offset: u64) -> Option<u64> {
        let held = self.held.lock();
        let (&start, segment) = held.range(..=offset).next_back()?;
        (offset - start < segment.bytes).then_some(start)
    }
}

impl Source for Segments {
    fn kind(&self) -> Kind {
        Kind::Segments
    }

    fn range(&self) -> u64 {
        self.pages.len() as u64 * PAGE
    }

    fn address(&self, offset: u64) -> u64 {
        let page = index(offset).and_then(|index| self.pages.get(index));
        page.map_or(0, |page| page.load(Ordering::Acquire) + offset % PAGE)
    }

    fn offset(&self, address: u64) -> Option<u64> {
        let held = self.held.lock();
        held.iter().find_map(|(start, segment)| {
            let inside = address.checked_sub(segment.address)?;
            (inside < segment.bytes).then_some(start + inside)
        })
    }

    fn back(&self, pages: Pages) -> Result<(), Shortage> {
        let short = |why| Shortage {
            missing: pages.offset,
            why,
        };
        let address = self.calls.malloc(pages.bytes).map_err(short)?;
        if !address.is_multiple_of(START) {
            self.calls.free(address).ok();
            return Err(short(Refused {
                call: "aclrtMallocAlign32",
                code: 0,
            }));
        }
        self.set(pages, Some(address));
        let segment = Segment {
            bytes: pages.bytes,
            address,
        };
        self.held.lock().insert(pages.offset, segment);
        noted::added(self.device, address, pages.bytes);
        Ok(())
    }

    fn give_back(&self, runs: &[Pages]) -> Vec<Gone> {
        // Each segment is tried once, also when several runs are in it.
        let mut tried = BTreeMap::new();
        let became = runs.iter().map(|run| {
            let Some(start) = self.start_of(run.offset) else {
                // Its segment went with an earlier run, or it never had one.
                let gone = tried
                    .range(..=run.offset)
                    .next_back()
                    .is_some_and(|(_, gone)| *gone);
                return if gone { Gone::Returned } else { Gone::Stayed };
            };
            let gone = *tried
                .entry(start)
                .or_insert_with(|| self.release(start, runs));
            if gone { Gone::Returned } else { Gone::Stayed }
        });
        became.collect()
    }

    fn pieces(&self) -> usize {
        self.held.lock().len()
    }

    fn close(&self) {}
}

fn index(offset: u64) -> Option<usize> {
    usize::try_from(offset / PAGE).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_never_a_multiple_of_the_step_long() {
        for need in [1, SHARED, SHARED + 1, STEP - 1, STEP, STEP + 1, 3 * STEP] {
            for length in lengths(need).unwrap() {
                assert!(length >= need && length.is_multiple_of(PAGE), "{need}");
                assert!(!length.is_multiple_of(STEP), "{need}");
            }
        }
        assert_eq!(lengths(1), Some([SHARED, PAGE]));
        assert_eq!(lengths(u64::MAX), None);
    }
}
