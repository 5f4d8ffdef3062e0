//! Blocks that a shard keeps whole for the next request of the same size.
//!
//! Most programs ask for the same sizes again and again, and cutting and merging would be for
//! nothing. But what is kept cannot be merged, and large blocks that are kept make a pool hold more
//! pages than it needs. So the lists are short, and a request above 64 KiB that finds no block of
//! its size has everything above 64 KiB merged first, until the pool has been *calm* for a while: has
//! not needed a new page, nor borrowed one, for many allocations. Then lists may be long. So they may while
//! the pool does not economise at all: blocks of each size come and go by themselves, and only lists as
//! long as that swings serve nearly every request.
//!
//! Sizes that do not come again are not kept at all: what nobody asks for lies in the way of merging, and a pool
//! that meets ever new sizes would hold several times what it needs and find all of it cold. A size comes
//! again if it was asked for twice within two turns of [`crate::shard`]; a list that serves a request knows that of
//! itself, so only requests that found nothing have to be noted.
//!
//! One list per size up to 1 MiB; larger sizes share lists by a hash of the size, each with two to
//! choose from, and an empty list is the size's that was asked for last.

use std::sync::atomic::Ordering::Relaxed;

use crate::headers::{Header, Headers};
use crate::statistics::class_of;
use crate::{GRANULE, NONE};

const SMALL: usize = 2049;
const LARGE: usize = 1024;
/// Blocks above this size are merged early.
pub(crate) const EARLY: u64 = 64 << 10;
/// Blocks that one list holds at most: usually, and in a pool that is calm or does not economise.
const SHORT: u8 = 4;
const LONG: u8 = 64;

#[derive(Debug)]
pub(crate) struct Kept {
    /// Made when the first block is kept: many shards never keep one.
    lists: Option<Box<Lists>>,
    /// How many blocks a list may hold now.
    limit: u8,
    /// The pool has been calm for a while; it does not economise.
    calm: bool,
    generous: bool,
    /// What a list that serves a request is marked with: see [`List::mark`].
    served: u16,
    /// One bit for each list that has had a block since it was last seen empty.
    inhabited: [u64; GROUPS],
    /// One bit for each of these words that is not 0.
    groups: u64,
}

type Lists = [List; SMALL + LARGE];

#[derive(Debug, Clone, Copy)]
struct List {
    bytes: u64,
    head: u32,
    count: u8,
    /// The size's class in the statistics; the highest bit says that the bit of this list is set.
    class: u8,
    /// [`USED`], [`AGAIN`], and the turn in which its size was last asked for.
    mark: u16,
}

/// Used since the period began.
const USED: u16 = 1;
/// Its size was asked for twice within two turns.
const AGAIN: u16 = 2;
/// Where the number of the turn begins in a mark.
const TURN_BITS: u32 = 2;

const LISTED: u8 = 0x80;

const EMPTY: List = List {
    bytes: 0,
    head: NONE,
    count: 0,
    class: 0,
    mark: 0,
};

const GROUPS: usize = (SMALL + LARGE).div_ceil(64);

impl Default for Kept {
    fn default() -> Self {
        Self {
            lists: None,
            limit: SHORT,
            calm: false,
            generous: false,
            served: mark_of(0) | USED | AGAIN,
            inhabited: [0; GROUPS],
            groups: 0,
        }
    }
}

/// The mark of a size that was asked for in a turn. None is 0: that is the mark of a list nobody asked for.
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
    // Sizes are mostly multiples of powers of two: spread the high bits of a product.
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

/// How many turns ago the size of a list was asked for.
#[inline(always)]
fn age(mark: u16, turn: u16) -> u16 {
    turn.wrapping_sub(mark & !(USED | AGAIN)) >> TURN_BITS
}

/// A list for a size that has none: of the two that it may have, one is `at`. Not one with blocks, nor one whose
/// size comes again, also if all of that are in use just now: two sizes would take it from each other for ever.
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
    /// Takes the block that was last kept for this size; answers the size's class too. The block
    /// remembers the list.
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
        // Nothing has the number of an empty list.
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

    /// Keeps a block that remembers its list, if there is room; answers whether there was, and the
    /// class of its size.
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

    /// Keeps a block, if there is room and its size is one that comes again.
    pub(crate) fn push(&mut self, header: &Header, id: u32, bytes: u64) -> bool {
        let lists = self.lists.get_or_insert_with(new_lists);
        let at = list_of(lists, bytes / GRANULE);
        let list = &lists[at];
        list.bytes == bytes && list.mark & AGAIN != 0 && self.push_at(at, header, id)
    }

    /// Nothing was kept for a request: notes that its size was asked for, and whether again.
    #[inline]
    pub(crate) fn missed(&mut self, granules: u64) {
        let turn = self.served & !(USED | AGAIN);
        let lists = self.lists.get_or_insert_with(new_lists);
        let mut at = list_of(lists, granules);
        let bytes = granules * GRANULE;
        if lists[at].bytes != bytes {
            let Some(claimed) = claim(lists, at, turn) else {
                return;
            };
            at = claimed;
            let list = &mut lists[at];
            list.bytes = bytes;
            list.class = class_of(bytes) | (list.class & LISTED);
            list.mark = turn;
            return;
        }
        let list = &mut lists[at];
        let again = if age(list.mark, turn) <= 1 { AGAIN } else { 0 };
        list.mark = turn | (list.mark & USED) | again;
    }

    /// Another turn has begun.
    pub(crate) fn set_turn(&mut self, turn: u32) {
        self.served = mark_of(turn) | USED | AGAIN;
    }

    /// Keeps a block of a list's size, if there is room.
    #[inline(always)]
    fn push_at(&mut self, at: usize, header: &Header, id: u32) -> bool {
        let Some(lists) = self.lists.as_deref_mut() else {
            return false;
        };
        let list = &mut lists[at];
        if list.count >= self.limit {
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

    /// Lists may be long once the pool is calm.
    pub(crate) fn set_calm(&mut self, calm: bool) {
        self.calm = calm;
        self.set_limit();
    }

    /// And while it does not economise.
    pub(crate) fn set_generous(&mut self, generous: bool) {
        self.generous = generous;
        self.set_limit();
    }

    fn set_limit(&mut self) {
        let long = self.calm || self.generous;
        self.limit = if long { LONG } else { SHORT };
    }

    /// Takes out the blocks of lists for which `which` holds, given the size and whether the list was
    /// used since the period began, in the order of sizes up to 1 MiB.
    pub(crate) fn take_if(
        &mut self,
        headers: &Headers,
        which: impl Fn(u64, bool) -> bool,
        taken: impl FnMut(u32),
    ) {
        self.take_from(0, headers, which, taken);
    }

    /// Takes out the blocks that a large request has merged before it is served otherwise.
    pub(crate) fn take_early(&mut self, headers: &Headers, taken: impl FnMut(u32)) {
        const FIRST: usize = (EARLY / GRANULE) as usize / 64;
        if !self.calm {
            self.take_from(FIRST, headers, |bytes, _| bytes > EARLY, taken);
        }
    }

    /// Takes out blocks of lists from a group on.
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

    /// Begins a period.
    pub(crate) fn begin_period(&mut self) {
        for list in self.lists.iter_mut().flat_map(|lists| lists.iter_mut()) {
            list.mark &= !USED;
        }
    }

    /// How many blocks are kept.
    pub(crate) fn count(&self) -> usize {
        let lists = self.lists.iter().flat_map(|lists| lists.iter());
        lists.map(|list| usize::from(list.count)).sum()
    }

    /// Whether no block is kept, as far as is known without a look at each list.
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
