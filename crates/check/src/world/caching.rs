//! The allocations of a caching allocator: PyTorch's for Ascend, which reports them by annotations.
//!
//! It takes large blocks from the runtime and divides them. Each piece that it allocates is registered as a region,
//! by address and without a heap, and unregistered when its tensor is freed, though the allocator keeps the memory.
//! So blocks in which regions were ever registered belong to the allocator, and only allocated pieces of them may
//! be accessed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use millpond_trace::{
    BlockRef, Bytes, DomainRef, NumberMap, Operation, Record, RegionRef, Space, Text,
};

use super::region::{end_of, overlap};
use super::{BlockKind, Blocks, Origin};
use crate::{BlockLifetime, ReportedOperation};

/// Domains of such allocators. The second is the name in older versions.
const DOMAINS: [&str; 2] = ["ptaCaching", "msleaks"];

/// How many pieces are known. With more, the allocator is not judged.
const MOST: usize = 1 << 18;
/// How many freed pieces are remembered.
const REMEMBERED: usize = 4096;

/// An allocated piece.
#[derive(Debug)]
pub(crate) struct Cached {
    pub(crate) number: RegionRef,
    pub(crate) device: u32,
    pub(crate) range: Bytes,
    pub(crate) made: Arc<Origin>,
    /// Whether a stream was captured then: it may be in the pool of a graph.
    pub(crate) in_capture: bool,
}

/// A freed piece.
#[derive(Debug)]
pub(crate) struct TakenBack {
    pub(crate) piece: Arc<Cached>,
    pub(crate) by: Arc<Origin>,
}

impl Cached {
    /// Its name in findings.
    pub(crate) fn name(&self) -> String {
        format!("block {} of torch_npu's cache", self.number)
    }

    pub(crate) fn end(&self) -> u64 {
        end_of(self.range)
    }

    /// Its allocation.
    pub(crate) fn operation(&self, what: &str) -> ReportedOperation {
        operation(&self.made, what)
    }

    /// Its lifetime, for a finding.
    pub(crate) fn lifetime(&self) -> Arc<BlockLifetime> {
        Arc::new(self.lifetime_until(None))
    }

    pub(crate) fn lifetime_until(&self, ended: Option<&Arc<Origin>>) -> BlockLifetime {
        BlockLifetime {
            name: self.name(),
            space: Space::Device(self.device),
            range: self.range,
            allocated: operation(&self.made, "allocated"),
            freed: ended.map(|origin| operation(origin, "freed")),
        }
    }
}

/// What the allocator did. The annotation call is not what the program requested.
pub(crate) fn operation(origin: &Origin, what: &str) -> ReportedOperation {
    let mut operation = origin.operation(what);
    operation.site.call = Text::Borrowed("torch_npu");
    operation
}

impl TakenBack {
    /// The operation that freed it.
    pub(crate) fn operation(&self) -> ReportedOperation {
        operation(&self.by, &format!("freed {}", self.piece.name()))
    }

    /// Its lifetime, for a finding.
    pub(crate) fn lifetime(&self) -> Arc<BlockLifetime> {
        Arc::new(self.piece.lifetime_until(Some(&self.by)))
    }
}

/// The pieces of all caching allocators.
#[derive(Debug, Default)]
pub(crate) struct Caching {
    domains: BTreeSet<DomainRef>,
    /// Domains whose pieces are not what the program uses. Blocks in which they are belong to the allocator all the same.
    unreliable: BTreeSet<DomainRef>,
    /// Blocks of the allocator, by start, with their ends.
    segments: BTreeMap<u64, (u64, BlockRef)>,
    owned: BTreeSet<BlockRef>,
    /// Addresses of mappings that it divided, by start, with their ends. It may unmap such memory for a while.
    mapped: BTreeMap<u64, u64>,
    live: BTreeMap<u64, Arc<Cached>>,
    starts: NumberMap<RegionRef, u64>,
    /// Graphs that are being captured.
    capturing: BTreeSet<u64>,
    /// The oldest first.
    taken_back: VecDeque<TakenBack>,
    dropped_facts: u64,
}

impl Caching {
    /// Whether there is no such allocator.
    pub(crate) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Whether a domain is an allocator's.
    pub(crate) fn speaks_in(&self, domain: DomainRef) -> bool {
        self.domains.contains(&domain)
    }

    /// Whether a block belongs to an allocator.
    pub(crate) fn owns(&self, block: BlockRef) -> bool {
        self.owned.contains(&block)
    }

    /// Whether an allocator divides what is or was mapped in a range.
    pub(crate) fn has_mapped(&self, range: Bytes) -> bool {
        let before = self.mapped.range(..end_of(range)).next_back();
        before.is_some_and(|(_, end)| *end > range.start)
    }

    /// Whether an address is in a block of an allocator.
    pub(crate) fn has(&self, address: u64) -> bool {
        let before = self.segments.range(..=address).next_back();
        before.is_some_and(|(_, (end, _))| address < *end)
    }

    /// The piece that contains an address.
    pub(crate) fn at(&self, address: u64) -> Option<&Arc<Cached>> {
        let (_, piece) = self.live.range(..=address).next_back()?;
        (address < piece.end()).then_some(piece)
    }

    /// The last piece that starts before an address.
    pub(crate) fn before(&self, address: u64) -> Option<&Arc<Cached>> {
        self.live.range(..=address).next_back().map(|(_, it)| it)
    }

