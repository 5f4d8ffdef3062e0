//! Resolved findings: function names, files and lines instead of addresses. They outlive the process that they
//! are about.
//!
//! The fields of these types are the JSON of a finding, so docs/report.md lists them. A reader accepts a finding
//! that has only a rule id; everything else has a default.

use millpond_check::{BlockLifetime, Finding, ReportedOperation, Rule, Severity};
use millpond_trace::{Bytes, Space};
use serde::{Deserialize, Serialize};

pub use millpond_symbols::ResolvedFrame;

use crate::Symbols;
use crate::ranks::ResolvedRanks;

/// A finding with names instead of addresses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedFinding {
    /// The id of the rule. A file may come from another version, so we may not know it.
    pub rule: String,
    /// How bad it is.
    #[serde(with = "severity", default = "severity::unknown")]
    pub severity: Severity,
    /// The problem in a few words.
    #[serde(default)]
    pub title: String,
    /// What happened, in one sentence.
    #[serde(default)]
    pub message: String,
    /// The operations involved, the offending one first.
    #[serde(default)]
    pub operations: Vec<ResolvedOperation>,
    /// The affected bytes.
    #[serde(
        with = "range::option",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub bytes: Option<Bytes>,
    /// The block that contains the bytes or is next to them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<ResolvedBlock>,
    /// What was missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// How to fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// What ranks did, if it is about several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranks: Option<ResolvedRanks>,
    /// What the documentation requires, in our words.
    #[serde(default)]
    pub requirement: String,
    /// Where it is documented.
    #[serde(default)]
    pub source: String,
    /// How often it happened.
    #[serde(default = "once")]
    pub times: u64,
}

/// One operation of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ResolvedOperation {
    /// What it did.
    pub what: String,
    /// The number of its record.
    pub record: u64,
    /// The thread that requested it.
    pub thread: u64,
    /// The stream, if it is a task of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream: Option<u64>,
    /// The function of the interface that the program called; may be empty.
    pub call: String,
    /// The program or library that called it; empty if unknown.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub library: String,
    /// The program's call stack, innermost frame first.
    pub stack: Vec<ResolvedFrame>,
}

/// The block of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedBlock {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// The memory it is in: `device 0`, `pinned host memory`, `memory of the program`.
    #[serde(default)]
    pub space: String,
    /// Its bytes.
    #[serde(flatten, with = "range")]
    pub range: Bytes,
    /// The operation that allocated, registered or mapped it.
    #[serde(default)]
    pub allocated: ResolvedOperation,
    /// The operation that freed, unregistered or unmapped it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freed: Option<ResolvedOperation>,
}

impl ResolvedFinding {
    /// Looks up the names of a finding.
    pub fn of(finding: &Finding, symbols: &mut Symbols) -> Self {
        let Rule {
            id,
            severity: _,
            title,
            requirement,
            source,
        } = *finding.rule;
        Self {
            rule: id.to_owned(),
            severity: finding.severity,
            title: title.to_owned(),
            requirement: requirement.to_owned(),
            source: source.to_owned(),
            message: finding.message.clone(),
            operations: finding
                .operations
                .iter()
                .map(|operation| ResolvedOperation::of(operation, symbols))
                .collect(),
            bytes: finding.bytes,
            block: finding
                .block
                .as_deref()
                .map(|block| ResolvedBlock::of(block, symbols)),
            missing: finding.missing.clone(),
            advice: finding.advice.clone(),
            ranks: finding.ranks.as_deref().map(ResolvedRanks::of),
            times: finding.times,
        }
    }

    /// Whether it changes the exit status.
    pub fn counts(&self) -> bool {
        self.severity >= Severity::Warning
    }
}

impl ResolvedOperation {
    /// Looks up the names of an operation.
    pub fn of(operation: &ReportedOperation, symbols: &mut Symbols) -> Self {
        Self {
            what: operation.what.clone(),
            record: operation.order,
            thread: operation.thread,
            stream: operation.stream,
            call: operation.site.call.to_string(),
            library: symbols.library(&operation.site),
            stack: symbols.frames(&operation.site),
        }
    }
}

impl ResolvedBlock {
    fn of(block: &BlockLifetime, symbols: &mut Symbols) -> Self {
        Self {
            name: block.name.clone(),
            space: match block.space {
                Space::Device(index) => format!("device {index}"),
                Space::Pinned => "pinned host memory".to_owned(),
                Space::Foreign => "memory of the program".to_owned(),
            },
            range: block.range,
            allocated: ResolvedOperation::of(&block.allocated, symbols),
            freed: block
                .freed
                .as_ref()
                .map(|operation| ResolvedOperation::of(operation, symbols)),
        }
    }
}

/// Whether it is Python code of an installed package or of the standard library.
fn is_package(frame: &ResolvedFrame) -> bool {
    const FOLDERS: [&str; 3] = ["/site-packages/", "/dist-packages/", "/lib/python3."];
    frame.file.starts_with("<frozen") || FOLDERS.iter().any(|it| frame.file.contains(it))
}

/// The most helpful frames of a stack, at most `limit`, in their order: the innermost, then those of the program
/// itself, then those of packages that it uses.
pub(crate) fn relevant(stack: &[ResolvedFrame], limit: usize) -> Vec<&ResolvedFrame> {
    let preferred = |index: usize| index == 0 || !is_package(&stack[index]);
    let count = (0..stack.len()).filter(|&index| preferred(index)).count();
    let mut room = limit.saturating_sub(count);
    let mut found = Vec::new();
    for (index, frame) in stack.iter().enumerate() {
        if found.len() == limit {
            break;
        }
        if preferred(index) {
            found.push(frame);
        } else if room > 0 {
            room -= 1;
            found.push(frame);
        }
    }
    found
}

