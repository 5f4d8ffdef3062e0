//! Nodes: the work of a graph as templates.

use std::fmt;
use std::sync::Arc;

use millpond_device::Device;
use millpond_trace::{Accesses, Bytes, CallSite, Span, StackRef};
use smallvec::SmallVec;

use crate::api::event::Event;
use crate::api::stream::Stream;
use crate::error::{Boxed, Error};
use crate::execution::{Touch, accesses};
use crate::lock::{Mutex, rank};
use crate::stream::Motion;

/// What native work does: it gets the work addresses of its touches, and of its scratch memory.
pub(crate) type Run = dyn Fn(&[u64], u64) -> Result<(), String> + Send + Sync;

/// Native work with its arguments.
#[derive(Clone)]
pub(crate) struct Kernel {
    pub(crate) name: &'static str,
    pub(crate) touches: SmallVec<[Touch; 4]>,
    /// The bytes of the touches that are used, if not all of them are.
    pub(crate) rows: Box<[Span]>,
    pub(crate) scratch: Option<(u64, u64)>,
    pub(crate) small: bool,
    pub(crate) run: Arc<Run>,
}

impl Kernel {
    /// Queues it.
    pub(super) fn issue(&self, stream: &Stream) -> Boxed<()> {
        let run = Arc::clone(&self.run);
        let run = move |places: &[u64], scratch| run(places, scratch);
        let (touches, rows) = (&self.touches, &self.rows);
        stream.compute_rows(self.name, touches, rows, self.scratch, self.small, run)
    }
}

/// The numbers of the blocks that touches were in; none for memory that is not in a block.
pub(super) type Blocks = SmallVec<[Option<u64>; 4]>;

/// One piece of captured work.
#[derive(Debug)]
pub(super) struct Node {
    /// Which of the captured streams it was queued on.
    pub(super) lane: usize,
    pub(super) name: &'static str,
    pub(super) work: Template,
    /// Where its memory was when it was captured.
    pub(super) blocks: Blocks,
    /// Where the program queued it.
    pub(super) function: &'static str,
    pub(super) site: (u64, StackRef),
}

/// Work that can be issued any number of times.
pub(super) enum Template {
    Compute(Kernel),
    /// A member of a task group, whose arguments are read when it runs.
    Updatable(Arc<Mutex<rank::Updatable, Arc<Kernel>>>),
    Move {
        motion: Motion,
        room: u64,
    },
    Record(Event),
    Wait(Event),
    /// Any other call, made again.
    Call(Captured),
}

/// Something that is done on the stream that it gets, as often as wanted.
pub(super) type Call = dyn Fn(&Stream) -> Boxed<()> + Send + Sync;

/// A captured call.
pub(super) struct Captured {
    /// The memory that it uses.
    pub(super) touches: SmallVec<[Touch; 4]>,
    /// Whether it would be refused now. Queues nothing.
    pub(super) check: Arc<Call>,
    pub(super) call: Arc<Call>,
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernel")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())
    }
}

impl Template {
    /// What it is, for people.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Compute(_) => "kernel",
            Self::Updatable(_) => "kernel that can be updated",
            Self::Move { motion, .. } => match motion {
                Motion::Copy { .. } | Motion::Rows { .. } => "copy",
                Motion::Fill { .. } | Motion::FillWords { .. } => "fill",
            },
            Self::Record(_) => "event record",
            Self::Wait(_) => "event wait",
            Self::Call(_) => "call",
        }
    }

    /// Whether it may be joined with its neighbours into one task.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self, Self::Compute(_) | Self::Move { .. })
    }

    /// What it does, for records; none if it uses no memory.
    pub(super) fn accesses(&self, name: &'static str) -> Option<Accesses> {
        match self {
            Self::Compute(kernel) => {
                let scratch = kernel.scratch.map(|(start, bytes)| Bytes { start, bytes });
                let (touches, rows) = (&kernel.touches, &kernel.rows);
                Some(accesses(kernel.name, touches, rows, scratch))
            }
            Self::Move { motion, room } => Some(motion.accesses(*room)),
            Self::Call(captured) => Some(accesses(name, &captured.touches, &[], None)),
            Self::Updatable(_) | Self::Record(_) | Self::Wait(_) => None,
        }
        .filter(|accesses| !accesses.reads.is_empty() || !accesses.writes.is_empty())
    }

    /// The memory that it uses.
    pub(super) fn touches(&self) -> SmallVec<[Touch; 4]> {
        match self {
            Self::Compute(kernel) => {
                let scratch = kernel.scratch.map(|(address, bytes)| Touch {
                    address,
                    bytes,
                    reads: false,
                    writes: true,
                });
                kernel.touches.iter().copied().chain(scratch).collect()
            }
            Self::Move { motion, .. } => touches_of(motion),
            Self::Call(captured) => captured.touches.clone(),
            Self::Updatable(_) | Self::Record(_) | Self::Wait(_) => SmallVec::new(),
        }
    }
}

impl Node {
    /// Where the program queued it becomes the call site of records; not if that is unknown.
    pub(super) fn at_capture(&self) -> Option<CallSite> {
        let (caller, stack) = self.site;
        (caller != 0 || stack != 0).then(|| CallSite::note(self.function, caller, stack))
    }

    /// Queues it on a stream, as the call that was captured would have.
    pub(super) fn issue(&self, stream: &Stream) -> Boxed<()> {
        let _site = self.at_capture();
        match &self.work {
            Template::Compute(kernel) => kernel.issue(stream),
            Template::Updatable(slot) => super::update::issue(self.name, slot, stream),
            Template::Move { motion, room } => stream.move_again(motion, *room),
            Template::Record(event) => Ok(stream.record(event)?),
            Template::Wait(event) => Ok(stream.wait_event(event, None)?),
            Template::Call(captured) => (captured.call)(stream),
        }
    }
}

impl Stream {
    /// Queues a motion that was captured. What is at its addresses may have changed since.
    fn move_again(&self, motion: &Motion, room: u64) -> Boxed<()> {
        let shared = self.shared();
        let again = motion.resolved(|side| shared.operand(side.range.start, side.range.bytes))?;
        let queued = self.enqueue_motion(&again, room).map(drop);
        queued.map_err(|error| self.refused(|_| again.accesses(room), error))
    }
}

/// Moves the bytes of a motion whose destination and source are at these work addresses.
pub(super) fn perform(
    motion: &Motion,
    device: &dyn Device,
    to: u64,
    from: u64,
) -> Result<(), String> {
    let mut at = *motion;
    match &mut at {
        Motion::Copy {
            to: left,
            from: right,
        }
        | Motion::Rows {
            to: left,
            from: right,
            ..
        } => {
            left.kernel = to;
            right.kernel = from;
        }
        Motion::Fill { to: left, .. } | Motion::FillWords { to: left, .. } => left.kernel = to,
    }
    let moved = at.ready().perform(device);
    moved.map_err(|error| Error::Device(error).to_string())
}

/// The destination of a motion, then its source.
pub(super) fn touches_of(motion: &Motion) -> SmallVec<[Touch; 4]> {
    let touch = |range: Bytes, writes: bool| Touch {
        address: range.start,
        bytes: range.bytes,
        reads: !writes,
        writes,
    };
    let (to, from) = motion.sides();
    let from = from.map(|from| touch(from.range, false));
    std::iter::once(touch(to.range, true)).chain(from).collect()
}
