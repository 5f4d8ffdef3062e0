//! From an offset to the block it lies in.
//!
//! One table per GiB of the range: for each 64 granules, bits that say where blocks start, and one block
//! that does; others that start there have an entry of their own granule. So large blocks, which are
//! far apart, share few pages of the table, and only small ones, which are close together, need its
//! larger part. A table is zeroed memory of which the system provides only what is touched.
//!
//! Writers hold the ground's lock; readers hold none: what they find is only where to look, and they look
//! again under the lock of the block's home. A block's start stays where it is as long as the block is
//! not free, and no other start can lie inside a block, so a reader that asks about a live block
//! always finds it.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};

use bytemuck::{zeroed_box, zeroed_slice_box};

use crate::GRANULE;
use crate::sync::Meeting;

/// Bytes of the range that one table is for, and what it has entries of.
const SPAN: u64 = 1 << 30;
const GRANULES: usize = (SPAN / GRANULE) as usize;
/// Granules that one bit of the summary is for.
const GROUP: usize = 64 * 64;

/// Where blocks start that are not free. See the module's comment.
#[derive(Debug)]
pub(crate) struct Starts {
    tables: Box<[OnceLock<Table>]>,
    meeting: Meeting,
}

#[derive(Debug)]
struct Table {
    /// For each 64 granules: one bit for each where a block starts; and a block that starts there, plus
    /// one, and at which of them, or 0 for none.
    near: Box<[[AtomicU64; 2]; GRANULES / 64]>,
    /// The block that starts at a granule and is not in `near`, plus one; 0 for none.
    block: Box<[AtomicU32; GRANULES]>,
    /// One bit per word of bits that is not 0; one bit per such word.
    words: Box<[AtomicU64]>,
    groups: Box<[AtomicU64]>,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            near: zeroed_box(),
            block: zeroed_box(),
            words: zeroed_slice_box(GRANULES / GROUP),
            groups: zeroed_slice_box(GRANULES.div_ceil(GROUP * 64)),
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

    /// Enters the start of a block at `offset`, a multiple of the granule.
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
    // Only one thread writes at a time: bits are set and cleared by plain stores.

    fn insert(&self, slot: usize, block: u32) {
        let [bits, one] = &self.near[slot / 64];
        // Not a look and then a store: a page that is first read and then written is provided twice.
        let named = named(block, slot);
        if one.compare_exchange(0, named, Release, Relaxed).is_err() {
            self.block[slot].store(block + 1, Release);
        }
        let old = bits.load(Relaxed);
        bits.store(old | 1 << (slot % 64), Release);
        if old == 0 {
            set(&self.words, slot / 64);
            set(&self.groups, slot / GROUP);
        }
    }

    fn remove(&self, slot: usize) {
        let [bits, one] = &self.near[slot / 64];
        if is_at(one.load(Relaxed), slot) {
            one.store(0, Release);
        } else {
            self.block[slot].store(0, Release);
        }
        let left = bits.load(Relaxed) & !(1 << (slot % 64));
        bits.store(left, Release);
        if left == 0 && clear(&self.words, slot / 64) {
            clear(&self.groups, slot / GROUP);
        }
    }

    /// The block that starts at a granule.
    #[inline(always)]
    fn at(&self, slot: usize) -> Option<u32> {
        let [_, one] = &self.near[slot / 64];
        let one = one.load(Acquire);
        if is_at(one, slot) {
            return u32::try_from((one / 64 - 1) & 0xffff_ffff).ok();
        }
        self.block[slot].load(Acquire).checked_sub(1)
    }

    /// The block with the last start up to a slot.
    fn last(&self, mut slot: usize) -> Option<u32> {
        loop {
            slot = self.last_set(slot)?;
            if let Some(block) = self.at(slot) {
                return Some(block);
            }
            // It went a moment ago.
            slot = slot.checked_sub(1)?;
        }
    }

    /// The same among the 64 granules that `slot` is one of.
    fn last_near(&self, slot: usize) -> Option<usize> {
        last_in(&self.near[slot / 64][0], slot)
    }

    /// The highest granule at or below `slot` whose bit is set.
    fn last_set(&self, slot: usize) -> Option<usize> {
        if let Some(bit) = self.last_near(slot) {
            return Some(bit);
        }
        let mut word = (slot / 64).checked_sub(1)?;
        loop {
            let word_group = match last_bit(&self.words, word) {
                Some(found) => {
                    if let Some(bit) = self.last_near(found * 64 + 63) {
                        return Some(bit);
                    }
                    word = found.checked_sub(1)?;
                    continue;
                }
                None => (word / 64).checked_sub(1)?,
            };
            let group = (0..=word_group / 64)
                .rev()
                .find_map(|at| last_bit(&self.groups, (at * 64 + 63).min(word_group)))?;
            word = group * 64 + 63;
        }
    }
}

/// How a block is named beside the bits of its granule.
fn named(block: u32, slot: usize) -> u64 {
    (u64::from(block) + 1) * 64 + within(slot)
}

/// Whether what stands there is a block that starts at `slot`.
#[inline(always)]
fn is_at(named: u64, slot: usize) -> bool {
    named != 0 && named % 64 == within(slot)
}

#[inline(always)]
fn within(slot: usize) -> u64 {
    (slot % 64) as u64
}

fn set(words: &[AtomicU64], bit: usize) {
    let word = &words[bit / 64];
    word.store(word.load(Relaxed) | 1 << (bit % 64), Release);
}

/// Clears a bit; answers whether its word is empty now.
fn clear(words: &[AtomicU64], bit: usize) -> bool {
    let word = &words[bit / 64];
    let left = word.load(Relaxed) & !(1 << (bit % 64));
    word.store(left, Release);
    left == 0
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
