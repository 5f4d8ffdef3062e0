//! What is measured. One file per case, each with what it isolates.

mod alloc;
mod call;
mod copy;
mod enqueue;
mod graph;
mod records;
mod streams;

use clap::ValueEnum;

use crate::acl::Acl;
use crate::report::Row;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Case {
    /// A call that checks one handle
    Call,
    /// Allocating and freeing device memory
    Alloc,
    /// Putting a task into a stream
    Enqueue,
    /// Large copies to and from the device
    Copy,
    /// A thousand streams at once
    Streams,
    /// A hundred operators as a graph
    Graph,
    /// What it costs when somebody listens
    Records,
}

impl Case {
    /// The named ones, or all, in the order of the table.
    pub(crate) fn chosen(named: &[Self]) -> impl Iterator<Item = Self> {
        Self::value_variants()
            .iter()
            .copied()
            .filter(move |case| named.is_empty() || named.contains(case))
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Alloc => "alloc",
            Self::Enqueue => "enqueue",
            Self::Copy => "copy",
            Self::Streams => "streams",
            Self::Graph => "graph",
            Self::Records => "records",
        }
    }

    pub(crate) fn measure(self, library: Result<&Acl, &String>) -> Result<Vec<Row>, String> {
        let acl = library.map_err(String::clone);
        match self {
            Self::Call => call::measure(acl?),
            Self::Alloc => alloc::measure(acl?),
            Self::Enqueue => enqueue::measure(acl?),
            Self::Copy => copy::measure(acl?),
            Self::Streams => streams::measure(acl?),
            Self::Graph => graph::measure(acl?),
            Self::Records => records::measure(),
        }
    }
}
