//! The slots of a table that can be filled, without a lock.
//!
//! A list through the slots themselves, the one that was vacated last first. The head counts its changes, so that a thread that looked at it
//! before others took slots and put them back notices. Slots are never freed, so the link of a slot can be read by a thread that comes
//! too late.

use crate::Slot;
use crate::sync::{AtomicU64, Ordering};

/// The slots of a table that can be filled. See the module's comment.
#[derive(Debug)]
pub struct Vacant {
    /// How often it changed, and the index of the first slot plus one; 0 for none.
    head: AtomicU64,
}

const INDEX: u64 = 0xffff_ffff;

impl Default for Vacant {
    fn default() -> Self {
        Self::new()
    }
}

impl Vacant {
    /// No slots.
    #[cfg(not(loom))]
    pub const fn new() -> Self {
        Self {
            head: AtomicU64::new(0),
        }
    }

    /// No slots.
    #[cfg(loom)]
    pub fn new() -> Self {
        Self {
            head: AtomicU64::new(0),
        }
    }

    /// The head after one more change.
    fn changed(head: u64, first: u64) -> u64 {
        (head & !INDEX).wrapping_add(INDEX + 1) | first
    }

    /// Adds a slot, which nobody else has, with its index.
    #[inline]
    pub fn push<T>(&self, index: u32, slot: &Slot<T>) {
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            slot.next.store((head & INDEX) as u32, Ordering::Relaxed);
            let next = Self::changed(head, u64::from(index) + 1);
            // What was done with the slot comes before what the next holder does.
            match self
                .head
                .compare_exchange_weak(head, next, Ordering::AcqRel, Ordering::Relaxed)
            {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }

    /// Takes a slot out, for the caller alone, and returns its index. `slot` finds a slot by its index.
    #[inline]
    pub fn pop<'a, T: 'a>(&self, slot: impl Fn(u32) -> Option<&'a Slot<T>>) -> Option<u32> {
        let mut head = self.head.load(Ordering::Acquire);
        loop {
            let first = ((head & INDEX) as u32).checked_sub(1)?;
            let second = slot(first)?.next.load(Ordering::Relaxed);
            let next = Self::changed(head, second.into());
            match self
                .head
                .compare_exchange_weak(head, next, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => return Some(first),
                Err(now) => head = now,
            }
        }
    }
}
