//! Invalid frees: of memory that was freed before or never allocated, and by the wrong function.

use std::sync::Arc;

use millpond_trace::{Operation, Record, Space};

use super::families::Family;
use super::{Judge, words};
use crate::rules::memory;
use crate::verdict::Verdict;
use crate::world::{Block, BlockKind, Origin, World};
use crate::{Finding, ReportedOperation, Rule};

/// Judges frees, refused ones and others.
#[derive(Debug, Default)]
pub(crate) struct Frees;

impl Judge for Frees {
    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        match &record.operation {
            Operation::Freed { .. } | Operation::Unmapped { .. } => {
                let call = &record.site.call;
                for block in world.blocks.ended_now() {
                    // Most frees are right. Blocks also end inside other calls, which free nothing.
                    let family = family(block);
                    let wrong = !family.is_ended_by(call) && Family::ends_something(call);
                    if wrong && block.ended.is_some() {
                        Freeing::new(world, record, block.range.start).wrong(block, verdict);
                    }
                }
            }
            Operation::FreeRefused { address, reason } if *address != 0 => {
                let freeing = Freeing::new(world, record, *address);
                match &*record.site.call {
                    "aclrtFreePhysical" => freeing.handle_refused(reason, verdict),
                    _ => freeing.refused(verdict),
                }
            }
            Operation::MappingRefused { address, .. } if *address != 0 => {
                let freeing = Freeing::new(world, record, *address);
                match &*record.site.call {
                    "aclrtUnmapMem" => freeing.refused(verdict),
                    "aclrtReleaseMemAddress" => freeing.release_refused(verdict),
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// What a block is, by the function that made it or else by where it is.
fn family(block: &Block) -> &'static Family {
    let by_kind = match (block.kind, block.space) {
        (BlockKind::Mapping(_), _) => "aclrtMapMem",
        (BlockKind::Pool(_), _) => "aclrtMemPoolMallocAsync",
        (BlockKind::Plain, Space::Pinned) => "aclrtMallocHost",
        (BlockKind::Plain, _) => "aclrtMalloc",
    };
    let made = Family::made_by(&block.call).or_else(|| Family::made_by(by_kind));
    made.unwrap_or(&super::families::DEVICE)
}

/// Something that the program frees.
struct Freeing<'a> {
    world: &'a World,
    origin: Arc<Origin>,
    address: u64,
}

impl<'a> Freeing<'a> {
    fn new(world: &'a World, record: &Record, address: u64) -> Self {
        Self {
            world,
            origin: Origin::of(record),
            address,
        }
    }

    /// What the program did: `frees 0x1200`.
    fn text(&self) -> String {
        let verb = match &*self.origin.site.call {
            "aclrtUnmapMem" => "unmaps",
            "aclrtReleaseMemAddress" => "releases",
            _ => "frees",
        };
        format!("{verb} {:#x}", self.address)
    }

    fn finding(&self, rule: &'static Rule, rest: &str, block: Option<&Block>) -> Finding {
        let message = format!("{}{rest}", self.text());
        let mut finding = Finding::new(rule, message, self.origin.operation(self.text()));
        finding.block = block.map(Block::lifetime);
        finding
    }

    fn refused(&self, verdict: &mut Verdict) {
        let blocks = &self.world.blocks;
        if let Some(block) = blocks.find(self.address) {
            if block.range.start != self.address {
                self.interior(block, verdict);
            } else if !family(block).is_ended_by(&self.origin.site.call) {
                self.wrong(block, verdict);
            }
            return;
        }
        if self.reserved(verdict) {
            return;
        }
        match blocks.ended_at(self.address) {
            Some(block) if block.range.start == self.address => self.twice(block, verdict),
            Some(block) => {
                let rest = format!(
                    ", which is not a block: it is in {}, which was {}",
                    words::block(block),
                    block.ending()
                );
                verdict.report(self.finding(&memory::UNKNOWN_FREE, &rest, Some(block)));
            }
            None => self.unknown(verdict),
        }
    }

    /// What should have been the handle of physical memory.
    fn handle_refused(&self, reason: &str, verdict: &mut Verdict) {
        if let Some(block) = self.world.blocks.find(self.address) {
            self.wrong(block, verdict);
        } else if reason.contains("has been destroyed") {
            let rest = ", but this physical memory was freed already";
            verdict.report(self.finding(&memory::DOUBLE_FREE, rest, None));
        } else {
            let rest = ", which is not physical memory";
            verdict.report(self.finding(&memory::UNKNOWN_FREE, rest, None));
        }
    }

    /// An address inside a block.
    fn interior(&self, block: &Block, verdict: &mut Verdict) {
        let rest = format!(
            ", which is {} after the start of {}",
            words::count(self.address - block.range.start, "byte"),
            words::block(block)
        );
        let mut finding = self.finding(&memory::INTERIOR_FREE, &rest, Some(block));
        finding.advice = Some(format!(
            "pass {:#x}, the address that its allocation returned",
            block.range.start
        ));
        verdict.report(finding);
    }

    /// Memory of another kind.
    fn wrong(&self, block: &Block, verdict: &mut Verdict) {
        let family = family(block);
        let rest = format!(", but {} is {}", words::block(block), family.what);
        let mut finding = self.finding(&memory::WRONG_FREE, &rest, Some(block));
        finding.advice = advice(family, &block.call);
        verdict.report(finding);
    }

    /// A block that ended.
    fn twice(&self, block: &Block, verdict: &mut Verdict) {
        let Some(ended) = &block.ended else { return };
        let call = &ended.site.call;
        // With its context the device's memory went. Whether a program may still say that it frees it is
        // not written anywhere.
        if call.contains("Context") {
            return;
        }
        let by = match block.ending() {
            "released" => format!(", but {call} released {} already", words::block(block)),
            ending => format!(", but {} was {ending} already", words::block(block)),
        };
        let mut finding = self.finding(&memory::DOUBLE_FREE, &by, Some(block));
        let first = format!("{} {} before", block.ending(), block.name());
        finding.operations.push(ended.operation(first));
        finding.advice = Some("free it once, and set the pointer to NULL afterwards".to_owned());
        verdict.report(finding);
    }

    fn unknown(&self, verdict: &mut Verdict) {
        let rest = ", which no allocation returned";
        let mut finding = self.finding(&memory::UNKNOWN_FREE, rest, None);
        finding.advice = Some(
            "free what an allocation returned; use free() for the program's own memory".to_owned(),
        );
        verdict.report(finding);
    }

    /// Reserved addresses with nothing mapped there. Answers whether they are.
    fn reserved(&self, verdict: &mut Verdict) -> bool {
        let Some(reservation) = self.world.addresses.reserved_at(self.address) else {
            return false;
        };
        let mapped_before = self.world.blocks.ended_at(self.address);
        if self.origin.site.call == "aclrtUnmapMem" {
            match mapped_before {
                Some(block) if block.range.start == self.address => self.twice(block, verdict),
                _ => {
                    let rest = ", where nothing is mapped";
                    let finding = self.finding(&memory::UNKNOWN_FREE, rest, None);
                    verdict.report(with_second(finding, reservation.made.operation("reserved")));
                }
            }
            return true;
        }
        let rest = ", which are reserved addresses, not a block";
        let finding = self.finding(&memory::WRONG_FREE, rest, None);
        let mut finding = with_second(finding, reservation.made.operation("reserved"));
        finding.advice = Some("release reserved addresses with aclrtReleaseMemAddress".to_owned());
        verdict.report(finding);
        true
    }

    /// Addresses that were not given up.
    fn release_refused(&self, verdict: &mut Verdict) {
        let addresses = &self.world.addresses;
        if let Some(reservation) = addresses.reserved_at(self.address) {
            // With mappings left it is refused too, and they are found as left behind in the end.
            if reservation.range.start != self.address {
                let rest = format!(
                    ", which is {} after the start of the addresses reserved at {:#x}",
                    words::count(self.address - reservation.range.start, "byte"),
                    reservation.range.start
                );
                let finding = self.finding(&memory::INTERIOR_FREE, &rest, None);
                verdict.report(with_second(finding, reservation.made.operation("reserved")));
            }
            return;
        }
        if let Some(block) = self.world.blocks.find(self.address) {
            self.wrong(block, verdict);
            return;
        }
        let released = addresses.released_at(self.address);
        match released.and_then(|it| Some((it, it.ended.as_ref()?))) {
            Some((reservation, ended)) if reservation.range.start == self.address => {
                let rest = ", but these addresses were released already";
                let finding = self.finding(&memory::DOUBLE_FREE, rest, None);
                verdict.report(with_second(
                    finding,
                    ended.operation("released them before"),
                ));
            }
            _ => {
                let rest = ", which no reservation returned";
                verdict.report(self.finding(&memory::UNKNOWN_FREE, rest, None));
            }
        }
    }
}

/// Which functions belong to what the program has.
fn advice(family: &Family, maker: &str) -> Option<String> {
    let ender = family.enders.first()?;
    Some(if maker.is_empty() {
        format!("free {} with {ender}", family.what)
    } else {
        format!("use {ender} for memory of {maker}")
    })
}

fn with_second(mut finding: Finding, operation: ReportedOperation) -> Finding {
    finding.operations.push(operation);
    finding
}
