//! A model of PyTorch's caching allocator, with the settings of `PYTORCH_ALLOC_CONF` that change how much it holds.
//!
//! Requests are rounded to 512 bytes; those up to 1 MiB and larger ones live apart, and so do streams. Freed blocks merge with
//! free neighbours of the same segment and serve the next request that fits them best, at the lowest address.
//!
//! - *Segments*, the default: what no free block can serve takes a segment of its own from the device: 2 MiB for small
//!   requests, 20 MiB below 10 MiB, else whole 2 MiB. A large block is only cut when more than 1 MiB is left over.
//! - *Expandable segments*: one range of addresses for each stream and kind of block, with pages of 2 or 20 MiB behind
//!   the parts in use. Blocks are always cut exactly, and the free block at the end is used last, as it can grow.
//! - `max_split_size_mb`: blocks of that size and more are not cut, and serve only requests of that size and more, at most
//!   `max_non_split_rounding_mb` smaller.
//! - `roundup_power2_divisions`: see `rounding`.
//! - `garbage_collection_threshold`, and what happens when the device is full: see `release`.
//!
//! A block that was used on other streams comes back when the host sees them pass: see `pending`.
//!
//! Source: `c10/cuda/CUDACachingAllocator.cpp` and the page "CUDA semantics" of PyTorch 2.

mod release;
mod rounding;
#[cfg(test)]
mod tests;

pub use self::rounding::Divisions;

use self::rounding::ROUND;
use crate::blocks::{Blocks, State};
use crate::fast_map::FastMap;
use crate::ledger::Ledger;
use crate::pending::Pending;
use crate::policy::Policy;
use crate::ranges;

const MIB: u64 = 1 << 20;
const SMALL: u64 = MIB;
const SMALL_SEGMENT: u64 = 2 * MIB;
const LARGE_SEGMENT: u64 = 20 * MIB;
/// From here on a segment is as large as the request.
const OWN_SEGMENT: u64 = 10 * MIB;
const SEGMENT_ROUND: u64 = 2 * MIB;

/// What `PYTORCH_ALLOC_CONF` says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// `expandable_segments`
    pub expandable: bool,
    /// `max_split_size_mb`, in bytes; `u64::MAX` if it is not set.
    pub max_split: u64,
    /// `max_non_split_rounding_mb`, in bytes.
    pub non_split_rounding: u64,
    /// `roundup_power2_divisions`
    pub divisions: Divisions,
    /// `garbage_collection_threshold`, of the device's memory; 0 if it is not set.
    pub garbage_threshold: f64,
    /// Bytes that every request is lengthened by: 32 in `torch_npu` before CANN 9.1, else 0.
    pub padding: u64,
}

impl Settings {
    /// If the variable is not set.
    pub const DEFAULT: Self = Self {
        expandable: false,
        max_split: u64::MAX,
        non_split_rounding: LARGE_SEGMENT,
        divisions: Divisions::all(0),
        garbage_threshold: 0.0,
        padding: 0,
    };
}

impl Default for Settings {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The size of the pages behind the addresses of a list.
fn page(list: usize) -> u64 {
    if list.is_multiple_of(2) {
        SMALL_SEGMENT
    } else {
        LARGE_SEGMENT
    }
}

/// The allocator.
#[derive(Debug)]
pub struct Caching {
    settings: Settings,
    /// In lists: twice the stream, plus one for large blocks.
    blocks: Blocks,
    pending: Pending,
    ledger: Ledger,
    /// Where the next segment goes.
    next: u64,
    /// How often a free block was looked for, and at which look each free block came back; for garbage collection only.
    looks: u64,
    since: FastMap<u64>,
}

impl Caching {
    /// On a device of `limit` bytes.
    pub fn new(settings: Settings, limit: u64) -> Self {
        Self {
            settings,
            blocks: Blocks::default(),
            pending: Pending::default(),
            ledger: Ledger::new(limit),
            next: 0,
            looks: 0,
            since: FastMap::default(),
        }
    }

