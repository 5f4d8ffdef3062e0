//! An arena for each stream, for allocators that know no streams.
//!
//! A program that uses one with streams keeps an arena for each and gives a block back when it sees that other streams have
//! passed it, so that is what [`PerStream`] does.

use crate::pending::Pending;
use crate::policy::Policy;

/// Room between the arenas of two streams.
const ARENA_SHIFT: u32 = 56;

/// Cuts blocks from a range, for one stream.
pub trait Arena: Sized {
    /// One that holds nothing yet.
    fn new() -> Result<Self, String>;
    /// Where the block starts in this arena.
    fn alloc(&mut self, bytes: u64) -> Option<u64>;
    /// The block that starts there is no longer used.
    fn free(&mut self, start: u64);
    /// Gives back what no block lies on, if it can.
    fn trim(&mut self) {}
    /// How often the device was called so far.
    fn device_calls(&self) -> u64 {
        0
    }
    /// Bytes of device memory held now.
    fn reserved(&self) -> u64;
}

/// An arena for each stream.
#[derive(Debug)]
pub struct PerStream<A> {
    arenas: Vec<A>,
    pending: Pending,
    limit: u64,
}

impl<A: Arena> PerStream<A> {
    /// On a device of `limit` bytes.
    pub fn new(limit: u64) -> Self {
        Self {
            arenas: Vec::new(),
            pending: Pending::default(),
            limit,
        }
    }

    fn give_back(&mut self, offset: u64) {
        let arena = usize::try_from(offset >> ARENA_SHIFT).unwrap_or(usize::MAX);
        if let Some(arena) = self.arenas.get_mut(arena) {
            arena.free(offset & ((1 << ARENA_SHIFT) - 1));
        }
    }
}

impl<A: Arena> Policy for PerStream<A> {
    fn alloc(&mut self, stream: u32, bytes: u64) -> Option<u64> {
        for passed in self.pending.take_ready() {
            self.give_back(passed);
        }
        while self.arenas.len() <= stream as usize {
            self.arenas.push(A::new().ok()?);
        }
        let start = self.arenas[stream as usize].alloc(bytes)?;
        if self.limit < u64::MAX && self.reserved() > self.limit {
            self.arenas[stream as usize].free(start);
            return None;
        }
        Some(u64::from(stream) << ARENA_SHIFT | start)
    }

    fn free(&mut self, offset: u64, _stream: u32) {
        let owner = u32::try_from(offset >> ARENA_SHIFT).unwrap_or(u32::MAX);
        if self.pending.free(offset, owner) {
            self.give_back(offset);
        }
    }

    fn free_held(&mut self, offset: u64, _stream: u32) {
        self.pending.hold(offset);
    }

    fn settled(&mut self, offset: u64) {
        self.pending.settled(offset);
    }

    fn record_use(&mut self, offset: u64, stream: u32) {
        self.pending.record_use(offset, stream);
    }

    fn synchronize(&mut self, stream: u32) {
        self.pending.synchronize(stream);
    }

    fn begin(&mut self, mark: u64) {
        self.pending.begin(mark);
    }

    fn completed(&mut self, stream: u32, mark: u64) {
        self.pending.completed(stream, mark);
    }

    fn reserved(&self) -> u64 {
        self.arenas.iter().map(A::reserved).sum()
    }

    fn device_calls(&self) -> u64 {
        self.arenas.iter().map(A::device_calls).sum()
    }

    fn lift_limit(&mut self) {
        self.limit = u64::MAX;
    }

    fn trim(&mut self) {
        for passed in self.pending.take_ready() {
            self.give_back(passed);
        }
        for arena in &mut self.arenas {
            arena.trim();
        }
    }
}
