//! Blocks and mappings: which live where, and which lived there.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use millpond_trace::{
    BlockRef, Bytes, NumberMap, Operation, PieceRef, PoolRef, Position, Record, Space, Text,
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
    /// Its number; a mapping has one that no block has.
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
    /// Whether anything ever named it. Known of blocks that ended; [`Blocks::is_used`] knows of live
    /// ones.
    pub(crate) used: bool,
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
        self.range.start.saturating_add(self.range.bytes)
    }

    /// What it is called.
    pub(crate) fn name(&self) -> String {
        match self.kind {
            BlockKind::Plain => format!("block {}", self.number),
            BlockKind::Pool(pool) => format!("block {} of pool {pool}", self.number),
            BlockKind::Mapping(piece) => format!("mapping of piece {piece}"),
        }
    }

    /// What was done to make it, and what ends it.
    fn verbs(&self) -> (&'static str, &'static str) {
        match self.kind {
            BlockKind::Mapping(_) => ("mapped", "unmapped"),
            BlockKind::Plain | BlockKind::Pool(_) => ("allocated", "freed"),
        }
    }

    /// What ended it: `freed`, `unmapped`, or `released` where that was not by itself.
    pub(crate) fn ending(&self) -> &'static str {
        let by_itself = self.ended.as_ref().is_none_or(|doer| {
            let call = &doer.site.call;
            call.is_empty() || call.contains("Free") || call.contains("Unmap")
        });
        if by_itself {
            self.verbs().1
        } else {
            "released"
        }
    }

    /// As a finding tells it.
    pub(crate) fn story(&self) -> Arc<BlockStory> {
        Arc::new(BlockStory {
            name: self.name(),
            space: self.space,
            range: Bytes {
                start: self.range.start,
                bytes: self.requested,
            },
            made: self.made.act(self.verbs().0),
            ended: self.ended.as_ref().map(|doer| doer.act(self.ending())),
        })
    }
}

/// Blocks that ended and are remembered.
const REMEMBERED: usize = 1024;

/// Ended blocks that are looked at to find one with an address in it: they may overlap, because
/// bytes are handed out again in other sizes.
const LOOKED_AT: usize = 64;

/// All blocks, by where they are.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    live: BTreeMap<u64, Live>,
    starts: NumberMap<BlockRef, u64>,
    /// Where pieces of physical memory lie.
    pieces: NumberMap<PieceRef, Space>,
    /// Those that ended, by start; a later one at the same start takes the place of an earlier.
    ended: BTreeMap<u64, Arc<Block>>,
    /// Starts and numbers of those, the oldest first.
    order: VecDeque<(u64, BlockRef)>,
    /// Those that ended by the record that was learned last.
    ended_now: Vec<Arc<Block>>,
}

#[derive(Debug)]
struct Live {
    /// Whether somebody cuts it up: an allocator of the program.
    cut_up: bool,
    block: Arc<Block>,
    used: bool,
}

impl Blocks {
    /// The live block that an address lies in.
    pub(crate) fn find(&self, address: u64) -> Option<&Arc<Block>> {
        let block = self.before(address)?;
        (address < block.end()).then_some(block)
    }

    /// The live block with a number.
    pub(crate) fn get(&self, number: BlockRef) -> Option<&Arc<Block>> {
        let live = self.live.get(self.starts.get(&number)?)?;
        Some(&live.block)
    }

    /// The block that ended and had an address in it, the latest that is remembered.
    pub(crate) fn ended_at(&self, address: u64) -> Option<&Arc<Block>> {
        let candidates = self.ended.range(..=address).rev().take(LOOKED_AT);
        candidates
            .map(|(_, block)| block)
            .filter(|block| address < block.end())
            .max_by_key(|block| block.ended.as_ref().map(|doer| doer.order))
    }

    /// The block that ended and has a number, if it is remembered.
    pub(crate) fn ended_with(&self, number: BlockRef) -> Option<&Arc<Block>> {
        self.ended.values().find(|block| block.number == number)
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
        let (_, live) = self.live.range(..=address).next_back()?;
        Some(&live.block)
    }

    /// The live block that is nearest behind an address.
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

    /// Those that ended by the record that was learned last: one by a free, many by a reset. Those
    /// without an end were in the way of a new one.
    pub(crate) fn ended_now(&self) -> &[Arc<Block>] {
        &self.ended_now
    }

    /// Whether anything ever named a live block.
    pub(crate) fn is_used(&self, block: &Block) -> bool {
        let live = self.live.get(&block.range.start);
        live.is_none_or(|live| live.used || live.block.number != block.number)
    }

    /// Whether an allocator of the program hands out parts of a live block.
    pub(crate) fn is_cut_up(&self, block: &Block) -> bool {
        let live = self.live.get(&block.range.start);
        live.is_some_and(|live| live.cut_up && live.block.number == block.number)
    }

    pub(crate) fn books(&self) -> u64 {
        let block = (size_of::<Block>() + size_of::<Doer>() + 64) as u64;
        let known = (self.live.len() + self.ended.len() + self.ended_now.capacity()) as u64;
        let maps = self.starts.capacity() * 24 + self.pieces.capacity() * 24;
        known * block + maps as u64
    }

    /// The live block that an address lies in, which is used from now on.
    pub(super) fn touch(&mut self, address: u64) -> Option<Arc<Block>> {
        let (_, live) = self.live.range_mut(..=address).next_back()?;
        if address >= live.block.end() {
            return None;
        }
        live.used = true;
        Some(Arc::clone(&live.block))
    }

    /// An allocator of the program handed out something at an address.
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
                made: Doer::of(record),
                ordered: *ordered,
                ended: None,
                used: false,
            }),
            Operation::Freed { block, .. } => {
                if let Some(start) = self.starts.get(block).copied() {
                    self.remove(start, record);
                }
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
        // What lies there has ended unseen: records are believed. How it ended nobody knows.
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
        ended.ended = Some(Doer::of(record));
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
#[path = "blocks_tests.rs"]
mod tests;
