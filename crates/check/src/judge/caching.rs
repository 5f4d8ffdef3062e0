//! Work in the memory of a caching allocator must stay inside one allocated piece.
//!
//! This is judged when the work is requested, not at its turn: a tensor may be freed while queued work uses it, and
//! that is correct. Tasks of a graph are not judged here: a tensor that was freed while the graph was captured is in the graph's own pool,
//! and every launch uses its memory with every right. What is wrong with other tensors of a graph is found by `captured_tensors.rs`.

use std::collections::BTreeSet;

use millpond_trace::{Accesses, Bytes, Operation, Outcome, Record, TaskKind};

use super::{Judge, words};
use crate::Finding;
use crate::rules::memory;
use crate::verdict::Verdict;
use crate::world::{Cached, Origin, World, end_of};

/// Judges work in memory of caching allocators.
#[derive(Debug, Default)]
pub(crate) struct CachingJudge {
    /// Threads that launch a graph.
    launching: BTreeSet<u64>,
}

impl Judge for CachingJudge {
    fn sees_requests(&self) -> bool {
        true
    }

    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        match &record.operation {
            Operation::GraphLaunched { .. } => {
                self.launching.insert(record.thread);
            }
            Operation::GraphIssued { .. } => {
                self.launching.remove(&record.thread);
            }
            _ => {}
        }
        if world.caching.is_empty() || self.launching.contains(&record.thread) {
            return;
        }
        if let Operation::Enqueued { accesses, .. }
        | Operation::CopyFound { accesses, .. }
        | Operation::Moved {
            accesses,
            outcome: Outcome::Done,
        } = &record.operation
        {
            judge(world, record, accesses, verdict);
        }
    }
}

fn judge(world: &World, record: &Record, accesses: &Accesses, verdict: &mut Verdict) {
    let reads = accesses.reads.iter().map(|span| (span, "reads"));
    // The scratch of a run may have been returned to the allocator when its position in the stream is known.
    let writes = accesses.written().0.iter().map(|span| (span, "writes"));
    for (span, verb) in reads.chain(writes) {
        let range = span.hull();
        if range.bytes == 0 || !world.caching.has(range.start) {
            continue;
        }
        // Whoever gave the allocator its memory may save it, and bring it back.
        let moves = matches!(accesses.task, TaskKind::Copy | TaskKind::Fill);
        if moves && world.is_whole(range) {
            continue;
        }
        match world.caching.at(range.start) {
            Some(piece) if end_of(range) <= piece.end() => {}
            Some(piece) => {
                verdict.report(beyond(record, piece, range, verb));
                return;
            }
            None => {
                verdict.report(nowhere(world, record, range, verb));
                return;
            }
        }
    }
}

fn beyond(record: &Record, piece: &Cached, range: Bytes, verb: &str) -> Finding {
    let does = format!("{verb} {}", words::range(range));
    let outside = Bytes {
        start: piece.end(),
        bytes: end_of(range) - piece.end(),
    };
    let message = format!(
        "{does}, {} of them past the end of {} ({})",
        words::grouped(outside.bytes),
        piece.name(),
        words::count(piece.range.bytes, "byte")
    );
    let mut finding = Finding::new(
        &memory::OUT_OF_BOUNDS,
        message,
        Origin::of(record).operation(does),
    );
    finding.bytes = Some(outside);
    finding.block = Some(piece.lifetime());
    finding
}

fn nowhere(world: &World, record: &Record, range: Bytes, verb: &str) -> Finding {
    let does = format!("{verb} {}", words::range(range));
    let operation = Origin::of(record).operation(does.clone());
    if let Some(gone) = world.caching.taken_back(range) {
        let message = format!("{does} of {}, which was freed", gone.piece.name());
        let mut finding = Finding::new(&memory::USE_AFTER_FREE, message, operation);
        finding.operations.push(gone.operation());
        finding.bytes = Some(range);
        finding.block = Some(gone.lifetime());
        finding.advice = Some(
            "keep the tensor as long as its address is used: torch_npu caches the memory of a tensor that was freed, and \
             gives it to the next one"
                .to_owned(),
        );
        return finding;
    }
    let before = world.caching.before(range.start);
    let next_to = before.map_or(String::new(), |piece| {
        let distance = range.start - piece.end();
        format!(
            ", {} past the end of {}",
            words::count(distance, "byte"),
            piece.name()
        )
    });
    let message = format!("{does} in torch_npu's cache, where nothing is allocated{next_to}");
    let mut finding = Finding::new(&memory::OUT_OF_BOUNDS, message, operation);
    finding.bytes = Some(range);
    finding.block = before.map(|piece| piece.lifetime());
    finding
}
