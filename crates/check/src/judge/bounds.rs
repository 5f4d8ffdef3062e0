//! Work that leaves its block: out of bounds, freed memory, rows that are too wide, and a stated size that the
//! destination does not have.
//!
//! The runtime refuses work that leaves a block, and the record of the refusal says what was requested. Work that
//! it accepts may still use bytes after a block that are not guaranteed.

use std::sync::Arc;

use millpond_trace::{Accesses, Bytes, Operation, Record, Space, Span, TaskKind};

use super::{Judge, families, words};
use crate::rules::memory;
use crate::verdict::Verdict;
use crate::world::{Block, BlockKind, Origin, Turn, World};
use crate::{Finding, ReportedOperation, Rule};

/// Checks where work begins and ends.
#[derive(Debug, Default)]
pub(crate) struct Bounds;

impl Judge for Bounds {
    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        if let Operation::WorkRefused {
            accesses, reason, ..
        } = &record.operation
        {
            let refused = Refused {
                world,
                origin: Origin::of(record),
                accesses,
                reason,
            };
            refused.judge(verdict);
        }
    }

    fn turn(&mut self, world: &World, turn: &Turn, verdict: &mut Verdict) {
        let (accesses, origin) = (&turn.accesses, &turn.origin);
        for (span, block) in turn.reads() {
            let Some(block) = block else { continue };
            if accesses.task != TaskKind::Compute || end(span.hull()) > padded(block) {
                behind(world, Side::reads(span), block, origin, verdict);
            }
        }
        // What a run works in was judged when its allocator gave it.
        for (index, (span, block)) in turn.results().enumerate() {
            let Some(block) = block else { continue };
            let fits = !behind(world, Side::writes(span), block, origin, verdict);
            if fits && index == 0 && accesses.room > span.width {
                room(world, accesses, span, block, origin, verdict);
            }
        }
    }
}

/// One side of some work.
#[derive(Debug, Clone, Copy)]
struct Side {
    verb: &'static str,
    span: Span,
}

impl Side {
    fn reads(span: Span) -> Self {
        Self {
            verb: "reads",
            span,
        }
    }

    fn writes(span: Span) -> Self {
        Self {
            verb: "writes",
            span,
        }
    }

    /// `writes 512 bytes at 0x1200`.
    fn text(self) -> String {
        format!("{} {}", self.verb, words::place(self.span))
    }

    fn operation(self, origin: &Origin) -> ReportedOperation {
        origin.operation(self.text())
    }

    fn finding(
        self,
        rule: &'static Rule,
        message: String,
        origin: &Origin,
        block: &Block,
    ) -> Finding {
        let mut finding = Finding::new(rule, message, self.operation(origin));
        finding.bytes = Some(self.span.hull());
        finding.block = Some(block.lifetime());
        finding
    }
}

fn end(range: Bytes) -> u64 {
    range.start.saturating_add(range.bytes)
}

/// Functions that add padding after a block, and how much. Operators may read it.
const PADDING: u64 = 32;
const PADDED: [&str; 3] = ["aclrtMalloc", "aclrtMallocCached", "acldvppMalloc"];

/// Where the bytes end that an operator may read.
fn padded(block: &Block) -> u64 {
    let until = end(block.usable());
    if PADDED.contains(&&*block.call) {
        until.saturating_add(PADDING).min(block.end())
    } else {
        until
    }
}

/// Where the bytes end that the program may use from a block on. Mappings without a gap between them
/// may be used as one.
fn reach(world: &World, block: &Block) -> u64 {
    let mut until = end(block.usable());
    if matches!(block.kind, BlockKind::Mapping(_)) {
        while let Some(next) = world.blocks.find(until)
            && matches!(next.kind, BlockKind::Mapping(_))
        {
            until = next.end();
        }
    }
    until
}

/// Judges a span that begins in a live block. Returns whether it ends after it.
fn behind(
    world: &World,
    side: Side,
    block: &Arc<Block>,
    origin: &Origin,
    verdict: &mut Verdict,
) -> bool {
    let hull = side.span.hull();
    // Nearly always: it is in the block.
    if end(hull) <= end(block.usable()) {
        return false;
    }
    let until = reach(world, block);
    if end(hull) <= until || !is_the_programs(block) {
        return false;
    }
    let message = format!("{}, {}", side.text(), excess(side.span, until, block));
    let mut finding = side.finding(&memory::OUT_OF_BOUNDS, message, origin, block);
    finding.advice = Some("make the block larger, or access less".to_owned());
    verdict.report(finding);
    true
}

