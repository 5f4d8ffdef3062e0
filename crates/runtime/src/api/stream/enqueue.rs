//! Queueing work: copies, fills and functions of the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use millpond_trace::{Accesses, EventRef, Operation, Position, Space, TaskKind};

use super::Stream;
use crate::api::block::Slice;
use crate::api::raw::{FillValue, RawCopy, RawFill};
use crate::error::{Boxed, Error};
use crate::memory::{Direction, Operand, WatchedSource};
use crate::shared::Shared;
use crate::stream::{Motion, ReadyMotion, Watched, Work};
use crate::virtual_memory::User;

impl Stream {
    /// Copies all of `from` to the beginning of `to`, in the order of the stream.
    pub fn copy(&self, to: Slice<'_>, from: Slice<'_>) -> Result<(), Error> {
        self.shared()
            .testing
            .enter("Stream.copy", Some(from.bytes()))?;
        let copy = RawCopy {
            to: to.address(),
            room: to.bytes(),
            from: from.address(),
            bytes: from.bytes(),
            direction: Direction::FromAddresses,
        };
        let copied = self.copy_own(&copy);
        Ok(copied.map_err(|error| self.refused(|_| copy.accesses(), error))?)
    }

    fn copy_own(&self, copy: &RawCopy) -> Boxed<()> {
        let RawCopy { room, bytes, .. } = *copy;
        if bytes > room {
            return Err(Error::DestinationTooSmall { count: bytes, room }.into());
        }
        if bytes == 0 {
            return Ok(());
        }
        let motion = Motion::Copy {
            to: self.own(copy.to, bytes)?,
            from: self.own(copy.from, bytes)?,
        };
        self.enqueue_motion(&motion, 0)?;
        Ok(())
    }

    /// Memory of this stream's own runtime: another's may go before the task runs.
    fn own(&self, address: u64, bytes: u64) -> Boxed<Operand> {
        let operand = self.shared().operand(address, bytes)?;
        if operand.space == Space::Foreign {
            return Err(Error::NotABlock {
                address,
                inside: None,
                space: Space::Foreign,
            }
            .into());
        }
        Ok(operand)
    }

    /// Sets all bytes of `to` to `value`, in the order of the stream.
    pub fn fill(&self, to: Slice<'_>, value: u8) -> Result<(), Error> {
        self.shared()
            .testing
            .enter("Stream.fill", Some(to.bytes()))?;
        if to.bytes() == 0 {
            return Ok(());
        }
        let fill = RawFill {
            to: to.address(),
            room: to.bytes(),
            bytes: to.bytes(),
            value: FillValue::Byte(value),
        };
        let filled = self
            .own(fill.to, fill.bytes)
            .and_then(|to| self.enqueue_motion(&Motion::Fill { to, value }, 0));
        filled.map_err(|error| self.refused(|_| fill.accesses(), error))?;
        Ok(())
    }

    /// Runs a function on a separate thread when the stream reaches it; the stream waits for it.
    pub fn host_function(&self, run: impl FnOnce() + Send + 'static) -> Result<(), Error> {
        let describe = |position| task_record(position, TaskKind::HostFunction, None, None);
        self.core()
            .enqueue(|_| Work::Host(Box::new(run)), describe)?;
        self.called();
        Ok(())
    }

    /// Whether a thread processes the stream's reports.
    pub fn has_subscriber(&self) -> bool {
        self.core().reports.lock().is_some()
    }

    /// Passes a function to the thread that processes the stream's reports. With `blocks`, later
    /// tasks wait until it has run.
    pub fn report(&self, run: impl FnOnce() + Send + 'static, blocks: bool) -> Result<(), Error> {
        self.report_as(self, run, blocks)
    }

    /// The same, but the thread is that of another stream: the one that was captured.
    pub fn report_as(
        &self,
        subscribed: &Self,
        run: impl FnOnce() + Send + 'static,
        blocks: bool,
    ) -> Result<(), Error> {
        let reports = subscribed
            .core()
            .reports
            .lock()
            .clone()
            .ok_or(Error::NotSubscribed)?;
        let describe = |position| task_record(position, TaskKind::Report, None, None);
        let left = ReportLeft::one_more(&self.core().reports_left);
        let run = move || {
            run();
            drop(left);
        };
        let make = |_| Work::Report {
            run: Box::new(run),
            blocks,
            reports,
        };
        self.core().enqueue(make, describe)?;
        self.called();
        Ok(())
    }

