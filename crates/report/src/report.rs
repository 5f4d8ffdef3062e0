//! The result of one check, in no particular form.

use std::collections::HashMap;

use millpond_check::{Rule, Severity, limits};
use millpond_trace::{is_or_are, was_or_were};
use serde::Serialize;

use crate::lost::{Lost, LostKind};
use crate::resolved::{ResolvedFinding, ResolvedFrame};
use crate::suppress::Suppressions;

/// The result of a check.
#[derive(Debug, Default)]
pub struct Report {
    /// What was checked: a command line, or a file.
    pub program: String,
    /// The findings, in the order in which they first occurred.
    pub findings: Vec<ResolvedFinding>,
    /// Suppressed findings, with the index of the suppression.
    pub suppressed: Vec<(usize, ResolvedFinding)>,
    /// The rules that were checked.
    pub rules: Vec<&'static Rule>,
    /// What could not be checked or reported. A check with a loss does not pass.
    pub lost: Vec<Lost>,
    /// What else a reader should know, one sentence each. A check with notes may pass.
    pub notes: Vec<String>,
    /// The runs, if there were several.
    pub runs: Vec<Run>,
    /// Records that were judged.
    pub records: u64,
    /// Peak size of the checker's state in one process, in bytes.
    pub peak_state_bytes: u64,
    /// Facts that the checker dropped to limit its memory.
    pub dropped_facts: u64,
    /// There was nothing to judge: no process loaded the library.
    pub nothing_checked: bool,
    /// Findings beyond [`limits::FINDINGS`].
    pub dropped_findings: u64,
    suppressions: Suppressions,
    known: HashMap<FindingKey, (bool, usize)>,
}

/// One run of several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Run {
    /// The schedule it ran under, such as `seed=3`.
    pub schedule: String,
    /// Errors and warnings.
    pub findings: u64,
    /// How the program exited, such as `exit status 0`.
    pub exit: String,
}

/// What makes two findings one: the rule, and the call stacks of the operations. Addresses and numbers differ from
/// run to run.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FindingKey {
    rule: String,
    stacks: Vec<(String, Vec<ResolvedFrame>)>,
    /// Only if there are no stacks.
    message: String,
}

impl FindingKey {
    fn of(finding: &ResolvedFinding) -> Self {
        let stacks: Vec<_> = finding
            .operations
            .iter()
            .map(|operation| (operation.call.clone(), operation.stack.clone()))
            .collect();
        let nowhere = stacks.iter().all(|(_, stack)| stack.is_empty());
        Self {
            rule: finding.rule.clone(),
            stacks,
            message: if nowhere {
                finding.message.clone()
            } else {
                String::new()
            },
        }
    }
}

impl ResolvedFinding {
    /// Reports fold findings with the same key into one.
    pub fn key(&self) -> FindingKey {
        FindingKey::of(self)
    }
}

impl Report {
    /// An empty report with these suppressions.
    pub fn new(program: impl Into<String>, suppressions: Suppressions) -> Self {
        Self {
            program: program.into(),
            suppressions: suppressions.with_shipped(),
            ..Self::default()
        }
    }

    /// Adds a finding. If the report has it already, only its count grows.
    pub fn add(&mut self, finding: ResolvedFinding) {
        let key = finding.key();
        if let Some((hidden, index)) = self.known.get(&key).copied() {
            let same = if hidden {
                &mut self.suppressed[index].1
            } else {
                &mut self.findings[index]
            };
            same.times = same.times.saturating_add(finding.times);
            return;
        }
        if self.known.len() >= limits::FINDINGS {
            self.dropped_findings += 1;
            return;
        }
        let hidden = self.suppressions.hides(&finding);
        let index = if let Some(by) = hidden {
            self.suppressed.push((by, finding));
            self.suppressed.len() - 1
        } else {
            self.findings.push(finding);
            self.findings.len() - 1
        };
        self.known.insert(key, (hidden.is_some(), index));
    }

    /// Notes that a program exited with unfreed blocks and called neither `aclrtResetDevice` nor `aclFinalize`. They
    /// are not leaks, but without a note it would look as if there were none.
    pub fn note_unfreed_blocks(&mut self, blocks: u64) {
        if blocks == 0 {
            return;
        }
        let are = is_or_are(blocks);
        let blocks = millpond_trace::count(blocks, "block");
        self.notes.push(format!(
            "the program never called aclrtResetDevice or aclFinalize, so the {blocks} that it did not free \
             {are} not counted as leaked"
        ));
    }

    /// The suppressions.
    pub fn suppressions(&self) -> &Suppressions {
        &self.suppressions
    }

    /// Whether a finding is suppressed.
    pub fn hides(&self, finding: &ResolvedFinding) -> bool {
        self.suppressions.hides(finding).is_some()
    }

    /// Whether there are errors or warnings.
    pub fn fails(&self) -> bool {
        self.findings.iter().any(ResolvedFinding::counts)
    }

