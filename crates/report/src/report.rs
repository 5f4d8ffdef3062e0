//! Everything that one check has to say, whoever reads it.

use std::collections::HashMap;

use millpond_check::{Rule, Severity};

use crate::lost::{Lost, LostKind};
use crate::suppress::Suppressions;
use crate::told::{Place, Told};

/// As many different findings are kept; more help nobody.
const MOST_FINDINGS: usize = 10_000;

/// The result of a check.
#[derive(Debug, Default)]
pub struct Report {
    /// What was checked: a command line, or a file.
    pub program: String,
    /// The findings that count, in the order in which they were first seen.
    pub findings: Vec<Told>,
    /// Findings that a suppression hides, with its number.
    pub suppressed: Vec<(usize, Told)>,
    /// The rules that were looked for.
    pub rules: Vec<&'static Rule>,
    /// What could not be found out or said. A check with a loss does not pass.
    pub lost: Vec<Lost>,
    /// What else a reader should know: one sentence each. A check with notes may pass.
    pub notes: Vec<String>,
    /// The runs, where there were several.
    pub runs: Vec<Run>,
    /// How much was judged.
    pub records: u64,
    /// The most bytes that the checker's books took in one process.
    pub books_peak: u64,
    /// Pieces of knowledge that were given up because a bound was reached.
    pub forgotten: u64,
    /// There was nothing to judge: no process had our library.
    pub nothing_checked: bool,
    /// Findings beyond those that are kept.
    pub dropped: u64,
    suppressions: Suppressions,
    known: HashMap<Key, (bool, usize)>,
}

/// One run of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The schedule it ran under, such as `seed=3`.
    pub schedule: String,
    /// Findings that count.
    pub findings: u64,
    /// How the program ended.
    pub ended: String,
}

/// What makes two findings the same one: the rule, and where the program did it. Addresses and
/// numbers differ from run to run.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    rule: String,
    places: Vec<(String, Vec<Place>)>,
    /// Only where there are no places.
    message: String,
}

impl Key {
    fn of(told: &Told) -> Self {
        let places: Vec<_> = told
            .operations
            .iter()
            .map(|act| (act.call.clone(), act.stack.clone()))
            .collect();
        let nowhere = places.iter().all(|(_, stack)| stack.is_empty());
        Self {
            rule: told.rule.clone(),
            places,
            message: if nowhere {
                told.message.clone()
            } else {
                String::new()
            },
        }
    }
}

impl Told {
    /// Whether a report folds the two into one.
    pub fn is_the_same_as(&self, other: &Self) -> bool {
        self.rule == other.rule && Key::of(self) == Key::of(other)
    }
}

impl Report {
    /// An empty one that leaves out what these hide.
    pub fn new(program: impl Into<String>, suppressions: Suppressions) -> Self {
        Self {
            program: program.into(),
            suppressions: suppressions.with_shipped(),
            ..Self::default()
        }
    }

    /// Takes a finding in. One that is there already only counts.
    pub fn add(&mut self, told: Told) {
        let key = Key::of(&told);
        if let Some((hidden, index)) = self.known.get(&key).copied() {
            let same = if hidden {
                &mut self.suppressed[index].1
            } else {
                &mut self.findings[index]
            };
            same.times = same.times.saturating_add(told.times);
            return;
        }
        if self.known.len() >= MOST_FINDINGS {
            self.dropped += 1;
            return;
        }
        let hidden = self.suppressions.hides(&told);
        let index = if let Some(by) = hidden {
            self.suppressed.push((by, told));
            self.suppressed.len() - 1
        } else {
            self.findings.push(told);
            self.findings.len() - 1
        };
        self.known.insert(key, (hidden.is_some(), index));
    }

    /// Notes that a program ended with blocks and never said that it is done. They are no leaks, but silence
    /// would look as if there were none.
    pub fn note_unasked(&mut self, blocks: u64) {
        if blocks == 0 {
            return;
        }
        let are = if blocks == 1 { "is" } else { "are" };
        let blocks = millpond_trace::count(blocks, "block");
        self.notes.push(format!(
            "the program never called aclrtResetDevice or aclFinalize, so the {blocks} that it did not free \
             {are} not counted as leaked"
        ));
    }

