//! Order between streams: what one knows of the others.
//!
//! A clock says, for each stream, up to which position its work is known to have passed. A stream's own
//! clock grows when it waits for an event: it learns what the event *captured* when it was recorded, and
//! never what the recording stream has learned since. (Take the present clock instead, and this goes
//! wrong: A records e; A then waits for C; B waits for e, and would take C's memory although nothing
//! orders B behind C.)
//!
//! Clocks are shared and copied when they are written, so recording an event copies nothing. Streams
//! whose work has passed for everybody need no entry: [`Clock::forget`] drops them.

use std::sync::Arc;

/// For each stream, up to which position its work is known to have passed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Clock {
    /// Sorted by stream.
    entries: Arc<Vec<(u64, u64)>>,
}

impl Clock {
    /// Up to which position the work of `stream` is known to have passed; 0 if nothing is known.
    pub fn of(&self, stream: u64) -> u64 {
        match self.entries.binary_search_by_key(&stream, |entry| entry.0) {
            Ok(at) => self.entries[at].1,
            Err(_) => 0,
        }
    }

    /// Learns that the work of `stream` has passed up to `position`.
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

    /// Learns everything that another clock knows.
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

    /// Drops the streams for which `has_passed` holds: their work has passed for everybody.
    pub fn forget(&mut self, has_passed: impl Fn(u64, u64) -> bool) {
        if self.entries.iter().any(|&(s, p)| has_passed(s, p)) {
            Arc::make_mut(&mut self.entries).retain(|&(s, p)| !has_passed(s, p));
        }
    }

    /// Every stream it knows something of, with the position.
    pub fn entries(&self) -> impl Iterator<Item = (u64, u64)> {
        self.entries.iter().copied()
    }

    /// How many streams it knows something of.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it knows nothing.
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
            "B is ordered behind what A knew when it recorded"
        );
    }
}
