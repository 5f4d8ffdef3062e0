//! Blocks by how long they live and how large they are, so that a picture of hours finds the few blocks that are large enough to see
//! without a look at all the others.
//!
//! A shelf has the blocks whose life and whose bytes lie between two powers of two, in order of allocation. Blocks do not overlap, so few
//! of them are large in a picture: an answer takes shelves from the largest area down and stops before it would visit more than a
//! picture can show.

use crate::index::{Block, Index, NEVER};

/// Blocks that one answer visits at most, apart from those of a single shelf that lie outside of the picture.
const MOST_VISITED: usize = 24_000;

#[derive(Debug)]
struct Shelf {
    /// Its blocks live at least 2 to this power, and less than twice that.
    life: u32,
    /// So for bytes.
    bytes: u32,
    blocks: Vec<u32>,
}

/// All shelves of a band.
#[derive(Debug, Default)]
pub(crate) struct Shelves {
    shelves: Vec<Shelf>,
}

/// What a picture shows, and how large a block must be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) least_life: u64,
    pub(crate) least_bytes: u64,
}

fn life(index: &Index, block: &Block) -> u64 {
    let done = if block.done == NEVER {
        index.span.1
    } else {
        block.done
    };
    done.saturating_sub(block.start)
}

fn power(number: u64) -> u32 {
    number.checked_ilog2().unwrap_or(0)
}

impl Shelves {
    /// Puts up the blocks with these numbers, which are in order.
    pub(crate) fn new(index: &Index, blocks: impl Iterator<Item = usize>) -> Self {
        let mut places = vec![u16::MAX; 64 * 64];
        let mut shelves: Vec<Shelf> = Vec::new();
        for number in blocks {
            let block = &index.blocks[number];
            let (life, bytes) = (power(life(index, block)), power(block.bytes));
            let place = &mut places[(life * 64 + bytes) as usize];
            if *place == u16::MAX {
                *place = u16::try_from(shelves.len()).unwrap_or(u16::MAX);
                shelves.push(Shelf {
                    life,
                    bytes,
                    blocks: Vec::new(),
                });
            }
            // An index has less than 2^30 blocks.
            shelves[usize::from(*place)]
                .blocks
                .push(u32::try_from(number).unwrap_or(u32::MAX));
        }
        Self { shelves }
    }

    /// Calls `visit` with blocks that may be large enough, all of the largest. Returns how many.
    pub(crate) fn large(
        &self,
        index: &Index,
        wanted: Wanted,
        mut visit: impl FnMut(usize, &Block),
    ) -> usize {
        let longest = power(wanted.to.saturating_sub(wanted.from));
        let double = |power: u32| 2_u64.checked_shl(power).unwrap_or(u64::MAX);
        let mut shelves: Vec<&Shelf> = self
            .shelves
            .iter()
            .filter(|shelf| {
                double(shelf.life) > wanted.least_life && double(shelf.bytes) > wanted.least_bytes
            })
            .collect();
        // What lies outside of the picture does not make a block larger in it.
        shelves.sort_by_key(|shelf| std::cmp::Reverse(shelf.life.min(longest) + shelf.bytes));
        let last = index
            .blocks
            .partition_point(|block| block.start < wanted.to);
        let mut firsts = [None; 64];
        let mut visited = 0;
        for shelf in shelves {
            // Blocks that began before this ended before the picture begins.
            let first = *firsts[shelf.life as usize].get_or_insert_with(|| {
                let earliest = wanted.from.saturating_sub(double(shelf.life));
                index.blocks.partition_point(|block| block.start < earliest)
            });
            let begin = shelf
                .blocks
                .partition_point(|&number| (number as usize) < first);
            let end = shelf
                .blocks
                .partition_point(|&number| (number as usize) < last);
            let count = end.saturating_sub(begin);
            if visited + count > MOST_VISITED {
                break;
            }
            visited += count;
            for &number in &shelf.blocks[begin..end] {
                visit(number as usize, &index.blocks[number as usize]);
            }
        }
        visited
    }
}
