//! Work that uses memory of another device, and copies whose stated direction is wrong.

use std::collections::BTreeSet;

use millpond_trace::{Accesses, Operation, Record, Space, Span, TaskKind};

use super::{Judge, words};
use crate::Finding;
use crate::rules::memory;
use crate::verdict::Verdict;
use crate::world::{Block, BlockKind, Origin, Stream, World};

/// Checks for memory of the wrong device.
#[derive(Debug, Default)]
pub(crate) struct Devices {
    /// Devices, each with one that it may access. The documentation says that this is one-way.
    peers: BTreeSet<(u32, u32)>,
    /// Devices that were opened.
    opened: BTreeSet<u32>,
}

impl Judge for Devices {
    fn sees_requests(&self) -> bool {
        true
    }

    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        match &record.operation {
            Operation::DeviceOpened { device, .. } => {
                self.opened.insert(*device);
            }
            Operation::PeerAccessSet {
                device,
                peer,
                enabled,
            } => {
                let pair = (*device, *peer);
                if *enabled {
                    self.peers.insert(pair);
                } else {
                    self.peers.remove(&pair);
                }
            }
            Operation::DirectionCorrected { stated, to, from } => {
                verdict.report(kind(stated, *to, *from, record));
            }
            // With one device there is no other.
            Operation::Enqueued {
                position, accesses, ..
            } if self.opened.len() > 1 => {
                if let Some(stream) = world.streams.get(position.stream) {
                    self.queued(world, accesses, stream, record, verdict);
                }
            }
            Operation::Moved { accesses, .. } if self.opened.len() > 1 => {
                self.copied(world, accesses, record, verdict);
            }
            _ => {}
        }
    }
}

impl Devices {
    /// Whether work of a device may write memory of another.
    fn writes(&self, device: u32, other: u32) -> bool {
        device == other || self.peers.contains(&(device, other))
    }

    /// Whether bytes of another device may come to a device. The documentation leaves open whether the device that gets or the one
    /// that has them needs the access, so either is enough.
    fn reads(&self, device: u32, other: u32) -> bool {
        self.writes(device, other) || self.peers.contains(&(other, device))
    }

    /// A task of a stream uses memory. Only the first memory of another device is reported.
    fn queued(
        &self,
        world: &World,
        accesses: &Accesses,
        stream: &Stream,
        record: &Record,
        verdict: &mut Verdict,
    ) {
        let device = stream.device;
        let reads = accesses.reads.iter().map(|span| (span, false));
        let writes = accesses.writes.iter().map(|span| (span, true));
        let wrong = reads.chain(writes).find_map(|(span, writes)| {
            let (block, other) = on_device(world, span)?;
            let (may, does) = if writes {
                (self.writes(device, other), "writes")
            } else {
                (self.reads(device, other), "reads")
            };
            (!may).then_some((span, does, block, other))
        });
        let Some((span, does, block, other)) = wrong else {
            return;
        };
        let origin = Origin::of(record);
        let number = origin.stream.unwrap_or_default();
        let message = format!(
            "stream {number} of device {device} {does} {} of device {other}, but access from device {device} to device {other} was not enabled",
            words::place(*span)
        );
        let operation = origin.operation(format!(
            "{} {does} {}",
            noun(accesses.task),
            words::place(*span)
        ));
        let mut finding = Finding::new(&memory::WRONG_DEVICE, message, operation);
        let made = format!("creates stream {number} on device {device}");
        finding.operations.push(stream.made.operation(made));
        report(finding, block, span, (device, other), verdict);
    }

    /// The host copies from one device to another.
    fn copied(&self, world: &World, accesses: &Accesses, record: &Record, verdict: &mut Verdict) {
        for (from, to) in accesses.reads.iter().zip(&accesses.writes) {
            let (Some((_, source)), Some((block, target))) =
                (on_device(world, from), on_device(world, to))
            else {
                continue;
            };
            // Which of the two devices copies is not known.
            if self.reads(source, target) {
                continue;
            }
            let message = format!(
                "{} are copied from device {source} to device {target}, but access between the two was not enabled",
                words::count(from.hull().bytes, "byte")
            );
            let operation =
                Origin::of(record).operation(format!("copy writes {}", words::place(*to)));
            let finding = Finding::new(&memory::WRONG_DEVICE, message, operation);
            report(finding, block, to, (source, target), verdict);
            return;
        }
    }
}

fn report(
    mut finding: Finding,
    block: &Block,
    span: &Span,
    (device, other): (u32, u32),
    verdict: &mut Verdict,
) {
    finding.bytes = Some(span.hull());
    finding.block = Some(block.lifetime());
    finding.missing = Some(format!(
        "no aclrtDeviceEnablePeerAccess from device {device} to device {other}"
    ));
    finding.advice = Some(format!(
        "call aclrtDeviceEnablePeerAccess({other}, 0) with device {device} as the current one, or use memory of device {device}"
    ));
    verdict.report(finding);
}

/// The block that a span begins in, if it is a device's own. What may use a mapping is set for the mapping itself.
fn on_device<'a>(world: &'a World, span: &Span) -> Option<(&'a Block, u32)> {
    let block = world.blocks.find(span.start)?;
    match (block.kind, block.space) {
        (BlockKind::Plain | BlockKind::Pool(_), Space::Device(device)) => Some((block, device)),
        _ => None,
    }
}

fn noun(task: TaskKind) -> &'static str {
    match task {
        TaskKind::Copy => "copy",
        TaskKind::Fill => "fill",
        _ => "operator",
    }
}

fn kind(stated: &str, to: Space, from: Space, record: &Record) -> Finding {
    let call = &record.site.call;
    let message = format!("{call} states a copy {stated}, but the copy goes from {from} to {to}");
    let operation = Origin::of(record).operation(format!("copies {stated}"));
    let mut finding = Finding::new(&memory::COPY_KIND, message, operation);
    finding.advice = Some(
        "pass the kind that matches, or ACL_MEMCPY_DEFAULT, which uses the addresses".to_owned(),
    );
    finding
}
