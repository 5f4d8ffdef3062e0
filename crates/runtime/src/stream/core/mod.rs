//! The queue and the life of one stream.
//!
//! Tasks come in at the back of `inbox` from any thread. Whoever *runs* the stream, one thread at a
//! time, takes the whole inbox over as `batch` and works through it, so that enqueuing threads and
//! the runner rarely meet at a lock.
//!
//! ```text
//!            enqueue                      claim                     last task done
//!   Idle ───────────────▶ Ready ───────────────────▶ Running ─────────────────────────▶ Idle
//!                          ▲ ▲                        │   │
//!                          │ └── mark reached, time ──┘   └─▶ Away (a host function or external work has the stream)
//!                          │     out: from Parked(n)           │
//!                          └───────────────────────────────────┘ it ended
//! ```
//!
//! Here: what a stream is, enqueuing and closing. `abort.rs` throws work away, `run.rs` is the side of the thread that runs it, `wait.rs` of threads that wait for
//! it or looks at it, `functions.rs` how functions of the program are run.
//!
//! What must always hold:
//! - Exactly one thread runs a stream between `claim` and leaving `Running`.
//! - Tasks complete in the order of their positions; `progress.completed` never goes back.
//! - Locks are taken in the order of `lock.rs`. None is held while a task runs.

mod abort;
mod functions;
mod queuers;
mod run;
mod wait;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use millpond_pool::Clock;
use millpond_trace::{Operation, Position};

use super::progress::{Apart, Progress};
use super::{EndedBy, Mark, ReportQueue, Task, Work};
use crate::api::allocator::StreamAllocator;
use crate::error::{Boxed, Error, TaskFailure};
use crate::graph::{GraphError, Recording};
use crate::lock::{Condvar, Mutex, assert_none_held, rank};
use crate::order::Known;
use crate::schedule::Scheduler;
use crate::shared::{DeviceCore, Shared};

use abort::Follower;
pub use functions::Ending;
pub(crate) use functions::function_of_thread;
use queuers::Queuers;
pub(crate) use run::Stepped;
pub(crate) use wait::{Head, Rest, Stand, Waiting};

/// What later tasks of a stream do when one has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnFailure {
    /// They run. The failure surfaces at the next synchronisation, once.
    #[default]
    Continue,
    /// They are skipped, and every later synchronisation says so.
    Stop,
}

/// A stream.
#[derive(Debug)]
pub(crate) struct StreamCore {
    pub(crate) id: u64,
    pub(crate) context: u64,
    pub(crate) device: Arc<DeviceCore>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) priority: u32,
    pub(crate) flags: u32,
    pub(crate) progress: Arc<Progress>,
    /// What it knows of other streams: what the events that it waits for had captured. Changed under
    /// `queue`, so that it is right for the position.
    clock: Mutex<rank::StreamClock, Known>,
    /// What enqueuing threads write.
    queue: Apart<Mutex<rank::Queue, Queue>>,
    /// State that the thread which runs the stream writes.
    batch: Apart<Mutex<rank::Batch, VecDeque<Task>>>,
    /// A task has failed and the rest is to be skipped. Changed under `queue`.
    stopped: AtomicBool,
    /// The last task, if it and what is queued before it has nothing left to do.
    settled: AtomicU64,
    /// How often the stream was aborted. Changed under `batch`.
    aborts: AtomicU64,
    /// Signalled when `progress.completed` moves and a thread waits, and at aborts.
    moved: Condvar,
    /// The lowest position that a thread waits for; `u64::MAX` if none does.
    wanted: AtomicU64,
    pub(crate) allocator: Mutex<rank::StreamAllocator, Option<Arc<dyn StreamAllocator>>>,
    pub(crate) reports: Mutex<rank::StreamReports, Option<Arc<ReportQueue>>>,
    /// Reports of this stream that have not been run or dropped.
    pub(crate) reports_left: Arc<AtomicU64>,
    /// What becomes of work that is queued here, if it does not run: set while the stream is captured or used for an update.
    recording: Mutex<rank::StreamRecording, Option<Recording>>,
    /// Whether there is such a thing.
    records: AtomicBool,
    /// The last task that may change memory of the host, or waits for one that may; noted in the checking mode.
    unsettles_host: AtomicU64,
    /// Work on other streams that belongs to tasks of this one.
    followers: Mutex<rank::Followers, Vec<Follower>>,
}

#[derive(Debug, Default)]
struct Queue {
    inbox: VecDeque<Task>,
    state: State,
    closed: bool,
    on_failure: OnFailure,
    failure: Option<(u64, TaskFailure)>,
    /// The wait whose clock is running, and the one whose time is up.
    timed: u64,
    expired: u64,
    /// Who has the task that is away.
    away: Option<Holder>,
    queuers: Queuers,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Idle,
    Ready,
    Running,
    /// The task with this position waits for a mark.
    Parked(u64),
    /// The task with this position is in the hands of a host thread, or of something outside.
    Away(u64),
}

