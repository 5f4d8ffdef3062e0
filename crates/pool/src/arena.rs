//! Cuts blocks from one range of offsets and merges them again, in constant time.
//!
//! The blocks of the range form a chain in address order without gaps; each is free, live, retired
//! or kept. Free ones also hang in the bin of their size (two-level segregated fit, see `bins`).
//! Kept ones are whole as they were when they were live, for the next request of the same size: most
//! programs ask for the same sizes again and again, and cutting and merging would be for nothing.
//! All of it lies outside the memory that is managed, which may not be readable at all.
//!
//! What must always hold:
//! - the chain covers the range exactly, and no two neighbours in it are free;
//! - a block hangs in a bin if and only if it is free, and in a list of `kept` if and only if it is
//!   kept; `starts` knows exactly the blocks that are not free;
//! - a retired block can be named by nobody outside: it waits for [`Arena::reclaim`].

use crate::bins::{FIRST, Occupied, SECOND, after, filed, search};
use crate::kept::Kept;
use crate::{GRANULE, NONE, Starts};

/// Names a block inside its arena. Valid until the block is reclaimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlockId(u32);

/// What an allocation got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    /// The block.
    pub id: BlockId,
    /// Where it starts.
    pub offset: u64,
    /// How long it is: the request rounded up to the granule.
    pub bytes: u64,
    /// It is a block that was kept: whatever its pages needed has been done.
    pub kept: bool,
}

/// No free block can serve the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exhausted {
    /// The largest free block there is.
    pub largest_free: u64,
}

/// The offset is not the start of a live block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotLive {
    /// The start of the live block that the offset lies in, if it lies in one.
    pub inside: Option<u64>,
}

/// A live block that an offset lies in.
#[derive(Debug, PartialEq, Eq)]
pub struct Found<'a, T> {
    /// The block.
    pub id: BlockId,
    /// Where it starts.
    pub offset: u64,
    /// How long it is.
    pub bytes: u64,
    /// What the owner keeps with it.
    pub tag: &'a T,
}

/// How many free blocks a search looks at before it settles for one that is surely large enough.
const LOOKS: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Free,
    Live,
    Retired,
    /// Whole, for the next request of its size.
    Kept,
    /// The slot describes no block.
    Vacant,
}

#[derive(Debug)]
struct Block<T> {
    offset: u64,
    bytes: u64,
    state: State,
    /// The period in which it was last handed out or given back.
    used: u32,
    /// Neighbours in address order.
    before: u32,
    behind: u32,
    /// Neighbours in the bin, or the next vacant slot.
    previous: u32,
    next: u32,
    /// What the owner keeps with it. Stays when the block ends, to be written over in place.
    tag: T,
}

/// A range of offsets and the blocks it is cut into; each live block carries a `T`.
#[derive(Debug)]
pub struct Arena<T> {
    blocks: Vec<Block<T>>,
    vacant: u32,
    heads: Box<[[u32; SECOND]; FIRST]>,
    occupied: Occupied,
    starts: Starts,
    kept: Kept,
    live: usize,
    free_bytes: u64,
    /// The period that blocks handed out now belong to: see [`Arena::merge_kept_before`].
    period: u32,
}

impl<T: Default> Arena<T> {
    /// An arena over `bytes` bytes, all free.
    pub fn new(bytes: u64) -> Self {
        let mut arena = Self {
            blocks: Vec::new(),
            vacant: NONE,
            heads: Box::new([[NONE; SECOND]; FIRST]),
            occupied: Occupied::new(),
            starts: Starts::default(),
            kept: Kept::default(),
            live: 0,
            free_bytes: 0,
            period: 0,
        };
        let bytes = bytes / GRANULE * GRANULE;
        if bytes > 0 {
            let whole = arena.slot(0, bytes);
            arena.file(whole);
        }
        arena
    }

    /// Cuts a block of at least `bytes` bytes that starts at a multiple of `align`, a power of two.
    /// `init` sets what is kept with it, which may hold what an earlier block left there.
    #[inline]
    pub fn alloc(
        &mut self,
        bytes: u64,
        align: u64,
        init: impl FnOnce(&mut T),
    ) -> Result<Grant, Exhausted> {
        debug_assert!(align.is_power_of_two());
        let align = align.max(GRANULE);
        let Some(bytes) = bytes.max(1).checked_next_multiple_of(GRANULE) else {
            return Err(self.exhausted());
        };
        if let Some(id) = self.kept.head(bytes) {
            let block = &mut self.blocks[id as usize];
            if block.bytes == bytes && block.offset & (align - 1) == 0 {
                self.kept.pop(bytes, block.next);
                block.state = State::Live;
                init(&mut block.tag);
                block.used = self.period;
                self.live += 1;
                return Ok(Grant {
                    id: BlockId(id),
                    offset: block.offset,
                    bytes,
                    kept: true,
                });
            }
        }
        self.cut(bytes, align, init)
    }

