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
//!                          │ └── mark reached, time ──┘   └─▶ Away (a host function has the stream)
//!                          │     out: from Parked(n)           │
//!                          └───────────────────────────────────┘ it returned
//! ```
//!
//! What must always hold:
//! - Exactly one thread runs a stream between `claim` and leaving `Running`.
//! - Tasks complete in the order of their positions; `progress.completed` never goes back.
//! - Locks are taken in the order event, batch, queue, mark. None is held while a task runs.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use millpond_pool::Clock;
use millpond_trace::{Operation, Outcome, Position, Tap};
use parking_lot::{Condvar, Mutex, MutexGuard};

use super::progress::{Apart, Progress};
use super::{HostWork, Mark, ReportQueue, Task, Work};
use crate::allocator::StreamAllocator;
use crate::error::{Boxed, Error, TaskFailure};
use crate::order::Known;
use crate::schedule::Scheduler;
use crate::shared::{DeviceCore, Shared};

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
    clock: Mutex<Known>,
    /// What enqueuing threads write.
    queue: Apart<Mutex<Queue>>,
    /// What whoever runs the stream writes.
    batch: Apart<Mutex<VecDeque<Task>>>,
    /// A task has failed and the rest is to be skipped. Changed under `queue`.
    stopped: AtomicBool,
    /// The last task, if it and what is queued before it has nothing left to do.
    settled: AtomicU64,
    /// How often the stream was aborted. Changed under `batch`.
    aborts: AtomicU64,
    /// Signalled when `progress.completed` moves and somebody waits, and at aborts.
    moved: Condvar,
    /// The lowest position that somebody waits for; `u64::MAX` when nobody does.
    wanted: AtomicU64,
    pub(crate) allocator: Mutex<Option<Arc<dyn StreamAllocator>>>,
    pub(crate) reports: Mutex<Option<Arc<ReportQueue>>>,
    /// Reports of this stream that have not been run or dropped.
    pub(crate) reports_left: Arc<AtomicU64>,
    /// The last task that may change memory of the host, or waits for one that may; noted in the checking mode.
    unsettles_host: AtomicU64,
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
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Idle,
    Ready,
    Running,
    /// The task with this position waits for a mark.
    Parked(u64),
    /// The task with this position is in the hands of a host thread.
    Away(u64),
}

/// What a runner should do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stepped {
    /// The next task can be run at once.
    More,
    /// The stream is somebody else's now, or idle: do not touch it.
    Left,
}

/// What the first unfinished task of a stream needs.
#[derive(Debug)]
pub(crate) enum Head {
    /// Nothing: it can run.
    Runnable {
        /// Its number among all tasks.
        serial: u64,
    },
    /// A mark that is not reached.
    Needs(Arc<Mark>),
    /// It is being run, or there is none.
    Busy,
}

/// Whether a stream goes on by itself.
#[derive(Debug)]
pub(crate) enum Stand {
    /// It has nothing to do.
    Idle,
    /// It is run, or will be.
    Moves,
    /// A task of it waits for a mark, without a limit.
    Waits { task: u64, mark: Arc<Mark> },
    /// A task of it lies among reports that were not fetched.
    Reported {
        task: u64,
        reports: Arc<ReportQueue>,
    },
}

