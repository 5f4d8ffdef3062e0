//! The report as one JSON object; docs/report.md lists its fields.

use std::io::{self, Write};

use millpond_check::Severity;
use serde::{Serialize, Serializer};

use super::VERSION;
use crate::json;
use crate::lost::Lost;
use crate::report::{Report, Run};
use crate::resolved::ResolvedFinding;

#[derive(Serialize)]
struct Document<'a> {
    tool: Tool,
    program: &'a str,
    findings: &'a [ResolvedFinding],
    suppressed: SuppressedFindings<'a>,
    unused_suppressions: Vec<String>,
    rules: Vec<&'static str>,
    runs: &'a [Run],
    complete: bool,
    lost: Vec<Lost>,
    notes: &'a [String],
    summary: Summary,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Summary {
    errors: usize,
    warnings: usize,
    hints: usize,
    suppressed: usize,
    repeats: u64,
    dropped_findings: u64,
    records: u64,
    peak_state_bytes: u64,
    dropped_facts: u64,
}

/// The suppressed findings, written one after the other.
struct SuppressedFindings<'a>(&'a Report);

#[derive(Serialize)]
struct Suppressed<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    suppression: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    finding: &'a ResolvedFinding,
}

impl Serialize for SuppressedFindings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.suppressed.iter().map(|(index, finding)| {
            let suppression = self.0.suppressions().iter().nth(*index);
            Suppressed {
                suppression: suppression.map(ToString::to_string),
                reason: suppression.map(|one| one.reason.as_str()),
                finding,
            }
        }))
    }
}

impl Report {
    /// Writes the report as JSON, one finding after the other.
    pub(super) fn write_json(&self, out: impl Write) -> io::Result<()> {
        let lost = self.losses();
        let document = Document {
            tool: Tool {
                name: "millpond check",
                version: VERSION,
            },
            program: &self.program,
            findings: &self.findings,
            suppressed: SuppressedFindings(self),
            unused_suppressions: self.unused(),
            rules: self.rules.iter().map(|rule| rule.id).collect(),
            runs: &self.runs,
            complete: lost.is_empty(),
            lost,
            notes: &self.notes,
            summary: Summary {
                errors: self.count(Severity::Error),
                warnings: self.count(Severity::Warning),
                hints: self.count(Severity::Hint),
                suppressed: self.suppressed.len(),
                repeats: self.repeats(),
                dropped_findings: self.dropped_findings,
                records: self.records,
                peak_state_bytes: self.peak_state_bytes,
                dropped_facts: self.dropped_facts,
            },
        };
        json::write_pretty(out, &document)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{self, keys};
    use serde_json::Value;

    fn written(report: &Report) -> Value {
        let mut text = Vec::new();
        report.write_json(&mut text).unwrap();
        assert_eq!(text.last(), Some(&b'\n'));
        serde_json::from_slice(&text).unwrap()
    }

    #[test]
    fn a_report_is_one_object_whose_findings_are_read_back() {
        let report = sample::report();
        let value = written(&report);
        let findings = value["findings"].as_array().unwrap();
        assert_eq!(findings.len(), 3);
        for (value, finding) in findings.iter().zip(&report.findings) {
            for field in ["rule", "severity", "message", "operations"] {
                assert!(!value[field].is_null(), "{field}");
            }
            let read: ResolvedFinding = serde_json::from_value(value.clone()).unwrap();
            assert_eq!(&read, finding);
        }
        assert_eq!(value["summary"]["errors"], 2);
        assert_eq!(value["suppressed"][0]["reason"], "known");
        assert_eq!(value["findings"][0]["bytes"]["start"], "0x7f0000000200");
        assert_eq!(value["runs"][0]["schedule"], "seed=1");
        assert_eq!(value["complete"], false);
        assert_eq!(value["lost"][0]["kind"], "still-running");
    }

    /// Tools depend on these. Add keys; do not rename or remove them.
    #[test]
    fn the_keys_of_the_report_are_those_of_the_document() {
        let value = written(&sample::report());
        assert_eq!(
            keys(&value),
            [
                "complete",
                "findings",
                "lost",
                "notes",
                "program",
                "rules",
                "runs",
                "summary",
                "suppressed",
                "tool",
                "unused_suppressions"
            ]
        );
        assert_eq!(keys(&value["tool"]), ["name", "version"]);
        assert_eq!(keys(&value["lost"][0]), ["kind", "what"]);
        assert_eq!(keys(&value["runs"][0]), ["exit", "findings", "schedule"]);
        assert_eq!(
            keys(&value["suppressed"][0]),
            ["finding", "reason", "suppression"]
        );
        assert_eq!(
            keys(&value["summary"]),
            [
                "dropped_facts",
                "dropped_findings",
                "errors",
                "hints",
                "peak_state_bytes",
                "records",
                "repeats",
                "suppressed",
                "warnings"
            ]
        );
        let document = include_str!("../../../../docs/report.md");
        for object in [&value, &value["summary"], &value["suppressed"][0]] {
            for key in keys(object) {
                assert!(
                    document.contains(&format!("`{key}`")),
                    "docs/report.md lacks `{key}`"
                );
            }
        }
    }
}
