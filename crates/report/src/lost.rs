//! What a check could not check or could not report. A check that lost something never passes.
//!
//! The command adds losses to the report: those it notices itself, and those that the program's processes count in the
//! [`Ledger`](crate::Ledger). The list determines everything else: the sentence in the summary, the entry in each form
//! of the report, and the exit status.

use std::fmt;

use serde::{Serialize, Serializer};

/// What kind of loss it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LostKind {
    /// No process used the library.
    Unused,
    /// A process could not pass its findings to the command.
    FindingsUnwritten,
    /// What a process passed on could not be read.
    FindingsUnreadable,
    /// There were more findings than the limit.
    FindingsDropped,
    /// A thread faulted, and its access could not be reported in time.
    FaultsUnreported,
    /// There were more MSTX annotations before the runtime started than are kept.
    AnnotationsDropped,
    /// The requested record file is missing or lacks records.
    RecordsUnwritten,
    /// A part of a record file could not be read.
    RecordsDamaged,
    /// A record file was not closed by its writer.
    RecordsUnclosed,
    /// A record file has kinds of records that only newer versions know.
    RecordsNewer,
    /// A process of the program used the library unchecked.
    ProcessUnchecked,
    /// Processes of the program were still running when the check ended.
    StillRunning,
    /// A signal ended the check early.
    Stopped,
}

impl LostKind {
    /// The name that reports use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unused => "unused",
            Self::FindingsUnwritten => "findings-unwritten",
            Self::FindingsUnreadable => "findings-unreadable",
            Self::FindingsDropped => "findings-dropped",
            Self::FaultsUnreported => "faults-unreported",
            Self::AnnotationsDropped => "annotations-dropped",
            Self::RecordsUnwritten => "records-unwritten",
            Self::RecordsDamaged => "records-damaged",
            Self::RecordsUnclosed => "records-unclosed",
            Self::RecordsNewer => "records-newer",
            Self::ProcessUnchecked => "process-unchecked",
            Self::StillRunning => "still-running",
            Self::Stopped => "stopped",
        }
    }
}

/// One loss.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Lost {
    /// What kind of loss.
    #[serde(serialize_with = "kind_name")]
    pub kind: LostKind,
    /// What was lost, in one sentence without a full stop.
    pub what: String,
}

impl Lost {
    /// A loss of this kind.
    pub fn new(kind: LostKind, what: impl Into<String>) -> Self {
        let what = what.into();
        Self { kind, what }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn kind_name<S: Serializer>(kind: &LostKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.name())
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}
