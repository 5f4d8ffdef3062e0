//! Reads of bytes that nobody wrote.
//!
//! Bytes of a device have no content when they are allocated, and lose it when their region is
//! unregistered. Copies from the host, sets and operators give them one. Copies between device
//! memories carry what the source has, without a word. What the host gets and what operators read must have a
//! content. Operators that only move values or change their type are copies in that sense.
//!
//! Host memory is written by code that nobody sees, so it always has one; in unified mode that is true of
//! device memory too.

mod deferred;
mod place;
mod regions;
mod shadow;

use std::sync::Arc;

use millpond_trace::{Bytes, NumberMap, Operation, Record, Space, Span, TaskKind};
use smallvec::SmallVec;

use self::deferred::Deferred;
use self::place::{Owner, Stretch, owner, stretches};
use self::regions::Regions;
use self::shadow::{Origin, Part, Shadow};
use super::{Judge, families, words};
use crate::Finding;
use crate::clock::Place;
use crate::rules::memory;
use crate::verdict::Verdict;
use crate::world::{Block, BlockKind, Doer, Turn, World};

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

/// Rows that are followed one by one.
const ROWS: u64 = 4096;

/// Fewer bytes than these at the end of a read, behind others that have a content, are what rounding
/// leaves: sizes are rounded up to 32 and padded with 32.
const TAIL: u64 = 64;

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
        let origin = Origin {
            doer: Arc::clone(made),
            what: "allocated",
            tensor: None,
        };
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
        let origin = Origin {
            doer: Doer::of(record),
            what: "handed out",
            tensor: Some(range),
        };
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
        let origin = Origin {
            doer: Doer::of(record),
            what: "unregistered",
            tensor: None,
        };
        for stretch in stretches(world, world.blocks.find(range.start), range) {
            self.set(stretch, Some(&origin));
        }
    }

    /// What work used for itself is nobody's to read.
    fn scratch(&mut self, world: &World, turn: &Turn) {
        let origin = Origin {
            doer: Arc::clone(&turn.doer),
            what: "scratch",
            tensor: None,
        };
        for (span, block) in turn.scratch() {
            for stretch in stretches(world, block, span.hull()) {
                self.set(stretch, Some(&origin));
            }
        }
    }

    fn set(&mut self, stretch: Stretch, origin: Option<&Origin>) {
        let Some(shadow) = self.shadows.get_mut(&stretch.owner) else {
            return;
        };
        if shadow.given_up() || (origin.is_none() && shadow.is_whole()) {
            return;
        }
        shadow.set(stretch.from, stretch.until, origin);
        self.forgotten += u64::from(shadow.given_up());
    }

    /// All bytes of a span get a content. So do those between rows, where there are very many.
    fn define(&mut self, world: &World, span: Span, block: Option<&Arc<Block>>) {
        if !self.follows(block) {
            return;
        }
        if span.rows > ROWS {
            self.define_range(world, span.hull(), block);
            return;
        }
        for range in span.ranges() {
            self.define_range(world, range, block);
        }
    }

    fn define_range(&mut self, world: &World, range: Bytes, block: Option<&Arc<Block>>) {
        for stretch in stretches(world, block, range) {
            self.set(stretch, None);
        }
    }

    /// An operator or a model wrote its results.
    fn results(&mut self, world: &World, turn: &Turn) {
        // Which shape came out of a model of changing shape the program is told, and it gets that much back.
        let exact = turn.deed.model != 0 && !turn.deed.geared;
        for (span, block) in turn.results() {
            if exact {
                self.define(world, span, block);
            } else {
                self.produce(world, span, block);
            }
        }
    }

    /// A result whose buffer may be larger, of an operator or of a model with gears. How large is not known: a program that
    /// gets all of it back does nothing wrong.
    fn produce(&mut self, world: &World, span: Span, block: Option<&Arc<Block>>) {
        let Some(shadow) = block.and_then(|block| self.shadows.get(&owner(block))) else {
            return;
        };
        let Some(block) = block.filter(|_| !shadow.annotated) else {
            self.define(world, span, block);
            return;
        };
        let range = Bytes {
            start: span.start,
            bytes: block.end().saturating_sub(span.start),
        };
        self.define_range(world, range, Some(block));
    }

    /// Whether anything is known of the bytes of a block.
    fn follows(&self, block: Option<&Arc<Block>>) -> bool {
        block.is_some_and(|block| {
            // A mapping may go over into one of a piece that is followed.
            matches!(block.kind, BlockKind::Mapping(_)) || self.shadows.contains_key(&owner(block))
        })
    }

    /// A copy: the host must get bytes that have a content, a device gets what there is.
    fn copy(
        &mut self,
        world: &World,
        turn: &Turn,
        (from, source): (Span, Option<&Arc<Block>>),
        (to, target): (Span, Option<&Arc<Block>>),
        verdict: &mut Verdict,
    ) {
        if !self.follows(source) {
            self.define(world, to, target);
            return;
        }
        let to_device = target.is_some_and(|block| matches!(block.space, Space::Device(_)));
        if !to_device {
            if !self.is_saved(world, from, source) {
                self.read(world, turn, from, source, verdict);
            }
            return;
        }
        if !self.follows(target) {
            return;
        }
        if from.rows > ROWS || from.rows != to.rows || from.width != to.width {
            self.define(world, to, target);
            return;
        }
        for row in 0..from.rows {
            let at = |span: Span| Bytes {
                start: span.start.saturating_add(row.saturating_mul(span.pitch)),
                bytes: span.width,
            };
            let parts = self.look(world, turn, source, at(from));
            let start = at(to).start;
            for (from, until, origin) in parts {
                let range = Bytes {
                    start: start.saturating_add(from),
                    bytes: until - from,
                };
                for stretch in stretches(world, target, range) {
                    self.set(stretch, origin.as_ref());
                }
            }
        }
    }

    /// Whether a copy saves memory that somebody cuts up: all of it, with what is not handed out at the time. Nobody looks at
    /// those bytes.
    fn is_saved(&self, world: &World, span: Span, block: Option<&Arc<Block>>) -> bool {
        let Some(shadow) = block.and_then(|block| self.shadows.get(&owner(block))) else {
            return false;
        };
        shadow.annotated && world.is_whole(span.hull())
    }

    /// An operator moves values. Which ones come where is not known: what it gives has no content only if nothing
    /// that it got had.
    fn carry(&mut self, world: &World, turn: &Turn) {
        let mut empty = None;
        for (span, block) in turn.reads() {
            for (_, _, origin) in self.look(world, turn, block, span.hull()) {
                if origin.is_none() {
                    self.results(world, turn);
                    return;
                }
                empty = origin;
            }
        }
        for (span, block) in turn.results() {
            if empty.is_none() || span.rows > ROWS {
                self.produce(world, span, block);
                continue;
            }
            for range in span.ranges() {
                for stretch in stretches(world, block, range) {
                    self.set(stretch, empty.as_ref());
                }
            }
        }
    }

    /// What is known of a range, counted from its start. Bytes that lost their content after the work was
    /// asked for had one then.
    fn look(
        &self,
        world: &World,
        turn: &Turn,
        block: Option<&Arc<Block>>,
        range: Bytes,
    ) -> SmallVec<[Part; 2]> {
        let mut parts = SmallVec::new();
        let mut base = 0;
        for stretch in stretches(world, block, range) {
            let length = stretch.until - stretch.from;
            match self.shadows.get(&stretch.owner) {
                None => parts.push((base, base + length, None)),
                Some(shadow) => {
                    let mut seen = stretch.from;
                    shadow.look(stretch.from, stretch.until, |(from, until, origin)| {
                        let origin = origin.filter(|it| it.doer.order <= turn.doer.order);
                        let (from, until) = (from - stretch.from, until - stretch.from);
                        parts.push((base + from, base + until, origin));
                        seen = stretch.from + until;
                    });
                    if seen < stretch.until {
                        let from = base + (seen - stretch.from);
                        parts.push((from, base + length, None));
                    }
                }
            }
            base += length;
        }
        parts
    }

    /// Bytes are read by somebody who looks at them.
    fn read(
        &mut self,
        world: &World,
        turn: &Turn,
        span: Span,
        block: Option<&Arc<Block>>,
        verdict: &mut Verdict,
    ) {
        let Some(block) = block.filter(|block| self.follows(Some(block))) else {
            return;
        };
        // In a cache only what is handed out has a content; reading elsewhere is told as that.
        if world.caching.has(span.start) && world.caching.at(span.start).is_none() {
            return;
        }
        let whole = self
            .shadows
            .get(&owner(block))
            .is_some_and(Shadow::is_whole);
        if span.rows > ROWS || (whole && span.hull().bytes <= block.range.bytes) {
            return;
        }
        // What lies behind the bytes of a block is out of bounds, and told as that.
        let limit = match block.kind {
            BlockKind::Mapping(_) => u64::MAX,
            BlockKind::Plain | BlockKind::Pool(_) => {
                let usable = block.usable();
                usable.start.saturating_add(usable.bytes)
            }
        };
        let mut empty = 0_u64;
        let mut first: Option<(Bytes, Origin)> = None;
        for mut range in span.ranges() {
            range.bytes = range.bytes.min(limit.saturating_sub(range.start));
            let parts = self.look(world, turn, Some(block), range);
            if is_tail(&parts, range.bytes) {
                continue;
            }
            for (from, until, origin) in parts {
                let Some(origin) = origin else { continue };
                empty = empty.saturating_add(until - from);
                first.get_or_insert_with(|| {
                    let bytes = Bytes {
                        start: range.start.saturating_add(from),
                        bytes: until - from,
                    };
                    (bytes, origin)
                });
            }
        }
        let Some((bytes, origin)) = first else { return };
        // Behind a function of the program the work may have to wait for a write that is yet to come.
        if matches!(turn.place, Place::Task(_)) && world.streams.functions_pending() {
            return;
        }
        let mut finding = finding(turn, span, block, empty, bytes, &origin);
        if let Some(cached) = world.caching.at(bytes.start) {
            // Who had these bytes before has nothing to do with it.
            if origin.tensor.is_none_or(|tensor| tensor == cached.range) {
                finding.operations.truncate(1);
            }
            finding.block = Some(cached.story());
        }
        let all = span.rows == 1 && empty == span.width && bytes.bytes == empty;
        if let Some(tensor) = origin.tensor
            && all
            && turn.deed.task == TaskKind::Copy
        {
            self.deferred.add(tensor, finding, verdict);
            return;
        }
        verdict.report(finding);
        // Told once. What comes of it is not told again.
        self.define(world, span, Some(block));
    }
}

