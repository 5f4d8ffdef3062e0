//! The buddy system: blocks are powers of two, and a freed block merges with its twin only.
//!
//! A request gets the smallest power of two that holds it, at least 512 bytes. A larger free block is halved until it fits; two free
//! halves of one block become that block again. One range for each stream, that grows by regions of 32 MiB, or of the block
//! if that is larger. Regions go back when they are free as a whole, but only if the allocator is trimmed.
//!
//! Source: Knowlton 1965; Knuth, The Art of Computer Programming, volume 1, section 2.5.

use std::collections::{BTreeMap, BTreeSet};

use super::MIB;
use super::per_stream::Arena;
use crate::fast_map::FastMap;

const SMALLEST: u32 = 9;
const REGION: u32 = 25;
const LARGEST: u32 = 48;

/// The regions of one stream.
#[derive(Debug)]
pub struct Buddy {
    /// Free blocks of each power of two, by address.
    free: Vec<BTreeSet<u64>>,
    used: FastMap<u32>,
    /// Start and power of each region.
    regions: BTreeMap<u64, u32>,
    end: u64,
    reserved: u64,
    calls: u64,
}

impl Buddy {
    fn power(bytes: u64) -> u32 {
        bytes.max(1 << SMALLEST).next_power_of_two().ilog2()
    }

    fn grow(&mut self, power: u32) {
        let region = power.max(REGION);
        // So that a block's twin is found by its address.
        let start = self.end.next_multiple_of(1 << region);
        self.end = start + (1 << region);
        self.regions.insert(start, region);
        self.free[region as usize].insert(start);
        self.reserved += 1 << region;
        self.calls += 1;
    }

    /// The power of the region that holds this address.
    fn region(&self, start: u64) -> u32 {
        let region = self.regions.range(..=start).next_back();
        region.map_or(0, |(_, power)| *power)
    }
}

impl Arena for Buddy {
    fn new() -> Result<Self, String> {
        Ok(Self {
            free: vec![BTreeSet::new(); LARGEST as usize + 1],
            used: FastMap::default(),
            regions: BTreeMap::new(),
            end: 0,
            reserved: 0,
            calls: 0,
        })
    }

    fn alloc(&mut self, bytes: u64) -> Option<u64> {
        if bytes > 1 << LARGEST {
            return None;
        }
        let power = Self::power(bytes);
        let fits = |it: &u32| !self.free[*it as usize].is_empty();
        let mut from = (power..=LARGEST).find(fits);
        if from.is_none() {
            self.grow(power);
            from = Some(power.max(REGION));
        }
        let mut from = from?;
        let start = self.free[from as usize].pop_first()?;
        while from > power {
            from -= 1;
            self.free[from as usize].insert(start + (1 << from));
        }
        self.used.insert(start, power);
        Some(start)
    }

    fn free(&mut self, start: u64) {
        let Some(mut power) = self.used.remove(&start) else {
            return;
        };
        let region = self.region(start);
        let mut start = start;
        while power < region && self.free[power as usize].remove(&(start ^ (1 << power))) {
            start &= !(1 << power);
            power += 1;
        }
        self.free[power as usize].insert(start);
    }

    fn trim(&mut self) {
        let free = &mut self.free;
        let (reserved, calls) = (&mut self.reserved, &mut self.calls);
        self.regions.retain(|start, power| {
            let idle = free[*power as usize].remove(start);
            if idle {
                *reserved -= 1 << *power;
                *calls += 1;
            }
            !idle
        });
    }

    fn device_calls(&self) -> u64 {
        self.calls
    }

    fn reserved(&self) -> u64 {
        debug_assert!(self.reserved.is_multiple_of(32 * MIB));
        self.reserved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_gets_the_next_power_of_two() {
        let mut arena = Buddy::new().unwrap();
        let start = arena.alloc(3 * MIB).unwrap();
        assert_eq!(start, 0);
        // It got 4 MiB of a region of 32; the next block of 4 MiB is its twin.
        assert_eq!(arena.alloc(4 * MIB), Some(4 * MIB));
        assert_eq!(arena.alloc(1), Some(8 * MIB));
        assert_eq!(
            arena.alloc(16 * MIB + 1),
            Some(32 * MIB),
            "in the second region, as it needs 32 MiB"
        );
        assert_eq!(arena.reserved(), 64 * MIB);
    }

    #[test]
    fn twins_merge_and_other_neighbours_do_not() {
        let mut arena = Buddy::new().unwrap();
        let blocks: Vec<u64> = (0..4).map(|_| arena.alloc(8 * MIB).unwrap()).collect();
        assert_eq!(blocks, [0, 8 * MIB, 16 * MIB, 24 * MIB]);
        arena.free(blocks[1]);
        arena.free(blocks[2]);
        // 16 MiB are free side by side, but the two are no twins.
        assert_eq!(arena.alloc(16 * MIB), Some(32 * MIB));
        assert_eq!(arena.reserved(), 64 * MIB);
        arena.free(blocks[0]);
        assert_eq!(arena.alloc(16 * MIB), Some(0));
    }

    #[test]
    fn a_free_region_goes_back() {
        let mut arena = Buddy::new().unwrap();
        let (large, small) = (arena.alloc(100 * MIB).unwrap(), arena.alloc(1).unwrap());
        assert_eq!(arena.reserved(), (128 + 32) * MIB);
        arena.free(large);
        arena.trim();
        assert_eq!(arena.reserved(), 32 * MIB);
        arena.free(small);
        arena.trim();
        assert_eq!(arena.reserved(), 0);
    }
}
