//! Numbers for blocks.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The numbers of all blocks of a runtime, given out in batches.
#[derive(Debug, Default)]
pub(crate) struct Numbers(AtomicU64);

impl Numbers {
    #[cold]
    pub(super) fn batch(&self) -> Range<u64> {
        const BATCH: u64 = 1 << 16;
        let before = self.0.fetch_add(BATCH, Ordering::Relaxed);
        before + 1..before + 1 + BATCH
    }
}