/// How far a span is past the end of a block.
fn excess(span: Span, until: u64, block: &Block) -> String {
    let usable = block.usable().bytes;
    let name = if usable == block.requested {
        words::block(block)
    } else {
        let bytes = words::count(block.requested, "byte");
        let rounded = words::grouped(usable);
        format!("{} ({bytes}, rounded up to {rounded})", block.name())
    };
    if span.rows == 1 {
        let bytes = end(span.hull()) - until.max(span.start);
        let bytes = words::grouped(bytes);
        return format!("{bytes} of them past the end of {name}");
    }
    let row_end = |row: u64| {
        let start = span.start.saturating_add(row.saturating_mul(span.pitch));
        start.saturating_add(span.width)
    };
    // Rows ascend: the first one that ends after the block.
    let room = until.saturating_sub(span.start.saturating_add(span.width));
    let mut row = room.checked_div(span.pitch).map_or(0, |fit| fit + 1);
    if row_end(0) > until {
        row = 0;
    }
    format!(
        "and row {} is the first that ends after {name}, by {}",
        words::grouped(row + 1),
        words::count(row_end(row).saturating_sub(until), "byte")
    )
}

/// What the runtime uses for itself is its own affair.
fn is_the_programs(block: &Block) -> bool {
    block.call.is_empty() || families::hands_out(&block.call)
}

/// Judges the size that the program stated for a destination.
fn room(
    world: &World,
    accesses: &Accesses,
    span: Span,
    block: &Arc<Block>,
    origin: &Origin,
    verdict: &mut Verdict,
) {
    let until = reach(world, block);
    let left = until.saturating_sub(span.start);
    if accesses.room <= left || accesses.task == TaskKind::Compute || !is_the_programs(block) {
        return;
    }
    let side = Side::writes(span);
    let message = format!(
        "{} and states a destination size of {}, but {} has only {} from there on",
        side.text(),
        words::count(accesses.room, "byte"),
        if until > block.end() {
            "what is mapped there".to_owned()
        } else {
            words::block(block)
        },
        words::grouped(left)
    );
    let mut finding = side.finding(&memory::DEST_MAX, message, origin, block);
    finding.bytes = Some(Bytes {
        start: span.start,
        bytes: accesses.room,
    });
    finding.advice =
        Some("pass the number of bytes from the destination to the end of its block".to_owned());
    verdict.report(finding);
}

/// Work that was refused.
struct Refused<'a> {
    world: &'a World,
    origin: Arc<Origin>,
    accesses: &'a Accesses,
    reason: &'a str,
}

/// Blocks further away are not named as the nearest.
const NEAR: u64 = 1 << 30;

/// How a refusal begins that is about where an operand is.
const DIRECTION: &str = "the direction says";

/// How far below a device's first block an address may be and still count as an index below that block.
const BESIDE: u64 = 1 << 20;

