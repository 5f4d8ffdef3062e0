//! Registration of heaps and regions: where they are, and how they end.
//!
//! A heap without memory is reported once; nothing else is reported about it or its regions. For producers that
//! violate the contract, only that is reported.

use std::collections::HashSet;
use std::sync::Arc;

use millpond_trace::{Bytes, HeapRef, NumberMap, Operation, Position, Record, RegionRef, Space};

use super::{Judge, words};
use crate::clock::Epoch;
use crate::rules::heap as rules;
use crate::verdict::Verdict;
use crate::world::{Heap, Origin, Region, Turn, World, end_of, overlap};
use crate::{Finding, Options};

/// The last work of a stream in a heap.
#[derive(Debug)]
struct Work {
    position: Position,
    origin: Arc<Origin>,
}

/// Streams of which the last work is known, for each heap.
const STREAMS: usize = 64;

/// Judges how heaps and regions are registered.
#[derive(Debug)]
pub(crate) struct HeapJudge {
    leaks: bool,
    /// Work in heaps that count.
    work: NumberMap<HeapRef, Vec<Work>>,
    /// Heaps and regions that were reported as leaked: a program may end more than once.
    left: HashSet<Left>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum Left {
    Heap(HeapRef),
    Region(RegionRef),
}

impl HeapJudge {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            leaks: options.leaks,
            work: NumberMap::default(),
            left: HashSet::new(),
        }
    }
}

impl Judge for HeapJudge {
    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        match &record.operation {
            Operation::HeapRegistered { heap, .. } => {
                if let Some(heap) = world.heaps.heap(*heap) {
                    registered(world, record, heap, verdict);
                }
            }
            Operation::RegionRegistered { region, .. } => {
                if let Some(region) = world.heaps.region(*region) {
                    region_registered(world, record, region, verdict);
                }
            }
            Operation::HeapUnregistered { heap } => {
                let work = self.work.remove(heap);
                if let Some((heap, regions)) = world.heaps.closed() {
                    closed(world, record, heap, regions, work, verdict);
                }
            }
            Operation::Freed { range, .. } | Operation::Unmapped { range, .. } => {
                for heap in world.heaps.lost() {
                    self.work.remove(heap);
                    if let Some(heap) = world.heaps.heap(*heap) {
                        lost(world, record, heap, *range, verdict);
                    }
                }
            }
            Operation::AnnotationUnknown {
                domain,
                value,
                expected,
            } if world.heaps.follows(*domain) => {
                let message = format!("{value:#x} is not a registered {expected}");
                let operation = Origin::of(record).operation(format!("names {value:#x}"));
                let mut finding = Finding::new(&rules::UNKNOWN, message, operation);
                if let Some(region) = world.heaps.ended_from(*value) {
                    finding.block = Some(region.lifetime());
                }
                verdict.report(finding);
            }
            Operation::AnnotationStrange { what, .. } => {
                let operation = Origin::of(record).operation("annotates memory");
                let mut finding = Finding::new(&rules::DIALECT, what.to_string(), operation);
                finding.advice = Some(
                    "heaps and regions of this domain are not checked; blocks and streams are"
                        .to_owned(),
                );
                verdict.report(finding);
            }
            Operation::ResetBegan { device } if self.leaks => {
                self.leaks(world, Some(*device), verdict);
            }
            Operation::Finalized if self.leaks => self.leaks(world, None, verdict),
            _ => {}
        }
    }

    fn turn(&mut self, world: &World, turn: &Turn, _verdict: &mut Verdict) {
        let Epoch::Task(position) = turn.epoch else {
            return;
        };
        if world.heaps.is_empty() {
            return;
        }
        for span in turn.accesses.reads.iter().chain(&turn.accesses.writes) {
            if let Some(heap) = world.heaps.innermost(span.start) {
                let work = self.work.entry(heap.number).or_default();
                let origin = Arc::clone(&turn.origin);
                let last = Work { position, origin };
                let known = work
                    .iter()
                    .position(|it| it.position.stream == position.stream);
                match known {
                    Some(index) => work[index] = last,
                    None if work.len() < STREAMS => work.push(last),
                    None => {}
                }
            }
        }
    }

    fn state_bytes(&self) -> u64 {
        let work: usize = self.work.values().map(Vec::capacity).sum();
        (work * size_of::<Work>() + self.work.capacity() * 40) as u64
    }
}

