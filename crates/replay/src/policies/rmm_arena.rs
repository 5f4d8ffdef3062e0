//! A model of RMM's `arena_memory_resource`.
//!
//! One region is taken from the device at the start: `arena_size`, or half of the device. It is cut into *superblocks* of 1 MiB or
//! more. Each stream has an arena of superblocks for requests up to 1 MiB; larger ones are served from the global arena.
//! Everywhere the first fit in the order of addresses counts. Requests are rounded up to size classes as in jemalloc: multiples of
//! 256 bytes to 2 KiB, then four for each doubling.
//!
//! A superblock that an arena has emptied stays with it. When a request fails, all empty superblocks go back to the global arena and
//! it is tried once more. The region never grows: a request that does not fit then is refused, even if the device has more.
//! A replay that goes on takes another region for it, as large as the superblock that it needs.
//!
//! RMM has no call for a use on another stream: the program has to free on a stream that waits for it. That is taken as done.
//!
//! Source: `rmm/mr/detail/arena.hpp` and `arena_memory_resource.hpp`.

use std::collections::BTreeMap;

use super::MIB;
use crate::fast_map::FastMap;
use crate::ledger::Ledger;
use crate::policy::Policy;

const SUPERBLOCK: u64 = MIB;
const LARGEST_CLASS: u64 = 256 << 30;

#[derive(Debug)]
struct Superblock {
    bytes: u64,
    /// Free blocks by address, and the size of the largest.
    free: BTreeMap<u64, u64>,
    largest: u64,
}

impl Superblock {
    fn new(start: u64, bytes: u64) -> Self {
        Self {
            bytes,
            free: BTreeMap::from([(start, bytes)]),
            largest: bytes,
        }
    }

    fn is_empty(&self) -> bool {
        self.largest == self.bytes
    }

    fn note_largest(&mut self) {
        self.largest = self.free.values().copied().max().unwrap_or(0);
    }

    fn first_fit(&mut self, bytes: u64) -> Option<u64> {
        let (&start, &whole) = self.free.iter().find(|(_, it)| **it >= bytes)?;
        self.free.remove(&start);
        if whole > bytes {
            self.free.insert(start + bytes, whole - bytes);
        }
        if whole == self.largest {
            self.note_largest();
        }
        Some(start)
    }

    fn put(&mut self, start: u64, bytes: u64) {
        let (mut start, mut bytes) = (start, bytes);
        if let Some(behind) = self.free.remove(&(start + bytes)) {
            bytes += behind;
        }
        let before = self.free.range(..start).next_back();
        if let Some((&at, &before)) = before
            && at + before == start
        {
            start = at;
            bytes += before;
        }
        self.free.insert(start, bytes);
        self.largest = self.largest.max(bytes);
    }
}

/// Superblocks by address.
type Superblocks = BTreeMap<u64, Superblock>;

/// The resource.
#[derive(Debug)]
pub struct RmmArena {
    arena: u64,
    global: Superblocks,
    arenas: BTreeMap<u32, Superblocks>,
    live: FastMap<u64>,
    ledger: Ledger,
    /// Where the next region goes.
    next: u64,
    lifted: bool,
}

/// The size class of a request.
fn size_class(bytes: u64) -> Option<u64> {
    if bytes > LARGEST_CLASS {
        return None;
    }
    if bytes <= 2048 {
        return Some(bytes.max(1).next_multiple_of(256));
    }
    let step = 1_u64 << ((bytes - 1).ilog2() - 2);
    let class = bytes.next_multiple_of(step);
    // The table has 54 KiB where 56 would be regular.
    Some(match class {
        57_344 if bytes <= 54 << 10 => 54 << 10,
        57_344 => 64 << 10,
        regular => regular,
    })
}

impl RmmArena {
    /// With a region of `arena` bytes, on a device of `limit` bytes.
    pub fn new(arena: u64, limit: u64) -> Self {
        Self {
            arena: (arena / 256 * 256).max(SUPERBLOCK),
            global: Superblocks::new(),
            arenas: BTreeMap::new(),
            live: FastMap::default(),
            ledger: Ledger::new(limit),
            next: 0,
            lifted: false,
        }
    }

    fn add_region(&mut self, bytes: u64) -> bool {
        if !self.ledger.take(bytes) {
            return false;
        }
        let start = self.next;
        // Regions of different calls are not neighbours.
        self.next += bytes + SUPERBLOCK;
        self.global.insert(start, Superblock::new(start, bytes));
        true
    }

    /// The first superblock of the global arena with room, cut to size if it is empty and large.
    fn acquire(&mut self, bytes: u64) -> Option<(u64, Superblock)> {
        let (&start, _) = self.global.iter().find(|(_, it)| it.largest >= bytes)?;
        let superblock = self.global.remove(&start)?;
        let size = bytes.max(SUPERBLOCK);
        if superblock.is_empty() && superblock.bytes >= size + SUPERBLOCK {
            let rest = superblock.bytes - size;
            self.global
                .insert(start + size, Superblock::new(start + size, rest));
            return Some((start, Superblock::new(start, size)));
        }
        Some((start, superblock))
    }

    fn find(&mut self, stream: u32, bytes: u64) -> Option<u64> {
        if bytes > SUPERBLOCK {
            let (at, mut superblock) = self.acquire(bytes)?;
            let start = superblock.first_fit(bytes);
            self.global.insert(at, superblock);
            return start;
        }
        let arena = self.arenas.entry(stream).or_default();
        let mut own = arena.values_mut().filter(|it| it.largest >= bytes);
        if let Some(start) = own.next().and_then(|it| it.first_fit(bytes)) {
            return Some(start);
        }
        let (at, mut superblock) = self.acquire(bytes)?;
        let start = superblock.first_fit(bytes);
        self.arenas
            .entry(stream)
            .or_default()
            .insert(at, superblock);
        start
    }

