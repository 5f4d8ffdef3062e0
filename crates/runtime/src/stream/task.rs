//! What a task does when it runs.
#![expect(
    unsafe_code,
    reason = "moves bytes at addresses that were checked when the task was made"
)]

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use millpond_device::{DeviceError, Mover};
use millpond_trace::{Accesses, Operation, Position, Span, Tap, TaskKind};

use super::{Ending, Mark, ReportQueue};
use crate::error::Boxed;
use crate::memory::{Operand, WatchedSource};

/// A task in a stream. It owns everything it needs.
#[derive(Debug)]
pub(crate) struct Task {
    /// Its number in its stream, from 1.
    pub(crate) position: u64,
    /// Its number among all tasks of the runtime: who came first.
    pub(crate) serial: u64,
    pub(crate) work: Work,
}

/// What a task does.
pub(crate) enum Work {
    Move(ReadyMotion),
    Compute(Box<dyn Computation>),
    /// Nothing: a place in the stream.
    Nothing,
    Record(Arc<Mark>),
    Wait {
        mark: Arc<Mark>,
        limit: Option<Duration>,
    },
    Host(HostWork),
    External(Box<dyn External>),
    Report {
        run: HostWork,
        /// Whether the stream waits until the function has run.
        blocks: bool,
        reports: Arc<ReportQueue>,
    },
}

impl Work {
    /// Whether it runs code that may change memory of the host, or waits for what may. Copies to the host do too,
    /// but which those are is not to be seen here.
    pub(crate) fn may_change_host(&self) -> bool {
        match self {
            Self::Move(_) | Self::Nothing | Self::Record(_) => false,
            Self::Compute(_)
            | Self::Wait { .. }
            | Self::Host(_)
            | Self::External(_)
            | Self::Report { .. } => true,
        }
    }

    /// Whether it orders streams.
    pub(crate) fn is_order(&self) -> bool {
        matches!(self, Self::Record(_) | Self::Wait { .. })
    }
}

/// Work of an operator or a model. It owns everything it needs, and says in a sentence why it failed.
pub(crate) trait Computation: Send + fmt::Debug {
    /// Does it, on this thread.
    fn run(self: Box<Self>) -> Result<(), String>;
}

/// Work that something outside the runtime ends: another process, another stream's rank.
pub(crate) trait External: Send + fmt::Debug {
    /// Begins it. Must not block; whoever learns that the work has ended calls [`Ending::end`], on any thread.
    fn begin(self: Box<Self>, ending: Ending);

    /// Who ends it.
    fn ended_by(&self) -> EndedBy;
}

/// Who ends work outside the runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndedBy {
    /// It ends without this program: at once, by what others do, or when its time is up.
    Others,
    /// It may wait for a call that this program has not made yet.
    Program,
}

/// A function of the program.
pub(crate) type HostWork = Box<dyn FnOnce() + Send>;

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Move(_) => "Move",
            Self::Compute(_) => "Compute",
            Self::Nothing => "Nothing",
            Self::Record(_) => "Record",
            Self::Wait { .. } => "Wait",
            Self::Host(_) => "Host",
            Self::External(_) => "External",
            Self::Report { .. } => "Report",
        })
    }
}

/// Bytes to be moved. Operands were checked when this was made.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Motion {
    Copy {
        to: Operand,
        from: Operand,
    },
    /// `height` rows of `width` bytes; the operands span all of them.
    Rows {
        to: Operand,
        to_pitch: u64,
        from: Operand,
        from_pitch: u64,
        width: u64,
        height: u64,
    },
    Fill {
        to: Operand,
        value: u8,
    },
    FillWords {
        to: Operand,
        value: u32,
    },
}

impl Motion {
    /// What is left to know when it is carried out.
    #[inline(always)]
    pub(crate) fn ready(&self) -> ReadyMotion {
        match *self {
            Self::Copy { to, from } => ReadyMotion::Copy {
                to: to.kernel,
                from: from.kernel,
                bytes: to.range.bytes,
            },
            Self::Rows {
                to,
                to_pitch,
                from,
                from_pitch,
                width,
                height,
            } => ReadyMotion::Rows(Box::new(Rows {
                to: to.kernel,
                to_pitch,
                from: from.kernel,
                from_pitch,
                width,
                height,
            })),
            Self::Fill { to, value } => ReadyMotion::Fill {
                to: to.kernel,
                value,
                bytes: to.range.bytes,
            },
            Self::FillWords { to, value } => ReadyMotion::FillWords {
                to: to.kernel,
                value,
                count: to.range.bytes / 4,
            },
        }
    }

