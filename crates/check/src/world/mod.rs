//! The world: everything that is known of the program's objects, and which tasks have their turn.
//!
//! A task has its *turn* when its place in the logical order is settled: when it is enqueued or, behind a wait for
//! an event that is not recorded yet, when that recording is enqueued. Judging at the turn makes findings
//! independent of timing. Only a wait for a word in memory or for a notification is settled when the program runs:
//! when it is over.
//!
//! The world accepts every record. It *learns* each record before judges see it, so judges find a block that was
//! just freed among the freed ones. It does not judge.

mod addresses;
mod allocators;
mod blocks;
mod caching;
mod events;
mod heaps;
mod origin;
mod region;
mod stream;
mod streams;

pub(crate) use addresses::Addresses;
pub(crate) use allocators::{AllocatorBlock, Allocators, Registration};
pub(crate) use blocks::{Block, BlockKind, Blocks};
pub(crate) use caching::{Cached, Caching, operation as caching_operation};
pub(crate) use heaps::Heaps;
pub(crate) use origin::Origin;
pub(crate) use region::{Heap, READ, Region, SHARED, WRITE, end_of, overlap};
pub(crate) use stream::Stream;
pub(crate) use streams::Streams;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use millpond_trace::{
    Accesses, Bytes, Frame, NumberMap, Operation, Outcome, Position, Record, Space, Span,
    StreamRef, Target, TaskKind,
};
use smallvec::SmallVec;

use crate::clock::{Clock, Epoch, HostLearned};
use events::Events;
use stream::{Waiting, WordWait};

/// The work that writes a word in memory and the work that waits for one, by name.
const WRITE_WORD: &str = "aclrtValueWrite";
const WAIT_WORD: &str = "aclrtValueWait";
/// Tasks that wait for notifications, and for events that are set and reset when streams come to it or in another process. Which record ends
/// one is not known, only when it ends.
const WAIT_NOTICE: [&str; 3] = [
    "aclrtWaitAndResetNotify",
    "aclrtCntNotifyWaitWithTimeout",
    "aclrtStreamWaitEvent",
];

/// Copies that read from memory what they copy.
const FIND_COPY: [&str; 2] = ["aclrtMemcpyAsyncWithDesc", "aclrtMemcpyAsyncWithOffset"];

/// Writes of words whose place in the host's order is remembered.
const MOST_WORDS: usize = 4096;

/// Whether work writes or waits for a word in memory. Such work orders streams: two of them on one word are no race.
pub(crate) fn is_word(accesses: &Accesses) -> bool {
    accesses.task == TaskKind::Compute && matches!(&*accesses.name, WRITE_WORD | WAIT_WORD)
}

/// Whether a task is a copy that will find its addresses when it runs.
fn finds_copy(accesses: &Accesses) -> bool {
    accesses.task == TaskKind::Compute && FIND_COPY.contains(&&*accesses.name)
}

/// Work that has its turn in the logical order: see the module.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    /// Its position in the order.
    pub(crate) epoch: Epoch,
    /// What comes before it, itself included.
    pub(crate) clock: Clock,
    /// What it does to memory.
    pub(crate) accesses: Accesses,
    /// Who requested it, and where.
    pub(crate) origin: Arc<Origin>,
    /// The block in which each of its spans began when it was requested, reads first. At its turn another block may be
    /// there.
    pub(crate) blocks: Touched,
}

/// Blocks of spans. Most work has at most two.
pub(crate) type Touched = SmallVec<[Option<Arc<Block>>; 2]>;

impl Turn {
    /// What it reads, with the block of each span.
    pub(crate) fn reads(&self) -> impl Iterator<Item = (Span, Option<&Arc<Block>>)> {
        let blocks = self.blocks.iter().map(Option::as_ref);
        self.accesses.reads.iter().copied().zip(blocks)
    }

    /// What it writes, with the block of each span. Scratch comes last, without memory that was freed meanwhile: an allocator
    /// may have freed it inside the call.
    pub(crate) fn writes(&self) -> impl Iterator<Item = (Span, Option<&Arc<Block>>)> {
        self.results().chain(self.scratch())
    }

    /// What it defines.
    pub(crate) fn results(&self) -> impl Iterator<Item = (Span, Option<&Arc<Block>>)> {
        let blocks = self.blocks.iter().map(Option::as_ref);
        let blocks = blocks.skip(self.accesses.reads.len());
        self.accesses.written().0.iter().copied().zip(blocks)
    }

    /// What is undefined afterwards.
    pub(crate) fn scratch(&self) -> impl Iterator<Item = (Span, Option<&Arc<Block>>)> {
        let (results, scratch) = self.accesses.written();
        let blocks = self.blocks.iter().map(Option::as_ref);
        let blocks = blocks.skip(self.accesses.reads.len() + results.len());
        let scratch = scratch.iter().copied().zip(blocks);
        scratch.filter(|(_, block)| block.is_some())
    }
}

