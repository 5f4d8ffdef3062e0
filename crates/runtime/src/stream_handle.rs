//! A stream as programs hold it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use millpond_trace::{
    AllocatorAct, Deed, EventRef, Operation, Outcome, Position, Space, Target, TaskKind,
};

use crate::allocator::StreamAllocator;
use crate::block::Slice;
use crate::device::outcome_of;
use crate::error::{Boxed, Error, Limited, Waited};
use crate::event::Event;
use crate::memory::{Direction, Operand, Source};
use crate::raw::{FillValue, RawCopy, RawFill};
use crate::schedule::Goal;
use crate::shared::{DeviceCore, Shared};
use crate::stream::{
    EventKind, Motion, OnFailure, ReadyMotion, Reports, StreamCore, Watched, Work, deadline_in,
    function_of_thread,
};
use crate::virtual_memory::User;

/// A queue of tasks that run one after the other; tasks of different streams run side by side.
///
/// Dropping the last clone closes the stream without waiting; what is queued still runs.
#[derive(Debug, Clone)]
pub struct Stream {
    owner: Arc<Owner>,
}

#[derive(Debug)]
struct Owner {
    core: Arc<StreamCore>,
}

/// How a stream is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StreamOptions {
    /// 0 is the most urgent, 7 the least.
    pub priority: u32,
    /// Kept and given back, without a meaning here.
    pub flags: u32,
}

impl Stream {
    pub(crate) fn create(
        shared: &Arc<Shared>,
        device: &Arc<DeviceCore>,
        context: u64,
        options: StreamOptions,
    ) -> Result<Self, Error> {
        let limit = shared.config.profile.streams;
        if device.streams.fetch_add(1, Ordering::Relaxed) >= limit {
            device.streams.fetch_sub(1, Ordering::Relaxed);
            return Err(Error::TooMany {
                what: Limited::Streams,
                limit,
            });
        }
        let core = Arc::new(StreamCore::new(
            shared.next_id(),
            context,
            Arc::clone(device),
            Arc::clone(shared),
            options.priority.min(7),
            options.flags,
        ));
        shared.order.add(core.id, &core.progress);
        shared.adopt(&core);
        shared.tap.emit(|| Operation::StreamCreated {
            stream: core.id,
            context,
            device: device.index,
        });
        Ok(Self {
            owner: Arc::new(Owner { core }),
        })
    }

    #[inline]
    pub(crate) fn core(&self) -> &Arc<StreamCore> {
        &self.owner.core
    }