/// Whether the only bytes without a content are a few at the end.
fn is_tail(parts: &[Part], length: u64) -> bool {
    let first = parts.iter().find(|(_, _, origin)| origin.is_some());
    first.is_some_and(|(from, _, _)| *from > 0 && length - from < TAIL)
}

fn finding(
    turn: &Turn,
    span: Span,
    block: &Block,
    empty: u64,
    bytes: Bytes,
    origin: &Origin,
) -> Finding {
    let place = words::place(span);
    let what = match turn.deed.task {
        TaskKind::Compute if turn.deed.name.is_empty() => format!("reads {place}"),
        TaskKind::Compute => format!("{} reads {place}", turn.deed.name),
        _ => format!("copies {place} to the host"),
    };
    let message = format!(
        "{what}, {} of them never written: the first at {:#x} in {}",
        words::grouped(empty),
        bytes.start,
        words::block(block)
    );
    let act = turn.doer.act(what);
    let mut finding = Finding::new(&memory::UNINITIALISED_READ, message, act);
    finding.bytes = Some(bytes);
    finding.block = Some(block.story());
    if !Arc::ptr_eq(&origin.doer, &block.made) {
        let what = match origin.what {
            "unregistered" => "unregistered the region that had them",
            "scratch" => "worked in them last, and left no content",
            _ => "allocated the memory that they were copied from",
        };
        finding.operations.push(origin.doer.act(what));
    }
    finding.advice = Some("write them first, with a copy, aclrtMemset or an operator".to_owned());
    finding
}
