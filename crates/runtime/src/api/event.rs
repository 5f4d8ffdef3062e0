//! The handle of an event.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use millpond_trace::{Operation, Outcome, Target};

use crate::api::device::outcome_of;
use crate::api::stream::milliseconds;
use crate::error::{Error, Waited};
use crate::lock::Mutex;
use crate::schedule::Goal;
use crate::shared::Shared;
use crate::stream::{EventCore, EventKind, EventStatus, Mark, Marks};

/// A mark in one stream that other streams and threads wait for.
#[derive(Debug, Clone)]
pub struct Event {
    owner: Arc<Owner>,
}

#[derive(Debug)]
struct Owner {
    core: EventCore,
    shared: Arc<Shared>,
    /// Its end is in the records.
    told: AtomicBool,
}

impl Owner {
    fn record_end(&self) {
        if !self.told.swap(true, Ordering::Relaxed) {
            self.shared.tap.emit(|| Operation::EventDestroyed {
                event: self.core.id,
            });
        }
    }
}

impl Event {
    pub(crate) fn new(
        shared: Arc<Shared>,
        kind: EventKind,
        orders: bool,
        times: bool,
        flags: u32,
    ) -> Self {
        let core = EventCore {
            id: shared.next_id(),
            kind,
            orders,
            times,
            flags,
            marks: Mutex::new(Marks::default()),
        };
        Self {
            owner: Arc::new(Owner {
                core,
                shared,
                told: AtomicBool::new(false),
            }),
        }
    }

    pub(crate) fn core(&self) -> &EventCore {
        &self.owner.core
    }

    /// Its number; no other event of the runtime ever has it.
    pub fn id(&self) -> u64 {
        self.core().id
    }

    /// Which rules it follows.
    pub fn kind(&self) -> EventKind {
        self.core().kind
    }

    /// The flags it was created with.
    pub fn flags(&self) -> u32 {
        self.core().flags
    }

    /// Declares that the program no longer uses it: its end is recorded now, and it is dropped with the last clone.
    pub fn retire(&self) {
        self.owner.record_end();
    }

    pub(crate) fn record_query(&self, target: Target, is_done: bool) {
        self.owner.shared.tap.emit(|| Operation::Queried {
            target,
            outcome: if is_done {
                Outcome::Done
            } else {
                Outcome::NotReady
            },
        });
    }

    /// Its state.
    pub fn status(&self) -> EventStatus {
        if let Some(mark) = self.latest() {
            self.owner.shared.scheduler.query(&Goal::Mark(mark));
        }
        let status = self.core().status();
        if status == EventStatus::Reached
            && let Some(mark) = self.latest()
            && mark.reached()
        {
            let order = &self.owner.shared.order;
            order.saw(&mark.clock(order));
        }
        let is_reached = status == EventStatus::Reached;
        self.record_query(Target::Event(self.id()), is_reached);
        status
    }

    /// Whether a stream still has a pending wait for it, for any recording.
    pub fn is_waited_for(&self) -> bool {
        let waited = self.core().marks.lock().pending();
        for mark in waited {
            self.owner.shared.scheduler.query(&Goal::Mark(mark));
        }
        let is_waited_for = !self.core().marks.lock().pending().is_empty();
        self.record_query(Target::Waits(self.id()), !is_waited_for);
        is_waited_for
    }

    /// Blocks this thread until the latest recording is reached. Never recorded counts as reached.
    pub fn synchronize(&self) -> Result<(), Error> {
        self.synchronize_within(None)
    }

    /// The same, for at most `limit`.
    pub fn synchronize_within(&self, limit: Option<Duration>) -> Result<(), Error> {
        let Shared { clock, testing, .. } = &*self.owner.shared;
        testing.enter("Event.synchronize", None)?;
        let deadline = limit.and_then(|limit| clock.after(limit));
        let reached = self.latest().is_none_or(|mark| {
            let shared = &self.owner.shared;
            let goal = Goal::Mark(Arc::clone(&mark));
            let reached = shared.wait_for(&goal, deadline);
            if reached {
                shared.order.saw(&mark.clock(&shared.order));
            }
            reached
        });
        let outcome = if reached {
            Ok(())
        } else {
            Err(Error::TimedOut {
                what: Waited::Event,
                milliseconds: milliseconds(limit),
            })
        };
        self.owner.shared.tap.emit(|| Operation::Synchronized {
            target: Target::Event(self.id()),
            outcome: outcome_of(&outcome),
        });
        outcome
    }

    /// When the latest recording was reached.
    pub fn reached_at(&self) -> Result<Instant, Error> {
        let mark = self.latest().ok_or(Error::EventNotRecorded)?;
        if !self.core().times {
            return Err(Error::NoTimestamp {
                reason: "it was created without timing",
            });
        }
        let at = mark.at().ok_or(Error::NoTimestamp {
            reason: "its stream has not reached it yet",
        })?;
        self.record_query(Target::Event(self.id()), true);
        Ok(at)
    }

    /// Milliseconds from `earlier` to this event; negative if it was the other way round.
    pub fn milliseconds_since(&self, earlier: &Self) -> Result<f32, Error> {
        let (start, end) = (earlier.reached_at()?, self.reached_at()?);
        let forward = end.saturating_duration_since(start).as_secs_f32();
        let backward = start.saturating_duration_since(end).as_secs_f32();
        Ok((forward - backward) * 1000.0)
    }

    fn latest(&self) -> Option<Arc<Mark>> {
        self.core().marks.lock().latest.clone()
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.shared.events.fetch_sub(1, Ordering::Relaxed);
        if let Some(mark) = self.core.marks.lock().next.take() {
            mark.abandon();
            // Streams that a handle still refers to stay blocked until they are aborted.
            for stream in self.shared.streams(None) {
                if stream.is_closed() && stream.needs(&mark) {
                    stream.abort(true);
                }
            }
        }
        self.record_end();
    }
}
