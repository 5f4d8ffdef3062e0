//! Reads of bytes that nobody wrote.
//!
//! Bytes of a device have no content when they are allocated, and lose it when their region is
//! unregistered. Copies from the host, sets and operators give them one. Copies between device
//! memories carry what the source has, without a word. What the host gets and what operators read must have a
//! content. Operators that only move values or change their type are copies in that sense.
//!
//! Host memory is written by code that nobody sees, so it always has one; in unified mode that is true of
//! device memory too.

mod content;
mod deferred;
mod place;
mod reading;
mod regions;
mod shadow;

use std::sync::Arc;

use millpond_trace::{Bytes, NumberMap, Operation, Record, TaskKind};
use smallvec::SmallVec;

use self::deferred::Deferred;
use self::place::{Owner, Stretch, stretches};
use self::regions::Regions;
use self::shadow::{Cause, Shadow};
use super::{Judge, families, words};
use crate::verdict::Verdict;
use crate::world::{BlockKind, Doer, Turn, World};

/// Knows which bytes have a content.
#[derive(Debug, Default)]
pub(crate) struct Defined {
    shadows: NumberMap<Owner, Shadow>,
    regions: Regions,
    deferred: Deferred,
    forgotten: u64,
}

/// Operators that give what they get, elsewhere or as another type. Programs convert results that are yet to be
/// computed, and copy tensors of which they will write the rest.
const MOVERS: [&str; 22] = [
    "AsStrided",
    "BroadcastTo",
    "Cast",
    "Concat",
    "ConcatD",
    "ConcatV2",
    "Expand",
    "ExpandD",
    "Flatten",
    "Identity",
    "Pack",
    "Reshape",
    "Slice",
    "SliceD",
    "Split",
    "SplitD",
    "StridedSlice",
    "TensorMove",
    "TransData",
    "Transpose",
    "TransposeD",
    "ViewCopy",
];

impl Judge for Defined {
    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        for block in world.blocks.ended_now() {
            self.deferred.end(block.range, verdict);
            if !matches!(block.kind, BlockKind::Mapping(_)) {
                self.shadows.remove(&Owner::Block(block.number));
            }
        }
        match &record.operation {
            Operation::Allocated {
                block,
                space,
                range,
                ..
            } if world.sees_all_of(*space) => {
                let call = &record.site.call;
                let made = world.blocks.get(*block).map(|block| &block.made);
                if let Some(made) = made
                    && (call.is_empty() || families::hands_out(call))
                {
                    self.begin(Owner::Block(*block), range.bytes, made);
                }
            }
            Operation::PhysicalAllocated {
                piece,
                space,
                bytes,
            } if world.sees_all_of(*space) => {
                if let Some(known) = world.addresses.piece(*piece) {
                    self.begin(Owner::Piece(*piece), *bytes, &known.made);
                }
            }
            Operation::PhysicalFreed { piece, .. } => {
                self.shadows.remove(&Owner::Piece(*piece));
            }
            Operation::DeviceReset { .. } => {
                self.shadows.retain(|owner, _| match owner {
                    Owner::Block(_) => true,
                    Owner::Piece(piece) => world.addresses.piece(*piece).is_some(),
                });
            }
            Operation::HeapRegistered { range, .. } => self.annotate(world, *range),
            Operation::RegionRegistered {
                region,
                domain,
                range,
                ..
            } => {
                self.annotate(world, *range);
                self.regions.add(*region, *domain, *range);
                if world.caching.speaks_in(*domain) {
                    self.hand_out(world, *range, record);
                }
            }
            Operation::RegionUnregistered { region } => {
                if let Some(range) = self.regions.remove(*region) {
                    self.deferred.end(range, verdict);
                    self.lose(world, range, record);
                }
            }
            Operation::Finalized => self.deferred.end_all(verdict),
            Operation::AnnotationStrange { domain, .. } => self.regions.distrust(*domain),
            _ => {}
        }
    }

    fn turn(&mut self, world: &World, turn: &Turn, verdict: &mut Verdict) {
        if self.shadows.is_empty() {
            return;
        }
        let moves = turn.deed.task == TaskKind::Compute && MOVERS.contains(&&*turn.deed.name);
        self.deferred.write(turn, moves, verdict);
        match turn.deed.task {
            TaskKind::Copy => {
                for ((from, source), (to, target)) in turn.reads().zip(turn.writes()) {
                    self.copy(world, turn, (from, source), (to, target), verdict);
                }
            }
            TaskKind::Fill => {
                for (span, block) in turn.writes() {
                    self.define(world, span, block);
                }
            }
            TaskKind::Compute if moves => self.carry(world, turn),
            TaskKind::Compute => {
                for (span, block) in turn.reads() {
                    // The result of a product is also an operand, which a factor of 0 leaves out.
                    let left_out = turn.doer.site.call.starts_with("aclblas")
                        && turn.deed.writes.contains(&span);
                    if !left_out {
                        self.read(world, turn, span, block, verdict);
                    }
                }
                self.results(world, turn);
            }
            _ => {}
        }
        self.scratch(world, turn);
    }

    fn end(&mut self, _world: &World, verdict: &mut Verdict) {
        self.deferred.end_all(verdict);
    }

    fn books(&self) -> u64 {
        let inside: u64 = self.shadows.values().map(Shadow::books).sum();
        let each = size_of::<(Owner, Shadow)>() + 1;
        let shadows = inside + (self.shadows.capacity() * each) as u64;
        shadows + self.regions.books() + self.deferred.books()
    }

    fn forgotten(&self) -> u64 {
        self.forgotten + self.regions.forgotten
    }
}

