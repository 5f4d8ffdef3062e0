//! Stream-ordered pools of device runtimes: `cudaMallocAsync`, and `aclrtMemPoolMallocAsync` as documented.
//!
//! Both cut blocks from ranges of addresses with pages behind them. A block that a stream has freed serves that stream's next
//! request that fits it best. When the host synchronises, whole pages that no block lies on go back to the device, as far as the
//! pool holds more than its release threshold; the same happens when the device is full.
//!
//! | | `cudaMallocAsync` | `aclrtMemPool` |
//! | --- | --- | --- |
//! | requests are rounded to | 512 bytes | 2 MiB |
//! | memory comes in pieces of | 32 MiB | 2 MiB |
//! | other streams' free memory | may be taken: the driver makes the stream wait | may not, unless the program switches it on |
//! | release threshold | 0; PyTorch's backend sets the maximum | 0 |
//!
//! Neither is open source, so these are rules of what their manuals promise, plus the pieces of 32 MiB, in which a CUDA pool is seen
//! to grow. The driver's own search may differ: docs/replay.md compares the model with measured runs. Recordings seldom
//! say when the host synchronised; without that, nothing goes back before the device is full.
//!
//! Sources: CUDA programming guide, "Stream-Ordered Memory Allocator"; CANN documentation of `aclrtMemPoolCreate` and
//! `aclrtMemPoolSetAttr`.

use super::MIB;
use crate::blocks::{Blocks, State};
use crate::ledger::Ledger;
use crate::pending::Pending;
use crate::policy::Policy;
use crate::ranges;

/// What makes one such pool different from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Requests are rounded up to a multiple of this.
    pub round: u64,
    /// Memory is taken and given back in pieces of this size.
    pub page: u64,
    /// Whether a stream may take what others freed.
    pub across_streams: bool,
    /// A synchronisation gives back what is held above this many bytes.
    pub release_threshold: u64,
}

/// `cudaMallocAsync` with its defaults.
pub const CUDA: Rules = Rules {
    round: 512,
    page: 32 * MIB,
    across_streams: true,
    release_threshold: 0,
};

/// `aclrtMemPoolMallocAsync` with its defaults.
pub const ACL: Rules = Rules {
    round: 2 * MIB,
    page: 2 * MIB,
    across_streams: false,
    release_threshold: 0,
};

/// The pool.
#[derive(Debug)]
pub struct StreamOrdered {
    rules: Rules,
    /// A list and a range for each stream.
    blocks: Blocks,
    pending: Pending,
    ledger: Ledger,
}

impl StreamOrdered {
    /// On a device of `limit` bytes.
    pub fn new(rules: Rules, limit: u64) -> Self {
        Self {
            rules,
            blocks: Blocks::default(),
            pending: Pending::default(),
            ledger: Ledger::new(limit),
        }
    }

    fn best(&self, stream: usize, bytes: u64) -> Option<u64> {
        let own = self.blocks.fitting(stream, bytes).next();
        let found = own.or_else(|| {
            let others =
                (0..self.blocks.lists()).filter(|it| self.rules.across_streams && *it != stream);
            others
                .filter_map(|it| self.blocks.fitting(it, bytes).next())
                .min()
        });
        found.map(|(_, start)| start)
    }

    fn grow(&mut self, stream: usize, bytes: u64) -> Option<u64> {
        ranges::expand(
            &mut self.blocks,
            &mut self.ledger,
            stream,
            self.rules.page,
            bytes,
        )
    }

    fn give_back(&mut self, start: u64) {
        self.blocks.change(start, State::Free);
    }

    fn take_ready(&mut self) {
        for passed in self.pending.take_ready() {
            self.give_back(passed);
        }
    }

    /// Gives back free pages until at most `keep` bytes are held.
    fn release(&mut self, keep: u64) {
        for list in 0..self.blocks.lists() {
            let most = self.ledger.reserved().saturating_sub(keep);
            if most == 0 {
                return;
            }
            ranges::unmap_free(
                &mut self.blocks,
                &mut self.ledger,
                list,
                self.rules.page,
                most,
            );
        }
    }
}

