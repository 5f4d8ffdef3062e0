//! Who did something: the part of a record that a finding tells of it.

use std::sync::Arc;

use millpond_trace::{Operation, Record, Site, StreamRef};

use crate::Act;

/// Who asked for something, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Doer {
    pub(crate) order: u64,
    pub(crate) thread: u64,
    pub(crate) stream: Option<StreamRef>,
    pub(crate) site: Site,
}

impl Doer {
    /// Who made a record.
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
            | Operation::UseRecorded { position, .. } => Some(position.stream),
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

    /// As a finding tells it.
    pub(crate) fn act(&self, what: impl Into<String>) -> Act {
        Act {
            what: what.into(),
            order: self.order,
            thread: self.thread,
            stream: self.stream,
            site: self.site.clone(),
        }
    }
}
