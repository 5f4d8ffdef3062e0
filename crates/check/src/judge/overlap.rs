//! Copies whose source and destination overlap.

use millpond_trace::{Bytes, Span, TaskKind};

use super::{Judge, words};
use crate::Finding;
use crate::rules::memory;
use crate::verdict::Verdict;
use crate::world::{Block, BlockKind, Turn, World};

/// Checks both sides of copies.
#[derive(Debug, Default)]
pub(crate) struct Overlap;

/// Rows that are compared one with the other, where two sides have different distances between them.
const COMPARED: u64 = 64;

impl Judge for Overlap {
    fn turn(&mut self, _world: &World, turn: &Turn, verdict: &mut Verdict) {
        if turn.accesses.task != TaskKind::Copy {
            return;
        }
        for ((from, from_block), (to, to_block)) in turn.reads().zip(turn.writes()) {
            let alias = alias(from, from_block.map(|it| &**it), to_block.map(|it| &**it));
            let Some(shared) = shared(alias.unwrap_or(from), to) else {
                continue;
            };
            let bytes = words::count(shared.bytes, "byte");
            let message = format!(
                "copies {} to {:#x}: {bytes} at {:#x} are both source and destination",
                words::place(from),
                to.start,
                shared.start
            );
            let what = format!("copies {} to {:#x}", words::place(from), to.start);
            let mut finding = Finding::new(&memory::OVERLAP, message, turn.origin.operation(what));
            finding.bytes = Some(shared);
            finding.block = to_block.or(from_block).map(|block| block.lifetime());
            finding.advice = Some("copy through a temporary buffer".to_owned());
            verdict.report(finding);
        }
    }
}

/// The source as it is seen where the destination is mapped, if both show the same physical memory.
fn alias(from: Span, source: Option<&Block>, to: Option<&Block>) -> Option<Span> {
    let (source, to) = (source?, to?);
    let same = matches!(source.kind, BlockKind::Mapping(_)) && source.kind == to.kind;
    if !same || source.number == to.number {
        return None;
    }
    let offset = from.start - source.range.start;
    Some(Span {
        start: to.range.start.checked_add(offset)?,
        ..from
    })
}

/// The first bytes that two sides of a copy have in common. The same place on both sides is not a copy.
fn shared(from: Span, to: Span) -> Option<Bytes> {
    if from == to {
        return None;
    }
    let first = common(from.hull(), to.hull())?;
    let dense = |span: Span| span.rows == 1 || span.pitch == span.width;
    if dense(from) && dense(to) {
        return Some(first);
    }
    let (low, high) = if from.start <= to.start {
        (from, to)
    } else {
        (to, from)
    };
    if low.pitch == high.pitch && low.pitch > 0 {
        // The lattice of one side is between that of the other, or crosses it everywhere.
        let (rows, within) = (
            (high.start - low.start) / low.pitch,
            (high.start - low.start) % low.pitch,
        );
        let row = |span: Span, row: u64| Bytes {
            start: span.start.saturating_add(row.saturating_mul(span.pitch)),
            bytes: span.width,
        };
        if within < low.width && rows < low.rows {
            return common(row(low, rows), row(high, 0));
        }
        if low.pitch - within < high.width && rows + 1 < low.rows {
            return common(row(low, rows + 1), row(high, 0));
        }
        return None;
    }
    if low.rows > COMPARED || high.rows > COMPARED {
        return None;
    }
    let pairs = low
        .ranges()
        .flat_map(|one| high.ranges().map(move |other| (one, other)));
    pairs
        .filter_map(|(one, other)| common(one, other))
        .min_by_key(|bytes| bytes.start)
}

fn common(one: Bytes, other: Bytes) -> Option<Bytes> {
    let start = one.start.max(other.start);
    let end = |range: Bytes| range.start.saturating_add(range.bytes);
    let until = end(one).min(end(other));
    (start < until).then(|| Bytes {
        start,
        bytes: until - start,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(state: &mut u64) -> u64 {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        *state >> 33
    }

    #[test]
    fn rows_overlap_exactly_where_their_bytes_do() {
        let mut state = 7;
        let (mut met, mut missed) = (0, 0);
        for round in 0..20_000 {
            let pitch = 1 + next(&mut state) % 9;
            let width = 1 + next(&mut state) % pitch;
            let rows = 1 + next(&mut state) % 4;
            let from = Span {
                start: 100 + next(&mut state) % 40,
                width,
                pitch,
                rows,
            };
            let mut to = Span {
                start: 100 + next(&mut state) % 40,
                ..from
            };
            if round % 2 == 0 {
                to.pitch = width + next(&mut state) % 9;
            }
            if from == to {
                continue;
            }
            let bytes = |span: Span| -> Vec<u64> {
                let rows = (0..span.rows).map(|row| span.start + row * span.pitch);
                rows.flat_map(|start| start..start + span.width).collect()
            };
            let theirs = bytes(to);
            let expected = bytes(from).into_iter().any(|byte| theirs.contains(&byte));
            let found = shared(from, to);
            assert_eq!(found.is_some(), expected, "{from:?} {to:?}");
            if let Some(found) = found {
                met += 1;
                assert!(theirs.contains(&found.start) && bytes(from).contains(&found.start));
            } else {
                missed += 1;
            }
        }
        assert!(met > 1000 && missed > 1000, "{met} {missed}");
    }
}
