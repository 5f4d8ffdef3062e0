//! Millpond's own pool: as a policy that is replayed, and as an allocator that is timed.
//!
//! Replayed, it stands on a device that can show a page at two addresses and economises from the
//! first byte, because memory is all that is judged there. Timed, it is the pool of a device of 64
//! GiB, which does not economise while it holds less than twice what is needed and than a quarter of
//! that.

use std::collections::HashMap;
use std::sync::Arc;

use millpond_pool::{Ask, BlockId, Clock, Grant, HOST, Options, Order, Pool, Shard};

use super::micro::Timed;
use super::policy::Policy;

/// Larger than any device.
const BYTES: u64 = 1 << 42;
const DEVICE: u64 = 64 << 30;
/// What a device of that size holds before it economises.
const FLOOR: u64 = DEVICE / 4;

/// What is replayed.
#[derive(Debug)]
pub(crate) struct Replayed {
    pool: Pool,
    streams: HashMap<u32, Stream>,
    /// Up to which position the host has waited for each stream.
    passed: HashMap<u64, u64>,
    events: HashMap<u32, Clock>,
    /// The other streams that use a block.
    users: HashMap<u64, Vec<u32>>,
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
    passed: &'a HashMap<u64, u64>,
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
    pub(crate) fn new() -> Self {
        Self::with_slack(Options::new(0).slack)
    }

    /// With so many thousandths of slack.
    pub(crate) fn with_slack(slack: u32) -> Self {
        Self::with(Options {
            slack,
            ..Options::new(BYTES)
        })
    }

    /// As a device of 64 GiB has it: what is held does not matter below the floor.
    pub(crate) fn of_a_device() -> Self {
        Self::with(Options {
            floor: FLOOR,
            ..Options::new(BYTES)
        })
    }

    fn with(options: Options) -> Self {
        Self {
            pool: Pool::new(Options {
                windows: BYTES,
                ..options
            }),
            streams: HashMap::new(),
            passed: HashMap::new(),
            events: HashMap::new(),
            users: HashMap::new(),
        }
    }

    /// The stream, one position further.
    fn step(&mut self, stream: u32) -> &mut Stream {
        let pool = &self.pool;
        let known = self.streams.entry(stream).or_insert_with(|| Stream {
            shard: pool.shard(number(stream)).expect("few streams"),
            clock: Clock::default(),
            position: 0,
        });
        known.position += 1;
        known
    }
}

/// Streams of the pool are numbered from 1.
fn number(stream: u32) -> u64 {
    u64::from(stream) + 1 + HOST
}

impl Policy for Replayed {
    fn alloc(&mut self, stream: u32, bytes: u64) -> Option<u64> {
        let known = self.streams.get(&stream);
        if known.is_none() {
            self.step(stream);
        }
        let stream = &self.streams[&stream];
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
        for user in self.users.remove(&offset).unwrap_or_default() {
            let position = self.step(user).position;
            let passed = |stream| self.passed.get(&stream).copied().unwrap_or(0);
            let noted = self
                .pool
                .check(offset, 1, Some((number(user), position)), passed);
            assert!(noted == Ok(Ok(())), "a live block");
        }
        let position = self.step(stream).position;
        let passed = |stream| self.passed.get(&stream).copied().unwrap_or(0);
        let (shard, by) = (&self.streams[&stream].shard, (number(stream), position));
        let freed = self
            .pool
            .free(shard, offset, None, Some(by), passed, |_, _| {});
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
    /// One that economises when it holds more than `floor` bytes.
    pub(crate) fn with_floor(floor: u64) -> Self {
        let pool = Pool::new(Options {
            limit: DEVICE,
            floor,
            ..Options::new(BYTES)
        });
        let shards = [0, 1].map(|stream| pool.shard(number(stream)).expect("few streams"));
        Self { pool, shards }
    }
}

impl Timed for Shared {
    type Token = BlockId;

    fn new() -> Result<Self, String> {
        Ok(Self::with_floor(FLOOR))
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
