//! Ordering streams: events, and waiting.

use std::sync::Arc;
use std::time::Duration;

use millpond_trace::{Operation, Outcome, Target, TaskKind};

use super::Stream;
use super::enqueue::task_record;
use crate::api::device::outcome_of;
use crate::api::event::Event;
use crate::error::{Boxed, Error, Waited};
use crate::schedule::Goal;
use crate::stream::{EventKind, StreamCore, Work};

impl Stream {
    /// Records `event` at the current end of the stream.
    pub fn record(&self, event: &Event) -> Result<(), Error> {
        let core = self.core();
        core.shared.testing.enter("Stream.record", None)?;
        if let Some(recording) = core.recording() {
            let edge = recording.edge();
            let stored = recording.add_record(&mut event.core().marks.lock(), edge.as_ref());
            // What it replaces is dropped without a lock.
            return Ok(stored.map(drop)?);
        }
        let mut marks = event.core().marks.lock();
        let mark = marks.next.clone().unwrap_or_default();
        let bound = Arc::clone(&mark);
        let make = |position| {
            bound.bind(core, position);
            Work::Record(bound)
        };
        let describe =
            |position| task_record(position, TaskKind::RecordEvent, Some(event.id()), None);
        core.enqueue(make, describe)?;
        marks.next = None;
        let captured = marks.captured.take();
        marks.latest = Some(mark);
        drop(marks);
        drop(captured);
        self.called();
        Ok(())
    }

    /// Makes later tasks wait for the latest recording of `event`. With a limit, the stream fails
    /// and continues after that time.
    pub fn wait_event(&self, event: &Event, limit: Option<Duration>) -> Result<(), Error> {
        if !event.core().orders {
            return Err(Error::EventCannot {
                operation: "order streams",
            });
        }
        let mut marks = event.core().marks.lock();
        if let Some(recording) = self.core().recording() {
            return Ok(recording.add_wait(self.id(), event, &marks)?);
        }
        if let Some(captured) = &marks.captured {
            return Ok(captured.join(self.core(), event.id())?);
        }
        let mark = match (&marks.latest, event.core().kind) {
            (Some(mark), _) => Arc::clone(mark),
            // Never recorded counts as reached.
            (None, EventKind::Rerecordable) => {
                self.shared().tap.emit(|| Operation::WaitSkipped {
                    stream: self.id(),
                    event: event.id(),
                });
                return Ok(());
            }
            (None, EventKind::Resettable) => Arc::clone(marks.next.get_or_insert_default()),
        };
        mark.will_wait();
        let captured = mark.place();
        let describe =
            |position| task_record(position, TaskKind::WaitEvent, Some(event.id()), captured);
        let waited = Arc::clone(&mark);
        let core = self.core();
        let make = |_| {
            // With a limit the stream may go on although the mark was not reached.
            if limit.is_none() {
                core.learn(&mark);
            }
            Work::Wait { mark, limit }
        };
        let enqueued = core.enqueue(make, describe);
        if let Err(error) = enqueued {
            waited.waited();
            return Err(*error);
        }
        marks.note_wait(waited);
        drop(marks);
        self.called();
        Ok(())
    }

    /// Resets an event to its unrecorded state, for waits that are enqueued from now on.
    pub fn reset_event(&self, event: &Event) -> Result<(), Error> {
        if event.core().kind != EventKind::Resettable || !event.core().orders {
            return Err(Error::EventCannot {
                operation: "be reset",
            });
        }
        self.not_recorded("aclrtResetEvent")?;
        let mut marks = event.core().marks.lock();
        let describe =
            |position| task_record(position, TaskKind::ResetEvent, Some(event.id()), None);
        self.core().enqueue(|_| Work::Nothing, describe)?;
        marks.latest = None;
        drop(marks);
        self.called();
        Ok(())
    }

    /// Waits until everything that is queued now has ended. The failure of a task is returned here.
    pub fn synchronize(&self) -> Result<(), Error> {
        self.synchronize_within(None)
    }

    /// The same, for at most `limit`.
    pub fn synchronize_within(&self, limit: Option<Duration>) -> Result<(), Error> {
        self.shared().testing.enter("Stream.synchronize", None)?;
        Self::wait_core(self.core(), limit)
    }

    /// Waits until everything that is queued now has ended, for a call that works on the stream's memory itself. A
    /// task that failed surfaces later, at a synchronisation of the program.
    pub(crate) fn drain(&self) -> Boxed<()> {
        Self::drain_core(self.core())
    }

    /// Records that a call has waited for everything in the stream.
    pub(crate) fn record_drain(&self) {
        self.shared().tap.emit(|| Operation::Synchronized {
            target: Target::Stream(self.id()),
            outcome: Outcome::Done,
        });
    }

    pub(crate) fn drain_core(core: &Arc<StreamCore>) -> Boxed<()> {
        if core.is_inside() {
            return Err(Error::WouldDeadlock.into());
        }
        core.not_while_captured("waiting for the stream")?;
        let waiting = core.target();
        let goal = Goal::Stream(Arc::clone(core), waiting);
        core.shared.wait_for(&goal, None);
        if core.was_aborted(waiting) {
            return Err(Error::StreamAborted.into());
        }
        Ok(())
    }

    pub(super) fn wait_core(core: &Arc<StreamCore>, limit: Option<Duration>) -> Result<(), Error> {
        if core.is_inside() {
            return Err(Error::WouldDeadlock);
        }
        core.not_while_captured("synchronising the stream")?;
        let (clock, waiting) = (core.clock(), core.target());
        let goal = Goal::Stream(Arc::clone(core), waiting);
        let deadline = limit.and_then(|limit| core.shared.clock.after(limit));
        let outcome = if core.shared.wait_for(&goal, deadline) {
            core.saw(waiting, &clock);
            core.shared.release_pools(core.device.index);
            core.verdict(waiting)
        } else {
            Err(Error::TimedOut {
                what: Waited::Stream,
                milliseconds: milliseconds(limit),
            })
        };
        core.shared.tap.emit(|| Operation::Synchronized {
            target: Target::Stream(core.id),
            outcome: outcome_of(&outcome),
        });
        outcome
    }

    /// Whether everything that is queued now has ended. A stream that is captured is [not asked](Self::not_while_captured).
    pub fn is_done(&self) -> bool {
        let core = self.core();
        let (clock, waiting) = (core.clock(), core.target());
        let goal = Goal::Stream(Arc::clone(core), waiting);
        let done = core.shared.scheduler.query(&goal);
        if done {
            core.saw(waiting, &clock);
        }
        core.shared.tap.emit(|| Operation::Queried {
            target: Target::Stream(core.id),
            outcome: if done {
                Outcome::Done
            } else {
                Outcome::NotReady
            },
        });
        done
    }
}

pub(crate) fn milliseconds(limit: Option<Duration>) -> u64 {
    limit.map_or(0, |limit| {
        u64::try_from(limit.as_millis()).unwrap_or(u64::MAX)
    })
}
