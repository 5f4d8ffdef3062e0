//! One recording in memory, arranged for questions about any stretch of time.
//!
//! Two tables in order of time: the blocks, by when they were allocated, and the events that begin and end them. Both are cut into
//! chunks of [`CHUNK`] entries, and each chunk has a summary. Levels of detail join them: `pyramid` the summaries, `sums` what was
//! allocated, `shelves` and `held` what a picture of blocks needs. A question reads joined entries, and single ones
//! only at the edges of its range, so it takes a few milliseconds however long the recording is.
//!
//! What always holds: an event names a block of the table; a block's times are in order, `start <= end <= done`; the bytes in use after
//! the last event are those of the blocks whose `end` is [`NEVER`].

use std::sync::Arc;

use millpond_recording::owner::Owners;
use millpond_recording::{StackId, Tables};

use crate::addresses::Addresses;
use crate::band::Bands;
use crate::findings::Finding;
use crate::pyramid::Pyramid;
use crate::sums::AllSums;

/// Entries that share one summary.
pub const CHUNK: usize = 256;
/// The time of something that did not happen before the recording ended.
pub const NEVER: u64 = u64::MAX;

/// One allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// When it was allocated.
    pub start: u64,
    /// When the program freed it.
    pub end: u64,
    /// When its memory could be reused: later than `end` if another stream still used it.
    pub done: u64,
    /// Where it is.
    pub address: u64,
    /// How many bytes the program asked for.
    pub bytes: u64,
    /// Who asked, as a number of [`Index::tables`].
    pub stack: StackId,
    /// A place in [`Index::streams`].
    pub stream: u32,
}

/// What happened to a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// It was allocated.
    Allocated,
    /// The program freed it.
    Freed,
    /// Its memory could be reused.
    Reusable,
}

/// An entry of the table of events: what, in the two upper bits, and to which block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event(u32);

/// Blocks that a recording can have.
pub(crate) const MOST_BLOCKS: usize = 1 << 30;

impl Event {
    pub(crate) fn new(what: What, block: u32) -> Self {
        let upper = match what {
            What::Allocated => 0,
            What::Freed => 1,
            What::Reusable => 2,
        };
        Self(upper << 30 | block)
    }

    /// What happened.
    pub fn what(self) -> What {
        match self.0 >> 30 {
            0 => What::Allocated,
            1 => What::Freed,
            _ => What::Reusable,
        }
    }

    /// To which block: its place in [`Index::blocks`].
    pub fn block(self) -> usize {
        (self.0 & ((1 << 30) - 1)) as usize
    }
}

/// How many bytes are in use at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Level {
    /// By place in [`Index::streams`].
    pub by_stream: Vec<u64>,
    /// Freed, but another stream still uses them.
    pub waiting: u64,
    /// The sum of `by_stream`.
    pub live: u64,
}

impl Level {
    /// What the allocator cannot give to anybody else.
    pub fn held(&self) -> u64 {
        self.live + self.waiting
    }

    /// Becomes equal to another one, without taking memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.by_stream.copy_from_slice(&other.by_stream);
        self.waiting = other.waiting;
        self.live = other.live;
    }

    /// Moves on over one event.
    pub fn apply(&mut self, event: Event, block: &Block) {
        match event.what() {
            What::Allocated => {
                self.live += block.bytes;
                self.by_stream[block.stream as usize] += block.bytes;
            }
            What::Freed => {
                self.live -= block.bytes;
                self.by_stream[block.stream as usize] -= block.bytes;
                self.waiting += block.bytes;
            }
            What::Reusable => self.waiting -= block.bytes,
        }
    }
}

/// The summary of a chunk of events.
#[derive(Clone, Debug)]
pub struct EventChunk {
    /// Before its first event.
    pub before: Level,
    /// At its highest moment, and the place of the event that reached it.
    pub highest: Level,
    /// The event after which `highest` held.
    pub highest_event: usize,
    /// The fewest bytes held after one of its events.
    pub lowest: u64,
}

/// The summary of a chunk of blocks.
#[derive(Clone, Copy, Debug)]
pub struct BlockChunk {
    /// The latest `done` of its blocks.
    pub latest: u64,
    /// The most bytes of one of its blocks.
    pub most_bytes: u64,
}

/// Something that the program said about itself: a step, an annotation, an allocation that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// When.
    pub time: u64,
    /// What.
    pub text: String,
}

/// The highest and the lowest moment of several chunks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extremes {
    /// The chunk with the most bytes live, the first if there are several.
    pub(crate) highest: usize,
    pub(crate) live: u64,
    /// The fewest bytes held.
    pub(crate) lowest: u64,
}

/// Who left blocks behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// A number of [`Index::names`].
    pub owner: u32,
    /// All blocks of theirs that were not freed.
    pub bytes: u64,
    /// How many those are.
    pub blocks: u64,
    /// The bytes of those that became more until the end, by the rule of `millpond advise`; 0 if it is not a leak.
    pub leaked: u64,
}

