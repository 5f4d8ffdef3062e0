//! A model of RMM's `pool_memory_resource`.
//!
//! Each stream has a list of free blocks in address order, searched from end to end for the best
//! fit. A stream whose list has nothing takes from the others' lists, and then merges theirs into its
//! own; RMM makes it wait for their latest frees, so the memory is paid for with waits that no
//! program asked for. After that the pool grows by as much as it has, or by the request if that is
//! more. With a maximum it grows by half of what is left to it, or by the request. If the device has less, half of that is tried,
//! and so on down to the request. Blocks merge with neighbours of the same growth only, and nothing goes back before the end.
//!
//! There is no call for a use on another stream: the program has to free on a stream that waits for
//! it. That is taken as done.
//!
//! Source: `rmm/mr/pool_memory_resource.hpp` and `coalescing_free_list.hpp`.

use std::collections::BTreeMap;

use crate::fast_map::FastMap;
use crate::ledger::Ledger;
use crate::policy::Policy;

const ROUND: u64 = 256;

/// `head`: it starts what one growth brought, and merges with nothing in front of it.
#[derive(Debug, Clone, Copy)]
struct Block {
    start: u64,
    bytes: u64,
    head: bool,
}

/// Free blocks in address order.
#[derive(Debug, Default)]
struct List(Vec<Block>);

impl List {
    fn take(&mut self, bytes: u64) -> Option<Block> {
        let fitting = self
            .0
            .iter()
            .enumerate()
            .filter(|(_, it)| it.bytes >= bytes);
        let (index, _) = fitting.min_by_key(|(_, it)| it.bytes)?;
        Some(self.0.remove(index))
    }

    fn insert(&mut self, mut block: Block) {
        let mut at = self.0.partition_point(|it| it.start < block.start);
        if let Some(behind) = self.0.get(at)
            && !behind.head
            && block.start + block.bytes == behind.start
        {
            block.bytes += behind.bytes;
            self.0.remove(at);
        }
        if at > 0 && !block.head && self.0[at - 1].start + self.0[at - 1].bytes == block.start {
            at -= 1;
            self.0[at].bytes += block.bytes;
        } else {
            self.0.insert(at, block);
        }
    }
}

/// The resource.
#[derive(Debug)]
pub struct Rmm {
    lists: BTreeMap<u32, List>,
    live: FastMap<Block>,
    initial: u64,
    maximum: Option<u64>,
    ledger: Ledger,
    /// Where the next growth goes, and what each growth brought.
    next: u64,
    growths: BTreeMap<u64, u64>,
}

impl Default for Rmm {
    fn default() -> Self {
        Self::new(0, None, u64::MAX)
    }
}

impl Rmm {
    /// With an initial and a maximum size, on a device of `limit` bytes.
    pub fn new(initial: u64, maximum: Option<u64>, limit: u64) -> Self {
        Self {
            lists: BTreeMap::new(),
            live: FastMap::default(),
            initial: initial.next_multiple_of(ROUND),
            maximum,
            ledger: Ledger::new(limit),
            next: 0,
            growths: BTreeMap::new(),
        }
    }

    /// A block with the stream whose list gets what is left of it.
    fn find(&mut self, stream: u32, bytes: u64) -> Option<(Block, u32)> {
        if let Some(block) = self.lists.entry(stream).or_default().take(bytes) {
            return Some((block, stream));
        }
        let others: Vec<u32> = self
            .lists
            .keys()
            .copied()
            .filter(|it| *it != stream)
            .collect();
        for other in &others {
            if let Some(block) = self.lists.get_mut(other).and_then(|list| list.take(bytes)) {
                return Some((block, *other));
            }
        }
        for other in &others {
            let merged = self.lists.remove(other).unwrap_or_default();
            let own = self.lists.entry(stream).or_default();
            for block in merged.0 {
                own.insert(block);
            }
            if let Some(block) = own.take(bytes) {
                return Some((block, stream));
            }
        }
        Some((self.grow(bytes)?, stream))
    }

    fn grow(&mut self, bytes: u64) -> Option<Block> {
        let held = self.ledger.reserved();
        let mut more = match self.maximum {
            None => bytes.max(held),
            Some(maximum) => {
                let left = maximum.saturating_sub(held) / ROUND * ROUND;
                if bytes > left {
                    return None;
                }
                bytes.max(left / 2 / ROUND * ROUND)
            }
        };
        while !self.ledger.take(more) {
            if more == bytes {
                return None;
            }
            more = bytes.max(more / 2 / ROUND * ROUND);
        }
        Some(self.growth(more))
    }

    fn growth(&mut self, bytes: u64) -> Block {
        let start = self.next;
        self.next += bytes;
        self.growths.insert(start, bytes);
        Block {
            start,
            bytes,
            head: true,
        }
    }
}

