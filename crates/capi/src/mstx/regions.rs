//! Heaps and regions of the MSTX state. Pure.
//!
//! A heap or region is named by its handle or by its first address; a minted handle is never an address,
//! so both are understood regardless of what the program says it is. Of several at one address the newest is
//! meant.

use std::collections::{HashMap, HashSet};

use millpond_abi as abi;
use millpond_trace::{Bytes, DomainRef, HeapRef, Operation, RegionRef};

use super::dialect::{Dialect, Flaw};
use super::state::{NamedDomain, Notes, State, ToolHandles, handle, number, word};
use crate::registry::Kind;

pub(super) const MAX_HEAPS: usize = 1 << 16;
pub(super) const MAX_REGIONS: usize = 1 << 20;

const SHARED: u32 = abi::MSTX_MEM_PERMISSIONS_REGION_FLAGS_SHARED;
const EVERYTHING: u32 = SHARED
    | abi::MSTX_MEM_PERMISSIONS_REGION_FLAGS_READ
    | abi::MSTX_MEM_PERMISSIONS_REGION_FLAGS_WRITE;

/// Bytes as a program describes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Described {
    pub(super) device: u32,
    pub(super) range: Bytes,
}

/// How a program names a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reference {
    /// Whether it says that this is a handle.
    pub(super) handle: bool,
    pub(super) value: u64,
}

#[derive(Debug)]
struct Heap {
    domain: DomainRef,
    start: u64,
    words: ToolHandles,
    /// There is a record of it.
    recorded: bool,
    regions: HashSet<RegionRef>,
}

#[derive(Debug)]
struct Region {
    domain: DomainRef,
    start: u64,
    heap: Option<HeapRef>,
    words: ToolHandles,
    recorded: bool,
}

/// What is found at an address in a domain, the newest last.
type Starts = HashMap<(DomainRef, u64), Vec<u64>>;

/// Everything that is registered.
#[derive(Debug, Default)]
pub(super) struct Memory {
    heaps: HashMap<HeapRef, Heap>,
    heap_starts: Starts,
    last_heap: u64,
    regions: HashMap<RegionRef, Region>,
    region_starts: Starts,
    last_region: u64,
}

impl Memory {
    /// The heap that a word names, and whether it does so by handle.
    fn heap(&self, domain: DomainRef, value: u64) -> Option<(HeapRef, bool)> {
        if let Some(number) = number(Kind::MstxHeap, value) {
            return self.heaps.contains_key(&number).then_some((number, true));
        }
        newest(&self.heap_starts, domain, value).map(|number| (number, false))
    }

    /// The region that a word names, and whether it does so by handle.
    fn region(&self, domain: DomainRef, value: u64) -> Option<(RegionRef, bool)> {
        if let Some(number) = number(Kind::MstxRegion, value) {
            let known = self.regions.contains_key(&number);
            return known.then_some((number, true));
        }
        newest(&self.region_starts, domain, value).map(|number| (number, false))
    }

    fn remove_region(&mut self, number: RegionRef) -> Option<Region> {
        let gone = self.regions.remove(&number)?;
        forget(&mut self.region_starts, (gone.domain, gone.start), number);
        if let Some(heap) = gone.heap.and_then(|heap| self.heaps.get_mut(&heap)) {
            heap.regions.remove(&number);
        }
        Some(gone)
    }

    fn remove_heap(&mut self, number: HeapRef) -> Option<Heap> {
        let gone = self.heaps.remove(&number)?;
        forget(&mut self.heap_starts, (gone.domain, gone.start), number);
        for &region in &gone.regions {
            self.remove_region(region);
        }
        Some(gone)
    }

    /// What a tool calls a heap. What we do not know is handed on as it is.
    pub(super) fn heap_word(&self, value: u64, tool: usize) -> u64 {
        let known = number(Kind::MstxHeap, value).and_then(|number| self.heaps.get(&number));
        known.map_or(value, |heap| word(&heap.words, tool))
    }

    /// What a tool calls a region, by the same rule.
    pub(super) fn region_word(&self, value: u64, tool: usize) -> u64 {
        let known = number(Kind::MstxRegion, value).and_then(|number| self.regions.get(&number));
        known.map_or(value, |region| word(&region.words, tool))
    }
}

fn newest(starts: &Starts, domain: DomainRef, value: u64) -> Option<u64> {
    starts.get(&(domain, value))?.last().copied()
}

fn forget(starts: &mut Starts, place: (DomainRef, u64), number: u64) {
    if let Some(there) = starts.get_mut(&place) {
        there.retain(|&known| known != number);
        if there.is_empty() {
            starts.remove(&place);
        }
    }
}

