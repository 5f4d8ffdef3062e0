//! What the checker reports.

use std::sync::Arc;

use millpond_trace::{Bytes, Site, Space, StreamRef};

use crate::rules::{Rule, Severity};

/// A rule that was broken, with all that is needed to see why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// How bad it is: as bad as the rule says, or less.
    pub severity: Severity,
    /// What happened, in one sentence.
    pub message: String,
    /// What was done, the offending first. A race has two, and a use of freed memory has the use and
    /// the free.
    pub operations: Vec<Act>,
    /// The bytes that it is about.
    pub bytes: Option<Bytes>,
    /// The block that the bytes lie in or next to.
    pub block: Option<Arc<BlockStory>>,
    /// What was missing: an order between two operations, a call.
    pub missing: Option<String>,
    /// What to do about it.
    pub advice: Option<String>,
    /// How often it happened: the same rule at the same places is one finding.
    pub times: u64,
}

impl Finding {
    /// A finding with its rule, sentence and offending operation.
    pub fn new(rule: &'static Rule, message: impl Into<String>, act: Act) -> Self {
        Self {
            rule,
            severity: rule.severity,
            message: message.into(),
            operations: vec![act],
            bytes: None,
            block: None,
            missing: None,
            advice: None,
            times: 1,
        }
    }

    /// The same as a hint: it is worth knowing, and the program is not at fault.
    #[must_use]
    pub fn as_hint(mut self) -> Self {
        self.severity = Severity::Hint;
        self
    }
}

/// One operation as a finding tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Act {
    /// What it did: `writes 512 bytes at 0x…`.
    pub what: String,
    /// The number of its record.
    pub order: u64,
    /// The thread that asked for it.
    pub thread: u64,
    /// The stream that it is a task of.
    pub stream: Option<StreamRef>,
    /// Where the program asked for it.
    pub site: Site,
}

/// A block as a finding tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockStory {
    /// What it is called: `block 12`, `region 3 of heap 1`, `mapping of piece 4`.
    pub name: String,
    /// Where it lies.
    pub space: Space,
    /// Its bytes: those that the program asked for.
    pub range: Bytes,
    /// Who allocated, registered or mapped it.
    pub made: Act,
    /// Who freed it.
    pub ended: Option<Act>,
}
