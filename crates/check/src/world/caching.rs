//! What a caching allocator has handed out: PyTorch's for Ascend, which tells of it by annotations.
//!
//! It takes large blocks from the runtime and cuts them up. Each piece that it hands out is registered as a
//! region, by address and without a heap, and unregistered when its tensor dies, though the allocator keeps the
//! memory. So the blocks in which regions were ever registered belong to the allocator, and there nothing may be touched but
//! what is handed out.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use millpond_trace::{
    BlockRef, Bytes, DomainRef, NumberMap, Operation, Record, RegionRef, Space, Text,
};

use super::region::{end_of, overlap};
use super::{BlockKind, Blocks, Doer};
use crate::{Act, BlockStory};

/// Domains in which such allocators speak. The second is what older versions call it.
const DOMAINS: [&str; 2] = ["ptaCaching", "msleaks"];

/// Pieces that are known. With more nothing of the allocator is judged.
const MOST: usize = 1 << 18;
/// Pieces that were taken back and are remembered.
const REMEMBERED: usize = 4096;

/// A piece that was handed out.
#[derive(Debug)]
pub(crate) struct Cached {
    pub(crate) number: RegionRef,
    pub(crate) device: u32,
    pub(crate) range: Bytes,
    pub(crate) made: Arc<Doer>,
}

/// A piece that was taken back.
#[derive(Debug)]
pub(crate) struct TakenBack {
    pub(crate) piece: Arc<Cached>,
    pub(crate) by: Arc<Doer>,
}

impl Cached {
    /// What a finding calls it.
    pub(crate) fn name(&self) -> String {
        format!("block {} of torch_npu's cache", self.number)
    }

    pub(crate) fn end(&self) -> u64 {
        end_of(self.range)
    }

    /// Its allocation.
    pub(crate) fn act(&self, what: &str) -> Act {
        act(&self.made, what)
    }

    /// As a finding tells it.
    pub(crate) fn story(&self) -> Arc<BlockStory> {
        Arc::new(self.story_until(None))
    }

    fn story_until(&self, ended: Option<&Arc<Doer>>) -> BlockStory {
        BlockStory {
            name: self.name(),
            space: Space::Device(self.device),
            range: self.range,
            made: act(&self.made, "allocated"),
            ended: ended.map(|doer| act(doer, "freed")),
        }
    }
}

/// What the allocator did. The call that told of it is not what anybody asked for.
fn act(doer: &Doer, what: &str) -> Act {
    let mut act = doer.act(what);
    act.site.call = Text::Borrowed("torch_npu");
    act
}

impl TakenBack {
    /// Who took it back.
    pub(crate) fn act(&self) -> Act {
        act(&self.by, &format!("freed {}", self.piece.name()))
    }

    /// As a finding tells it.
    pub(crate) fn story(&self) -> Arc<BlockStory> {
        Arc::new(self.piece.story_until(Some(&self.by)))
    }
}

/// All that caching allocators have said.
#[derive(Debug, Default)]
pub(crate) struct Caching {
    domains: BTreeSet<DomainRef>,
    /// Blocks of the allocator, by start, with their ends.
    segments: BTreeMap<u64, (u64, BlockRef)>,
    owned: BTreeSet<BlockRef>,
    /// Addresses of mappings that it cut up, by start, with their ends. Who keeps such memory may unmap it for a while.
    mapped: BTreeMap<u64, u64>,
    live: BTreeMap<u64, Arc<Cached>>,
    starts: NumberMap<RegionRef, u64>,
    /// The oldest first.
    taken_back: VecDeque<TakenBack>,
    forgotten: u64,
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

    /// Whether an allocator cuts up what is mapped in a range, or did when something was.
    pub(crate) fn has_mapped(&self, range: Bytes) -> bool {
        let before = self.mapped.range(..end_of(range)).next_back();
        before.is_some_and(|(_, end)| *end > range.start)
    }

