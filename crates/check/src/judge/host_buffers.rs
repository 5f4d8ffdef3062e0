//! Host memory of the program that queued copies use.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use millpond_trace::{Bytes, Position, Span};

use super::history::{Access, Conflict};
use crate::clock::Epoch;
use crate::world::{Turn, World};

/// The uses of such memory by tasks that the host has not waited for.
#[derive(Debug, Default)]
pub(super) struct HostBuffers {
    uses: BTreeMap<Key, Access>,
    /// The oldest first.
    order: VecDeque<Key>,
    /// A bit for each size of which there are some.
    sizes: u64,
    next: u64,
    pub(super) dropped_facts: u64,
}

/// A use by its size, as a power of two, where it starts, and a number: among those of one size only a few are near an
/// address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    size: u32,
    start: u64,
    number: u64,
}

/// Uses that are kept.
const MOST: usize = 1 << 16;

impl HostBuffers {
    /// Work accesses memory of the program. Returns the first use that conflicts with it.
    pub(super) fn touch(
        &mut self,
        world: &World,
        turn: &Turn,
        span: Span,
        writes: bool,
    ) -> Option<Conflict> {
        while let Some(oldest) = self.order.front()
            && self
                .uses
                .get(oldest)
                .is_none_or(|it| world.host_knows(it.position))
        {
            self.forget_oldest();
        }
        let range = span.hull();
        // The bytes between rows may belong to others.
        let dense = span.rows <= 1 || span.pitch <= span.width;
        if !dense {
            return None;
        }
        let conflict = self.near(range).find_map(|other| {
            let bytes = overlap(range, other.range)?;
            let harmless = !(writes || other.writes) || world.ordered(other.epoch(), &turn.clock);
            (!harmless).then(|| Conflict {
                other: other.clone(),
                writes,
                bytes,
                range,
            })
        });
        if let Epoch::Task(position) = turn.epoch {
            if self.order.len() == MOST {
                self.forget_oldest();
                self.dropped_facts += 1;
            }
            self.add(Access {
                position,
                writes,
                task: turn.accesses.task,
                word: false,
                range,
                via: 0,
                origin: Arc::clone(&turn.origin),
            });
        }
        conflict
    }

    fn add(&mut self, access: Access) {
        let size = u64::BITS - 1 - access.range.bytes.max(1).leading_zeros();
        let key = Key {
            size,
            start: access.range.start,
            number: self.next,
        };
        self.next += 1;
        self.sizes |= 1 << size;
        self.order.push_back(key);
        self.uses.insert(key, access);
    }

    fn forget_oldest(&mut self) {
        if let Some(key) = self.order.pop_front() {
            self.uses.remove(&key);
        }
        if self.order.is_empty() {
            self.sizes = 0;
        }
    }

    /// Uses that may have bytes of a range.
    fn near(&self, range: Bytes) -> impl Iterator<Item = &Access> {
        let sizes = (0..u64::BITS).filter(|size| self.sizes >> size & 1 == 1);
        sizes.flat_map(move |size| {
            let key = |start| Key {
                size,
                start,
                number: 0,
            };
            let longest = (2_u64 << size).wrapping_sub(1);
            let first = range.start.saturating_sub(longest);
            let end = range.start.saturating_add(range.bytes);
            let near = self.uses.range(key(first)..key(end.max(first)));
            near.map(|(_, access)| access)
        })
    }

    /// Finds the use of a task.
    pub(super) fn find(&self, position: Position) -> Option<&Access> {
        self.uses.values().find(|it| it.position == position)
    }

    pub(super) fn state_bytes(&self) -> u64 {
        let each = size_of::<Access>() + 2 * size_of::<Key>();
        (self.uses.len() * each) as u64
    }
}

/// The bytes that two ranges share.
pub(crate) fn overlap(one: Bytes, other: Bytes) -> Option<Bytes> {
    let start = one.start.max(other.start);
    let end = one
        .start
        .saturating_add(one.bytes)
        .min(other.start.saturating_add(other.bytes));
    (start < end).then(|| Bytes {
        start,
        bytes: end - start,
    })
}
