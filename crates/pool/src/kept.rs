//! *Kept* blocks: a shard's cache of free blocks, by size.
//!
//! Most programs request the same sizes repeatedly, so cutting and merging each time would be wasted work. But cached
//! blocks cannot be merged, and large ones make a pool hold more pages than it needs. So the search for a large block merges
//! cached blocks above 64 KiB, and a pool that would have to grow beyond its slack merges them for any request. The number of
//! live blocks of each size fluctuates, and only lists as long as these fluctuations serve nearly every request.
//!
//! Sizes that do not recur are not cached: unused blocks prevent merging, and a pool with ever new sizes would hold
//! several times the memory that it needs, all of it cold in the caches. A size recurs if it was requested twice within
//! two turns of [`crate::shard`]. A list that serves a request marks itself, so only misses have to be recorded.
//!
//! There is one list per size up to 1 MiB. Larger sizes share lists by a hash of the size: each size has two candidates,
//! and an empty list belongs to the size that was requested last.

use std::sync::atomic::Ordering::Relaxed;

use crate::headers::{Header, Headers};
use crate::statistics::class_of;
use crate::{GRANULE, NONE};

const SMALL: usize = 2049;
const LARGE: usize = 1024;
/// Cached blocks up to this size are *small*: merging them gains little.
pub(crate) const SMALL_BYTES: u64 = 64 << 10;
/// Maximum blocks per list.
const LIMIT: u8 = 64;

/// The cache of free blocks of one shard. See the module comment.
#[derive(Debug)]
pub(crate) struct Kept {
    /// Allocated when the first block is cached: many shards never cache one.
    lists: Option<Box<Lists>>,
    /// The mark for a list that serves a request: see [`List::mark`].
    served: u16,
    /// The number of the last list that may cache blocks.
    last: usize,
    /// One bit per list that may be non-empty.
    inhabited: [u64; GROUPS],
    /// One bit per non-zero word of `inhabited`.
    groups: u64,
}

type Lists = [List; SMALL + LARGE];

#[derive(Debug, Clone, Copy)]
struct List {
    bytes: u64,
    head: u32,
    count: u8,
    /// The size class for statistics; the highest bit is set if the list is marked in `inhabited`.
    class: u8,
    /// [`USED`], [`AGAIN`], and the turn in which its size was last requested.
    mark: u16,
}

/// Used since the start of the period.
const USED: u16 = 1;
/// Its size was requested twice within two turns.
const AGAIN: u16 = 2;
/// The first bit of the turn number in a mark.
const TURN_BITS: u32 = 2;

const LISTED: u8 = 0x80;

const EMPTY: List = List {
    bytes: 0,
    head: NONE,
    count: 0,
    class: 0,
    mark: 0,
};

/// The number of the last list of small blocks.
const SMALL_LISTS: usize = (SMALL_BYTES / GRANULE) as usize;

const GROUPS: usize = (SMALL + LARGE).div_ceil(64);

impl Default for Kept {
    fn default() -> Self {
        Self {
            lists: None,
            served: mark_of(0) | USED | AGAIN,
            last: SMALL + LARGE,
            inhabited: [0; GROUPS],
            groups: 0,
        }
    }
}

/// The mark of a size requested in a turn. Never 0, which marks an unused list.
const fn mark_of(turn: u32) -> u16 {
    #[expect(clippy::cast_possible_truncation, reason = "a number modulo 2^14")]
    let turn = (turn % 0x3fff + 1) as u16;
    turn << TURN_BITS
}

/// The list for a size, or the one that would become it.
#[inline(always)]
fn list_of(lists: &Lists, granules: u64) -> usize {
    let small = usize::try_from(granules).unwrap_or(usize::MAX);
    if small < SMALL {
        small
    } else {
        large_list_of(lists, granules)
    }
}

/// The list for a size above 1 MiB: the first of two that has the size, or is empty.
#[inline(always)]
fn large_list_of(lists: &Lists, granules: u64) -> usize {
    let bytes = granules.wrapping_mul(GRANULE);
    // Sizes are mostly multiples of powers of two, so use the high bits of a product.
    let hash = granules.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
    let first = SMALL + usize::try_from(hash).unwrap_or(0);
    let second = SMALL + usize::try_from(hash ^ 1).unwrap_or(0);
    if lists[first].bytes == bytes {
        first
    } else if lists[second].bytes == bytes || lists[first].count > 0 {
        second
    } else {
        first
    }
}