fn registered(world: &World, record: &Record, heap: &Heap, verdict: &mut Verdict) {
    let Bytes { start, bytes } = heap.range;
    if !world.heaps.follows(heap.domain) || bytes == 0 {
        return;
    }
    let operation = Origin::of(record).operation(format!("registers heap {}", heap.number));
    let block = world.blocks.find(start);
    let there = world.blocks.backed_from(start).min(bytes);
    if there < bytes {
        let gone = world.blocks.ended_at(start).filter(|_| block.is_none());
        let message = match (block, gone) {
            (Some(block), _) => format!(
                "heap {} has {}, {} of them past the end of {}",
                heap.number,
                words::range(heap.range),
                words::grouped(bytes - there),
                block.lifetime().name
            ),
            (None, Some(gone)) => format!(
                "heap {} has {}, in {}, which was freed",
                heap.number,
                words::range(heap.range),
                gone.lifetime().name
            ),
            (None, None) => format!(
                "heap {} has {}, where nothing is allocated",
                heap.number,
                words::range(heap.range)
            ),
        };
        let mut finding = Finding::new(&rules::NOT_ALLOCATED, message, operation);
        finding.bytes = Some(heap.range);
        finding.block = block.or(gone).map(|it| it.lifetime());
        finding.advice = Some(
            "allocate the memory before the heap is registered; until then the heap is not checked"
                .to_owned(),
        );
        verdict.report(finding);
    } else if let Some(block) = block {
        wrong_device(record, &heap.lifetime().name, heap.device, block, verdict);
    }
}

fn wrong_device(
    record: &Record,
    name: &str,
    device: u32,
    block: &crate::world::Block,
    verdict: &mut Verdict,
) {
    // Host memory has no device, so any number is fine.
    let Space::Device(on) = block.space else {
        return;
    };
    if on == device {
        return;
    }
    let message = format!("{name} is declared on device {device}, but its memory is on {on}");
    let operation = Origin::of(record).operation(format!("registers {name}"));
    let mut finding = Finding::new(&rules::WRONG_DEVICE, message, operation);
    finding.block = Some(block.lifetime());
    verdict.report(finding);
}

fn region_registered(world: &World, record: &Record, region: &Region, verdict: &mut Verdict) {
    if !world.heaps.follows(region.domain) || region.range.bytes == 0 {
        return;
    }
    let heap = region.heap.and_then(|heap| world.heaps.heap(heap));
    if heap.is_some_and(|heap| !heap.counts) {
        return;
    }
    if let Some(heap) = heap {
        let inside = region.range.start >= heap.range.start && end_of(region.range) <= heap.end();
        if !inside {
            let message = format!(
                "{} has {}, and its heap {}",
                region.name(),
                words::range(region.range),
                words::range(heap.range)
            );
            let what = format!("registers {}", region.name());
            let mut finding = Finding::new(
                &rules::REGION_OUTSIDE,
                message,
                Origin::of(record).operation(what),
            );
            finding.bytes = Some(region.range);
            finding.block = Some(heap.lifetime());
            verdict.report(finding);
            if !overlap(region.range, heap.range) {
                return;
            }
        }
        let mut others = world.heaps.regions_in(heap.number, region.range);
        if let Some(other) = others.find(|it| it.number != region.number) {
            overlapping(record, region, other, verdict);
        }
    }
    if let Some(block) = world.blocks.find(region.range.start) {
        wrong_device(record, &region.name(), region.device, block, verdict);
    }
}

fn overlapping(record: &Record, region: &Region, other: &Region, verdict: &mut Verdict) {
    let start = region.range.start.max(other.range.start);
    let shared = Bytes {
        start,
        bytes: end_of(region.range).min(end_of(other.range)) - start,
    };
    let message = format!(
        "{} shares {} with {}",
        region.name(),
        words::range(shared),
        other.name()
    );
    let operation = Origin::of(record).operation(format!("registers {}", region.name()));
    let mut finding = Finding::new(&rules::REGION_OVERLAP, message, operation);
    let made = format!("registered {}", other.name());
    finding.operations.push(other.made.operation(made));
    finding.bytes = Some(shared);
    finding.block = Some(other.lifetime());
    finding.advice = Some("unregister a region before its bytes are reused".to_owned());
    verdict.report(finding);
}

