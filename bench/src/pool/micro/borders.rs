//! What a pair costs by size, close to where the pool changes its ways: is there a cliff at any border?
//!
//! A policy that is fast for one size and slow for the next is one that programs fall off by accident. So the
//! sizes stand on both sides of each border, and each time is compared with that of the size before it.

use std::fmt;
use std::time::Instant;

use super::mimalloc::Mimalloc;
use super::sizes::sizes;
use super::timed::{Offset, Timed};
use super::work::per;
use crate::pool::millpond::Shared as Millpond;
use millpond_replay::table::{Table, decimals};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const UNIT: u64 = 512;

/// A step of more than this, up or down, is a cliff.
const CLIFF: f64 = 3.0;

/// How many samples are taken. The shortest counts: others of the machine only make it longer.
const SAMPLES: usize = 9;

/// How long a sample should be, in nanoseconds.
const SAMPLE: f64 = 2e5;

/// How many blocks of a size are live at once: one, as in a pair, or more than lists of kept blocks are long.
const AT_ONCE: [usize; 2] = [1, 16];

/// Both sides of: the smallest block, the host's page, where kept blocks are merged early, the last size with a list
/// of its own, the page, and sizes at which others change; then large ones.
const SIZES: [u64; 30] = [
    1,
    UNIT,
    UNIT + 1,
    2 * UNIT,
    4 * KIB,
    4 * KIB + UNIT,
    32 * KIB,
    64 * KIB - UNIT,
    64 * KIB,
    64 * KIB + UNIT,
    128 * KIB,
    512 * KIB,
    MIB - UNIT,
    MIB,
    MIB + UNIT,
    2 * MIB - UNIT,
    2 * MIB,
    2 * MIB + UNIT,
    4 * MIB,
    4 * MIB + UNIT,
    10 * MIB,
    16 * MIB,
    32 * MIB,
    64 * MIB,
    128 * MIB,
    256 * MIB,
    512 * MIB,
    1024 * MIB - UNIT,
    1024 * MIB,
    1024 * MIB + UNIT,
];

/// Nanoseconds per pair, for each of [`SIZES`].
type Column = Result<Vec<f64>, String>;

const NAMES: [&str; 4] = [
    "millpond",
    "millpond-mempool",
    "offset-allocator",
    "mimalloc",
];

/// A table for each of [`AT_ONCE`].
#[derive(Debug)]
pub(crate) struct Borders {
    parts: Vec<(usize, [Column; NAMES.len()])>,
}

/// Times everyone at every border.
pub(crate) fn measure() -> Borders {
    let part = |at_once| {
        eprintln!("timing borders of sizes, {at_once} at once …");
        let columns = [
            Millpond::new().and_then(|it| column(&it, at_once)),
            column(&Millpond::of_a_memory_pool(), at_once),
            Offset::new().and_then(|it| column(&it, at_once)),
            Mimalloc::new().and_then(|it| column(&it, at_once)),
        ];
        (at_once, columns)
    };
    Borders {
        parts: AT_ONCE.into_iter().map(part).collect(),
    }
}

/// One allocator, among 128 live blocks and as many holes.
fn column<P: Timed>(peer: &P, at_once: usize) -> Column {
    let refused = || "a request was refused".to_owned();
    let mut live = Vec::new();
    for (number, bytes) in sizes(256, false).into_iter().enumerate() {
        let token = peer.alloc(0, bytes).ok_or_else(refused)?;
        live.push((number, token));
    }
    let (kept, holes): (Vec<_>, Vec<_>) = live.into_iter().partition(|(number, _)| number % 2 == 0);
    for (_, token) in holes {
        peer.free(0, token);
    }
    let times = SIZES
        .iter()
        .map(|bytes| shortest(peer, *bytes, at_once).ok_or_else(refused))
        .collect();
    for (_, token) in kept {
        peer.free(0, token);
    }
    times
}

/// Nanoseconds per pair of one size.
fn shortest<P: Timed>(peer: &P, bytes: u64, at_once: usize) -> Option<f64> {
    let mut tokens = Vec::with_capacity(at_once);
    let mut sample = |rounds: usize| {
        let start = Instant::now();
        for _ in 0..rounds {
            for _ in 0..at_once {
                tokens.push(peer.alloc(0, bytes)?);
            }
            while let Some(token) = tokens.pop() {
                peer.free(0, token);
            }
        }
        Some(per(start, rounds * at_once))
    };
    sample(16)?;
    let rounds = enough(sample(64)?, at_once);
    let mut least = f64::INFINITY;
    for _ in 0..SAMPLES {
        least = least.min(sample(rounds)?);
    }
    Some(least)
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 16 and 2^15"
)]
fn enough(pair: f64, at_once: usize) -> usize {
    (SAMPLE / (pair * at_once as f64)).clamp(16.0, 32_768.0) as usize
}

