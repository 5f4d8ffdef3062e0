//! Heaps and regions: a program's description of its own pools.
//!
//! A heap counts if it is in live memory and its producer follows the documented contract. Heaps may be nested:
//! then the innermost decides about a byte.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use millpond_trace::{Bytes, DomainRef, HeapRef, NumberMap, Operation, Record, RegionRef};

use super::region::{Heap, READ, Region, WRITE, end_of, overlap};
use super::{Blocks, Origin};

/// Domains whose producers report totals instead of ranges, so that they cannot be judged.
const DIALECTS: [&str; 4] = ["ptaCaching", "ptaWorkspace", "msleaks", "mindsporeMemPool"];

/// Heaps that are known; more do not count.
const MOST_HEAPS: usize = 4096;
/// Regions that are known. A heap with one more does not count any longer.
const MOST_REGIONS: usize = 1 << 16;
/// Regions that ended and are remembered.
const REMEMBERED: usize = 4096;

/// All heaps and regions.
#[derive(Debug, Default)]
pub(crate) struct Heaps {
    /// Those that were not unregistered.
    known: BTreeMap<HeapRef, Heap>,
    /// Those that count, by start.
    starts: BTreeSet<(u64, HeapRef)>,
    /// The longest that ever counted.
    longest: u64,
    regions: NumberMap<RegionRef, Region>,
    /// Regions that may not be read and written freely.
    restricted: BTreeSet<RegionRef>,
    /// Regions that ended, the oldest first.
    ended: VecDeque<Region>,
    /// Domains that do not follow the contract.
    strange: BTreeSet<DomainRef>,
    /// The heap that the last record ended, and the regions that it still had.
    closed: Option<(Heap, Vec<Region>)>,
    /// Heaps whose memory the last record took.
    lost: Vec<HeapRef>,
    dropped_facts: u64,
}

impl Heaps {
    pub(crate) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    pub(crate) fn heap(&self, heap: HeapRef) -> Option<&Heap> {
        self.known.get(&heap)
    }

    pub(crate) fn region(&self, region: RegionRef) -> Option<&Region> {
        self.regions.get(&region)
    }

    /// All heaps that were not unregistered, in the order of their registration.
    pub(crate) fn heaps(&self) -> impl Iterator<Item = &Heap> {
        self.known.values()
    }

    /// All regions that were not unregistered, in no order.
    pub(crate) fn regions(&self) -> impl Iterator<Item = &Region> {
        self.regions.values()
    }

    /// Regions that may not be read and written freely.
    pub(crate) fn restricted(&self) -> impl Iterator<Item = &Region> {
        self.restricted
            .iter()
            .filter_map(|region| self.regions.get(region))
    }

    /// Whether the producer of a domain follows the contract, as far as is known.
    pub(crate) fn follows(&self, domain: DomainRef) -> bool {
        !self.strange.contains(&domain)
    }

    /// The heap that the last record unregistered, and the regions that it still had.
    pub(crate) fn closed(&self) -> Option<(&Heap, &[Region])> {
        let (heap, regions) = self.closed.as_ref()?;
        Some((heap, regions))
    }

    /// Heaps whose memory the last record freed or unmapped. Their regions are still there.
    pub(crate) fn lost(&self) -> &[HeapRef] {
        &self.lost
    }

    /// The region that ended last, had bytes of a range, and belonged to a heap.
    pub(crate) fn ended_at(&self, heap: HeapRef, range: Bytes) -> Option<&Region> {
        let mut ended = self.ended.iter().rev();
        ended.find(|it| it.heap == Some(heap) && overlap(it.range, range))
    }

    /// The region that ended last and started here.
    pub(crate) fn ended_from(&self, start: u64) -> Option<&Region> {
        self.ended.iter().rev().find(|it| it.range.start == start)
    }

    /// The heap that decides about a byte.
    pub(crate) fn innermost(&self, address: u64) -> Option<&Heap> {
        let first = address.saturating_sub(self.longest);
        self.starts
            .range((first, 0)..=(address, u64::MAX))
            .filter_map(|(_, number)| self.known.get(number))
            .filter(|heap| address < heap.end())
            // Of two that are the same, the later one.
            .min_by_key(|heap| (heap.range.bytes, u64::MAX - heap.number))
    }

    /// The first bytes of a range that are in a heap that counts, and in no region of it.
    pub(crate) fn uncovered(&self, range: Bytes) -> Option<(&Heap, Bytes)> {
        let end = end_of(range);
        let mut at = range.start;
        while at < end {
            let until = self.edge(at, end);
            let Some(heap) = self.innermost(at) else {
                at = until;
                continue;
            };
            let piece = Bytes {
                start: at,
                bytes: until - at,
            };
            if let Some(bare) = self.bare(heap, piece) {
                return Some((heap, bare));
            }
            at = until;
        }
        None
    }

