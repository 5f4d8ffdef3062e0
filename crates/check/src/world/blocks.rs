//! Live blocks and mappings by address, and freed ones.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use millpond_trace::{
    BlockRef, Bytes, NumberMap, Operation, PieceRef, PoolRef, Position, Record, Space, Text,
};

use super::Origin;
use crate::BlockLifetime;

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

/// A live or freed block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// Its number. Numbers of mappings and blocks are distinct.
    pub(crate) number: BlockRef,
    pub(crate) kind: BlockKind,
    pub(crate) space: Space,
    /// All its bytes.
    pub(crate) range: Bytes,
    /// Bytes that the program requested.
    pub(crate) requested: u64,
    /// The function that created it.
    pub(crate) call: Text,
    pub(crate) made: Arc<Origin>,
    /// For a stream-ordered allocation: the position after which it may be used.
    pub(crate) ordered: Option<Position>,
    /// The operation that ended it.
    pub(crate) ended: Option<Arc<Origin>>,
    /// Whether it was ever used. Only for ended blocks; [`Blocks::is_used`] is for live ones.
    pub(crate) used: bool,
}

/// The documentation rounds allocations up to this, and programs may use the rounding.
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
        self.range.start.saturating_add(self.range.bytes)
    }

    /// Its name in findings.
    pub(crate) fn name(&self) -> String {
        match self.kind {
            BlockKind::Plain => format!("block {}", self.number),
            BlockKind::Pool(pool) => format!("block {} of pool {pool}", self.number),
            BlockKind::Mapping(piece) => format!("mapping of piece {piece}"),
        }
    }

    /// The verbs for its creation and its end.
    fn verbs(&self) -> (&'static str, &'static str) {
        match self.kind {
            BlockKind::Mapping(_) => ("mapped", "unmapped"),
            BlockKind::Plain | BlockKind::Pool(_) => ("allocated", "freed"),
        }
    }

    /// How it ended: `freed`, `unmapped`, or `released` with its device.
    pub(crate) fn ending(&self) -> &'static str {
        let by_itself = self.ended.as_ref().is_none_or(|origin| {
            let call = &origin.site.call;
            call.is_empty() || call.contains("Free") || call.contains("Unmap")
        });
        if by_itself {
            self.verbs().1
        } else {
            "released"
        }
    }

    /// Its lifetime, for a finding.
    pub(crate) fn lifetime(&self) -> Arc<BlockLifetime> {
        Arc::new(BlockLifetime {
            name: self.name(),
            space: self.space,
            range: Bytes {
                start: self.range.start,
                bytes: self.requested,
            },
            allocated: self.made.operation(self.verbs().0),
            freed: self
                .ended
                .as_ref()
                .map(|origin| origin.operation(self.ending())),
        })
    }
}

/// How many ended blocks are remembered.
const REMEMBERED: usize = 1024;

/// How many ended blocks are examined to find one that contained an address: they may overlap, because bytes are reused in
/// other sizes.
const LOOKED_AT: usize = 64;

/// All blocks, by where they are.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    live: BTreeMap<u64, Live>,
    starts: NumberMap<BlockRef, u64>,
    /// The memory of each piece.
    pieces: NumberMap<PieceRef, Space>,
    /// Ended ones, by start; a later one replaces an earlier one with the same start.
    ended: BTreeMap<u64, Arc<Block>>,
    /// Starts and numbers of those, the oldest first.
    order: VecDeque<(u64, BlockRef)>,
    /// Those that the last record ended.
    ended_now: Vec<Arc<Block>>,
}

#[derive(Debug)]
struct Live {
    /// Whether an allocator of the program divides it.
    cut_up: bool,
    block: Arc<Block>,
    used: bool,
}

impl Blocks {
    /// The live block that contains an address.
    pub(crate) fn find(&self, address: u64) -> Option<&Arc<Block>> {
        let block = self.before(address)?;
        (address < block.end()).then_some(block)
    }

    /// The live block with a number.
    pub(crate) fn get(&self, number: BlockRef) -> Option<&Arc<Block>> {
        let live = self.live.get(self.starts.get(&number)?)?;
        Some(&live.block)
    }

    /// The latest ended block that contained an address, if remembered.
    pub(crate) fn ended_at(&self, address: u64) -> Option<&Arc<Block>> {
        let candidates = self.ended.range(..=address).rev().take(LOOKED_AT);
        candidates
            .map(|(_, block)| block)
            .filter(|block| address < block.end())
            .max_by_key(|block| block.ended.as_ref().map(|origin| origin.order))
    }

    /// The ended block with a number, if remembered.
    pub(crate) fn ended_with(&self, number: BlockRef) -> Option<&Arc<Block>> {
        self.ended.values().find(|block| block.number == number)
    }