impl Refused<'_> {
    fn judge(&self, verdict: &mut Verdict) {
        let reads = self.accesses.reads.iter().copied().map(Side::reads);
        let writes = self.accesses.writes.iter().copied().map(Side::writes);
        let sides = reads.chain(writes);
        if let Some(wide) = sides.clone().find(|side| is_too_wide(side.span)) {
            self.pitch(wide, verdict);
            return;
        }
        let mut found = false;
        for side in sides.filter(|side| side.span.hull().bytes > 0) {
            found |= self.side(side, verdict);
        }
        if let (false, Some(span)) = (found, self.accesses.writes.first())
            && let Some(block) = self.world.blocks.find(span.start)
        {
            room(
                self.world,
                self.accesses,
                *span,
                block,
                &self.origin,
                verdict,
            );
        }
    }

    /// Rows that overlap each other.
    fn pitch(&self, side: Side, verdict: &mut Verdict) {
        let span = side.span;
        let message = format!(
            "{}: a row is {} longer than the pitch",
            side.text(),
            words::count(span.width - span.pitch, "byte")
        );
        let mut finding = Finding::new(&memory::PITCH, message, side.operation(&self.origin));
        finding.bytes = Some(span.hull());
        let block = self.world.blocks.find(span.start);
        finding.block = block.map(|block| block.lifetime());
        finding.advice = Some("pass a pitch that is at least the width".to_owned());
        verdict.report(finding);
    }

    /// Judges one side. Answers whether it is one that no work may have.
    fn side(&self, side: Side, verdict: &mut Verdict) -> bool {
        let start = side.span.start;
        let blocks = &self.world.blocks;
        if let Some(block) = blocks.find(start) {
            return behind(self.world, side, block, &self.origin, verdict);
        }
        // Memory that is not ours may well be the program's own. It is at fault only if the refusal is
        // about it.
        if !self.is_about(start) && !self.is_beside_device_memory(start) {
            return false;
        }
        match blocks.ended_at(start) {
            Some(block) => self.freed(side, block, verdict),
            None => self.nowhere(side, verdict),
        }
        true
    }

    /// Whether the refusal says that there is nothing usable at an address.
    fn is_about(&self, address: u64) -> bool {
        let other = [DIRECTION, "is not a multiple of"];
        self.names(address) && !other.iter().any(|other| self.reason.contains(other))
    }

    /// Whether the refusal takes an address for the program's own memory that is a little before a device's block,
    /// where an index below zero leads. Before a device's first block there is nothing of the device's to tell.
    fn is_beside_device_memory(&self, address: u64) -> bool {
        let near = |block: &Arc<Block>| {
            matches!(block.space, Space::Device(_)) && block.range.start - address < BESIDE
        };
        self.reason.contains(DIRECTION)
            && self.names(address)
            && self.world.blocks.behind(address).is_some_and(near)
    }

    fn names(&self, address: u64) -> bool {
        let hex = format!("{address:#x}");
        let mut parts = self.reason.split(&hex);
        // The address, and not a longer one that begins like it.
        parts.next().is_some()
            && parts.any(|rest| !rest.starts_with(|next: char| next.is_ascii_hexdigit()))
    }

    fn freed(&self, side: Side, block: &Block, verdict: &mut Verdict) {
        let message = format!(
            "{}{} in {}, which was {}",
            side.text(),
            if side.span.rows > 1 { "," } else { "" },
            words::block(block),
            block.ending()
        );
        let mut finding = side.finding(&memory::USE_AFTER_FREE, message, &self.origin, block);
        let ended = block.ended.as_ref();
        finding.operations.extend(
            ended.map(|origin| origin.operation(format!("{} {}", block.ending(), block.name()))),
        );
        let ending = block.ending();
        finding.advice = Some(format!(
            "it was {ending} too early: it must not be {ending} before its last use"
        ));
        verdict.report(finding);
    }

    fn nowhere(&self, side: Side, verdict: &mut Verdict) {
        let hull = side.span.hull();
        let blocks = &self.world.blocks;
        let before = blocks.before(hull.start);
        let before = before.map(|block| (hull.start - block.end(), block, true));
        let behind = blocks.behind(hull.start);
        let behind = behind.map(|block| (block.range.start - hull.start, block, false));
        let nearest = before
            .into_iter()
            .chain(behind)
            .filter(|(distance, _, _)| *distance < NEAR)
            .min_by_key(|(distance, _, _)| *distance);
        let mut message = format!("{}, which is in no block", side.text());
        let mut finding = Finding::new(&memory::OUT_OF_BOUNDS, "", side.operation(&self.origin));
        if let Some((distance, block, is_before)) = nearest {
            let far = words::count(distance, "byte");
            let near = match (is_before, distance) {
                (true, 0) => "just past the end of".to_owned(),
                (true, _) => format!("{far} past the end of"),
                (false, _) => format!("{far} before"),
            };
            message = format!("{message}: {near} {}", words::block(block));
            finding.block = Some(block.lifetime());
        }
        finding.message = message;
        finding.bytes = Some(hull);
        verdict.report(finding);
    }
}

/// Whether rows are longer than the distance between them. A plain range is one row with its own length.
fn is_too_wide(span: Span) -> bool {
    span.rows > 0 && span.width > span.pitch
}