    /// What was to be left out.
    pub fn suppressions(&self) -> &Suppressions {
        &self.suppressions
    }

    /// Whether a suppression hides this one.
    pub fn hides(&self, told: &Told) -> bool {
        self.suppressions.hides(told).is_some()
    }

    /// Whether something is wrong: hints do not count.
    pub fn fails(&self) -> bool {
        self.findings.iter().any(Told::counts)
    }

    /// Everything that was lost, with the findings that are not kept.
    pub fn losses(&self) -> Vec<Lost> {
        let mut lost = self.lost.clone();
        if self.dropped > 0 {
            lost.push(Lost::new(
                LostKind::FindingsBeyond,
                format!(
                    "{} beyond the {MOST_FINDINGS} that are kept: fix some of these, or exclude them \
                     with --rules or --suppressions, and check again",
                    millpond_trace::count(self.dropped, "finding")
                ),
            ));
        }
        lost
    }

    /// What is said of knowledge that was given up; none if there was no need to. That is no loss: it is what a
    /// bounded checker does, and what it then reports is right all the same.
    pub fn given_up(&self) -> Option<String> {
        (self.forgotten > 0).then(|| {
            let facts = millpond_trace::count(self.forgotten, "fact");
            let were = if self.forgotten == 1 { "was" } else { "were" };
            format!("{facts} {were} dropped to bound the checker's memory; findings may be missing")
        })
    }

    /// How many findings there are of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings
            .iter()
            .filter(|told| told.severity == severity)
            .count()
    }

    /// Repeats of findings that are told once.
    pub fn repeats(&self) -> u64 {
        self.findings
            .iter()
            .map(|told| told.times.saturating_sub(1))
            .fold(0, u64::saturating_add)
    }

    /// Suppressions that hid nothing, as they are called.
    pub fn unused(&self) -> Vec<String> {
        let used: Vec<usize> = self.suppressed.iter().map(|(by, _)| *by).collect();
        self.suppressions
            .iter()
            .enumerate()
            .filter(|(index, one)| !used.contains(index) && !one.is_shipped())
            .map(|(_, one)| one.to_string())
            .collect()
    }

    /// Findings by rule, those with the most first.
    pub fn by_rule(&self) -> Vec<(&str, Severity, usize)> {
        let mut rules: Vec<(&str, Severity, usize)> = Vec::new();
        for told in &self.findings {
            match rules.iter_mut().find(|(rule, ..)| *rule == told.rule) {
                Some((_, severity, count)) => {
                    *severity = told.severity.max(*severity);
                    *count += 1;
                }
                None => rules.push((&told.rule, told.severity, 1)),
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
    fn the_same_place_in_two_runs_is_one_finding() {
        let mut report = Report::default();
        report.add(sample::race());
        let mut again = sample::race();
        again.message = "stream 9 reads".to_owned();
        again.operations[0].record = 99;
        again.bytes = None;
        assert!(again.is_the_same_as(&sample::race()));
        report.add(again);
        assert_eq!(report.findings.len(), 1);
        assert_eq!(report.findings[0].times, 6);
        assert_eq!(report.repeats(), 5);
        let mut elsewhere = sample::race();
        elsewhere.operations[0].stack[0].line += 1;
        assert!(!elsewhere.is_the_same_as(&sample::race()));
        report.add(elsewhere);
        assert_eq!(report.findings.len(), 2);
        assert_eq!(report.by_rule(), [("stream.race", Severity::Error, 2)]);
    }

    #[test]
    fn findings_without_places_are_told_apart_by_what_they_say() {
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
        for index in 0..=MOST_FINDINGS {
            let mut told = sample::hint();
            told.message = index.to_string();
            report.add(told);
        }
        assert_eq!(report.findings.len(), MOST_FINDINGS);
        assert_eq!(report.dropped, 1);
        let lost = report.losses();
        assert_eq!(lost[0].kind, LostKind::FindingsBeyond);
        assert!(lost[0].what.starts_with("1 finding beyond the 10000"));
    }
}
