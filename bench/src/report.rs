//! Figures, bounds and verdicts, and how they are shown.

use std::fmt;

use serde_json::{Value, json};

use crate::machine::Machine;
use crate::measure::{Comparison, Summary};

/// What a figure must keep to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Bound {
    AtMost(f64),
    AtLeast(f64),
    /// For information.
    None,
}

impl Bound {
    fn verdict(self, figure: f64) -> Verdict {
        let kept = match self {
            Self::AtMost(bound) => figure <= bound,
            Self::AtLeast(bound) => figure >= bound,
            Self::None => return Verdict::Information,
        };
        if kept { Verdict::Kept } else { Verdict::Missed }
    }

    fn json(self) -> Value {
        match self {
            Self::AtMost(bound) => json!({ "at_most": bound }),
            Self::AtLeast(bound) => json!({ "at_least": bound }),
            Self::None => Value::Null,
        }
    }

    fn text(self) -> String {
        match self {
            Self::AtMost(bound) => format!("≤ {bound}"),
            Self::AtLeast(bound) => format!("≥ {bound}"),
            Self::None => String::new(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Kept,
    Missed,
    Information,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Self::Kept => "pass",
            Self::Missed => "MISS",
            Self::Information => "info",
        }
    }
}

/// One line of the table.
#[derive(Debug)]
pub(crate) struct Row {
    what: String,
    against: String,
    /// Both sides, as shown: median and, in brackets, the best.
    ours: String,
    peer: String,
    /// What is judged, the same from the best samples, and what it must keep to.
    figure: f64,
    best: Option<f64>,
    bound: Bound,
    raw: Value,
}

impl Row {
    /// A ratio of times: how many times the peer's ours is.
    pub(crate) fn times(
        what: impl Into<String>,
        against: impl Into<String>,
        found: Comparison,
        bound: Bound,
    ) -> Self {
        Self {
            what: what.into(),
            against: against.into(),
            ours: time_text(found.ours),
            peer: time_text(found.peer),
            figure: found.ratio,
            best: Some(found.best),
            bound,
            raw: raw(found),
        }
    }

    /// A ratio of bandwidths, of `bytes` bytes per call: which part of the peer's ours is.
    pub(crate) fn bandwidths(
        what: impl Into<String>,
        against: impl Into<String>,
        bytes: u32,
        found: Comparison,
        bound: Bound,
    ) -> Self {
        Self {
            what: what.into(),
            against: against.into(),
            ours: bandwidth_text(bytes, found.ours),
            peer: bandwidth_text(bytes, found.peer),
            figure: 1.0 / found.ratio,
            best: Some(1.0 / found.best),
            bound,
            raw: raw(found),
        }
    }

    /// A number that is judged by itself.
    pub(crate) fn number(
        what: impl Into<String>,
        against: impl Into<String>,
        measured: impl Into<String>,
        figure: f64,
        bound: Bound,
    ) -> Self {
        Self {
            what: what.into(),
            against: against.into(),
            ours: measured.into(),
            peer: String::new(),
            figure,
            best: None,
            bound,
            raw: Value::Null,
        }
    }

    fn verdict(&self) -> Verdict {
        self.bound.verdict(self.figure)
    }

