//! What is known: what exists, who made it, and whose turn it is.
//!
//! The world believes every record. Each record is learned first, then judged, so judges find a block
//! that was just freed among those that ended. Nothing here is right or wrong.

mod allocators;
mod blocks;
mod doer;
mod events;
mod heaps;
mod region;
mod streams;

pub(crate) use allocators::{Allocators, Given, Registration};
pub(crate) use blocks::{Block, BlockKind, Blocks};
pub(crate) use doer::Doer;
pub(crate) use heaps::Heaps;
pub(crate) use region::{Heap, READ, Region, SHARED, WRITE, end_of, overlap};
pub(crate) use streams::{Stream, Streams};

use std::sync::Arc;

use millpond_trace::{Deed, Operation, Outcome, Record, Span, Target, TaskKind};
use smallvec::SmallVec;

use crate::clock::{Clock, HostLearned, Place};
use events::Events;

/// A piece of work whose turn has come, in the logical order.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    /// Which it is.
    pub(crate) place: Place,
    /// What comes before it, itself included.
    pub(crate) clock: Clock,
    /// What it does.
    pub(crate) deed: Deed,
    /// Who asked for it, and where.
    pub(crate) doer: Arc<Doer>,
    /// The block that each of its spans began in when it was asked for, the reads first. Its turn may come
    /// when another block lies there.
    pub(crate) blocks: Touched,
}

/// Blocks of spans. Most work has at most two.
pub(crate) type Touched = SmallVec<[Option<Arc<Block>>; 2]>;

impl Turn {
    /// What it reads, with the block that each span began in.
    pub(crate) fn reads(&self) -> impl Iterator<Item = (Span, Option<&Arc<Block>>)> {
        let blocks = self.blocks.iter().map(Option::as_ref);
        self.deed.reads.iter().copied().zip(blocks)
    }

    /// What it writes, with the block that each span began in.
    pub(crate) fn writes(&self) -> impl Iterator<Item = (Span, Option<&Arc<Block>>)> {
        let blocks = self.blocks.iter().map(Option::as_ref);
        let blocks = blocks.skip(self.deed.reads.len());
        self.deed.writes.iter().copied().zip(blocks)
    }
}

/// Everything that is known.
#[derive(Debug, Default)]
pub(crate) struct World {
    pub(crate) blocks: Blocks,
    pub(crate) streams: Streams,
    pub(crate) events: Events,
    pub(crate) allocators: Allocators,
    pub(crate) heaps: Heaps,
    /// What the host learned of streams, and when.
    pub(crate) learned: HostLearned,
    /// The number of the record that was learned last: acts of the host are counted by it.
    pub(crate) now: u64,
}

impl World {
    /// Learns a record. Work whose turn has come is added to `turns`.
    pub(crate) fn learn(&mut self, record: &Record, turns: &mut Vec<Turn>) {
        self.now = record.order;
        self.blocks.learn(record);
        self.heaps.learn(record, &self.blocks);
        self.allocators.learn(record, &self.streams, &self.learned);
        match &record.operation {
            Operation::Moved {
                deed,
                outcome: Outcome::Done,
            } => turns.push(Turn {
                place: Place::Host(self.now),
                clock: self.host_clock(),
                deed: deed.clone(),
                doer: Doer::of(record),
                blocks: self.touch(deed),
            }),
            Operation::Enqueued {
                position,
                deed,
                event,
                captured,
            } => {
                if let (TaskKind::RecordEvent, Some(event)) = (deed.task, event) {
                    let waits = self.events.recorded(*event, *position);
                    self.streams.bind(&waits, *event, *position);
                }
                let turn = Turn {
                    place: Place::Task(*position),
                    clock: self.host_clock(),
                    deed: deed.clone(),
                    doer: Doer::of(record),
                    blocks: self.touch(deed),
                };
                if let (TaskKind::WaitEvent, Some(event), None) = (deed.task, event, captured) {
                    self.events.awaited(*event, *position);
                }
                self.streams.enqueued(*position, *event, *captured, turn);
                self.streams.advance(&mut self.events, &self.learned, turns);
            }
            Operation::Completed { position, .. } => {
                if self.streams.completed(*position) {
                    // A function of the program has run on the host: it may tell other threads.
                    self.learn_stream(position.stream, Some(position.task));
                }
            }
            Operation::Synchronized { target, outcome } if *outcome != Outcome::NotReady => {
                self.learn_target(*target);
            }
            Operation::Queried {
                target,
                outcome: Outcome::Done,
            } => self.learn_target(*target),
            Operation::StreamCreated { stream, device, .. } => {
                self.streams.created(*stream, *device, Doer::of(record));
            }
            Operation::StreamDestroyed { stream, .. } => {
                self.streams.destroyed(*stream, &self.learned, record);
                self.learn_stream(*stream, None);
            }
            Operation::DeviceReset { device } => {
                for stream in self.streams.on_device(*device) {
                    self.learn_stream(stream, None);
                }
            }
            Operation::WorkRefused { deed, .. } | Operation::Moved { deed, .. } => {
                self.touch(deed);
            }
            Operation::UseRecorded { address, .. } | Operation::AllocatorAsked { address, .. } => {
                self.blocks.touch(*address);
            }
            Operation::HeapRegistered { range, .. } | Operation::RegionRegistered { range, .. } => {
                self.blocks.touch(range.start);
            }
            Operation::EventCreated { event } => self.events.created(*event, Doer::of(record)),
            Operation::EventDestroyed { event } => self.events.destroyed(*event, record),
            _ => {}
        }
    }

    /// What comes before the next act of the host.
    pub(crate) fn host_clock(&self) -> Clock {
        Clock::of_host(self.now)
    }

    /// What comes before the next task of a stream, if it were enqueued now.
    pub(crate) fn stream_clock(&self, stream: u64) -> Clock {
        let mut clock = self.host_clock();
        if let Some(stream) = self.streams.get(stream) {
            clock.join(&stream.clock);
        }
        clock
    }

    /// Whether a place comes before whatever has the clock.
    pub(crate) fn ordered(&self, place: Place, clock: &Clock) -> bool {
        clock.knows(place, &self.learned)
    }

    /// Bytes that the books take.
    pub(crate) fn books(&self) -> u64 {
        self.blocks.books()
            + self.streams.books()
            + self.events.books()
            + self.allocators.books()
            + self.heaps.books()
            + self.learned.books()
    }

    /// Finds the blocks that work names, which are used by that.
    fn touch(&mut self, deed: &Deed) -> Touched {
        let spans = deed.reads.iter().chain(&deed.writes);
        spans.map(|span| self.blocks.touch(span.start)).collect()
    }

    /// How often knowledge was given up because a bound was reached.
    pub(crate) fn forgotten(&self) -> u64 {
        self.allocators.forgotten() + self.heaps.forgotten()
    }

    fn learn_target(&mut self, target: Target) {
        match target {
            Target::Stream(stream) => self.learn_stream(stream, None),
            Target::Device(device) => {
                for stream in self.streams.on_device(device) {
                    self.learn_stream(stream, None);
                }
            }
            Target::Event(event) => {
                if let Some(clock) = self.events.latest(event) {
                    for position in clock.positions() {
                        self.learned.learn(position, self.now);
                    }
                }
            }
        }
    }

    /// The host learns that a stream has come to a task, or to the last that ended.
    fn learn_stream(&mut self, stream: u64, task: Option<u64>) {
        let Some(stream) = self.streams.get_mut(stream) else {
            return;
        };
        let task = task.unwrap_or(stream.completed);
        for position in stream.known_at(task) {
            self.learned.learn(position, self.now);
        }
    }
}
