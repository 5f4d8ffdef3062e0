//! Blocks and mappings: which live where, and which lived there.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use millpond_trace::{
    BlockRef, Bytes, Operation, PieceRef, PoolRef, Position, Record, Space, Text,
};

use super::Doer;
use crate::BlockStory;

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// From an allocation.
    Plain,
    /// From a stream-ordered pool.
    Pool(PoolRef),
    /// Addresses at which a piece of physical memory is mapped.
    Mapping(PieceRef),
}

/// A block that lives, or that lived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// Its number; a mapping has the number of the record that made it, which no block has.
    pub(crate) number: BlockRef,
    pub(crate) kind: BlockKind,
    pub(crate) space: Space,
    /// All its bytes.
    pub(crate) range: Bytes,
    /// Bytes that the program asked for.
    pub(crate) requested: u64,
    /// The function that made it.
    pub(crate) call: Text,
    pub(crate) made: Arc<Doer>,
    /// The place in a stream from which on it may be used.
    pub(crate) ordered: Option<Position>,
    /// Who ended it.
    pub(crate) ended: Option<Arc<Doer>>,
}

/// Allocations are rounded up to this by documentation, and programs may use what is rounded up.
const ROUNDING: u64 = 32;

impl Block {
    /// The bytes that the program may use.
    pub(crate) fn usable(&self) -> Bytes {
        let rounded = self.requested.checked_next_multiple_of(ROUNDING);
        Bytes {
            start: self.range.start,
            bytes: rounded.unwrap_or(self.requested).min(self.range.bytes),
        }
    }

    pub(crate) fn end(&self) -> u64 {
        self.range.start + self.range.bytes
    }

    /// As a finding tells it.
    pub(crate) fn story(&self) -> Arc<BlockStory> {
        let name = match self.kind {
            BlockKind::Plain => format!("block {}", self.number),
            BlockKind::Pool(pool) => format!("block {} of pool {pool}", self.number),
            BlockKind::Mapping(piece) => format!("mapping of piece {piece}"),
        };
        Arc::new(BlockStory {
            name,
            space: self.space,
            range: Bytes {
                start: self.range.start,
                bytes: self.requested,
            },
            made: self.made.act("allocated"),
            ended: self.ended.as_ref().map(|doer| doer.act("freed")),
        })
    }
}

/// Blocks that ended and are remembered.
const REMEMBERED: usize = 8192;

/// All blocks, by where they are.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    live: BTreeMap<u64, Arc<Block>>,
    starts: HashMap<BlockRef, u64>,
    /// Where pieces of physical memory lie.
    pieces: HashMap<PieceRef, Space>,
    /// Those that ended, by start; a later one at the same start takes the place of an earlier.
    ended: BTreeMap<u64, Arc<Block>>,
    /// Starts and numbers of those, the oldest first.
    order: VecDeque<(u64, BlockRef)>,
}

impl Blocks {
    /// The live block that an address lies in.
    pub(crate) fn find(&self, address: u64) -> Option<&Arc<Block>> {
        let (_, block) = self.live.range(..=address).next_back()?;
        (address < block.end()).then_some(block)
    }

    /// The live block with a number.
    pub(crate) fn get(&self, number: BlockRef) -> Option<&Arc<Block>> {
        self.live.get(self.starts.get(&number)?)
    }

    /// The block that ended and had an address in it, the latest that is remembered.
    pub(crate) fn ended_at(&self, address: u64) -> Option<&Arc<Block>> {
        // Ended blocks may overlap, because bytes are handed out again in other sizes.
        let mut candidates = self.ended.range(..=address).rev().take(64);
        candidates
            .find(|(_, block)| address < block.end())
            .map(|(_, block)| block)
    }

    /// How many bytes from an address on may be used. Mappings that touch each other go on.
    pub(crate) fn usable_from(&self, address: u64) -> u64 {
        self.reach(address, |block| {
            let usable = block.usable();
            usable.start.saturating_add(usable.bytes)
        })
    }

