//! Work in heaps: only where a region is, and only what the region permits.
//!
//! Judged when the work is asked for, not when its turn comes: a pool takes a region back in the order of
//! a stream, with work that uses it still in the queue, and that is right.
//!
//! Work across regions that touch each other is fine: all its bytes are registered. Regions without a
//! heap restrict nothing but themselves.

use millpond_trace::{Bytes, Deed, Operation, Outcome, Record, Span, TaskKind};

use super::{Judge, words};
use crate::Finding;
use crate::rules::heap as rules;
use crate::verdict::Verdict;
use crate::world::{Doer, Heap, READ, Region, SHARED, WRITE, World, end_of, overlap};

/// Rows that are looked at one by one; of the rest nothing is said.
const ROWS: u64 = 1 << 16;

/// Judges work in heaps and regions.
#[derive(Debug, Default)]
pub(crate) struct Regions;

impl Judge for Regions {
    fn hears_work(&self) -> bool {
        true
    }

    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        match &record.operation {
            Operation::Enqueued { deed, .. }
            | Operation::Moved {
                deed,
                outcome: Outcome::Done,
            } => {
                if !world.heaps.is_empty() {
                    outside(world, record, deed, verdict);
                }
                for region in world.heaps.restricted() {
                    permitted(world, record, deed, region, verdict);
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
                        "allocator {object:#x} gave {} of heap {} for stream {stream}, and {} of them are \
                         in no region",
                        words::range(range),
                        heap.number,
                        words::grouped(bare.bytes)
                    );
                    let act = Doer::of(record).act("asks for memory");
                    let mut finding = Finding::new(&rules::UNREGISTERED_BLOCK, message, act);
                    finding.bytes = Some(range);
                    finding.block = Some(heap.story());
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

/// The bytes of a span, as far as they are looked at.
fn pieces(span: &Span) -> impl Iterator<Item = Bytes> {
    let rows = usize::try_from(ROWS).unwrap_or(usize::MAX);
    span.ranges().take(rows)
}

/// What a deed does with its spans, one after the other. What it works in was judged when an allocator gave it, and may
/// have gone back already.
fn spans(deed: &Deed) -> impl Iterator<Item = (&Span, &'static str)> {
    let reads = deed.reads.iter().map(|span| (span, "reads"));
    let (results, _) = deed.written();
    reads.chain(results.iter().map(|span| (span, "writes")))
}

/// Work in a heap outside its regions.
fn outside(world: &World, record: &Record, deed: &Deed, verdict: &mut Verdict) {
    for (span, verb) in spans(deed) {
        // Nearly always all rows lie in one region.
        if world.heaps.uncovered(span.hull()).is_none() {
            continue;
        }
        // Whoever has the memory of a heap may save it, and bring it back.
        let moves = matches!(deed.task, TaskKind::Copy | TaskKind::Fill);
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
        if deed.task == TaskKind::Compute && given.any(|it| overlap(it.range, bare)) {
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
    let act = Doer::of(record).act(does.clone());
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
        let mut finding = Finding::new(&rules::USE_AFTER_UNREGISTER, message, act);
        if let Some(doer) = &ended.ended {
            let what = format!("unregistered {}", ended.name());
            finding.operations.push(doer.act(what));
        }
        finding.bytes = Some(bare);
        finding.block = Some(ended.story());
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
    let mut finding = Finding::new(&rules::OUTSIDE_REGION, message, act);
    finding.bytes = Some(bare);
    finding.block = Some(match before {
        Some(region) => region.story(),
        None => heap.story(),
    });
    finding.missing = Some(format!(
        "mstxMemRegionsRegister of the bytes in heap {number}"
    ));
    finding
}

/// Work in a region that does not permit it.
fn permitted(world: &World, record: &Record, deed: &Deed, region: &Region, verdict: &mut Verdict) {
    // Shared memory that says nothing about reading and writing leaves that to whoever shares it.
    if region.flags == SHARED || !world.heaps.follows(region.domain) {
        return;
    }
    let forbidden = [
        (&deed.reads[..], READ, "reads"),
        (deed.written().0, WRITE, "writes"),
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
        let act = format!("{verb} {}", words::range(range));
        let mut finding = Finding::new(&rules::PERMISSION, message, Doer::of(record).act(act));
        finding.bytes = Some(range);
        finding.block = Some(region.story());
        verdict.report(finding);
    }
}
