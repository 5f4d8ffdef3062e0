//! The memory part as tables.

use std::fmt;

use millpond_replay::engine::Figures;
use millpond_replay::table::{Table, decimals, gigabytes};

use super::memory::{ALLOCATORS, Results, Row};

/// How much more than the order allows Millpond may hold.
const ORDERED_BOUND: f64 = 1.1;

impl Results {
    fn headings() -> Vec<String> {
        let allocators = ALLOCATORS.iter().map(|(name, _)| (*name).to_owned());
        ["trace".to_owned(), "peak live".to_owned()]
            .into_iter()
            .chain(allocators)
            .collect()
    }

    /// Traces without edges.
    fn plain(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.least.is_none())
    }

    fn column(&self, allocator: usize) -> Vec<f64> {
        let figures = |row: &Row| row.figures[allocator].as_ref().ok().map(expansion);
        self.plain().filter_map(figures).collect()
    }

    /// Peak reserved over peak live.
    fn expansions(&self) -> Table {
        let mut headings = Self::headings();
        headings.push("PyTorch as recorded".to_owned());
        let mut table = Table::new(headings);
        for row in self.plain() {
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
        for row in self.plain() {
            table.add(row.cells(|figures| decimals(figures.ns_per_op, 0)));
        }
        table
    }

    /// Peak reserved over what the order allows.
    fn ordered(&self) -> Table {
        let mut headings = Self::headings();
        headings.insert(2, "order allows".to_owned());
        let mut table = Table::new(headings);
        for row in &self.rows {
            if let Some(least) = row.least {
                let over = |figures: &Figures| decimals(ratio(figures.peak_reserved, least), 3);
                let mut cells = row.cells(over);
                cells.insert(2, gigabytes(least));
                table.add(cells);
            }
        }
        table
    }

    /// The worst of Millpond's where the order is known.
    fn worst_ordered(&self) -> f64 {
        let over = |row: &Row| {
            let figures = row.figures[0].as_ref().ok();
            figures
                .zip(row.least)
                .map(|(it, least)| ratio(it.peak_reserved, least))
        };
        self.rows.iter().filter_map(over).fold(f64::NAN, f64::max)
    }
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.plain().next().is_some() {
            writeln!(
                f,
                "## Memory held: peak reserved / peak live\n\n{}",
                self.expansions()
            )?;
            let moved = |row: &Row| match &row.figures[0] {
                Ok(figures) => format!("{} {}", row.trace, figures.pages_moved),
                Err(_) => format!("{} refused", row.trace),
            };
            let moved: Vec<String> = self.plain().map(moved).collect();
            writeln!(f, "pages moved by millpond: {}\n", moved.join(", "))?;
            writeln!(
                f,
                "## Bookkeeping: ns of CPU time per allocation or free, best of 5\n\n{}",
                self.times()
            )?;
        }
        let worst = self.worst_ordered();
        if worst.is_finite() {
            writeln!(
                f,
                "## Several streams: peak reserved / what the order allows\n\n{}",
                self.ordered()
            )?;
            let verdict = if worst <= ORDERED_BOUND {
                "met"
            } else {
                "missed"
            };
            writeln!(
                f,
                "millpond, worst: {worst:.3}, target ≤ {ORDERED_BOUND}: {verdict}\n"
            )?;
        }
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
fn ratio(one: u64, other: u64) -> f64 {
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