/// One recording: one device of one process.
#[derive(Debug)]
pub struct Index {
    /// What to call it: the file, and the device if it has several.
    pub name: String,
    /// Its first and last moment.
    pub span: (u64, u64),
    /// When time 0 was: nanoseconds since 1970, if that is known.
    pub began_unix_ns: Option<u64>,
    /// Its rank, if that is known.
    pub rank: Option<u32>,
    /// Blocks by `start`.
    pub blocks: Vec<Block>,
    /// Who has each block: a number of `names`.
    pub owners: Vec<u32>,
    /// Names of owners.
    pub names: Arc<Owners>,
    /// When each event happened.
    pub times: Vec<u64>,
    /// The events.
    pub events: Vec<Event>,
    /// Summaries of the events.
    pub event_chunks: Vec<EventChunk>,
    /// Summaries of the blocks.
    pub block_chunks: Vec<BlockChunk>,
    /// Names of streams.
    pub streams: Vec<String>,
    /// From when on how many bytes were reserved from the device. Empty if that was not recorded.
    pub reserved: Vec<(u64, u64)>,
    /// Steps and annotations.
    pub marks: Vec<Mark>,
    /// Requests that failed.
    pub failures: Vec<Mark>,
    /// Texts and call stacks.
    pub tables: Arc<Tables>,
    /// Where blocks are, without the gaps between them.
    pub addresses: Addresses,
    /// Who left blocks behind, the most bytes first.
    pub left: Vec<Left>,
    /// What the reader of the file had to mend or leave out, in words.
    pub notes: Vec<String>,
    /// Findings of the checker, in order of time.
    pub findings: Vec<Finding>,
    pub(crate) extremes: Pyramid<Extremes>,
    pub(crate) most_reserved: Pyramid<u64>,
    pub(crate) sums: AllSums,
    pub(crate) bands: Bands,
}

impl Extremes {
    pub(crate) fn join(self, other: Self) -> Self {
        let lowest = self.lowest.min(other.lowest);
        let (first, second) = if self.highest <= other.highest {
            (self, other)
        } else {
            (other, self)
        };
        let best = if second.live > first.live {
            second
        } else {
            first
        };
        Self { lowest, ..best }
    }
}

/// The place of one moment.
#[derive(Clone, Debug)]
pub struct Moment {
    /// When.
    pub time: u64,
    /// The bytes in use then.
    pub level: Level,
}

impl Index {
    /// The first event after `time`: everything before it happened by then.
    pub fn events_by(&self, time: u64) -> usize {
        self.times.partition_point(|&one| one <= time)
    }

    /// What was in use after the first `events` events.
    pub fn level_after(&self, events: usize) -> Level {
        let chunk = (events / CHUNK).min(self.event_chunks.len().saturating_sub(1));
        let Some(summary) = self.event_chunks.get(chunk) else {
            return Level {
                by_stream: vec![0; self.streams.len()],
                ..Level::default()
            };
        };
        let mut level = summary.before.clone();
        for &event in &self.events[chunk * CHUNK..events] {
            level.apply(event, &self.blocks[event.block()]);
        }
        level
    }

    /// The moment with the most bytes live, the first if there are several.
    pub fn peak(&self) -> Moment {
        match self.extremes(0, self.event_chunks.len()) {
            Some(extremes) => {
                let chunk = &self.event_chunks[extremes.highest];
                Moment {
                    time: self.times[chunk.highest_event],
                    level: chunk.highest.clone(),
                }
            }
            None => Moment {
                time: self.span.0,
                level: self.level_after(0),
            },
        }
    }

    /// The highest and the lowest moment of the chunks from `first` to before `last`.
    pub(crate) fn extremes(&self, first: usize, last: usize) -> Option<Extremes> {
        let mut all: Option<Extremes> = None;
        self.extremes.visit(first, last, |&one| {
            all = Some(all.map_or(one, |all| all.join(one)));
        });
        all
    }

    /// The height of a block, and the block.
    pub(crate) fn bottom(&self, number: usize) -> (u64, &Block) {
        let block = &self.blocks[number];
        // Every block's address is among the addresses that were used.
        (self.addresses.height_of(block.address).unwrap_or(0), block)
    }

    /// What an owner is called.
    pub(crate) fn owner_of(&self, block: usize) -> &str {
        self.names.name(self.owners[block])
    }

    /// What was reserved from the device at a moment, if that was recorded.
    pub fn reserved_at(&self, time: u64) -> Option<u64> {
        if self.reserved.is_empty() {
            return None;
        }
        let next = self.reserved.partition_point(|&(when, _)| when <= time);
        Some(
            next.checked_sub(1)
                .map_or(0, |place| self.reserved[place].1),
        )
    }

    /// The most that was reserved in a stretch of time.
    pub fn most_reserved(&self, from: u64, to: u64) -> Option<u64> {
        let at_start = self.reserved_at(from)?;
        let first = self.reserved.partition_point(|&(when, _)| when <= from);
        let last = self.reserved.partition_point(|&(when, _)| when < to);
        let mut most = at_start;
        self.most_reserved
            .visit(first, last, |&bytes| most = most.max(bytes));
        Some(most)
    }

    /// Calls `visit` with every block whose memory was held at some moment of a stretch of time, and that has at least `least` bytes, in order of allocation.
    pub fn blocks_in(&self, from: u64, to: u64, least: u64, mut visit: impl FnMut(usize, &Block)) {
        let last = self.blocks.partition_point(|block| block.start < to);
        for (place, chunk) in self.block_chunks.iter().enumerate() {
            let begin = place * CHUNK;
            if begin >= last {
                break;
            }
            if chunk.latest <= from || chunk.most_bytes < least {
                continue;
            }
            for number in begin..(begin + CHUNK).min(last) {
                let block = &self.blocks[number];
                if block.done > from && block.bytes >= least {
                    visit(number, block);
                }
            }
        }
    }

    /// Calls `visit` with every block that was live at a moment.
    pub fn live_at(&self, time: u64, mut visit: impl FnMut(usize, &Block)) {
        self.blocks_in(time, time.saturating_add(1), 0, |number, block| {
            if block.end > time {
                visit(number, block);
            }
        });
    }
}