    fn cells(&self, case: &str) -> [String; 9] {
        [
            case.to_owned(),
            self.what.clone(),
            self.ours.clone(),
            self.against.clone(),
            self.peer.clone(),
            short(self.figure),
            self.best.map_or_else(String::new, short),
            self.bound.text(),
            self.verdict().word().to_owned(),
        ]
    }
}

/// The figures of a run.
#[derive(Debug, Default)]
pub(crate) struct Report {
    rows: Vec<(&'static str, Row)>,
    failures: Vec<(&'static str, String)>,
}

impl Report {
    pub(crate) fn add(&mut self, case: &'static str, measured: Result<Vec<Row>, String>) {
        match measured {
            Ok(rows) => self.rows.extend(rows.into_iter().map(|row| (case, row))),
            Err(reason) => self.failures.push((case, reason)),
        }
    }

    /// Whether every case was measured and no bound was missed.
    pub(crate) fn all_well(&self) -> bool {
        let missed = |(_, row): &(_, Row)| row.verdict() == Verdict::Missed;
        self.failures.is_empty() && !self.rows.iter().any(missed)
    }

    pub(crate) fn json(&self, machine: &Machine) -> Value {
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|(case, row)| {
                json!({
                    "case": case,
                    "what": row.what,
                    "against": row.against,
                    "measured": row.ours,
                    "figure": row.figure,
                    "best": row.best,
                    "bound": row.bound.json(),
                    "verdict": row.verdict().word(),
                    "nanoseconds": row.raw,
                })
            })
            .collect();
        let failures: Vec<Value> = self
            .failures
            .iter()
            .map(|(case, reason)| json!({ "case": case, "reason": reason }))
            .collect();
        json!({
            "date": machine.date,
            "commit": machine.commit,
            "cpu": machine.cpu,
            "cores": machine.cores,
            "huge_pages": machine.huge_pages,
            "variables": machine.variables,
            "rows": rows,
            "not_measured": failures,
        })
    }
}

const HEADINGS: [&str; 9] = [
    "case",
    "what",
    "median (best)",
    "against",
    "median (best)",
    "ratio",
    "of best",
    "bound",
    "",
];

/// A table that reads well as it is and as Markdown.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = vec![HEADINGS.map(str::to_owned)];
        lines.extend(self.rows.iter().map(|(case, row)| row.cells(case)));
        let width = |column: usize| {
            lines
                .iter()
                .map(|cells| cells[column].chars().count())
                .max()
        };
        let widths: [usize; 9] = std::array::from_fn(|column| width(column).unwrap_or(0));
        for (number, cells) in lines.iter().enumerate() {
            for (cell, &width) in cells.iter().zip(&widths) {
                write!(f, "| {cell:width$} ")?;
            }
            writeln!(f, "|")?;
            if number == 0 {
                for width in widths {
                    write!(f, "| {:-<width$} ", "")?;
                }
                writeln!(f, "|")?;
            }
        }
        for (case, reason) in &self.failures {
            writeln!(f, "\nnot measured: {case}: {reason}")?;
        }
        Ok(())
    }
}

fn raw(found: Comparison) -> Value {
    let side = |side: Summary| json!({ "median": side.median, "best": side.least });
    json!({ "ours": side(found.ours), "peer": side(found.peer) })
}

fn time_text(side: Summary) -> String {
    let (divisor, unit) = match side.median {
        small if small < 1e3 => (1.0, "ns"),
        middle if middle < 1e6 => (1e3, "µs"),
        _ => (1e6, "ms"),
    };
    let (median, least) = (side.median / divisor, side.least / divisor);
    format!("{} ({}) {unit}", short(median), short(least))
}

fn bandwidth_text(bytes: u32, side: Summary) -> String {
    // Bytes per nanosecond are gigabytes per second.
    let bandwidth = |time: f64| short(f64::from(bytes) / time);
    format!(
        "{} ({}) GB/s",
        bandwidth(side.median),
        bandwidth(side.least)
    )
}

/// Three digits that matter, more or less.
fn short(number: f64) -> String {
    match number {
        small if small < 10.0 => format!("{small:.2}"),
        middle if middle < 100.0 => format!("{middle:.1}"),
        large => format!("{large:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(figure: f64, bound: Bound) -> Row {
        Row::number("threads", "cores", "1 s", figure, bound)
    }

    #[test]
    fn a_bound_that_is_met_exactly_is_kept() {
        let rows = [
            (4.0, Bound::AtMost(4.0), Verdict::Kept),
            (4.1, Bound::AtMost(4.0), Verdict::Missed),
            (0.9, Bound::AtLeast(0.9), Verdict::Kept),
            (0.8, Bound::AtLeast(0.9), Verdict::Missed),
            (99.0, Bound::None, Verdict::Information),
        ];
        for (figure, bound, verdict) in rows {
            assert_eq!(row(figure, bound).verdict(), verdict, "{figure} {bound:?}");
        }
    }

    #[test]
    fn a_missed_bound_or_a_case_that_did_not_run_is_not_well() {
        let mut report = Report::default();
        report.add("a", Ok(vec![row(1.0, Bound::AtMost(1.0))]));
        assert!(report.all_well());
        report.add("b", Err("no library".to_owned()));
        assert!(!report.all_well());
        assert!(report.to_string().contains("not measured: b: no library"));
    }

    #[test]
    fn every_line_of_the_table_is_equally_wide() {
        let mut report = Report::default();
        report.add(
            "a",
            Ok(vec![row(1.0, Bound::AtMost(1.0)), row(1234.5, Bound::None)]),
        );
        let text = report.to_string();
        let widths: Vec<_> = text.lines().map(|line| line.chars().count()).collect();
        assert!(widths.windows(2).all(|pair| pair[0] == pair[1]), "{text}");
    }
}
