//! Looks up the block that contains an offset.
//!
//! There is one table per GiB of the range, with three levels of entries. The first block that starts in a 2 MiB page has
//! its entry at the page. Further blocks have theirs at their group of 64 granules, with a bit per start. Blocks that share
//! that too have an entry per granule. So large blocks, which are far apart, use a small part of the table, which stays
//! in the processor's caches; only small blocks, which are close together, use the larger part. An entry stays at the
//! level where it was created. A table is zeroed memory whose pages the system allocates on first access.
//!
//! Writers hold the ground's lock; readers hold none. What a reader finds is only a hint: it checks again under the lock
//! of the block's home. The start of a block does not change until the block is free, and no other start can be inside
//! the block, so a reader always finds a live block.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};

use bytemuck::{zeroed_box, zeroed_slice_box};

use crate::GRANULE;
use crate::sync::Meeting;

/// Bytes of the range per table, and their number of granules.
const SPAN: u64 = 1 << 30;
const GRANULES: usize = (SPAN / GRANULE) as usize;
/// Granules per page: each bit of its word stands for 64 of them.
const PAGE: usize = 64 * 64;

/// The starts of all blocks that are not free. See the module comment.
#[derive(Debug)]
pub(crate) struct Starts {
    tables: Box<[OnceLock<Table>]>,
    meeting: Meeting,
}

#[derive(Debug)]
struct Table {
    /// For each page: one bit for each 64 granules whose bits are not 0; and a block that starts there, plus
    /// one, and at which granule of it, or 0 for none.
    pages: Box<[[AtomicU64; 2]; GRANULES / PAGE]>,
    /// For each 64 granules: one bit for each where a block starts that is not in `pages`; and one of those
    /// blocks in the same way.
    near: Box<[[AtomicU64; 2]; GRANULES / 64]>,
    /// The block that starts at a granule and is in neither, plus one; 0 for none. Made when the first one needs it.
    block: OnceLock<Box<[AtomicU32; GRANULES]>>,
    /// One bit per page where a block starts.
    inhabited: Box<[AtomicU64]>,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            pages: zeroed_box(),
            near: zeroed_box(),
            block: OnceLock::new(),
            inhabited: zeroed_slice_box(GRANULES.div_ceil(PAGE * 64)),
        }
    }
}

impl Starts {
    /// For a range of `bytes` bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        Self {
            tables: (0..bytes.div_ceil(SPAN)).map(|_| OnceLock::new()).collect(),
            meeting: Meeting::default(),
        }
    }

    /// Adds the start of a block at `offset`, a multiple of the granule.
    pub(crate) fn insert(&self, offset: u64, block: u32) {
        self.meeting.look();
        let (table, slot) = split(offset);
        let Some(table) = self.tables.get(table) else {
            return;
        };
        table.get_or_init(Table::default).insert(slot, block);
    }

    /// Removes the start at `offset`.
    pub(crate) fn remove(&self, offset: u64) {
        self.meeting.look();
        let (table, slot) = split(offset);
        if let Some(table) = self.tables.get(table).and_then(OnceLock::get) {
            table.remove(slot);
        }
    }

    /// The block that starts at `offset`.
    #[inline(always)]
    pub(crate) fn at(&self, offset: u64) -> Option<u32> {
        self.meeting.look();
        let (table, slot) = split(offset);
        let block = self.tables.get(table)?.get()?.at(slot)?;
        offset.is_multiple_of(GRANULE).then_some(block)
    }

    /// The block that starts in the granule of `offset`.
    #[inline(always)]
    pub(crate) fn near(&self, offset: u64) -> Option<u32> {
        let (table, slot) = split(offset);
        self.tables.get(table)?.get()?.at(slot)
    }

    /// The block with the nearest start at or before `offset`.
    pub(crate) fn at_or_before(&self, offset: u64) -> Option<u32> {
        self.meeting.look();
        let (mut table, mut slot) = split(offset);
        if table >= self.tables.len() {
            (table, slot) = (self.tables.len().checked_sub(1)?, GRANULES - 1);
        }
        loop {
            if let Some(found) = self.tables[table].get()
                && let Some(block) = found.last(slot)
            {
                return Some(block);
            }
            (table, slot) = (table.checked_sub(1)?, GRANULES - 1);
        }
    }
}

impl Table {
    // Only one thread writes at a time, so bits are set and cleared by plain stores.

