//! The origin of an operation: the part of a record that findings show.

use std::sync::Arc;

use millpond_trace::{Operation, Record, Site, StreamRef};

use crate::ReportedOperation;

/// Who requested an operation, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) order: u64,
    pub(crate) thread: u64,
    pub(crate) stream: Option<StreamRef>,
    pub(crate) site: Site,
}

impl Origin {
    /// The origin of a record.
    pub(crate) fn of(record: &Record) -> Arc<Self> {
        let stream = match &record.operation {
            Operation::WorkRefused { stream, .. } => *stream,
            Operation::Enqueued { position, .. }
            | Operation::Freed {
                ordered: Some(position),
                ..
            }
            | Operation::Allocated {
                ordered: Some(position),
                ..
            }
            | Operation::AllocatorReturned { position, .. }
            | Operation::UseRecorded { position, .. }
            | Operation::CopyFound { position, .. } => Some(position.stream),
            Operation::AllocatorAsked { stream, .. } | Operation::Allocator { stream, .. } => {
                Some(*stream)
            }
            _ => None,
        };
        Arc::new(Self {
            order: record.order,
            thread: record.thread,
            stream,
            site: record.site.clone(),
        })
    }

    /// The operation for a finding.
    pub(crate) fn operation(&self, what: impl Into<String>) -> ReportedOperation {
        ReportedOperation {
            what: what.into(),
            order: self.order,
            thread: self.thread,
            stream: self.stream,
            site: self.site.clone(),
        }
    }
}
