//! One slot of a registry: a value that many may use at once and one takes away.
//!
//! ```text
//!   63           40   39     38   37            0
//!   ┌──────────────┬──────┬───────┬──────────────┐
//!   │  generation  │ live │ dying │     pins     │   vacant: neither live nor dying
//!   └──────────────┴──────┴───────┴──────────────┘
//! ```
//!
//! What must always hold:
//! - The value is written only by [`Slot::fill`], while the slot is vacant, and taken only by the one
//!   thread that changes the word from *dying, no pins* to the next generation.
//! - A pin that found its generation live keeps the value where it is.
//!
//! Atomics and cells come from `super::sync`, so that the same lines run in the library and in the
//! model checker (`tests/loom.rs`).
#![expect(unsafe_code, reason = "values are shared through counted slots")]

use super::sync::{AtomicU64, Ordering, SharedCell};

const LIVE: u64 = 1 << 39;
const DYING: u64 = 1 << 38;
const PINS: u64 = DYING - 1;
const SHIFT: u32 = 40;

/// The largest generation. A slot that has had it stays empty for ever.
pub(crate) const LAST_GENERATION: u64 = (1 << 24) - 1;

/// A value that many may use at once. See the module's comment.
#[derive(Debug)]
pub(crate) struct Slot<T> {
    word: AtomicU64,
    value: SharedCell<Option<T>>,
}

// SAFETY: the value is reached through shared references by any thread that holds a pin, and moved
// out by whichever thread is last: both need `T: Send + Sync`. The word orders these accesses.
unsafe impl<T: Send + Sync> Sync for Slot<T> {}

/// What the last user of a dying value gets: the value, and whether the slot can be used again.
#[derive(Debug)]
pub(crate) struct Buried<T> {
    pub(crate) value: Option<T>,
    pub(crate) reusable: bool,
}

impl<T> Slot<T> {
    pub(crate) fn new() -> Self {
        Self {
            word: AtomicU64::new(0),
            value: SharedCell::new(None),
        }
    }

    /// Puts a value in and answers its generation.
    ///
    /// # Safety
    /// The slot must be vacant, and no other thread may fill it meanwhile.
    pub(crate) unsafe fn fill(&self, value: T) -> u64 {
        // SAFETY: the slot is vacant, so nobody reads the value; the caller promises to be alone.
        self.value.with_mut(|place| unsafe { *place = Some(value) });
        self.word.fetch_or(LIVE, Ordering::Release) >> SHIFT
    }

    /// Counts a user of the value of this generation. Whatever the answer, one [`Slot::unpin`]
    /// has to follow; only after `true` may [`Slot::get`] be called before it.
    #[inline]
    pub(crate) fn pin(&self, generation: u64) -> bool {
        let before = self.word.fetch_add(1, Ordering::Acquire);
        before & !PINS == generation << SHIFT | LIVE
    }

    /// The value.
    ///
    /// # Safety
    /// The caller holds a pin that was answered `true`.
    #[inline]
    pub(crate) unsafe fn get(&self) -> &T {
        self.value.with(|place| {
            // SAFETY: the pin keeps the generation, and with it the value, as it is.
            let value = unsafe { &*place };
            value.as_ref().expect("a live slot has a value")
        })
    }

    /// Ends the life of a generation: later pins are answered `false`. True for the one caller who
    /// did it, who holds a pin.
    pub(crate) fn condemn(&self, generation: u64) -> bool {
        let live = generation << SHIFT | LIVE;
        let mut word = self.word.load(Ordering::Relaxed);
        loop {
            if word & !PINS != live {
                return false;
            }
            let dying = word & !LIVE | DYING;
            match self
                .word
                .compare_exchange_weak(word, dying, Ordering::AcqRel, Ordering::Relaxed)
            {
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
    }

    /// Takes a pin back. The last one of a dying value gets it.
    #[inline]
    pub(crate) fn unpin(&self) -> Option<Buried<T>> {
        let before = self.word.fetch_sub(1, Ordering::Release);
        if before & DYING == 0 {
            return None;
        }
        self.bury()
    }

    #[cold]
    fn bury(&self) -> Option<Buried<T>> {
        let word = self.word.load(Ordering::Relaxed);
        if word & (DYING | PINS) != DYING {
            return None;
        }
        let generation = (word >> SHIFT) + 1;
        let next = (generation & LAST_GENERATION) << SHIFT;
        // Only one thread makes this exchange for a generation.
        self.word
            .compare_exchange(word, next, Ordering::AcqRel, Ordering::Relaxed)
            .ok()?;
        // SAFETY: this thread ended the generation, with no pins left, and whoever fills the slot
        // again learns of it from this thread: nobody else can reach the value.
        let value = self.value.with_mut(|place| unsafe { (*place).take() });
        Some(Buried {
            value,
            reusable: generation <= LAST_GENERATION,
        })
    }
}
