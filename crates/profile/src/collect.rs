//! Records to a profile.

use std::collections::HashMap;

use millpond_trace::{Operation, Outcome, Position, Record, Space, TaskKind};

use crate::clock::Clock;

/// A call of the interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The function.
    pub name: String,
    /// The thread, by its number for the system.
    pub thread: u32,
    /// When it began, in nanoseconds since 1970.
    pub began: u64,
    /// When it returned.
    pub ended: u64,
    /// What it returned.
    pub code: i32,
}

/// A task that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The device.
    pub device: u32,
    /// The stream and the number in it; none for work that a call did itself.
    pub position: Option<Position>,
    /// What kind of work it is.
    pub kind: TaskKind,
    /// The operator or model, or what else it is in a word.
    pub name: String,
    /// The number of the model; 0 for everything else.
    pub model: u64,
    /// The function that launched it.
    pub call: String,
    /// The thread that launched it, by its number for the system.
    pub thread: u32,
    /// When it was queued, in nanoseconds since 1970.
    pub queued: u64,
    /// When it began.
    pub began: u64,
    /// When it ended.
    pub ended: u64,
    /// How long its stream had nothing to do before it.
    pub idle: u64,
    /// Bytes that it writes.
    pub bytes: u64,
    /// Why it failed, if it did.
    pub failure: Option<String>,
}

impl Task {
    /// Whether it is an operator, a model or a collective.
    pub fn is_operator(&self) -> bool {
        self.kind == TaskKind::Compute
    }

    /// Whether it exchanges data with other ranks.
    pub fn is_communication(&self) -> bool {
        self.is_operator() && self.name.starts_with("Hccl")
    }
}

/// A mark, or a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Its message.
    pub message: String,
    /// Its domain; empty for the global one.
    pub domain: String,
    /// The function that made it.
    pub call: String,
    /// The thread, by its number for the system.
    pub thread: u32,
    /// When it was made or began, in nanoseconds since 1970.
    pub began: u64,
    /// When the range ended; none for a mark.
    pub ended: Option<u64>,
    /// For one in the order of a stream: device, stream, and when the stream came there, at both ends.
    pub on_stream: Option<(u32, u64, u64, u64)>,
}

/// How much memory of a device is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryUse {
    /// The device.
    pub device: u32,
    /// Since when, in nanoseconds since 1970.
    pub time: u64,
    /// How many bytes.
    pub bytes: u64,
}

/// What a profile says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// The process.
    pub process: u32,
    /// The devices that were profiled.
    pub devices: Vec<u32>,
    /// Calls, by when they returned.
    pub calls: Vec<Call>,
    /// Tasks, by when they began.
    pub tasks: Vec<Task>,
    /// Marks and ranges, by when they began.
    pub marks: Vec<Mark>,
    /// The use of memory, in order of time.
    pub memory: Vec<MemoryUse>,
    /// Names of threads, by their number for the system.
    pub threads: Vec<(u32, String)>,
    /// Tasks that had not ended when the profile did. They are in no table.
    pub unfinished: u64,
    /// Ranges that had not ended. They are in no table.
    pub open_ranges: u64,
}

/// A task that has not ended yet, with times of records.
struct Queued {
    task: Task,
    began: Option<u64>,
}

#[derive(Default)]
struct Collector {
    profile: Profile,
    streams: HashMap<u64, u32>,
    threads: HashMap<u64, u32>,
    domains: HashMap<u64, String>,
    queued: HashMap<Position, Queued>,
    /// The last task of each stream that was queued.
    last: HashMap<u64, u64>,
    /// When tasks ended, for marks in the order of streams.
    ended: HashMap<Position, u64>,
    /// When the last task of each stream ended.
    free: HashMap<u64, u64>,
    /// Work that a thread began itself.
    working: HashMap<u64, (u64, Option<u32>, Option<u64>)>,
    /// Open ranges: the mark, and the place in the stream.
    ranges: HashMap<u64, (Mark, Option<Position>)>,
    /// Marks whose times on the stream are still to be found.
    placed: Vec<(Mark, Option<(Position, Position)>)>,
}

