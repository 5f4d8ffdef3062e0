//! Ranges of addresses with pages behind the parts in use, as virtual memory makes them.
//!
//! Each list of [`Blocks`] has one range that never ends. What no free block can serve begins at the lowest address without pages,
//! or at the free block in front of it. Pages without a block can be taken away again, from the middle of a range too.

use crate::blocks::{Blocks, State};
use crate::ledger::Ledger;

/// Room between two ranges: more than any device has.
const RANGE_SHIFT: u32 = 43;

/// Whether the block at `at`, if there is one, is in that state.
fn has(blocks: &Blocks, at: Option<u64>, state: State) -> bool {
    at.and_then(|at| blocks.get(at))
        .is_some_and(|block| block.state == state)
}

/// Whether addresses without pages lie behind the block.
pub(crate) fn can_grow(blocks: &Blocks, start: u64) -> bool {
    let behind = blocks.get(start).and_then(|block| block.behind);
    has(blocks, behind, State::Bare)
}

/// A free block for the request, with new pages. `None` if the device has too few.
pub(crate) fn expand(
    blocks: &mut Blocks,
    ledger: &mut Ledger,
    list: usize,
    page: u64,
    bytes: u64,
) -> Option<u64> {
    blocks.open(list);
    if blocks.bare(list).next().is_none() {
        // Each range begins with a whole page.
        let start = ((list as u64) << RANGE_SHIFT).next_multiple_of(page);
        let room = ((1 << RANGE_SHIFT) - page) / page * page;
        blocks.add(list, start, room, State::Bare);
    }
    let mut at = place(blocks, list, bytes)?;
    loop {
        let block = blocks.get(at)?;
        let (bare, missing) = match block.state {
            State::Bare => (at, bytes),
            State::Free if block.bytes >= bytes => return Some(at),
            State::Free => (block.behind?, bytes - block.bytes),
            State::Used => return None,
        };
        at = map(blocks, ledger, page, bare, missing)?;
    }
}

/// The first place in the order of addresses where blocks that nobody uses and bare addresses are long enough.
fn place(blocks: &Blocks, list: usize, bytes: u64) -> Option<u64> {
    let long_enough = |start: &u64| {
        let (mut room, mut at) = (0, Some(*start));
        while let Some(block) = at.and_then(|at| blocks.get(at)) {
            if block.state == State::Used {
                return false;
            }
            room += block.bytes;
            if room >= bytes {
                return true;
            }
            at = block.behind;
        }
        false
    };
    let begin = |bare: u64| {
        let before = blocks.get(bare).and_then(|block| block.before);
        before
            .filter(|_| has(blocks, before, State::Free))
            .unwrap_or(bare)
    };
    blocks.bare(list).map(begin).find(long_enough)
}

/// Puts pages behind the begin of bare addresses. Returns where the free block starts that they are a part of.
fn map(blocks: &mut Blocks, ledger: &mut Ledger, page: u64, bare: u64, bytes: u64) -> Option<u64> {
    let there = blocks.get(bare)?.bytes;
    let bytes = bytes.checked_next_multiple_of(page)?.min(there);
    if !ledger.take_by(bytes, bytes / page) {
        return None;
    }
    if bytes < there {
        blocks.split(bare, bytes);
    }
    Some(blocks.change(bare, State::Free))
}

/// Takes away pages that no block of the list lies on, the highest addresses last, until `most` bytes are taken. Returns how many.
pub(crate) fn unmap_free(
    blocks: &mut Blocks,
    ledger: &mut Ledger,
    list: usize,
    page: u64,
    most: u64,
) -> u64 {
    let free: Vec<(u64, u64)> = blocks.free(list).collect();
    let mut taken = 0;
    for (bytes, start) in free {
        let first = start.next_multiple_of(page);
        let room = ((start + bytes) / page * page).saturating_sub(first);
        let room = room.min(
            (most - taken)
                .checked_next_multiple_of(page)
                .unwrap_or(u64::MAX),
        );
        if room == 0 {
            continue;
        }
        if first > start {
            blocks.split(start, first - start);
        }
        if first + room < start + bytes {
            blocks.split(first, room);
        }
        blocks.change(first, State::Bare);
        ledger.give_by(room, room / page);
        taken += room;
        if taken >= most {
            break;
        }
    }
    taken
}
