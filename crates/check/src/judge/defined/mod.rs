//! Reads of undefined bytes.
//!
//! Device bytes are undefined when they are allocated, and again when their region is unregistered. Copies from the
//! host, fills and operators define them. Copies between device memories propagate the state of the source and are
//! not reported. What the host gets and what operators read must be defined. Operators that only move values or
//! change their type count as copies.
//!
//! Host memory is written by code that the checker does not see, so it always counts as defined. So does managed
//! memory, which the program and its devices use at one address; in unified mode this holds for all device memory.

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
use self::regions::RegisteredRegions;
use self::shadow::{Cause, Shadow};
use super::{Judge, families, words};
use crate::verdict::Verdict;
use crate::world::{BlockKind, Origin, Turn, World};

/// Tracks which bytes are defined.
#[derive(Debug, Default)]
pub(crate) struct Defined {
    shadows: NumberMap<Owner, Shadow>,
    regions: RegisteredRegions,
    deferred: Deferred,
    dropped_facts: u64,
}

/// Operators that give what they get, elsewhere or as another type, by name and by function. Programs convert results that are
/// yet to be computed, and copy tensors of which they will write the rest. PyTorch for Ascend pads and copies the tensors that a
/// collective is about to fill.
const MOVERS: [&str; 34] = [
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
    "aclnnCast",
    "aclnnCat",
    "aclnnConstantPadNd",
    "aclnnExpand",
    "aclnnInplaceCopy",
    "aclnnPermute",
    "aclnnRepeat",
    "aclnnSlice",
    "aclnnSliceV2",
    "aclnnSplitTensor",
    "aclnnSplitWithSize",
    "aclnnStack",
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
            } if world.sees_all_of(*space) && !families::host_writes(&record.site.call) => {
                if let Some(known) = world.addresses.piece(*piece) {
                    self.begin(Owner::Piece(*piece), *bytes, &known.made);
                }
            }
            // Other processes write it from now on, unseen.
            Operation::MemoryShared { range } => {
                for stretch in stretches(world, world.blocks.find(range.start), *range) {
                    self.shadows.remove(&stretch.owner);
                }
            }
            Operation::PhysicalFreed { piece, .. } | Operation::PhysicalShared { piece } => {
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
        let moves =
            turn.accesses.task == TaskKind::Compute && MOVERS.contains(&&*turn.accesses.name);
        self.deferred.write(turn, moves, verdict);
        match turn.accesses.task {
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
                    let left_out = turn.origin.site.call.starts_with("aclblas")
                        && turn.accesses.writes.contains(&span);
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

    fn state_bytes(&self) -> u64 {
        let inside: u64 = self.shadows.values().map(Shadow::state_bytes).sum();
        let each = size_of::<(Owner, Shadow)>() + 1;
        let shadows = inside + (self.shadows.capacity() * each) as u64;
        shadows + self.regions.state_bytes() + self.deferred.state_bytes()
    }

    fn dropped_facts(&self) -> u64 {
        self.dropped_facts + self.regions.dropped_facts
    }
}

impl Defined {
    fn begin(&mut self, owner: Owner, bytes: u64, made: &Arc<Origin>) {
        let cause = Arc::new(Cause {
            origin: Arc::clone(made),
            what: "allocated",
            tensor: None,
        });
        self.shadows.insert(owner, Shadow::new(bytes, cause));
    }

    /// Parts of what is there are registered.
    fn annotate(&mut self, world: &World, range: Bytes) {
        for stretch in stretches(world, world.blocks.find(range.start), range) {
            if let Some(shadow) = self.shadows.get_mut(&stretch.owner) {
                shadow.annotated = true;
            }
        }
    }

    /// A caching allocator hands bytes out: those that have no content are the new tensor's.
    fn hand_out(&mut self, world: &World, range: Bytes, record: &Record) {
        let cause = Arc::new(Cause {
            origin: Origin::of(record),
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
                self.set(part, Some(&cause));
            }
        }
    }

    /// Bytes lose their content.
    fn lose(&mut self, world: &World, range: Bytes, record: &Record) {
        let cause = Arc::new(Cause {
            origin: Origin::of(record),
            what: "unregistered",
            tensor: None,
        });
        for stretch in stretches(world, world.blocks.find(range.start), range) {
            self.set(stretch, Some(&cause));
        }
    }

    /// Scratch is undefined after the work.
    fn scratch(&mut self, world: &World, turn: &Turn) {
        let cause = Arc::new(Cause {
            origin: Arc::clone(&turn.origin),
            what: "scratch",
            tensor: None,
        });
        for (span, block) in turn.scratch() {
            for stretch in stretches(world, block, span.hull()) {
                self.set(stretch, Some(&cause));
            }
        }
    }
}
