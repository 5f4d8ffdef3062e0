//! Stand-ins for streams that keep the pool from handing a freed block out again.
//!
//! The pool waits for the streams that use a block. A block in quarantine is used by a stand-in, which has passed
//! when the block is let go. So the pool needs to know nothing of quarantines.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::lock::{Mutex, rank};

/// What the numbers of stand-ins have and those of streams never do: streams are counted from 1.
const MARK: u64 = 1 << 63;
/// More blocks than all quarantines of a runtime hold.
const SLOTS: u64 = 1 << 13;

/// The stand-ins of a runtime.
#[derive(Debug)]
pub(crate) struct StandIns {
    /// The number that each slot stands for now; 0 for none.
    slots: Box<[AtomicU64]>,
    state: Mutex<rank::StandIns, State>,
}

#[derive(Debug)]
struct State {
    free: Vec<u64>,
    generation: u64,
}

impl StandIns {
    pub(crate) fn new() -> Self {
        Self {
            slots: (0..SLOTS).map(|_| AtomicU64::new(0)).collect(),
            state: Mutex::new(State {
                // The first slot first, so that small programs touch few.
                free: (0..SLOTS).rev().collect(),
                generation: 0,
            }),
        }
    }

    /// Whether a number is one of a stand-in.
    #[inline]
    pub(crate) fn is_one(stream: u64) -> bool {
        stream & MARK != 0
    }

    /// A stand-in that has not passed; none if there are too many.
    pub(super) fn hold(&self) -> Option<u64> {
        let mut state = self.state.lock();
        let slot = state.free.pop()?;
        state.generation += 1;
        let number = MARK | (state.generation * SLOTS) | slot;
        self.slot(number).store(number, Ordering::Release);
        Some(number)
    }

    /// A stand-in has passed.
    pub(super) fn release(&self, number: u64) {
        self.slot(number).store(0, Ordering::Release);
        self.state.lock().free.push(number % SLOTS);
    }

    /// Up to which position a stand-in has passed.
    pub(crate) fn passed(&self, number: u64) -> u64 {
        if self.slot(number).load(Ordering::Acquire) == number {
            0
        } else {
            u64::MAX
        }
    }

    fn slot(&self, number: u64) -> &AtomicU64 {
        &self.slots[usize::try_from(number % SLOTS).unwrap_or(0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stand_in_has_passed_when_it_is_released_and_for_good() {
        let held = StandIns::new();
        let first = held.hold().unwrap();
        let second = held.hold().unwrap();
        assert!(StandIns::is_one(first) && first != second);
        assert_eq!((held.passed(first), held.passed(second)), (0, 0));
        held.release(first);
        assert_eq!((held.passed(first), held.passed(second)), (u64::MAX, 0));
        // Its slot serves again, under another number.
        let third = held.hold().unwrap();
        assert_eq!((held.passed(first), held.passed(third)), (u64::MAX, 0));
    }

    #[test]
    fn there_are_only_so_many() {
        let held = StandIns::new();
        let all: Vec<_> = std::iter::from_fn(|| held.hold()).collect();
        assert_eq!(all.len() as u64, SLOTS);
        held.release(all[7]);
        assert!(held.hold().is_some());
        assert!(held.hold().is_none());
    }
}
