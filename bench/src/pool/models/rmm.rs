//! A model of RMM's `pool_memory_resource`.
//!
//! Each stream has a list of free blocks in address order, searched from end to end for the best
//! fit. A stream whose list has nothing takes from the others' lists, and then merges theirs into its
//! own; RMM makes it wait for their latest frees, so the memory is paid for with waits that no
//! program asked for. After that the pool grows by as much as it has, or by the request if that is
//! more. Blocks merge with neighbours of the same growth only, and nothing goes back.
//!
//! There is no call for a use on another stream: the program has to free on a stream that waits for
//! it. That is taken as done.

use std::collections::BTreeMap;

use crate::pool::fast_map::FastMap;
use crate::pool::policy::Policy;

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

#[derive(Debug, Default)]
pub(crate) struct Rmm {
    lists: BTreeMap<u32, List>,
    live: FastMap<Block>,
    reserved: u64,
}

impl Rmm {
    /// A block with the stream whose list gets what is left of it.
    fn find(&mut self, stream: u32, bytes: u64) -> (Block, u32) {
        if let Some(block) = self.lists.entry(stream).or_default().take(bytes) {
            return (block, stream);
        }
        let others: Vec<u32> = self
            .lists
            .keys()
            .copied()
            .filter(|it| *it != stream)
            .collect();
        for other in &others {
            if let Some(block) = self.lists.get_mut(other).and_then(|list| list.take(bytes)) {
                return (block, *other);
            }
        }
        for other in &others {
            let merged = self.lists.remove(other).unwrap_or_default();
            let own = self.lists.entry(stream).or_default();
            for block in merged.0 {
                own.insert(block);
            }
            if let Some(block) = own.take(bytes) {
                return (block, stream);
            }
        }
        (self.grow(bytes), stream)
    }

    fn grow(&mut self, bytes: u64) -> Block {
        let grown = Block {
            start: self.reserved,
            bytes: bytes.max(self.reserved),
            head: true,
        };
        self.reserved += grown.bytes;
        grown
    }
}

impl Policy for Rmm {
    fn alloc(&mut self, stream: u32, bytes: u64) -> Option<u64> {
        let bytes = bytes.max(1).next_multiple_of(ROUND);
        let (mut block, list) = self.find(stream, bytes);
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
        self.reserved
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
}
