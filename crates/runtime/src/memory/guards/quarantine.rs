//! Freed blocks that are not handed out again yet, first in, first out. Pure.

use std::collections::VecDeque;

/// Bytes that are kept at most, or an eighth of the memory if that is less. Small enough that what comes back is
/// still in the processor's caches, as far as it can be.
const BYTES: u64 = 1 << 20;
const PART: u64 = 8;
/// Blocks that are kept at most.
const BLOCKS: usize = 256;
/// How many that wait for queued work are asked at a time.
const LOOKS: usize = 4;

/// A freed block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Resident {
    /// Its stand-in: see [`super::StandIns`].
    pub(super) stand_in: u64,
    pub(super) serial: u64,
    pub(super) offset: u64,
    /// All its bytes, with what was added for a guard.
    pub(super) bytes: u64,
    /// How many of them, from its start, are poisoned at both ends.
    pub(super) poisoned: u64,
    /// Queued work that uses it: the last task of each stream.
    pub(super) waits: Vec<(u64, u64)>,
    /// The block's guard, which is checked again when the work is done: offset in the block, length.
    pub(super) guard: (u64, u64),
}

/// What has to be done with a block.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Its work has passed: poison it, then [`Quarantine::rest`].
    Poison(Resident),
    /// It was poisoned, and leaves: look at it and release its stand-in.
    Leave(Resident),
    /// It leaves although work on it may be queued.
    LeaveUnquiet(Resident),
}

/// Blocks that wait for queued work, and blocks that rest.
#[derive(Debug)]
pub(super) struct Quarantine {
    limit: u64,
    waiting: List,
    resting: List,
}

#[derive(Debug, Default)]
struct List {
    residents: VecDeque<Resident>,
    bytes: u64,
}

impl List {
    fn push(&mut self, resident: Resident) {
        self.bytes += resident.bytes;
        self.residents.push_back(resident);
    }

    fn take(&mut self, at: usize) -> Option<Resident> {
        let resident = self.residents.remove(at)?;
        self.bytes -= resident.bytes;
        Some(resident)
    }

    fn is_over(&self, limit: u64) -> bool {
        self.bytes > limit || self.residents.len() > BLOCKS
    }
}

impl Quarantine {
    /// For a memory of so many bytes.
    pub(super) fn new(capacity: u64) -> Self {
        Self {
            limit: (capacity / PART).min(BYTES),
            waiting: List::default(),
            resting: List::default(),
        }
    }

    /// Whether a block of this size is taken in at all.
    pub(super) fn admits(&self, bytes: u64) -> bool {
        bytes <= self.limit
    }

    /// Takes in a block that queued work uses.
    pub(super) fn wait(&mut self, resident: Resident) {
        self.waiting.push(resident);
    }

    /// Takes in a block that was poisoned.
    pub(super) fn rest(&mut self, resident: Resident) {
        self.resting.push(resident);
    }

    /// The next thing to do, until there is none. `passed` says how far a stream is known to be.
    pub(super) fn step(&mut self, passed: impl Fn(u64) -> u64) -> Option<Step> {
        let over = |resident: &Resident| {
            let mut waits = resident.waits.iter();
            waits.all(|&(stream, position)| passed(stream) >= position)
        };
        let mut candidates = self.waiting.residents.iter().take(LOOKS);
        if let Some(at) = candidates.position(over) {
            return self.waiting.take(at).map(Step::Poison);
        }
        if self.resting.is_over(self.limit) {
            return self.resting.take(0).map(Step::Leave);
        }
        if self.waiting.is_over(self.limit) {
            return self.waiting.take(0).map(Step::LeaveUnquiet);
        }
        None
    }

    /// The next block to let go, until there is none: those that rest first.
    pub(super) fn empty(&mut self) -> Option<Step> {
        let resting = self.resting.take(0).map(Step::Leave);
        resting.or_else(|| self.waiting.take(0).map(Step::LeaveUnquiet))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resident(serial: u64, bytes: u64, waits: &[(u64, u64)]) -> Resident {
        Resident {
            stand_in: serial,
            serial,
            offset: 0,
            bytes,
            poisoned: bytes,
            waits: waits.to_vec(),
            guard: (0, 0),
        }
    }

    #[test]
    fn the_oldest_leave_first_and_only_when_there_are_too_many() {
        let mut quarantine = Quarantine::new(8000);
        assert!(quarantine.admits(1000) && !quarantine.admits(1001));
        for serial in 1..=3 {
            quarantine.rest(resident(serial, 400, &[]));
        }
        let passed = |_| 0;
        assert_eq!(
            quarantine.step(passed),
            Some(Step::Leave(resident(1, 400, &[])))
        );
        assert_eq!(quarantine.step(passed), None);
    }

    #[test]
    fn a_block_is_poisoned_when_its_work_has_passed() {
        let mut quarantine = Quarantine::new(8000);
        quarantine.wait(resident(1, 400, &[(5, 10)]));
        quarantine.wait(resident(2, 400, &[(6, 1)]));
        assert_eq!(quarantine.step(|_| 0), None);
        let passed = |stream| if stream == 6 { 1 } else { 9 };
        assert_eq!(
            quarantine.step(passed),
            Some(Step::Poison(resident(2, 400, &[(6, 1)])))
        );
        assert_eq!(quarantine.step(passed), None);
        assert!(matches!(quarantine.step(|_| 10), Some(Step::Poison(_))));
    }

    #[test]
    fn work_that_never_passes_does_not_make_it_grow() {
        let mut quarantine = Quarantine::new(8000);
        for serial in 1..=3 {
            quarantine.wait(resident(serial, 400, &[(5, 10)]));
        }
        let left = quarantine.step(|_| 0);
        assert_eq!(left, Some(Step::LeaveUnquiet(resident(1, 400, &[(5, 10)]))));
        assert_eq!(quarantine.step(|_| 0), None);
    }

    #[test]
    fn emptied_it_has_nothing() {
        let mut quarantine = Quarantine::new(8000);
        quarantine.wait(resident(1, 400, &[(5, 10)]));
        quarantine.rest(resident(2, 400, &[]));
        assert!(matches!(quarantine.empty(), Some(Step::Leave(_))));
        assert!(matches!(quarantine.empty(), Some(Step::LeaveUnquiet(_))));
        assert_eq!(quarantine.empty(), None);
    }
}
