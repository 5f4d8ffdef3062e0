//! Blocks that a program divides into segments: each must start at a multiple of 64 bytes and leave room for 32
//! more.
//!
//! Segments are seen where the program registers regions, where a registered allocator returns blocks, and, as
//! hints, in the operands of one run. One segment at the start of a block may be the whole block, so only divided
//! blocks count.

mod operands;

use std::collections::BTreeMap;
use std::sync::Arc;

use millpond_trace::{BlockRef, Bytes, NumberMap, Operation, Record, RegionRef, TaskKind};

use super::{Judge, words};
use crate::Finding;
use crate::rules::segment as rules;
use crate::verdict::Verdict;
use crate::world::{Block, Origin, Region, Turn, World, end_of, overlap};

/// Segments of one block start on a multiple of this.
const START: u64 = 64;
/// Lengths are rounded up to this, and as many bytes follow.
const ROUNDING: u64 = 32;
/// Media memory starts on a multiple of this.
const MEDIA: u64 = 128;
/// How many regions are known. Further ones are not judged.
const MOST: usize = 1 << 16;

/// What a block requires of its segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Aligned,
    Media,
}

impl Kind {
    fn of(block: &Block) -> Option<Self> {
        match &*block.call {
            "aclrtMallocAlign32" => Some(Self::Aligned),
            "acldvppMalloc" => Some(Self::Media),
            _ => None,
        }
    }
}

/// Bytes that a segment takes.
fn taken(bytes: u64) -> u64 {
    let rounded = bytes.checked_next_multiple_of(ROUNDING);
    rounded.map_or(u64::MAX, |rounded| rounded.saturating_add(ROUNDING))
}

/// Judges how blocks are divided.
#[derive(Debug, Default)]
pub(crate) struct SegmentJudge {
    /// Live segments of blocks that ask something of them, by start.
    blocks: NumberMap<BlockRef, BTreeMap<(u64, RegionRef), Segment>>,
    /// Where each region is.
    regions: NumberMap<RegionRef, (BlockRef, u64)>,
    dropped_facts: u64,
}

#[derive(Debug)]
struct Segment {
    range: Bytes,
    name: String,
    made: Arc<Origin>,
}

impl Judge for SegmentJudge {
    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        match &record.operation {
            Operation::RegionRegistered { region, .. } => {
                if let Some(region) = world.heaps.region(*region) {
                    self.registered(world, record, region, verdict);
                }
            }
            Operation::RegionUnregistered { region } => self.remove(*region),
            Operation::HeapUnregistered { .. } => {
                let closed = world.heaps.closed();
                for region in closed.map_or(&[][..], |(_, regions)| regions) {
                    self.remove(region.number);
                }
            }
            Operation::Freed { block, .. } if !self.blocks.is_empty() => {
                for (_, region) in self.blocks.remove(block).unwrap_or_default().keys() {
                    self.regions.remove(region);
                }
            }
            Operation::AllocatorAsked { token, .. } if *token != 0 => {
                self.given(world, record, verdict);
            }
            _ => {}
        }
    }

    fn turn(&mut self, world: &World, turn: &Turn, verdict: &mut Verdict) {
        if turn.accesses.task == TaskKind::Compute {
            operands::judge(world, turn, verdict);
        }
    }

    fn state_bytes(&self) -> u64 {
        (self.regions.len() * (size_of::<Segment>() + 80)) as u64
    }

    fn dropped_facts(&self) -> u64 {
        self.dropped_facts
    }
}

impl SegmentJudge {
    fn remove(&mut self, region: RegionRef) {
        let Some((block, start)) = self.regions.remove(&region) else {
            return;
        };
        if let Some(segments) = self.blocks.get_mut(&block) {
            segments.remove(&(start, region));
            if segments.is_empty() {
                self.blocks.remove(&block);
            }
        }
    }

    fn registered(
        &mut self,
        world: &World,
        record: &Record,
        region: &Region,
        verdict: &mut Verdict,
    ) {
        let range = region.range;
        let Some(block) = world.blocks.find(range.start) else {
            return;
        };
        let Some(kind) = Kind::of(block) else {
            return;
        };
        let inside = end_of(range) <= block.end() && range.bytes != 0;
        // A region that is a heap itself is cut further: its own regions are the segments.
        let cut = world
            .heaps
            .innermost(range.start)
            .is_some_and(|heap| Some(heap.number) != region.heap && overlap(heap.range, range));
        if !inside || cut || !world.heaps.follows(region.domain) {
            return;
        }
        if self.regions.len() >= MOST {
            self.dropped_facts += 1;
            return;
        }
        let name = region.name();
        if kind == Kind::Media {
            if !range.start.is_multiple_of(MEDIA) {
                let message = format!(
                    "{name} of media memory starts at {:#x}, {} past a multiple of {MEDIA}",
                    range.start,
                    words::count(range.start % MEDIA, "byte")
                );
                report(&rules::MEDIA, record, message, range, block, verdict);
            }
            return;
        }
        let segments = self.blocks.entry(block.number).or_default();
        let single = segments.is_empty();
        if single && range.start == block.range.start {
            // It may be the whole block.
        } else {
            start(record, &name, range, block, verdict);
            let behind = segments.range((range.start, region.number)..);
            let mut behind = behind.filter(|(_, it)| !overlap(it.range, range));
            let next = behind.next().map(|(_, it)| it);
            spacing(record, &name, range, next, block, verdict);
            // The one before was alone, or had more room.
            let mut before = segments.range(..(range.start, region.number)).rev();
            let before = before.find(|(_, it)| !overlap(it.range, range));
            if let Some((_, before)) = before
                && range.start < before.range.start.saturating_add(taken(before.range.bytes))
            {
                let message = format!(
                    "{} has {} and takes {}, but {name} starts {} after its start",
                    before.name,
                    words::range(before.range),
                    words::grouped(taken(before.range.bytes)),
                    words::count(range.start - before.range.start, "byte")
                );
                let mut finding = finding(&rules::SPACING, record, message, range, block);
                let made = format!("registered {}", before.name);
                finding.operations.push(before.made.operation(made));
                verdict.report(finding);
            }
        }
        let segment = Segment {
            range,
            name,
            made: Arc::clone(&region.made),
        };
        segments.insert((range.start, region.number), segment);
        let place = (block.number, range.start);
        self.regions.insert(region.number, place);
    }