/// A wait for a stream, taken when the wait begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waiting {
    pub(crate) task: u64,
    aborts: u64,
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
            unsettles_host: AtomicU64::new(0),
        }
    }

    /// What it knows of other streams.
    pub(crate) fn clock(&self) -> Clock {
        self.clock.lock().clock(&self.shared.order)
    }

    /// What it is told from now on comes after a mark. Called while the wait is put into the queue.
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
        // A stream that has stopped skips its waits, so it is behind nobody.
        if !self.stopped.load(Ordering::Relaxed) {
            self.shared.order.saw(clock);
        }
    }

    /// Waits were thrown away or skipped: it is behind nobody any more.
    fn unlearn(&self) {
        *self.clock.lock() = Known::default();
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
        let mut queue = self.queue.lock();
        if queue.closed {
            return Err(Error::StreamGone.into());
        }
        let position = self.progress.enqueued.load(Ordering::Relaxed) + 1;
        // Under the lock, so that no record of the task's end can come before this one.
        self.shared.tap.emit(|| {
            describe(Position {
                stream: self.id,
                task: position,
            })
        });
        self.progress.enqueued.store(position, Ordering::Release);
        // Who came first matters only where nothing runs by itself.
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
        if self.shared.config.planted
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
        if wakes {
            self.scheduler().ready(self);
        }
        Ok(position)
    }

    /// This task, or one that it waits for, may change memory of the host.
    pub(crate) fn unsettle_host(&self, position: u64) {
        self.unsettles_host.fetch_max(position, Ordering::Relaxed);
    }

    /// Whether nothing that is queued here may change memory of the host.
    pub(crate) fn host_is_settled(&self) -> bool {
        self.progress.completed() >= self.unsettles_host.load(Ordering::Relaxed)
    }

    /// Takes the right to run this stream, if it is ready and nobody has it.
    pub(crate) fn claim(&self) -> bool {
        let mut queue = self.queue.lock();
        let ready = queue.state == State::Ready;
        if ready {
            queue.state = State::Running;
        }
        ready
    }

    /// Gives the right back. Answers whether there is work left, for the caller to hand on.
    pub(crate) fn release(&self) -> bool {
        let batch = self.batch.lock();
        let mut queue = self.queue.lock();
        if batch.is_empty() && queue.inbox.is_empty() {
            self.become_idle(&mut queue);
            return false;
        }
        queue.state = State::Ready;
        true
    }

    /// Runs one task. The caller has claimed the stream. With `lingers` it does not give up at once
    /// when there is none.
    pub(crate) fn step(self: &Arc<Self>, lingers: bool) -> Stepped {
        let Some((task, aborts)) = self.next_task(lingers) else {
            return Stepped::Left;
        };
        let Task {
            position,
            serial,
            work,
        } = task;
        if self.skips(&work) {
            if let Work::Wait { mark, .. } = &work {
                self.unlearn();
                self.shared.order.break_order();
                self.shared.disown();
                mark.waited();
            }
            self.finish_with(position, Outcome::Skipped);
            return Stepped::More;
        }
        match work {
            Work::Nothing => self.finish(position, Ok(())),
            Work::Move(motion) => {
                let moved = motion.perform(&*self.device.device);
                self.finish(position, moved.map_err(TaskFailure::Device));
            }
            Work::Compute(work) => {
                let computed = work.run();
                self.finish(position, computed.map_err(TaskFailure::Computation));
            }
            Work::Record(mark) => {
                if self.stopped.load(Ordering::Relaxed) {
                    mark.void();
                }
                self.finish_at(position, Ok(()), || mark.mark_reached());
            }
            Work::Wait { mark, limit } => {
                if mark.reached() {
                    self.finish_wait(position, Ok(()), &mark);
                } else if self.queue.lock().expired == position {
                    mark.forget(self.id);
                    let limit = limit.unwrap_or_default();
                    let milliseconds = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
                    let failure = TaskFailure::WaitedTooLong { milliseconds };
                    self.finish_wait(position, Err(failure), &mark);
                } else {
                    let task = Task {
                        position,
                        serial,
                        work: Work::Wait {
                            mark: Arc::clone(&mark),
                            limit,
                        },
                    };
                    return self.park(task, &mark, limit, aborts);
                }
            }
            Work::Host(run) => {
                self.leave(position);
                self.send_away(position, run);
                return Stepped::Left;
            }
            Work::Report {
                run,
                blocks: true,
                reports,
            } => {
                self.leave(position);
                let away = Away {
                    stream: Arc::clone(self),
                    position,
                    result: Ok(()),
                };
                let id = self.id;
                let begin = move || {
                    let _inside = Inside::begin(&away.stream.shared.tap, id, position);
                    away.end(caught_inside(id, run));
                };
                reports.push(id, Box::new(begin));
                return Stepped::Left;
            }
            Work::Report {
                run,
                blocks: false,
                reports,
            } => {
                let (tap, stream) = (Arc::clone(&self.shared.tap), self.id);
                let begin = move || {
                    let _inside = Inside::begin(&tap, stream, position);
                    run();
                };
                reports.push(self.id, Box::new(begin));
                self.finish(position, Ok(()));
            }
        }
        Stepped::More
    }

    /// The next task of the batch, or of the inbox, and how often the stream had been aborted when
    /// it was taken; without any the stream becomes idle.
    fn next_task(&self, lingers: bool) -> Option<(Task, u64)> {
        let mut batch = self.batch.lock();
        let aborts = self.aborts.load(Ordering::Relaxed);
        if let Some(task) = batch.pop_front() {
            return Some((task, aborts));
        }
        if lingers {
            Self::linger();
        }
        let mut queue = self.queue.lock();
        if queue.inbox.is_empty() {
            self.become_idle(&mut queue);
            return None;
        }
        std::mem::swap(&mut *batch, &mut queue.inbox);
        drop(queue);
        batch.pop_front().map(|task| (task, aborts))
    }

    /// Lets a little time pass, less than what waking a thread costs, without looking at anything
    /// that enqueuing threads write: a program that enqueues one task after the other then meets
    /// the runner once per batch of tasks instead of at each of them.
    fn linger() {
        const PAUSES: u32 = 24;
        for _ in 0..PAUSES {
            std::hint::spin_loop();
        }
    }

    /// Everything that was enqueued has ended or was dropped.
    fn become_idle(&self, queue: &mut MutexGuard<'_, Queue>) {
        queue.state = State::Idle;
        let enqueued = self.progress.enqueued.load(Ordering::Relaxed);
        if self.shared.tap.listening() {
            self.record_dropped(enqueued);
        }
        let before = self
            .progress
            .completed
            .fetch_max(enqueued, Ordering::SeqCst);
        if before < enqueued {
            self.moved.notify_all();
        }
        self.scheduler().idle(self.id);
    }

    /// A stopped stream skips what it still has, but marks must be reached or others wait for ever.
    fn skips(&self, work: &Work) -> bool {
        self.stopped.load(Ordering::Relaxed) && !matches!(work, Work::Record(_))
    }

    fn finish(&self, position: u64, result: Result<(), TaskFailure>) {
        self.finish_at(position, result, Vec::new);
    }

    /// Ends a wait for a mark.
    fn finish_wait(&self, position: u64, result: Result<(), TaskFailure>, mark: &Mark) {
        self.finish_at(position, result, || {
            mark.waited();
            Vec::new()
        });
    }

    /// Ends a task. Its record comes before anybody can see the end. `mark` says at a mark that it is reached, or its
    /// wait passed, before the task counts as completed: whoever waited for the stream finds the event so. It
    /// returns the streams that are to be resumed.
    fn finish_at(
        &self,
        position: u64,
        result: Result<(), TaskFailure>,
        mark: impl FnOnce() -> Vec<(Arc<Self>, u64)>,
    ) {
        let outcome = match &result {
            Ok(()) => Outcome::Done,
            Err(cause) => Outcome::Failed(cause.to_string()),
        };
        self.record_end(position, outcome);
        if let Err(cause) = result {
            let mut queue = self.queue.lock();
            queue.failure.get_or_insert((position, cause));
            self.note_stopped(&queue);
        }
        let waiters = mark();
        self.complete(position);
        for (stream, position) in waiters {
            stream.resume(position);
        }
        self.scheduler().progressed();
    }

    /// Ends a task that was not run.
    fn finish_with(&self, position: u64, outcome: Outcome) {
        self.record_end(position, outcome);
        self.complete(position);
        self.scheduler().progressed();
    }

    /// Records the end of a task, and before it the ends of those that an abort threw away.
    fn record_end(&self, position: u64, outcome: Outcome) {
        if self.shared.tap.listening() {
            self.record_dropped(position - 1);
            let position = Position {
                stream: self.id,
                task: position,
            };
            self.shared
                .tap
                .emit(|| Operation::Completed { position, outcome });
        }
    }

    /// Records that the tasks up to `last` that have not ended were thrown away.
    fn record_dropped(&self, last: u64) {
        for task in self.progress.completed() + 1..=last {
            self.shared.tap.emit(|| Operation::Completed {
                position: Position {
                    stream: self.id,
                    task,
                },
                outcome: Outcome::Dropped,
            });
        }
    }

    fn complete(&self, position: u64) {
        self.progress
            .completed
            .fetch_max(position, Ordering::SeqCst);
        // A waiter says what it wants before it looks at `completed`, both in one total order, so
        // either it is seen here or it sees the new number itself.
        if position >= self.wanted.load(Ordering::SeqCst) {
            let _queue = self.queue.lock();
            // Whoever wants more says so again.
            self.wanted.store(u64::MAX, Ordering::SeqCst);
            self.moved.notify_all();
        }
    }

    /// Puts a wait back and leaves the stream until its mark is reached, unless it was aborted
    /// since the wait was taken out: then the wait is thrown away with the rest.
    fn park(
        self: &Arc<Self>,
        task: Task,
        mark: &Arc<Mark>,
        limit: Option<Duration>,
        aborts: u64,
    ) -> Stepped {
        let position = task.position;
        let start_clock = {
            let mut batch = self.batch.lock();
            if self.aborts.load(Ordering::Relaxed) != aborts {
                drop(batch);
                mark.waited();
                self.finish_with(position, Outcome::Dropped);
                return Stepped::More;
            }
            batch.push_front(task);
            let mut queue = self.queue.lock();
            queue.state = State::Parked(position);
            let starts = limit.is_some() && queue.timed != position;
            if starts {
                queue.timed = position;
            }
            starts
        };
        // From here on others may run the stream.
        // A limit beyond what the clock can count is none.
        if let (true, Some(at)) = (start_clock, limit.and_then(deadline_in)) {
            self.scheduler().wake_later(at, self, position);
        }
        if !mark.add_waiter(self, position) {
            self.resume(position);
        } else if mark.is_abandoned() && self.is_closed() {
            // The event and the last holder of the stream went while it was on its way here.
            self.abort(true);
        }
        Stepped::Left
    }

    /// Makes the stream ready again if it is parked at `position`.
    pub(crate) fn resume(self: &Arc<Self>, position: u64) {
        let mut queue = self.queue.lock();
        if queue.state != State::Parked(position) {
            return;
        }
        queue.state = State::Ready;
        drop(queue);
        self.scheduler().ready(self);
    }

    /// The time of the wait at `position` is up.
    pub(crate) fn expire(self: &Arc<Self>, position: u64) {
        {
            let mut queue = self.queue.lock();
            // The clock of a wait that was passed long ago may run out during a later one.
            if queue.state != State::Parked(position) {
                return;
            }
            queue.expired = position;
        }
        self.resume(position);
    }

    fn leave(&self, position: u64) {
        self.queue.lock().state = State::Away(position);
    }

    fn send_away(self: &Arc<Self>, position: u64, run: HostWork) {
        let stream = Arc::clone(self);
        let sent = self.scheduler().run_on_host(Box::new(move || {
            let inside = Inside::begin(&stream.shared.tap, stream.id, position);
            let ran = caught_inside(stream.id, run);
            drop(inside);
            stream.come_back(position, ran);
        }));
        if let Err(reason) = sent {
            self.come_back(position, Err(TaskFailure::NoThread(reason)));
        }
    }

    /// The host function at `position` has ended.
    fn come_back(self: &Arc<Self>, position: u64, result: Result<(), TaskFailure>) {
        self.finish(position, result);
        let is_away = self.queue.lock().state == State::Away(position);
        if is_away && self.release() {
            self.scheduler().ready(self);
        }
    }

    /// Ends the subscription to the stream's reports, and drops those that nobody has fetched.
    pub(crate) fn forget_reports(&self) {
        let reports = self.reports.lock().take();
        if let Some(reports) = reports {
            reports.forget(self.id);
        }
    }

    /// Looks at the first unfinished task without running it.
    pub(crate) fn head(&self) -> Head {
        let batch = self.batch.lock();
        let queue = self.queue.lock();
        let parked = match queue.state {
            State::Ready => false,
            State::Parked(_) => true,
            State::Idle | State::Running | State::Away(_) => return Head::Busy,
        };
        let Some(task) = batch.front().or_else(|| queue.inbox.front()) else {
            return Head::Busy;
        };
        let skips = self.stopped.load(Ordering::Relaxed);
        match &task.work {
            // A wait with a limit is run once to start its clock.
            Work::Wait { mark, limit }
                if !skips
                    && !mark.reached()
                    && queue.expired != task.position
                    && (parked || limit.is_none()) =>
            {
                Head::Needs(Arc::clone(mark))
            }
            _ if parked => Head::Busy,
            _ => Head::Runnable {
                serial: task.serial,
            },
        }
    }

    /// Whether it goes on by itself, or what it stands at.
    pub(crate) fn stand(&self) -> Stand {
        let batch = self.batch.lock();
        let queue = self.queue.lock();
        let task = match queue.state {
            State::Idle => return Stand::Idle,
            State::Running => return Stand::Moves,
            State::Away(task) => {
                drop((queue, batch));
                let reports = self.reports.lock().clone();
                return match reports.filter(|reports| reports.holds(self.id)) {
                    Some(reports) => Stand::Reported { task, reports },
                    None => Stand::Moves,
                };
            }
            State::Ready | State::Parked(_) => batch.front().or_else(|| queue.inbox.front()),
        };
        match task {
            Some(Task {
                position,
                work: Work::Wait { mark, limit: None },
                ..
            }) if !mark.reached() && !self.stopped.load(Ordering::Relaxed) => Stand::Waits {
                task: *position,
                mark: Arc::clone(mark),
            },
            _ => Stand::Moves,
        }
    }

    /// Whether a task of it is being run, here or by a host function.
    pub(crate) fn is_running(&self) -> bool {
        matches!(self.queue.lock().state, State::Running | State::Away(_))
    }

    /// Waits, not long, for a task that is being run, unless it is a function of the program.
    pub(crate) fn settle(&self) {
        const LIMIT: Duration = Duration::from_secs(1);
        if !matches!(self.queue.lock().state, State::Away(_)) {
            self.block(self.target(), deadline_in(LIMIT));
        }
    }

    /// Whether it waits for this mark.
    pub(crate) fn needs(&self, mark: &Arc<Mark>) -> bool {
        matches!(self.head(), Head::Needs(needed) if Arc::ptr_eq(&needed, mark))
    }

    /// A stream that nobody holds and that waits for what cannot come any more is thrown away.
    pub(crate) fn abort_if_lost(self: &Arc<Self>) {
        if self.is_closed() && matches!(self.head(), Head::Needs(mark) if mark.is_abandoned()) {
            self.abort(true);
        }
    }

    /// Whether nothing is queued, or only places of work that was done inside calls.
    pub(crate) fn is_settled(&self) -> bool {
        let enqueued = self.progress.enqueued();
        self.progress.completed() >= enqueued || self.settled.load(Ordering::Acquire) == enqueued
    }

    /// The task at `position` was done before it was queued, on a stream that was settled.
    pub(crate) fn settle_at(&self, position: u64) {
        self.settled.store(position, Ordering::Release);
    }

    /// Why the stream skips what it has, if it does.
    pub(crate) fn stop_reason(&self) -> Option<Error> {
        if !self.stopped.load(Ordering::Relaxed) {
            return None;
        }
        let queue = self.queue.lock();
        let failure = queue.failure.clone();
        failure.map(|(task, cause)| Error::TaskFailed {
            stream: self.id,
            task,
            cause,
        })
    }

    /// Where its last task is.
    pub(crate) fn last_place(&self) -> Position {
        Position {
            stream: self.id,
            task: self.progress.enqueued(),
        }
    }

    /// Everything enqueued until now.
    pub(crate) fn target(&self) -> Waiting {
        let _queue = self.queue.lock();
        Waiting {
            task: self.progress.enqueued.load(Ordering::Relaxed),
            aborts: self.aborts.load(Ordering::Acquire),
        }
    }

    /// Everything up to a task.
    pub(crate) fn target_at(&self, task: u64) -> Waiting {
        let _queue = self.queue.lock();
        Waiting {
            task,
            aborts: self.aborts.load(Ordering::Acquire),
        }
    }

    /// Whether everything up to a task ends without the program's doing: no function of the program is before it, nor a wait
    /// for an event that is not recorded; here, and in the streams that its waits depend on.
    pub(crate) fn ends_by_itself(self: &Arc<Self>, task: u64) -> bool {
        let mut seen: HashMap<u64, u64> = HashMap::new();
        let mut left = vec![(Arc::clone(self), task)];
        while let Some((stream, task)) = left.pop() {
            let known = seen.entry(stream.id).or_default();
            if *known >= task {
                continue;
            }
            *known = task;
            let Some(marks) = stream.marks_up_to(task) else {
                return false;
            };
            for mark in marks {
                match (mark.stream(), mark.place()) {
                    (Some(stream), Some(place)) => left.push((stream, place.task)),
                    _ if mark.reached() => {}
                    _ => return false,
                }
            }
        }
        true
    }

    /// The marks that tasks up to this one wait for; `None` if a function of the program is among the tasks.
    fn marks_up_to(&self, task: u64) -> Option<Vec<Arc<Mark>>> {
        const PAUSE: Duration = Duration::from_millis(1);
        // A task that a runner has in its hands is seen when it has ended, or was put back or sent away.
        let (batch, queue) = loop {
            let (batch, queue) = (self.batch.lock(), self.queue.lock());
            let first = batch.front().or_else(|| queue.inbox.front());
            let first = first.map_or(u64::MAX, |task| task.position);
            let next = self.progress.completed() + 1;
            if queue.state != State::Running || first == next || next > task {
                break (batch, queue);
            }
            drop((batch, queue));
            self.block(self.target_at(next), deadline_in(PAUSE));
        };
        if matches!(queue.state, State::Away(_)) {
            return None;
        }
        let mut marks = Vec::new();
        let tasks = batch.iter().chain(&queue.inbox);
        for task in tasks.take_while(|queued| queued.position <= task) {
            match &task.work {
                Work::Wait { mark, .. } => marks.push(Arc::clone(mark)),
                Work::Host(_) | Work::Report { .. } => return None,
                Work::Move(_) | Work::Compute(_) | Work::Nothing | Work::Record(_) => {}
            }
        }
        Some(marks)
    }

    /// Whether the wait is over, by the work's end or an abort.
    pub(crate) fn is_over(&self, waiting: Waiting) -> bool {
        self.progress.completed() >= waiting.task || self.was_aborted(waiting)
    }

    pub(crate) fn was_aborted(&self, waiting: Waiting) -> bool {
        self.aborts.load(Ordering::Acquire) != waiting.aborts
    }

    /// Blocks until the wait is over; false if the time was up first.
    pub(crate) fn block(&self, waiting: Waiting, deadline: Option<Instant>) -> bool {
        if self.progress.completed() >= waiting.task {
            return true;
        }
        let mut queue = self.queue.lock();
        loop {
            // Under the lock, and again after every wake: a runner that wakes us forgets it.
            self.wanted.fetch_min(waiting.task, Ordering::SeqCst);
            if self.is_over(waiting) {
                return true;
            }
            match deadline {
                None => self.moved.wait(&mut queue),
                Some(deadline) => {
                    if self.moved.wait_until(&mut queue, deadline).timed_out() {
                        return self.progress.completed() >= waiting.task;
                    }
                }
            }
        }
    }

    /// What a synchronisation that has ended should report.
    pub(crate) fn verdict(&self, waiting: Waiting) -> Result<(), Error> {
        let mut queue = self.queue.lock();
        if self.was_aborted(waiting) {
            return Err(Error::StreamAborted);
        }
        let failure = match queue.on_failure {
            OnFailure::Continue => queue.failure.take(),
            OnFailure::Stop => queue.failure.clone(),
        };
        match failure {
            None => Ok(()),
            Some((task, cause)) => Err(Error::TaskFailed {
                stream: self.id,
                task,
                cause,
            }),
        }
    }

    /// Whether this thread is inside a host function of this stream.
    pub(crate) fn is_inside(&self) -> bool {
        INSIDE.with(std::cell::Cell::get) == self.id
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

    /// Refuses new tasks from now on. What is queued still runs.
    pub(crate) fn close(&self) {
        self.queue.lock().closed = true;
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.queue.lock().closed
    }

    /// Throws away everything that has not begun; answers how many tasks that were.
    pub(crate) fn abort(self: &Arc<Self>, close: bool) -> u64 {
        let mut dropped = VecDeque::new();
        {
            let mut batch = self.batch.lock();
            let mut queue = self.queue.lock();
            queue.closed |= close;
            self.aborts.fetch_add(1, Ordering::AcqRel);
            self.unlearn();
            dropped.append(&mut batch);
            dropped.append(&mut queue.inbox);
            if let Some(first) = dropped.front() {
                let (stream, begun) = (self.id, first.position - 1);
                let tap = &self.shared.tap;
                tap.emit(|| Operation::StreamAborted { stream, begun });
            }
            // Before anybody who waits for a mark of it goes on.
            if dropped.iter().any(|task| task.work.is_order()) {
                self.shared.order.break_order();
            }
            match queue.state {
                State::Parked(_) | State::Ready => self.become_idle(&mut queue),
                State::Idle | State::Running | State::Away(_) => {}
            }
            self.moved.notify_all();
        }
        if dropped.iter().any(|task| task.work.is_order()) {
            self.shared.disown();
        }
        let count = dropped.len() as u64;
        // What others wait for must come, and functions of the program are dropped without a lock.
        for task in dropped {
            match task.work {
                Work::Record(mark) => {
                    mark.void();
                    mark.reach();
                }
                Work::Wait { mark, .. } => {
                    mark.forget(self.id);
                    mark.waited();
                }
                Work::Move(_)
                | Work::Compute(_)
                | Work::Nothing
                | Work::Host(_)
                | Work::Report { .. } => {}
            }
        }
        if close {
            self.forget_reports();
        }
        self.scheduler().progressed();
        count
    }
}

