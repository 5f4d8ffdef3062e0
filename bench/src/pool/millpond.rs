//! Millpond's own policy, as a replayed one.

use millpond_pool::Arena as Cut;

use super::peers::{Arena, PerStream, Touched};

/// Larger than any device.
const BYTES: u64 = 1 << 40;

pub(crate) type Millpond = PerStream<Blocks>;

#[derive(Debug)]
pub(crate) struct Blocks {
    arena: Cut<()>,
    touched: Touched,
}

impl Blocks {
    /// A block, without a look at its pages.
    #[inline]
    pub(crate) fn cut(&mut self, bytes: u64) -> Option<u64> {
        let block = self.arena.alloc(bytes, 1, |()| ()).ok()?;
        Some(block.offset)
    }
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
        if let Ok((block, _bytes)) = self.arena.retire(start) {
            self.arena.reclaim(block);
        }
    }

    fn reserved(&self) -> u64 {
        self.touched.bytes()
    }
}