    /// Regions of a heap that share bytes with a range, by start.
    pub(crate) fn regions_in(&self, heap: HeapRef, range: Bytes) -> impl Iterator<Item = &Region> {
        let heap = self.known.get(&heap);
        heap.into_iter()
            .flat_map(move |heap| {
                let first = heap.first_start(range.start);
                heap.regions.range((first, 0)..(end_of(range), 0))
            })
            .filter_map(|(_, number)| self.regions.get(number))
            .filter(move |region| overlap(region.range, range))
    }

    /// All regions of a heap, by start.
    pub(crate) fn regions_of(&self, heap: &Heap) -> impl Iterator<Item = &Region> {
        let numbers = heap.regions.iter().map(|(_, number)| *number);
        numbers.filter_map(|number| self.regions.get(&number))
    }

    /// The region of a heap that starts next before an address.
    pub(crate) fn region_before(&self, heap: &Heap, address: u64) -> Option<&Region> {
        let mut before = heap.regions.range(..=(address, u64::MAX)).rev();
        before.find_map(|(_, number)| self.regions.get(number))
    }

    pub(crate) fn dropped_facts(&self) -> u64 {
        self.dropped_facts
    }

    pub(crate) fn state_bytes(&self) -> u64 {
        let region = size_of::<Region>() + size_of::<Origin>() + 32;
        let regions = (self.regions.len() + self.ended.len()) * region;
        (regions + self.known.len() * (size_of::<Heap>() + size_of::<Origin>())) as u64
    }

    /// Where, at `end` at the latest, another heap may decide than at `at`.
    fn edge(&self, at: u64, end: u64) -> u64 {
        let first = at.saturating_sub(self.longest);
        self.starts
            .range((first, 0)..(end, 0))
            .filter_map(|(_, number)| self.known.get(number))
            .flat_map(|heap| [heap.range.start, heap.end()])
            .filter(|edge| *edge > at)
            .fold(end, u64::min)
    }

    /// The first bytes of a range in no region of a heap, nor of another one with the same bytes.
    fn bare(&self, heap: &Heap, range: Bytes) -> Option<Bytes> {
        let end = end_of(range);
        let twins = || {
            let same = (heap.range.start, 0)..=(heap.range.start, u64::MAX);
            let twins = self.starts.range(same).map(|(_, number)| *number);
            twins.filter(|number| {
                self.known
                    .get(number)
                    .is_some_and(|it| it.range == heap.range)
            })
        };
        let mut at = range.start;
        while at < end {
            let here = Bytes {
                start: at,
                bytes: 1,
            };
            let covering = twins().find_map(|twin| self.regions_in(twin, here).next());
            let Some(region) = covering else {
                let starts = twins().filter_map(|twin| self.known.get(&twin)?.next_start(at));
                let until = starts.fold(end, u64::min);
                let bytes = until - at;
                return Some(Bytes { start: at, bytes });
            };
            at = end_of(region.range);
        }
        None
    }

    /// Learns a record, after the blocks have.
    pub(super) fn learn(&mut self, record: &Record, blocks: &Blocks) {
        if self.closed.is_some() {
            self.closed = None;
        }
        if !self.lost.is_empty() {
            self.lost.clear();
        }
        match &record.operation {
            Operation::DomainCreated { domain, name } if DIALECTS.contains(&name.as_str()) => {
                self.strange.insert(*domain);
            }
            Operation::AnnotationStrange { domain, .. } => self.distrust(*domain),
            Operation::HeapRegistered {
                heap,
                domain,
                device,
                range,
            } => self.add_heap(Heap {
                number: *heap,
                domain: *domain,
                device: *device,
                range: *range,
                made: Origin::of(record),
                counts: self.follows(*domain)
                    && range.bytes != 0
                    && blocks.backed_from(range.start) >= range.bytes,
                regions: BTreeSet::new(),
                longest: 0,
                overlapped: false,
            }),
            Operation::HeapUnregistered { heap } => self.close(*heap, record),
            // Nothing of these is judged here.
            Operation::RegionRegistered { domain, .. } if self.strange.contains(domain) => {}
            Operation::RegionRegistered {
                region,
                domain,
                heap,
                device,
                range,
            } => self.add_region(Region {
                number: *region,
                domain: *domain,
                heap: heap.filter(|heap| self.known.contains_key(heap)),
                device: *device,
                range: *range,
                flags: READ | WRITE,
                made: Origin::of(record),
                ended: None,
            }),
            Operation::RegionUnregistered { region } => self.end_region(*region, record),
            Operation::RegionPermitted { region, flags } => {
                if let Some(known) = self.regions.get_mut(region) {
                    known.flags = *flags;
                    if flags & (READ | WRITE) == READ | WRITE {
                        self.restricted.remove(region);
                    } else {
                        self.restricted.insert(*region);
                    }
                }
            }
            Operation::Freed { range, .. } | Operation::Unmapped { range, .. } => {
                self.lose(*range);
            }
            Operation::DeviceReset { device } => self.reset(*device),
            _ => {}
        }
    }

