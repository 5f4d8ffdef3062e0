//! Streams: their tasks in logical order.
//!
//! A task has its turn as soon as all tasks before it in its stream have had theirs and, for a wait, the recording
//! that it waits for. In most programs that is when it is enqueued. Behind a host function no task has its turn
//! before the function has ended: what the host does meanwhile comes before.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use millpond_trace::{Accesses, EventRef, Outcome, Position, StreamRef, TaskKind};

use super::events::Events;
use super::stream::{Stream, Waiting};
use super::{Origin, Touched, Turn};
use crate::clock::{Clock, HostLearned};

/// All streams.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    all: BTreeMap<StreamRef, Stream>,
    /// Streams with tasks that had no turn yet.
    behind: BTreeSet<StreamRef>,
    /// How many tasks those have.
    waiting: usize,
    /// Streams that ended, the oldest first: a few are remembered.
    ended: VecDeque<StreamRef>,
    /// There were too many of those tasks, or something unseen orders them: in which order things happen is not known any
    /// more.
    lost: bool,
}

/// Streams that ended and are remembered.
const REMEMBERED: usize = 256;

/// Tasks without a turn that are remembered.
const MOST_WAITING: usize = 1 << 18;

impl Streams {
    pub(crate) fn get(&self, stream: StreamRef) -> Option<&Stream> {
        self.all.get(&stream)
    }

    /// All that were created and not destroyed.
    pub(crate) fn live(&self) -> impl Iterator<Item = (StreamRef, &Stream)> {
        self.all
            .iter()
            .filter(|(_, stream)| stream.ended.is_none())
            .map(|(number, stream)| (*number, stream))
    }

    /// Whether functions of the program are in any stream and have not ended. What comes behind one may
    /// have to wait for something that the program does later.
    pub(crate) fn functions_pending(&self) -> bool {
        let mut streams = self.all.values();
        streams.any(|stream| stream.ended.is_none() && stream.has_functions())
    }

    /// Those with tasks that had no turn yet.
    pub(crate) fn behind(&self) -> impl Iterator<Item = (StreamRef, &Stream)> {
        let behind = self.behind.iter();
        behind.filter_map(|number| Some((*number, self.all.get(number)?)))
    }

