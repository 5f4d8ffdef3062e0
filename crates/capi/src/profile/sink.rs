//! The sink of a profile: chooses records and writes them to its file.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io;

use millpond::Runtime;
use millpond_abi as abi;
use millpond_trace::file::{Header, Writer};
use millpond_trace::{Operation, Record, Sink as _, Site};
use parking_lot::Mutex;

use super::folder::{Folder, clock, system_thread};
use super::{Options, Wanted};
use crate::own_file::OwnFile;

/// How often the clocks are compared, in nanoseconds: between two comparisons times are interpolated.
const COMPARE: u64 = 10_000_000;

const TASKS: u64 = abi::ACL_PROF_TASK_TIME | abi::ACL_PROF_TASK_TIME_L0;
const CALLS: u64 = abi::ACL_PROF_ACL_API | abi::ACL_PROF_RUNTIME_API;

thread_local! {
    /// Whether the call that this thread is in has changed how much memory is in use.
    static MEMORY_CHANGED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread has changed how much memory is in use since this was last asked.
pub(super) fn take_memory_changed() -> bool {
    MEMORY_CHANGED
        .try_with(|changed| changed.replace(false))
        .unwrap_or(false)
}

/// Writes a profile.
pub(super) struct Sink {
    folder: Folder,
    writer: Writer,
    runtime: Runtime,
    chosen: Mutex<Chosen>,
}

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sink")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct Chosen {
    /// The bits of all running configurations.
    switches: u64,
    /// The devices whose tasks are wanted.
    devices: HashSet<u32>,
    memory: bool,
    /// The most bytes that may be written, and how many were, roughly.
    limit: Option<u64>,
    written: u64,
    /// Records that were not written because of the limit.
    over: u64,
    order: u64,
    /// When the clocks were compared last.
    compared: Option<u64>,
    /// The device of each stream.
    streams: HashMap<u64, u32>,
    /// Threads whose name is written.
    threads: HashSet<u64>,
    /// Threads that are in a call which has queued a task.
    launching: HashSet<u64>,
}

impl Sink {
    pub(super) fn create(folder: Folder, runtime: &Runtime) -> io::Result<Self> {
        let path = folder.records();
        let file = OwnFile::new(Writer::open(&path)?, &path)?;
        Ok(Self {
            writer: Writer::new(file, &Header::of_this_process())?,
            folder,
            runtime: runtime.clone(),
            chosen: Mutex::default(),
        })
    }

    pub(super) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Sets what is collected from now on.
    pub(super) fn choose<'a>(&self, running: impl Iterator<Item = &'a Wanted>, options: Options) {
        let mut chosen = self.chosen.lock();
        (chosen.switches, chosen.devices) = (0, HashSet::new());
        for wanted in running {
            chosen.switches |= wanted.switches;
            chosen.devices.extend(&wanted.devices);
        }
        chosen.memory = options.memory || chosen.switches & abi::ACL_PROF_TASK_MEMORY != 0;
        chosen.limit = options.limit;
    }

    /// Writes a record that is not from the tap.
    pub(super) fn note(&self, operation: Operation) {
        let record = Record {
            order: 0,
            nanoseconds: self.runtime.tap().now(),
            thread: millpond_trace::thread_number(),
            site: Site::default(),
            operation,
        };
        let mut chosen = self.chosen.lock();
        if let Operation::StreamCreated { stream, device, .. } = record.operation {
            chosen.streams.insert(stream, device);
        }
        self.compare_clocks(&mut chosen, record.nanoseconds);
        self.write(&mut chosen, &record, record.operation.clone());
    }

    /// Writes everything, and says what is missing.
    pub(super) fn close(&self) -> Result<(), String> {
        self.chosen.lock().compared = None;
        self.note(Operation::ProfileEnded);
        self.writer.close();
        if let Some(problem) = self.writer.problem() {
            return Err(format!(
                "{} could not be written: {problem}",
                millpond_trace::count(self.writer.lost(), "record")
            ));
        }
        match self.chosen.lock().over {
            0 => Ok(()),
            over => Err(format!(
                "{} beyond ACL_PROF_STORAGE_LIMIT were not written",
                millpond_trace::count(over, "record")
            )),
        }
    }

    /// Writes the time by other clocks, if that was not done lately.
    fn compare_clocks(&self, chosen: &mut Chosen, now: u64) {
        if chosen
            .compared
            .is_some_and(|before| now.saturating_sub(before) < COMPARE)
        {
            return;
        }
        chosen.compared = Some(now);
        // The three are read one after the other; the first and the last are the same clock, and the middle of these is the time.
        let first = self.runtime.tap().now();
        let (raw, wall) = (
            clock(libc::CLOCK_MONOTONIC_RAW),
            clock(libc::CLOCK_REALTIME),
        );
        let last = self.runtime.tap().now();
        let record = Record {
            order: 0,
            nanoseconds: first.midpoint(last),
            thread: 0,
            site: Site::default(),
            operation: Operation::ClockSeen { raw, wall },
        };
        self.write(chosen, &record, record.operation.clone());
    }

    fn introduce(&self, chosen: &mut Chosen, record: &Record) {
        if record.thread == 0 || !chosen.threads.insert(record.thread) {
            return;
        }
        // Records are delivered on the thread that emits them.
        let system = system_thread();
        let name = std::fs::read_to_string(format!("/proc/self/task/{system}/comm"));
        let seen = Operation::ThreadSeen {
            thread: record.thread,
            system,
            name: name.unwrap_or_default().trim_end().to_owned(),
        };
        self.write(chosen, record, seen);
    }

    fn write(&self, chosen: &mut Chosen, record: &Record, operation: Operation) {
        /// What most records take in the file, with their texts.
        const BYTES: u64 = 24;
        if chosen.limit.is_some_and(|limit| chosen.written >= limit) {
            chosen.over += 1;
            return;
        }
        chosen.written += BYTES;
        chosen.order += 1;
        let site = Site {
            stack: 0,
            ..record.site.clone()
        };
        self.writer.record(&Record {
            order: chosen.order,
            nanoseconds: record.nanoseconds,
            thread: record.thread,
            site,
            operation,
        });
    }
}