    fn collects_garbage(&self) -> bool {
        self.settings.garbage_threshold > 0.0
    }

    fn list(stream: u32, bytes: u64) -> usize {
        2 * stream as usize + usize::from(bytes > SMALL)
    }

    /// The free block that serves the request.
    fn best(&self, list: usize, bytes: u64) -> Option<u64> {
        let mut fitting = self.blocks.fitting(list, bytes);
        let (size, start) = fitting.next()?;
        if self.settings.expandable {
            // The block at the end counts as long as it could become.
            return match fitting.next() {
                Some((_, second)) if ranges::can_grow(&self.blocks, start) => Some(second),
                _ => Some(start),
            };
        }
        let most = self.settings.max_split;
        let too_large = bytes < most && size >= most;
        let rounded_far =
            bytes >= most && size >= bytes.saturating_add(self.settings.non_split_rounding);
        (!too_large && !rounded_far).then_some(start)
    }

    /// More memory from the device: a free block for the request.
    fn grow(&mut self, list: usize, bytes: u64) -> Option<u64> {
        if self.settings.expandable {
            ranges::expand(&mut self.blocks, &mut self.ledger, list, page(list), bytes)
        } else {
            self.segment(list, bytes)
        }
    }

    fn segment(&mut self, list: usize, bytes: u64) -> Option<u64> {
        let segment = if bytes <= SMALL {
            SMALL_SEGMENT
        } else if bytes < OWN_SEGMENT {
            LARGE_SEGMENT
        } else {
            bytes.checked_next_multiple_of(SEGMENT_ROUND)?
        };
        if !self.ledger.take(segment) {
            return None;
        }
        let start = self.next;
        self.next += segment;
        self.blocks.add(list, start, segment, State::Free);
        Some(start)
    }

    /// Whether what is left of a block becomes a block of its own.
    fn splits(&self, list: usize, bytes: u64, rest: u64) -> bool {
        if self.settings.expandable || list.is_multiple_of(2) {
            rest >= ROUND
        } else {
            bytes < self.settings.max_split && rest > SMALL
        }
    }

    fn give_back(&mut self, start: u64) {
        let start = self.blocks.change(start, State::Free);
        if self.collects_garbage() {
            self.since.insert(start, self.looks);
        }
    }
}

impl Policy for Caching {
    fn alloc(&mut self, stream: u32, bytes: u64) -> Option<u64> {
        for passed in self.pending.take_ready() {
            self.give_back(passed);
        }
        let bytes = self
            .settings
            .divisions
            .round(bytes.checked_add(self.settings.padding)?);
        let list = Self::list(stream, bytes);
        self.blocks.open(list);
        self.looks += 1;
        let start = match self.best(list, bytes) {
            Some(start) => start,
            None => self.grow_somehow(list, bytes)?,
        };
        self.blocks.change(start, State::Used);
        let rest = self.blocks.get(start)?.bytes - bytes;
        if self.splits(list, bytes, rest) {
            self.blocks.cut(start, bytes);
            if self.collects_garbage() {
                // What is left is as old as the whole was.
                let since = self.since.get(&start).copied().unwrap_or(self.looks);
                self.since.insert(start + bytes, since);
            }
        }
        Some(start)
    }

    /// The block goes back to the stream that it was allocated on, whichever frees it.
    fn free(&mut self, offset: u64, _stream: u32) {
        let Some(owner) = self.blocks.get(offset).map(|block| block.list / 2) else {
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
        self.ledger.reserved()
    }

    fn device_calls(&self) -> u64 {
        self.ledger.calls()
    }

    fn lift_limit(&mut self) {
        self.ledger.lift();
    }

    /// `torch.cuda.empty_cache()`
    fn trim(&mut self) {
        for passed in self.pending.take_ready() {
            self.give_back(passed);
        }
        self.release_all();
    }
}