/// Who has a task that is away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holder {
    /// A function of the program.
    Function,
    /// Something outside the runtime.
    Outside(EndedBy),
}

impl StreamCore {
    pub(crate) fn new(
        id: u64,
        context: u64,
        device: Arc<DeviceCore>,
        shared: Arc<Shared>,
        priority: u32,
        flags: u32,
    ) -> Self {
        Self {
            id,
            context,
            device,
            shared,
            priority,
            flags,
            progress: Arc::new(Progress::new(id)),
            clock: Mutex::default(),
            queue: Apart::default(),
            batch: Apart::default(),
            stopped: AtomicBool::new(false),
            settled: AtomicU64::new(0),
            aborts: AtomicU64::new(0),
            moved: Condvar::new(),
            wanted: AtomicU64::new(u64::MAX),
            allocator: Mutex::new(None),
            reports: Mutex::new(None),
            reports_left: Arc::default(),
            recording: Mutex::new(None),
            records: AtomicBool::new(false),
            unsettles_host: AtomicU64::new(0),
            followers: Mutex::default(),
        }
    }

    /// What it knows of other streams.
    pub(crate) fn clock(&self) -> Clock {
        self.clock.lock().clock(&self.shared.order)
    }

    /// What is queued from now on comes after a mark. Called while the wait is put into the queue.
    pub(crate) fn learn(&self, mark: &Mark) {
        // A stream that has stopped will skip the wait.
        if self.stopped.load(Ordering::Relaxed) {
            return;
        }
        let order = &self.shared.order;
        let mut known = self.clock.lock();
        let mut clock = known.clock(order);
        clock.merge(&mark.clock(order));
        clock.forget(|stream, position| stream == self.id || order.passed(stream) >= position);
        known.set(clock, order);
    }

    /// Somebody has seen everything passed that a wait was for, and what the stream knew then: `clock`
    /// was taken before `waiting`, so it knows of no wait that was queued later.
    pub(crate) fn saw(&self, waiting: Waiting, clock: &Clock) {
        if self.was_aborted(waiting) {
            return;
        }
        self.progress.see(waiting.task);
        // A stream that has stopped skips its waits, so it is ordered after no other stream.
        if !self.stopped.load(Ordering::Relaxed) {
            self.shared.order.saw(clock);
        }
    }

    /// Waits were dropped or skipped: it is no longer ordered after other streams.
    fn unlearn(&self) {
        *self.clock.lock() = Known::default();
    }

    /// Ends the registration of an allocator. It is the program's, so it goes without a lock.
    pub(crate) fn drop_allocator(&self) {
        let registered = self.allocator.lock().take();
        assert_none_held();
        drop(registered);
    }

    fn scheduler(&self) -> &Scheduler {
        &self.shared.scheduler
    }

    /// Puts a task at the end. `make` learns the task's position; `describe` is its record.
    ///
    /// The caller lets go of its locks and then tells the scheduler that it was called.
    #[inline(always)]
    pub(crate) fn enqueue(
        self: &Arc<Self>,
        make: impl FnOnce(u64) -> Work,
        describe: impl FnOnce(Position) -> Operation,
    ) -> Boxed<u64> {
        let (position, wakes) = self.append(make, describe)?;
        if wakes {
            self.scheduler().ready(self);
        }
        Ok(position)
    }

    /// Puts a task at the end that takes less time than waking a worker. If the stream has nothing else to do, this thread
    /// runs it, unless the schedule decides who runs when.
    pub(crate) fn enqueue_small(
        self: &Arc<Self>,
        make: impl FnOnce(u64) -> Work,
        describe: impl FnOnce(Position) -> Operation,
    ) -> Boxed<u64> {
        let mut queue = self.queue.lock();
        let here = queue.state == State::Idle
            && !queue.closed
            && !self.records.load(Ordering::Relaxed)
            && !self.scheduler().is_directed();
        if !here {
            drop(queue);
            return self.enqueue(make, describe);
        }
        // Nothing is queued, so the task need not be either.
        let position = self.progress.enqueued.load(Ordering::Relaxed) + 1;
        self.note_queuer(&mut queue, position);
        self.shared.tap.emit(|| {
            describe(Position {
                stream: self.id,
                task: position,
            })
        });
        self.progress.enqueued.store(position, Ordering::Release);
        queue.state = State::Running;
        let task = Task {
            position,
            serial: 0,
            work: make(position),
        };
        if self.shared.config.guards && task.work.may_change_host() {
            self.unsettle_host(position);
        }
        let aborts = self.aborts.load(Ordering::Relaxed);
        drop(queue);
        // What others queued meanwhile is a worker's affair.
        if self.perform(task, aborts) == Stepped::More && self.release() {
            self.scheduler().ready(self);
        }
        Ok(position)
    }

