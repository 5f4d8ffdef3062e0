//! Work that was refused, as records tell it.
//!
//! What the program asked for is told as it asked, also where that makes no sense: a judge of records
//! finds by the ranges which rule was broken.

use millpond_trace::{Bytes, Deed, Operation, Span, TaskKind};

use crate::error::Error;
use crate::raw::{RawCopy, RawFill, RawRows};
use crate::shared::Shared;

impl Shared {
    /// Tells of work that was refused because of its ranges; answers the error.
    #[cold]
    pub(crate) fn refused_work(
        &self,
        stream: Option<u64>,
        deed: impl FnOnce(&Error) -> Deed,
        error: Box<Error>,
    ) -> Box<Error> {
        if is_refusal(&error) {
            self.tap.emit(|| Operation::WorkRefused {
                stream,
                deed: deed(&error),
                reason: error.to_string(),
            });
        }
        error
    }
}

/// Whether an error is about what work names: its ranges, room, direction, or that they are not live. Others are
/// told elsewhere: a task that failed by its end, a stream that is gone by the call.
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
    pub fn deed(&self) -> Deed {
        let mut deed = Deed::untouching(TaskKind::Copy);
        deed.reads.push(range(self.from, self.bytes));
        deed.writes.push(range(self.to, self.bytes));
        deed.room = self.room;
        deed
    }
}

impl RawRows {
    /// What it does, or would do, for the records. Rows may be wider than the distance between them.
    pub fn deed(&self) -> Deed {
        let rows = |start, pitch| Span {
            start,
            width: self.width,
            pitch,
            rows: self.height,
        };
        let mut deed = Deed::untouching(TaskKind::Copy);
        deed.reads.push(rows(self.from, self.from_pitch));
        deed.writes.push(rows(self.to, self.to_pitch));
        deed
    }
}

impl RawFill {
    /// What it does, or would do, for the records.
    pub fn deed(&self) -> Deed {
        let mut deed = Deed::untouching(TaskKind::Fill);
        deed.writes.push(range(self.to, self.bytes));
        deed.room = self.room;
        deed
    }
}