/// Everything that is known of the program: see the module.
#[derive(Debug, Default)]
pub(crate) struct World {
    pub(crate) blocks: Blocks,
    pub(crate) addresses: Addresses,
    /// Of each device that was opened, whether code of the program reaches its memory.
    unified: BTreeMap<u32, bool>,
    pub(crate) streams: Streams,
    /// When the host enqueued tasks that write words.
    words: NumberMap<Position, u64>,
    /// Waits for notifications that are not over.
    notices: BTreeSet<(StreamRef, u64)>,
    pub(crate) events: Events,
    pub(crate) allocators: Allocators,
    pub(crate) heaps: Heaps,
    pub(crate) caching: Caching,
    /// What the host learned of streams, and when.
    pub(crate) learned: HostLearned,
    /// Whether calls come from a script: its interpreter and its packages keep much until the process ends.
    pub(crate) scripted: bool,
    /// The number of the record that was learned last: actions of the host are counted by it.
    pub(crate) now: u64,
}

impl World {
    /// Looks at where calls come from.
    pub(crate) fn see(&mut self, record: &Record) {
        self.scripted |= match &record.operation {
            Operation::StackSeen { frames, .. } => {
                let named = |frame: &Frame| matches!(frame, Frame::Named { .. });
                frames.iter().any(named)
            }
            Operation::ModuleSeen { file, .. } => {
                let name = file.rsplit('/').next().unwrap_or(file);
                name.starts_with("python") || name.starts_with("libpython")
            }
            _ => false,
        };
    }

    /// Learns a record. Work whose turn has come is added to `turns`.
    pub(crate) fn learn(&mut self, record: &Record, turns: &mut Vec<Turn>) {
        self.now = record.order;
        self.blocks.learn(record);
        self.addresses.learn(record);
        self.heaps.learn(record, &self.blocks);
        self.caching.learn(record, &self.blocks);
        self.allocators.learn(record, &self.streams, &self.learned);
        match &record.operation {
            Operation::Moved {
                accesses,
                outcome: Outcome::Done,
            } => turns.push(Turn {
                epoch: Epoch::Host(self.now),
                clock: self.host_clock(),
                accesses: accesses.clone(),
                origin: Origin::of(record),
                blocks: self.touch(accesses),
            }),
            Operation::Enqueued {
                position,
                accesses,
                event,
                captured,
            } => {
                let turn = Turn {
                    epoch: Epoch::Task(*position),
                    clock: self.host_clock(),
                    accesses: accesses.clone(),
                    origin: Origin::of(record),
                    blocks: self.touch(accesses),
                };
                match (accesses.task, event) {
                    (TaskKind::RecordEvent, Some(event)) => {
                        let waits = self.events.recorded(*event, *position, &turn.origin);
                        self.streams.bind(&waits, *event, *position);
                    }
                    (TaskKind::WaitEvent, Some(event)) => {
                        self.events
                            .awaited(*event, *captured, *position, &turn.origin);
                    }
                    // Waits that are enqueued from now on are for the next recording, whenever the
                    // stream comes to this task.
                    (TaskKind::ResetEvent, Some(event)) => self.events.reset(*event),
                    (TaskKind::Compute, _) if accesses.name == WRITE_WORD => {
                        if self.words.len() >= MOST_WORDS {
                            self.words.clear();
                        }
                        self.words.insert(*position, self.now);
                    }
                    _ => {}
                }
                let waits = self.remember_notice(accesses, *position)
                    || is_word(accesses) && accesses.name == WAIT_WORD
                    || finds_copy(accesses);
                let waiting = Waiting {
                    task: position.task,
                    event: *event,
                    captured: *captured,
                    word: if waits {
                        WordWait::Unmet
                    } else {
                        WordWait::None
                    },
                    turn,
                };
                let (events, learned) = (&mut self.events, &mut self.learned);
                self.streams
                    .enqueued(position.stream, waiting, events, learned, turns);
            }
            Operation::Completed { position, outcome } => {
                if !self.notices.is_empty() {
                    self.end_notices(*position, outcome, turns);
                }
                let was_function = self.streams.completed(
                    *position,
                    outcome,
                    self.now,
                    &mut self.events,
                    &self.learned,
                    turns,
                );
                // A function of the program has run on the host: it may tell other threads. And what
                // was thrown away has touched nothing, and came after all that was not.
                let dropped = matches!(outcome, Outcome::Dropped | Outcome::Skipped);
                if was_function || dropped {
                    self.learn_stream(position.stream, position.task);
                }
            }
            Operation::CopyFound { position, accesses } => {
                let blocks = self.touch(accesses);
                let found = (accesses.clone(), blocks);
                let (events, learned) = (&mut self.events, &self.learned);
                self.streams.found(*position, found, events, learned, turns);
            }
            Operation::WordMet { position, writer } => self.meet(*position, *writer, turns),
            Operation::FunctionBegan { position } => {
                let before = position.task.saturating_sub(1);
                self.learn_stream(position.stream, before);
                self.learn_allocations(position.stream, before);
            }
            Operation::Allocated {
                ordered: Some(position),
                ..
            } => self.learned.allocated(position.stream),
            Operation::Synchronized { target, outcome } if *outcome != Outcome::NotReady => {
                self.learn_target(*target, record.thread);
            }
            Operation::Queried {
                target,
                outcome: Outcome::Done,
            } => self.learn_target(*target, record.thread),
            Operation::StreamCreated {
                stream,
                context,
                device,
            } => {
                let made = Origin::of(record);
                self.streams
                    .created(*stream, *context, *device, made, &mut self.learned);
            }
            Operation::StreamDestroyed { stream, dropped } => {
                // One that was only let go still runs what it has.
                let has_passed = *dropped > 0 || !record.site.call.is_empty();
                self.end_streams(&[*stream], has_passed, record);
            }
            Operation::ContextDestroyed { context } => {
                let streams = self.streams.of_context(*context);
                self.end_streams(&streams, true, record);
            }
            Operation::DeviceReset { device } => {
                let streams = self.streams.on_device(*device);
                self.end_streams(&streams, true, record);
            }
            Operation::DeviceOpened {
                device, unified, ..
            } => {
                self.unified.insert(*device, *unified);
            }
            Operation::WorkRefused { accesses, .. } | Operation::Moved { accesses, .. } => {
                self.touch(accesses);
            }
            Operation::UseRecorded { address, .. } => {
                self.blocks.touch(*address);
            }
            Operation::AllocatorAsked { address, .. } => self.blocks.cut_up(*address),
            Operation::HeapRegistered { range, .. } | Operation::RegionRegistered { range, .. } => {
                self.blocks.cut_up(range.start);
            }
            Operation::MemoryShared { range } => {
                // Others use it, unseen.
                self.blocks.touch(range.start);
            }
            Operation::EventCreated { event } => self.events.created(*event, Origin::of(record)),
            Operation::EventDestroyed { event } => self.events.destroyed(*event, record),
            _ => {}
        }
    }