    /// What it writes and what it reads.
    #[inline(always)]
    pub(crate) fn sides(&self) -> (&Operand, Option<&Operand>) {
        match self {
            Self::Copy { to, from } | Self::Rows { to, from, .. } => (to, Some(from)),
            Self::Fill { to, .. } | Self::FillWords { to, .. } => (to, None),
        }
    }

    /// The same motion with its sides found again.
    pub(crate) fn resolved(&self, find: impl Fn(&Operand) -> Boxed<Operand>) -> Boxed<Self> {
        let mut found = *self;
        match &mut found {
            Self::Copy { to, from } | Self::Rows { to, from, .. } => {
                *to = find(to)?;
                *from = find(from)?;
            }
            Self::Fill { to, .. } | Self::FillWords { to, .. } => *to = find(to)?,
        }
        Ok(found)
    }

    /// Whether a side is a reserved address with something mapped there.
    #[inline(always)]
    pub(crate) fn is_mapped(&self) -> bool {
        let (to, from) = self.sides();
        to.mapped || from.is_some_and(|from| from.mapped)
    }

    pub(crate) fn kind(&self) -> TaskKind {
        match self {
            Self::Copy { .. } | Self::Rows { .. } => TaskKind::Copy,
            Self::Fill { .. } | Self::FillWords { .. } => TaskKind::Fill,
        }
    }

    /// What it does, for the records; `room` is what the program says of the destination.
    pub(crate) fn accesses(&self, room: u64) -> Accesses {
        let rows = |start, pitch, width, height| Span {
            start,
            width,
            pitch,
            rows: height,
        };
        let mut accesses = Accesses::none(self.kind());
        accesses.room = room;
        match *self {
            Self::Copy { to, from } => {
                accesses.reads.push(from.range.into());
                accesses.writes.push(to.range.into());
            }
            Self::Rows {
                to,
                to_pitch,
                from,
                from_pitch,
                width,
                height,
            } => {
                accesses
                    .reads
                    .push(rows(from.range.start, from_pitch, width, height));
                accesses
                    .writes
                    .push(rows(to.range.start, to_pitch, width, height));
            }
            Self::Fill { to, .. } | Self::FillWords { to, .. } => {
                accesses.writes.push(to.range.into());
            }
        }
        accesses
    }
}

/// A motion in the addresses that work touches: small, because queues are full of them.
#[derive(Debug)]
pub(crate) enum ReadyMotion {
    Copy {
        to: u64,
        from: u64,
        bytes: u64,
    },
    Rows(Box<Rows>),
    Fill {
        to: u64,
        value: u8,
        bytes: u64,
    },
    FillWords {
        to: u64,
        value: u32,
        count: u64,
    },
    /// One whose source is looked at again when it runs: only in the checking mode.
    Watched(Box<Watched>),
}

/// A copy from pinned memory that the program must not change before it has run.
#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) motion: ReadyMotion,
    pub(crate) source: WatchedSource,
    pub(crate) position: Position,
    pub(crate) tap: Arc<Tap>,
}

impl Watched {
    fn look(&self) {
        if self.source.has_changed() {
            self.tap.emit(|| Operation::SourceChanged {
                position: self.position,
                range: self.source.range,
            });
        }
    }
}

#[derive(Debug)]
pub(crate) struct Rows {
    to: u64,
    to_pitch: u64,
    from: u64,
    from_pitch: u64,
    width: u64,
    height: u64,
}

impl ReadyMotion {
    /// Moves the bytes, now and on this thread.
    ///
    /// Device and pinned memory stay mapped as long as the runtime lives, and a freed block is not
    /// reused before the tasks that were queued have passed; what is mapped at reserved addresses stays
    /// there until then, too. Foreign memory is the program's own:
    /// that it stays valid until the copy is done is its part of the contract, as on any device.
    pub(crate) fn perform(&self, mover: &dyn Mover) -> Result<(), DeviceError> {
        match self {
            Self::Copy { to, from, bytes } => {
                // SAFETY: see above; both ranges were checked when the motion was made.
                unsafe { mover.copy(*to, *from, *bytes) }
            }
            Self::Rows(rows) => (0..rows.height).try_for_each(|row| {
                let to = rows.to + row * rows.to_pitch;
                let from = rows.from + row * rows.from_pitch;
                // SAFETY: see above; each row is in a range that was checked as a whole.
                unsafe { mover.copy(to, from, rows.width) }
            }),
            Self::Fill { to, value, bytes } => {
                // SAFETY: see above.
                unsafe { mover.fill(*to, *value, *bytes) }
            }
            Self::FillWords { to, value, count } => {
                // SAFETY: see above; the address was checked to be a multiple of 4.
                unsafe { mover.fill_words(*to, *value, *count) }
            }
            Self::Watched(watched) => {
                watched.look();
                watched.motion.perform(mover)
            }
        }
    }
}
