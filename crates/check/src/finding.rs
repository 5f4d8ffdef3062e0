//! Findings: what the checker reports.

use std::sync::Arc;

use millpond_trace::{Bytes, Site, Space, StreamRef};

use crate::ranks::RankPicture;
use crate::rules::{Rule, Severity};

/// A broken rule, with everything that a reader needs to see why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// The rule's severity, or a lower one.
    pub severity: Severity,
    /// What happened, in one sentence.
    pub message: String,
    /// The operations involved, the offending one first. A race has two; a use of freed memory has the use and
    /// the free.
    pub operations: Vec<ReportedOperation>,
    /// The affected bytes.
    pub bytes: Option<Bytes>,
    /// The block that contains the bytes or is next to them.
    pub block: Option<Arc<BlockLifetime>>,
    /// What was missing: an order between two operations, a call.
    pub missing: Option<String>,
    /// How to fix it.
    pub advice: Option<String>,
    /// What ranks did, if it is about several.
    pub ranks: Option<Arc<RankPicture>>,
    /// How often it happened. The same rule at the same call sites is one finding.
    pub times: u64,
}

impl Finding {
    /// A finding with its rule, message and offending operation.
    pub fn new(
        rule: &'static Rule,
        message: impl Into<String>,
        operation: ReportedOperation,
    ) -> Self {
        Self {
            rule,
            severity: rule.severity,
            message: message.into(),
            operations: vec![operation],
            bytes: None,
            block: None,
            missing: None,
            advice: None,
            ranks: None,
            times: 1,
        }
    }

    /// The same finding as a hint: worth knowing, but the program is not at fault.
    #[must_use]
    pub fn as_hint(mut self) -> Self {
        self.severity = Severity::Hint;
        self
    }
}

/// One operation of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedOperation {
    /// What it did: `writes 512 bytes at 0x…`.
    pub what: String,
    /// The number of its record.
    pub order: u64,
    /// The thread that requested it.
    pub thread: u64,
    /// The stream, if it is a task of one.
    pub stream: Option<StreamRef>,
    /// Where the program requested it.
    pub site: Site,
}

/// The block of a finding: what it is, who allocated it and who freed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockLifetime {
    /// Its name: `block 12`, `region 3 of heap 1`, `mapping of piece 4`.
    pub name: String,
    /// Which memory it is in.
    pub space: Space,
    /// The bytes that the program asked for.
    pub range: Bytes,
    /// The operation that allocated, registered or mapped it.
    pub allocated: ReportedOperation,
    /// The operation that freed, unregistered or unmapped it.
    pub freed: Option<ReportedOperation>,
}