    fn insert(&self, slot: usize, block: u32) {
        let [words, one] = &self.pages[slot / PAGE];
        let inhabited = words.load(Relaxed);
        if one.load(Relaxed) == 0 {
            one.store(named::<PAGE>(block, slot), Release);
            if inhabited == 0 {
                set(&self.inhabited, slot / PAGE);
            }
            return;
        }
        let [bits, one] = &self.near[slot / 64];
        let (word, bit) = (1 << (slot / 64 % 64), 1 << (slot % 64));
        if inhabited & word == 0 {
            // Nothing starts there, so nothing has to be read: reading would wait for memory, and a page that is
            // first read and then written causes two page faults.
            one.store(named::<64>(block, slot), Release);
            bits.store(bit, Release);
            words.store(inhabited | word, Release);
            return;
        }
        if one.load(Relaxed) == 0 {
            one.store(named::<64>(block, slot), Release);
        } else {
            self.block.get_or_init(zeroed_box)[slot].store(block + 1, Release);
        }
        bits.store(bits.load(Relaxed) | bit, Release);
    }

    fn remove(&self, slot: usize) {
        let [words, first] = &self.pages[slot / PAGE];
        let mut inhabited = words.load(Relaxed);
        if is_at::<PAGE>(first.load(Relaxed), slot) {
            first.store(0, Release);
        } else {
            let word = 1 << (slot / 64 % 64);
            if inhabited & word == 0 {
                return;
            }
            let [bits, one] = &self.near[slot / 64];
            if is_at::<64>(one.load(Relaxed), slot) {
                one.store(0, Release);
            } else if let Some(blocks) = self.block.get() {
                blocks[slot].store(0, Release);
            }
            let left = bits.load(Relaxed) & !(1 << (slot % 64));
            bits.store(left, Release);
            if left != 0 {
                return;
            }
            inhabited &= !word;
            words.store(inhabited, Release);
        }
        if inhabited == 0 && first.load(Relaxed) == 0 {
            clear(&self.inhabited, slot / PAGE);
        }
    }

    /// The block that starts at a granule.
    #[inline(always)]
    fn at(&self, slot: usize) -> Option<u32> {
        let one = self.pages[slot / PAGE][1].load(Acquire);
        if is_at::<PAGE>(one, slot) {
            return name::<PAGE>(one);
        }
        self.near_at(slot)
    }

    /// The same for one that is not its page's first.
    #[inline(always)]
    fn near_at(&self, slot: usize) -> Option<u32> {
        let one = self.near[slot / 64][1].load(Acquire);
        if is_at::<64>(one, slot) {
            return name::<64>(one);
        }
        self.block.get()?[slot].load(Acquire).checked_sub(1)
    }

    /// The block with the last start up to a slot.
    fn last(&self, mut slot: usize) -> Option<u32> {
        loop {
            if let Some(block) = self.last_in_page(slot) {
                return Some(block);
            }
            let before = (slot / PAGE).checked_sub(1)?;
            let page = (0..=before / 64)
                .rev()
                .find_map(|at| last_bit(&self.inhabited, (at * 64 + 63).min(before)))?;
            slot = page * PAGE + PAGE - 1;
        }
    }

    /// The same in the page that the slot lies in.
    fn last_in_page(&self, slot: usize) -> Option<u32> {
        let [words, one] = &self.pages[slot / PAGE];
        let one = one.load(Acquire);
        let found =
            Some(slot / PAGE * PAGE + within::<PAGE>(one)).filter(|&at| one != 0 && at <= slot);
        let mut from = Some(slot);
        // A block that was just removed may still have a bit.
        while let Some(near) = from.and_then(|from| self.last_near(words, from)) {
            if found.is_some_and(|found| found > near) {
                break;
            }
            if let Some(block) = self.near_at(near) {
                return Some(block);
            }
            from = near
                .checked_sub(1)
                .filter(|from| from / PAGE == slot / PAGE);
        }
        found.and_then(|_| name::<PAGE>(one))
    }

    /// The last granule up to a slot, in its page, whose bit is set.
    fn last_near(&self, words: &AtomicU64, slot: usize) -> Option<usize> {
        if let Some(found) = last_in(&self.near[slot / 64][0], slot) {
            return Some(found);
        }
        let mut word = slot / 64;
        while !word.is_multiple_of(64) {
            word = last_in(words, word - 1)?;
            if let Some(found) = last_in(&self.near[word][0], word * 64 + 63) {
                return Some(found);
            }
        }
        None
    }
}

/// The entry of a block, for a level of `OF` granules.
fn named<const OF: usize>(block: u32, slot: usize) -> u64 {
    (u64::from(block) + 1) * OF as u64 + (slot % OF) as u64
}

/// The block of an entry.
#[inline(always)]
fn name<const OF: usize>(named: u64) -> Option<u32> {
    u32::try_from((named / OF as u64 - 1) & 0xffff_ffff).ok()
}

/// The granule of an entry within its level.
#[inline(always)]
fn within<const OF: usize>(named: u64) -> usize {
    usize::try_from(named % OF as u64).unwrap_or(0)
}

/// Whether the entry is for a block that starts at `slot`.
#[inline(always)]
fn is_at<const OF: usize>(named: u64, slot: usize) -> bool {
    named != 0 && within::<OF>(named) == slot % OF
}