    /// Whether an address lies in a block of an allocator.
    pub(crate) fn has(&self, address: u64) -> bool {
        let before = self.segments.range(..=address).next_back();
        before.is_some_and(|(_, (end, _))| address < *end)
    }

    /// The piece that an address lies in.
    pub(crate) fn at(&self, address: u64) -> Option<&Arc<Cached>> {
        let (_, piece) = self.live.range(..=address).next_back()?;
        (address < piece.end()).then_some(piece)
    }

    /// The piece that starts next before an address.
    pub(crate) fn before(&self, address: u64) -> Option<&Arc<Cached>> {
        self.live.range(..=address).next_back().map(|(_, it)| it)
    }

    /// All that is handed out, by address.
    pub(crate) fn live(&self) -> impl Iterator<Item = &Arc<Cached>> {
        self.live.values()
    }

    /// The piece that was taken back last and had bytes of a range.
    pub(crate) fn taken_back(&self, range: Bytes) -> Option<&TakenBack> {
        let mut latest = self.taken_back.iter().rev();
        latest.find(|it| overlap(it.piece.range, range))
    }

    /// The piece that had bytes of a range at a moment, and was taken back since.
    pub(crate) fn had(&self, range: Bytes, order: u64) -> Option<&TakenBack> {
        let mut latest = self.taken_back.iter().rev();
        latest.find(|it| {
            overlap(it.piece.range, range) && it.piece.made.order < order && order < it.by.order
        })
    }

    pub(crate) fn forgotten(&self) -> u64 {
        self.forgotten
    }

    pub(crate) fn books(&self) -> u64 {
        let piece = size_of::<Cached>() + size_of::<Doer>() + 48;
        let ended = self.taken_back.len() * (piece + size_of::<TakenBack>() + size_of::<Doer>());
        (self.live.len() * piece + ended + (self.segments.len() + self.mapped.len()) * 48) as u64
    }

    /// Learns a record, after the blocks have.
    pub(super) fn learn(&mut self, record: &Record, blocks: &Blocks) {
        match &record.operation {
            Operation::DomainCreated { domain, name } if DOMAINS.contains(&name.as_str()) => {
                self.domains.insert(*domain);
                return;
            }
            _ if self.domains.is_empty() => return,
            // Something about it is other than it seems.
            Operation::AnnotationStrange { domain, .. } if self.domains.remove(domain) => {
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
                    made: Doer::of(record),
                };
                self.hand_out(piece, blocks);
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
            self.forgotten += 1;
            self.domains.clear();
            self.give_up();
            return;
        }
        for block in blocks.overlapping(piece.range) {
            self.owned.insert(block.number);
            let segment = (block.end(), block.number);
            self.segments.insert(block.range.start, segment);
            if matches!(block.kind, BlockKind::Mapping(_)) && self.mapped.len() < MOST {
                self.mapped.insert(block.range.start, block.end());
            }
        }
        // What lay there was taken back without a word.
        while let Some(other) = self.overlapping(piece.range) {
            self.live.remove(&other.range.start);
            self.starts.remove(&other.number);
        }
        self.starts.insert(piece.number, piece.range.start);
        self.live.insert(piece.range.start, Arc::new(piece));
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
            let by = Doer::of(record);
            self.taken_back.push_back(TakenBack { piece, by });
        }
    }

    /// The memory of a range went back to the runtime.
    fn lose(&mut self, range: Bytes) {
        self.segments.remove(&range.start);
        while let Some(piece) = self.overlapping(range) {
            self.live.remove(&piece.range.start);
            self.starts.remove(&piece.number);
        }
        self.taken_back.retain(|it| !overlap(it.piece.range, range));
    }

    fn give_up(&mut self) {
        let domains = std::mem::take(&mut self.domains);
        let forgotten = self.forgotten;
        *self = Self {
            domains,
            forgotten,
            ..Self::default()
        };
    }
}
