//! Order between streams: a vector clock per stream.
//!
//! A clock contains, for each stream, the position up to which its work is known to be complete. A stream's clock
//! advances when it waits on an event: it merges the clock that the event *captured* when it was recorded, not what the
//! recording stream has learned since. (With the current clock instead, this would go wrong: A records e; A then waits
//! for C; B waits on e, and would reuse C's memory although nothing orders B after C.)
//!
//! Clocks are copy-on-write, so recording an event copies nothing. Streams whose work is complete for all streams need
//! no entry: [`Clock::forget`] drops them.

use std::sync::Arc;

/// For each stream, the position up to which its work is known to be complete.
///
/// The checker (`millpond_check`) has a clock of its own, which also knows the host's actions and the past. This one only
/// decides whether bytes may be reused now, so it is smaller.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Clock {
    /// Sorted by stream.
    entries: Arc<Vec<(u64, u64)>>,
}

impl Clock {
    /// The position up to which the work of `stream` is known to be complete; 0 if unknown.
    pub fn of(&self, stream: u64) -> u64 {
        match self.entries.binary_search_by_key(&stream, |entry| entry.0) {
            Ok(at) => self.entries[at].1,
            Err(_) => 0,
        }
    }

    /// Notes that the work of `stream` is complete up to `position`.
    pub fn learn(&mut self, stream: u64, position: u64) {
        if self.of(stream) >= position {
            return;
        }
        let entries = Arc::make_mut(&mut self.entries);
        match entries.binary_search_by_key(&stream, |entry| entry.0) {
            Ok(at) => entries[at].1 = position,
            Err(at) => entries.insert(at, (stream, position)),
        }
    }

    /// Merges another clock into this one.
    pub fn merge(&mut self, other: &Self) {
        if Arc::ptr_eq(&self.entries, &other.entries) || other.entries.is_empty() {
            return;
        }
        if self.entries.is_empty() {
            self.clone_from(other);
            return;
        }
        for &(stream, position) in other.entries.iter() {
            self.learn(stream, position);
        }
    }

    /// Drops the streams for which `has_passed` holds: their work is complete for all streams.
    pub fn forget(&mut self, has_passed: impl Fn(u64, u64) -> bool) {
        if self.entries.iter().any(|&(s, p)| has_passed(s, p)) {
            Arc::make_mut(&mut self.entries).retain(|&(s, p)| !has_passed(s, p));
        }
    }

    /// All streams with an entry, and their positions.
    pub fn entries(&self) -> impl Iterator<Item = (u64, u64)> {
        self.entries.iter().copied()
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_learns_and_never_unlearns() {
        let mut clock = Clock::default();
        assert_eq!((clock.of(1), clock.is_empty()), (0, true));
        clock.learn(3, 5);
        clock.learn(1, 2);
        clock.learn(3, 4);
        assert_eq!((clock.of(1), clock.of(2), clock.of(3)), (2, 0, 5));
        let mut other = Clock::default();
        other.learn(3, 9);
        other.learn(7, 1);
        clock.merge(&other);
        assert_eq!((clock.of(3), clock.of(7), clock.len()), (9, 1, 3));
        clock.forget(|stream, position| stream == 3 && position <= 9);
        assert_eq!((clock.of(3), clock.len()), (0, 2));
    }

    #[test]
    fn what_was_captured_does_not_change_with_the_clock() {
        let mut a = Clock::default();
        a.learn(2, 1);
        let captured = a.clone();
        a.learn(3, 8);
        let mut b = Clock::default();
        b.merge(&captured);
        assert_eq!(
            b.of(3),
            0,
            "B is ordered only after what A knew when it recorded"
        );
    }
}