/// A heap was unregistered.
fn closed(
    world: &World,
    record: &Record,
    heap: &Heap,
    regions: &[Region],
    work: Option<Vec<Work>>,
    verdict: &mut Verdict,
) {
    if !world.heaps.follows(heap.domain) || !heap.counts {
        return;
    }
    let operation = Origin::of(record).operation(format!("unregisters heap {}", heap.number));
    if let Some(first) = regions.first() {
        let message = format!(
            "heap {} is unregistered with {}, among them {} with {}",
            heap.number,
            words::count(regions.len() as u64, "live region"),
            first.name(),
            words::range(first.range)
        );
        let mut finding = Finding::new(&rules::ENDED_IN_USE, message, operation);
        let made = format!("registered {}", first.name());
        finding.operations.push(first.made.operation(made));
        finding.block = Some(heap.lifetime());
        finding.missing = Some("mstxMemRegionsUnregister for each region".to_owned());
        verdict.report(finding);
        return;
    }
    let host = world.host_clock();
    let queued = work
        .into_iter()
        .flatten()
        .find(|it| !world.ordered(Epoch::Task(it.position), &host));
    if let Some(queued) = queued {
        let Position { stream, task } = queued.position;
        let message = format!(
            "heap {} is unregistered while task {task} of stream {stream} may still use it",
            heap.number
        );
        let mut finding = Finding::new(&rules::ENDED_IN_USE, message, operation);
        finding.operations.push(
            queued
                .origin
                .operation(format!("uses heap {}", heap.number)),
        );
        finding.block = Some(heap.lifetime());
        finding.missing = Some(format!(
            "the host does not wait for stream {stream} before the heap is unregistered"
        ));
        verdict.report(finding);
    }
}

/// The memory of a heap was freed. The rules about memory cover queued work there.
fn lost(world: &World, record: &Record, heap: &Heap, range: Bytes, verdict: &mut Verdict) {
    let call = &record.site.call;
    if call.starts_with("aclrtResetDevice") || call.starts_with("aclFinalize") {
        return;
    }
    let mut regions = world.heaps.regions_in(heap.number, range);
    let Some(first) = regions.next() else {
        return;
    };
    let count = 1 + regions.count();
    let message = format!(
        "the memory of heap {} is freed with {}, among them {} with {}",
        heap.number,
        words::count(count as u64, "live region"),
        first.name(),
        words::range(first.range)
    );
    let operation = Origin::of(record).operation(format!("frees memory of heap {}", heap.number));
    let mut finding = Finding::new(&rules::ENDED_IN_USE, message, operation);
    let made = format!("registered {}", first.name());
    finding.operations.push(first.made.operation(made));
    finding.block = Some(heap.lifetime());
    finding.missing = Some(
        "mstxMemRegionsUnregister and mstxMemHeapUnregister before the memory is freed".to_owned(),
    );
    verdict.report(finding);
}

impl HeapJudge {
    /// The program ends, or its use of a device.
    fn leaks(&mut self, world: &World, device: Option<u32>, verdict: &mut Verdict) {
        let here = |on: u32| device.is_none_or(|device| device == on);
        for heap in world.heaps.heaps() {
            let counts = world.heaps.follows(heap.domain) && heap.range.bytes != 0;
            if !counts || !here(heap.device) || !self.left.insert(Left::Heap(heap.number)) {
                continue;
            }
            let regions = match world.heaps.regions_of(heap).count() {
                0 => String::new(),
                count => format!(", nor {} in it", words::count(count as u64, "region")),
            };
            let message = format!(
                "heap {} of {} was not unregistered{regions}",
                heap.number,
                words::range(heap.range)
            );
            let operation = heap
                .made
                .operation(format!("registers heap {}", heap.number));
            let mut finding = Finding::new(&rules::LEAK, message, operation);
            finding.missing = Some("a call of mstxMemHeapUnregister".to_owned());
            verdict.report(finding);
        }
        let mut lone: Vec<&Region> = world.heaps.regions().collect();
        lone.retain(|it| it.heap.is_none() && here(it.device) && world.heaps.follows(it.domain));
        lone.sort_unstable_by_key(|it| it.number);
        for region in lone {
            if !self.left.insert(Left::Region(region.number)) {
                continue;
            }
            let message = format!(
                "{} of {} was not unregistered",
                region.name(),
                words::range(region.range)
            );
            let operation = region
                .made
                .operation(format!("registers {}", region.name()));
            let mut finding = Finding::new(&rules::LEAK, message, operation);
            finding.missing = Some("a call of mstxMemRegionsUnregister".to_owned());
            verdict.report(finding);
        }
    }
}
