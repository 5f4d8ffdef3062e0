//! What a page shows first: each recording in numbers.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::findings::Finding;
use crate::index::{Index, Mark};
use crate::moment::{Line, all_lines, lines};
use crate::series::Walk;

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
    /// Who leaks: whose blocks are never freed and keep growing until the end, by the rule of `millpond advise`.
    pub leaks: Vec<Leak>,
    /// Who else left blocks behind, the most bytes first.
    pub left: Vec<Line>,
    /// Owners that are not in `left`.
    pub more_left: u64,
    /// Bytes of all blocks that were not freed before the recording ended.
    pub left_bytes: u64,
    /// How many those are.
    pub left_blocks: u64,
    /// The share of what was reserved, when most was reserved, that was not live: as `millpond replay` says it of the recorded allocator.
    pub fragmentation: Option<f64>,
    /// The rank, if that is known.
    pub rank: Option<u32>,
    /// What the reader had to mend or leave out.
    pub notes: Vec<String>,
    /// Findings of the checker, in order of time.
    pub findings: Vec<Finding>,
}

/// Whose unfreed blocks keep growing until the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Leak {
    /// What the owner is called.
    pub place: String,
    /// Bytes of the blocks that became more.
    pub grown: u64,
    /// Bytes of all blocks that they did not free.
    pub bytes: u64,
    /// How many those are.
    pub blocks: u64,
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
    let growing = index.left.iter().filter(|left| left.leaked > 0);
    let leaks = growing
        .map(|left| Leak {
            place: index.names.name(left.owner).to_owned(),
            grown: left.leaked,
            bytes: left.bytes,
            blocks: left.blocks,
        })
        .collect();
    let others = index.left.iter().filter(|left| left.leaked == 0);
    let (left, more_left) = lines(
        &index.names,
        others.map(|left| (left.owner, (left.bytes, left.blocks))),
    );
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
        left,
        more_left,
        left_bytes: index.left.iter().map(|left| left.bytes).sum(),
        left_blocks: index.left.iter().map(|left| left.blocks).sum(),
        fragmentation: fragmentation(index),
        rank: index.rank,
        notes: index.notes.clone(),
        findings: index.findings.clone(),
    }
}

/// See [`Run::fragmentation`]. Of several moments with the most reserved, the one with the most live counts.
fn fragmentation(index: &Index) -> Option<f64> {
    let most = index.most_reserved(index.span.0, index.span.1)?;
    let mut live_then = 0;
    for (place, &(from, bytes)) in index.reserved.iter().enumerate() {
        if bytes == most {
            let to = index
                .reserved
                .get(place + 1)
                .map_or(index.span.1, |next| next.0);
            live_then = live_then.max(Walk::begin(index, from).until(from, to).highest.live);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let share = live_then.min(most) as f64 / most.max(1) as f64;
    Some(1.0 - share)
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
    /// The owner.
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
    let mut sums: FxHashMap<u32, (u64, u64)> = FxHashMap::default();
    index.live_at(index.peak().time, |number, block| {
        let sum = sums.entry(index.owners[number]).or_default();
        sum.0 += block.bytes;
        sum.1 += 1;
    });
    all_lines(&index.names, sums.into_iter())
}
