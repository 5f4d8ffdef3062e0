//! The offset-allocator crate, over a range of addresses larger than any device.

use offset_allocator::{Allocation, Allocator};

use millpond_replay::fast_map::FastMap;
use millpond_replay::policies::per_stream::Arena;
use millpond_replay::policies::touched::Touched;

/// The crate counts in 32-bit units; these make 1 TiB of them.
pub(crate) const UNIT: u64 = 512;
const UNITS: u32 = 1 << 31;
const MOST_BLOCKS: u32 = 1 << 18;

pub(crate) fn units(bytes: u64) -> Option<u32> {
    u32::try_from(bytes.div_ceil(UNIT)).ok()
}

/// The crate's allocator over the whole range.
pub(crate) fn allocator() -> Allocator {
    Allocator::with_max_allocs(UNITS, MOST_BLOCKS)
}

pub(crate) struct Offset {
    allocator: Allocator,
    live: FastMap<Allocation>,
    touched: Touched,
}

impl Arena for Offset {
    fn new() -> Result<Self, String> {
        Ok(Self {
            allocator: allocator(),
            live: FastMap::default(),
            touched: Touched::default(),
        })
    }

    fn alloc(&mut self, bytes: u64) -> Option<u64> {
        let block = self.allocator.allocate(units(bytes)?)?;
        let start = u64::from(block.offset) * UNIT;
        self.live.insert(start, block);
        self.touched.add(start, bytes);
        Some(start)
    }

    fn free(&mut self, start: u64) {
        if let Some(block) = self.live.remove(&start) {
            self.allocator.free(block);
        }
    }

    fn reserved(&self) -> u64 {
        self.touched.bytes()
    }
}