    fn add_heap(&mut self, heap: Heap) {
        if self.known.len() >= MOST_HEAPS {
            self.dropped_facts += 1;
            return;
        }
        if heap.counts {
            self.longest = self.longest.max(heap.range.bytes);
            self.starts.insert((heap.range.start, heap.number));
        }
        self.known.insert(heap.number, heap);
    }

    fn close(&mut self, number: HeapRef, record: &Record) {
        let Some(heap) = self.known.remove(&number) else {
            return;
        };
        self.starts.remove(&(heap.range.start, number));
        let left: Vec<_> = heap.regions.iter().map(|(_, region)| *region).collect();
        let mut regions = Vec::new();
        for region in left {
            regions.extend(self.regions.get(&region).cloned());
            self.end_region(region, record);
        }
        self.closed = Some((heap, regions));
    }

    fn add_region(&mut self, region: Region) {
        let overlaps = region
            .heap
            .is_some_and(|heap| self.regions_in(heap, region.range).next().is_some());
        let heap = region.heap.and_then(|heap| self.known.get_mut(&heap));
        if self.regions.len() >= MOST_REGIONS {
            self.dropped_facts += 1;
            if let Some(heap) = heap {
                heap.counts = false;
                self.starts.remove(&(heap.range.start, heap.number));
            }
            return;
        }
        if let Some(heap) = heap {
            heap.overlapped |= overlaps;
            heap.longest = heap.longest.max(region.range.bytes);
            heap.regions.insert((region.range.start, region.number));
        }
        self.regions.insert(region.number, region);
    }

    fn end_region(&mut self, number: RegionRef, record: &Record) {
        let Some(mut region) = self.regions.remove(&number) else {
            return;
        };
        self.restricted.remove(&number);
        if let Some(heap) = region.heap.and_then(|heap| self.known.get_mut(&heap)) {
            heap.regions.remove(&(region.range.start, number));
        }
        region.ended = Some(Origin::of(record));
        if self.ended.len() == REMEMBERED {
            self.ended.pop_front();
        }
        self.ended.push_back(region);
    }

    /// The memory of a range went. What is registered there stays so, and does not count.
    fn lose(&mut self, range: Bytes) {
        if !self.restricted.is_empty() {
            let regions = &self.regions;
            let lost = |number: &RegionRef| {
                let region = regions.get(number);
                region.is_none_or(|it| overlap(it.range, range))
            };
            self.restricted.retain(|number| !lost(number));
        }
        if self.starts.is_empty() {
            return;
        }
        let first = range.start.saturating_sub(self.longest);
        for (_, number) in self.starts.range((first, 0)..(end_of(range), 0)) {
            let heap = self.known.get_mut(number);
            if let Some(heap) = heap.filter(|heap| overlap(heap.range, range)) {
                heap.counts = false;
                self.lost.push(*number);
            }
        }
        for number in &self.lost {
            if let Some(heap) = self.known.get(number) {
                self.starts.remove(&(heap.range.start, *number));
            }
        }
    }

    /// The producer of a domain does not follow the contract: nothing of it counts.
    fn distrust(&mut self, domain: DomainRef) {
        self.strange.insert(domain);
        for heap in self.known.values_mut() {
            if heap.domain == domain && heap.counts {
                heap.counts = false;
                self.starts.remove(&(heap.range.start, heap.number));
            }
        }
        let regions = &self.regions;
        let strange = |number: &RegionRef| regions.get(number).is_none_or(|it| it.domain == domain);
        self.restricted.retain(|number| !strange(number));
    }

    fn reset(&mut self, device: u32) {
        let regions = &self.regions;
        self.restricted
            .retain(|number| regions.get(number).is_some_and(|it| it.device != device));
        for heap in self.known.values_mut() {
            if heap.device == device && heap.counts {
                heap.counts = false;
                self.starts.remove(&(heap.range.start, heap.number));
            }
        }
    }
}