    #[cold]
    fn exhausted(&mut self) -> Exhausted {
        self.merge_kept();
        Exhausted {
            largest_free: self.largest_free(),
        }
    }

    /// Cuts a block from a free one; if none is large enough, kept ones are merged first.
    fn cut(
        &mut self,
        bytes: u64,
        align: u64,
        init: impl FnOnce(&mut T),
    ) -> Result<Grant, Exhausted> {
        let found = self.best(bytes, align).or_else(|| {
            self.merge_kept();
            self.best(bytes, align)
        });
        let Some(mut id) = found else {
            return Err(self.exhausted());
        };
        self.unfile(id);
        let offset = self.block(id).offset;
        let lead = offset.next_multiple_of(align) - offset;
        if lead > 0 {
            let front = id;
            id = self.split(front, lead);
            self.file(front);
        }
        if self.block(id).bytes > bytes {
            let rest = self.split(id, bytes);
            self.file(rest);
        }
        let period = self.period;
        let block = self.block_mut(id);
        block.state = State::Live;
        init(&mut block.tag);
        block.used = period;
        let offset = block.offset;
        self.starts.insert(offset, id);
        self.live += 1;
        Ok(Grant {
            id: BlockId(id),
            offset,
            bytes,
            kept: false,
        })
    }

    /// Ends the life of the block that starts at `offset`: nobody can find it any more, but its
    /// bytes are not reused before [`Arena::reclaim`]. Answers its length too; what is kept with it
    /// can still be asked for.
    #[inline]
    pub fn retire(&mut self, offset: u64) -> Result<(BlockId, u64), NotLive> {
        if let Some(id) = self.starts.at(offset) {
            let block = &mut self.blocks[id as usize];
            if block.state == State::Live {
                block.state = State::Retired;
                block.used = self.period;
                self.live -= 1;
                return Ok((BlockId(id), block.bytes));
            }
        }
        Err(NotLive {
            inside: self.find(offset).map(|found| found.offset),
        })
    }

    /// What is kept with a block that has not been reclaimed.
    #[inline]
    pub fn tag(&self, BlockId(id): BlockId) -> &T {
        &self.block(id).tag
    }

    /// Makes the bytes of a retired block available again: kept for the next request of its size,
    /// or merged with free neighbours. Answers whether it was kept.
    #[inline]
    pub fn reclaim(&mut self, BlockId(id): BlockId) -> bool {
        let block = &mut self.blocks[id as usize];
        debug_assert_eq!(block.state, State::Retired);
        if let Some(next) = self.kept.push(block.bytes, id) {
            block.state = State::Kept;
            block.next = next;
            return true;
        }
        self.merge(id);
        false
    }

    /// Merges every kept block with its free neighbours.
    pub fn merge_kept(&mut self) {
        self.period = self.period.wrapping_add(1);
        self.merge_kept_before(self.period);
    }

    /// Ends a period: blocks handed out from now on belong to the next one, whose number is answered.
    pub fn next_period(&mut self) -> u32 {
        self.period = self.period.wrapping_add(1);
        self.period
    }

    /// Merges the kept blocks that were last handed out or given back before `period`.
    pub fn merge_kept_before(&mut self, period: u32) {
        let mut staying = Vec::new();
        while let Some((bytes, id)) = self.kept.any() {
            let (next, used) = (self.block(id).next, self.block(id).used);
            self.kept.pop(bytes, next);
            // Periods count up and wrap: what lies less than half a turn back is earlier.
            if period.wrapping_sub(used).wrapping_sub(1) < u32::MAX / 2 {
                self.block_mut(id).state = State::Retired;
                self.merge(id);
            } else {
                staying.push((bytes, id));
            }
        }
        // The last one popped of a size was the oldest: pushed first, it is the oldest again.
        for (bytes, id) in staying.into_iter().rev() {
            if let Some(next) = self.kept.push(bytes, id) {
                self.block_mut(id).next = next;
            } else {
                self.block_mut(id).state = State::Retired;
                self.merge(id);
            }
        }
    }

