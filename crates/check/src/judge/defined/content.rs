//! Which operations define bytes, and which propagate undefined ones.

use std::sync::Arc;

use millpond_trace::{Bytes, Space, Span};

use super::Defined;
use super::place::{Stretch, owner, stretches};
use super::shadow::{Part, SharedCause};
use crate::verdict::Verdict;
use crate::world::{Block, BlockKind, Turn, World};

/// Rows that are followed one by one.
pub(super) const ROWS: u64 = 1 << 15;

/// Rows across several mappings that are.
const ROWS_MAPPED: u64 = 4096;

impl Defined {
    pub(super) fn set(&mut self, stretch: Stretch, cause: Option<&SharedCause>) {
        let Some(shadow) = self.shadows.get_mut(&stretch.owner) else {
            return;
        };
        if shadow.given_up() || (cause.is_none() && shadow.is_whole()) {
            return;
        }
        shadow.set(stretch.from, stretch.until, cause);
        self.dropped_facts += u64::from(shadow.given_up());
    }

    /// All bytes of a span get a content. So do those between rows, where there are very many.
    pub(super) fn define(&mut self, world: &World, span: Span, block: Option<&Arc<Block>>) {
        if !self.follows(block) {
            return;
        }
        let rows = span.ranges().map(|range| (range, None));
        if let Some(block) = block.filter(|block| is_in_rows(span, block)) {
            self.set_rows(block, rows);
            return;
        }
        if span.rows > ROWS_MAPPED {
            self.define_range(world, span.hull(), block);
            return;
        }
        for (range, _) in rows {
            self.define_range(world, range, block);
        }
    }

    /// Sets what is known of many ranges of one block, in ascending order.
    pub(super) fn set_rows(
        &mut self,
        block: &Block,
        rows: impl Iterator<Item = (Bytes, Option<SharedCause>)>,
    ) {
        let Some(shadow) = self.shadows.get_mut(&owner(block)) else {
            return;
        };
        if shadow.given_up() {
            return;
        }
        let inside = |(range, cause): (Bytes, Option<SharedCause>)| {
            let from = range.start - block.range.start;
            (from, from + range.bytes, cause)
        };
        let rows: Vec<Part> = rows.map(inside).collect();
        shadow.set_all(&rows);
        self.dropped_facts += u64::from(shadow.given_up());
    }

    pub(super) fn define_range(&mut self, world: &World, range: Bytes, block: Option<&Arc<Block>>) {
        for stretch in stretches(world, block, range) {
            self.set(stretch, None);
        }
    }

    /// An operator or a model wrote its results.
    pub(super) fn results(&mut self, world: &World, turn: &Turn) {
        // A dynamic model reports its output shape, so the program knows how much was computed.
        let exact = turn.accesses.model != 0 && !turn.accesses.geared;
        for (span, block) in turn.results() {
            if exact {
                self.define(world, span, block);
            } else {
                self.produce(world, span, block);
            }
        }
    }

    /// A result whose buffer may be larger, of an operator or of a model with gears. How large is not known: a program that
    /// gets all of it back does nothing wrong.
    pub(super) fn produce(&mut self, world: &World, span: Span, block: Option<&Arc<Block>>) {
        let Some(shadow) = block.and_then(|block| self.shadows.get(&owner(block))) else {
            return;
        };
        let Some(block) = block.filter(|_| !shadow.annotated) else {
            self.define(world, span, block);
            return;
        };
        let range = Bytes {
            start: span.start,
            bytes: block.end().saturating_sub(span.start),
        };
        self.define_range(world, range, Some(block));
    }

    /// Whether anything is known of the bytes of a block.
    pub(super) fn follows(&self, block: Option<&Arc<Block>>) -> bool {
        block.is_some_and(|block| {
            // A mapping may go over into one of a piece that is followed.
            matches!(block.kind, BlockKind::Mapping(_)) || self.shadows.contains_key(&owner(block))
        })
    }

    /// A copy: the host must get defined bytes; a device gets the state of the source.
    pub(super) fn copy(
        &mut self,
        world: &World,
        turn: &Turn,
        (from, source): (Span, Option<&Arc<Block>>),
        (to, target): (Span, Option<&Arc<Block>>),
        verdict: &mut Verdict,
    ) {
        if !self.follows(source) {
            self.define(world, to, target);
            return;
        }
        let to_device = target.is_some_and(|block| matches!(block.space, Space::Device(_)));
        if !to_device {
            if !self.is_saved(world, from, source) {
                self.read(world, turn, from, source, verdict);
            }
            return;
        }
        if !self.follows(target) {
            return;
        }
        if from.rows != to.rows || from.width != to.width {
            self.define(world, to, target);
            return;
        }
        let in_rows = target.filter(|block| is_in_rows(to, block));
        if from.rows > if in_rows.is_some() { ROWS } else { ROWS_MAPPED } {
            self.define(world, to, target);
            return;
        }
        let mut parts = Vec::new();
        for row in 0..from.rows {
            let at = |span: Span| Bytes {
                start: span.start.saturating_add(row.saturating_mul(span.pitch)),
                bytes: span.width,
            };
            let start = at(to).start;
            for (from, until, cause) in self.look(world, turn, source, at(from)) {
                let range = Bytes {
                    start: start.saturating_add(from),
                    bytes: until - from,
                };
                parts.push((range, cause));
            }
        }
        if let Some(block) = in_rows {
            self.set_rows(block, parts.into_iter());
            return;
        }
        for (range, cause) in parts {
            for stretch in stretches(world, target, range) {
                self.set(stretch, cause.as_ref());
            }
        }
    }

    /// Whether a copy saves memory that somebody cuts up: all of it, with what is not handed out at the time. Nobody looks at
    /// those bytes.
    pub(super) fn is_saved(&self, world: &World, span: Span, block: Option<&Arc<Block>>) -> bool {
        let Some(shadow) = block.and_then(|block| self.shadows.get(&owner(block))) else {
            return false;
        };
        shadow.annotated && world.is_whole(span.hull())
    }

    /// An operator moves values. Which ones come where is not known: what it gives has no content only if nothing
    /// that it got had.
    pub(super) fn carry(&mut self, world: &World, turn: &Turn) {
        let mut empty = None;
        for (span, block) in turn.reads() {
            for (_, _, cause) in self.look(world, turn, block, span.hull()) {
                if cause.is_none() {
                    self.results(world, turn);
                    return;
                }
                empty = cause;
            }
        }
        for (span, block) in turn.results() {
            if empty.is_none() || span.rows > ROWS {
                self.produce(world, span, block);
                continue;
            }
            for range in span.ranges() {
                for stretch in stretches(world, block, range) {
                    self.set(stretch, empty.as_ref());
                }
            }
        }
    }
}

/// Whether a span is many rows of one block, beside each other, and not too many.
fn is_in_rows(span: Span, block: &Block) -> bool {
    let hull = span.hull();
    let inside =
        hull.start >= block.range.start && hull.start.saturating_add(hull.bytes) <= block.end();
    span.rows > 1 && span.rows <= ROWS && span.pitch > span.width && inside
}
