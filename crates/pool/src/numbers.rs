//! Serial numbers of blocks.

use std::sync::atomic::{AtomicU64, Ordering};

/// Unique serial numbers for the blocks of one or more pools, taken in batches.
#[derive(Debug)]
pub struct Numbers(AtomicU64);

impl Default for Numbers {
    fn default() -> Self {
        Self(AtomicU64::new(1))
    }
}

impl Numbers {
    /// Takes `count` numbers; returns the end of the range, exclusive.
    pub(crate) fn batch(&self, count: u64) -> u64 {
        self.0.fetch_add(count, Ordering::Relaxed) + count
    }
}
