//! A model of PyTorch's caching allocator, with segments as it does by default or with segments
//! that expand.
//!
//! Requests are rounded to 512 bytes; those up to 1 MiB and larger ones live apart, and so do
//! streams. Freed blocks merge with free neighbours of the same segment and serve the smallest
//! request-covering need first (best fit, then lowest address). Nothing goes back to the device.
//!
//! - *Segments*: what no free block can serve takes a segment of its own from the device: 2 MiB for
//!   small requests, 20 MiB below 10 MiB, else whole 2 MiB. A large block is only cut when more than
//!   1 MiB is left over.
//! - *Expanding*: one range per stream and kind of block, whose end moves on in steps of 2 or 20 MiB.
//!   Blocks are always cut exactly, and the free block at the end is used last, as it can grow.
//!
//! A block that was used on other streams comes back when the host sees them pass: see `pending`.

use std::collections::BTreeSet;

use crate::pool::fast_map::FastMap;
use crate::pool::pending::Pending;
use crate::pool::policy::Policy;

const ROUND: u64 = 512;
const MIB: u64 = 1 << 20;
const SMALL: u64 = MIB;
const SMALL_SEGMENT: u64 = 2 * MIB;
const LARGE_SEGMENT: u64 = 20 * MIB;
/// From here on a segment is as large as the request.
const OWN_SEGMENT: u64 = 10 * MIB;
const SEGMENT_ROUND: u64 = 2 * MIB;

/// Room between two expanding ranges: more than any device has.
const RANGE_SHIFT: u32 = 44;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Growth {
    Segments,
    Expanding,
}

/// The free blocks of one stream and kind (small or large), and its range if that expands.
#[derive(Debug, Default)]
struct List {
    free: BTreeSet<(u64, u64)>,
    end: u64,
    last: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
struct Block {
    bytes: u64,
    /// Index of its list: twice the stream, plus one for large.
    list: usize,
    free: bool,
    before: Option<u64>,
    behind: Option<u64>,
}

#[derive(Debug)]
pub(crate) struct Caching {
    growth: Growth,
    lists: Vec<List>,
    blocks: FastMap<Block>,
    pending: Pending,
    reserved: u64,
    /// Where the next segment goes.
    next: u64,
}

impl Caching {
    pub(crate) fn new(growth: Growth) -> Self {
        Self {
            growth,
            lists: Vec::new(),
            blocks: FastMap::default(),
            pending: Pending::default(),
            reserved: 0,
            next: 0,
        }
    }

    fn list(&mut self, stream: u32, bytes: u64) -> usize {
        let list = 2 * stream as usize + usize::from(bytes > SMALL);
        while self.lists.len() <= list {
            let end = (self.lists.len() as u64) << RANGE_SHIFT;
            self.lists.push(List {
                end,
                ..List::default()
            });
        }
        list
    }

    fn best(&self, list: usize, bytes: u64) -> Option<u64> {
        let list = &self.lists[list];
        let mut fitting = list.free.range((bytes, 0)..).map(|&(_, start)| start);
        let first = fitting.next()?;
        if self.growth == Growth::Expanding && list.last == Some(first) {
            // The block at the end counts as long as it could become.
            return fitting.next().or(Some(first));
        }
        Some(first)
    }

    fn grow(&mut self, list: usize, bytes: u64) -> u64 {
        match self.growth {
            Growth::Segments => self.segment(list, bytes),
            Growth::Expanding => self.expand(list, bytes),
        }
    }

    /// A new segment, as one free block that is in no list yet.
    fn segment(&mut self, list: usize, bytes: u64) -> u64 {
        let segment = if bytes <= SMALL {
            SMALL_SEGMENT
        } else if bytes < OWN_SEGMENT {
            LARGE_SEGMENT
        } else {
            bytes.next_multiple_of(SEGMENT_ROUND)
        };
        let start = self.next;
        self.next += segment;
        self.reserved += segment;
        self.blocks.insert(
            start,
            Block {
                bytes: segment,
                list,
                free: true,
                before: None,
                behind: None,
            },
        );
        start
    }

