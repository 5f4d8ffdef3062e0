//! Host memory of the program that it registered: devices may use it like pinned memory.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, RwLock};

use crate::api::runtime::Runtime;

/// The registered ranges, by their start. None overlap.
#[derive(Debug, Default)]
pub(crate) struct Registered {
    ranges: RwLock<BTreeMap<u64, Range>>,
    /// Whether there ever was one: if not, lookups are skipped.
    used: AtomicBool,
}

/// A registered range.
#[derive(Debug)]
struct Range {
    end: u64,
    /// The last task of each stream that uses it.
    users: Mutex<HashMap<u64, u64>>,
}

impl Registered {
    fn add(&self, start: u64, end: u64) -> bool {
        let mut ranges = self.ranges.write();
        let before = ranges.range(..end).next_back();
        if before.is_some_and(|(_, other)| other.end > start) {
            return false;
        }
        let users = Mutex::default();
        ranges.insert(start, Range { end, users });
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
        found.is_some_and(|(_, known)| end.is_some_and(|end| end <= known.end))
    }

    /// A task of a stream uses memory at an address of a range.
    #[cold]
    pub(crate) fn note(&self, address: u64, stream: u64, task: u64) {
        let ranges = self.ranges.read();
        if let Some((_, range)) = ranges.range(..=address).next_back() {
            let mut users = range.users.lock();
            let last = users.entry(stream).or_default();
            *last = task.max(*last);
        }
    }

    /// The last task of each stream that uses the range which starts at an address; `None` if there is no such range.
    fn users(&self, start: u64) -> Option<HashMap<u64, u64>> {
        let ranges = self.ranges.read();
        ranges.get(&start).map(|range| range.users.lock().clone())
    }
}

impl Runtime {
    /// Registers host memory of the program; false if it overlaps a range that is registered. The program keeps it valid until
    /// it is not registered any more.
    pub fn register_host(&self, address: u64, bytes: u64) -> bool {
        let end = address.saturating_add(bytes);
        self.shared.registered.add(address, end)
    }

    /// Ends the registration that starts at an address; false if there is none. Queued work that uses the memory is waited for,
    /// also if other processes end it, unless it waits for the program.
    pub fn unregister_host(&self, address: u64) -> bool {
        let Some(users) = self.shared.registered.users(address) else {
            return false;
        };
        for (stream, task) in users {
            self.shared.wait_for_task(stream, task);
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