impl Defined {
    fn begin(&mut self, owner: Owner, bytes: u64, made: &Arc<Doer>) {
        let origin = Arc::new(Cause {
            doer: Arc::clone(made),
            what: "allocated",
            tensor: None,
        });
        self.shadows.insert(owner, Shadow::new(bytes, origin));
    }

    /// Parts of what lies there are registered.
    fn annotate(&mut self, world: &World, range: Bytes) {
        for stretch in stretches(world, world.blocks.find(range.start), range) {
            if let Some(shadow) = self.shadows.get_mut(&stretch.owner) {
                shadow.annotated = true;
            }
        }
    }

    /// A caching allocator hands bytes out: those that have no content are the new tensor's.
    fn hand_out(&mut self, world: &World, range: Bytes, record: &Record) {
        let origin = Arc::new(Cause {
            doer: Doer::of(record),
            what: "handed out",
            tensor: Some(range),
        });
        for stretch in stretches(world, world.blocks.find(range.start), range) {
            let Some(shadow) = self.shadows.get_mut(&stretch.owner) else {
                continue;
            };
            let mut empty: SmallVec<[Stretch; 1]> = SmallVec::new();
            shadow.look(stretch.from, stretch.until, |(from, until, known)| {
                if known.is_some() {
                    let owner = stretch.owner;
                    empty.push(Stretch { owner, from, until });
                }
            });
            for part in empty {
                self.set(part, Some(&origin));
            }
        }
    }

    /// Bytes lose their content.
    fn lose(&mut self, world: &World, range: Bytes, record: &Record) {
        let origin = Arc::new(Cause {
            doer: Doer::of(record),
            what: "unregistered",
            tensor: None,
        });
        for stretch in stretches(world, world.blocks.find(range.start), range) {
            self.set(stretch, Some(&origin));
        }
    }

    /// What work used for itself is nobody's to read.
    fn scratch(&mut self, world: &World, turn: &Turn) {
        let origin = Arc::new(Cause {
            doer: Arc::clone(&turn.doer),
            what: "scratch",
            tensor: None,
        });
        for (span, block) in turn.scratch() {
            for stretch in stretches(world, block, span.hull()) {
                self.set(stretch, Some(&origin));
            }
        }
    }
}