    /// Makes the free block at the end of the range long enough, or a new one there.
    fn expand(&mut self, number: usize, bytes: u64) -> u64 {
        let step = if number.is_multiple_of(2) {
            SMALL_SEGMENT
        } else {
            LARGE_SEGMENT
        };
        let list = &mut self.lists[number];
        let last = list.last.filter(|last| self.blocks[last].free);
        let there = last.map_or(0, |last| self.blocks[&last].bytes);
        let more = (bytes - there).next_multiple_of(step);
        let old_end = list.end;
        list.end += more;
        self.reserved += more;
        if let Some(start) = last {
            list.free.remove(&(there, start));
            if let Some(block) = self.blocks.get_mut(&start) {
                block.bytes += more;
            }
            return start;
        }
        let before = list.last.replace(old_end);
        if let Some(before) = before.and_then(|before| self.blocks.get_mut(&before)) {
            before.behind = Some(old_end);
        }
        self.blocks.insert(
            old_end,
            Block {
                bytes: more,
                list: number,
                free: true,
                before,
                behind: None,
            },
        );
        old_end
    }

    /// Whether what is left of a block is filed as a block of its own.
    fn splits(&self, list: usize, rest: u64) -> bool {
        if self.growth == Growth::Expanding || list.is_multiple_of(2) {
            rest >= ROUND
        } else {
            rest > SMALL
        }
    }

    fn cut(&mut self, start: u64, bytes: u64) {
        let Some(block) = self.blocks.get_mut(&start) else {
            return;
        };
        block.free = false;
        let whole = *block;
        let rest = whole.bytes - bytes;
        if !self.splits(whole.list, rest) {
            return;
        }
        let rest_start = start + bytes;
        if let Some(block) = self.blocks.get_mut(&start) {
            block.bytes = bytes;
            block.behind = Some(rest_start);
        }
        self.insert(
            rest_start,
            Block {
                bytes: rest,
                before: Some(start),
                free: true,
                ..whole
            },
        );
    }

    /// Files a free block and tells its neighbours.
    fn insert(&mut self, start: u64, block: Block) {
        if let Some(before) = block.before.and_then(|at| self.blocks.get_mut(&at)) {
            before.behind = Some(start);
        }
        let list = &mut self.lists[block.list];
        match block.behind.and_then(|at| self.blocks.get_mut(&at)) {
            Some(behind) => behind.before = Some(start),
            None if self.growth == Growth::Expanding => list.last = Some(start),
            None => {}
        }
        list.free.insert((block.bytes, start));
        self.blocks.insert(start, block);
    }

    /// The block's bytes may be handed out again, together with free neighbours.
    fn give_back(&mut self, mut start: u64) {
        let Some(mut whole) = self.blocks.remove(&start) else {
            return;
        };
        whole.free = true;
        for neighbour in [whole.before, whole.behind].into_iter().flatten() {
            let Some(block) = self.blocks.get(&neighbour).copied().filter(|it| it.free) else {
                continue;
            };
            self.blocks.remove(&neighbour);
            self.lists[whole.list]
                .free
                .remove(&(block.bytes, neighbour));
            whole.bytes += block.bytes;
            if neighbour < start {
                start = neighbour;
                whole.before = block.before;
            } else {
                whole.behind = block.behind;
            }
        }
        self.insert(start, whole);
    }
}

impl Policy for Caching {
    fn alloc(&mut self, stream: u32, bytes: u64) -> Option<u64> {
        for passed in self.pending.take_ready() {
            self.give_back(passed);
        }
        let bytes = bytes.max(1).next_multiple_of(ROUND);
        let list = self.list(stream, bytes);
        let start = match self.best(list, bytes) {
            Some(start) => {
                let block = self.blocks.get(&start)?;
                self.lists[list].free.remove(&(block.bytes, start));
                start
            }
            None => self.grow(list, bytes),
        };
        self.cut(start, bytes);
        Some(start)
    }

    /// The block goes back to the stream that it was allocated on, whichever frees it.
    fn free(&mut self, offset: u64, _stream: u32) {
        let Some(owner) = self.blocks.get(&offset).map(|block| block.list / 2) else {
            return;
        };
        let owner = u32::try_from(owner).unwrap_or(u32::MAX);
        if self.pending.free(offset, owner) {
            self.give_back(offset);
        }
    }

    fn free_held(&mut self, offset: u64, _stream: u32) {
        self.pending.hold(offset);
    }

    fn settled(&mut self, offset: u64) {
        self.pending.settled(offset);
    }

    fn record_use(&mut self, offset: u64, stream: u32) {
        self.pending.record_use(offset, stream);
    }

    fn synchronize(&mut self, stream: u32) {
        self.pending.synchronize(stream);
    }

    fn begin(&mut self, mark: u64) {
        self.pending.begin(mark);
    }

    fn completed(&mut self, stream: u32, mark: u64) {
        self.pending.completed(stream, mark);
    }

    fn reserved(&self) -> u64 {
        self.reserved
    }
}
