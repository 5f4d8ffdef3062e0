//! Heaps and regions as they are registered: where they lie, and how they end.
//!
//! A heap that lies nowhere is said once; nothing else is said about it or about its regions. Of
//! producers that do not follow the contract only that is said.

use std::collections::HashSet;
use std::sync::Arc;

use millpond_trace::{Bytes, HeapRef, NumberMap, Operation, Position, Record, RegionRef, Space};

use super::{Judge, words};
use crate::clock::Place;
use crate::rules::heap as rules;
use crate::verdict::Verdict;
use crate::world::{Doer, Heap, Region, Turn, World, end_of, overlap};
use crate::{Finding, Options};

/// The last work of a stream in a heap.
#[derive(Debug)]
struct Work {
    position: Position,
    doer: Arc<Doer>,
}

/// Streams of which the last work is known, for each heap.
const STREAMS: usize = 64;

/// Judges how heaps and regions are registered.
#[derive(Debug)]
pub(crate) struct Heaps {
    leaks: bool,
    /// Work in heaps that count.
    work: NumberMap<HeapRef, Vec<Work>>,
    /// Heaps and regions that were reported as left behind: a program may end more than once.
    left: HashSet<Left>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum Left {
    Heap(HeapRef),
    Region(RegionRef),
}

impl Heaps {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            leaks: options.leaks,
            work: NumberMap::default(),
            left: HashSet::new(),
        }
    }
}

impl Judge for Heaps {
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
                let act = Doer::of(record).act(format!("names {value:#x}"));
                let mut finding = Finding::new(&rules::UNKNOWN, message, act);
                if let Some(region) = world.heaps.ended_from(*value) {
                    finding.block = Some(region.story());
                }
                verdict.report(finding);
            }
            Operation::AnnotationStrange { what, .. } => {
                let act = Doer::of(record).act("annotates memory");
                let mut finding = Finding::new(&rules::DIALECT, what.to_string(), act);
                finding.advice = Some(
                    "heaps and regions of this domain are not judged; blocks and streams are"
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
        let Place::Task(position) = turn.place else {
            return;
        };
        if world.heaps.is_empty() {
            return;
        }
        for span in turn.deed.reads.iter().chain(&turn.deed.writes) {
            if let Some(heap) = world.heaps.innermost(span.start) {
                let work = self.work.entry(heap.number).or_default();
                let doer = Arc::clone(&turn.doer);
                let last = Work { position, doer };
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

    fn books(&self) -> u64 {
        let work: usize = self.work.values().map(Vec::capacity).sum();
        (work * size_of::<Work>() + self.work.capacity() * 40) as u64
    }
}

fn registered(world: &World, record: &Record, heap: &Heap, verdict: &mut Verdict) {
    let Bytes { start, bytes } = heap.range;
    if !world.heaps.follows(heap.domain) || bytes == 0 {
        return;
    }
    let act = Doer::of(record).act(format!("registers heap {}", heap.number));
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
                block.story().name
            ),
            (None, Some(gone)) => format!(
                "heap {} has {}, in {}, which was freed",
                heap.number,
                words::range(heap.range),
                gone.story().name
            ),
            (None, None) => format!(
                "heap {} has {}, where nothing is allocated",
                heap.number,
                words::range(heap.range)
            ),
        };
        let mut finding = Finding::new(&rules::NOT_ALLOCATED, message, act);
        finding.bytes = Some(heap.range);
        finding.block = block.or(gone).map(|it| it.story());
        finding.advice = Some(
            "allocate the memory before the heap is registered; until then the heap is not judged"
                .to_owned(),
        );
        verdict.report(finding);
    } else if let Some(block) = block {
        wrong_device(record, &heap.story().name, heap.device, block, verdict);
    }
}

fn wrong_device(
    record: &Record,
    name: &str,
    device: u32,
    block: &crate::world::Block,
    verdict: &mut Verdict,
) {
    // Host memory has no device: whatever is said there is as good as anything else.
    let Space::Device(on) = block.space else {
        return;
    };
    if on == device {
        return;
    }
    let message = format!("{name} is declared on device {device}, but its memory is on {on}");
    let act = Doer::of(record).act(format!("registers {name}"));
    let mut finding = Finding::new(&rules::WRONG_DEVICE, message, act);
    finding.block = Some(block.story());
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
            let mut finding =
                Finding::new(&rules::REGION_OUTSIDE, message, Doer::of(record).act(what));
            finding.bytes = Some(region.range);
            finding.block = Some(heap.story());
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
    let act = Doer::of(record).act(format!("registers {}", region.name()));
    let mut finding = Finding::new(&rules::REGION_OVERLAP, message, act);
    let made = format!("registered {}", other.name());
    finding.operations.push(other.made.act(made));
    finding.bytes = Some(shared);
    finding.block = Some(other.story());
    finding.advice = Some("unregister a region before its bytes are handed out again".to_owned());
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
    let act = Doer::of(record).act(format!("unregisters heap {}", heap.number));
    if let Some(first) = regions.first() {
        let message = format!(
            "heap {} is unregistered with {}, among them {} with {}",
            heap.number,
            words::count(regions.len() as u64, "live region"),
            first.name(),
            words::range(first.range)
        );
        let mut finding = Finding::new(&rules::ENDED_IN_USE, message, act);
        let made = format!("registered {}", first.name());
        finding.operations.push(first.made.act(made));
        finding.block = Some(heap.story());
        finding.missing = Some("mstxMemRegionsUnregister for each region".to_owned());
        verdict.report(finding);
        return;
    }
    let host = world.host_clock();
    let queued = work
        .into_iter()
        .flatten()
        .find(|it| !world.ordered(Place::Task(it.position), &host));
    if let Some(queued) = queued {
        let Position { stream, task } = queued.position;
        let message = format!(
            "heap {} is unregistered while task {task} of stream {stream} may still use it",
            heap.number
        );
        let mut finding = Finding::new(&rules::ENDED_IN_USE, message, act);
        finding
            .operations
            .push(queued.doer.act(format!("uses heap {}", heap.number)));
        finding.block = Some(heap.story());
        finding.missing = Some(format!(
            "the host does not wait for stream {stream} before the heap ends"
        ));
        verdict.report(finding);
    }
}

/// The memory of a heap went. Queued work there is the affair of the rules about memory.
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
        "the memory of heap {} goes with {}, among them {} with {}",
        heap.number,
        words::count(count as u64, "live region"),
        first.name(),
        words::range(first.range)
    );
    let act = Doer::of(record).act(format!("gives memory of heap {} back", heap.number));
    let mut finding = Finding::new(&rules::ENDED_IN_USE, message, act);
    let made = format!("registered {}", first.name());
    finding.operations.push(first.made.act(made));
    finding.block = Some(heap.story());
    finding.missing = Some(
        "mstxMemRegionsUnregister and mstxMemHeapUnregister before the memory goes".to_owned(),
    );
    verdict.report(finding);
}

impl Heaps {
    /// The program says that it is done, with a device or with everything.
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
            let act = heap.made.act(format!("registers heap {}", heap.number));
            let mut finding = Finding::new(&rules::LEAK, message, act);
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
            let act = region.made.act(format!("registers {}", region.name()));
            let mut finding = Finding::new(&rules::LEAK, message, act);
            finding.missing = Some("a call of mstxMemRegionsUnregister".to_owned());
            verdict.report(finding);
        }
    }
}
