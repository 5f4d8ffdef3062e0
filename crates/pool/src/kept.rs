//! Blocks that are kept whole for the next request of the same size.
//!
//! One list per size for sizes up to 1 MiB; larger sizes share lists by a hash of the size, and the
//! size of a list is that of the block it began with. Each list has a limit, so that a program that
//! frees much of one size does not keep it from being merged for others.

use crate::{GRANULE, NONE};

const SMALL: usize = 2048;
const LARGE: usize = 64;
/// Blocks that one list holds at most.
const LIMIT: u32 = 32;

#[derive(Debug)]
pub(crate) struct Kept {
    lists: Box<[List]>,
    /// Blocks in all lists.
    count: usize,
}

#[derive(Debug, Clone, Copy)]
struct List {
    head: u32,
    count: u32,
    bytes: u64,
}

impl Default for Kept {
    fn default() -> Self {
        let empty = List {
            head: NONE,
            count: 0,
            bytes: 0,
        };
        Self {
            lists: vec![empty; SMALL + LARGE].into_boxed_slice(),
            count: 0,
        }
    }
}

impl Kept {
    #[inline]
    fn index(bytes: u64) -> usize {
        let granules = usize::try_from(bytes / GRANULE).unwrap_or(usize::MAX);
        if granules < SMALL {
            return granules;
        }
        // Sizes are mostly multiples of powers of two: spread the high product bits.
        let hash = (bytes / GRANULE).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58;
        SMALL + usize::try_from(hash).unwrap_or(0)
    }

    /// The block that was last kept for this size.
    #[inline]
    pub(crate) fn head(&self, bytes: u64) -> Option<u32> {
        let list = &self.lists[Self::index(bytes)];
        (list.head != NONE && list.bytes == bytes).then_some(list.head)
    }

    /// Takes the head of a list out; `next` is the block behind it.
    #[inline]
    pub(crate) fn pop(&mut self, bytes: u64, next: u32) {
        let list = &mut self.lists[Self::index(bytes)];
        list.head = next;
        list.count -= 1;
        self.count -= 1;
    }

    /// Keeps a block, if there is room; answers what comes behind it in its list.
    #[inline]
    pub(crate) fn push(&mut self, bytes: u64, id: u32) -> Option<u32> {
        let list = &mut self.lists[Self::index(bytes)];
        if list.count == 0 {
            list.bytes = bytes;
        }
        if list.bytes != bytes || list.count == LIMIT {
            return None;
        }
        let next = std::mem::replace(&mut list.head, id);
        list.count += 1;
        self.count += 1;
        Some(next)
    }

    /// The head of any list that is not empty, with its size.
    pub(crate) fn any(&self) -> Option<(u64, u32)> {
        if self.count == 0 {
            return None;
        }
        let list = self.lists.iter().find(|list| list.count > 0)?;
        Some((list.bytes, list.head))
    }
}