impl StreamCore {
    /// After an abort: lets the thread that looked at a task just then see that it is gone, so that what the
    /// task named is free when the call returns. Not for ever: a task that has begun may take its time.
    pub(crate) fn let_go(&self) {
        let deadline = Instant::now() + LETTING_GO;
        while matches!(self.queue.lock().state, State::Running) && Instant::now() < deadline {
            std::thread::yield_now();
        }
    }
}

/// Longer than a look at a task takes, whatever else the machine does.
const LETTING_GO: Duration = Duration::from_millis(100);

impl Drop for StreamCore {
    fn drop(&mut self) {
        // Nothing is queued any more, or somebody would hold it.
        self.shared.forget_stream(self.id);
    }
}

/// The moment that lies `limit` ahead; `None` if the clock cannot count so far.
pub(crate) fn deadline_in(limit: Duration) -> Option<Instant> {
    Instant::now().checked_add(limit)
}

/// A task that is in somebody else's hands. When this goes, the stream goes on: also if the
/// function was dropped instead of run.
struct Away {
    stream: Arc<StreamCore>,
    position: u64,
    result: Result<(), TaskFailure>,
}

impl Away {
    fn end(mut self, result: Result<(), TaskFailure>) {
        self.result = result;
    }
}

impl Drop for Away {
    fn drop(&mut self) {
        let result = std::mem::replace(&mut self.result, Ok(()));
        self.stream.come_back(self.position, result);
    }
}

