//! Work in heaps: only inside regions, and only with the permissions of the region.
//!
//! This is judged when the work is requested, not at its turn: a pool may free a region in stream order while
//! queued work uses it, and that is correct.
//!
//! Work across adjacent regions is fine: all its bytes are registered. Regions without a heap restrict only
//! themselves.

use millpond_trace::{Accesses, Bytes, Operation, Outcome, Record, Span, TaskKind};

use super::{Judge, words};
use crate::Finding;
use crate::rules::heap as rules;
use crate::verdict::Verdict;
use crate::world::{Heap, Origin, READ, Region, SHARED, WRITE, World, end_of, overlap};

/// How many rows are judged; the rest is not.
const ROWS: u64 = 1 << 16;

/// Judges work in heaps and regions.
#[derive(Debug, Default)]
pub(crate) struct RegionJudge;

impl Judge for RegionJudge {
    fn sees_requests(&self) -> bool {
        true
    }

    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        match &record.operation {
            Operation::Enqueued { accesses, .. }
            | Operation::CopyFound { accesses, .. }
            | Operation::Moved {
                accesses,
                outcome: Outcome::Done,
            } => {
                if !world.heaps.is_empty() {
                    outside(world, record, accesses, verdict);
                }
                for region in world.heaps.restricted() {
                    permitted(world, record, accesses, region, verdict);
                }
            }
            Operation::AllocatorAsked {
                stream,
                object,
                bytes,
                token,
                address,
            } if *token != 0 => {
                let range = Bytes {
                    start: *address,
                    bytes: *bytes,
                };
                if let Some((heap, bare)) = world.heaps.uncovered(range) {
                    let message = format!(
                        "allocator {object:#x} returned {} of heap {} for stream {stream}, but {} of them are \
                         in no region",
                        words::range(range),
                        heap.number,
                        words::grouped(bare.bytes)
                    );
                    let operation = Origin::of(record).operation("requests memory");
                    let mut finding = Finding::new(&rules::UNREGISTERED_BLOCK, message, operation);
                    finding.bytes = Some(range);
                    finding.block = Some(heap.lifetime());
                    finding.advice = Some(
                        "let the function that allocates register a region, and the one that frees \
                         unregister it"
                            .to_owned(),
                    );
                    verdict.report(finding);
                }
            }
            _ => {}
        }
    }
}

/// The bytes of a span, as far as they are judged.
fn pieces(span: &Span) -> impl Iterator<Item = Bytes> {
    let rows = usize::try_from(ROWS).unwrap_or(usize::MAX);
    span.ranges().take(rows)
}

/// What the accesses do with their spans, one after the other. What it works in was judged when an allocator gave it, and may
/// have gone back already.
fn spans(accesses: &Accesses) -> impl Iterator<Item = (&Span, &'static str)> {
    let reads = accesses.reads.iter().map(|span| (span, "reads"));
    let (results, _) = accesses.written();
    reads.chain(results.iter().map(|span| (span, "writes")))
}

/// Work in a heap outside its regions.
fn outside(world: &World, record: &Record, accesses: &Accesses, verdict: &mut Verdict) {
    for (span, verb) in spans(accesses) {
        // Nearly always all rows are in one region.
        if world.heaps.uncovered(span.hull()).is_none() {
            continue;
        }
        // Whoever has the memory of a heap may save it, and bring it back.
        let moves = matches!(accesses.task, TaskKind::Copy | TaskKind::Fill);
        if moves && world.is_whole(span.hull()) {
            continue;
        }
        let found = pieces(span).find_map(|range| {
            let (heap, bare) = world.heaps.uncovered(range)?;
            Some((range, heap, bare))
        });
        let Some((range, heap, bare)) = found else {
            continue;
        };
        // What a run uses of a registered allocator was judged when the allocator gave it.
        let mut given = world.allocators.given().iter();
        if accesses.task == TaskKind::Compute && given.any(|it| overlap(it.range, bare)) {
            continue;
        }
        verdict.report(found_outside(world, record, heap, range, bare, verb));
        return;
    }
}

fn found_outside(
    world: &World,
    record: &Record,
    heap: &Heap,
    range: Bytes,
    bare: Bytes,
    verb: &str,
) -> Finding {
    let does = format!("{verb} {}", words::range(range));
    let operation = Origin::of(record).operation(does.clone());
    let all = bare.bytes == range.bytes;
    let part = if all {
        "all".to_owned()
    } else {
        words::grouped(bare.bytes)
    };
    let number = heap.number;
    if let Some(ended) = world.heaps.ended_at(number, bare) {
        let message = format!(
            "{does}, {part} of them in {}, which was unregistered",
            ended.name()
        );
        let mut finding = Finding::new(&rules::USE_AFTER_UNREGISTER, message, operation);
        if let Some(origin) = &ended.ended {
            let what = format!("unregistered {}", ended.name());
            finding.operations.push(origin.operation(what));
        }
        finding.bytes = Some(bare);
        finding.block = Some(ended.lifetime());
        return finding;
    }
    let before = world.heaps.region_before(heap, bare.start);
    let next_to = match before {
        Some(region) if end_of(region.range) == bare.start && range.start < bare.start => format!(
            "past the end of {} ({})",
            region.name(),
            words::count(region.range.bytes, "byte")
        ),
        Some(region) => format!("in no region; the one before is {}", region.name()),
        None => "in no region".to_owned(),
    };
    let message = format!("{does}, {part} of them in heap {number} {next_to}");
    let mut finding = Finding::new(&rules::OUTSIDE_REGION, message, operation);
    finding.bytes = Some(bare);
    finding.block = Some(match before {
        Some(region) => region.lifetime(),
        None => heap.lifetime(),
    });
    finding.missing = Some(format!(
        "mstxMemRegionsRegister of the bytes in heap {number}"
    ));
    finding
}

/// Work in a region that does not permit it.
fn permitted(
    world: &World,
    record: &Record,
    accesses: &Accesses,
    region: &Region,
    verdict: &mut Verdict,
) {
    // Shared memory without read and write flags leaves that to its owner.
    if region.flags == SHARED || !world.heaps.follows(region.domain) {
        return;
    }
    let forbidden = [
        (&accesses.reads[..], READ, "reads"),
        (accesses.written().0, WRITE, "writes"),
    ];
    for (spans, flag, verb) in forbidden {
        if region.flags & flag != 0 {
            continue;
        }
        let touched = spans
            .iter()
            .filter(|span| overlap(span.hull(), region.range))
            .flat_map(pieces)
            .find(|range| overlap(*range, region.range));
        let Some(range) = touched else {
            continue;
        };
        // In a heap inside the region, that heap decides.
        let innermost = world.heaps.innermost(range.start.max(region.range.start));
        if let (Some(heap), Some(own)) = (innermost, region.heap)
            && heap.number != own
        {
            continue;
        }
        let message = format!(
            "{verb} {} in {}, which permits {}",
            words::range(range),
            region.name(),
            match region.flags & (READ | WRITE) {
                READ => "reading only",
                WRITE => "writing only",
                _ => "neither reading nor writing",
            }
        );
        let operation = format!("{verb} {}", words::range(range));
        let mut finding = Finding::new(
            &rules::PERMISSION,
            message,
            Origin::of(record).operation(operation),
        );
        finding.bytes = Some(range);
        finding.block = Some(region.lifetime());
        verdict.report(finding);
    }
}
