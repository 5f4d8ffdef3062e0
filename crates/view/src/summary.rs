//! What a page shows first: each recording in numbers.

use std::collections::BTreeMap;

use millpond_recording::StackId;
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::index::{Index, Mark, NEVER};
use crate::moment::{Line, all_lines, lines};

/// Marks in one answer.
const MOST_MARKS: usize = 5_000;

/// All recordings of a page.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// One for each device of each file.
    pub runs: Vec<Run>,
}

/// One recording in numbers.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// What to call it.
    pub name: String,
    /// Its first moment.
    pub from: u64,
    /// The first moment after it.
    pub to: u64,
    /// Allocations, frees, and memory that became reusable.
    pub events: u64,
    /// Blocks.
    pub allocations: u64,
    /// Names of streams.
    pub streams: Vec<String>,
    /// The most bytes live at one moment.
    pub peak: u64,
    /// When that was.
    pub peak_time: u64,
    /// The most bytes reserved from the device, if that was recorded.
    pub reserved: Option<u64>,
    /// Bytes reserved at the peak of live bytes, if that was recorded.
    pub reserved_at_peak: Option<u64>,
    /// Used addresses, without the gaps between segments.
    pub height: u64,
    /// First address, height and bytes of each part of those.
    pub ranges: Vec<(String, u64, u64)>,
    /// Steps and annotations.
    pub marks: Vec<Stamp>,
    /// Requests that failed.
    pub failures: Vec<Stamp>,
    /// Blocks that were not freed before the recording ended, by source line.
    pub leaks: Vec<Line>,
    /// Lines that are not in `leaks`.
    pub more_leaks: u64,
    /// Bytes of those blocks.
    pub leaked: u64,
    /// How many those are.
    pub leaked_blocks: u64,
    /// Events that do not fit the rest.
    pub unmatched: u64,
}

/// A mark of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stamp {
    /// When.
    pub time: u64,
    /// What.
    pub text: String,
}

/// All recordings in numbers.
pub fn summary(runs: &[Index]) -> Summary {
    Summary {
        runs: runs.iter().map(run).collect(),
    }
}

fn run(index: &Index) -> Run {
    let peak = index.peak();
    let mut left: FxHashMap<StackId, (u64, u64)> = FxHashMap::default();
    let (mut leaked, mut leaked_blocks) = (0, 0);
    index.live_at(index.span.1, |_, block| {
        debug_assert_eq!(block.end, NEVER);
        let sum = left.entry(block.stack).or_default();
        sum.0 += block.bytes;
        sum.1 += 1;
        leaked += block.bytes;
        leaked_blocks += 1;
    });
    let (leaks, more_leaks) = lines(&index.tables, left.into_iter());
    Run {
        name: index.name.clone(),
        from: index.span.0,
        to: index.span.1,
        events: index.events.len() as u64,
        allocations: index.blocks.len() as u64,
        streams: index.streams.clone(),
        peak: peak.level.live,
        peak_time: peak.time,
        reserved: index.most_reserved(index.span.0, index.span.1),
        reserved_at_peak: index.reserved_at(peak.time),
        height: index.addresses.height(),
        ranges: index
            .addresses
            .ranges()
            .map(|(start, height, bytes)| (format!("{start:#x}"), height, bytes))
            .collect(),
        marks: stamps(&index.marks),
        failures: stamps(&index.failures),
        leaks,
        more_leaks,
        leaked,
        leaked_blocks,
        unmatched: index.unmatched,
    }
}

fn stamps(marks: &[Mark]) -> Vec<Stamp> {
    let shown = marks.iter().take(MOST_MARKS);
    shown
        .map(|mark| Stamp {
            time: mark.time,
            text: mark.text.clone(),
        })
        .collect()
}

/// What one source line has at the peaks of two recordings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// File and line.
    pub place: String,
    /// Bytes in the first recording.
    pub before: u64,
    /// Bytes in the second.
    pub after: u64,
}

/// Two recordings at their peaks, line by line, the largest change first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diff {
    /// Bytes live at the peak of the first.
    pub before: u64,
    /// Bytes live at the peak of the second.
    pub after: u64,
    /// Lines that have memory in one of them.
    pub lines: Vec<Difference>,
}

/// Compares two recordings.
pub fn diff(first: &Index, second: &Index) -> Diff {
    let mut lines: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for line in at_peak(first) {
        lines.entry(line.place).or_default().0 = line.bytes;
    }
    for line in at_peak(second) {
        lines.entry(line.place).or_default().1 = line.bytes;
    }
    let mut lines: Vec<Difference> = lines
        .into_iter()
        .map(|(place, (before, after))| Difference {
            place,
            before,
            after,
        })
        .collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.before.abs_diff(line.after)));
    Diff {
        before: first.peak().level.live,
        after: second.peak().level.live,
        lines,
    }
}

fn at_peak(index: &Index) -> Vec<Line> {
    let mut sums: FxHashMap<StackId, (u64, u64)> = FxHashMap::default();
    index.live_at(index.peak().time, |_, block| {
        let sum = sums.entry(block.stack).or_default();
        sum.0 += block.bytes;
        sum.1 += 1;
    });
    all_lines(&index.tables, sums.into_iter())
}