fn set(words: &[AtomicU64], bit: usize) {
    let word = &words[bit / 64];
    word.store(word.load(Relaxed) | 1 << (bit % 64), Release);
}

fn clear(words: &[AtomicU64], bit: usize) {
    let word = &words[bit / 64];
    word.store(word.load(Relaxed) & !(1 << (bit % 64)), Release);
}

/// The highest set bit at or below `from` in the word that `from` lies in.
fn last_bit(words: &[AtomicU64], from: usize) -> Option<usize> {
    last_in(&words[from / 64], from)
}

fn last_in(word: &AtomicU64, from: usize) -> Option<usize> {
    let bits = word.load(Acquire) & (u64::MAX >> (63 - from % 64));
    (bits != 0).then(|| from / 64 * 64 + 63 - bits.leading_zeros() as usize)
}

#[inline(always)]
fn split(offset: u64) -> (usize, usize) {
    let table = usize::try_from(offset / SPAN).unwrap_or(usize::MAX);
    let slot = usize::try_from(offset % SPAN / GRANULE).unwrap_or(0);
    (table, slot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_start_is_found_across_words_groups_and_tables() {
        let starts = Starts::new(8 << 30);
        assert_eq!(starts.at_or_before(u64::MAX / 2), None);
        assert_eq!(starts.at_or_before(5 << 30), None);
        let far = (3 << 30) + 5 * GRANULE;
        starts.insert(0, 7);
        for near in [
            1_u64,
            63,
            64,
            4095,
            4096,
            4097,
            262_143,
            262_144,
            1 << 20,
            (1 << 21) - 1,
        ] {
            starts.insert(near * GRANULE, 3);
            assert_eq!(starts.at_or_before(near * GRANULE - 1), Some(7), "{near}");
            assert_eq!(starts.at_or_before(SPAN - 1), Some(3), "{near}");
            assert_eq!(starts.at_or_before(SPAN), Some(3), "{near}");
            starts.remove(near * GRANULE);
            assert_eq!(starts.at_or_before(SPAN - 1), Some(7), "{near}");
        }
        starts.insert(far, 9);
        starts.insert(far + GRANULE, 10);
        assert_eq!(starts.at(far), Some(9));
        assert_eq!(starts.at(far + 1), None);
        assert_eq!(starts.at_or_before(far - 1), Some(7));
        assert_eq!(starts.at_or_before(far + GRANULE - 1), Some(9));
        assert_eq!(starts.at_or_before(7 << 30), Some(10));
        assert_eq!(starts.at_or_before(u64::MAX / 2), Some(10));
        starts.remove(far + GRANULE);
        starts.remove(far);
        starts.remove(far);
        assert_eq!(starts.at_or_before(7 << 30), Some(7));
        starts.insert(100 << 30, 1);
        assert_eq!(starts.at(100 << 30), None);
    }

    #[test]
    fn starts_that_come_and_go_in_pages_they_share_are_all_found() {
        let starts = Starts::new(SPAN);
        let mut model = std::collections::BTreeMap::new();
        let mut number = 1_u64;
        for round in 0..20_000 {
            number = number.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            // Few granules far apart, so that entries of every kind are made and left in every order.
            let granule = [0, 1, 63, 64, 100, 4000, 4095][(number >> 40) as usize % 7];
            let at = ((number >> 50) % 4 * PAGE as u64 + granule) * GRANULE;
            if model.remove(&at).is_some() {
                starts.remove(at);
            } else {
                model.insert(at, round);
                starts.insert(at, round);
            }
            assert_eq!(starts.at(at), model.get(&at).copied());
            for probe in [at, at + 64 * GRANULE, at + 5000 * GRANULE, SPAN - 1] {
                let last = model.range(..=probe).next_back();
                let last = last.map(|(_, &block)| block);
                assert_eq!(starts.at_or_before(probe), last, "round {round}");
            }
        }
    }

    #[test]
    fn neighbours_are_told_apart_in_whatever_order_they_come_and_go() {
        let starts = Starts::new(SPAN);
        for first in 0..3 {
            for number in 0..3 {
                starts.insert(u64::from(number) * GRANULE, number + 10);
            }
            starts.remove(first * GRANULE);
            for number in 0..3 {
                let there = u64::from(number) != first;
                let at = u64::from(number) * GRANULE;
                assert_eq!(starts.at(at), there.then_some(number + 10), "{first}");
            }
            starts.insert(first * GRANULE, 20);
            assert_eq!(starts.at(first * GRANULE), Some(20));
            assert_eq!(starts.at_or_before(2 * GRANULE), starts.at(2 * GRANULE));
            for number in 0..3 {
                starts.remove(number * GRANULE);
                assert_eq!(starts.at(number * GRANULE), None);
            }
            assert_eq!(starts.at_or_before(SPAN), None);
        }
    }
}
