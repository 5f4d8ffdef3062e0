//! Blocks that a shard keeps whole for the next request of the same size.
//!
//! Most programs ask for the same sizes again and again, and cutting and merging would be for
//! nothing. But what is kept cannot be merged, and large blocks that are kept make a pool hold more
//! pages than it needs. So the lists are short, and a request above 64 KiB that finds no block of
//! its size has everything above 64 KiB merged first, until the pool has been *calm* for a while: has
//! not needed a new page, nor borrowed one, for many allocations. Then lists may be long.
//!
//! One list per size up to 1 MiB; larger sizes share lists by a hash of the size, each with two to
//! choose from, and the size of a list is that of the block it began with.

use std::sync::atomic::Ordering::Relaxed;

use crate::headers::{Header, Headers};
use crate::{GRANULE, NONE};

const SMALL: usize = 2049;
const LARGE: usize = 1024;
/// Blocks above this size are merged early.
pub(crate) const EARLY: u64 = 64 << 10;
/// Blocks that one list holds at most, before and after the pool is calm.
const SHORT: u16 = 4;
const LONG: u16 = 64;

#[derive(Debug)]
pub(crate) struct Kept {
    /// Made when the first block is kept: many shards never keep one.
    lists: Vec<List>,
    /// How many blocks a list may hold now.
    limit: u16,
    /// Which groups of 64 lists have had a block since they were last emptied.
    inhabited: [bool; GROUPS],
}

#[derive(Debug, Clone, Copy)]
struct List {
    bytes: u64,
    head: u32,
    count: u16,
    /// Used since the period began.
    used: bool,
}

const EMPTY: List = List {
    bytes: 0,
    head: NONE,
    count: 0,
    used: false,
};

const GROUPS: usize = (SMALL + LARGE).div_ceil(64);

impl Default for Kept {
    fn default() -> Self {
        Self {
            lists: Vec::new(),
            limit: SHORT,
            inhabited: [false; GROUPS],
        }
    }
}

impl Kept {
    /// The list for a size, or the one that would become it.
    #[inline(always)]
    fn list(&self, bytes: u64) -> usize {
        let granules = usize::try_from(bytes / GRANULE).unwrap_or(usize::MAX);
        if granules < SMALL {
            return granules;
        }
        // Sizes are mostly multiples of powers of two: spread the high bits of a product.
        let hash = (bytes / GRANULE).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
        let first = SMALL + usize::try_from(hash).unwrap_or(0);
        let second = SMALL + usize::try_from(hash ^ 1).unwrap_or(0);
        // The first of two that has the size, or is empty.
        match (self.lists.get(first), self.lists.get(second)) {
            (Some(list), _) if list.bytes == bytes => first,
            (_, Some(list)) if list.bytes == bytes => second,
            (Some(list), _) if list.count == 0 => first,
            _ => second,
        }
    }

    /// Takes the block that was last kept for this size.
    #[inline(always)]
    pub(crate) fn pop<'a>(
        &mut self,
        headers: &'a Headers,
        bytes: u64,
        align: u64,
    ) -> Option<(u32, &'a Header)> {
        let at = self.list(bytes);
        let list = self.lists.get_mut(at)?;
        let id = list.head;
        if id == NONE || list.bytes != bytes {
            return None;
        }
        let header = headers.get(id);
        if align > GRANULE && header.offset.load(Relaxed) & (align - 1) != 0 {
            return None;
        }
        list.head = header.next.load(Relaxed);
        list.count -= 1;
        list.used = true;
        Some((id, header))
    }

    /// Keeps a block, if there is room.
    #[inline(always)]
    pub(crate) fn push(&mut self, header: &Header, id: u32, bytes: u64) -> bool {
        let at = self.list(bytes);
        let Some(list) = self.lists.get_mut(at) else {
            self.lists = vec![EMPTY; SMALL + LARGE];
            return false;
        };
        if list.count == 0 {
            list.bytes = bytes;
        }
        if list.bytes != bytes || list.count >= self.limit {
            return false;
        }
        header.next.store(list.head, Relaxed);
        list.head = id;
        list.count += 1;
        list.used = true;
        self.inhabited[at / 64] = true;
        true
    }

    /// Whether lists may be long.
    pub(crate) fn is_calm(&self) -> bool {
        self.limit == LONG
    }

    pub(crate) fn set_calm(&mut self, calm: bool) {
        self.limit = if calm { LONG } else { SHORT };
    }

    /// Takes out the blocks of lists for which `which` holds, given the size and whether the list was
    /// used since the period began, in the order of sizes up to 1 MiB.
    pub(crate) fn take_if(
        &mut self,
        headers: &Headers,
        which: impl Fn(u64, bool) -> bool,
    ) -> Vec<u32> {
        let mut taken = Vec::new();
        for (group, lists) in self.inhabited.iter_mut().zip(self.lists.chunks_mut(64)) {
            if !*group {
                continue;
            }
            *group = false;
            for list in lists.iter_mut().filter(|list| list.count > 0) {
                if !which(list.bytes, list.used) {
                    *group = true;
                    continue;
                }
                let mut id = list.head;
                while id != NONE {
                    taken.push(id);
                    id = headers.get(id).next.load(Relaxed);
                }
                *list = EMPTY;
            }
        }
        taken
    }

    /// The blocks that a large request has merged before it is served otherwise.
    pub(crate) fn take_early(&mut self, headers: &Headers) -> Vec<u32> {
        if self.is_calm() {
            return Vec::new();
        }
        self.take_if(headers, |bytes, _| bytes > EARLY)
    }

    /// Begins a period.
    pub(crate) fn begin_period(&mut self) {
        for list in &mut self.lists {
            list.used = false;
        }
    }

    /// How many blocks are kept.
    pub(crate) fn count(&self) -> usize {
        self.lists.iter().map(|list| usize::from(list.count)).sum()
    }

    /// Whether no block is kept, as far as is known without a look at each list.
    pub(crate) fn is_empty(&self) -> bool {
        !self.inhabited.iter().any(|&group| group)
    }
}