    /// Whether the order of things was given up.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost
    }

    pub(crate) fn state_bytes(&self) -> u64 {
        let all = self.all.values().map(Stream::state_bytes);
        all.sum::<usize>() as u64
    }

    /// Those of a device, also those that were closed: what is queued in them may still run.
    pub(super) fn on_device(&self, device: u32) -> Vec<StreamRef> {
        self.all_where(|stream| stream.device == device)
    }

    pub(super) fn of_context(&self, context: u64) -> Vec<StreamRef> {
        self.all_where(|stream| stream.context == context)
    }

    fn all_where(&self, wanted: impl Fn(&Stream) -> bool) -> Vec<StreamRef> {
        self.all
            .iter()
            .filter(|(_, stream)| wanted(stream))
            .map(|(number, _)| *number)
            .collect()
    }

    pub(super) fn created(
        &mut self,
        number: StreamRef,
        context: u64,
        device: u32,
        made: Arc<Origin>,
        learned: &mut HostLearned,
    ) {
        learned.begin(number);
        let stream = Stream::new(number, context, device, made);
        self.all.insert(number, stream);
    }

    /// A stream ended. Its tasks end by records of their own, some of them after this one.
    pub(super) fn destroyed(
        &mut self,
        number: StreamRef,
        origin: Arc<Origin>,
        events: &mut Events,
        learned: &mut HostLearned,
    ) {
        let Some(stream) = self.all.get_mut(&number) else {
            return;
        };
        if stream.ended.is_some() {
            return;
        }
        stream.ended = Some(origin);
        self.ended.push_back(number);
        if self.ended.len() > REMEMBERED
            && let Some(oldest) = self.ended.pop_front()
        {
            learned.forget(oldest);
            self.behind.remove(&oldest);
            if let Some(mut stream) = self.all.remove(&oldest) {
                self.waiting -= stream.waiting_count();
                stream.drop_until(u64::MAX, events);
            }
        }
    }

    /// A task was enqueued; those whose turn comes by it are added to `turns`. Streams that records do
    /// not say the beginning of begin here.
    pub(super) fn enqueued(
        &mut self,
        number: StreamRef,
        waiting: Waiting,
        events: &mut Events,
        learned: &mut HostLearned,
        turns: &mut Vec<Turn>,
    ) {
        if !self.all.contains_key(&number) {
            let made = Arc::clone(&waiting.turn.origin);
            self.created(number, 0, 0, made, learned);
        }
        let Some(stream) = self.all.get_mut(&number) else {
            return;
        };
        let task = waiting.turn.accesses.task;
        let was_behind = stream.is_behind();
        stream.enqueue(waiting);
        self.waiting += 1;
        if !was_behind {
            self.waiting -= stream.advance(events, learned, turns);
            if stream.is_behind() {
                self.behind.insert(number);
            }
        }
        if !self.behind.is_empty() && task == TaskKind::RecordEvent {
            self.advance(events, learned, turns);
        }
        if self.waiting > MOST_WAITING {
            self.lose(events, learned, turns);
        }
    }

    /// Waits that were for a recording to come learn which it is.
    pub(super) fn bind(&mut self, waits: &[Position], event: EventRef, recording: Position) {
        for wait in waits {
            if let Some(stream) = self.all.get_mut(&wait.stream) {
                stream.bind(wait.task, event, recording);
            }
        }
    }

    /// A wait for a word is over, and `clock` is what came before it.
    pub(super) fn met(
        &mut self,
        wait: Position,
        clock: Clock,
        events: &mut Events,
        learned: &HostLearned,
        turns: &mut Vec<Turn>,
    ) {
        if let Some(stream) = self.all.get_mut(&wait.stream) {
            stream.meet(wait.task, clock);
            self.advance(events, learned, turns);
        }
    }

    /// A copy has found its addresses.
    pub(super) fn found(
        &mut self,
        copy: Position,
        found: (Accesses, Touched),
        events: &mut Events,
        learned: &HostLearned,
        turns: &mut Vec<Turn>,
    ) {
        if let Some(stream) = self.all.get_mut(&copy.stream) {
            stream.found(copy.task, found);
            self.advance(events, learned, turns);
        }
    }

    /// Everything that a task came after, itself included.
    pub(super) fn before(&self, task: Position) -> Vec<Position> {
        let stream = self.all.get(&task.stream);
        stream.map_or_else(Vec::new, |stream| stream.known_at(task.task).collect())
    }

    /// Everything that has begun: in each stream the tasks that ended and the one after them.
    pub(super) fn begun(&self) -> Vec<Position> {
        let streams = self.all.values();
        streams
            .flat_map(|stream| stream.known_at(stream.enqueued.min(stream.completed + 1)))
            .collect()
    }

    /// A task ended at action `now` of the host. Returns whether it was a host function.
    pub(super) fn completed(
        &mut self,
        position: Position,
        outcome: &Outcome,
        now: u64,
        events: &mut Events,
        learned: &HostLearned,
        turns: &mut Vec<Turn>,
    ) -> bool {
        let Some(stream) = self.all.get_mut(&position.stream) else {
            return false;
        };
        let was_function = stream.complete(position.task, now);
        if !stream.is_behind() {
            return was_function;
        }
        // What has ended waits for nothing: time was up, or it was thrown away.
        let dropped = matches!(outcome, Outcome::Dropped | Outcome::Skipped);
        self.waiting -= if dropped {
            stream.drop_until(position.task, events)
        } else {
            stream.force_until(position.task, events, learned, turns)
        };
        // A stream that throws a task away throws away those behind it too, by records that follow.
        let halted = (*outcome == Outcome::Dropped).then_some(position.stream);
        self.advance_but(halted, events, learned, turns);
        was_function
    }

    /// Gives every task its turn whose turn has come.
    fn advance(&mut self, events: &mut Events, learned: &HostLearned, turns: &mut Vec<Turn>) {
        self.advance_but(None, events, learned, turns);
    }

    /// The same, without those of one stream.
    fn advance_but(
        &mut self,
        halted: Option<StreamRef>,
        events: &mut Events,
        learned: &HostLearned,
        turns: &mut Vec<Turn>,
    ) {
        let mut moved = true;
        while moved && !self.behind.is_empty() {
            moved = false;
            let behind: Vec<_> = self.behind.iter().copied().collect();
            for number in behind {
                if halted == Some(number) {
                    continue;
                }
                let Some(stream) = self.all.get_mut(&number) else {
                    self.behind.remove(&number);
                    continue;
                };
                let went = stream.advance(events, learned, turns);
                self.waiting -= went;
                moved |= went > 0;
                if !stream.is_behind() {
                    self.behind.remove(&number);
                }
            }
        }
    }

    /// Something that is not seen here orders tasks: from now on nothing is said about order.
    pub(super) fn give_order_up(&mut self) {
        self.lost = true;
    }

    /// Gives the order of things up.
    fn lose(&mut self, events: &mut Events, learned: &HostLearned, turns: &mut Vec<Turn>) {
        self.lost = true;
        self.waiting = 0;
        for number in std::mem::take(&mut self.behind) {
            if let Some(stream) = self.all.get_mut(&number) {
                stream.force_until(u64::MAX, events, learned, turns);
                stream.shrink();
            }
        }
    }
}
