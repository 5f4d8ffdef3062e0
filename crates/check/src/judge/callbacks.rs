//! What a registered allocator answers: blocks that are where they should be, large enough and its own.
//!
//! One answer breaks one rule: memory that is not the device's is not looked at any further.

use millpond_trace::{Bytes, Operation, Record, Space};

use super::{Judge, words};
use crate::rules::{Rule, allocator as rules};
use crate::verdict::Verdict;
use crate::world::{Doer, Given, World};
use crate::{Act, Finding};

/// Blocks start on a multiple of this.
const ALIGNMENT: u64 = 64;

/// Judges the answers of allocators.
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
                    "allocator {object:#x} said that its block {token:#x} is at {address:#x}, and \
                     now says {address_now:#x}"
                );
                let act = Doer::of(record).act("gives the block back");
                let mut finding = Finding::new(&rules::UNSTABLE, message, act);
                finding.advice = Some(
                    "the function that tells a block's address answers the same for a block until \
                     it is freed"
                        .to_owned(),
                );
                verdict.report(finding);
            }
            _ => {}
        }
    }
}

fn gave(world: &World, record: &Record, given: &Given, others: &[Given], verdict: &mut Verdict) {
    let Given { object, range, .. } = given;
    let Bytes { start, bytes } = *range;
    let act = || {
        Doer::of(record).act(format!(
            "asks allocator {object:#x} for {} for stream {}",
            words::count(bytes, "byte"),
            given.stream
        ))
    };
    if let Some(finding) = foreign(world, given, act()) {
        verdict.report(finding);
        return;
    }
    let block = world.blocks.find(start);
    let mut report = |rule: &'static Rule, message: String, other: Option<&Given>| {
        let mut finding = Finding::new(rule, message, act());
        if let Some(other) = other {
            let asked = format!("got {}", words::range(other.range));
            finding.operations.push(other.asked.act(asked));
        }
        finding.bytes = Some(*range);
        finding.block = block.map(|it| it.story());
        verdict.report(finding);
    };
    if !start.is_multiple_of(ALIGNMENT) {
        let behind = words::count(start % ALIGNMENT, "byte");
        let message = format!(
            "allocator {object:#x} gave a block at {start:#x}, which is {behind} behind a \
             multiple of {ALIGNMENT}"
        );
        report(&rules::MISALIGNED, message, None);
    }
    let room = world.blocks.usable_from(start);
    if room < bytes {
        let message = format!(
            "allocator {object:#x} was asked for {} and gave a block at {start:#x}, where the memory \
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
            "allocator {object:#x} gave {}, and stream {} has {} from allocator {:#x} that did not \
             come back",
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
fn foreign(world: &World, given: &Given, act: Act) -> Option<Finding> {
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
        _ if start == 0 => "which is nowhere".to_owned(),
        _ if ended.is_some() => "in memory that was freed".to_owned(),
        _ => "which is not memory of a device".to_owned(),
    };
    let message = format!(
        "allocator {:#x} gave a block at {start:#x}, {place}",
        given.object
    );
    let mut finding = Finding::new(&rules::FOREIGN, message, act);
    finding.bytes = Some(given.range);
    finding.block = block.or(ended).map(|it| it.story());
    finding.advice = Some(format!(
        "an allocator for a stream of device {device} cuts its blocks from memory of that device, as \
         aclrtMalloc gives it"
    ));
    Some(finding)
}