    /// A superblock goes back to the global arena and merges with empty neighbours.
    fn release(&mut self, start: u64, superblock: Superblock) {
        let (mut start, mut superblock) = (start, superblock);
        if superblock.is_empty() {
            let behind = start + superblock.bytes;
            if self.global.get(&behind).is_some_and(Superblock::is_empty)
                && let Some(other) = self.global.remove(&behind)
            {
                superblock = Superblock::new(start, superblock.bytes + other.bytes);
            }
            let before = self.global.range(..start).next_back();
            if let Some((&at, other)) = before
                && other.is_empty()
                && at + other.bytes == start
            {
                superblock = Superblock::new(at, superblock.bytes + other.bytes);
                start = at;
            }
        }
        self.global.insert(start, superblock);
    }

    fn defragment(&mut self) {
        let mut empty = Vec::new();
        for arena in self.arenas.values_mut() {
            let starts: Vec<u64> = arena
                .iter()
                .filter(|(_, it)| it.is_empty())
                .map(|(start, _)| *start)
                .collect();
            empty.extend(
                starts
                    .into_iter()
                    .filter_map(|it| Some((it, arena.remove(&it)?))),
            );
        }
        for (start, superblock) in empty {
            self.release(start, superblock);
        }
    }

    /// Puts a block back into the superblock that it lies in.
    fn put(superblocks: &mut Superblocks, start: u64, bytes: u64) -> Option<u64> {
        let (&at, superblock) = superblocks.range_mut(..=start).next_back()?;
        if start + bytes > at + superblock.bytes {
            return None;
        }
        superblock.put(start, bytes);
        Some(at)
    }
}

impl Policy for RmmArena {
    fn alloc(&mut self, stream: u32, bytes: u64) -> Option<u64> {
        let bytes = size_class(bytes)?;
        if self.ledger.reserved() == 0 && !self.add_region(self.arena) {
            return None;
        }
        let mut found = self.find(stream, bytes);
        if found.is_none() {
            self.defragment();
            found = self.find(stream, bytes);
        }
        if found.is_none() && self.lifted && self.add_region(bytes.max(SUPERBLOCK)) {
            found = self.find(stream, bytes);
        }
        let start = found?;
        self.live.insert(start, bytes);
        Some(start)
    }

    fn free(&mut self, offset: u64, stream: u32) {
        let Some(bytes) = self.live.remove(&offset) else {
            return;
        };
        if let Some(at) = Self::put(&mut self.global, offset, bytes) {
            if self.global.get(&at).is_some_and(Superblock::is_empty)
                && let Some(superblock) = self.global.remove(&at)
            {
                self.release(at, superblock);
            }
            return;
        }
        let own = self.arenas.get_mut(&stream);
        if own
            .and_then(|arena| Self::put(arena, offset, bytes))
            .is_some()
        {
            return;
        }
        for arena in self.arenas.values_mut() {
            if Self::put(arena, offset, bytes).is_some() {
                return;
            }
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
        self.lifted = true;
    }

    /// The resource ends: regions without a block go back.
    fn trim(&mut self) {
        self.defragment();
        let empty: Vec<u64> = self
            .global
            .iter()
            .filter(|(_, it)| it.is_empty())
            .map(|(start, _)| *start)
            .collect();
        if self.live.is_empty() {
            for start in empty {
                if let Some(superblock) = self.global.remove(&start) {
                    self.ledger.give(superblock.bytes);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: u64 = 1 << 10;

    #[test]
    fn sizes_are_rounded_as_in_the_table() {
        let rows = [
            (1, 256),
            (2048, 2048),
            (2049, 2560),
            (4097, 5 * KIB),
            (49 * KIB, 54 * KIB),
            (55 * KIB, 64 * KIB),
            (MIB + 1, 1280 * KIB),
            (9 * MIB, 10 * MIB),
            (256 << 30, 256 << 30),
        ];
        for (bytes, class) in rows {
            assert_eq!(size_class(bytes), Some(class), "{bytes}");
        }
        assert_eq!(size_class((256 << 30) + 1), None);
    }

    #[test]
    fn small_requests_share_a_superblock_of_their_stream() {
        let mut arena = RmmArena::new(16 * MIB, u64::MAX);
        assert_eq!(arena.alloc(0, 600 * KIB), Some(0));
        assert_eq!(arena.alloc(1, 100), Some(MIB));
        assert_eq!(arena.alloc(0, 300 * KIB), Some(640 * KIB));
        // 64 KiB are left in the first, and 2 MiB are not small.
        assert_eq!(arena.alloc(0, 2 * MIB), Some(2 * MIB));
        assert_eq!(arena.alloc(0, 100 * KIB), Some(4 * MIB));
        assert_eq!((arena.reserved(), arena.device_calls()), (16 * MIB, 1));
    }

    #[test]
    fn empty_superblocks_come_back_when_a_request_fails_and_the_region_never_grows() {
        let mut arena = RmmArena::new(4 * MIB, u64::MAX);
        let small: Vec<u64> = (0..4).map(|it| arena.alloc(it, MIB).unwrap()).collect();
        assert_eq!(arena.alloc(0, 4 * MIB), None);
        for (stream, start) in (0..).zip(small) {
            arena.free(start, stream);
        }
        assert_eq!(arena.alloc(0, 4 * MIB), Some(0));
        assert_eq!(arena.alloc(0, 1), None);
        arena.lift_limit();
        assert!(arena.alloc(0, 1).is_some());
        assert_eq!(arena.reserved(), 5 * MIB);
    }
}
