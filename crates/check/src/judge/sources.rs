//! Copies that were queued from pinned memory, until they are known to have passed: what tells of a source that changed
//! has to name the copy, also where later ones read the same bytes.

use std::collections::VecDeque;
use std::sync::Arc;

use millpond_trace::{Position, Space, Span, TaskKind};

use super::history::Access;
use crate::clock::Place;
use crate::world::{Block, Turn, World};

/// The queued copies, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Sources {
    copies: VecDeque<Access>,
    pub(super) forgotten: u64,
}

/// Copies that are kept.
const MOST: usize = 1 << 16;

impl Sources {
    /// A piece of work reads bytes of a block.
    pub(super) fn read(&mut self, world: &World, turn: &Turn, span: Span, block: &Block) {
        let Place::Task(position) = turn.place else {
            return;
        };
        if block.space != Space::Pinned || turn.deed.task != TaskKind::Copy {
            return;
        }
        while let Some(oldest) = self.copies.front()
            && world.host_knows(oldest.position)
        {
            self.copies.pop_front();
        }
        if self.copies.len() == MOST {
            self.copies.pop_front();
            self.forgotten += 1;
        }
        self.copies.push_back(Access {
            position,
            writes: false,
            task: turn.deed.task,
            range: span.hull(),
            via: block.number,
            doer: Arc::clone(&turn.doer),
        });
    }

    /// The copy with this place.
    pub(super) fn find(&self, position: Position) -> Option<&Access> {
        self.copies.iter().find(|it| it.position == position)
    }

    pub(super) fn books(&self) -> u64 {
        (self.copies.capacity() * size_of::<Access>()) as u64
    }
}
