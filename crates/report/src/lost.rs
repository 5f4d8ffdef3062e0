//! What a check could not find out or could not say. A check that lost something never passes.
//!
//! Whoever notices a loss adds one of these to the report: the command from what it sees itself, and from the counts
//! of the [`Ledger`](crate::Ledger) that the program's processes keep. Everything else follows from the list: the
//! sentence in the summary, the entry in each form of the report, and the exit status.

use std::fmt;

/// In which way something was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LostKind {
    /// No process used the library.
    Unused,
    /// Findings could not be handed to the command.
    FindingsUnwritten,
    /// What the processes handed over could not be read.
    FindingsUnreadable,
    /// There were more findings than are kept.
    FindingsBeyond,
    /// A thread faulted, and what it touched could not be reported.
    FaultsUnreported,
    /// Annotations of MSTX were more than are kept until the runtime starts.
    AnnotationsDropped,
    /// The record file that was asked for is missing, or lacks records.
    RecordsUnwritten,
    /// A part of a record file could not be read.
    RecordsDamaged,
    /// A record file has no end.
    RecordsUnclosed,
    /// A record file has records that only newer versions know.
    RecordsNewer,
    /// A process of the program used the library without a checker.
    ProcessUnchecked,
    /// Processes of the program were still running when the check ended.
    StillRunning,
    /// A signal ended the check early.
    Stopped,
}

impl LostKind {
    /// The word that reports use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unused => "unused",
            Self::FindingsUnwritten => "findings-unwritten",
            Self::FindingsUnreadable => "findings-unreadable",
            Self::FindingsBeyond => "findings-beyond",
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
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Lost {
    /// In which way.
    pub kind: LostKind,
    /// What, in one sentence without a full stop.
    pub what: String,
}

impl Lost {
    /// One of this kind.
    pub fn new(kind: LostKind, what: impl Into<String>) -> Self {
        let what = what.into();
        Self { kind, what }
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}
