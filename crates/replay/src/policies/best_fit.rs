//! Best fit, as in textbooks: the smallest free block that is large enough, at the lowest address.
//!
//! One range for each stream, in units of 512 bytes, that grows at its end by whole pages of 2 MiB. Free neighbours merge, a block
//! is always cut exactly, and no page goes back. What an allocator with this simplest of good rules would hold.

use super::MIB;
use super::per_stream::Arena;
use crate::blocks::{Blocks, State};

const ROUND: u64 = 512;
const PAGE: u64 = 2 * MIB;

/// The range of one stream.
#[derive(Debug, Default)]
pub struct BestFit {
    blocks: Blocks,
    /// Where the range ends, and where its last block starts.
    end: u64,
    last: u64,
    reserved: u64,
    calls: u64,
}

impl BestFit {
    /// Lengthens the range so that a block of this size is free at its end. Returns where.
    fn grow(&mut self, bytes: u64) -> Option<u64> {
        let last = self.blocks.get(self.last);
        let there = last
            .filter(|it| it.state == State::Free)
            .map_or(0, |it| it.bytes);
        let more = (bytes - there).checked_next_multiple_of(PAGE)?;
        let start = if last.is_none() {
            self.blocks.add(0, self.end, more, State::Free);
            self.end
        } else {
            self.blocks.append(self.last, self.end, more)
        };
        self.end += more;
        self.reserved += more;
        self.calls += 1;
        self.last = start;
        Some(start)
    }
}

impl Arena for BestFit {
    fn new() -> Result<Self, String> {
        Ok(Self::default())
    }

    fn alloc(&mut self, bytes: u64) -> Option<u64> {
        let bytes = bytes.max(1).checked_next_multiple_of(ROUND)?;
        let best = self.blocks.fitting(0, bytes).next();
        let start = match best {
            Some((_, start)) => start,
            None => self.grow(bytes)?,
        };
        self.blocks.change(start, State::Used);
        if self.blocks.get(start)?.bytes > bytes {
            self.blocks.cut(start, bytes);
            if self.last == start {
                self.last = start + bytes;
            }
        }
        Some(start)
    }

    fn free(&mut self, start: u64) {
        let merged = self.blocks.change(start, State::Free);
        if self
            .blocks
            .get(merged)
            .is_some_and(|it| it.behind.is_none())
        {
            self.last = merged;
        }
    }

    fn trim(&mut self) {
        for start in self.blocks.whole_ranges() {
            self.reserved -= self.blocks.remove_whole(start).unwrap_or(0);
            self.calls += 1;
        }
    }

    fn device_calls(&self) -> u64 {
        self.calls
    }

    fn reserved(&self) -> u64 {
        self.reserved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_hole_that_is_large_enough_is_taken_and_the_end_grows_by_what_is_missing() {
        let mut arena = BestFit::default();
        let starts: Vec<u64> = [3 * MIB, 512, 2 * MIB, 512, MIB]
            .iter()
            .map(|bytes| arena.alloc(*bytes).unwrap())
            .collect();
        assert_eq!(
            starts,
            [0, 3 * MIB, 3 * MIB + 512, 5 * MIB + 512, 5 * MIB + 1024]
        );
        // 6 MiB and 1 KiB in pages of 2 MiB.
        assert_eq!((arena.reserved(), arena.device_calls()), (8 * MIB, 3));
        arena.free(starts[0]);
        arena.free(starts[2]);
        // Holes of 3 and 2 MiB, and nearly 2 MiB at the end.
        assert_eq!(arena.alloc(2 * MIB), Some(starts[2]));
        assert_eq!(arena.alloc(MIB), Some(6 * MIB + 1024));
        assert_eq!(arena.alloc(3 * MIB), Some(0));
        assert_eq!(arena.reserved(), 8 * MIB);
        // 1 MiB less 1 KiB is left at the end: 2 MiB need one page more.
        assert_eq!(arena.alloc(2 * MIB), Some(7 * MIB + 1024));
        assert_eq!(arena.reserved(), 10 * MIB);
    }

    #[test]
    fn a_range_without_blocks_goes_back_whole() {
        let mut arena = BestFit::default();
        let starts: Vec<u64> = (0..10).map(|it| arena.alloc(it * MIB).unwrap()).collect();
        for start in starts {
            arena.trim();
            assert!(arena.reserved() > 0);
            arena.free(start);
        }
        arena.trim();
        assert_eq!(arena.reserved(), 0);
        arena.alloc(1).unwrap();
        assert_eq!(arena.reserved(), PAGE);
    }
}