    /// Whether all that happens to memory is seen: it is a device's, and code of the program cannot
    /// reach it.
    pub(crate) fn sees_all_of(&self, space: Space) -> bool {
        match space {
            Space::Device(device) => self.unified.get(&device) == Some(&false),
            Space::Pinned | Space::Foreign => false,
        }
    }

    /// Whether a range is all of a block, or of several mappings side by side: who copies that owns it.
    pub(crate) fn is_whole(&self, range: Bytes) -> bool {
        let end = range.start.saturating_add(range.bytes);
        let mut at = range.start;
        while let Some(block) = self.blocks.find(at) {
            if block.range.start != at {
                return false;
            }
            if end <= block.end() {
                return end - at >= block.requested;
            }
            if !matches!(block.kind, BlockKind::Mapping(_)) {
                return false;
            }
            at = block.end();
        }
        false
    }

    /// What comes before the next action of the host.
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

    /// What came before the write of a word. If something else wrote it, that is everything that has begun: rather too
    /// much than a false alarm.
    fn met_clock(&self, writer: Option<Position>) -> Clock {
        let (before, host) = match writer {
            Some(writer) => (
                self.streams.before(writer),
                self.words.get(&writer).copied().unwrap_or(self.now),
            ),
            None => (self.streams.begun(), self.now),
        };
        let mut clock = Clock::of_host(host);
        for position in before {
            clock.learn(position);
        }
        clock
    }

    /// A wait for a word or a notification is over. Without a writer it comes after everything that has begun.
    fn meet(&mut self, wait: Position, writer: Option<Position>, turns: &mut Vec<Turn>) {
        let clock = self.met_clock(writer);
        let (events, learned) = (&mut self.events, &self.learned);
        self.streams.met(wait, clock, events, learned, turns);
    }

    /// Remembers a wait for a notification; false if the task is none. If there are too many, nothing is said about order any more.
    fn remember_notice(&mut self, accesses: &Accesses, task: Position) -> bool {
        if accesses.task != TaskKind::Compute || !WAIT_NOTICE.contains(&&*accesses.name) {
            return false;
        }
        if self.notices.len() >= MOST_WORDS {
            self.streams.give_order_up();
            return false;
        }
        self.notices.insert((task.stream, task.task));
        true
    }