/// The innermost frame of the program itself; otherwise the innermost one with a file, otherwise the innermost.
pub(crate) fn own(stack: &[ResolvedFrame]) -> Option<&ResolvedFrame> {
    let known = |frame: &&ResolvedFrame| !frame.file.is_empty();
    let mut own = stack.iter().filter(known);
    own.find(|frame| !is_package(frame))
        .or_else(|| stack.iter().find(known))
        .or(stack.first())
}

fn once() -> u64 {
    1
}

/// A severity is its word.
mod severity {
    use std::borrow::Cow;

    use millpond_check::Severity;
    use serde::{Deserialize, Deserializer, Serializer};

    /// The severity of a finding that does not say it, or says one that we do not know: anything less would hide the
    /// finding.
    pub(super) fn unknown() -> Severity {
        Severity::Error
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub(super) fn serialize<S: Serializer>(
        severity: &Severity,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(severity)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Severity, D::Error> {
        let word = Cow::<str>::deserialize(deserializer)?;
        Ok(match &*word {
            "hint" => Severity::Hint,
            "warning" => Severity::Warning,
            _ => unknown(),
        })
    }
}

/// A range is `start` and `count`. Addresses are text, because many JSON parsers round large numbers.
mod range {
    use millpond_trace::Bytes;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

    #[derive(Serialize, Deserialize)]
    struct Range {
        start: String,
        count: u64,
    }

    impl From<Bytes> for Range {
        fn from(bytes: Bytes) -> Self {
            Self {
                start: format!("{:#x}", bytes.start),
                count: bytes.bytes,
            }
        }
    }

    impl Range {
        fn bytes<E: de::Error>(&self) -> Result<Bytes, E> {
            let digits = self.start.strip_prefix("0x");
            let start = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
            let start = start.ok_or_else(|| {
                E::custom(format_args!(
                    "invalid address '{}': expected 0x and hexadecimal digits",
                    self.start
                ))
            })?;
            Ok(Bytes {
                start,
                bytes: self.count,
            })
        }
    }

    pub(super) fn serialize<S: Serializer>(
        bytes: &Bytes,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        Range::from(*bytes).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Bytes, D::Error> {
        Range::deserialize(deserializer)?.bytes()
    }

    /// The same for a range that may be missing.
    pub(super) mod option {
        use super::{Bytes, Deserialize, Deserializer, Range, Serialize, Serializer};

        #[expect(clippy::ref_option, reason = "serde's signature")]
        pub(in super::super) fn serialize<S: Serializer>(
            bytes: &Option<Bytes>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            bytes.map(Range::from).serialize(serializer)
        }

        pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Option<Bytes>, D::Error> {
            let range = Option::<Range>::deserialize(deserializer)?;
            range.as_ref().map(Range::bytes).transpose()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{self, keys};

    #[test]
    fn the_keys_of_a_finding_are_those_of_the_document() {
        let mut finding = sample::race();
        finding.operations[0].library = "/lib/libx.so".to_owned();
        finding.operations[0].stack[0].inlined = true;
        if let Some(block) = &mut finding.block {
            block.freed = Some(finding.operations[0].clone());
        }
        finding.ranks = sample::ranks().ranks;
        let value = serde_json::to_value(&finding).unwrap();
        assert_eq!(
            keys(&value["ranks"]),
            [
                "columns",
                "communicator",
                "lanes",
                "like",
                "matrix",
                "more",
                "ranks"
            ]
        );
        let lane = &value["ranks"]["lanes"][0];
        assert_eq!(keys(lane), ["cells", "rank"]);
        assert_eq!(keys(&lane["cells"][1]), ["operation", "state", "what"]);
        assert_eq!(keys(&value["ranks"]["columns"][0]), ["place", "what"]);
        assert_eq!(
            keys(&value["ranks"]["matrix"]),
            ["expected", "ranks", "sent"]
        );
        let operation = [
            "call", "library", "record", "stack", "stream", "thread", "what",
        ];
        assert_eq!(
            keys(&value),
            [
                "advice",
                "block",
                "bytes",
                "message",
                "missing",
                "operations",
                "ranks",
                "requirement",
                "rule",
                "severity",
                "source",
                "times",
                "title"
            ]
        );
        assert_eq!(keys(&value["operations"][0]), operation);
        assert_eq!(
            keys(&value["operations"][0]["stack"][0]),
            ["file", "function", "inlined", "line", "module"]
        );
        assert_eq!(
            keys(&value["block"]),
            ["allocated", "count", "freed", "name", "space", "start"]
        );
        assert_eq!(keys(&value["bytes"]), ["count", "start"]);
    }

    #[test]
    fn a_rule_id_is_enough_and_an_unknown_severity_is_an_error() {
        let read = |text: &str| serde_json::from_str::<ResolvedFinding>(text);
        let finding = read("{\"rule\":\"stream.race\"}").unwrap();
        assert_eq!((finding.severity, finding.times), (Severity::Error, 1));
        let finding = read("{\"rule\":\"a\",\"severity\":\"fatal\",\"later\":{}}").unwrap();
        assert_eq!(finding.severity, Severity::Error);
        for wrong in [
            "{}",
            "{\"rule\":3}",
            "{\"rule\":\"a\",\"bytes\":{\"start\":\"12\",\"count\":1}}",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
