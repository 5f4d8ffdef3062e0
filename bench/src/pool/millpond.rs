//! Millpond's own pool: as a policy that is replayed, and as an allocator that is timed.
//!
//! Both are the pool that a device of 64 GiB has by default (`crates/runtime/src/memory/store.rs`). A second setting is
//! that of a stream-ordered pool (`aclrtMemPool`).

use std::collections::HashMap;
use std::sync::Arc;

use millpond_pool::{Ask, BlockId, Clock, Grant, HOST, Options, Order, Pool, Shard};

use super::fast_map::FastMap;
use super::micro::Timed;
use super::policy::Policy;

const DEVICE: u64 = 64 << 30;
/// Its addresses, and those of its windows.
const BYTES: u64 = 2 * DEVICE + (1 << 30);
const WINDOWS: u64 = DEVICE;

/// What a device has by default.
pub(crate) const DEFAULT: Options = Options {
    windows: WINDOWS,
    limit: DEVICE,
    freely: DEVICE / 1024,
    floor: DEVICE / 32,
    exact_peak: true,
    ..Options::new(BYTES)
};

/// What a stream-ordered pool of that device has: it reuses before it grows, and has no windows.
const MEMORY_POOL: Options = Options {
    windows: 0,
    slack: 0,
    freely: 0,
    floor: 0,
    ..DEFAULT
};

/// What is replayed.
#[derive(Debug)]
pub(crate) struct Replayed {
    pool: Pool,
    /// By number.
    streams: Vec<Option<Stream>>,
    /// Up to which position the host has waited for each stream.
    passed: FastMap<u64>,
    events: HashMap<u32, Clock>,
    /// The other streams that use a block.
    users: FastMap<Vec<u32>>,
}

#[derive(Debug)]
struct Stream {
    shard: Arc<Shard>,
    clock: Clock,
    position: u64,
}

/// What a stream knows: see [`Order`].
struct Known<'a> {
    stream: &'a Stream,
    passed: &'a FastMap<u64>,
}

impl Order for Known<'_> {
    fn known(&self, stream: u64) -> u64 {
        self.stream.clock.of(stream)
    }

    fn passed(&self, stream: u64) -> u64 {
        self.passed.get(&stream).copied().unwrap_or(0)
    }

    fn now(&self) -> u64 {
        self.stream.position
    }
}

impl Replayed {
    /// As a device has it by default.
    pub(crate) fn new() -> Self {
        Self::with(DEFAULT)
    }

    /// As a stream-ordered pool has it.
    pub(crate) fn of_a_memory_pool() -> Self {
        Self::with(MEMORY_POOL)
    }

    pub(crate) fn with(options: Options) -> Self {
        Self {
            pool: Pool::new(options),
            streams: Vec::new(),
            passed: FastMap::default(),
            events: HashMap::new(),
            users: FastMap::default(),
        }
    }

    /// The stream, one position further.
    fn step(&mut self, stream: u32) -> &mut Stream {
        let at = stream as usize;
        if at >= self.streams.len() {
            self.streams.resize_with(at + 1, || None);
        }
        let pool = &self.pool;
        let known = self.streams[at].get_or_insert_with(|| Stream {
            shard: pool.shard(number(stream)).expect("few streams"),
            clock: Clock::default(),
            position: 0,
        });
        known.position += 1;
        known
    }

    fn known(&self, stream: u32) -> Option<&Stream> {
        self.streams.get(stream as usize)?.as_ref()
    }
}

/// Streams of the pool are numbered from 1.
fn number(stream: u32) -> u64 {
    u64::from(stream) + 1 + HOST
}

impl Policy for Replayed {
    fn alloc(&mut self, stream: u32, bytes: u64) -> Option<u64> {
        if self.known(stream).is_none() {
            self.step(stream);
        }
        let stream = self.known(stream)?;
        let ask = Ask::of(bytes);
        if let Some(quick) = self.pool.alloc(&stream.shard, &ask) {
            return Some(quick.offset);
        }
        let passed = &self.passed;
        let order = Known { stream, passed };
        let grant = self.pool.alloc_slow(&stream.shard, &ask, &order).ok()?;
        Some(settled(&self.pool, grant, &order).offset)
    }

    fn free(&mut self, offset: u64, stream: u32) {
        let users = if self.users.is_empty() {
            None
        } else {
            self.users.remove(&offset)
        };
        for user in users.unwrap_or_default() {
            let position = self.step(user).position;
            let passed = |stream| self.passed.get(&stream).copied().unwrap_or(0);
            let noted = self
                .pool
                .check(offset, 1, Some((number(user), position)), passed);
            assert!(noted == Ok(Ok(())), "a live block");
        }
        let by = (number(stream), self.step(stream).position);
        let passed = |stream| self.passed.get(&stream).copied().unwrap_or(0);
        let shard = self.known(stream).map(|stream| &stream.shard);
        let freed = self.pool.free(
            shard.unwrap_or(self.pool.host()),
            offset,
            None,
            Some(by),
            passed,
            |_, _| {},
        );
        assert!(freed.is_ok(), "a live block");
    }

    fn record_use(&mut self, offset: u64, stream: u32) {
        let users = self.users.entry(offset).or_default();
        if !users.contains(&stream) {
            users.push(stream);
        }
    }

    fn record_event(&mut self, event: u32, stream: u32) {
        let stream_number = number(stream);
        let stream = self.step(stream);
        let mut clock = stream.clock.clone();
        clock.learn(stream_number, stream.position);
        self.events.insert(event, clock);
    }

    fn wait_event(&mut self, event: u32, stream: u32) {
        if let Some(captured) = self.events.get(&event).cloned() {
            self.step(stream).clock.merge(&captured);
        }
    }

    fn synchronize(&mut self, stream: u32) {
        let position = self.step(stream).position;
        self.passed.insert(number(stream), position);
    }

    fn reserved(&self) -> u64 {
        self.pool.reserved()
    }

    fn pages_moved(&self) -> u64 {
        self.pool.pages_moved()
    }
}

/// Does what a grant needs; there is no device that could refuse.
fn settled(pool: &Pool, mut grant: Grant, order: &dyn Order) -> Grant {
    if let Some(growth) = grant.growth.take() {
        pool.grown(*growth);
    }
    if grant.decays {
        for leaving in pool.begin_decay(order) {
            pool.end_return(&leaving, true);
        }
    }
    grant
}

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
        Some(settled(&self.pool, grant, &Apart).id)
    }

    #[inline(always)]
    fn free(&self, stream: u32, token: BlockId) {
        let shard = &self.shards[stream as usize % STREAMS];
        let by = (number(stream), 1);
        let freed = self.pool.free_block(shard, token, Some(by), |_| 0);
        assert!(freed.is_ok(), "a live block");
    }
}

#[cfg(test)]
#[path = "millpond_tests.rs"]
mod tests;
