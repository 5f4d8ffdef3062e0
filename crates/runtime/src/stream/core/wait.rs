//! Waiting for a stream, and looking at what it is blocked at.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use millpond_trace::Position;

use super::{Holder, OnFailure, State, StreamCore, deadline_in};
use crate::error::Error;
use crate::stream::{EndedBy, Mark, ReportQueue, Task, Work};

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

/// Whether a stream continues on its own.
#[derive(Debug)]
pub(crate) enum Stand {
    /// It has nothing to do.
    Idle,
    /// It is run, or will be.
    Moves,
    /// A task of it waits for a mark, without a limit.
    Waits { task: u64, mark: Arc<Mark> },
    /// A task of it is among reports that were not fetched.
    Reported {
        task: u64,
        reports: Arc<ReportQueue>,
    },
    /// A task of it waits for something outside the runtime, which may be a call that the program has not made.
    Outside { task: u64 },
}

/// Whether a stream can go on without anybody's doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rest {
    /// It runs, or could.
    No,
    /// It has nothing to do, or waits for the program or for time.
    Yes,
    /// Something outside the runtime, or a delay, will let it go on.
    UntilOthers,
}

/// A wait for a stream, taken when the wait begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waiting {
    pub(crate) task: u64,
    aborts: u64,
}

impl StreamCore {
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

    /// Whether a task of it runs at this moment, other than one that waits for a host thread or for something outside.
    pub(crate) fn runs_a_task(&self) -> bool {
        self.queue.lock().state == State::Running
    }

    /// Whether it can go on without anybody's doing.
    pub(crate) fn rest(&self) -> Rest {
        let (state, away) = {
            let queue = self.queue.lock();
            (queue.state, queue.away)
        };
        match state {
            State::Away(_) if away == Some(Holder::Outside(EndedBy::Others)) => Rest::UntilOthers,
            State::Idle | State::Parked(_) | State::Away(_) => Rest::Yes,
            State::Running => Rest::No,
            State::Ready => match self.head() {
                Head::Needs(_) => Rest::Yes,
                Head::Runnable { .. } | Head::Busy => Rest::No,
            },
        }
    }

    /// Whether it continues on its own, or what it is blocked at.
    pub(crate) fn stand(&self) -> Stand {
        let batch = self.batch.lock();
        let queue = self.queue.lock();
        let task = match queue.state {
            State::Idle => return Stand::Idle,
            State::Running => return Stand::Moves,
            State::Away(task) if queue.away == Some(Holder::Outside(EndedBy::Program)) => {
                return Stand::Outside { task };
            }
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

    /// A stream without handles that waits for something that can no longer happen is dropped.
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

    /// The marks that tasks up to this one wait for; `None` if a function of the program is among the tasks, or something that it ends.
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
        if matches!(queue.state, State::Away(_))
            && queue.away != Some(Holder::Outside(EndedBy::Others))
        {
            return None;
        }
        let mut marks = Vec::new();
        let tasks = batch.iter().chain(&queue.inbox);
        for task in tasks.take_while(|queued| queued.position <= task) {
            match &task.work {
                Work::Wait { mark, .. } => marks.push(Arc::clone(mark)),
                Work::External(work) if work.ended_by() == EndedBy::Others => {}
                Work::Host(_) | Work::External(_) | Work::Report { .. } => return None,
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
}
