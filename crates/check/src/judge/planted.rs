//! What the checking mode finds in memory itself: bytes that it wrote and somebody changed, and
//! code of the program that touched device memory.

use millpond_trace::{BlockRef, Bytes, NumberMap, Operation, Planted, Record};

use super::{Judge, words};
use crate::Finding;
use crate::rules::memory;
use crate::verdict::Verdict;
use crate::world::{Block, Doer, Turn, World};

/// Tells what was found in memory.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Blocks of which work wrote bytes behind those that the program asked for, and whether behind those that
    /// it may use. The runtime cannot tell its writes from those of code.
    written: NumberMap<BlockRef, bool>,
    forgotten: u64,
}

/// Blocks that are remembered so. With more, nothing is said of any such bytes.
const MOST: usize = 1 << 16;

impl Judge for Found {
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
                self.forgotten += 1;
            }
        }
    }

    fn books(&self) -> u64 {
        self.written.capacity() as u64 * 17
    }

    fn forgotten(&self) -> u64 {
        self.forgotten
    }

    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        if !self.written.is_empty() {
            for block in world.blocks.ended_now() {
                self.written.remove(&block.number);
            }
        }
        match &record.operation {
            Operation::PlantedChanged {
                planted,
                block,
                range,
            } => self.changed(world, record, *planted, *block, *range, verdict),
            Operation::HostTouched {
                address,
                write,
                instruction: _,
            } => touched(world, record, *address, *write, verdict),
            _ => {}
        }
    }
}

impl Found {
    /// Whether work may have written what the size of a block is rounded up to. Code of the program cannot,
    /// where it does not reach the memory.
    fn may_be_rounded(&self, world: &World, block: &Block) -> bool {
        world.sees_all_of(block.space)
            || self.forgotten > 0
            || self.written.contains_key(&block.number)
    }

    fn changed(
        &self,
        world: &World,
        record: &Record,
        planted: Planted,
        number: BlockRef,
        range: Bytes,
        verdict: &mut Verdict,
    ) {
        let blocks = &world.blocks;
        // A guard is looked at when its block is freed, and then the block has just ended.
        let block = blocks.get(number).or_else(|| blocks.ended_with(number));
        // Work that reached beyond its block was told then.
        if planted == Planted::Guard && self.written.get(&number) == Some(&true) {
            return;
        }
        let range = match (planted, block) {
            // What a size is rounded up to may be used by work.
            (Planted::Guard, Some(block)) if self.may_be_rounded(world, block) => {
                match behind(range, block) {
                    Some(rest) => rest,
                    None => return,
                }
            }
            _ => range,
        };
        let name = block.map_or_else(|| format!("block {number}"), |block| words::block(block));
        let (bytes, at) = (words::count(range.bytes, "byte"), range.start);
        let (rule, message, advice) = match planted {
            Planted::Guard => {
                let distance =
                    block.map(|it| at.saturating_sub(it.range.start.saturating_add(it.requested)));
                let distance = distance.filter(|distance| *distance > 0);
                let behind = distance.map_or_else(
                    || "right behind".to_owned(),
                    |distance| format!("{} past the end of", words::count(distance, "byte")),
                );
                (
                    &memory::GUARD,
                    format!("{bytes} at {at:#x}, {behind} {name}, were overwritten"),
                    "look for writes by address that do not know where the block ends",
                )
            }
            Planted::Poison => (
                &memory::WRITTEN_AFTER_FREE,
                format!("{bytes} at {at:#x} in {name} were overwritten after it was freed"),
                "look for pointers to it that were kept",
            ),
        };
        let mut finding = Finding::new(rule, message, Doer::of(record).act("found it"));
        finding.bytes = Some(range);
        finding.block = block.map(|block| block.story());
        finding.advice = Some(advice.to_owned());
        verdict.report(finding);
    }
}

/// The bytes of a range that lie behind those of a block that the program may use.
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
    let mut finding = Finding::new(&memory::HOST_ACCESS, message, Doer::of(record).act(what));
    finding.bytes = Some(Bytes {
        start: address,
        bytes: 1,
    });
    let block = live.or(ended);
    finding.block = block.map(|block| block.story());
    let ended = block.and_then(|block| block.ended.as_ref().map(|doer| (block, doer)));
    if let Some((block, doer)) = ended {
        let what = format!("{} {}", block.ending(), block.name());
        finding.operations.push(doer.act(what));
    }
    finding.advice =
        Some("copy it to host memory with aclrtMemcpy and look at the copy there".to_owned());
    verdict.report(finding);
}