    #[inline(always)]
    pub(crate) fn enqueue_motion(&self, motion: &Motion, room: u64) -> Boxed<u64> {
        if let Some(recording) = self.core().recording() {
            self.shared().check(motion, None)?;
            recording.add_motion(self.core(), motion, room)?;
            return Ok(0);
        }
        if motion.is_mapped() {
            return self.enqueue_mapped(motion, room);
        }
        self.enqueue_checked(motion, room)
    }

    /// The same where a side is a reserved address: what is mapped there notes the task.
    #[cold]
    fn enqueue_mapped(&self, motion: &Motion, room: u64) -> Boxed<u64> {
        let core = self.core();
        let kept = core.shared.keep_mapped(motion)?;
        let task = self.enqueue_checked(motion, room)?;
        kept.hand_over(&User {
            stream: core.id,
            progress: Arc::clone(&core.progress),
            task,
        });
        Ok(task)
    }

    #[inline(always)]
    fn enqueue_checked(&self, motion: &Motion, room: u64) -> Boxed<u64> {
        let describe = |position| Operation::Enqueued {
            position,
            accesses: motion.accesses(room),
            event: None,
            captured: None,
        };
        let core = self.core();
        let note = |task| core.shared.check(motion, Some((&core.progress, task)));
        // The blocks note the task before it is queued, so that neither lock is held for the other:
        // first the number that the task will most likely have, then, if another thread was faster,
        // the one that it got.
        let likely = core.progress.enqueued() + 1;
        note(likely)?;
        let enqueued = if core.shared.tap.listening() {
            self.enqueue_watched(motion, describe)
        } else {
            core.enqueue(|_| Work::Move(motion.ready()), describe)
        };
        let position = match enqueued {
            Ok(position) if position == likely => position,
            Ok(position) => {
                note(position)?;
                position
            }
            // No task will ever have that number, but the stream is closed and passes for good.
            Err(error) => return Err(error),
        };
        self.called();
        Ok(position)
    }

    /// The same with a listener. In the checking mode the source of a copy is sampled now and again when
    /// the copy runs, unless something before it in the stream may change it with every right.
    #[cold]
    fn enqueue_watched(
        &self,
        motion: &Motion,
        describe: impl FnOnce(Position) -> Operation,
    ) -> Boxed<u64> {
        let core = self.core();
        let watches = core.shared.config.guards && core.host_is_settled();
        let source = watches.then(|| WatchedSource::of(motion)).flatten();
        let to_host = !matches!(motion.sides().0.space, Space::Device(_));
        let make = |task| {
            if to_host {
                core.unsettle_host(task);
            }
            let ready = motion.ready();
            let Some(source) = source else {
                return Work::Move(ready);
            };
            Work::Move(ReadyMotion::Watched(Box::new(Watched {
                motion: ready,
                source,
                position: Position {
                    stream: core.id,
                    task,
                },
                tap: Arc::clone(&core.shared.tap),
            })))
        };
        core.enqueue(make, describe)
    }

    /// The program has enqueued something: a schedule that runs tasks inside calls may do so now.
    /// No lock is held.
    #[inline]
    pub(crate) fn called(&self) {
        self.shared().scheduler.called();
    }
}

/// Counts a report from its launch until it has run or was dropped.
struct ReportLeft(Arc<AtomicU64>);

impl ReportLeft {
    fn one_more(count: &Arc<AtomicU64>) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(count))
    }
}

impl Drop for ReportLeft {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The record of a task that touches no memory.
pub(super) fn task_record(
    position: Position,
    task: TaskKind,
    event: Option<EventRef>,
    captured: Option<Position>,
) -> Operation {
    Operation::Enqueued {
        position,
        accesses: Accesses::none(task),
        event,
        captured,
    }
}

/// Checks a copy's sides and direction; `None` when there is nothing to move.
#[inline(always)]
pub(crate) fn plan_copy(shared: &Shared, copy: &RawCopy) -> Boxed<Option<Motion>> {
    if copy.bytes == 0 {
        return Ok(None);
    }
    if copy.bytes > copy.room {
        return Err(Error::DestinationTooSmall {
            count: copy.bytes,
            room: copy.room,
        }
        .into());
    }
    let to = shared.operand(copy.to, copy.bytes)?;
    let from = shared.operand(copy.from, copy.bytes)?;
    copy.direction.check(&to, &from)?;
    shared.note_direction(copy.direction, &to, &from);
    Ok((copy.to != copy.from).then_some(Motion::Copy { to, from }))
}