impl Profile {
    /// Collects records. Times become nanoseconds since 1970 by `clock`, which learns from the records.
    pub fn collect(process: u32, records: &[Record], mut clock: Clock) -> Self {
        for record in records {
            if let Operation::ClockSeen { raw, .. } = record.operation {
                clock.compare(record.nanoseconds, raw);
            }
        }
        let mut collector = Collector::default();
        for record in records {
            if let Operation::ThreadSeen { thread, system, .. } = record.operation {
                collector.threads.insert(thread, system);
            }
        }
        for record in records {
            collector.learn(record, &clock);
        }
        collector.finish(process)
    }
}

impl Collector {
    fn learn(&mut self, record: &Record, clock: &Clock) {
        let now = clock.wall(record.nanoseconds);
        let thread = self.threads.get(&record.thread).copied().unwrap_or(0);
        let call = || record.site.call.to_string();
        match &record.operation {
            Operation::ProfileBegan { devices, .. } => {
                self.profile.devices.extend(devices);
            }
            Operation::StreamCreated { stream, device, .. } => {
                self.streams.insert(*stream, *device);
            }
            Operation::ThreadSeen { system, name, .. } => {
                self.profile.threads.push((*system, name.clone()));
            }
            Operation::DomainCreated { domain, name } => {
                self.domains.insert(*domain, name.clone());
            }
            Operation::Enqueued {
                position, accesses, ..
            } => {
                self.last.insert(position.stream, position.task);
                let task = Task {
                    device: self.streams.get(&position.stream).copied().unwrap_or(0),
                    position: Some(*position),
                    call: call(),
                    thread,
                    queued: now,
                    ..described(accesses)
                };
                // An operator that ran inside the call only takes its place in the stream.
                let began = self.working.get(&record.thread).copied();
                if let Some((began, _, Some(stream))) = began
                    && stream == position.stream
                    && task.is_operator()
                {
                    self.working.remove(&record.thread);
                    let task = Task {
                        queued: began,
                        ..task
                    };
                    self.end(task, began, now);
                    return;
                }
                self.queued.insert(*position, Queued { task, began: None });
            }
            Operation::TaskBegan { position } | Operation::FunctionBegan { position } => {
                if let Some(queued) = self.queued.get_mut(position) {
                    queued.began.get_or_insert(now);
                }
            }
            Operation::Completed { position, outcome } => {
                self.ended.insert(*position, now);
                let Some(mut queued) = self.queued.remove(position) else {
                    return;
                };
                match outcome {
                    Outcome::Skipped | Outcome::Dropped | Outcome::NotReady => return,
                    Outcome::Failed(why) => queued.task.failure = Some(why.clone()),
                    Outcome::Done => {}
                }
                let free = self.free.get(&position.stream).copied().unwrap_or(0);
                let began = queued.began.unwrap_or(free.max(queued.task.queued));
                self.end(queued.task, began, now);
            }
            Operation::WorkBegan { device, stream } => {
                self.working.insert(record.thread, (now, *device, *stream));
            }
            Operation::Moved { accesses, outcome } => {
                let Some((began, Some(device), _)) = self.working.remove(&record.thread) else {
                    return;
                };
                let task = Task {
                    device,
                    call: call(),
                    thread,
                    queued: began,
                    failure: match outcome {
                        Outcome::Failed(why) => Some(why.clone()),
                        _ => None,
                    },
                    ..described(accesses)
                };
                self.end(task, began, now);
            }
            Operation::Returned { began, code } => {
                self.working.remove(&record.thread);
                self.profile.calls.push(Call {
                    name: call(),
                    thread,
                    began: clock.wall(*began),
                    ended: now,
                    code: *code,
                });
            }
            Operation::MemoryUsed {
                space: Space::Device(device),
                charged,
                ..
            } => self.profile.memory.push(MemoryUse {
                device: *device,
                time: now,
                bytes: *charged,
            }),
            Operation::Marked {
                domain,
                message,
                stream,
            } => {
                let mark = self.mark(message, *domain, call(), thread, now);
                let place = stream.map(|stream| self.place(stream));
                self.placed.push((mark, place.map(|place| (place, place))));
            }
            Operation::RangeStarted {
                range,
                domain,
                message,
                stream,
            } => {
                let mark = self.mark(message, *domain, call(), thread, now);
                let place = stream.map(|stream| self.place(stream));
                self.ranges.insert(*range, (mark, place));
            }
            Operation::RangeEnded { range } => {
                if let Some((mut mark, place)) = self.ranges.remove(range) {
                    mark.ended = Some(now);
                    let places = place.map(|place| (place, self.place(place.stream)));
                    self.placed.push((mark, places));
                }
            }
            _ => {}
        }
    }

