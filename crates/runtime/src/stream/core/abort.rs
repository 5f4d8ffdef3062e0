//! Throwing work away: all of a stream, or what one launch of a graph has put into it.
//!
//! A launch of a graph uses streams of its own beside the one that launches it. What it queues there *follows* its tasks on that
//! stream: whoever throws those away throws away the rest too.

use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use millpond_trace::Operation;

use super::{Queue, State, StreamCore};
use crate::stream::{Task, Work};

/// Longer than a look at a task takes, whatever else the machine does.
const LETTING_GO: Duration = Duration::from_millis(100);

/// All tasks of a stream.
const ALL: RangeInclusive<u64> = 0..=u64::MAX;

/// Work on another stream that belongs to tasks of this one.
#[derive(Debug)]
pub(super) struct Follower {
    /// The last of those tasks.
    until: u64,
    stream: Weak<StreamCore>,
    tasks: RangeInclusive<u64>,
}

impl StreamCore {
    /// Throws away everything that has not begun, and returns how many tasks of this stream that were.
    pub(crate) fn abort(self: &Arc<Self>, close: bool) -> u64 {
        self.throw_away(&ALL, close)
    }

    /// How often it was aborted.
    pub(crate) fn aborts(&self) -> u64 {
        self.aborts.load(Ordering::Acquire)
    }

    /// These tasks of another stream belong to what this one has queued up to now. With `tasks` none, all of them do.
    pub(crate) fn leads(&self, stream: &Arc<Self>, tasks: Option<RangeInclusive<u64>>) {
        let completed = self.progress.completed();
        let mut followers = self.followers.lock();
        // The tasks of a launch on other streams end before its last task here.
        followers.retain(|known| known.until > completed);
        followers.push(Follower {
            until: self.progress.enqueued(),
            stream: Arc::downgrade(stream),
            tasks: tasks.unwrap_or(ALL),
        });
    }

    /// Throws away what has not begun of some tasks, with what follows them on other streams.
    pub(crate) fn throw_away(self: &Arc<Self>, tasks: &RangeInclusive<u64>, close: bool) -> u64 {
        let own = self.take_out(tasks, close);
        let count = own.len() as u64;
        // All of it is taken out before anybody goes on: what follows waits for marks of this stream.
        let mut taken = vec![(Arc::clone(self), own)];
        let mut followers = self.followers_of(tasks);
        while let Some(Follower { stream, tasks, .. }) = followers.pop() {
            if let Some(stream) = stream.upgrade() {
                let dropped = stream.take_out(&tasks, false);
                followers.extend(stream.followers_of(&tasks));
                taken.push((stream, dropped));
            }
        }
        for (stream, dropped) in taken {
            stream.let_waiters_go(dropped);
        }
        if close {
            self.forget_reports();
        }
        self.scheduler().progressed();
        // One that waits for a word is not wanted any more.
        self.shared.words.changed(&self.shared.tap);
        count
    }

    /// Takes out what follows these tasks.
    fn followers_of(&self, tasks: &RangeInclusive<u64>) -> Vec<Follower> {
        let mut followers = self.followers.lock();
        let these = followers.extract_if(.., |follower| tasks.contains(&follower.until));
        these.collect()
    }

    /// Tasks were thrown away. What others wait for must come, and functions of the program are dropped without a lock.
    fn let_waiters_go(&self, dropped: VecDeque<Task>) {
        if dropped.iter().any(|task| task.work.is_order()) {
            self.shared.disown();
        }
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
                | Work::External(_)
                | Work::Report { .. } => {}
            }
        }
    }

    /// Takes tasks out of the queue.
    fn take_out(self: &Arc<Self>, tasks: &RangeInclusive<u64>, close: bool) -> VecDeque<Task> {
        let mut dropped = VecDeque::new();
        let mut batch = self.batch.lock();
        let mut queue = self.queue.lock();
        queue.closed |= close;
        if *tasks == ALL || self.runs_one_of(tasks, &batch, &queue) {
            self.aborts.fetch_add(1, Ordering::AcqRel);
        }
        self.unlearn();
        for list in [&mut *batch, &mut queue.inbox] {
            for task in std::mem::take(list) {
                let goes = tasks.contains(&task.position);
                let place = if goes { &mut dropped } else { &mut *list };
                place.push_back(task);
            }
        }
        let nothing_left = batch.is_empty() && queue.inbox.is_empty();
        if let Some(first) = dropped.front().filter(|_| nothing_left) {
            let (stream, begun) = (self.id, first.position - 1);
            let tap = &self.shared.tap;
            tap.emit(|| Operation::StreamAborted { stream, begun });
        }
        // Before any waiter for a mark of it continues.
        if dropped.iter().any(|task| task.work.is_order()) {
            self.shared.order.break_order();
        }
        let mut goes_on = false;
        match queue.state {
            State::Parked(_) | State::Ready if nothing_left => self.become_idle(&mut queue),
            State::Parked(position) if tasks.contains(&position) => {
                queue.state = State::Ready;
                goes_on = true;
            }
            State::Idle | State::Running | State::Away(_) | State::Parked(_) | State::Ready => {}
        }
        self.moved.notify_all();
        drop((batch, queue));
        if goes_on {
            self.scheduler().ready(self);
        }
        dropped
    }

    /// Whether the task that has begun is one of these.
    fn runs_one_of(
        &self,
        tasks: &RangeInclusive<u64>,
        batch: &VecDeque<Task>,
        queue: &Queue,
    ) -> bool {
        match queue.state {
            State::Away(position) => tasks.contains(&position),
            State::Running => {
                let next = batch.front().or_else(|| queue.inbox.front());
                let last = next.map_or(self.progress.enqueued(), |next| next.position - 1);
                *tasks.start() <= last && self.progress.completed() < *tasks.end()
            }
            State::Idle | State::Ready | State::Parked(_) => false,
        }
    }

    /// After an abort: lets the thread that looked at a task just then see that it is gone, so that what the
    /// task named is free when the call returns. Waits a bounded time: a task that has begun may take long.
    pub(crate) fn let_go(&self) {
        let deadline = Instant::now() + LETTING_GO;
        while matches!(self.queue.lock().state, State::Running) && Instant::now() < deadline {
            std::thread::yield_now();
        }
    }
}