fn any(words: &ToolHandles) -> bool {
    words.iter().any(|&word| word != 0)
}

impl State {
    /// Whether a range can be recorded: it has bytes, and they are addresses.
    fn sensible(&mut self, member: NamedDomain, range: Bytes, notes: &mut Notes) -> bool {
        if range.start == 0 || range.bytes == 0 {
            return false;
        }
        let ends = range.start.checked_add(range.bytes - 1).is_some();
        if !ends {
            self.flaw(member, Flaw::Wraps, notes);
        }
        ends
    }

    /// Registers a heap. 0 if nothing tracks it.
    pub(super) fn register_heap(
        &mut self,
        domain: u64,
        described: Result<Described, Flaw>,
        words: ToolHandles,
        notes: &mut Notes,
    ) -> u64 {
        let member = self.member(domain, notes);
        let mut followed = None;
        if let Some(member) = member {
            if !member.dialect.has_heaps() {
                self.flaw(member, Flaw::Dialect, notes);
                return 0;
            }
            match described {
                Ok(described) => followed = Some((member, described)),
                Err(flaw) => self.flaw(member, flaw, notes),
            }
        }
        if !(notes.heard && followed.is_some() || any(&words)) {
            return 0;
        }
        if self.memory.heaps.len() >= MAX_HEAPS {
            if let Some(member) = member {
                self.flaw(member, Flaw::TooMany, notes);
            }
            return 0;
        }
        self.memory.last_heap += 1;
        let number = self.memory.last_heap;
        let recorded = notes.heard
            && followed.is_some_and(|(member, heap)| self.sensible(member, heap.range, notes));
        let domain = member.map_or(0, |member| member.number);
        let start = followed.map_or(0, |(_, heap)| heap.range.start);
        if let Some((_, Described { device, range })) = followed
            && recorded
        {
            notes.push(Operation::HeapRegistered {
                heap: number,
                domain,
                device,
                range,
            });
        }
        let place = self.memory.heap_starts.entry((domain, start));
        place.or_default().push(number);
        let heap = Heap {
            domain,
            start,
            words,
            recorded,
            regions: HashSet::new(),
        };
        self.memory.heaps.insert(number, heap);
        handle(Kind::MstxHeap, number)
    }

    /// Unregisters a heap, and its regions with it.
    pub(super) fn unregister_heap(&mut self, domain: u64, value: u64, notes: &mut Notes) {
        let Some(member) = self.member(domain, notes) else {
            return;
        };
        // Registering returns NULL if nothing listens.
        if value == 0 {
            return;
        }
        let Some((number, by_handle)) = self.memory.heap(member.number, value) else {
            if !member.dialect.is_torch() {
                notes.unknown(member.number, value, "heap");
            }
            return;
        };
        if !by_handle {
            self.flaw(member, Flaw::Dialect, notes);
        }
        if self
            .memory
            .remove_heap(number)
            .is_some_and(|heap| heap.recorded)
        {
            notes.push(Operation::HeapUnregistered { heap: number });
        }
    }

    /// Registers regions. Answers the handles, if the producer has a place for them.
    pub(super) fn register_regions(
        &mut self,
        domain: u64,
        heap: u64,
        described: Result<&[Described], Flaw>,
        mut words: impl FnMut(usize) -> ToolHandles,
        notes: &mut Notes,
    ) -> Option<Vec<u64>> {
        let member = self.member(domain, notes)?;
        let dialect = member.dialect;
        if dialect.is_torch() {
            self.flaw(member, Flaw::Dialect, notes);
        }
        if !dialect.has_regions() {
            return None;
        }
        let described = match described {
            Ok(described) => described,
            Err(flaw) => {
                self.flaw(member, flaw, notes);
                return None;
            }
        };
        let heap = self.heap_of(member, heap, notes);
        let mut handles = Vec::with_capacity(described.len());
        for (index, region) in described.iter().enumerate() {
            handles.push(self.register_region(member, heap, *region, words(index), notes));
        }
        let given = handles.iter().any(|&handle| handle != 0);
        (given && dialect.takes_handles()).then_some(handles)
    }

