//! Records of work that was refused.
//!
//! The request is recorded as the program made it, even if it makes no sense: from its ranges the checker
//! finds which rule was broken.

use millpond_trace::{Accesses, Bytes, Operation, Span, TaskKind};

use crate::api::raw::{RawCopy, RawFill, RawRows};
use crate::error::Error;
use crate::shared::Shared;

impl Shared {
    /// Records work that was refused because of its ranges, and returns the error.
    #[cold]
    pub(crate) fn refused_work(
        &self,
        stream: Option<u64>,
        accesses: impl FnOnce(&Error) -> Accesses,
        error: Box<Error>,
    ) -> Box<Error> {
        if is_refusal(&error) {
            self.tap.emit(|| Operation::WorkRefused {
                stream,
                accesses: accesses(&error),
                reason: error.to_string(),
            });
        }
        error
    }
}

/// Whether an error is about what work names: its ranges, room, direction, or that they are not live. Others are
/// recorded elsewhere: a task that failed by its end, a stream that is gone by the call.
fn is_refusal(error: &Error) -> bool {
    matches!(
        error,
        Error::NotABlock { .. }
            | Error::OutOfBlock { .. }
            | Error::BadRange { .. }
            | Error::Unaligned { .. }
            | Error::WrongDirection { .. }
            | Error::HostToHost
            | Error::DestinationTooSmall { .. }
            | Error::OutputTooSmall { .. }
            | Error::InputTooSmall { .. }
            | Error::Mapping(_)
    )
}

fn range(start: u64, bytes: u64) -> Span {
    Bytes { start, bytes }.into()
}

impl RawCopy {
    /// What it does, or would do, for the records.
    pub fn accesses(&self) -> Accesses {
        let mut accesses = Accesses::none(TaskKind::Copy);
        accesses.reads.push(range(self.from, self.bytes));
        accesses.writes.push(range(self.to, self.bytes));
        accesses.room = self.room;
        accesses
    }
}

impl RawRows {
    /// What it does, or would do, for the records. Rows may be wider than the distance between them.
    pub fn accesses(&self) -> Accesses {
        let rows = |start, pitch| Span {
            start,
            width: self.width,
            pitch,
            rows: self.height,
        };
        let mut accesses = Accesses::none(TaskKind::Copy);
        accesses.reads.push(rows(self.from, self.from_pitch));
        accesses.writes.push(rows(self.to, self.to_pitch));
        accesses
    }
}

impl RawFill {
    /// What it does, or would do, for the records.
    pub fn accesses(&self) -> Accesses {
        let mut accesses = Accesses::none(TaskKind::Fill);
        accesses.writes.push(range(self.to, self.bytes));
        accesses.room = self.room;
        accesses
    }
}
