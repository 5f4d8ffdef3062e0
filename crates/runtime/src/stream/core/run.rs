//! Running a stream: claiming it, its tasks one by one, and leaving it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use millpond_trace::{Operation, Outcome, Position};

use super::functions::{Away, Ending, Inside, caught_inside};
use super::{Holder, Queue, State, StreamCore};
use crate::FailedTask;
use crate::error::TaskFailure;
use crate::lock::{MutexGuard, assert_none_held, rank};
use crate::stream::{HostWork, Mark, Task, Work};

/// What a runner should do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stepped {
    /// The next task can be run at once.
    More,
    /// The stream belongs to another thread now, or is idle: do not touch it.
    Left,
}

impl StreamCore {
    /// Takes the right to run this stream, if it is ready and no thread has the right.
    pub(crate) fn claim(&self) -> bool {
        let mut queue = self.queue.lock();
        let ready = queue.state == State::Ready;
        if ready {
            queue.state = State::Running;
        }
        ready
    }

    /// Gives the right back. Returns whether there is work left, for the caller to hand on.
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

    /// Runs work on this thread as a task that is never queued: queueing it and waking a worker would take longer than the work. `note`
    /// learns its position and may refuse. False, and nothing has happened, unless the stream has nothing else to do, the schedule leaves
    /// it to us who runs when, nobody listens, and `note` agrees.
    #[inline]
    pub(crate) fn run_here(
        self: &Arc<Self>,
        note: impl FnOnce(u64) -> bool,
        work: impl FnOnce() -> Result<(), String>,
    ) -> bool {
        let shared = &self.shared;
        if self.scheduler().is_directed() || shared.config.guards || shared.tap.listening() {
            return false;
        }
        let position = {
            let mut queue = self.queue.lock();
            let position = self.progress.enqueued.load(Ordering::Relaxed) + 1;
            if queue.state != State::Idle
                || queue.closed
                || self.stopped.load(Ordering::Relaxed)
                || self.records.load(Ordering::Relaxed)
                || !note(position)
            {
                return false;
            }
            self.note_queuer(&mut queue, position);
            self.progress.enqueued.store(position, Ordering::Release);
            queue.state = State::Running;
            position
        };
        let worked = work();
        let plain = worked.is_ok() && !shared.tap.listening();
        if plain {
            let mut queue = self.queue.lock();
            // What the runner has taken over is empty: this thread is the runner, and the stream was idle.
            if queue.inbox.is_empty() {
                // Under the lock a waiter has either said what it wants, or will see that the stream is idle.
                if position >= self.wanted.load(Ordering::SeqCst) {
                    self.wanted.store(u64::MAX, Ordering::SeqCst);
                }
                self.become_idle(&mut queue);
                drop(queue);
                shared.words.changed(&shared.tap);
                return true;
            }
        }
        self.finish(position, worked.map_err(TaskFailure::Computation));
        // What others queued meanwhile is a worker's affair.
        if self.release() {
            self.scheduler().ready(self);
        }
        true
    }

    /// Runs one task. The caller has claimed the stream. With `lingers` it does not give up at once
    /// when there is none.
    pub(crate) fn step(self: &Arc<Self>, lingers: bool) -> Stepped {
        match self.next_task(lingers) {
            Some((task, aborts)) => self.perform(task, aborts),
            None => Stepped::Left,
        }
    }

    /// Runs a task that was taken out of the queue when the stream had been aborted `aborts` times.
    pub(super) fn perform(self: &Arc<Self>, task: Task, aborts: u64) -> Stepped {
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
        self.shared.tap.emit_time(|| Operation::TaskBegan {
            position: Position {
                stream: self.id,
                task: position,
            },
        });
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
                self.leave(position, Holder::Function);
                self.send_away(position, run);
                return Stepped::Left;
            }
            Work::External(work) => {
                self.leave(position, Holder::Outside(work.ended_by()));
                assert_none_held();
                work.begin(Ending::new(self, position));
                return Stepped::Left;
            }
            Work::Report {
                run,
                blocks: true,
                reports,
            } => {
                self.leave(position, Holder::Function);
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
                    assert_none_held();
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
    pub(super) fn become_idle(&self, queue: &mut MutexGuard<'_, rank::Queue, Queue>) {
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

    /// A stopped stream skips what it still has, but marks must be reached or others deadlock.
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

    /// Ends a task. Its record is emitted before its end is visible. `mark` says at a mark that it is reached, or its
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
            if let Some(report) = self.shared.failures.get() {
                report(&FailedTask {
                    device: self.device.index,
                    stream: self.id,
                    task: position,
                    thread: self.queue.lock().queuers.of(position),
                    cause: &cause,
                });
            }
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
        self.shared.words.changed(&self.shared.tap);
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
        if let (true, Some(at)) = (
            start_clock,
            limit.and_then(|limit| self.shared.clock.after(limit)),
        ) {
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

    fn leave(&self, position: u64, holder: Holder) {
        let mut queue = self.queue.lock();
        queue.state = State::Away(position);
        queue.away = Some(holder);
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
    pub(super) fn come_back(self: &Arc<Self>, position: u64, result: Result<(), TaskFailure>) {
        self.finish(position, result);
        let is_away = self.queue.lock().state == State::Away(position);
        if is_away && self.release() {
            self.scheduler().ready(self);
        }
    }
}
