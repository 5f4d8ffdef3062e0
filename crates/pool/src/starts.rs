//! From an offset to the block it lies in.
//!
//! One table per [`PAGE`] of the range holds, for each granule, the block that starts there, and a
//! bit set that says where any does; one more bit set says which pages have any. A block is entered
//! and removed in two stores, and the nearest start at or before an offset is a few bit scans away
//! however large the block is. Tables exist only where blocks have started.

use crate::{GRANULE, NONE, PAGE};

const PER_PAGE: usize = (PAGE / GRANULE) as usize;
const WORDS: usize = PER_PAGE / 64;

/// Where blocks start that are not free. See the module's comment.
#[derive(Debug, Default)]
pub struct Starts {
    tables: Vec<Option<Box<Table>>>,
    /// One bit per page with at least one start.
    inhabited: Vec<u64>,
}

#[derive(Debug)]
struct Table {
    block: [u32; PER_PAGE],
    set: [u64; WORDS],
    /// How many bits of `set` are set.
    count: usize,
}

impl Starts {
    /// Enters the start of a block at `offset`, a multiple of the granule.
    pub(crate) fn insert(&mut self, offset: u64, block: u32) {
        let (page, slot) = split(offset);
        if page >= self.tables.len() {
            self.tables.resize_with(page + 1, || None);
            self.inhabited.resize(page / 64 + 1, 0);
        }
        let table = self.tables[page].get_or_insert_with(|| {
            Box::new(Table {
                block: [NONE; PER_PAGE],
                set: [0; WORDS],
                count: 0,
            })
        });
        table.block[slot] = block;
        table.set[slot / 64] |= 1 << (slot % 64);
        table.count += 1;
        self.inhabited[page / 64] |= 1 << (page % 64);
    }

    /// The block that starts at `offset`.
    #[inline]
    pub(crate) fn at(&self, offset: u64) -> Option<u32> {
        let (page, slot) = split(offset);
        let table = self.tables.get(page)?.as_deref()?;
        let is_start = table.set[slot / 64] & (1 << (slot % 64)) != 0;
        (is_start && offset.is_multiple_of(GRANULE)).then(|| table.block[slot])
    }

    /// Removes the start at `offset`, which there is.
    pub(crate) fn remove(&mut self, offset: u64) {
        let (page, slot) = split(offset);
        let Some(table) = self.tables.get_mut(page).and_then(Option::as_deref_mut) else {
            return;
        };
        table.set[slot / 64] &= !(1 << (slot % 64));
        table.count -= 1;
        if table.count == 0 {
            self.inhabited[page / 64] &= !(1 << (page % 64));
        }
    }

    /// The block with the nearest start at or before `offset`.
    pub(crate) fn at_or_before(&self, offset: u64) -> Option<u32> {
        let (page, slot) = split(offset);
        if let Some(table) = self.tables.get(page).and_then(Option::as_deref)
            && let Some(slot) = last_bit(&table.set, slot)
        {
            return Some(table.block[slot]);
        }
        let before = page.min(self.tables.len()).checked_sub(1)?;
        let page = last_bit(&self.inhabited, before)?;
        let table = self.tables[page].as_deref()?;
        last_bit(&table.set, PER_PAGE - 1).map(|slot| table.block[slot])
    }
}

/// The highest set bit at or below `from`.
fn last_bit(words: &[u64], from: usize) -> Option<usize> {
    let (mut word, bit) = (from / 64, from % 64);
    let mut bits = words[word] & (u64::MAX >> (63 - bit));
    loop {
        if bits != 0 {
            return Some(word * 64 + 63 - bits.leading_zeros() as usize);
        }
        word = word.checked_sub(1)?;
        bits = words[word];
    }
}

fn split(offset: u64) -> (usize, usize) {
    let page = usize::try_from(offset / PAGE).unwrap_or(usize::MAX);
    let slot = usize::try_from(offset % PAGE / GRANULE).unwrap_or(0);
    (page, slot)
}