    /// Everything that was lost, including findings beyond the limit.
    pub fn losses(&self) -> Vec<Lost> {
        let mut lost = self.lost.clone();
        if self.dropped_findings > 0 {
            let (limit, were) = (limits::FINDINGS, was_or_were(self.dropped_findings));
            lost.push(Lost::new(
                LostKind::FindingsDropped,
                format!(
                    "{} beyond the limit of {limit} {were} dropped: fix some findings, or exclude them \
                     with --rules or --suppressions, and check again",
                    millpond_trace::count(self.dropped_findings, "finding")
                ),
            ));
        }
        lost
    }

    /// The sentence about dropped facts; none if there were none. This is not a loss: a checker with bounded memory
    /// works like that, and what it reports is still right.
    pub fn dropped_facts_note(&self) -> Option<String> {
        (self.dropped_facts > 0).then(|| {
            let facts = millpond_trace::count(self.dropped_facts, "fact");
            let were = was_or_were(self.dropped_facts);
            format!("{facts} {were} dropped to bound the checker's memory; findings may be missing")
        })
    }

    /// How many findings there are of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    }

    /// Repeats that were folded into findings.
    pub fn repeats(&self) -> u64 {
        self.findings
            .iter()
            .map(|finding| finding.times.saturating_sub(1))
            .fold(0, u64::saturating_add)
    }

    /// Suppressions that matched nothing, by file, line and rule.
    pub fn unused(&self) -> Vec<String> {
        let used: Vec<usize> = self.suppressed.iter().map(|(by, _)| *by).collect();
        self.suppressions
            .iter()
            .enumerate()
            .filter(|(index, one)| !used.contains(index) && !one.is_shipped())
            .map(|(_, one)| one.to_string())
            .collect()
    }

    /// Findings by rule, the worst and most frequent first.
    pub fn by_rule(&self) -> Vec<(&str, Severity, usize)> {
        let mut rules: Vec<(&str, Severity, usize)> = Vec::new();
        for finding in &self.findings {
            match rules.iter_mut().find(|(rule, ..)| *rule == finding.rule) {
                Some((_, severity, count)) => {
                    *severity = finding.severity.max(*severity);
                    *count += 1;
                }
                None => rules.push((&finding.rule, finding.severity, 1)),
            }
        }
        rules.sort_by_key(|(_, severity, count)| std::cmp::Reverse((*severity, *count)));
        rules
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn the_same_call_stack_in_two_runs_is_one_finding() {
        let mut report = Report::default();
        report.add(sample::race());
        let mut again = sample::race();
        again.message = "stream 9 reads".to_owned();
        again.operations[0].record = 99;
        again.bytes = None;
        assert_eq!(again.key(), sample::race().key());
        report.add(again);
        assert_eq!(report.findings.len(), 1);
        assert_eq!(report.findings[0].times, 6);
        assert_eq!(report.repeats(), 5);
        let mut elsewhere = sample::race();
        elsewhere.operations[0].stack[0].line += 1;
        assert_ne!(elsewhere.key(), sample::race().key());
        report.add(elsewhere);
        assert_eq!(report.findings.len(), 2);
        assert_eq!(report.by_rule(), [("stream.race", Severity::Error, 2)]);
    }

    #[test]
    fn findings_without_stacks_differ_by_their_message() {
        let mut report = Report::default();
        report.add(sample::hint());
        let mut other = sample::hint();
        other.message = "block 5 was never touched".to_owned();
        report.add(other);
        assert_eq!(report.findings.len(), 2);
        assert!(!report.fails(), "hints do not count");
    }

    #[test]
    fn what_is_suppressed_is_counted_and_what_hid_nothing_is_named() {
        let text = "[memory.*]\nreason = a\n[heap.*]\nreason = b";
        let suppressions = Suppressions::parse(text, "s").unwrap();
        let mut report = Report::new("train", suppressions);
        report.add(sample::hostile());
        report.add(sample::hostile());
        report.add(sample::hint());
        assert!(report.findings.is_empty());
        assert_eq!(report.suppressed.len(), 2);
        assert_eq!(report.suppressed[0].1.times, 2);
        assert_eq!(report.unused(), ["s:3: [heap.*]"]);
        assert!(!report.fails());
    }

    #[test]
    fn more_findings_than_are_kept_are_a_loss() {
        let mut report = Report::default();
        for index in 0..=limits::FINDINGS {
            let mut finding = sample::hint();
            finding.message = index.to_string();
            report.add(finding);
        }
        assert_eq!(report.findings.len(), limits::FINDINGS);
        assert_eq!(report.dropped_findings, 1);
        let lost = report.losses();
        assert_eq!(lost[0].kind, LostKind::FindingsDropped);
        assert!(
            lost[0]
                .what
                .starts_with("1 finding beyond the limit of 10000 was")
        );
    }
}