thread_local! {
    /// The stream whose host function this thread runs; 0 for none.
    static INSIDE: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

thread_local! {
    /// The task whose function this thread runs.
    static FUNCTION: std::cell::Cell<Option<Position>> = const { std::cell::Cell::new(None) };
}

/// The task whose function the calling thread runs, if it does.
pub(crate) fn function_of_thread() -> Option<Position> {
    // A thread that is ending runs none.
    FUNCTION.try_with(std::cell::Cell::get).ok().flatten()
}

/// A function of the program runs on this thread as long as this lives.
struct Inside {
    outer: Option<Position>,
}

impl Inside {
    /// Records that the function at a position begins.
    fn begin(tap: &Tap, stream: u64, task: u64) -> Self {
        let position = Position { stream, task };
        tap.emit(|| Operation::FunctionBegan { position });
        Self {
            outer: FUNCTION.replace(Some(position)),
        }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        FUNCTION.set(self.outer);
    }
}

/// Runs a function of the program that `stream` waits for.
fn caught_inside(stream: u64, run: HostWork) -> Result<(), TaskFailure> {
    let outer = INSIDE.replace(stream);
    let ran = caught(run);
    INSIDE.set(outer);
    ran
}

/// Runs a function of the program; a panic becomes a failed task.
fn caught(run: HostWork) -> Result<(), TaskFailure> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned());
        TaskFailure::Panicked(text.unwrap_or_else(|| "no message".to_owned()))
    })
}
