//! What the checking mode finds in memory: guard bytes that were overwritten, and host code that touched device
//! memory.

use millpond_trace::{BlockRef, Bytes, GuardKind, NumberMap, Operation, Record};

use super::{Judge, words};
use crate::Finding;
use crate::rules::memory;
use crate::verdict::Verdict;
use crate::world::{Block, Origin, Turn, World};

/// Reports what was found in memory.
#[derive(Debug, Default)]
pub(crate) struct GuardJudge {
    /// Blocks in which work wrote bytes after those that the program requested, and whether after those that it may use.
    /// The runtime cannot distinguish such writes from those of host code.
    written: NumberMap<BlockRef, bool>,
    dropped_facts: u64,
}

/// How many such blocks are remembered. With more, nothing is reported about such bytes.
const MOST: usize = 1 << 16;

impl Judge for GuardJudge {
    fn turn(&mut self, _world: &World, turn: &Turn, _verdict: &mut Verdict) {
        for (span, block) in turn.writes() {
            let Some(block) = block else { continue };
            let hull = span.hull();
            let written = hull.start.saturating_add(hull.bytes) - block.range.start;
            if written <= block.requested {
                continue;
            }
            let beyond = written > block.usable().bytes;
            if let Some(known) = self.written.get_mut(&block.number) {
                *known |= beyond;
            } else if self.written.len() < MOST {
                self.written.insert(block.number, beyond);
            } else {
                self.dropped_facts += 1;
            }
        }
    }

    fn state_bytes(&self) -> u64 {
        self.written.capacity() as u64 * 17
    }

    fn dropped_facts(&self) -> u64 {
        self.dropped_facts
    }

    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        if !self.written.is_empty() {
            for block in world.blocks.ended_now() {
                self.written.remove(&block.number);
            }
        }
        match &record.operation {
            Operation::GuardChanged {
                guard,
                block,
                range,
            } => self.changed(world, record, *guard, *block, *range, verdict),
            Operation::HostTouched {
                address,
                write,
                instruction: _,
            } => touched(world, record, *address, *write, verdict),
            _ => {}
        }
    }
}

impl GuardJudge {
    /// Whether work may have written the rounding of a block's size. Host code cannot, if it cannot access the memory.
    fn may_be_rounded(&self, world: &World, block: &Block) -> bool {
        world.sees_all_of(block.space)
            || self.dropped_facts > 0
            || self.written.contains_key(&block.number)
    }

    fn changed(
        &self,
        world: &World,
        record: &Record,
        guard: GuardKind,
        number: BlockRef,
        range: Bytes,
        verdict: &mut Verdict,
    ) {
        let blocks = &world.blocks;
        // A redzone is examined when its block is freed; the block has just ended then.
        let block = blocks.get(number).or_else(|| blocks.ended_with(number));
        // Work that left its block was reported when it did.
        if guard == GuardKind::Redzone && self.written.get(&number) == Some(&true) {
            return;
        }
        let range = match (guard, block) {
            // Work may use the rounding of a size.
            (GuardKind::Redzone, Some(block)) if self.may_be_rounded(world, block) => {
                match behind(range, block) {
                    Some(rest) => rest,
                    None => return,
                }
            }
            _ => range,
        };
        let name = block.map_or_else(|| format!("block {number}"), |block| words::block(block));
        let (bytes, at) = (words::count(range.bytes, "byte"), range.start);
        let (rule, message, advice) = match guard {
            GuardKind::Redzone => {
                let distance =
                    block.map(|it| at.saturating_sub(it.range.start.saturating_add(it.requested)));
                let distance = distance.filter(|distance| *distance > 0);
                let behind = distance.map_or_else(
                    || "right after".to_owned(),
                    |distance| format!("{} past the end of", words::count(distance, "byte")),
                );
                (
                    &memory::GUARD,
                    format!("{bytes} at {at:#x}, {behind} {name}, were overwritten"),
                    "look for writes past the end of the block",
                )
            }
            GuardKind::Poison => (
                &memory::WRITTEN_AFTER_FREE,
                format!("{bytes} at {at:#x} in {name} were overwritten after it was freed"),
                "look for writes through pointers that were kept after the free",
            ),
        };
        let mut finding = Finding::new(
            rule,
            message,
            Origin::of(record).operation("found the overwritten bytes"),
        );
        finding.bytes = Some(range);
        finding.block = block.map(|block| block.lifetime());
        finding.advice = Some(advice.to_owned());
        verdict.report(finding);
    }
}

/// The bytes of a range after those of a block that the program may use.
fn behind(range: Bytes, block: &Block) -> Option<Bytes> {
    let usable = block.usable();
    let start = range.start.max(usable.start.saturating_add(usable.bytes));
    let end = range.start.saturating_add(range.bytes);
    let bytes = end.checked_sub(start).filter(|bytes| *bytes > 0)?;
    Some(Bytes { start, bytes })
}

fn touched(world: &World, record: &Record, address: u64, write: bool, verdict: &mut Verdict) {
    let verb = if write { "writes to" } else { "reads from" };
    let blocks = &world.blocks;
    let live = blocks.find(address);
    let ended = blocks.ended_at(address).filter(|_| live.is_none());
    let place = match (live, ended) {
        (Some(block), _) => format!("device memory of {}", words::block(block)),
        (None, Some(block)) => {
            let name = words::block(block);
            format!("device memory of {name}, which was {}", block.ending())
        }
        (None, None) if world.addresses.reserved_at(address).is_some() => {
            "reserved addresses with nothing mapped there".to_owned()
        }
        (None, None) => "reserved device addresses with no block there".to_owned(),
    };
    let what = format!("{verb} {address:#x}");
    let message = format!("host code {what}, {place}");
    let mut finding = Finding::new(
        &memory::HOST_ACCESS,
        message,
        Origin::of(record).operation(what),
    );
    finding.bytes = Some(Bytes {
        start: address,
        bytes: 1,
    });
    let block = live.or(ended);
    finding.block = block.map(|block| block.lifetime());
    let ended = block.and_then(|block| block.ended.as_ref().map(|origin| (block, origin)));
    if let Some((block, origin)) = ended {
        let what = format!("{} {}", block.ending(), block.name());
        finding.operations.push(origin.operation(what));
    }
    finding.advice = Some("copy it to host memory with aclrtMemcpy and use the copy".to_owned());
    verdict.report(finding);
}
