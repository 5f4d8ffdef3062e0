//! What is known of the order of streams when the pool asks.

use millpond_pool::Order;

use super::Arena;

/// What epochs have shown. Waits of streams for each other are not visible, so all streams know the same.
pub(super) struct View<'a> {
    arena: &'a Arena,
    now: u64,
}

impl Arena {
    pub(super) fn order(&self, now: u64) -> View<'_> {
        View { arena: self, now }
    }
}

impl Order for View<'_> {
    fn known(&self, stream: u64) -> u64 {
        self.arena.passed(stream)
    }

    fn passed(&self, stream: u64) -> u64 {
        self.arena.passed(stream)
    }

    fn now(&self) -> u64 {
        self.now
    }
}

/// Knows nothing of other streams, so that no memory of theirs is offered.
pub(super) struct Blind;

impl Order for Blind {
    fn known(&self, _: u64) -> u64 {
        0
    }

    fn passed(&self, _: u64) -> u64 {
        0
    }

    fn now(&self) -> u64 {
        1
    }
}
