//! What a registered allocator returns: blocks must be in the right memory, large enough and its own.
//!
//! One result breaks at most one rule: memory that is not the device's is not examined further.

use millpond_trace::{Bytes, Operation, Record, Space};

use super::{Judge, words};
use crate::rules::{Rule, allocator as rules};
use crate::verdict::Verdict;
use crate::world::{AllocatorBlock, Origin, World};
use crate::{Finding, ReportedOperation};

/// Blocks start on a multiple of this.
const ALIGNMENT: u64 = 64;

/// Judges what allocators return.
#[derive(Debug, Default)]
pub(crate) struct Callbacks;

impl Judge for Callbacks {
    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        match &record.operation {
            Operation::AllocatorAsked { token, .. } if *token != 0 => {
                if let Some((given, others)) = world.allocators.given().split_last() {
                    gave(world, record, given, others, verdict);
                }
            }
            Operation::AllocatorReturned {
                object,
                token,
                address,
                address_now,
                ..
            } if address != address_now => {
                let message = format!(
                    "allocator {object:#x} returned the address {address:#x} for its block {token:#x}, and \
                     now returns {address_now:#x}"
                );
                let operation = Origin::of(record).operation("returns the block");
                let mut finding = Finding::new(&rules::UNSTABLE, message, operation);
                finding.advice = Some(
                    "return the same address for a block until it is \
                     freed"
                        .to_owned(),
                );
                verdict.report(finding);
            }
            _ => {}
        }
    }
}

fn gave(
    world: &World,
    record: &Record,
    given: &AllocatorBlock,
    others: &[AllocatorBlock],
    verdict: &mut Verdict,
) {
    let AllocatorBlock { object, range, .. } = given;
    let Bytes { start, bytes } = *range;
    let operation = || {
        Origin::of(record).operation(format!(
            "asks allocator {object:#x} for {} for stream {}",
            words::count(bytes, "byte"),
            given.stream
        ))
    };
    if let Some(finding) = foreign(world, given, operation()) {
        verdict.report(finding);
        return;
    }
    let block = world.blocks.find(start);
    let mut report = |rule: &'static Rule, message: String, other: Option<&AllocatorBlock>| {
        let mut finding = Finding::new(rule, message, operation());
        if let Some(other) = other {
            let asked = format!("got {}", words::range(other.range));
            finding.operations.push(other.asked.operation(asked));
        }
        finding.bytes = Some(*range);
        finding.block = block.map(|it| it.lifetime());
        verdict.report(finding);
    };
    if !start.is_multiple_of(ALIGNMENT) {
        let behind = words::count(start % ALIGNMENT, "byte");
        let message = format!(
            "allocator {object:#x} returned a block at {start:#x}, which is {behind} past a \
             multiple of {ALIGNMENT}"
        );
        report(&rules::MISALIGNED, message, None);
    }
    let room = world.blocks.usable_from(start);
    if room < bytes {
        let message = format!(
            "allocator {object:#x} was asked for {} and returned a block at {start:#x}, where the memory \
             ends after {}",
            words::count(bytes, "byte"),
            words::grouped(room)
        );
        report(&rules::TOO_SMALL, message, None);
    }
    let twice = others.iter().find(|it| overlap(&it.range, range));
    let same = || {
        let mut others = others.iter();
        others.find(|it| it.object == *object && it.token == given.token)
    };
    if let Some(other) = twice.or_else(same) {
        let message = format!(
            "allocator {object:#x} returned {}, but stream {} still has {} from allocator {:#x}",
            words::range(*range),
            other.stream,
            words::range(other.range),
            other.object
        );
        report(&rules::OVERLAP, message, Some(other));
    }
}

fn overlap(one: &Bytes, other: &Bytes) -> bool {
    one.start < other.start.saturating_add(other.bytes)
        && other.start < one.start.saturating_add(one.bytes)
}

/// A finding if a block does not start in live memory of the stream's device.
fn foreign(world: &World, given: &AllocatorBlock, operation: ReportedOperation) -> Option<Finding> {
    let start = given.range.start;
    let device = world.streams.get(given.stream)?.device;
    let block = world.blocks.find(start);
    let ended = world.blocks.ended_at(start);
    let place = match block.map(|it| it.space) {
        Some(Space::Device(on)) if on == device => return None,
        Some(Space::Device(other)) => {
            format!("which is memory of device {other}, not of device {device}")
        }
        Some(Space::Pinned) => "which is host memory".to_owned(),
        _ if start == 0 => "which is not an address".to_owned(),
        _ if ended.is_some() => "in memory that was freed".to_owned(),
        _ => "which is not memory of a device".to_owned(),
    };
    let message = format!(
        "allocator {:#x} returned a block at {start:#x}, {place}",
        given.object
    );
    let mut finding = Finding::new(&rules::FOREIGN, message, operation);
    finding.bytes = Some(given.range);
    finding.block = block.or(ended).map(|it| it.lifetime());
    finding.advice = Some(format!(
        "return blocks in memory of device {device}, such as memory from aclrtMalloc"
    ));
    Some(finding)
}
