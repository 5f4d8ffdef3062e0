//! Streams: their tasks in logical order.
//!
//! A task has its turn as soon as all before it in its stream had theirs, and, for a wait, the
//! recording that it waits for. For most programs that is when it is enqueued. Behind a function of
//! the program nobody has a turn before it has ended: what the host does meanwhile comes before.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use millpond_trace::{EventRef, Outcome, Position, StreamRef, TaskKind};

use super::events::{Capture, Events};
use super::{Doer, Turn};
use crate::clock::{Clock, HostLearned};

/// A stream that lives, or that lived.
#[derive(Debug)]
pub(crate) struct Stream {
    number: StreamRef,
    pub(crate) context: u64,
    pub(crate) device: u32,
    pub(crate) made: Arc<Doer>,
    pub(crate) ended: Option<Arc<Doer>>,
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
    /// Entries of all clocks in `known`, and whether the oldest of them were given up.
    entries: usize,
    pruned: bool,
    /// The function of the program that has the stream now: nobody behind it has a turn.
    function: Option<u64>,
    /// Functions of the program among its tasks that have not ended.
    functions: VecDeque<u64>,
}

/// A task that had no turn yet.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) task: u64,
    /// The event that it records or waits for.
    pub(super) event: Option<EventRef>,
    /// The recording that it waits for.
    pub(super) captured: Option<Position>,
    pub(super) turn: Turn,
}

/// Entries of clocks that are remembered of one stream.
const ENTRIES: usize = 4096;

impl Stream {
    /// Whether tasks of it had no turn yet, because they wait for a recording to come.
    pub(crate) fn is_behind(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Everything that had passed when it came to a task.
    pub(super) fn known_at(&self, task: u64) -> impl Iterator<Item = Position> + '_ {
        let known = self.known.iter().rev().find(|(from, _)| *from <= task);
        // What was given up is taken for known: rather too much than too little.
        let known = known.or(self.known.front().filter(|_| self.pruned));
        let own = Position {
            stream: self.number,
            task,
        };
        known
            .into_iter()
            .flat_map(|(_, clock)| clock.positions())
            .filter(move |position| position.stream != own.stream)
            .chain([own])
    }