    /// Files a block that is in nobody's hands, merged with free neighbours.
    fn merge(&mut self, id: u32) {
        let (offset, before, behind) = {
            let block = self.block(id);
            (block.offset, block.before, block.behind)
        };
        self.starts.remove(offset);
        if behind != NONE && self.block(behind).state == State::Free {
            self.unfile(behind);
            self.absorb(id, behind);
        }
        let mut whole = id;
        if before != NONE && self.block(before).state == State::Free {
            self.unfile(before);
            self.absorb(before, id);
            whole = before;
        }
        self.file(whole);
    }

    /// The live block that `offset` lies in.
    pub fn find(&self, offset: u64) -> Option<Found<'_, T>> {
        let id = self.starts.at_or_before(offset)?;
        let block = self.block(id);
        let inside = block.state == State::Live && offset - block.offset < block.bytes;
        inside.then_some(Found {
            id: BlockId(id),
            offset: block.offset,
            bytes: block.bytes,
            tag: &block.tag,
        })
    }

    /// The live block that `offset` lies in, with what the owner keeps with it to be changed: where it
    /// starts, how long it is, and that.
    #[inline]
    pub fn find_mut(&mut self, offset: u64) -> Option<(u64, u64, &mut T)> {
        // Most questions are about the start of a block.
        let id = match self.starts.at(offset) {
            Some(id) => id,
            None => self.starts.at_or_before(offset)?,
        };
        let block = &mut self.blocks[id as usize];
        let inside = block.state == State::Live && offset - block.offset < block.bytes;
        inside.then_some((block.offset, block.bytes, &mut block.tag))
    }

    /// How many blocks are live.
    pub fn live(&self) -> usize {
        self.live
    }

    /// Bytes of all free blocks.
    pub fn free_bytes(&self) -> u64 {
        self.free_bytes
    }

    /// Bytes of the largest free block.
    pub fn largest_free(&self) -> u64 {
        self.free_blocks()
            .map(|(_, bytes)| bytes)
            .max()
            .unwrap_or(0)
    }

    /// Offset and length of every free block, in no particular order.
    pub fn free_blocks(&self) -> impl Iterator<Item = (u64, u64)> {
        self.of_state(State::Free)
            .map(|block| (block.offset, block.bytes))
    }

    /// Every live block, in no particular order.
    pub fn live_blocks(&self) -> impl Iterator<Item = (u64, u64, &T)> {
        self.of_state(State::Live)
            .map(|block| (block.offset, block.bytes, &block.tag))
    }

    fn of_state(&self, state: State) -> impl Iterator<Item = &Block<T>> {
        self.blocks.iter().filter(move |block| block.state == state)
    }

    /// A free block that a block of `bytes` bytes at a multiple of `align` can be cut from.
    fn best(&self, bytes: u64, align: u64) -> Option<u32> {
        let head = |(first, second): (usize, usize)| self.heads[first][second];
        if align == GRANULE
            && let Some(bin) = self.occupied.at_least(search(bytes / GRANULE))
        {
            return Some(head(bin));
        }
        // From the bin where the size itself would be filed: it may hold blocks that are large
        // enough, and for large alignments gaps that fit exactly. A bounded look, so that the
        // worst case stays constant.
        let mut bin = filed(bytes / GRANULE);
        let mut budget = LOOKS;
        while let Some(found) = self.occupied.at_least(bin) {
            let mut candidate = head(found);
            while candidate != NONE && budget > 0 {
                let block = self.block(candidate);
                let start = block.offset.next_multiple_of(align);
                if start + bytes <= block.offset + block.bytes {
                    return Some(candidate);
                }
                candidate = block.next;
                budget -= 1;
            }
            if budget == 0 {
                break;
            }
            bin = after(found);
        }
        // Whatever is this large has room to move the start forward to the alignment.
        let surely = bytes.checked_add(align - GRANULE)?;
        self.occupied.at_least(search(surely / GRANULE)).map(head)
    }

    /// Cuts `id` after `bytes` bytes; answers the new block behind it. Neither is filed.
    fn split(&mut self, id: u32, bytes: u64) -> u32 {
        let (offset, whole, behind) = {
            let block = self.block(id);
            (block.offset, block.bytes, block.behind)
        };
        let rest = self.slot(offset + bytes, whole - bytes);
        self.block_mut(id).bytes = bytes;
        self.block_mut(id).behind = rest;
        let new = self.block_mut(rest);
        new.before = id;
        new.behind = behind;
        if behind != NONE {
            self.block_mut(behind).before = rest;
        }
        rest
    }

    /// Joins `behind` to the block before it and leaves its slot vacant.
    fn absorb(&mut self, id: u32, behind: u32) {
        let (bytes, next) = (self.block(behind).bytes, self.block(behind).behind);
        let block = self.block_mut(id);
        block.bytes += bytes;
        block.behind = next;
        if next != NONE {
            self.block_mut(next).before = id;
        }
        let vacant = self.vacant;
        let gone = self.block_mut(behind);
        gone.state = State::Vacant;
        gone.next = vacant;
        self.vacant = behind;
    }

    /// A slot for a block that is in no bin and has no neighbours yet.
    fn slot(&mut self, offset: u64, bytes: u64) -> u32 {
        let block = Block {
            offset,
            bytes,
            state: State::Retired,
            used: 0,
            before: NONE,
            behind: NONE,
            previous: NONE,
            next: NONE,
            tag: T::default(),
        };
        if self.vacant == NONE {
            self.blocks.push(block);
            // An arena of 2^31 blocks would need 150 GB for its own table.
            return u32::try_from(self.blocks.len() - 1).expect("fewer than 2^32 blocks");
        }
        let id = self.vacant;
        self.vacant = self.block(id).next;
        *self.block_mut(id) = block;
        id
    }

    fn file(&mut self, id: u32) {
        let bytes = self.block(id).bytes;
        let bin = filed(bytes / GRANULE);
        let head = self.heads[bin.0][bin.1];
        let block = self.block_mut(id);
        block.state = State::Free;
        block.previous = NONE;
        block.next = head;
        if head != NONE {
            self.block_mut(head).previous = id;
        }
        self.heads[bin.0][bin.1] = id;
        self.occupied.set(bin);
        self.free_bytes += bytes;
    }

    fn unfile(&mut self, id: u32) {
        let (bytes, previous, next) = {
            let block = self.block(id);
            (block.bytes, block.previous, block.next)
        };
        let bin = filed(bytes / GRANULE);
        if previous == NONE {
            self.heads[bin.0][bin.1] = next;
            if next == NONE {
                self.occupied.clear(bin);
            }
        } else {
            self.block_mut(previous).next = next;
        }
        if next != NONE {
            self.block_mut(next).previous = previous;
        }
        self.block_mut(id).state = State::Retired;
        self.free_bytes -= bytes;
    }

    fn block(&self, id: u32) -> &Block<T> {
        &self.blocks[id as usize]
    }

    fn block_mut(&mut self, id: u32) -> &mut Block<T> {
        &mut self.blocks[id as usize]
    }
}

