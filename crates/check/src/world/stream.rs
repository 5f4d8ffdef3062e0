//! One stream: which of its tasks have had their turn, and what it knew when.

use std::collections::VecDeque;
use std::sync::Arc;

use millpond_trace::{Accesses, EventRef, Position, StreamRef, TaskKind};

use super::events::{Capture, Events};
use super::{Origin, Touched, Turn};
use crate::clock::{Clock, HostLearned};

/// A live or destroyed stream.
#[derive(Debug)]
pub(crate) struct Stream {
    number: StreamRef,
    pub(crate) context: u64,
    pub(crate) device: u32,
    pub(crate) made: Arc<Origin>,
    pub(crate) ended: Option<Arc<Origin>>,
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
    /// The host function that the stream runs now: no task after it has its turn.
    function: Option<u64>,
    /// Functions of the program among its tasks that have not ended.
    functions: VecDeque<u64>,
}

/// A task that has not had its turn.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) task: u64,
    /// The event that it records or waits for.
    pub(super) event: Option<EventRef>,
    /// The recording that it waits for.
    pub(super) captured: Option<Position>,
    /// It waits for a word in memory, or reads from memory what it does.
    pub(super) word: WordWait,
    pub(super) turn: Turn,
}

/// Whether a task waits for a word in memory.
#[derive(Debug)]
pub(super) enum WordWait {
    /// It waits for something else, or for nothing.
    None,
    /// Who writes the word is decided when the program runs.
    Unmet,
    /// What came before the write that it saw.
    Met(Clock),
    /// It waited for its own addresses; this is what it does at them.
    Found(Box<(Accesses, Touched)>),
}

/// Entries of clocks that are remembered of one stream.
const ENTRIES: usize = 4096;

impl Stream {
    pub(super) fn new(number: StreamRef, context: u64, device: u32, made: Arc<Origin>) -> Self {
        Self {
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
        }
    }

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

    /// How many those are.
    pub(super) fn waiting_count(&self) -> usize {
        self.waiting.len()
    }

    /// Whether functions of the program are among its tasks that have not ended.
    pub(super) fn has_functions(&self) -> bool {
        !self.functions.is_empty()
    }

    /// Gives back what many tasks without a turn have taken.
    pub(super) fn shrink(&mut self) {
        self.waiting.shrink_to_fit();
    }

    pub(super) fn state_bytes(&self) -> usize {
        self.waiting.capacity() * size_of::<Waiting>()
            + self.known.capacity() * size_of::<(u64, Clock)>()
            + self.entries * size_of::<Position>()
            + size_of::<Self>()
    }

    /// A task was enqueued.
    pub(super) fn enqueue(&mut self, waiting: Waiting) {
        self.enqueued = waiting.task;
        let task = waiting.turn.accesses.task;
        if matches!(task, TaskKind::HostFunction | TaskKind::Report) {
            self.functions.push_back(waiting.task);
        }
        self.waiting.push_back(waiting);
    }

    /// A wait for a recording to come learns which it is.
    pub(super) fn bind(&mut self, task: u64, event: EventRef, recording: Position) {
        let index = self.waiting.binary_search_by_key(&task, |it| it.task);
        if let Ok(index) = index
            && self.waiting[index].event == Some(event)
        {
            self.waiting[index].captured = Some(recording);
        }
    }

    /// A wait for a word is over; `clock` is what came before it.
    pub(super) fn meet(&mut self, task: u64, clock: Clock) {
        let index = self.waiting.binary_search_by_key(&task, |it| it.task);
        if let Ok(index) = index
            && matches!(self.waiting[index].word, WordWait::Unmet)
        {
            self.waiting[index].word = WordWait::Met(clock);
        }
    }

    /// A copy has found its addresses.
    pub(super) fn found(&mut self, task: u64, found: (Accesses, Touched)) {
        let index = self.waiting.binary_search_by_key(&task, |it| it.task);
        if let Ok(index) = index
            && matches!(self.waiting[index].word, WordWait::Unmet)
        {
            self.waiting[index].word = WordWait::Found(Box::new(found));
        }
    }

    /// A task ended at action `now` of the host. Returns whether it was a host function.
    pub(super) fn complete(&mut self, task: u64, now: u64) -> bool {
        self.completed = self.completed.max(task);
        let mut was_function = false;
        while let Some(function) = self.functions.front().copied() {
            if function > task {
                break;
            }
            self.functions.pop_front();
            was_function |= function == task;
        }
        if self.function.is_some_and(|it| it <= task) {
            self.function = None;
            // It ended after all that the host did until now.
            self.clock.host = self.clock.host.max(now);
        }
        was_function
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

    /// Gives its tasks their turns, up to a wait for a recording that had none or for a word that was not seen, or to a
    /// function that has not ended. Answers how many had.
    pub(super) fn advance(
        &mut self,
        events: &mut Events,
        learned: &HostLearned,
        turns: &mut Vec<Turn>,
    ) -> usize {
        let mut went = 0;
        while self.function.is_none()
            && let Some(front) = self.waiting.front()
        {
            if let (TaskKind::WaitEvent, Some(event)) = (front.turn.accesses.task, front.event) {
                let Some(recording) = front.captured else {
                    break;
                };
                if matches!(events.capture(event, recording), Capture::NotYet) {
                    break;
                }
            }
            if matches!(front.word, WordWait::Unmet) {
                break;
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
    pub(super) fn force_until(
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
    pub(super) fn drop_until(&mut self, last: u64, events: &mut Events) -> usize {
        let mut dropped = 0;
        while self.waiting.front().is_some_and(|front| front.task <= last)
            && let Some(task) = self.waiting.pop_front()
        {
            let at = self.at(task.task);
            match (task.turn.accesses.task, task.event) {
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
        match (turn.accesses.task, task.event) {
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
        let mut found = None;
        match task.word {
            WordWait::Met(clock) => {
                self.clock.join(&clock);
                self.clock.shorten(learned);
                self.remember(task.task);
            }
            WordWait::Found(what) => found = Some(*what),
            WordWait::None | WordWait::Unmet => {}
        }
        turn.clock = self.clock.clone();
        let second = found.map(|(accesses, blocks)| Turn {
            epoch: turn.epoch,
            clock: turn.clock.clone(),
            accesses,
            origin: Arc::clone(&turn.origin),
            blocks,
        });
        turns.push(turn);
        turns.extend(second);
    }
}
