//! A model of `MindSpore`'s dynamic memory pool (`DynamicMemPoolBestFit`).
//!
//! Memory comes in blocks of 1 GiB; for a larger request the size is doubled until it fits, and near the end of the device the
//! rest is taken, but nothing if less than 10 MiB is left. Requests are rounded to 512 bytes. A stream's free parts serve the
//! request that fits them best; what is left over is cut off if it has 512 bytes or more. Free neighbours of one block merge.
//! Parts that other streams still use come back when their events have passed. Nothing goes back before the pool ends.
//!
//! `MindSpore` keeps weights in a second pool of the same kind. A recording does not say what is a weight, so all memory is of one
//! pool here. Its virtual-memory mode (`enable_vmm`) is not modelled.
//!
//! Source: `mem_dynamic_allocator.cc` of `MindSpore` 2; setting `mempool_block_size` of its context.

use crate::blocks::{Blocks, State};
use crate::ledger::Ledger;
use crate::pending::Pending;
use crate::policy::Policy;

const ROUND: u64 = 512;
const LEAST_LEFT: u64 = 10 << 20;

/// What a block has by default.
pub const BLOCK: u64 = 1 << 30;

/// The pool.
#[derive(Debug)]
pub struct MindSpore {
    block: u64,
    /// A list for each stream.
    blocks: Blocks,
    pending: Pending,
    ledger: Ledger,
    next: u64,
}

impl MindSpore {
    /// With blocks of that size, on a device of `limit` bytes.
    pub fn new(block: u64, limit: u64) -> Self {
        Self {
            block: block.max(ROUND),
            blocks: Blocks::default(),
            pending: Pending::default(),
            ledger: Ledger::new(limit),
            next: 0,
        }
    }

    fn grow(&mut self, list: usize, bytes: u64) -> Option<u64> {
        let left = self.ledger.free();
        if left < bytes || left < LEAST_LEFT {
            return None;
        }
        let mut new = self.block;
        while new < bytes {
            new = new.checked_mul(2)?;
        }
        let new = new.min(left);
        if !self.ledger.take(new) {
            return None;
        }
        let start = self.next;
        self.next += new;
        self.blocks.add(list, start, new, State::Free);
        Some(start)
    }

    fn best(&self, list: usize, bytes: u64) -> Option<u64> {
        let (_, start) = self.blocks.fitting(list, bytes).next()?;
        Some(start)
    }

    /// The host waits for every stream that still uses a part.
    fn wait_and_search(&mut self, list: usize, bytes: u64) -> Option<u64> {
        for passed in self.pending.take_all() {
            self.blocks.change(passed, State::Free);
        }
        self.best(list, bytes)
    }
}

impl Policy for MindSpore {
    fn alloc(&mut self, stream: u32, bytes: u64) -> Option<u64> {
        for passed in self.pending.take_ready() {
            self.blocks.change(passed, State::Free);
        }
        let bytes = bytes.max(1).checked_next_multiple_of(ROUND)?;
        let list = stream as usize;
        let start = self
            .best(list, bytes)
            .or_else(|| self.grow(list, bytes))
            .or_else(|| self.wait_and_search(list, bytes))?;
        self.blocks.change(start, State::Used);
        if self.blocks.get(start)?.bytes - bytes >= ROUND {
            self.blocks.cut(start, bytes);
        }
        Some(start)
    }

    fn free(&mut self, offset: u64, _stream: u32) {
        let Some(owner) = self.blocks.get(offset).map(|block| block.list) else {
            return;
        };
        if self
            .pending
            .free(offset, u32::try_from(owner).unwrap_or(u32::MAX))
        {
            self.blocks.change(offset, State::Free);
        }
    }

    fn free_held(&mut self, offset: u64, _stream: u32) {
        self.pending.hold(offset);
    }

    fn settled(&mut self, offset: u64) {
        self.pending.settled(offset);
    }

    fn record_use(&mut self, offset: u64, stream: u32) {
        self.pending.record_use(offset, stream);
    }

    fn synchronize(&mut self, stream: u32) {
        self.pending.synchronize(stream);
    }

    fn begin(&mut self, mark: u64) {
        self.pending.begin(mark);
    }

    fn completed(&mut self, stream: u32, mark: u64) {
        self.pending.completed(stream, mark);
    }

    fn reserved(&self) -> u64 {
        self.ledger.reserved()
    }

    fn device_calls(&self) -> u64 {
        self.ledger.calls()
    }

    fn lift_limit(&mut self) {
        self.ledger.lift();
    }

    /// The pool ends: blocks without a part in use go back.
    fn trim(&mut self) {
        for passed in self.pending.take_ready() {
            self.blocks.change(passed, State::Free);
        }
        for start in self.blocks.whole_ranges() {
            if let Some(bytes) = self.blocks.remove_whole(start) {
                self.ledger.give(bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;
    const GIB: u64 = 1 << 30;

    #[test]
    fn a_block_is_doubled_until_the_request_fits_and_the_rest_of_the_device_is_taken_last() {
        let mut pool = MindSpore::new(BLOCK, 10 * GIB);
        let rows = [
            (1, GIB),
            (GIB, 2 * GIB),
            (3 * GIB, 6 * GIB),
            (3 * GIB + 1, 10 * GIB),
        ];
        for (bytes, held) in rows {
            pool.alloc(0, bytes).unwrap();
            assert_eq!(pool.reserved(), held, "{bytes}");
        }
        // All is taken. 1 GiB is free in the third block, and nearly as much in the first and the last.
        assert_eq!(pool.alloc(0, GIB), Some(5 * GIB));
        assert_eq!(pool.alloc(0, GIB), None);
        assert!(pool.alloc(0, GIB - 512).is_some());
        assert_eq!(pool.device_calls(), 4);
    }

    #[test]
    fn less_than_10_mib_of_the_device_is_not_taken() {
        let mut pool = MindSpore::new(BLOCK, GIB + 9 * MIB);
        pool.alloc(0, GIB).unwrap();
        assert_eq!(pool.alloc(0, MIB), None);
        pool.lift_limit();
        assert!(pool.alloc(0, MIB).is_some());
    }

    #[test]
    fn streams_do_not_share_and_neighbours_merge() {
        let mut pool = MindSpore::new(BLOCK, u64::MAX);
        let (first, second) = (
            pool.alloc(0, 600 * MIB).unwrap(),
            pool.alloc(0, 424 * MIB).unwrap(),
        );
        pool.free(first, 0);
        pool.free(second, 0);
        pool.alloc(1, 600 * MIB).unwrap();
        assert_eq!(pool.reserved(), 2 * GIB);
        assert_eq!(pool.alloc(0, GIB), Some(0));
        assert_eq!(pool.reserved(), 2 * GIB);
    }
}
