//! Numbers for blocks.

use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers for the blocks of one or more pools, given out in batches: none is given twice.
#[derive(Debug)]
pub struct Numbers(AtomicU64);

impl Default for Numbers {
    fn default() -> Self {
        Self(AtomicU64::new(1))
    }
}

impl Numbers {
    /// Takes `count` numbers; answers the one behind them.
    pub(crate) fn batch(&self, count: u64) -> u64 {
        self.0.fetch_add(count, Ordering::Relaxed) + count
    }
}