impl Chosen {
    /// Whether the tasks of a stream are wanted.
    fn follows(&self, stream: u64) -> bool {
        let device = self.streams.get(&stream);
        self.switches & TASKS != 0 && device.is_some_and(|device| self.devices.contains(device))
    }

    /// Whether a record belongs into the profile. Learns what later records need.
    fn wants(&mut self, record: &Record) -> bool {
        match &record.operation {
            Operation::StreamCreated { stream, device, .. } => {
                self.streams.insert(*stream, *device);
                true
            }
            Operation::StreamDestroyed { .. } => true,
            Operation::Enqueued { position, .. } => {
                let wanted = self.follows(position.stream);
                if wanted {
                    self.launching.insert(record.thread);
                }
                wanted
            }
            Operation::TaskBegan { position }
            | Operation::FunctionBegan { position }
            | Operation::Completed { position, .. } => self.follows(position.stream),
            Operation::WorkBegan { device, .. } => {
                let here = device.is_none_or(|device| self.devices.contains(&device));
                self.switches & TASKS != 0 && here
            }
            Operation::Moved { .. } => {
                let wanted = self.switches & TASKS != 0;
                if wanted {
                    self.launching.insert(record.thread);
                }
                wanted
            }
            // Calls that launch something belong to the tasks.
            Operation::Returned { .. } => {
                let launched = self.launching.remove(&record.thread);
                launched || self.switches & CALLS != 0
            }
            Operation::RankCalled { .. } => self.switches & (TASKS | abi::ACL_PROF_HCCL_TRACE) != 0,
            Operation::Marked { .. }
            | Operation::RangeStarted { .. }
            | Operation::RangeEnded { .. }
            | Operation::DomainCreated { .. } => self.switches & abi::ACL_PROF_MSPROFTX != 0,
            Operation::MemoryUsed {
                space: millpond_trace::Space::Device(device),
                ..
            } => self.memory && self.devices.contains(device),
            _ => false,
        }
    }
}

fn changes_memory(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Allocated { .. }
            | Operation::Freed { .. }
            | Operation::PhysicalAllocated { .. }
            | Operation::PhysicalImported { .. }
            | Operation::PhysicalFreed { .. }
            | Operation::PoolTrimmed { .. }
            | Operation::PoolDestroyed { .. }
            | Operation::PagesReturned { .. }
    )
}

impl millpond_trace::Sink for Sink {
    fn record(&self, record: &Record) {
        if changes_memory(&record.operation) {
            // A thread that is ending has no call that could tell.
            MEMORY_CHANGED
                .try_with(|changed| changed.set(true))
                .unwrap_or(());
            return;
        }
        let mut chosen = self.chosen.lock();
        if !chosen.wants(record) {
            return;
        }
        self.compare_clocks(&mut chosen, record.nanoseconds);
        self.introduce(&mut chosen, record);
        self.write(&mut chosen, record, record.operation.clone());
    }

    fn wants_times(&self) -> bool {
        true
    }
}
