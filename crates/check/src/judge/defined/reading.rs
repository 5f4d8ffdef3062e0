//! Who looks at bytes, and what they find.

use std::sync::Arc;

use millpond_trace::{Bytes, Span, TaskKind};
use smallvec::SmallVec;

use super::content::ROWS;
use super::place::{owner, stretches};
use super::shadow::{Origin, Part, Shadow};
use super::{Defined, words};
use crate::Finding;
use crate::clock::Place;
use crate::rules::memory;
use crate::verdict::Verdict;
use crate::world::{Block, BlockKind, Turn, World};

/// Fewer bytes than these at the end of a read, behind others that have a content, are what rounding
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