    /// All allocated pieces, by address.
    pub(crate) fn live(&self) -> impl Iterator<Item = &Arc<Cached>> {
        self.live.values()
    }

    /// The last freed piece that had bytes of a range.
    pub(crate) fn taken_back(&self, range: Bytes) -> Option<&TakenBack> {
        let mut latest = self.taken_back.iter().rev();
        latest.find(|it| overlap(it.piece.range, range))
    }

    /// The piece that had bytes of a range at a given time, and was freed since.
    pub(crate) fn had(&self, range: Bytes, order: u64) -> Option<&TakenBack> {
        let mut latest = self.taken_back.iter().rev();
        latest.find(|it| {
            overlap(it.piece.range, range) && it.piece.made.order < order && order < it.by.order
        })
    }

    pub(crate) fn dropped_facts(&self) -> u64 {
        self.dropped_facts
    }

    pub(crate) fn state_bytes(&self) -> u64 {
        let piece = size_of::<Cached>() + size_of::<Origin>() + 48;
        let ended = self.taken_back.len() * (piece + size_of::<TakenBack>() + size_of::<Origin>());
        (self.live.len() * piece + ended + (self.segments.len() + self.mapped.len()) * 48) as u64
    }

    /// Learns a record, after the blocks have.
    pub(super) fn learn(&mut self, record: &Record, blocks: &Blocks) {
        match &record.operation {
            Operation::DomainCreated { domain, name } if DOMAINS.contains(&name.as_str()) => {
                self.domains.insert(*domain);
                return;
            }
            Operation::CaptureBegan { graph, .. } => {
                self.capturing.insert(*graph);
            }
            Operation::CaptureEnded { graph } => {
                self.capturing.remove(graph);
            }
            _ if self.domains.is_empty() && self.unreliable.is_empty() => return,
            // The record is inconsistent.
            Operation::AnnotationStrange { domain, .. } if self.domains.remove(domain) => {
                self.unreliable.insert(*domain);
                self.give_up();
                return;
            }
            Operation::RegionRegistered {
                region,
                domain,
                device,
                range,
                ..
            } if self.domains.contains(domain) && range.bytes != 0 => {
                let piece = Cached {
                    number: *region,
                    device: *device,
                    range: *range,
                    made: Origin::of(record),
                    in_capture: !self.capturing.is_empty(),
                };
                self.hand_out(piece, blocks);
                return;
            }
            Operation::RegionRegistered { domain, range, .. }
                if self.unreliable.contains(domain) && range.bytes != 0 =>
            {
                self.own(*range, blocks);
                return;
            }
            Operation::RegionUnregistered { region } => {
                self.take_back(*region, record);
                return;
            }
            Operation::Mapped { range, .. } if self.has_mapped(*range) => {
                let mapped = blocks.find(range.start);
                self.owned.extend(mapped.map(|block| block.number));
            }
            _ => {}
        }
        for block in blocks.ended_now() {
            if self.owned.remove(&block.number) {
                self.lose(block.range);
            }
        }
    }

    fn hand_out(&mut self, piece: Cached, blocks: &Blocks) {
        if self.live.len() >= MOST {
            self.dropped_facts += 1;
            self.unreliable.append(&mut self.domains);
            self.give_up();
            return;
        }
        self.own(piece.range, blocks);
        for block in blocks.overlapping(piece.range) {
            let segment = (block.end(), block.number);
            self.segments.insert(block.range.start, segment);
        }
        // What was there was freed without an annotation.
        while let Some(other) = self.overlapping(piece.range) {
            self.live.remove(&other.range.start);
            self.starts.remove(&other.number);
        }
        self.starts.insert(piece.number, piece.range.start);
        self.live.insert(piece.range.start, Arc::new(piece));
    }

    /// The blocks of a piece are the allocator's.
    fn own(&mut self, piece: Bytes, blocks: &Blocks) {
        for block in blocks.overlapping(piece) {
            self.owned.insert(block.number);
            if matches!(block.kind, BlockKind::Mapping(_)) && self.mapped.len() < MOST {
                self.mapped.insert(block.range.start, block.end());
            }
        }
    }

    fn overlapping(&self, range: Bytes) -> Option<Arc<Cached>> {
        let mut before = self.live.range(..end_of(range));
        let (_, last) = before.next_back()?;
        (last.end() > range.start).then(|| Arc::clone(last))
    }

    fn take_back(&mut self, region: RegionRef, record: &Record) {
        let Some(start) = self.starts.remove(&region) else {
            return;
        };
        if let Some(piece) = self.live.remove(&start) {
            if self.taken_back.len() == REMEMBERED {
                self.taken_back.pop_front();
            }
            let by = Origin::of(record);
            self.taken_back.push_back(TakenBack { piece, by });
        }
    }

    /// The memory of a range was returned to the runtime.
    fn lose(&mut self, range: Bytes) {
        self.segments.remove(&range.start);
        while let Some(piece) = self.overlapping(range) {
            self.live.remove(&piece.range.start);
            self.starts.remove(&piece.number);
        }
        self.taken_back.retain(|it| !overlap(it.piece.range, range));
    }

    /// Forgets all pieces. What the allocator keeps is still no leak.
    fn give_up(&mut self) {
        self.segments.clear();
        self.live.clear();
        self.starts.clear();
        self.taken_back.clear();
    }
}