    /// Puts a task at the end. Returns its position, and whether the stream has become ready through it.
    #[inline(always)]
    fn append(
        self: &Arc<Self>,
        make: impl FnOnce(u64) -> Work,
        describe: impl FnOnce(Position) -> Operation,
    ) -> Boxed<(u64, bool)> {
        let mut queue = self.queue.lock();
        if queue.closed {
            return Err(Error::StreamGone.into());
        }
        // Whatever can be captured was taken on the way here. Nothing runs while a stream is captured.
        if self.records.load(Ordering::Relaxed) {
            return Err(not_capturable());
        }
        let position = self.progress.enqueued.load(Ordering::Relaxed) + 1;
        self.note_queuer(&mut queue, position);
        // Under the lock, so that no record of the task's end can come before this one.
        self.shared.tap.emit(|| {
            describe(Position {
                stream: self.id,
                task: position,
            })
        });
        self.progress.enqueued.store(position, Ordering::Release);
        // Who came first matters only where nothing runs on its own.
        let serial = if self.scheduler().is_directed() {
            self.shared.next_task()
        } else {
            0
        };
        queue.inbox.push_back(Task {
            position,
            serial,
            // Made here, where it is put: a task that is made earlier is copied twice.
            work: make(position),
        });
        if self.shared.config.guards
            && queue
                .inbox
                .back()
                .is_some_and(|task| task.work.may_change_host())
        {
            self.unsettle_host(position);
        }
        let wakes = queue.state == State::Idle;
        if wakes {
            queue.state = State::Ready;
            self.scheduler().busy(self);
        }
        drop(queue);
        Ok((position, wakes))
    }

    /// Remembers who queues a task, if somebody wants to know of failures.
    #[inline(always)]
    fn note_queuer(&self, queue: &mut Queue, position: u64) {
        if self.shared.failures.get().is_some() {
            queue.queuers.note(position, self.progress.completed());
        }
    }

    /// What becomes of work that is queued here, if it does not run.
    #[inline(always)]
    pub(crate) fn recording(&self) -> Option<Recording> {
        if !self.records.load(Ordering::Acquire) {
            return None;
        }
        self.recording.lock().clone()
    }

    /// From now on work that is queued here is recorded. False if it is already.
    pub(crate) fn record_into(&self, recording: Recording) -> bool {
        let mut known = self.recording.lock();
        if known.is_some() {
            return false;
        }
        *known = Some(recording);
        self.records.store(true, Ordering::Release);
        true
    }

    /// From now on work that is queued here runs.
    pub(crate) fn record_no_more(&self) {
        let before = {
            let mut known = self.recording.lock();
            self.records.store(false, Ordering::Release);
            known.take()
        };
        drop(before);
    }

    /// This task, or one that it waits for, may change memory of the host.
    pub(crate) fn unsettle_host(&self, position: u64) {
        self.unsettles_host.fetch_max(position, Ordering::Relaxed);
    }

    /// Whether nothing that is queued here may change memory of the host.
    pub(crate) fn host_is_settled(&self) -> bool {
        self.progress.completed() >= self.unsettles_host.load(Ordering::Relaxed)
    }

    /// Ends the subscription to the stream's reports, and drops those that were not fetched.
    pub(crate) fn forget_reports(&self) {
        let reports = self.reports.lock().take();
        if let Some(reports) = reports {
            reports.forget(self.id);
        }
    }

    /// Whether this thread is inside a host function of this stream.
    pub(crate) fn is_inside(&self) -> bool {
        functions::stream_of_thread() == self.id
    }

    pub(crate) fn set_on_failure(&self, on_failure: OnFailure) {
        let mut queue = self.queue.lock();
        queue.on_failure = on_failure;
        self.note_stopped(&queue);
    }

    fn note_stopped(&self, queue: &Queue) {
        let stopped = queue.on_failure == OnFailure::Stop && queue.failure.is_some();
        if self.stopped.swap(stopped, Ordering::Relaxed) && !stopped {
            self.unlearn();
        }
    }

    /// Asks whether the stream was aborted since now. It does not keep the stream.
    pub(crate) fn watch_aborts(self: &Arc<Self>) -> impl Fn() -> bool + Send + Sync + use<> {
        let (stream, aborts) = (Arc::downgrade(self), self.aborts.load(Ordering::Acquire));
        move || {
            let now = stream.upgrade();
            now.is_none_or(|now| now.aborts.load(Ordering::Acquire) != aborts)
        }
    }

    /// Refuses new tasks from now on. What is queued still runs.
    pub(crate) fn close(&self) {
        self.queue.lock().closed = true;
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.queue.lock().closed
    }
}

#[cold]
fn not_capturable() -> Box<Error> {
    GraphError::NotCapturable {
        what: "this call",
        reason: "Millpond has no template for it; make it outside of the capture",
    }
    .into()
}

impl Drop for StreamCore {
    fn drop(&mut self) {
        // Nothing is queued any more, otherwise a handle would exist.
        self.shared.forget_stream(self.id);
    }
}

/// The moment that is `limit` ahead; `None` if the clock cannot count so far.
pub(crate) fn deadline_in(limit: Duration) -> Option<Instant> {
    Instant::now().checked_add(limit)
}
