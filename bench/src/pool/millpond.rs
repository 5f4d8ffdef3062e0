//! Millpond's own pool as an allocator that is timed, with the options of the memory part.

use std::sync::Arc;

use millpond_pool::{Ask, BlockId, Options, Order, Pool, Shard};
use millpond_replay::policies::millpond::{DEFAULT, MEMORY_POOL, number, settled};

use super::micro::Timed;

/// What threads share and is timed.
#[derive(Debug)]
pub(crate) struct Shared {
    pool: Pool,
    shards: [Arc<Shard>; STREAMS],
}

const STREAMS: usize = 2;

/// Streams that are never more than one position apart.
struct Apart;

impl Order for Apart {
    fn known(&self, _stream: u64) -> u64 {
        0
    }

    fn passed(&self, _stream: u64) -> u64 {
        0
    }

    fn now(&self) -> u64 {
        1
    }
}

impl Shared {
    pub(crate) fn with(options: Options) -> Self {
        let pool = Pool::new(options);
        let shards = [0, 1].map(|stream| pool.shard(number(stream)).expect("few streams"));
        Self { pool, shards }
    }

    /// As a stream-ordered pool has it.
    pub(crate) fn of_a_memory_pool() -> Self {
        Self::with(MEMORY_POOL)
    }
}

impl Timed for Shared {
    type Token = BlockId;

    fn new() -> Result<Self, String> {
        Ok(Self::with(DEFAULT))
    }

    #[inline(always)]
    fn alloc(&self, stream: u32, bytes: u64) -> Option<BlockId> {
        let shard = &self.shards[stream as usize % STREAMS];
        if let Some(quick) = self.pool.alloc(shard, &Ask::of(bytes)) {
            return Some(quick.id);
        }
        // A request of its own, so that the usual one need not be in memory.
        let ask = Ask::of(bytes);
        let grant = self.pool.alloc_slow(shard, &ask, &Apart).ok()?;
        Some(settled(&self.pool, grant, &Apart).0.id)
    }

    #[inline(always)]
    fn free(&self, stream: u32, token: BlockId) {
        let shard = &self.shards[stream as usize % STREAMS];
        let by = (number(stream), 1);
        let freed = self.pool.free_block(shard, token, Some(by), |_| 0);
        assert!(freed.is_ok(), "a live block");
    }
}