    /// A registered allocator returned a block. Its start is judged with its other results.
    fn given(&self, world: &World, record: &Record, verdict: &mut Verdict) {
        let Some((given, others)) = world.allocators.given().split_last() else {
            return;
        };
        let range = given.range;
        let block = world.blocks.find(range.start);
        let Some(block) = block.filter(|it| Kind::of(it) == Some(Kind::Aligned)) else {
            return;
        };
        let segments = self.blocks.get(&block.number);
        let is_region = segments.is_some_and(|it| it.values().any(|it| overlap(it.range, range)));
        let alone = range.start == block.range.start && others.is_empty();
        if is_region || alone || end_of(range) > block.end() {
            return;
        }
        let close = others.iter().find(|it| {
            let (low, high) = if it.range.start < range.start {
                (it.range, range)
            } else {
                (range, it.range)
            };
            let one_block = overlap(it.range, block.range) && !overlap(low, high);
            one_block && high.start < low.start.saturating_add(taken(low.bytes))
        });
        let name = format!("a block of allocator {:#x}", given.object);
        if let Some(other) = close {
            let message = format!(
                "{name} with {} is too close to its block with {}: a segment takes its length rounded up \
                 to {ROUNDING}, and {ROUNDING} more",
                words::range(range),
                words::range(other.range)
            );
            let mut finding = finding(&rules::SPACING, record, message, range, block);
            finding
                .operations
                .push(other.asked.operation("got the other block"));
            verdict.report(finding);
        } else {
            spacing(record, &name, range, None, block, verdict);
        }
    }
}

fn start(record: &Record, name: &str, range: Bytes, block: &Arc<Block>, verdict: &mut Verdict) {
    if range.start.is_multiple_of(START) {
        return;
    }
    let message = format!(
        "{name} starts at {:#x}, {} past a multiple of {START}",
        range.start,
        words::count(range.start % START, "byte")
    );
    report(&rules::START, record, message, range, block, verdict);
}

/// Whether a segment has room up to the next, or to the end of its block.
fn spacing(
    record: &Record,
    name: &str,
    range: Bytes,
    next: Option<&Segment>,
    block: &Arc<Block>,
    verdict: &mut Verdict,
) {
    let needed = taken(range.bytes);
    let end = next.map_or_else(|| end_of(block.usable()), |it| it.range.start);
    let room = end.saturating_sub(range.start);
    if room >= needed {
        return;
    }
    let what = next.map_or_else(|| "the end of the block".to_owned(), |it| it.name.clone());
    let message = format!(
        "{name} has {} and takes {}, but {what} comes after {}",
        words::range(range),
        words::grouped(needed),
        words::grouped(room)
    );
    let mut finding = finding(&rules::SPACING, record, message, range, block);
    if let Some(next) = next {
        let made = format!("registered {}", next.name);
        finding.operations.push(next.made.operation(made));
    }
    verdict.report(finding);
}

fn finding(
    rule: &'static crate::Rule,
    record: &Record,
    message: String,
    range: Bytes,
    block: &Arc<Block>,
) -> Finding {
    cut(rule, &Origin::of(record), message, range, block)
}

fn cut(
    rule: &'static crate::Rule,
    origin: &Origin,
    message: String,
    range: Bytes,
    block: &Arc<Block>,
) -> Finding {
    let operation = origin.operation(format!("uses {} as a segment", words::range(range)));
    let mut finding = Finding::new(rule, message, operation);
    finding.bytes = Some(range);
    finding.block = Some(block.lifetime());
    if std::ptr::eq(rule, &raw const rules::SPACING) {
        finding.advice = Some(format!(
            "start the next segment ALIGN_UP(ALIGN_UP(len, {ROUNDING}) + {ROUNDING}, {START}) bytes after the \
             start of a segment with len bytes"
        ));
    }
    finding
}

fn report(
    rule: &'static crate::Rule,
    record: &Record,
    message: String,
    range: Bytes,
    block: &Arc<Block>,
    verdict: &mut Verdict,
) {
    verdict.report(finding(rule, record, message, range, block));
}
