//! Queued copies from pinned memory, until they are known to have ended. A finding about a changed source must name
//! the copy, even if later copies read the same bytes.

use std::collections::VecDeque;
use std::sync::Arc;

use millpond_trace::{Position, Space, Span, TaskKind};

use super::history::Access;
use crate::clock::Epoch;
use crate::world::{Block, Turn, World};

/// The queued copies, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Sources {
    copies: VecDeque<Access>,
    pub(super) dropped_facts: u64,
}

/// Copies that are kept.
const MOST: usize = 1 << 16;

impl Sources {
    /// Work reads bytes of a block.
    pub(super) fn read(&mut self, world: &World, turn: &Turn, span: Span, block: &Block) {
        let Epoch::Task(position) = turn.epoch else {
            return;
        };
        if block.space != Space::Pinned || turn.accesses.task != TaskKind::Copy {
            return;
        }
        while let Some(oldest) = self.copies.front()
            && world.host_knows(oldest.position)
        {
            self.copies.pop_front();
        }
        if self.copies.len() == MOST {
            self.copies.pop_front();
            self.dropped_facts += 1;
        }
        self.copies.push_back(Access {
            position,
            writes: false,
            task: turn.accesses.task,
            word: false,
            range: span.hull(),
            via: block.number,
            origin: Arc::clone(&turn.origin),
        });
    }

    /// The copy at this position.
    pub(super) fn find(&self, position: Position) -> Option<&Access> {
        self.copies.iter().find(|it| it.position == position)
    }

    pub(super) fn state_bytes(&self) -> u64 {
        (self.copies.capacity() * size_of::<Access>()) as u64
    }
}
