//! Host memory that is not ours, while queued copies use it.

use std::collections::VecDeque;
use std::sync::Arc;

use millpond_trace::{Bytes, Position, Span};

use super::history::{Access, Conflict};
use crate::clock::Place;
use crate::world::{Turn, World};

/// The uses of such memory by tasks that nobody has waited for.
#[derive(Debug, Default)]
pub(super) struct HostBuffers {
    uses: VecDeque<Access>,
    pub(super) forgotten: u64,
}

/// Uses that are kept.
const MOST: usize = 1024;

impl HostBuffers {
    /// A piece of work touches memory that is not ours. Answers the first use that is in its way.
    pub(super) fn touch(
        &mut self,
        world: &World,
        turn: &Turn,
        span: Span,
        writes: bool,
    ) -> Option<Conflict> {
        while let Some(oldest) = self.uses.front()
            && world.host_knows(oldest.position)
        {
            self.uses.pop_front();
        }
        let range = span.hull();
        // Between rows there may be bytes that somebody else has.
        let dense = span.rows <= 1 || span.pitch <= span.width;
        let conflict = self.uses.iter().filter(|_| dense).find_map(|other| {
            let bytes = overlap(range, other.range)?;
            let harmless = !(writes || other.writes) || world.ordered(other.place(), &turn.clock);
            (!harmless).then(|| Conflict {
                other: other.clone(),
                writes,
                bytes,
                range,
            })
        });
        if let (Place::Task(position), true) = (turn.place, dense) {
            if self.uses.len() == MOST {
                self.uses.pop_front();
                self.forgotten += 1;
            }
            self.uses.push_back(Access {
                position,
                writes,
                task: turn.deed.task,
                range,
                via: 0,
                doer: Arc::clone(&turn.doer),
            });
        }
        conflict
    }

    /// Finds the use of a task.
    pub(super) fn find(&self, position: Position) -> Option<&Access> {
        self.uses.iter().find(|it| it.position == position)
    }

    pub(super) fn books(&self) -> u64 {
        (self.uses.capacity() * size_of::<Access>()) as u64
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
