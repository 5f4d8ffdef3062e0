//! One slot of a handle table: a value that many may use at once and one takes away.
//!
//! ```text
//!   63           40   39     38   37            0
//!   ┌──────────────┬──────┬───────┬──────────────┐
//!   │  generation  │ live │ dying │     pins     │   vacant: neither live nor dying
//!   └──────────────┴──────┴───────┴──────────────┘
//! ```
//!
//! What must always hold:
//! - The value is written only by [`Slot::fill`] and [`Slot::fill_with`], while the slot is vacant, and dropped only by the
//!   one thread that changes the word from *dying, no pins*, or from *live, no pins*, to the next generation.
//! - A pin that found its generation live keeps the value where it is.
//!
//! Atomics and cells come from `sync`, so that the same lines run in the library and in the
//! model checker (`tests/loom.rs`).
#![expect(unsafe_code, reason = "values are shared through counted slots")]

mod sync;
mod vacant;

pub use vacant::Vacant;

use sync::{AtomicU32, AtomicU64, Ordering, SharedCell};

const LIVE: u64 = 1 << 39;
const DYING: u64 = 1 << 38;
const PINS: u64 = DYING - 1;
const SHIFT: u32 = 40;

/// The largest generation. A slot that has had it is not used again.
pub const LAST_GENERATION: u64 = (1 << 24) - 1;

/// A value that many may use at once. See the module's comment.
#[derive(Debug)]
pub struct Slot<T> {
    word: AtomicU64,
    /// The next vacant slot: see [`Vacant`].
    next: AtomicU32,
    value: SharedCell<Option<T>>,
}

// SAFETY: the value is reached through shared references by any thread that holds a pin, and dropped
// by the last thread: both need `T: Send + Sync`. The word orders these accesses.
unsafe impl<T: Send + Sync> Sync for Slot<T> {}

/// What the last user of a dying value learns, once the value is dropped: the slot is vacant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reclaimed {
    /// Whether the slot can be used again. False after the last generation.
    pub reusable: bool,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Slot<T> {
    /// A vacant slot of generation 0.
    pub fn new() -> Self {
        Self {
            word: AtomicU64::new(0),
            next: AtomicU32::new(0),
            value: SharedCell::new(None),
        }
    }

    /// Puts a value in and returns its generation.
    ///
    /// # Safety
    /// The slot must be vacant, and no other thread may fill it meanwhile.
    pub unsafe fn fill(&self, value: T) -> u64 {
        // SAFETY: the slot is vacant, so no thread reads the value; the caller promises to be the only one here.
        self.value.with_mut(|place| unsafe { *place = Some(value) });
        self.word.fetch_or(LIVE, Ordering::Release) >> SHIFT
    }

    /// Lets `write` make the value where it stays, and returns its generation. If `write` fails, the slot stays vacant; otherwise
    /// it has made a value.
    ///
    /// A large value that is made elsewhere is copied several times on its way here, and each copy has to wait for the one before.
    ///
    /// # Safety
    /// As for [`Slot::fill`].
    #[inline]
    pub unsafe fn fill_with<E>(
        &self,
        write: impl FnOnce(&mut Option<T>) -> Result<(), E>,
    ) -> Result<u64, E> {
        self.value.with_mut(|place| {
            // SAFETY: the slot is vacant, so no thread reads the value; the caller promises to be the only one here.
            let place = unsafe { &mut *place };
            write(place).inspect_err(|_| *place = None)
        })?;
        Ok(self.word.fetch_or(LIVE, Ordering::Release) >> SHIFT)
    }

    /// The generation of the value that is in here now, unless there is none or it is being ended.
    pub fn live_generation(&self) -> Option<u64> {
        let word = self.word.load(Ordering::Acquire);
        (word & LIVE != 0).then_some(word >> SHIFT)
    }

    /// Counts a user of the value of this generation. Whatever it returns, one [`Slot::unpin`]
    /// has to follow; only after `true` may [`Slot::get`] be called before it.
    #[inline]
    pub fn pin(&self, generation: u64) -> bool {
        let before = self.word.fetch_add(1, Ordering::Acquire);
        before & !PINS == generation << SHIFT | LIVE
    }

    /// The value.
    ///
    /// # Safety
    /// The caller holds a pin for which [`Slot::pin`] returned `true`.
    #[inline]
    pub unsafe fn get(&self) -> &T {
        self.value.with(|place| {
            // SAFETY: the pin keeps the generation, and with it the value, as it is.
            let value = unsafe { &*place };
            value.as_ref().expect("a live slot has a value")
        })
    }

    /// Ends a generation: later pins return false. True for the one caller who
    /// did it, who holds a pin.
    pub fn end_generation(&self, generation: u64) -> bool {
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

    /// Ends a generation that nobody uses and drops its value, in one step. `None`, and nothing has changed, if somebody uses it
    /// or it is not the live one.
    #[inline]
    pub fn end_unused(&self, generation: u64) -> Option<Reclaimed> {
        let live = generation << SHIFT | LIVE;
        self.vacate(live, generation + 1)
    }

    /// Takes a pin back. The last one of a dying value drops it.
    #[inline]
    pub fn unpin(&self) -> Option<Reclaimed> {
        let before = self.word.fetch_sub(1, Ordering::Release);
        if before & DYING == 0 {
            return None;
        }
        self.reclaim()
    }

    #[inline(never)]
    fn reclaim(&self) -> Option<Reclaimed> {
        let word = self.word.load(Ordering::Relaxed);
        if word & (DYING | PINS) != DYING {
            return None;
        }
        self.vacate(word, (word >> SHIFT) + 1)
    }

    /// Drops the value, if the word is still this one, under which no thread can reach the value. The slot is vacant then.
    #[inline]
    fn vacate(&self, word: u64, generation: u64) -> Option<Reclaimed> {
        let next = (generation & LAST_GENERATION) << SHIFT;
        // Only one thread makes this exchange for a generation.
        self.word
            .compare_exchange(word, next, Ordering::AcqRel, Ordering::Relaxed)
            .ok()?;
        // SAFETY: this thread ended the generation, with no pins left, and a thread that fills the slot
        // again learns of it from this thread: no other thread can reach the value.
        self.value.with_mut(|place| unsafe { *place = None });
        Some(Reclaimed {
            reusable: generation <= LAST_GENERATION,
        })
    }
}