/// How many turns ago the size of a list was requested.
#[inline(always)]
fn age(mark: u16, turn: u16) -> u16 {
    turn.wrapping_sub(mark & !(USED | AGAIN)) >> TURN_BITS
}

/// A list for a size that has none: one of its two candidates, of which `at` is one. A list with blocks is not taken, nor
/// one whose size recurs, even if it is empty now: otherwise two sizes would keep taking the list from each other.
fn claim(lists: &Lists, at: usize, turn: u16) -> Option<usize> {
    let free = |at: &usize| {
        let list = &lists[*at];
        list.count == 0 && (list.mark & AGAIN == 0 || age(list.mark, turn) > 1)
    };
    if at < SMALL {
        return Some(at);
    }
    let both = [at, SMALL + ((at - SMALL) ^ 1)];
    both.into_iter()
        .filter(free)
        .max_by_key(|&at| age(lists[at].mark, turn))
}

#[cold]
fn new_lists() -> Box<Lists> {
    let lists = vec![EMPTY; SMALL + LARGE].into_boxed_slice();
    lists.try_into().expect("as many as were made")
}

/// The number of a list, for a header.
#[inline(always)]
fn number(list: usize) -> u32 {
    u32::try_from(list).unwrap_or(NONE)
}

impl Kept {
    /// Takes the most recently cached block of this size; also returns the size class. The block stores the number of
    /// its list.
    #[inline(always)]
    pub(crate) fn pop<'a>(
        &mut self,
        headers: &'a Headers,
        granules: u64,
        align: u64,
    ) -> Option<(u32, &'a Header, u8)> {
        let lists = self.lists.as_deref_mut()?;
        let small = usize::try_from(granules).unwrap_or(usize::MAX);
        let at = if small < SMALL {
            small
        } else {
            let at = large_list_of(lists, granules);
            if lists[at].bytes != granules.wrapping_mul(GRANULE) {
                return None;
            }
            at
        };
        let list = &mut lists[at];
        let id = list.head;
        // An empty list has no valid head.
        let header = headers.find(id)?;
        if align > GRANULE && header.offset.load(Relaxed) & (align - 1) != 0 {
            return None;
        }
        list.head = header.next.load(Relaxed);
        list.count -= 1;
        list.mark = self.served;
        header.next.store(number(at), Relaxed);
        Some((id, header, list.class))
    }

    /// Caches a block that knows its list, if there is room; returns whether it was cached, and its size
    /// class.
    #[inline(always)]
    pub(crate) fn push_again(
        &mut self,
        header: &Header,
        id: u32,
        bytes: u64,
    ) -> Option<(bool, u8)> {
        let at = header.next.load(Relaxed) as usize;
        let list = self.lists.as_deref()?.get(at)?;
        let class = list.class;
        (list.bytes == bytes).then(|| (self.push_at(at, header, id), class))
    }

    /// Caches a block if there is room and its size recurs.
    pub(crate) fn push(&mut self, header: &Header, id: u32, bytes: u64) -> bool {
        let lists = self.lists.get_or_insert_with(new_lists);
        let at = list_of(lists, bytes / GRANULE);
        let list = &lists[at];
        list.bytes == bytes && list.mark & AGAIN != 0 && self.push_at(at, header, id)
    }

    /// Records a miss: the size was requested. Returns whether it recurs.
    #[inline]
    pub(crate) fn missed(&mut self, granules: u64) -> bool {
        let turn = self.served & !(USED | AGAIN);
        let lists = self.lists.get_or_insert_with(new_lists);
        let mut at = list_of(lists, granules);
        let bytes = granules * GRANULE;
        if lists[at].bytes != bytes {
            let Some(claimed) = claim(lists, at, turn) else {
                return false;
            };
            at = claimed;
            let list = &mut lists[at];
            list.bytes = bytes;
            list.class = class_of(bytes) | (list.class & LISTED);
            list.mark = turn;
            return false;
        }
        let list = &mut lists[at];
        let again = if age(list.mark, turn) <= 1 { AGAIN } else { 0 };
        list.mark = turn | (list.mark & USED) | again;
        again != 0
    }

    /// Starts another turn.
    pub(crate) fn set_turn(&mut self, turn: u32) {
        self.served = mark_of(turn) | USED | AGAIN;
    }

    /// Sets whether freed blocks that are not small are cached from now on.
    pub(crate) fn cache_large(&mut self, cache: bool) {
        self.last = if cache { SMALL + LARGE } else { SMALL_LISTS };
    }

    /// Caches a block in a list of its size, if there is room.
    #[inline(always)]
    fn push_at(&mut self, at: usize, header: &Header, id: u32) -> bool {
        let Some(lists) = self.lists.as_deref_mut() else {
            return false;
        };
        let list = &mut lists[at];
        if list.count >= LIMIT || at > self.last {
            return false;
        }
        if list.class & LISTED == 0 {
            list.class |= LISTED;
            self.inhabited[at / 64] |= 1 << (at % 64);
            self.groups |= 1 << (at / 64);
        }
        header.next.store(list.head, Relaxed);
        list.head = id;
        list.count += 1;
        list.mark |= USED;
        true
    }

    /// Removes the blocks of lists for which `which` holds, given the size and whether the list was used since the
    /// start of the period; in the order of sizes up to 1 MiB.
    pub(crate) fn take_if(
        &mut self,
        headers: &Headers,
        which: impl Fn(u64, bool) -> bool,
        taken: impl FnMut(u32),
    ) {
        self.take_from(0, headers, which, taken);
    }

    /// Removes the blocks that are not small.
    pub(crate) fn take_large(&mut self, headers: &Headers, taken: impl FnMut(u32)) {
        self.take_from(
            SMALL_LISTS / 64,
            headers,
            |bytes, _| bytes > SMALL_BYTES,
            taken,
        );
    }

    /// The bytes of the small blocks.
    pub(crate) fn small_bytes(&self) -> u64 {
        let lists = self
            .lists
            .as_deref()
            .map_or(&[][..], |lists| &lists[..=SMALL_LISTS]);
        lists
            .iter()
            .map(|list| list.bytes * u64::from(list.count))
            .sum()
    }

    /// Removes blocks of lists, starting at a group.
    fn take_from(
        &mut self,
        first: usize,
        headers: &Headers,
        which: impl Fn(u64, bool) -> bool,
        mut taken: impl FnMut(u32),
    ) {
        let Some(lists) = self.lists.as_deref_mut() else {
            return;
        };
        let mut groups = self.groups & (u64::MAX << first);
        while groups != 0 {
            let group = groups.trailing_zeros() as usize;
            groups &= groups - 1;
            let mut stays = 0;
            let mut left = self.inhabited[group];
            while left != 0 {
                let bit = left.trailing_zeros() as usize;
                left &= left - 1;
                let list = &mut lists[group * 64 + bit];
                if list.count > 0 && !which(list.bytes, list.mark & USED != 0) {
                    stays |= 1 << bit;
                    continue;
                }
                let mut id = list.head;
                (list.head, list.count) = (NONE, 0);
                list.class &= !LISTED;
                while id != NONE {
                    let next = headers.get(id).next.load(Relaxed);
                    taken(id);
                    id = next;
                }
            }
            self.inhabited[group] = stays;
            if stays == 0 {
                self.groups &= !(1 << group);
            }
        }
    }

    /// Starts a period.
    pub(crate) fn begin_period(&mut self) {
        for list in self.lists.iter_mut().flat_map(|lists| lists.iter_mut()) {
            list.mark &= !USED;
        }
    }

    /// The number of cached blocks.
    pub(crate) fn count(&self) -> usize {
        let lists = self.lists.iter().flat_map(|lists| lists.iter());
        lists.map(|list| usize::from(list.count)).sum()
    }

    /// Whether no block is cached. May be false for empty lists that were not visited yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.groups == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_share_two_lists_have_one_each() {
        let lists = new_lists();
        let two = |granules| (list_of(&lists, granules) - SMALL) / 2;
        let first = 3000;
        let second = (3001..30_000).find(|&other| two(other) == two(first));
        let second = second.expect("there are 512 times two lists");
        let headers = Headers::default();
        let mut kept = Kept::default();
        for round in 0..4 {
            // Both are in use before one is freed.
            for (id, granules) in [(0, first), (1, second)] {
                let found = kept.pop(&headers, granules, GRANULE);
                assert_eq!(found.map(|(id, ..)| id), (round > 1).then_some(id));
                if found.is_none() {
                    headers.get(id).next.store(NONE, Relaxed);
                    kept.missed(granules);
                }
            }
            for (id, granules) in [(0, first), (1, second)] {
                let header = headers.get(id);
                let again = kept.push_again(header, id, granules * GRANULE);
                let stays = again.map_or_else(
                    || kept.push(header, id, granules * GRANULE),
                    |(stays, _)| stays,
                );
                assert_eq!(stays, round > 0);
            }
        }
    }
}