    /// The heap of a batch. `Err` if it is named and not known: then the batch is dropped.
    fn heap_of(
        &mut self,
        member: NamedDomain,
        value: u64,
        notes: &mut Notes,
    ) -> Result<Option<HeapRef>, ()> {
        // These leave the field uninitialised.
        if value == 0 || member.dialect.is_torch() {
            return Ok(None);
        }
        match self.memory.heap(member.number, value) {
            Some((number, by_handle)) => {
                if !by_handle {
                    self.flaw(member, Flaw::Dialect, notes);
                }
                Ok(Some(number))
            }
            None if member.dialect == Dialect::Documented => {
                notes.unknown(member.number, value, "heap");
                Err(())
            }
            None => Ok(None),
        }
    }

    fn register_region(
        &mut self,
        member: NamedDomain,
        heap: Result<Option<HeapRef>, ()>,
        Described { device, range }: Described,
        words: ToolHandles,
        notes: &mut Notes,
    ) -> u64 {
        let domain = member.number;
        if !(notes.heard && heap.is_ok() || any(&words)) {
            return 0;
        }
        if member.dialect.is_torch()
            && let Some((old, _)) = self.memory.region(domain, range.start)
        {
            // Registered again: the one before was given back without a word.
            self.end_region(old, notes);
        }
        if self.memory.regions.len() >= MAX_REGIONS {
            self.flaw(member, Flaw::TooMany, notes);
            return 0;
        }
        self.memory.last_region += 1;
        let number = self.memory.last_region;
        // Regions of a heap without a record have no records either.
        let told = match heap {
            Ok(Some(heap)) => self
                .memory
                .heaps
                .get(&heap)
                .is_some_and(|heap| heap.recorded),
            Ok(None) => true,
            Err(()) => false,
        };
        let recorded = notes.heard && told && self.sensible(member, range, notes);
        let heap = heap.unwrap_or_default();
        if recorded {
            notes.push(Operation::RegionRegistered {
                region: number,
                domain,
                heap,
                device,
                range,
            });
        }
        if let Some(heap) = heap.and_then(|heap| self.memory.heaps.get_mut(&heap)) {
            heap.regions.insert(number);
        }
        let place = self.memory.region_starts.entry((domain, range.start));
        place.or_default().push(number);
        let region = Region {
            domain,
            start: range.start,
            heap,
            words,
            recorded,
        };
        self.memory.regions.insert(number, region);
        handle(Kind::MstxRegion, number)
    }

    fn end_region(&mut self, number: RegionRef, notes: &mut Notes) {
        let gone = self.memory.remove_region(number);
        if gone.is_some_and(|region| region.recorded) {
            notes.push(Operation::RegionUnregistered { region: number });
        }
    }

    /// The region that a reference names. One that is not known is noted.
    fn named(
        &mut self,
        member: NamedDomain,
        reference: Reference,
        notes: &mut Notes,
    ) -> Option<RegionRef> {
        let Reference { handle, value } = reference;
        if value == 0 {
            return None;
        }
        let found = self.memory.region(member.number, value);
        let Some((number, by_handle)) = found else {
            if !member.dialect.is_torch() {
                notes.unknown(member.number, value, "region");
            }
            return None;
        };
        if by_handle != handle {
            self.flaw(member, Flaw::Dialect, notes);
        }
        Some(number)
    }

    /// Unregisters regions.
    pub(super) fn unregister_regions(
        &mut self,
        domain: u64,
        references: Result<&[Reference], Flaw>,
        notes: &mut Notes,
    ) {
        let Some(member) = self.member(domain, notes) else {
            return;
        };
        // Nothing of these was followed.
        if !member.dialect.has_regions() {
            return;
        }
        match references {
            Ok(references) => {
                for reference in references {
                    if let Some(number) = self.named(member, *reference, notes) {
                        self.end_region(number, notes);
                    }
                }
            }
            Err(flaw) => self.flaw(member, flaw, notes),
        }
    }

    /// Says what may be done with regions.
    pub(super) fn permit(
        &mut self,
        domain: u64,
        wanted: Result<&[(Reference, u32)], Flaw>,
        notes: &mut Notes,
    ) {
        let Some(member) = self.member(domain, notes) else {
            return;
        };
        let wanted = match wanted {
            Ok(wanted) => wanted,
            Err(flaw) => return self.flaw(member, flaw, notes),
        };
        for &(reference, flags) in wanted {
            let Some(region) = self.named(member, reference, notes) else {
                continue;
            };
            let mut flags = flags;
            if member.dialect == Dialect::SharedMemory && flags == SHARED {
                self.flaw(member, Flaw::Dialect, notes);
                flags = EVERYTHING;
            }
            let recorded = self.memory.regions.get(&region);
            if recorded.is_some_and(|region| region.recorded) {
                notes.push(Operation::RegionPermitted { region, flags });
            }
        }
    }
}

#[cfg(test)]
mod tests;
