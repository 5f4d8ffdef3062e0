//! Leaks at the end of the program, or of its use of a device: blocks, reserved addresses, handles.
//!
//! A program ends by `aclFinalize`, and its use of a device by `aclrtResetDevice`. A program that only exits leaks
//! nothing: the system frees everything, and a hint says what it had. Leaks of one call site are one finding.

mod ended;
mod handles;
mod left;

use std::collections::HashSet;
use std::sync::Arc;

use millpond_trace::{Operation, PieceRef, Record, Space};

use self::handles::Handles;
use self::left::{Left, Thing};
use super::{Judge, families};
use crate::Options;
use crate::rules::{handle, memory};
use crate::verdict::Verdict;
use crate::world::{Block, BlockKind, Origin, World};

/// Reports leaks.
#[derive(Debug, Default)]
pub(crate) struct Leaks {
    handles: Handles,
    /// The last time that everything was examined: older leaks were reported then.
    reported: u64,
    /// The last reset of a device that the program called.
    reset: Option<Arc<Origin>>,
    /// Whether the program ever called `aclrtResetDevice` or `aclFinalize`.
    asked: bool,
    /// Whether only a part of the program is checked.
    part: bool,
    /// Whether a hint has reported unfreed blocks.
    hinted: bool,
}

impl Leaks {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            part: options.part,
            ..Self::default()
        }
    }
}

impl Judge for Leaks {
    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        self.handles.learn(record);
        match &record.operation {
            Operation::ResetBegan { device } if is_reset(&record.site.call) => {
                self.asked = true;
                let origin = Origin::of(record);
                self.memory_of(world, Some(*device), &origin, verdict);
                self.streams_of(world, Some(*device), &origin, verdict);
                self.reset = Some(origin);
            }
            Operation::Finalized => {
                self.asked = true;
                let origin = Origin::of(record);
                self.everything(world, &origin, verdict);
                self.reported = record.order;
                self.reset = None;
            }
            _ => {}
        }
    }

    fn end(&mut self, world: &World, verdict: &mut Verdict) {
        // A device was reset, so the program ends what it began. What belongs to no device is left too.
        if let Some(reset) = self.reset.take() {
            self.beside_devices(world, &reset, verdict);
        }
        if !self.asked
            && !self.part
            && let Some(hint) = ended::hint(world)
        {
            self.hinted = true;
            verdict.report(hint);
        }
    }

    fn state_bytes(&self) -> u64 {
        self.handles.state_bytes()
    }

    fn unfreed_blocks(&self, world: &World) -> u64 {
        if self.asked || self.hinted {
            return 0;
        }
        let handed_out = |block: &&Arc<Block>| families::hands_out(&block.call);
        world.blocks.live().filter(handed_out).count() as u64
    }
}

fn is_reset(call: &str) -> bool {
    call.starts_with("aclrtResetDevice")
}

/// Physical memory that a caching allocator cuts up.
fn kept_pieces(world: &World) -> HashSet<PieceRef> {
    let owned = world
        .blocks
        .live()
        .filter(|block| world.caching.owns(block.number));
    let piece = |block: &Arc<Block>| match block.kind {
        BlockKind::Mapping(piece) => Some(piece),
        BlockKind::Plain | BlockKind::Pool(_) => None,
    };
    owned.filter_map(piece).collect()
}

impl Leaks {
    fn everything(&self, world: &World, origin: &Arc<Origin>, verdict: &mut Verdict) {
        self.memory_of(world, None, origin, verdict);
        self.streams_of(world, None, origin, verdict);
        let mut left = Left::new(&handle::LEAK, origin);
        for (context, made) in self.handles.contexts() {
            left.add(made, Thing::new("context").called(context));
        }
        self.report(left, verdict);
        self.beside_devices(world, origin, verdict);
    }

    /// Blocks, mappings and pieces, of one device or of all.
    fn memory_of(
        &self,
        world: &World,
        device: Option<u32>,
        origin: &Arc<Origin>,
        verdict: &mut Verdict,
    ) {
        let counts = |space| match (device, space) {
            (Some(device), space) => space == Space::Device(device),
            (None, space) => matches!(space, Space::Device(_)),
        };
        let mut blocks = Left::new(&memory::LEAK, origin);
        let mut mapped = Left::new(&memory::LEAK_MAPPING, origin);
        for block in world.blocks.live().filter(|block| counts(block.space)) {
            // What a caching allocator keeps it keeps on purpose, for tensors that live as long as the script.
            if !families::hands_out(&block.call) || world.caching.owns(block.number) {
                continue;
            }
            let left = match block.kind {
                BlockKind::Mapping(_) => &mut mapped,
                BlockKind::Plain | BlockKind::Pool(_) => &mut blocks,
            };
            left.add(&block.made, Thing::of(block));
        }
        let kept = kept_pieces(world);
        let mut pieces: Vec<_> = world.addresses.pieces().collect();
        pieces.sort_by_key(|(number, _)| *number);
        for (number, piece) in pieces.into_iter().filter(|(_, it)| counts(it.space)) {
            if kept.contains(&number) {
                continue;
            }
            let thing = Thing::new("piece of physical memory").called(number);
            mapped.add(&piece.made, thing.of_bytes(piece.bytes));
        }
        self.report(blocks, verdict);
        self.report(mapped, verdict);
    }

    /// Streams, of one device or of all.
    fn streams_of(
        &self,
        world: &World,
        device: Option<u32>,
        origin: &Arc<Origin>,
        verdict: &mut Verdict,
    ) {
        let mut left = Left::new(&handle::LEAK, origin);
        for (number, stream) in world.streams.live() {
            let here = device.is_none_or(|device| stream.device == device);
            let made = &stream.made;
            if here && made.site.call.starts_with("aclrtCreateStream") {
                left.add(made, Thing::new("stream").called(number));
            }
        }
        self.report(left, verdict);
    }

    /// What belongs to no device.
    fn beside_devices(&self, world: &World, origin: &Arc<Origin>, verdict: &mut Verdict) {
        let mut blocks = Left::new(&memory::LEAK, origin);
        let mut mapped = Left::new(&memory::LEAK_MAPPING, origin);
        for block in world.blocks.live() {
            let of_device = matches!(block.space, Space::Device(_));
            if of_device || !families::hands_out(&block.call) {
                continue;
            }
            let left = match block.kind {
                BlockKind::Mapping(_) => &mut mapped,
                BlockKind::Plain | BlockKind::Pool(_) => &mut blocks,
            };
            left.add(&block.made, Thing::of(block));
        }
        for reservation in world.addresses.reserved() {
            if world.caching.has_mapped(reservation.range) {
                continue;
            }
            let thing = Thing::new("reserved range").at(reservation.range);
            mapped.add(&reservation.made, thing);
        }
        self.report(blocks, verdict);
        self.report(mapped, verdict);
        let mut left = Left::new(&handle::LEAK, origin);
        let mut events: Vec<_> = world.events.live().collect();
        events.sort_by_key(|(number, _)| *number);
        for (number, event) in events {
            if event.made.site.call.starts_with("aclrtCreateEvent") {
                left.add(&event.made, Thing::new("event").called(number));
            }
        }
        for (what, made) in self.handles.others() {
            left.add(made, Thing::new(what));
        }
        self.report(left, verdict);
    }

    fn report(&self, left: Left<'_>, verdict: &mut Verdict) {
        left.report(self.reported, verdict);
    }
}