impl Policy for Rmm {
    fn alloc(&mut self, stream: u32, bytes: u64) -> Option<u64> {
        let bytes = bytes.max(1).checked_next_multiple_of(ROUND)?;
        if self.initial > 0 && self.growths.is_empty() {
            if !self.ledger.take(self.initial) {
                return None;
            }
            let initial = self.growth(self.initial);
            self.lists.entry(stream).or_default().insert(initial);
        }
        let (mut block, list) = self.find(stream, bytes)?;
        if block.bytes > bytes {
            let rest = Block {
                start: block.start + bytes,
                bytes: block.bytes - bytes,
                head: false,
            };
            block.bytes = bytes;
            self.lists.entry(list).or_default().insert(rest);
        }
        self.live.insert(block.start, block);
        Some(block.start)
    }

    fn free(&mut self, offset: u64, stream: u32) {
        if let Some(block) = self.live.remove(&offset) {
            self.lists.entry(stream).or_default().insert(block);
        }
    }

    fn reserved(&self) -> u64 {
        self.ledger.reserved()
    }

    fn device_calls(&self) -> u64 {
        self.ledger.calls()
    }

    fn lift_limit(&mut self) {
        self.ledger.lift();
        self.maximum = None;
    }

    /// The resource ends: growths without a block go back.
    fn trim(&mut self) {
        let mut all = List::default();
        for list in std::mem::take(&mut self.lists).into_values() {
            for block in list.0 {
                all.insert(block);
            }
        }
        all.0.retain(|block| {
            let whole = block.head && self.growths.get(&block.start) == Some(&block.bytes);
            if whole {
                self.growths.remove(&block.start);
                self.ledger.give(block.bytes);
            }
            !whole
        });
        self.lists.insert(0, all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn the_pool_doubles_or_grows_by_the_request() {
        let mut pool = Rmm::default();
        let mut held = |bytes| {
            pool.alloc(0, bytes).unwrap();
            pool.reserved()
        };
        assert_eq!(held(100), 256);
        assert_eq!(held(MIB), MIB + 256);
        assert_eq!(held(512), 2 * (MIB + 256));
        assert_eq!(held(512), 2 * (MIB + 256));
    }

    #[test]
    fn neighbours_merge_inside_a_growth_only() {
        let mut pool = Rmm::default();
        let first = pool.alloc(0, 4 * MIB).unwrap();
        let second = pool.alloc(0, 4 * MIB).unwrap();
        pool.free(second, 0);
        pool.free(first, 0);
        // Two growths of 4 MiB lie side by side and stay apart.
        pool.alloc(0, 8 * MIB).unwrap();
        assert_eq!(pool.reserved(), 16 * MIB);
        let third = pool.alloc(0, 2 * MIB).unwrap();
        let fourth = pool.alloc(0, 2 * MIB).unwrap();
        assert_eq!((third, fourth), (0, 2 * MIB));
        pool.free(third, 0);
        pool.free(fourth, 0);
        assert_eq!(pool.alloc(0, 4 * MIB), Some(0));
    }

    #[test]
    fn a_stream_takes_from_others_before_the_pool_grows() {
        let mut pool = Rmm::default();
        let whole = pool.alloc(0, 4 * MIB).unwrap();
        pool.free(whole, 0);
        assert_eq!(pool.alloc(1, MIB), Some(whole));
        // What was left stays with stream 0.
        assert_eq!(pool.alloc(0, 3 * MIB), Some(whole + MIB));
        // Two halves in two lists: merged, they serve a third stream.
        pool.free(whole, 1);
        pool.free(whole + MIB, 0);
        assert_eq!(pool.alloc(2, 4 * MIB), Some(whole));
        assert_eq!(pool.reserved(), 4 * MIB);
    }

    #[test]
    fn a_maximum_is_approached_by_halves_and_never_passed() {
        let mut pool = Rmm::new(4 * MIB, Some(20 * MIB), u64::MAX);
        pool.alloc(0, MIB).unwrap();
        assert_eq!(pool.reserved(), 4 * MIB);
        // 3 MiB are free. Half of the 16 that are left are taken.
        pool.alloc(0, 4 * MIB).unwrap();
        assert_eq!(pool.reserved(), 12 * MIB);
        // Of the next 8, half would be less than the request.
        pool.alloc(0, 6 * MIB).unwrap();
        assert_eq!(pool.reserved(), 18 * MIB);
        assert_eq!(pool.alloc(0, 5 * MIB), None);
        pool.lift_limit();
        assert!(pool.alloc(0, 5 * MIB).is_some());
    }

    #[test]
    fn a_device_with_too_little_for_twice_as_much_gives_less() {
        let mut pool = Rmm::new(0, None, 10 * MIB);
        pool.alloc(0, 6 * MIB).unwrap();
        // 6 MiB more would be twice as much; 3 are tried next, and fit.
        pool.alloc(0, MIB).unwrap();
        assert_eq!(pool.reserved(), 9 * MIB);
    }
}
