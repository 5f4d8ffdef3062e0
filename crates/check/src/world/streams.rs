//! Streams: their tasks in logical order.
//!
//! A task has its turn as soon as all before it in its stream had theirs, and, for a wait, the
//! recording that it waits for. For most programs that is when it is enqueued.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use millpond_trace::{EventRef, Position, Record, StreamRef, TaskKind};

use super::events::Events;
use super::{Doer, Turn};
use crate::clock::{Clock, HostLearned};

/// A stream that lives, or that lived.
#[derive(Debug)]
pub(crate) struct Stream {
    number: StreamRef,
    pub(crate) device: u32,
    pub(crate) made: Arc<Doer>,
    pub(crate) ended: Option<Arc<Doer>>,
    /// Whether work was in it that nobody had waited for when it ended.
    pub(crate) ended_busy: bool,
    /// What comes before its next task, as of the last that had its turn.
    pub(crate) clock: Clock,
    /// The last task that was enqueued.
    pub(crate) enqueued: u64,
    /// The last task that ended.
    pub(crate) completed: u64,
    /// Tasks that had no turn yet.
    waiting: VecDeque<Waiting>,
    /// What it knew of other streams from a task on; changes only at waits.
    known: VecDeque<(u64, Clock)>,
    /// Functions of the program among its tasks that have not ended.
    functions: VecDeque<u64>,
}

#[derive(Debug)]
struct Waiting {
    task: u64,
    event: Option<EventRef>,
    /// The recording that it waits for.
    captured: Option<Position>,
    turn: Turn,
}

/// Changes of what a stream knows that are remembered.
const CHANGES: usize = 256;

impl Stream {
    /// Whether tasks of it had no turn yet, because they wait for a recording to come.
    pub(crate) fn is_behind(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Everything that had passed when it came to a task.
    pub(super) fn known_at(&self, task: u64) -> Vec<Position> {
        let known = self.known.iter().rev().find(|(from, _)| *from <= task);
        let own = Position {
            stream: self.number,
            task,
        };
        let mut positions: Vec<_> = known
            .into_iter()
            .flat_map(|(_, clock)| clock.positions())
            .filter(|position| position.stream != own.stream)
            .collect();
        positions.push(own);
        positions
    }
}

/// All streams.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    streams: BTreeMap<StreamRef, Stream>,
    /// Streams with tasks that had no turn yet.
    behind: BTreeSet<StreamRef>,
    /// Streams that ended, the oldest first: a few are remembered.
    ended: VecDeque<StreamRef>,
}

/// Streams that ended and are remembered.
const REMEMBERED: usize = 256;

impl Streams {
    pub(crate) fn get(&self, stream: StreamRef) -> Option<&Stream> {
        self.streams.get(&stream)
    }

    /// All that were created and not destroyed.
    pub(crate) fn live(&self) -> impl Iterator<Item = (StreamRef, &Stream)> {
        self.streams
            .iter()
            .filter(|(_, stream)| stream.ended.is_none())
            .map(|(number, stream)| (*number, stream))
    }

    pub(crate) fn books(&self) -> u64 {
        let each = |stream: &Stream| {
            stream.waiting.capacity() * size_of::<Waiting>()
                + stream.known.capacity() * size_of::<(u64, Clock)>()
        };
        let inside: usize = self.streams.values().map(each).sum();
        (inside + self.streams.len() * size_of::<Stream>()) as u64
    }

    pub(super) fn get_mut(&mut self, stream: StreamRef) -> Option<&mut Stream> {
        self.streams.get_mut(&stream)
    }

    pub(super) fn on_device(&self, device: u32) -> Vec<StreamRef> {
        self.live()
            .filter(|(_, stream)| stream.device == device)
            .map(|(number, _)| number)
            .collect()
    }

    pub(super) fn created(&mut self, number: StreamRef, device: u32, made: Arc<Doer>) {
        let stream = Stream {
            number,
            device,
            made,
            ended: None,
            ended_busy: false,
            clock: Clock::default(),
            enqueued: 0,
            completed: 0,
            waiting: VecDeque::new(),
            known: VecDeque::new(),
            functions: VecDeque::new(),
        };
        self.streams.insert(number, stream);
    }

    pub(super) fn destroyed(&mut self, number: StreamRef, learned: &HostLearned, record: &Record) {
        let Some(stream) = self.streams.get_mut(&number) else {
            return;
        };
        stream.ended = Some(Doer::of(record));
        stream.ended_busy = stream.enqueued > learned.now(number);
        stream.waiting.clear();
        self.behind.remove(&number);
        self.ended.push_back(number);
        if self.ended.len() > REMEMBERED
            && let Some(oldest) = self.ended.pop_front()
        {
            self.streams.remove(&oldest);
        }
    }