/// How many times the one before it each is; the first has none.
fn steps(times: &[f64]) -> Vec<Option<f64>> {
    let step = |at: usize| Some(times[at] / times[at.checked_sub(1)?]);
    (0..times.len()).map(step).collect()
}

fn is_cliff(step: f64) -> bool {
    !(1.0 / CLIFF..=CLIFF).contains(&step)
}

fn cell(time: f64, step: Option<f64>) -> String {
    let time = decimals(time, 1);
    match step {
        None => time,
        Some(step) if is_cliff(step) => format!("{time} ({step:.2} !)"),
        Some(step) => format!("{time} ({step:.2})"),
    }
}

/// A size as people say it, with how far it is behind or in front of a border.
fn name(bytes: u64) -> String {
    let whole = |bytes: u64| match bytes {
        gib if gib.is_multiple_of(1024 * MIB) => Some(format!("{} GiB", gib / (1024 * MIB))),
        mib if mib.is_multiple_of(MIB) => Some(format!("{} MiB", mib / MIB)),
        kib if kib.is_multiple_of(KIB) => Some(format!("{} KiB", kib / KIB)),
        _ => None,
    };
    if let Some(name) = whole(bytes) {
        return name;
    }
    let around = [
        (bytes.saturating_sub(UNIT), "+"),
        (bytes.saturating_add(UNIT), "-"),
    ];
    // The rounder one is the border.
    let rounder = around.into_iter().max_by_key(|it| it.0.trailing_zeros());
    let near = rounder.filter(|(border, _)| *border >= 4 * KIB);
    near.and_then(|(border, sign)| Some(format!("{} {sign} {UNIT}", whole(border)?)))
        .unwrap_or_else(|| bytes.to_string())
}

impl Borders {
    /// Who falls where, one line each.
    fn cliffs(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (at_once, columns) in &self.parts {
            for (who, times) in NAMES.iter().zip(columns) {
                let steps = times.as_deref().map(steps).unwrap_or_default();
                for (at, step) in steps.into_iter().enumerate() {
                    if let Some(step) = step.filter(|step| is_cliff(*step)) {
                        let (before, after) = (name(SIZES[at - 1]), name(SIZES[at]));
                        found.push(format!(
                            "{who}, {at_once} at once: {after} takes {step:.2} times what {before} takes"
                        ));
                    }
                }
            }
        }
        found
    }

    fn table(columns: &[Column; NAMES.len()]) -> Table {
        let mut headings = vec!["ns a pair (times the size before)".to_owned()];
        headings.extend(NAMES.map(str::to_owned));
        let mut table = Table::new(headings);
        let steps = columns.each_ref().map(|times| match times {
            Ok(times) => steps(times),
            Err(_) => Vec::new(),
        });
        for (at, bytes) in SIZES.into_iter().enumerate() {
            let mut cells = vec![name(bytes)];
            for (times, steps) in columns.iter().zip(&steps) {
                cells.push(match times {
                    Ok(times) => cell(times[at], steps[at]),
                    Err(_) => "failed".to_owned(),
                });
            }
            table.add(cells);
        }
        table
    }
}

impl fmt::Display for Borders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "## Time by size\n")?;
        for (at_once, columns) in &self.parts {
            let what = match at_once {
                1 => "a block, allocated and freed".to_owned(),
                many => format!("{many} blocks of a size, allocated and then freed"),
            };
            writeln!(f, "{what}:\n\n{}", Self::table(columns))?;
            for (who, times) in NAMES.iter().zip(columns) {
                if let Err(error) = times {
                    writeln!(f, "{who}: {error}\n")?;
                }
            }
        }
        let cliffs = self.cliffs();
        if cliffs.is_empty() {
            writeln!(f, "- no step of more than {CLIFF} times")?;
        }
        for cliff in cliffs {
            writeln!(f, "- step of more than {CLIFF} times: {cliff}")?;
        }
        writeln!(f)
    }
}

#[cfg(test)]
#[path = "borders_tests.rs"]
mod tests;
