//! The timed part as a table, with what was aimed at.

use std::fmt;

use super::{Case, LEADS, Measured, PEERS};
use crate::measure::Comparison;
use millpond_replay::table::{Table, decimals};

type Row = [Measured; PEERS.len()];

#[derive(Debug)]
pub(crate) struct Times {
    pub(super) rows: [(Case, Row); Case::ALL.len()],
    pub(super) by_pointer: Measured,
    pub(super) by_callback: Measured,
    /// How many times the throughput of one thread two have.
    pub(super) scaling: Result<f64, String>,
    /// For each of the cases in `LEADS`: the fastest peer, and its time over Millpond's.
    pub(super) leads: [Result<(&'static str, f64), String>; LEADS.len()],
}

/// A figure that is to be at most or at least something.
#[derive(Debug)]
struct Target {
    what: String,
    figure: Result<f64, String>,
    aim: Aim,
}

#[derive(Debug, Clone, Copy)]
enum Aim {
    AtMost(f64),
    AtLeast(f64),
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, aim) = match self.aim {
            Aim::AtMost(aim) => ("≤", aim),
            Aim::AtLeast(aim) => ("≥", aim),
        };
        let verdict = match (&self.figure, self.aim) {
            (Err(error), _) => return write!(f, "- {}: not measured: {error}", self.what),
            (Ok(figure), Aim::AtMost(aim)) if *figure <= aim => "met",
            (Ok(figure), Aim::AtLeast(aim)) if *figure >= aim => "met",
            _ => "missed",
        };
        let figure = self.figure.as_ref().map_or(f64::NAN, |figure| *figure);
        write!(
            f,
            "- {}: {figure:.2}, target {sign} {aim}: {verdict}",
            self.what
        )
    }
}

impl Times {
    /// Millpond's time over mimalloc's.
    fn ratio(&self, case: Case) -> Result<f64, String> {
        let found = self.rows.iter().find(|(it, _)| *it == case);
        let (_, row) = found.ok_or("not timed")?;
        row[0].clone().map(|found| found.ratio)
    }

    fn targets(&self) -> Vec<Target> {
        let by_pointer = self.by_pointer.clone().map(|found| found.ratio);
        let mut targets: Vec<Target> = [
            (
                "pair, times mimalloc",
                self.ratio(Case::Pair),
                Aim::AtMost(1.5),
            ),
            (
                "pair through the C interface, by pointer, times mimalloc",
                by_pointer,
                Aim::AtMost(3.0),
            ),
            (
                "mix, 4,096 live, times mimalloc",
                self.ratio(Case::Mix4096),
                Aim::AtMost(1.5),
            ),
            (
                "2 threads, own streams, throughput over 1 thread",
                self.scaling.clone(),
                Aim::AtLeast(1.8),
            ),
        ]
        .into_iter()
        .map(|(what, figure, aim)| Target {
            what: what.to_owned(),
            figure,
            aim,
        })
        .collect();
        for (case, lead) in LEADS.iter().zip(&self.leads) {
            let peer = lead.as_ref().map_or("nobody", |(peer, _)| peer);
            let times = if *case == Case::Pair { 4.0 } else { 1.0 };
            targets.push(Target {
                what: format!("{}, fastest peer ({peer}) / millpond", case.name()),
                figure: lead.clone().map(|(_, lead)| lead),
                aim: Aim::AtLeast(times),
            });
        }
        targets
    }

    fn table(&self) -> Table {
        let mut table = table(&self.rows);
        for (name, found) in [
            ("pair, C interface by pointer", &self.by_pointer),
            ("pair, plug-in's callbacks", &self.by_callback),
        ] {
            let mut cells = vec![name.to_owned(), reference(found.iter()), cell(found)];
            cells.resize(2 + PEERS.len(), String::new());
            table.add(cells);
        }
        table
    }
}

/// Some of the cases alone.
#[derive(Debug)]
pub(crate) struct Rows(pub(super) Vec<(Case, Row)>);

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "## Time of a call\n\n{}", table(&self.0))?;
        errors(&self.0, f)
    }
}

fn table(rows: &[(Case, Row)]) -> Table {
    let mut headings = vec!["ns (times mimalloc)".to_owned(), "mimalloc".to_owned()];
    headings.extend(PEERS.iter().map(|peer| peer.name.to_owned()));
    let mut table = Table::new(headings);
    for (case, row) in rows {
        let mut cells = vec![case.name().to_owned(), reference(row.iter().flatten())];
        cells.extend(row.iter().map(cell));
        table.add(cells);
    }
    table
}

fn errors(rows: &[(Case, Row)], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (case, row) in rows {
        for (peer, found) in PEERS.iter().zip(row) {
            if let Err(error) = found {
                writeln!(f, "{}, {}: {error}", case.name(), peer.name)?;
            }
        }
    }
    writeln!(f)
}

fn cell(found: &Measured) -> String {
    match found {
        Ok(found) => format!(
            "{} ({})",
            decimals(found.ours.median, 1),
            decimals(found.ratio, 2)
        ),
        Err(_) => "failed".to_owned(),
    }
}

/// What mimalloc took: the least of its medians beside everyone.
fn reference<'found>(found: impl Iterator<Item = &'found Comparison>) -> String {
    decimals(
        found.map(|it| it.peer.median).fold(f64::INFINITY, f64::min),
        1,
    )
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "## Time of a call\n\n{}", self.table())?;
        for target in self.targets() {
            writeln!(f, "{target}")?;
        }
        if let Err(error) = &self.by_callback {
            writeln!(f, "plug-in's callbacks: {error}")?;
        }
        errors(&self.rows, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_met_on_its_edge_and_says_when_it_was_not_measured() {
        let text = |figure: Result<f64, String>, aim| {
            let target = Target {
                what: "x".to_owned(),
                figure,
                aim,
            };
            target.to_string()
        };
        assert_eq!(
            text(Ok(1.5), Aim::AtMost(1.5)),
            "- x: 1.50, target ≤ 1.5: met"
        );
        assert!(text(Ok(1.6), Aim::AtMost(1.5)).ends_with("missed"));
        assert!(text(Ok(4.0), Aim::AtLeast(4.0)).ends_with("met"));
        assert!(text(Ok(3.9), Aim::AtLeast(4.0)).ends_with("missed"));
        assert!(text(Err("no library".to_owned()), Aim::AtMost(1.0)).ends_with("no library"));
    }
}
