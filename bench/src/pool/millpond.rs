//! Millpond's own pool: as a policy that is replayed, and as an allocator that is timed.

use millpond_pool::Arena as Cut;

use super::micro::{Each, Timed};
use super::peers::{Arena, PerStream, Touched};

/// Larger than any device.
const BYTES: u64 = 1 << 40;

/// What is replayed.
pub(crate) type Replayed = PerStream<Blocks>;

/// What threads share and is timed.
pub(crate) type Shared = Each<Cut<()>>;

#[derive(Debug)]
pub(crate) struct Blocks {
    arena: Cut<()>,
    touched: Touched,
}

impl Arena for Blocks {
    fn new() -> Result<Self, String> {
        Ok(Self {
            arena: Cut::new(BYTES),
            touched: Touched::default(),
        })
    }

    fn alloc(&mut self, bytes: u64) -> Option<u64> {
        let block = self.arena.alloc(bytes, 1, |()| ()).ok()?;
        self.touched.add(block.offset, block.bytes);
        Some(block.offset)
    }

    fn free(&mut self, start: u64) {
        give_back(&mut self.arena, start);
    }

    fn reserved(&self) -> u64 {
        self.touched.bytes()
    }
}

impl Timed for Shared {
    type Token = u64;

    fn new() -> Result<Self, String> {
        Self::make(|| Ok(Cut::new(BYTES)))
    }

    #[inline]
    fn alloc(&self, stream: u32, bytes: u64) -> Option<u64> {
        let cut = |arena: &mut Cut<()>| arena.alloc(bytes, 1, |()| ()).ok();
        Some(self.with(stream, cut)??.offset)
    }

    #[inline]
    fn free(&self, stream: u32, token: u64) {
        self.with(stream, |arena| give_back(arena, token));
    }
}

fn give_back(arena: &mut Cut<()>, start: u64) {
    if let Ok((block, _bytes)) = arena.retire(start) {
        arena.reclaim(block);
    }
}
