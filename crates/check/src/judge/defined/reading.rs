//! Reads, and whether their bytes are defined.

use std::sync::Arc;

use millpond_trace::{Bytes, Span, TaskKind};
use smallvec::SmallVec;

use super::content::ROWS;
use super::place::{owner, stretches};
use super::shadow::{Part, Shadow, SharedCause};
use super::{Defined, words};
use crate::Finding;
use crate::clock::Epoch;
use crate::rules::memory;
use crate::verdict::Verdict;
use crate::world::{Block, BlockKind, Turn, World};

/// Fewer undefined bytes than these at the end of a read, after defined ones, are what rounding
/// leaves: sizes are rounded up to 32 and padded with 32.
const TAIL: u64 = 64;

impl Defined {
    /// What is known of a range, counted from its start. Bytes that lost their content after the work was
    /// asked for had one then.
    pub(super) fn look(
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
                    shadow.look(stretch.from, stretch.until, |(from, until, cause)| {
                        let cause = cause.filter(|it| it.origin.order <= turn.origin.order);
                        let (from, until) = (from - stretch.from, until - stretch.from);
                        parts.push((base + from, base + until, cause));
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

    /// Bytes are read and used.
    pub(super) fn read(
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
        // In a cache only allocated regions have contents; a read elsewhere is reported by its own rule.
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
        // What is after the bytes of a block is out of bounds, and reported as that.
        let limit = match block.kind {
            BlockKind::Mapping(_) => u64::MAX,
            BlockKind::Plain | BlockKind::Pool(_) => {
                let usable = block.usable();
                usable.start.saturating_add(usable.bytes)
            }
        };
        let mut empty = 0_u64;
        let mut first: Option<(Bytes, SharedCause)> = None;
        for mut range in span.ranges() {
            range.bytes = range.bytes.min(limit.saturating_sub(range.start));
            let parts = self.look(world, turn, Some(block), range);
            if is_tail(&parts, range.bytes) {
                continue;
            }
            for (from, until, cause) in parts {
                let Some(cause) = cause else { continue };
                empty = empty.saturating_add(until - from);
                first.get_or_insert_with(|| {
                    let bytes = Bytes {
                        start: range.start.saturating_add(from),
                        bytes: until - from,
                    };
                    (bytes, cause)
                });
            }
        }
        let Some((bytes, cause)) = first else { return };
        // After a host function the work may have to wait for a future write.
        if matches!(turn.epoch, Epoch::Task(_)) && world.streams.functions_pending() {
            return;
        }
        let mut finding = finding(turn, span, block, empty, bytes, &cause);
        if let Some(cached) = world.caching.at(bytes.start) {
            // Who had these bytes before has nothing to do with it.
            if cause.tensor.is_none_or(|tensor| tensor == cached.range) {
                finding.operations.truncate(1);
            }
            finding.block = Some(cached.lifetime());
        }
        let all = span.rows == 1 && empty == span.width && bytes.bytes == empty;
        if let Some(tensor) = cause.tensor
            && all
            && turn.accesses.task == TaskKind::Copy
        {
            self.deferred.add(tensor, finding, verdict);
            return;
        }
        verdict.report(finding);
        // Reported once. What follows from it is not reported again.
        self.define(world, span, Some(block));
    }
}

/// Whether the only bytes without a content are a few at the end.
fn is_tail(parts: &[Part], length: u64) -> bool {
    let first = parts.iter().find(|(_, _, cause)| cause.is_some());
    first.is_some_and(|(from, _, _)| *from > 0 && length - from < TAIL)
}

fn finding(
    turn: &Turn,
    span: Span,
    block: &Block,
    empty: u64,
    bytes: Bytes,
    cause: &SharedCause,
) -> Finding {
    let place = words::place(span);
    let what = match turn.accesses.task {
        TaskKind::Compute if turn.accesses.name.is_empty() => format!("reads {place}"),
        TaskKind::Compute => format!("{} reads {place}", turn.accesses.name),
        _ => format!("copies {place} to the host"),
    };
    let message = format!(
        "{what}, {} of them never written: the first at {:#x} in {}",
        words::grouped(empty),
        bytes.start,
        words::block(block)
    );
    let operation = turn.origin.operation(what);
    let mut finding = Finding::new(&memory::UNINITIALISED_READ, message, operation);
    finding.bytes = Some(bytes);
    finding.block = Some(block.lifetime());
    if !Arc::ptr_eq(&cause.origin, &block.made) {
        let what = match cause.what {
            "unregistered" => "unregistered their region",
            "scratch" => "used them as scratch last",
            _ => "allocated the memory that they were copied from",
        };
        finding.operations.push(cause.origin.operation(what));
    }
    finding.advice = Some("write them first, with a copy, aclrtMemset or an operator".to_owned());
    finding
}