    /// A task has ended, and with it all before it in its stream.
    fn end_notices(&mut self, last: Position, outcome: &Outcome, turns: &mut Vec<Turn>) {
        let passed = (last.stream, 0)..=(last.stream, last.task);
        while let Some(&(stream, task)) = self.notices.range(passed.clone()).next() {
            self.notices.remove(&(stream, task));
            if *outcome == Outcome::Done {
                self.meet(Position { stream, task }, None, turns);
            }
        }
    }

    /// Whether an epoch comes before whatever has the clock. Once the order of things was given up,
    /// everything does.
    #[inline]
    pub(crate) fn ordered(&self, epoch: Epoch, clock: &Clock) -> bool {
        clock.knows(epoch, &self.learned) || self.streams.is_lost()
    }

    /// Whether an allocation in the order of a stream comes before a piece of work. A task of another stream has to wait for
    /// something behind the allocation. For the host what was queued before it counts: the call has returned.
    pub(crate) fn is_allocated_for(&self, behind: Position, made: u64, turn: &Turn) -> bool {
        match turn.epoch {
            Epoch::Host(_) => self.ordered(Epoch::Task(behind), &turn.clock),
            Epoch::Task(_) => {
                let next = Position {
                    task: behind.task.saturating_add(1),
                    ..behind
                };
                self.ordered(Epoch::Task(next), &turn.clock)
                    || self.learned.knew_allocation(behind, made, turn.clock.host)
            }
        }
    }

    /// Whether the host knows that a task has passed.
    pub(crate) fn host_knows(&self, position: Position) -> bool {
        self.learned.now(position.stream) >= position.task || self.streams.is_lost()
    }

    /// Bytes of memory that this state takes.
    pub(crate) fn state_bytes(&self) -> u64 {
        self.blocks.state_bytes()
            + self.addresses.state_bytes()
            + self.streams.state_bytes()
            + self.events.state_bytes()
            + self.allocators.state_bytes()
            + self.heaps.state_bytes()
            + self.caching.state_bytes()
            + self.learned.state_bytes()
    }

    /// Finds the blocks that work names, which are used by that.
    fn touch(&mut self, accesses: &Accesses) -> Touched {
        let spans = accesses.reads.iter().chain(&accesses.writes);
        spans.map(|span| self.blocks.touch(span.start)).collect()
    }

    /// How often knowledge was given up because a bound was reached.
    pub(crate) fn dropped_facts(&self) -> u64 {
        // Losing the whole order is one fact, but an important one.
        let lost = u64::from(self.streams.is_lost());
        lost + self.allocators.dropped_facts()
            + self.heaps.dropped_facts()
            + self.caching.dropped_facts()
    }

    fn learn_target(&mut self, target: Target, thread: u64) {
        match target {
            Target::Stream(stream) => self.learn_completed(stream),
            Target::Device(device) => {
                for stream in self.streams.on_device(device) {
                    self.learn_completed(stream);
                }
            }
            Target::Event(event) => {
                for clock in self.events.waited_for(event, thread) {
                    for position in clock.positions() {
                        self.learned.learn(position, self.now);
                    }
                }
            }
            // The records of their ends come before that of the query. One that another thread has
            // enqueued since is not meant.
            Target::Waits(event) => {
                for wait in self.events.take_waits(event) {
                    let completed = self.streams.get(wait.stream).map_or(0, |it| it.completed);
                    self.learn_stream(wait.stream, wait.task.min(completed));
                }
            }
        }
    }

    /// The host learns that a stream has come to the last task that ended: the records of their ends
    /// come before that of a wait for them.
    fn learn_completed(&mut self, stream: StreamRef) {
        if let Some(completed) = self.streams.get(stream).map(|stream| stream.completed) {
            self.learn_stream(stream, completed);
            self.learn_allocations(stream, completed);
        }
    }

    /// The host learns that a stream has come to a task and has what was allocated behind it.
    fn learn_allocations(&mut self, stream: StreamRef, task: u64) {
        let position = Position { stream, task };
        self.learned.learn_allocations(position, self.now);
    }

    /// The host learns that a stream has come to a task.
    fn learn_stream(&mut self, stream: StreamRef, task: u64) {
        if let Some(stream) = self.streams.get(stream) {
            for position in stream.known_at(task) {
                self.learned.learn(position, self.now);
            }
        }
    }

    /// Streams end. With `has_passed` so does everything in them.
    fn end_streams(&mut self, streams: &[StreamRef], has_passed: bool, record: &Record) {
        for number in streams {
            let Some(stream) = self.streams.get(*number) else {
                continue;
            };
            let last = if has_passed {
                stream.enqueued
            } else {
                stream.completed
            };
            self.learn_stream(*number, last);
            self.learn_allocations(*number, last);
            let (events, learned) = (&mut self.events, &mut self.learned);
            self.streams
                .destroyed(*number, Origin::of(record), events, learned);
        }
    }
}
