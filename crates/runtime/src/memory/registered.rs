//! Host memory of the program that it registered: devices may use it like pinned memory.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::RwLock;

use crate::api::runtime::Runtime;

/// The registered ranges: start and end. None overlap.
#[derive(Debug, Default)]
pub(crate) struct Registered {
    ranges: RwLock<BTreeMap<u64, u64>>,
    /// Whether there ever was one: if not, lookups are skipped.
    used: AtomicBool,
}

impl Registered {
    fn add(&self, start: u64, end: u64) -> bool {
        let mut ranges = self.ranges.write();
        let before = ranges.range(..end).next_back();
        if before.is_some_and(|(_, &other_end)| other_end > start) {
            return false;
        }
        ranges.insert(start, end);
        self.used.store(true, Ordering::Release);
        true
    }

    /// Whether all of a range is in one registered range.
    pub(crate) fn covers(&self, start: u64, bytes: u64) -> bool {
        if !self.used.load(Ordering::Acquire) {
            return false;
        }
        let ranges = self.ranges.read();
        let found = ranges.range(..=start).next_back();
        let end = start.checked_add(bytes.max(1));
        found.is_some_and(|(_, &known)| end.is_some_and(|end| end <= known))
    }
}

impl Runtime {
    /// Registers host memory of the program; false if it overlaps a range that is registered. The program keeps it valid until
    /// it is not registered any more.
    pub fn register_host(&self, address: u64, bytes: u64) -> bool {
        let end = address.saturating_add(bytes);
        self.shared.registered.add(address, end)
    }

    /// Ends the registration that starts at an address; false if there is none. Work that was queued before and may use the
    /// memory is waited for, unless it waits for the program.
    pub fn unregister_host(&self, address: u64) -> bool {
        if !self.shared.registered.ranges.read().contains_key(&address) {
            return false;
        }
        for stream in self.shared.streams(None) {
            let place = stream.last_place();
            self.shared.wait_for_task(place.stream, place.task);
        }
        let mut ranges = self.shared.registered.ranges.write();
        ranges.remove(&address).is_some()
    }

    /// Whether an address is in registered host memory.
    pub fn is_registered(&self, address: u64) -> bool {
        self.shared.registered.covers(address, 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_do_not_overlap() {
        let known = Registered::default();
        assert!(!known.covers(0, 1));
        assert!(known.add(100, 200) && known.add(200, 300) && known.add(50, 100));
        for (start, end) in [(100, 200), (150, 160), (299, 400), (10, 51), (0, 1000)] {
            assert!(!known.add(start, end), "{start}..{end}");
        }
        assert!(known.covers(100, 100) && known.covers(199, 1));
        assert!(!known.covers(100, 101), "two ranges are not one");
        assert!(!known.covers(300, 1) && !known.covers(49, 1));
        assert!(!known.covers(250, u64::MAX));
    }
}
