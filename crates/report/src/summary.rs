//! The summary of a check: counts, losses and notes.

use millpond_check::Severity;
use millpond_trace::{count, is_or_are};

use crate::clean::put;
use crate::report::Report;
use crate::text::{Ink, Style};

impl Report {
    /// The summary as text of several lines, the last of them ended.
    pub fn summary(&self, style: &Style) -> String {
        let mut out = String::new();
        let errors = self.count(Severity::Error);
        let warnings = self.count(Severity::Warning);
        let hints = self.count(Severity::Hint);
        let lost = self.losses();
        let head = if self.nothing_checked && self.findings.is_empty() {
            style.paint(Ink::Severity(Severity::Warning), "nothing was checked")
        } else if errors + warnings == 0 && !lost.is_empty() {
            style.paint(
                Ink::Severity(Severity::Warning),
                "no findings, but the check is incomplete",
            )
        } else if errors + warnings == 0 {
            style.paint(Ink::Advice, "no findings")
        } else {
            let mut parts = Vec::new();
            for (count, word, severity) in [
                (errors, "error", Severity::Error),
                (warnings, "warning", Severity::Warning),
            ] {
                if count > 0 {
                    parts.push(style.paint(Ink::Severity(severity), &count_of(count, word)));
                }
            }
            parts.join(", ")
        };
        put!(&mut out, "millpond check: {head}");
        if hints > 0 {
            put!(
                &mut out,
                " and {} (hints do not change the exit status)",
                style.paint(Ink::Severity(Severity::Hint), &count_of(hints, "hint"))
            );
        }
        out.push('\n');
        let rules = self.by_rule();
        let width = rules.iter().map(|(rule, ..)| rule.len()).max().unwrap_or(0);
        for (rule, severity, count) in rules {
            let name = style.paint(Ink::Severity(severity), &format!("{rule:width$}"));
            put!(&mut out, "  {name}  {count:>4}\n");
        }
        for loss in &lost {
            let word = style.paint(Ink::Severity(Severity::Error), "lost");
            put!(&mut out, "  {word}: {}\n", crate::clean::clean(&loss.what));
        }
        let mut line = |text: String| put!(&mut out, "  {}\n", crate::clean::clean(&text));
        if self.repeats() > 0 {
            line(format!(
                "{} at the same call sites {} folded into these",
                count(self.repeats(), "repeat"),
                is_or_are(self.repeats())
            ));
        }
        if !self.suppressed.is_empty() {
            line(format!("{} suppressed", self.suppressed.len()));
        }
        for unused in self.unused() {
            line(format!("suppression never used: {unused}"));
        }
        if let Some(note) = self.dropped_facts_note() {
            line(note);
        }
        for note in &self.notes {
            line(format!("note: {note}"));
        }
        out
    }
}

fn count_of(number: usize, word: &str) -> String {
    count(number as u64, word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lost::{Lost, LostKind};
    use crate::sample;
    use crate::suppress::Suppressions;

    #[test]
    fn a_clean_run_says_so_in_one_line() {
        let report = Report::default();
        assert_eq!(
            report.summary(&Style::plain()),
            "millpond check: no findings\n"
        );
    }

    #[test]
    fn blocks_of_a_program_that_only_ends_are_noted() {
        let mut report = Report::default();
        report.note_unfreed_blocks(0);
        assert!(report.notes.is_empty());
        report.note_unfreed_blocks(1);
        report.note_unfreed_blocks(12);
        assert!(
            report.notes[0]
                .ends_with("so the 1 block that it did not free is not counted as leaked")
        );
        assert!(report.notes[1].contains("the 12 blocks that it did not free are not"));
    }

    #[test]
    fn a_run_without_our_library_is_not_called_clean() {
        let mut report = Report::default();
        report.nothing_checked = true;
        let text = report.summary(&Style::plain());
        assert_eq!(text, "millpond check: nothing was checked\n");
    }

    #[test]
    fn a_check_that_lost_something_is_not_called_clean() {
        let mut report = Report::default();
        report
            .lost
            .push(Lost::new(LostKind::Stopped, "stopped by \u{1b}signal 15"));
        assert_eq!(
            report.summary(&Style::plain()),
            "millpond check: no findings, but the check is incomplete\n  lost: stopped by \\u{1b}signal 15\n"
        );
        report.add(sample::race());
        let text = report.summary(&Style::plain());
        assert!(text.starts_with("millpond check: 1 error\n"), "{text}");
        assert!(text.contains("  lost: stopped"), "{text}");
    }

    #[test]
    fn everything_is_counted_and_hints_apart() {
        let text = "[heap.*]\nreason = b";
        let mut report = Report::new("train", Suppressions::parse(text, "s").unwrap());
        report.add(sample::race());
        report.add(sample::hostile());
        report.add(sample::hint());
        report.notes.push("killed: no leak check".to_owned());
        report.dropped_facts = 2;
        assert_eq!(
            report.summary(&Style::plain()),
            "\
millpond check: 2 errors and 1 hint (hints do not change the exit status)
  stream.race           1
  memory.leak           1
  memory.never-used     1
  2 repeats at the same call sites are folded into these
  suppression never used: s:1: [heap.*]
  2 facts were dropped to bound the checker's memory; findings may be missing
  note: killed: no leak check
"
        );
    }
}