    /// The tasks that had no turn yet.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Turn> {
        self.waiting.iter().map(|waiting| &waiting.turn)
    }

    /// Remembers what it knows from a wait on.
    fn remember(&mut self, task: u64) {
        let completed = self.completed;
        self.entries += self.clock.len() + 1;
        self.known.push_back((task, self.clock.clone()));
        // Nobody asks for what it knew before the last task that ended.
        let passed = |known: &VecDeque<(u64, Clock)>| {
            known.get(1).is_some_and(|(from, _)| *from <= completed)
        };
        while passed(&self.known) || (self.entries > ENTRIES && self.known.len() > 1) {
            self.pruned = true;
            if let Some((_, clock)) = self.known.pop_front() {
                self.entries -= clock.len() + 1;
            }
        }
    }
}

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
    /// There were too many of those tasks: in which order things happen is not known any more.
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
        streams.any(|stream| stream.ended.is_none() && !stream.functions.is_empty())
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

    pub(crate) fn books(&self) -> u64 {
        let each = |stream: &Stream| {
            stream.waiting.capacity() * size_of::<Waiting>()
                + stream.known.capacity() * size_of::<(u64, Clock)>()
                + stream.entries * size_of::<Position>()
        };
        let inside: usize = self.all.values().map(each).sum();
        (inside + self.all.len() * size_of::<Stream>()) as u64
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
        made: Arc<Doer>,
        learned: &mut HostLearned,
    ) {
        learned.begin(number);
        let stream = Stream {
            number,
            context,
            device,
            made,
            ended: None,
            clock: Clock::default(),
            enqueued: 0,
            completed: 0,
            waiting: VecDeque::new(),
            known: VecDeque::new(),
            entries: 0,
            pruned: false,
            function: None,
            functions: VecDeque::new(),
        };
        self.all.insert(number, stream);
    }

    /// A stream ended. Its tasks end by records of their own, some of them after this one.
    pub(super) fn destroyed(
        &mut self,
        number: StreamRef,
        doer: Arc<Doer>,
        events: &mut Events,
        learned: &mut HostLearned,
    ) {
        let Some(stream) = self.all.get_mut(&number) else {
            return;
        };
        if stream.ended.is_some() {
            return;
        }
        stream.ended = Some(doer);
        self.ended.push_back(number);
        if self.ended.len() > REMEMBERED
            && let Some(oldest) = self.ended.pop_front()
        {
            learned.forget(oldest);
            self.behind.remove(&oldest);
            if let Some(mut stream) = self.all.remove(&oldest) {
                self.waiting -= stream.waiting.len();
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
            let made = Arc::clone(&waiting.turn.doer);
            self.created(number, 0, 0, made, learned);
        }
        let Some(stream) = self.all.get_mut(&number) else {
            return;
        };
        stream.enqueued = waiting.task;
        let task = waiting.turn.deed.task;
        if matches!(task, TaskKind::HostFunction | TaskKind::Report) {
            stream.functions.push_back(waiting.task);
        }
        let was_behind = stream.is_behind();
        stream.waiting.push_back(waiting);
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
            let stream = self.all.get_mut(&wait.stream);
            let waiting = stream.and_then(|stream| {
                let index = stream
                    .waiting
                    .binary_search_by_key(&wait.task, |waiting| waiting.task);
                index.ok().and_then(|index| stream.waiting.get_mut(index))
            });
            if let Some(waiting) = waiting
                && waiting.event == Some(event)
            {
                waiting.captured = Some(recording);
            }
        }
    }

    /// A task ended at act `now` of the host. Answers whether it was a function of the program.
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
        stream.completed = stream.completed.max(position.task);
        let mut was_function = false;
        while let Some(function) = stream.functions.front().copied() {
            if function > position.task {
                break;
            }
            stream.functions.pop_front();
            was_function |= function == position.task;
        }
        if stream.function.is_some_and(|it| it <= position.task) {
            stream.function = None;
            // It ended after all that the host did until now.
            stream.clock.host = stream.clock.host.max(now);
        }
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
        self.advance(events, learned, turns);
        was_function
    }

    /// Gives every task its turn whose turn has come.
    fn advance(&mut self, events: &mut Events, learned: &HostLearned, turns: &mut Vec<Turn>) {
        let mut moved = true;
        while moved && !self.behind.is_empty() {
            moved = false;
            let behind: Vec<_> = self.behind.iter().copied().collect();
            for number in behind {
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

    /// Gives the order of things up.
    fn lose(&mut self, events: &mut Events, learned: &HostLearned, turns: &mut Vec<Turn>) {
        self.lost = true;
        self.waiting = 0;
        for number in std::mem::take(&mut self.behind) {
            if let Some(stream) = self.all.get_mut(&number) {
                stream.force_until(u64::MAX, events, learned, turns);
                stream.waiting.shrink_to_fit();
            }
        }
    }
}

impl Stream {
    /// Gives its tasks their turns, up to a wait for a recording that had none, or to a function that
    /// has not ended. Answers how many had.
    fn advance(
        &mut self,
        events: &mut Events,
        learned: &HostLearned,
        turns: &mut Vec<Turn>,
    ) -> usize {
        let mut went = 0;
        while self.function.is_none()
            && let Some(front) = self.waiting.front()
        {
            if let (TaskKind::WaitEvent, Some(event)) = (front.turn.deed.task, front.event) {
                let Some(recording) = front.captured else {
                    break;
                };
                if matches!(events.capture(event, recording), Capture::NotYet) {
                    break;
                }
            }
            let Some(task) = self.waiting.pop_front() else {
                break;
            };
            self.go(task, events, learned, turns);
            went += 1;
        }
        went
    }

    /// Gives tasks their turns whatever they wait for. Answers how many had.
    fn force_until(
        &mut self,
        last: u64,
        events: &mut Events,
        learned: &HostLearned,
        turns: &mut Vec<Turn>,
    ) -> usize {
        let mut went = 0;
        while self.waiting.front().is_some_and(|front| front.task <= last)
            && let Some(task) = self.waiting.pop_front()
        {
            self.function = None;
            self.go(task, events, learned, turns);
            went += 1;
        }
        self.function = self.function.filter(|function| *function > last);
        went
    }

    /// Throws tasks away that will not run. Answers how many.
    fn drop_until(&mut self, last: u64, events: &mut Events) -> usize {
        let mut dropped = 0;
        while self.waiting.front().is_some_and(|front| front.task <= last)
            && let Some(task) = self.waiting.pop_front()
        {
            let at = self.at(task.task);
            match (task.turn.deed.task, task.event) {
                (TaskKind::WaitEvent, Some(event)) => events.passed(event, task.captured, at),
                // Whoever waits for it goes on.
                (TaskKind::RecordEvent, Some(event)) => {
                    events.captured(event, at, &Clock::default());
                }
                _ => {}
            }
            dropped += 1;
        }
        dropped
    }

    fn at(&self, task: u64) -> Position {
        Position {
            stream: self.number,
            task,
        }
    }

    /// Gives a task its turn.
    fn go(
        &mut self,
        task: Waiting,
        events: &mut Events,
        learned: &HostLearned,
        turns: &mut Vec<Turn>,
    ) {
        let at = self.at(task.task);
        let mut turn = task.turn;
        self.clock.host = self.clock.host.max(turn.clock.host);
        self.clock.move_to(at);
        match (turn.deed.task, task.event) {
            (TaskKind::WaitEvent, Some(event)) => {
                if let Some(recording) = task.captured {
                    if let Capture::Known(clock) = events.capture(event, recording) {
                        self.clock.join(clock);
                    }
                    // Of a recording that is not known at least its place is.
                    self.clock.learn(recording);
                    self.clock.shorten(learned);
                    self.remember(task.task);
                }
                events.passed(event, task.captured, at);
            }
            (TaskKind::RecordEvent, Some(event)) => events.captured(event, at, &self.clock),
            (TaskKind::HostFunction | TaskKind::Report, _) if self.completed < task.task => {
                self.function = Some(task.task);
            }
            _ => {}
        }
        turn.clock = self.clock.clone();
        turns.push(turn);
    }
}