#[cfg(test)]
impl<T: Default> Arena<T> {
    /// Panics unless the invariants of the module's comment hold for a range of `bytes` bytes.
    fn assert_sound(&self, bytes: u64) {
        let first = self
            .blocks
            .iter()
            .position(|block| block.state != State::Vacant && block.before == NONE)
            .expect("a first block");
        let (mut id, mut offset, mut last_free) = (u32::try_from(first).unwrap(), 0, false);
        let mut free = 0;
        while id != NONE {
            let block = self.block(id);
            assert_eq!(block.offset, offset, "the chain has no gap");
            assert!(block.bytes > 0 && block.bytes.is_multiple_of(GRANULE));
            let is_free = block.state == State::Free;
            assert!(!(is_free && last_free), "free neighbours are merged");
            if is_free {
                free += block.bytes;
                let bin = filed(block.bytes / GRANULE);
                let mut hanging = self.heads[bin.0][bin.1];
                while hanging != NONE && hanging != id {
                    hanging = self.block(hanging).next;
                }
                assert_eq!(hanging, id, "a free block hangs in its bin");
            }
            last_free = is_free;
            offset += block.bytes;
            id = block.behind;
        }
        assert_eq!(offset, bytes / GRANULE * GRANULE, "bytes are conserved");
        assert_eq!(free, self.free_bytes);
    }
}

#[cfg(test)]
#[path = "arena_tests.rs"]
mod tests;
