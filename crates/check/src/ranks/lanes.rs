//! The streams of one file, and which of its calls each has reached.

use std::collections::{HashMap, HashSet, VecDeque};

use millpond_trace::{EventRef, Operation, Record, StreamRef, TaskKind};

/// A task that a stream may wait at, or that others wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    /// A call between ranks.
    Call(u64),
    /// An event is recorded here.
    Mark(u64),
    /// The stream waits for a mark.
    Wait(u64),
}

#[derive(Debug, Clone, Copy)]
struct Task {
    number: u64,
    item: Item,
}

/// The streams of a file. Only what is behind a call that is not over is kept.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    streams: HashMap<StreamRef, VecDeque<Task>>,
    /// The latest mark of an event, if it may not be reached.
    events: HashMap<EventRef, u64>,
    /// Marks that are not reached, and the stream that each is in.
    marks: HashMap<u64, StreamRef>,
    next_mark: u64,
}

impl Lanes {
    /// Adds a call. Calls of several threads may be recorded in another order than they were queued in.
    pub(super) fn add_call(&mut self, stream: StreamRef, task: u64, call: u64) {
        self.add(stream, task, Item::Call(call));
    }

    fn add(&mut self, stream: StreamRef, number: u64, item: Item) {
        let lane = self.streams.entry(stream).or_default();
        let at = lane.iter().rposition(|other| other.number <= number);
        lane.insert(at.map_or(0, |at| at + 1), Task { number, item });
    }

    /// Reads what streams do with events.
    pub(super) fn read(&mut self, record: &Record) {
        let Operation::Enqueued {
            position,
            accesses,
            event: Some(event),
            captured: None,
        } = &record.operation
        else {
            return;
        };
        let is_idle = !self.streams.contains_key(&position.stream);
        match accesses.task {
            TaskKind::RecordEvent if is_idle => {
                self.events.remove(event);
            }
            TaskKind::RecordEvent => {
                self.next_mark += 1;
                self.events.insert(*event, self.next_mark);
                self.marks.insert(self.next_mark, position.stream);
                self.add(position.stream, position.task, Item::Mark(self.next_mark));
            }
            TaskKind::WaitEvent => {
                // A wait for anything else ends sooner or later, as far as is known here.
                if let Some(mark) = self.events.get(event).copied()
                    && self.marks.contains_key(&mark)
                {
                    self.add(position.stream, position.task, Item::Wait(mark));
                }
            }
            TaskKind::ResetEvent => {
                self.events.remove(event);
            }
            _ => {}
        }
    }

    /// Goes as far as possible in one stream, and in those that wait for it. Returns the calls that were reached, which may have been
    /// reached before.
    pub(super) fn advance(&mut self, stream: StreamRef) -> Vec<u64> {
        let mut reached = Vec::new();
        let mut todo = vec![stream];
        while let Some(stream) = todo.pop() {
            let Some(lane) = self.streams.get_mut(&stream) else {
                continue;
            };
            let mut passed = false;
            while let Some(first) = lane.front() {
                match first.item {
                    Item::Call(_) => {
                        // Calls of one task go side by side.
                        let task = lane.iter().take_while(|it| it.number == first.number);
                        reached.extend(task.filter_map(|it| match it.item {
                            Item::Call(call) => Some(call),
                            _ => None,
                        }));
                        break;
                    }
                    Item::Mark(mark) => {
                        self.marks.remove(&mark);
                        passed = true;
                    }
                    Item::Wait(mark) if self.marks.contains_key(&mark) => break,
                    Item::Wait(_) => {}
                }
                lane.pop_front();
            }
            if lane.is_empty() {
                self.streams.remove(&stream);
            }
            if passed {
                let waits = |lane: &VecDeque<Task>| {
                    let first = lane.front().map(|task| task.item);
                    matches!(first, Some(Item::Wait(mark)) if !self.marks.contains_key(&mark))
                };
                let ready = self.streams.iter().filter(|(_, lane)| waits(lane));
                todo.extend(ready.map(|(stream, _)| *stream));
            }
        }
        reached
    }

    /// A call is over.
    pub(super) fn remove(&mut self, stream: StreamRef, call: u64) {
        if let Some(lane) = self.streams.get_mut(&stream)
            && let Some(at) = lane.iter().position(|task| task.item == Item::Call(call))
        {
            lane.remove(at);
        }
    }

    /// What each stream waits at.
    pub(super) fn fronts(&self) -> impl Iterator<Item = (StreamRef, Item)> {
        self.streams.iter().flat_map(|(stream, lane)| {
            let first = lane.front().map_or(0, |task| task.number);
            let tasks = lane.iter().take_while(move |task| task.number == first);
            tasks.map(|task| (*stream, task.item))
        })
    }

    /// The stream of a mark that is not reached.
    pub(super) fn stream_of(&self, mark: u64) -> Option<StreamRef> {
        self.marks.get(&mark).copied()
    }

    /// How many tasks are kept.
    pub(super) fn tasks(&self) -> usize {
        self.streams.values().map(VecDeque::len).sum()
    }

    /// Forgets marks that nothing waits for, if there are many events.
    pub(super) fn trim(&mut self) {
        const MOST: usize = 4096;
        if self.events.len() > MOST {
            let live: HashSet<u64> = self.marks.keys().copied().collect();
            self.events.retain(|_, mark| live.contains(mark));
        }
    }
}