    fn mark(&self, message: &str, domain: u64, call: String, thread: u32, began: u64) -> Mark {
        Mark {
            message: message.to_owned(),
            domain: self.domains.get(&domain).cloned().unwrap_or_default(),
            call,
            thread,
            began,
            ended: None,
            on_stream: None,
        }
    }

    /// The last task that was queued in a stream.
    fn place(&self, stream: u64) -> Position {
        Position {
            stream,
            task: self.last.get(&stream).copied().unwrap_or(0),
        }
    }

    fn end(&mut self, mut task: Task, began: u64, ended: u64) {
        (task.began, task.ended) = (began, ended.max(began));
        if let Some(position) = task.position {
            let free = self.free.insert(position.stream, task.ended);
            task.idle = free.map_or(0, |free| began.saturating_sub(free));
        }
        self.profile.tasks.push(task);
    }

    fn finish(mut self, process: u32) -> Profile {
        for (mut mark, places) in std::mem::take(&mut self.placed) {
            if let Some((first, last)) = places
                && let Some(device) = self.streams.get(&first.stream)
            {
                // The stream comes there when the task before has ended, or at once if it has.
                let at = |place: Position, host: u64| {
                    self.ended
                        .get(&place)
                        .map_or(host, |ended| host.max(*ended))
                };
                let ends = (
                    at(first, mark.began),
                    at(last, mark.ended.unwrap_or(mark.began)),
                );
                mark.on_stream = Some((*device, first.stream, ends.0, ends.1));
            }
            self.profile.marks.push(mark);
        }
        let profile = &mut self.profile;
        profile.process = process;
        profile.unfinished = self.queued.len() as u64;
        profile.open_ranges = self.ranges.len() as u64;
        profile.devices.sort_unstable();
        profile.devices.dedup();
        profile.tasks.sort_by_key(|task| task.began);
        profile.marks.sort_by_key(|mark| mark.began);
        self.profile
    }
}

/// A task with what its accesses say.
fn described(accesses: &millpond_trace::Accesses) -> Task {
    let what = match accesses.task {
        TaskKind::Copy => "copy",
        TaskKind::Fill => "fill",
        TaskKind::RecordEvent => "record event",
        TaskKind::WaitEvent => "wait for event",
        TaskKind::ResetEvent => "reset event",
        TaskKind::HostFunction => "host function",
        TaskKind::Report => "report",
        TaskKind::Compute => "operator",
    };
    let name = if accesses.name.is_empty() {
        what.to_owned()
    } else {
        accesses.name.to_string()
    };
    Task {
        device: 0,
        position: None,
        kind: accesses.task,
        name,
        model: accesses.model,
        call: String::new(),
        thread: 0,
        queued: 0,
        began: 0,
        ended: 0,
        idle: 0,
        bytes: accesses
            .writes
            .iter()
            .map(|span| span.width * span.rows)
            .sum(),
        failure: None,
    }
}