impl Policy for StreamOrdered {
    fn alloc(&mut self, stream: u32, bytes: u64) -> Option<u64> {
        self.take_ready();
        let bytes = bytes.max(1).checked_next_multiple_of(self.rules.round)?;
        let list = stream as usize;
        self.blocks.open(list);
        let mut found = self.best(list, bytes).or_else(|| self.grow(list, bytes));
        if found.is_none() {
            self.release(0);
            found = self.grow(list, bytes);
        }
        let start = found?;
        self.blocks.change(start, State::Used);
        if self.blocks.get(start)?.bytes > bytes {
            self.blocks.cut(start, bytes);
        }
        Some(start)
    }

    /// The memory stays with the range that it was cut from.
    fn free(&mut self, offset: u64, _stream: u32) {
        let Some(owner) = self.blocks.get(offset).map(|block| block.list) else {
            return;
        };
        if self
            .pending
            .free(offset, u32::try_from(owner).unwrap_or(u32::MAX))
        {
            self.give_back(offset);
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
        self.take_ready();
        self.release(self.rules.release_threshold);
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

    fn trim(&mut self) {
        self.take_ready();
        self.release(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuda_grows_by_32_mib_and_acl_by_what_it_needs() {
        let mut cuda = StreamOrdered::new(CUDA, u64::MAX);
        let mut acl = StreamOrdered::new(ACL, u64::MAX);
        let rows = [(1, 32, 2), (MIB, 32, 4), (40 * MIB, 64, 44)];
        for (bytes, by_cuda, by_acl) in rows {
            cuda.alloc(0, bytes).unwrap();
            acl.alloc(0, bytes).unwrap();
            assert_eq!(
                (cuda.reserved(), acl.reserved()),
                (by_cuda * MIB, by_acl * MIB),
                "{bytes}"
            );
        }
        // 41 MiB and 512 bytes of 64 are used: 20 MiB fit.
        cuda.alloc(0, 20 * MIB).unwrap();
        assert_eq!((cuda.reserved(), cuda.device_calls()), (64 * MIB, 2));
    }

    #[test]
    fn what_one_stream_freed_serves_another_with_cuda_only() {
        for (rules, held) in [(CUDA, 32), (ACL, 64)] {
            let mut pool = StreamOrdered::new(rules, u64::MAX);
            let block = pool.alloc(0, 32 * MIB).unwrap();
            pool.free(block, 0);
            pool.alloc(1, 32 * MIB).unwrap();
            assert_eq!(pool.reserved(), held * MIB);
        }
    }

    #[test]
    fn a_synchronisation_gives_back_what_is_above_the_threshold() {
        let keeping = |release_threshold| Rules {
            release_threshold,
            ..ACL
        };
        for (threshold, left) in [(0, 4), (6 * MIB, 6), (u64::MAX, 12)] {
            let mut pool = StreamOrdered::new(keeping(threshold), u64::MAX);
            let blocks: Vec<u64> = [4, 4, 4]
                .map(|it| pool.alloc(0, it * MIB).unwrap())
                .to_vec();
            pool.free(blocks[0], 0);
            pool.free(blocks[2], 0);
            assert_eq!(pool.reserved(), 12 * MIB);
            pool.synchronize(0);
            assert_eq!(pool.reserved(), left * MIB, "{threshold}");
        }
    }

    #[test]
    fn a_full_device_gets_free_pages_back_first() {
        let mut pool = StreamOrdered::new(ACL, 8 * MIB);
        let block = pool.alloc(0, 6 * MIB).unwrap();
        assert_eq!(pool.alloc(1, 4 * MIB), None);
        pool.free(block, 0);
        assert!(pool.alloc(1, 4 * MIB).is_some());
        assert_eq!(pool.reserved(), 4 * MIB);
        pool.lift_limit();
        assert!(pool.alloc(1, 40 * MIB).is_some());
    }
}