    /// A task was enqueued. Streams that records do not say the beginning of begin here.
    pub(super) fn enqueued(
        &mut self,
        position: Position,
        event: Option<EventRef>,
        captured: Option<Position>,
        turn: Turn,
    ) {
        if !self.streams.contains_key(&position.stream) {
            self.created(position.stream, 0, Arc::clone(&turn.doer));
        }
        let Some(stream) = self.streams.get_mut(&position.stream) else {
            return;
        };
        stream.enqueued = position.task;
        if matches!(turn.deed.task, TaskKind::HostFunction | TaskKind::Report) {
            stream.functions.push_back(position.task);
        }
        stream.waiting.push_back(Waiting {
            task: position.task,
            event,
            captured,
            turn,
        });
        self.behind.insert(position.stream);
    }

    /// Waits that were for a recording to come learn which it is.
    pub(super) fn bind(&mut self, waits: &[Position], event: EventRef, recording: Position) {
        for wait in waits {
            let stream = self.streams.get_mut(&wait.stream);
            let waiting = stream.and_then(|stream| {
                let mut tasks = stream.waiting.iter_mut();
                tasks.find(|waiting| waiting.task == wait.task)
            });
            if let Some(waiting) = waiting
                && waiting.event == Some(event)
            {
                waiting.captured = Some(recording);
            }
        }
    }

    /// A task ended. Answers whether it was a function of the program.
    pub(super) fn completed(&mut self, position: Position) -> bool {
        let Some(stream) = self.streams.get_mut(&position.stream) else {
            return false;
        };
        stream.completed = stream.completed.max(position.task);
        while let Some(function) = stream.functions.front().copied() {
            if function > position.task {
                break;
            }
            stream.functions.pop_front();
            if function == position.task {
                return true;
            }
        }
        false
    }

    /// Gives every task its turn whose turn has come.
    pub(super) fn advance(
        &mut self,
        events: &mut Events,
        learned: &HostLearned,
        turns: &mut Vec<Turn>,
    ) {
        let mut moved = true;
        while moved {
            moved = false;
            let behind: Vec<_> = self.behind.iter().copied().collect();
            for number in behind {
                let Some(stream) = self.streams.get_mut(&number) else {
                    self.behind.remove(&number);
                    continue;
                };
                moved |= stream.advance(events, learned, turns);
                if stream.waiting.is_empty() {
                    self.behind.remove(&number);
                }
            }
            // With nobody behind, nothing that moved lets others move.
            moved &= !self.behind.is_empty();
        }
    }
}

impl Stream {
    /// Gives its tasks their turns, up to a wait for a recording that had none. Answers whether any
    /// had.
    fn advance(
        &mut self,
        events: &mut Events,
        learned: &HostLearned,
        turns: &mut Vec<Turn>,
    ) -> bool {
        let mut moved = false;
        while let Some(front) = self.waiting.front() {
            let waits = front.turn.deed.task == TaskKind::WaitEvent;
            let mut joined = None;
            if let (true, Some(event)) = (waits, front.event) {
                let Some(recording) = front.captured else {
                    break;
                };
                match events.capture(event, recording) {
                    None => break,
                    Some(clock) => {
                        // Of a recording that is forgotten at least its place is known.
                        let mut clock = clock.cloned().unwrap_or_default();
                        clock.learn(recording);
                        joined = Some(clock);
                    }
                }
            }
            let Some(mut task) = self.waiting.pop_front() else {
                break;
            };
            moved = true;
            self.clock.host = self.clock.host.max(task.turn.clock.host);
            self.clock.learn(Position {
                stream: self.number,
                task: task.task,
            });
            if let Some(joined) = joined {
                self.clock.join(&joined);
                self.clock.shorten(learned);
                if self.known.len() == CHANGES {
                    self.known.pop_front();
                }
                self.known.push_back((task.task, self.clock.clone()));
            }
            task.turn.clock = self.clock.clone();
            if let (TaskKind::RecordEvent, Some(event)) = (task.turn.deed.task, task.event) {
                let at = Position {
                    stream: self.number,
                    task: task.task,
                };
                events.captured(event, at, &self.clock);
            }
            turns.push(task.turn);
        }
        moved
    }
}
