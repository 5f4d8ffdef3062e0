//! Events: marks in one stream that other streams and threads wait for.
//!
//! Each recording makes a new [`Mark`]; an event remembers the latest. A wait that is enqueued after
//! a recording belongs to that recording and to no later one, so the recording that a wait waits
//! for is fixed when it is enqueued, in call order, whatever the schedule.
//!
//! Events of the older kind can be waited for *before* they are recorded: the wait then belongs to
//! the next recording, and the stream is blocked until that comes. Events of the newer kind that
//! were never recorded count as reached.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Instant;

use millpond_pool::Clock;
use millpond_trace::Position;

use super::StreamCore;
use crate::graph::CapturedMark;
use crate::lock::{Condvar, Mutex, rank};
use crate::order::{Known, Streams};

/// Which rules an event follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// Can be waited for before it is recorded, and reset.
    Resettable,
    /// Recorded as often as wanted; never recorded counts as reached; cannot be reset.
    Rerecordable,
}

/// The state of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventStatus {
    /// It was never recorded, or was reset since.
    Unrecorded,
    /// It is recorded, and its stream has not reached it yet.
    Pending,
    /// Its stream has passed it.
    Reached,
}

/// An event.
#[derive(Debug)]
pub(crate) struct EventCore {
    pub(crate) id: u64,
    pub(crate) kind: EventKind,
    /// Whether streams may wait for it.
    pub(crate) orders: bool,
    /// Whether it keeps time.
    pub(crate) times: bool,
    pub(crate) flags: u32,
    pub(crate) marks: Mutex<rank::EventMarks, Marks>,
}

/// The recordings of an event that still matter.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// The latest recording.
    pub(crate) latest: Option<Arc<Mark>>,
    /// The next recording, if something waits for it already.
    pub(crate) next: Option<Arc<Mark>>,
    /// The latest recording, if it is in a capture. It hides the others.
    pub(crate) captured: Option<CapturedMark>,
    /// The marks that streams wait for and may not have passed.
    waited: Vec<Arc<Mark>>,
}

impl Marks {
    /// A stream is going to wait for a mark.
    pub(crate) fn note_wait(&mut self, mark: Arc<Mark>) {
        self.waited.retain(|known| known.is_waited_for());
        if !self.waited.iter().any(|known| Arc::ptr_eq(known, &mark)) {
            self.waited.push(mark);
        }
    }

    /// The marks that streams still wait for.
    pub(crate) fn pending(&mut self) -> Vec<Arc<Mark>> {
        self.waited.retain(|known| known.is_waited_for());
        self.waited.clone()
    }
}

/// One recording of an event.
#[derive(Debug, Default)]
pub(crate) struct Mark {
    reached: AtomicBool,
    /// Its event was dropped without a recording, so it will never be reached.
    abandoned: AtomicBool,
    /// Waits of streams for this mark that have not been passed.
    waits: AtomicU64,
    state: Mutex<rank::Mark, MarkState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct MarkState {
    /// The stream it is in, from its recording until it is reached.
    stream: Option<Arc<StreamCore>>,
    /// The stream whose work leads to its recording, if that is known before.
    expected: Weak<StreamCore>,
    /// Where it is, once it is recorded.
    place: Option<Position>,
    /// What its stream knew there, itself included.
    clock: Known,
    at: Option<Instant>,
    waiters: Vec<(Arc<StreamCore>, u64)>,
}

impl Mark {
    /// Says where the mark is. Called once, when it is recorded.
    pub(crate) fn bind(&self, stream: &Arc<StreamCore>, position: u64) {
        let mut clock = stream.clock();
        clock.learn(stream.id, position);
        let mut state = self.state.lock();
        state.stream = Some(Arc::clone(stream));
        state.place = Some(Position {
            stream: stream.id,
            task: position,
        });
        state.clock.set(clock, &stream.shared.order);
    }