    #[inline]
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.owner.core.shared
    }

    /// Its number; no other stream of the runtime ever has it.
    pub fn id(&self) -> u64 {
        self.core().id
    }

    /// The number of its context; 0 if it has none.
    pub fn context_id(&self) -> u64 {
        self.core().context
    }

    /// The number of its device.
    pub fn device_index(&self) -> u32 {
        self.core().device.index
    }

    /// How urgent it is: 0 is the most.
    pub fn priority(&self) -> u32 {
        self.core().priority
    }

    /// The flags it was made with.
    pub fn flags(&self) -> u32 {
        self.core().flags
    }

    /// Copies all of `from` to the beginning of `to`, in the order of the stream.
    pub fn copy(&self, to: Slice<'_>, from: Slice<'_>) -> Result<(), Error> {
        let copy = RawCopy {
            to: to.address(),
            room: to.bytes(),
            from: from.address(),
            bytes: from.bytes(),
            direction: Direction::FromAddresses,
        };
        let copied = self.copy_own(&copy);
        Ok(copied.map_err(|error| self.refused(|_| copy.deed(), error))?)
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
        filled.map_err(|error| self.refused(|_| fill.deed(), error))?;
        Ok(())
    }

    /// Runs a function on a thread of its own when the stream comes to it; the stream waits for it.
    pub fn host_function(&self, run: impl FnOnce() + Send + 'static) -> Result<(), Error> {
        let describe = |position| task_record(position, TaskKind::HostFunction, None, None);
        self.core()
            .enqueue(|_| Work::Host(Box::new(run)), describe)?;
        self.called();
        Ok(())
    }

    /// Hands a function to the thread that processes the stream's reports. With `blocks`, later
    /// tasks wait until it has run.
    pub fn report(&self, run: impl FnOnce() + Send + 'static, blocks: bool) -> Result<(), Error> {
        let reports = self
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

    /// Sends the stream's reports to `reports` from now on.
    pub fn subscribe(&self, reports: &Reports) -> Result<(), Error> {
        reports.subscribe(self.core())
    }

    /// Ends what [`Stream::subscribe`] began.
    pub fn unsubscribe(&self, reports: &Reports) -> Result<(), Error> {
        reports.unsubscribe(self.core())
    }

    /// Marks this place of the stream in `event`.
    pub fn record(&self, event: &Event) -> Result<(), Error> {
        let core = self.core();
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
        marks.latest = Some(mark);
        drop(marks);
        self.called();
        Ok(())
    }

    /// Makes later tasks wait until `event`, as it is recorded now, is reached; with a limit, they
    /// go on after that time, and the stream has failed.
    pub fn wait_event(&self, event: &Event, limit: Option<Duration>) -> Result<(), Error> {
        if !event.core().orders {
            return Err(Error::EventCannot {
                operation: "order streams",
            });
        }
        let mut marks = event.core().marks.lock();
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

    /// Puts an event back into its unrecorded state, for waits that are enqueued from now on.
    pub fn reset_event(&self, event: &Event) -> Result<(), Error> {
        if event.core().kind != EventKind::Resettable || !event.core().orders {
            return Err(Error::EventCannot {
                operation: "be reset",
            });
        }
        let mut marks = event.core().marks.lock();
        let describe =
            |position| task_record(position, TaskKind::ResetEvent, Some(event.id()), None);
        self.core().enqueue(|_| Work::Nothing, describe)?;
        marks.latest = None;
        drop(marks);
        self.called();
        Ok(())
    }

    /// Waits until everything that is queued now has ended. A task that failed surfaces here.
    pub fn synchronize(&self) -> Result<(), Error> {
        self.synchronize_within(None)
    }

    /// The same, but not longer than `limit`.
    pub fn synchronize_within(&self, limit: Option<Duration>) -> Result<(), Error> {
        Self::wait_core(self.core(), limit)
    }

    /// Waits until everything that is queued now has ended, for a call that works on the stream's memory itself. A
    /// task that failed surfaces later, at a synchronisation of the program.
    pub(crate) fn drain(&self) -> Boxed<()> {
        Self::drain_core(self.core())
    }

    /// Tells that a call has waited for everything in the stream.
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
        let waiting = core.target();
        let goal = Goal::Stream(Arc::clone(core), waiting);
        core.shared.wait_for(&goal, None);
        if core.was_aborted(waiting) {
            return Err(Error::StreamAborted.into());
        }
        Ok(())
    }

    fn wait_core(core: &Arc<StreamCore>, limit: Option<Duration>) -> Result<(), Error> {
        if core.is_inside() {
            return Err(Error::WouldDeadlock);
        }
        let (clock, waiting) = (core.clock(), core.target());
        let goal = Goal::Stream(Arc::clone(core), waiting);
        let deadline = limit.and_then(deadline_in);
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

    /// Whether everything that is queued now has ended.
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

    /// Whether this thread runs a host function of the stream, and so cannot wait for it.
    pub fn is_inside(&self) -> bool {
        self.core().is_inside()
    }

    /// The task whose function the calling thread runs, of whichever stream; none outside of such functions.
    pub fn function_of_thread() -> Option<Position> {
        function_of_thread()
    }

    /// Whether it was destroyed.
    pub fn is_closed(&self) -> bool {
        self.core().is_closed()
    }

    /// Waits for the queued work, then refuses any more.
    pub fn destroy(&self) -> Result<(), Error> {
        Self::finish_core(self.core())
    }

    pub(crate) fn finish_core(core: &Arc<StreamCore>) -> Result<(), Error> {
        if core.is_inside() {
            return Err(Error::WouldDeadlock);
        }
        core.close();
        core.abort_if_lost();
        let outcome = Self::wait_core(core, None);
        core.allocator.lock().take();
        core.forget_reports();
        core.shared.tap.emit(|| Operation::StreamDestroyed {
            stream: core.id,
            dropped: 0,
        });
        outcome
    }

    /// Refuses any more work at once and drops what has not begun.
    pub fn destroy_force(&self) {
        let dropped = self.core().abort(true);
        self.core().let_go();
        self.core().allocator.lock().take();
        self.shared().tap.emit(|| Operation::StreamDestroyed {
            stream: self.id(),
            dropped,
        });
    }

    /// Drops what has not begun. Threads that wait for the stream are told.
    pub fn abort(&self) {
        self.core().abort(false);
    }

    /// What later tasks do when one has failed.
    pub fn set_on_failure(&self, on_failure: OnFailure) {
        self.core().set_on_failure(on_failure);
    }

    /// Registers the allocator that work on this stream takes its memory from; the last one wins.
    pub fn set_allocator(&self, allocator: Option<Arc<dyn StreamAllocator>>) {
        let act = allocator
            .as_ref()
            .map_or(AllocatorAct::Unregistered, |known| {
                let (descriptor, object) = known.identity();
                AllocatorAct::Registered { descriptor, object }
            });
        let before = std::mem::replace(&mut *self.core().allocator.lock(), allocator);
        drop(before);
        self.shared().tap.emit(|| Operation::Allocator {
            stream: self.id(),
            act,
        });
    }

    /// The allocator that is registered.
    pub fn allocator(&self) -> Option<Arc<dyn StreamAllocator>> {
        self.core().allocator.lock().clone()
    }

    #[inline(always)]
    pub(crate) fn enqueue_motion(&self, motion: &Motion, room: u64) -> Boxed<u64> {
        if motion.is_mapped() {
            return self.enqueue_mapped(motion, room);
        }
        self.enqueue_checked(motion, room)
    }

    /// The same where a side is a reserved address: what is mapped there is told of the task.
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
            deed: motion.deed(room),
            event: None,
            captured: None,
        };
        let core = self.core();
        let note = |task| core.shared.check(motion, Some((&core.progress, task)));
        // The blocks are told before the task is queued, so that neither lock is held for the other:
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

    /// The same where somebody listens. In the checking mode the source of a copy is looked at now and again when
    /// the copy runs, unless something before it in the stream may change it with every right.
    #[cold]
    fn enqueue_watched(
        &self,
        motion: &Motion,
        describe: impl FnOnce(Position) -> Operation,
    ) -> Boxed<u64> {
        let core = self.core();
        let watches = core.shared.config.planted && core.host_is_settled();
        let source = watches.then(|| Source::of(motion)).flatten();
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

impl Drop for Owner {
    fn drop(&mut self) {
        if !self.core.is_closed() {
            self.core.close();
            self.core.shared.tap.emit(|| Operation::StreamDestroyed {
                stream: self.core.id,
                dropped: 0,
            });
        }
        self.core.abort_if_lost();
        self.core.device.streams.fetch_sub(1, Ordering::Relaxed);
    }
}

fn task_record(
    position: Position,
    task: TaskKind,
    event: Option<EventRef>,
    captured: Option<Position>,
) -> Operation {
    Operation::Enqueued {
        position,
        deed: Deed::untouching(task),
        event,
        captured,
    }
}

pub(crate) fn milliseconds(limit: Option<Duration>) -> u64 {
    limit.map_or(0, |limit| {
        u64::try_from(limit.as_millis()).unwrap_or(u64::MAX)
    })
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