    /// How many bytes from an address on are there. Mappings that touch each other go on.
    pub(crate) fn backed_from(&self, address: u64) -> u64 {
        self.reach(address, Block::end)
    }

    fn reach(&self, address: u64, end_of: impl Fn(&Block) -> u64) -> u64 {
        let mut end = address;
        while let Some(block) = self.find(end) {
            end = end.max(end_of(block));
            if !matches!(block.kind, BlockKind::Mapping(_)) || end < block.end() {
                break;
            }
        }
        end - address
    }

    /// The live block that is nearest before an address.
    pub(crate) fn before(&self, address: u64) -> Option<&Arc<Block>> {
        self.live
            .range(..=address)
            .next_back()
            .map(|(_, block)| block)
    }

    /// All that live, by address.
    pub(crate) fn live(&self) -> impl Iterator<Item = &Arc<Block>> {
        self.live.values()
    }

    /// Those that live and have bytes in a range.
    pub(crate) fn overlapping(&self, range: Bytes) -> impl Iterator<Item = &Arc<Block>> {
        let end = range.start.saturating_add(range.bytes);
        let first = self
            .find(range.start)
            .map_or(range.start, |it| it.range.start);
        self.live
            .range(first..end.max(first))
            .map(|(_, block)| block)
    }

    pub(crate) fn books(&self) -> u64 {
        let block = (size_of::<Block>() + size_of::<Doer>() + 64) as u64;
        (self.live.len() + self.ended.len()) as u64 * block + self.starts.capacity() as u64 * 24
    }

    pub(super) fn learn(&mut self, record: &Record) {
        match &record.operation {
            Operation::Allocated {
                block,
                space,
                range,
                requested,
                pool,
                ordered,
                ..
            } => self.add(Block {
                number: *block,
                kind: pool.map_or(BlockKind::Plain, BlockKind::Pool),
                space: *space,
                range: *range,
                requested: *requested,
                call: record.site.call.clone(),
                made: Doer::of(record),
                ordered: *ordered,
                ended: None,
            }),
            Operation::Freed { block, range, .. } => {
                let start = self.starts.get(block).copied();
                self.remove(start.unwrap_or(range.start), record);
            }
            Operation::PhysicalAllocated { piece, space, .. } => {
                self.pieces.insert(*piece, *space);
            }
            Operation::PhysicalFreed { piece, .. } => {
                self.pieces.remove(piece);
            }
            Operation::Mapped { piece, range, .. } => {
                let space = self.pieces.get(piece).copied();
                self.add(Block {
                    number: u64::MAX - record.order,
                    kind: BlockKind::Mapping(*piece),
                    space: space.unwrap_or(Space::Device(0)),
                    range: *range,
                    requested: range.bytes,
                    call: record.site.call.clone(),
                    made: Doer::of(record),
                    ordered: None,
                    ended: None,
                });
            }
            Operation::Unmapped { range, .. } => self.remove(range.start, record),
            _ => {}
        }
    }

    fn add(&mut self, block: Block) {
        self.starts.insert(block.number, block.range.start);
        let replaced = self.live.insert(block.range.start, Arc::new(block));
        if let Some(replaced) = replaced {
            // Its end was not seen, as after a device was reset.
            self.starts.remove(&replaced.number);
        }
    }

    fn remove(&mut self, start: u64, record: &Record) {
        let Some(mut block) = self.live.remove(&start) else {
            return;
        };
        self.starts.remove(&block.number);
        Arc::make_mut(&mut block).ended = Some(Doer::of(record));
        self.order.push_back((start, block.number));
        self.ended.insert(start, block);
        while self.order.len() > REMEMBERED {
            let Some((start, number)) = self.order.pop_front() else {
                break;
            };
            if self.ended.get(&start).is_some_and(|it| it.number == number) {
                self.ended.remove(&start);
            }
        }
    }
}
