//! The memory part: every trace with every allocator.

use std::fmt;

use serde_json::json;

use super::millpond::Millpond;
use super::models::caching::{Caching, Growth};
use super::models::rmm::Rmm;
use super::peers::{PerStream, gpu, offset, rlsf};
use super::policy::Policy;
use super::replay::{self, Figures};
use super::table::{Table, decimals, gigabytes};
use super::trace::Trace;

type New = fn() -> Box<dyn Policy>;

/// Everyone who replays, Millpond first.
pub(crate) const ALLOCATORS: [(&str, New); 7] = [
    ("millpond", || Box::new(Millpond::new())),
    ("pytorch", || Box::new(Caching::new(Growth::Segments))),
    ("pytorch-expandable", || {
        Box::new(Caching::new(Growth::Expanding))
    }),
    ("rmm", || Box::new(Rmm::default())),
    ("offset-allocator", || {
        Box::new(PerStream::<offset::Offset>::new())
    }),
    ("rlsf", || Box::new(PerStream::<rlsf::Rlsf>::new())),
    ("gpu-allocator", || Box::new(PerStream::<gpu::Gpu>::new())),
];

#[derive(Debug)]
struct Row {
    trace: String,
    recorded: Option<u64>,
    /// In the order of [`ALLOCATORS`].
    figures: Vec<Result<Figures, String>>,
}

#[derive(Debug, Default)]
pub(crate) struct Results {
    rows: Vec<Row>,
}

impl Results {
    pub(crate) fn replay(&mut self, trace: &Trace) {
        eprintln!("replaying {} …", trace.name);
        if trace.unknown_frees > 0 {
            eprintln!(
                "{}: left out {} frees of blocks that are older than the trace",
                trace.name, trace.unknown_frees
            );
        }
        let figures = ALLOCATORS
            .iter()
            .map(|(_, new)| replay::measure(trace, new))
            .collect();
        self.rows.push(Row {
            trace: trace.name.clone(),
            recorded: trace.recorded_reserved,
            figures,
        });
    }

    /// One object on a line for each trace and allocator. Who refused a request has none.
    pub(crate) fn print_json(&self) {
        for row in &self.rows {
            for ((allocator, _), figures) in ALLOCATORS.iter().zip(&row.figures) {
                match figures {
                    Ok(figures) => println!(
                        "{}",
                        json!({
                            "trace": row.trace,
                            "allocator": allocator,
                            "peak_live": figures.peak_live,
                            "peak_reserved": figures.peak_reserved,
                            "pages_moved": figures.pages_moved,
                            "ns_per_op": figures.ns_per_op,
                        })
                    ),
                    Err(error) => eprintln!("{}, {allocator}: {error}", row.trace),
                }
            }
        }
    }

    fn headings() -> Vec<String> {
        let allocators = ALLOCATORS.iter().map(|(name, _)| (*name).to_owned());
        ["trace".to_owned(), "peak live".to_owned()]
            .into_iter()
            .chain(allocators)
            .collect()
    }

    fn column(&self, allocator: usize) -> Vec<f64> {
        let figures = |row: &Row| row.figures[allocator].as_ref().ok().map(expansion);
        self.rows.iter().filter_map(figures).collect()
    }

    /// Peak reserved over peak live.
    fn expansions(&self) -> Table {
        let mut headings = Self::headings();
        headings.push("PyTorch as recorded".to_owned());
        let mut table = Table::new(headings);
        for row in &self.rows {
            let mut cells = row.cells(|figures| decimals(expansion(figures), 3));
            let recorded = row.recorded.zip(row.peak_live());
            cells.push(recorded.map_or_else(String::new, |(recorded, live)| {
                decimals(ratio(recorded, live), 3)
            }));
            table.add(cells);
        }
        for (name, of) in [
            ("geometric mean", mean as fn(&[f64]) -> f64),
            ("worst", worst),
        ] {
            let mut cells = vec![name.to_owned(), String::new()];
            cells.extend((0..ALLOCATORS.len()).map(|it| decimals(of(&self.column(it)), 3)));
            cells.push(String::new());
            table.add(cells);
        }
        table
    }

    fn times(&self) -> Table {
        let mut table = Table::new(Self::headings());
        for row in &self.rows {
            table.add(row.cells(|figures| decimals(figures.ns_per_op, 0)));
        }
        table
    }
}

impl Row {
    fn peak_live(&self) -> Option<u64> {
        let first = self.figures.iter().flatten().next();
        first.map(|figures| figures.peak_live)
    }

    fn cells(&self, cell: impl Fn(&Figures) -> String) -> Vec<String> {
        let live = self.peak_live().map_or_else(String::new, gigabytes);
        let cell = |figures: &Result<Figures, String>| match figures {
            Ok(figures) => cell(figures),
            Err(_) => "refused".to_owned(),
        };
        [self.trace.clone(), live]
            .into_iter()
            .chain(self.figures.iter().map(cell))
            .collect()
    }
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "## Memory held: peak reserved / peak live\n\n{}",
            self.expansions()
        )?;
        let moved = |row: &Row| match &row.figures[0] {
            Ok(figures) => format!("{} {}", row.trace, figures.pages_moved),
            Err(_) => format!("{} refused", row.trace),
        };
        let moved: Vec<String> = self.rows.iter().map(moved).collect();
        writeln!(f, "pages moved by millpond: {}\n", moved.join(", "))?;
        writeln!(
            f,
            "## Bookkeeping: ns per allocation or free, best of 3\n\n{}",
            self.times()
        )?;
        for row in &self.rows {
            for ((allocator, _), figures) in ALLOCATORS.iter().zip(&row.figures) {
                if let Err(error) = figures {
                    writeln!(f, "{}, {allocator}: {error}", row.trace)?;
                }
            }
        }
        Ok(())
    }
}

fn expansion(figures: &Figures) -> f64 {
    ratio(figures.peak_reserved, figures.peak_live)
}

#[expect(clippy::cast_precision_loss, reason = "no device has 2^53 bytes")]
pub(crate) fn ratio(one: u64, other: u64) -> f64 {
    one as f64 / other as f64
}

#[expect(clippy::cast_precision_loss, reason = "a few traces")]
fn mean(values: &[f64]) -> f64 {
    let logs: f64 = values.iter().map(|value| value.ln()).sum();
    (logs / values.len() as f64).exp()
}

fn worst(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NAN, f64::max)
}