    /// What a waiter knows from then on: what was captured when it was recorded. Nothing
    /// if it is not recorded yet.
    pub(crate) fn clock(&self, streams: &Streams) -> Clock {
        self.state.lock().clock.clock(streams)
    }

    /// It is going to be reached although what its stream was to wait for may not have come: whoever waits
    /// for it from now on learns nothing.
    pub(crate) fn void(&self) {
        self.state.lock().clock = Known::default();
    }

    /// Where it is, once it is recorded.
    pub(crate) fn place(&self) -> Option<Position> {
        self.state.lock().place
    }

    /// The stream that has to come here, from the recording until it has.
    pub(crate) fn stream(&self) -> Option<Arc<StreamCore>> {
        self.state.lock().stream.clone()
    }

    /// The stream whose work leads here. Not before the recording unless somebody has said so.
    pub(crate) fn comes_from(&self) -> Option<Arc<StreamCore>> {
        let state = self.state.lock();
        state.stream.clone().or_else(|| state.expected.upgrade())
    }

    /// It is going to be recorded on a stream, by work that is queued there.
    pub(crate) fn expect_from(&self, stream: &Arc<StreamCore>) {
        self.state.lock().expected = Arc::downgrade(stream);
    }

    pub(crate) fn reached(&self) -> bool {
        self.reached.load(Ordering::Acquire)
    }

    /// The stream has reached it: waiters continue.
    pub(crate) fn reach(&self) {
        for (stream, position) in self.mark_reached() {
            stream.resume(position);
        }
    }

    /// The stream has come here. Returns the streams that are to be resumed.
    pub(crate) fn mark_reached(&self) -> Vec<(Arc<StreamCore>, u64)> {
        let mut state = self.state.lock();
        let clock = state.stream.as_ref().map(|stream| &stream.shared.clock);
        state.at = Some(clock.map_or_else(Instant::now, |clock| clock.now()));
        self.reached.store(true, Ordering::Release);
        self.changed.notify_all();
        // Kept no longer than needed.
        state.stream = None;
        std::mem::take(&mut state.waiters)
    }

    /// When it was reached.
    pub(crate) fn at(&self) -> Option<Instant> {
        self.state.lock().at
    }

    /// Remembers a stream to be resumed; false if the mark has been reached already.
    pub(crate) fn add_waiter(&self, stream: &Arc<StreamCore>, position: u64) -> bool {
        let mut state = self.state.lock();
        if self.reached() {
            return false;
        }
        state.waiters.push((Arc::clone(stream), position));
        true
    }

    /// A stream does not wait for it any more.
    pub(crate) fn forget(&self, stream: u64) {
        self.state
            .lock()
            .waiters
            .retain(|(known, _)| known.id != stream);
    }

    /// Nobody can record it any more.
    pub(crate) fn abandon(&self) {
        self.abandoned.store(true, Ordering::Release);
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Acquire)
    }

    /// A wait for this mark was enqueued.
    pub(crate) fn will_wait(&self) {
        self.waits.fetch_add(1, Ordering::Relaxed);
    }

    /// A wait for this mark has been passed or dropped.
    pub(crate) fn waited(&self) {
        self.waits.fetch_sub(1, Ordering::Release);
    }

    /// Whether a stream still waits for it.
    pub(crate) fn is_waited_for(&self) -> bool {
        self.waits.load(Ordering::Acquire) != 0
    }

    /// Blocks until it is reached; false if the time was up first.
    pub(crate) fn block(&self, deadline: Option<Instant>) -> bool {
        let mut state = self.state.lock();
        while !self.reached() {
            match deadline {
                None => self.changed.wait(&mut state),
                Some(deadline) => {
                    if self.changed.wait_until(&mut state, deadline).timed_out() {
                        return self.reached();
                    }
                }
            }
        }
        true
    }
}

impl EventCore {
    pub(crate) fn status(&self) -> EventStatus {
        match &self.marks.lock().latest {
            None => EventStatus::Unrecorded,
            Some(mark) if mark.reached() => EventStatus::Reached,
            Some(_) => EventStatus::Pending,
        }
    }
}