    /// How many bytes from an address on may be used. Adjacent mappings count together.
    pub(crate) fn usable_from(&self, address: u64) -> u64 {
        self.reach(address, |block| {
            let usable = block.usable();
            usable.start.saturating_add(usable.bytes)
        })
    }

    /// How many bytes from an address on exist. Adjacent mappings count together.
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

    /// The nearest live block before an address.
    pub(crate) fn before(&self, address: u64) -> Option<&Arc<Block>> {
        let (_, live) = self.live.range(..=address).next_back()?;
        Some(&live.block)
    }

    /// The nearest live block after an address.
    pub(crate) fn behind(&self, address: u64) -> Option<&Arc<Block>> {
        let (_, live) = self.live.range(address..).next()?;
        Some(&live.block)
    }

    /// All that live, by address.
    pub(crate) fn live(&self) -> impl Iterator<Item = &Arc<Block>> {
        self.live.values().map(|live| &live.block)
    }

    /// Those that live and have bytes in a range.
    pub(crate) fn overlapping(&self, range: Bytes) -> impl Iterator<Item = &Arc<Block>> {
        let end = range.start.saturating_add(range.bytes);
        let first = self
            .find(range.start)
            .map_or(range.start, |it| it.range.start);
        self.live
            .range(first..end.max(first))
            .map(|(_, live)| &live.block)
    }

    /// Those that the last record ended: one by a free, many by a reset. Those without an end were replaced by a new block.
    pub(crate) fn ended_now(&self) -> &[Arc<Block>] {
        &self.ended_now
    }

    /// Whether a live block was ever used.
    pub(crate) fn is_used(&self, block: &Block) -> bool {
        let live = self.live.get(&block.range.start);
        live.is_none_or(|live| live.used || live.block.number != block.number)
    }

    /// Whether an allocator of the program divides a live block.
    pub(crate) fn is_cut_up(&self, block: &Block) -> bool {
        let live = self.live.get(&block.range.start);
        live.is_some_and(|live| live.cut_up && live.block.number == block.number)
    }

    pub(crate) fn state_bytes(&self) -> u64 {
        let block = (size_of::<Block>() + size_of::<Origin>() + 64) as u64;
        let known = (self.live.len() + self.ended.len() + self.ended_now.capacity()) as u64;
        let maps = self.starts.capacity() * 24 + self.pieces.capacity() * 24;
        known * block + maps as u64
    }

    /// The live block that contains an address; marks it as used.
    pub(super) fn touch(&mut self, address: u64) -> Option<Arc<Block>> {
        let (_, live) = self.live.range_mut(..=address).next_back()?;
        if address >= live.block.end() {
            return None;
        }
        live.used = true;
        Some(Arc::clone(&live.block))
    }

    /// An allocator of the program allocated something at an address.
    pub(super) fn cut_up(&mut self, address: u64) {
        if self.touch(address).is_some()
            && let Some((_, live)) = self.live.range_mut(..=address).next_back()
        {
            live.cut_up = true;
        }
    }

    pub(super) fn learn(&mut self, record: &Record) {
        self.ended_now.clear();
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
                made: Origin::of(record),
                ordered: *ordered,
                ended: None,
                used: false,
            }),
            Operation::Freed { block, .. } => {
                if let Some(start) = self.starts.get(block).copied() {
                    self.remove(start, record);
                }
            }
            Operation::PhysicalAllocated { piece, space, .. }
            | Operation::PhysicalImported { piece, space, .. } => {
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
                    made: Origin::of(record),
                    ordered: None,
                    ended: None,
                    used: false,
                });
            }
            Operation::Unmapped { range, .. } => self.remove(range.start, record),
            Operation::DeviceReset { device } => {
                let space = Space::Device(*device);
                let on_device = self.live().filter(|block| block.space == space);
                let starts: Vec<_> = on_device.map(|block| block.range.start).collect();
                for start in starts {
                    self.remove(start, record);
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, block: Block) {
        // What was there has ended without a record, because records are accepted as true. How it ended is unknown.
        let overlapping = self.overlapping(block.range);
        let gone: Vec<_> = overlapping.map(|other| other.range.start).collect();
        for start in gone {
            if let Some(live) = self.live.remove(&start) {
                self.starts.remove(&live.block.number);
                self.ended_now.push(live.block);
            }
        }
        self.starts.insert(block.number, block.range.start);
        let live = Live {
            cut_up: false,
            used: false,
            block: Arc::new(block),
        };
        self.live.insert(live.block.range.start, live);
    }

    fn remove(&mut self, start: u64, record: &Record) {
        let Some(Live {
            mut block, used, ..
        }) = self.live.remove(&start)
        else {
            return;
        };
        self.starts.remove(&block.number);
        let ended = Arc::make_mut(&mut block);
        ended.ended = Some(Origin::of(record));
        ended.used = used;
        self.order.push_back((start, block.number));
        self.ended_now.push(Arc::clone(&block));
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

#[cfg(test)]
mod tests;
