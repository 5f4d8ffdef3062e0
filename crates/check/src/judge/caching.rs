//! Work in memory of a caching allocator: only in what is handed out, and in one piece of it.
//!
//! Judged when the work is asked for, not when its turn comes: a tensor dies while work that uses it is in the queue,
//! and that is right.

use millpond_trace::{Bytes, Deed, Operation, Outcome, Record, TaskKind};

use super::{Judge, words};
use crate::Finding;
use crate::rules::memory;
use crate::verdict::Verdict;
use crate::world::{Cached, Doer, World, end_of};

/// Judges work in memory of caching allocators.
#[derive(Debug, Default)]
pub(crate) struct Caching;

impl Judge for Caching {
    fn hears_work(&self) -> bool {
        true
    }

    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        if world.caching.is_empty() {
            return;
        }
        if let Operation::Enqueued { deed, .. }
        | Operation::Moved {
            deed,
            outcome: Outcome::Done,
        } = &record.operation
        {
            judge(world, record, deed, verdict);
        }
    }
}

fn judge(world: &World, record: &Record, deed: &Deed, verdict: &mut Verdict) {
    let reads = deed.reads.iter().map(|span| (span, "reads"));
    // What a run works in may be the allocator's own again when its place in the stream is known.
    let writes = deed.written().0.iter().map(|span| (span, "writes"));
    for (span, verb) in reads.chain(writes) {
        let range = span.hull();
        if range.bytes == 0 || !world.caching.has(range.start) {
            continue;
        }
        // Whoever gave the allocator its memory may save it, and bring it back.
        let moves = matches!(deed.task, TaskKind::Copy | TaskKind::Fill);
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
    let mut finding = Finding::new(&memory::OUT_OF_BOUNDS, message, Doer::of(record).act(does));
    finding.bytes = Some(outside);
    finding.block = Some(piece.story());
    finding
}

fn nowhere(world: &World, record: &Record, range: Bytes, verb: &str) -> Finding {
    let does = format!("{verb} {}", words::range(range));
    let act = Doer::of(record).act(does.clone());
    if let Some(gone) = world.caching.taken_back(range) {
        let message = format!("{does} of {}, which was freed", gone.piece.name());
        let mut finding = Finding::new(&memory::USE_AFTER_FREE, message, act);
        finding.operations.push(gone.act());
        finding.bytes = Some(range);
        finding.block = Some(gone.story());
        finding.advice = Some(
            "keep the tensor as long as its address is used: torch_npu keeps the memory of a tensor that died, and gives \
             it to the next one"
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
    let message =
        format!("{does} in torch_npu's cache, of which nothing is handed out there{next_to}");
    let mut finding = Finding::new(&memory::OUT_OF_BOUNDS, message, act);
    finding.bytes = Some(range);
    finding.block = before.map(|piece| piece.story());
    finding
}
