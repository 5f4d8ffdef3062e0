//! Reports: functions that a stream passes to a thread of the program.
//!
//! A thread creates a [`Reports`], subscribes streams to it and calls [`Reports::process`] repeatedly;
//! that call runs the functions that the streams have reached.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::{HostWork, StreamCore};
use crate::error::{Error, Waited};
use crate::lock::{Condvar, Mutex, assert_none_held, rank};
use crate::schedule::Goal;
use crate::shared::Shared;
use crate::stall;

/// The functions that wait for one thread, each with the number of the stream it is for.
#[derive(Default)]
pub(crate) struct ReportQueue {
    waiting: Mutex<rank::ReportsWaiting, VecDeque<(u64, HostWork)>>,
    came: Condvar,
    /// The streams that are subscribed, by number.
    streams: Mutex<rank::ReportStreams, Vec<(u64, Weak<StreamCore>)>>,
    /// The thread that last processed reports, as the system knows it; noted in the checking mode.
    thread: Mutex<rank::ReportThread, Option<u64>>,
}

impl std::fmt::Debug for ReportQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ReportQueue({} waiting)", self.waiting.lock().len())
    }
}

impl ReportQueue {
    /// Adds a report. One of a stream that was destroyed while a worker had the task in its hands is dropped, as those that
    /// were here are.
    pub(crate) fn push(&self, stream: u64, run: HostWork) {
        {
            let mut waiting = self.waiting.lock();
            let is_subscribed = self.streams.lock().iter().any(|(id, _)| *id == stream);
            if is_subscribed {
                waiting.push_back((stream, run));
                drop(waiting);
                self.came.notify_all();
                return;
            }
        }
        // Functions of the program are dropped without a lock.
        assert_none_held();
        drop(run);
    }

    /// Ends the subscription of a stream and drops what it still has here.
    pub(crate) fn forget(&self, stream: u64) {
        self.streams
            .lock()
            .retain(|(id, known)| *id != stream && known.strong_count() != 0);
        let gone: VecDeque<_> = {
            let mut waiting = self.waiting.lock();
            let (gone, kept) = waiting.drain(..).partition(|(id, _)| *id == stream);
            *waiting = kept;
            gone
        };
        self.came.notify_all();
        // Functions of the program are dropped without a lock.
        assert_none_held();
        drop(gone);
    }

    /// Whether a report of a stream is here.
    pub(crate) fn holds(&self, stream: u64) -> bool {
        self.waiting.lock().iter().any(|(id, _)| *id == stream)
    }

    /// The thread that last processed reports, if that was noted.
    pub(crate) fn thread(&self) -> Option<u64> {
        *self.thread.lock()
    }

    pub(crate) fn any(&self) -> bool {
        !self.waiting.lock().is_empty()
    }

    /// Whether a report has come, or none can come any more.
    pub(crate) fn is_over(&self) -> bool {
        self.any() || !self.has_streams()
    }

    fn has_streams(&self) -> bool {
        self.streams
            .lock()
            .iter()
            .any(|(_, known)| known.strong_count() != 0)
    }

    pub(crate) fn block(&self, deadline: Option<Instant>) -> bool {
        let mut waiting = self.waiting.lock();
        // The last stream that is dropped wakes the waiters here: see `forget`.
        while waiting.is_empty() && self.has_streams() {
            match deadline {
                None => self.came.wait(&mut waiting),
                Some(deadline) => {
                    if self.came.wait_until(&mut waiting, deadline).timed_out() {
                        return !waiting.is_empty();
                    }
                }
            }
        }
        true
    }

    /// The streams whose reports come here.
    pub(crate) fn streams(&self) -> Vec<Arc<StreamCore>> {
        self.streams
            .lock()
            .iter()
            .filter_map(|(_, known)| known.upgrade())
            .collect()
    }
}

/// The receiving end of streams' reports: see the module's comment.
#[derive(Debug, Clone)]
pub struct Reports {
    queue: Arc<ReportQueue>,
    shared: Arc<Shared>,
}

impl Reports {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self {
            queue: Arc::default(),
            shared,
        }
    }

    pub(crate) fn subscribe(&self, stream: &Arc<StreamCore>) -> Result<(), Error> {
        let mut slot = stream.reports.lock();
        if slot.is_some() {
            return Err(Error::AlreadySubscribed);
        }
        *slot = Some(Arc::clone(&self.queue));
        // Another thread may go by the number that the last one had.
        *self.queue.thread.lock() = None;
        let mut streams = self.queue.streams.lock();
        streams.retain(|(_, known)| known.strong_count() != 0);
        streams.push((stream.id, Arc::downgrade(stream)));
        Ok(())
    }

    pub(crate) fn unsubscribe(&self, stream: &Arc<StreamCore>) -> Result<(), Error> {
        if stream.reports_left.load(Ordering::Acquire) != 0 {
            return Err(Error::ReportsLeft);
        }
        let mut slot = stream.reports.lock();
        if !slot
            .as_ref()
            .is_some_and(|queue| Arc::ptr_eq(queue, &self.queue))
        {
            return Err(Error::NotSubscribed);
        }
        *slot = None;
        drop(slot);
        self.queue.forget(stream.id);
        Ok(())
    }

    /// Whether any stream is subscribed.
    pub fn has_streams(&self) -> bool {
        self.queue.has_streams()
    }

    /// Waits for a report, runs all that have arrived, and returns how many. Without a limit it waits
    /// as long as a stream is subscribed; without a subscribed stream it returns [`Error::NotSubscribed`].
    pub fn process(&self, limit: Option<Duration>) -> Result<usize, Error> {
        if self.shared.config.guards {
            *self.queue.thread.lock() = stall::this_thread();
        }
        let deadline = limit.and_then(|limit| self.shared.clock.after(limit));
        let goal = Goal::Report(Arc::clone(&self.queue));
        if !self.shared.wait_until(&goal, deadline, None) {
            return Err(Error::TimedOut {
                what: Waited::Report,
                milliseconds: limit.map_or(0, |limit| {
                    u64::try_from(limit.as_millis()).unwrap_or(u64::MAX)
                }),
            });
        }
        let mut ran = 0;
        // One at a time: a function may itself make more work or wait for it.
        while let Some((_, run)) = { self.queue.waiting.lock().pop_front() } {
            run();
            ran += 1;
        }
        if ran == 0 && !self.queue.has_streams() {
            return Err(Error::NotSubscribed);
        }
        Ok(ran)
    }
}
