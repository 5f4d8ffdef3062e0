//! Millpond's own pool, as a device has it by default or as a stream-ordered pool (`aclrtMemPool`) has it.
//!
//! This is the code that serves programs (`crates/pool`), not a model of it. Only the device is missing: pages come at once
//! until it is full. Then idle pages go back, as in `crates/runtime/src/memory/store.rs`, and the request is tried once more.
//!
//! The runtime sees every event, so by default a block is reused in the order of its stream. A recording that has no events
//! cannot show which streams waited for each other; [`Reuse::Polling`] then takes a block back when the recording says that no
//! stream uses it any more.

use std::collections::HashMap;
use std::sync::Arc;

use millpond_pool::{Ask, Clock, Grant, HOST, Mapping, Options, Order, PageSize, Pool, Shard};

use crate::fast_map::FastMap;
use crate::pending::Pending;
use crate::policy::Policy;

/// The device that [`DEFAULT`] describes.
pub const DEVICE: u64 = 64 << 30;

/// What a device of 64 GiB has by default.
pub const DEFAULT: Options = of_device(DEVICE);

/// What a stream-ordered pool of that device has.
pub const MEMORY_POOL: Options = of_memory_pool(DEVICE);

/// What a device of that size has by default (`crates/runtime/src/memory/store.rs`).
pub const fn of_device(bytes: u64) -> Options {
    Options {
        // Addresses for pages, and for windows behind them.
        windows: bytes,
        limit: bytes,
        freely: bytes / 1024,
        floor: bytes / 32,
        exact_peak: true,
        ..Options::new(2 * bytes + (1 << 30))
    }
}

/// What a stream-ordered pool of such a device has: it reuses before it grows, and has no windows.
pub const fn of_memory_pool(bytes: u64) -> Options {
    Options {
        windows: 0,
        slack: 0,
        freely: 0,
        floor: 0,
        ..of_device(bytes)
    }
}

/// What the pool of a GPU of that size has (`crates/plugin/src/direct/arena.rs`).
pub const fn of_gpu(bytes: u64) -> Options {
    Options {
        windows: 4 * bytes,
        limit: bytes,
        ..Options::of_gpu(2 * bytes)
    }
}

/// When a block comes back that other streams used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reuse {
    /// In the order of the stream that frees it, which has waited for the others.
    #[default]
    Ordered,
    /// When the recording says that no stream uses it any more.
    Polling,
}

/// What is replayed.
#[derive(Debug)]
pub struct Replayed {
    pool: Pool,
    page: PageSize,
    /// By number.
    streams: Vec<Option<Stream>>,
    /// Up to which position the host has waited for each stream.
    passed: FastMap<u64>,
    events: HashMap<u32, Clock>,
    /// The other streams that use a block.
    users: FastMap<Vec<u32>>,
    /// How many bytes the device has.
    limit: u64,
    /// What the device was asked to do so far.
    calls: u64,
    /// Blocks that wait for the recording, and the streams that free them; for [`Reuse::Polling`] only.
    pending: Option<Pending>,
    freed_by: FastMap<u32>,
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
    /// As a device of 64 GiB has it by default.
    pub fn new() -> Self {
        Self::with(DEFAULT)
    }

    /// As a stream-ordered pool of that device has it.
    pub fn of_a_memory_pool() -> Self {
        Self::with(MEMORY_POOL)
    }

    /// With these options, on a device that is never full.
    pub fn with(options: Options) -> Self {
        Self::on_device(options, u64::MAX, Reuse::Ordered)
    }

    /// With these options, on a device of `limit` bytes.
    pub fn on_device(options: Options, limit: u64, reuse: Reuse) -> Self {
        Self {
            pool: Pool::new(options),
            page: options.page,
            streams: Vec::new(),
            passed: FastMap::default(),
            events: HashMap::new(),
            users: FastMap::default(),
            limit,
            calls: 0,
            pending: (reuse == Reuse::Polling).then(Pending::default),
            freed_by: FastMap::default(),
        }
    }

    /// Carries out what the grant needs, if the device has the pages.
    fn grow(&mut self, stream: u32, mut grant: Grant) -> Option<u64> {
        let Some(growth) = &grant.growth else {
            return Some(self.finish(stream, grant));
        };
        let new: u64 = growth.commit.iter().map(|pages| pages.bytes).sum();
        self.calls += (growth.commit.len() + runs(&growth.map, self.page)) as u64;
        if new == 0 || self.pool.reserved().saturating_add(new) <= self.limit {
            return Some(self.finish(stream, grant));
        }
        let growth = grant.growth.take()?;
        let known = self.known(stream)?;
        let failed = growth.commit.clone();
        self.pool
            .not_grown(&known.shard, *growth, &failed, known.position);
        None
    }

    fn finish(&mut self, stream: u32, grant: Grant) -> u64 {
        let passed = &self.passed;
        let Some(known) = self.streams.get(stream as usize).and_then(Option::as_ref) else {
            return grant.offset;
        };
        let order = Known {
            stream: known,
            passed,
        };
        let (grant, returned) = settled(&self.pool, grant, &order);
        self.calls += returned;
        grant.offset
    }

    /// Gives back idle pages that everybody has passed.
    fn give_back_idle(&mut self, stream: u32) {
        let Some(known) = self.known(stream) else {
            return;
        };
        let order = Known {
            stream: known,
            passed: &self.passed,
        };
        let leaving = self.pool.begin_return(0, &order);
        for pages in &leaving {
            self.pool.end_return(pages, true);
        }
        self.calls += leaving.len() as u64;
    }

    fn search(&mut self, stream: u32, ask: &Ask) -> Option<u64> {
        let known = self.known(stream)?;
        let passed = &self.passed;
        let order = Known {
            stream: known,
            passed,
        };
        let grant = self.pool.alloc_slow(&known.shard, ask, &order).ok()?;
        self.grow(stream, grant)
    }

    fn take_ready(&mut self) {
        let ready = self.pending.as_mut().map(Pending::take_ready);
        for offset in ready.unwrap_or_default() {
            let by = self.freed_by.remove(&offset).unwrap_or_default();
            self.free_now(offset, by);
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
pub fn number(stream: u32) -> u64 {
    u64::from(stream) + 1 + HOST
}

impl Default for Replayed {
    fn default() -> Self {
        Self::new()
    }
}

impl Replayed {
    fn free_now(&mut self, offset: u64, stream: u32) {
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
}

impl Policy for Replayed {
    fn alloc(&mut self, stream: u32, bytes: u64) -> Option<u64> {
        if self.pending.is_some() {
            self.take_ready();
        }
        if self.known(stream).is_none() {
            self.step(stream);
        }
        let known = self.known(stream)?;
        let ask = Ask::of(bytes);
        if let Some(quick) = self.pool.alloc(&known.shard, &ask) {
            return Some(quick.offset);
        }
        let found = self.search(stream, &ask);
        if found.is_some() || self.limit == u64::MAX {
            return found;
        }
        self.give_back_idle(stream);
        self.search(stream, &ask)
    }

    fn free(&mut self, offset: u64, stream: u32) {
        self.free_now(offset, stream);
    }

    fn free_held(&mut self, offset: u64, stream: u32) {
        if let Some(pending) = &mut self.pending {
            pending.hold(offset);
            self.freed_by.insert(offset, stream);
        } else {
            self.free_now(offset, stream);
        }
    }

    fn settled(&mut self, offset: u64) {
        if let Some(pending) = &mut self.pending {
            pending.settled(offset);
        }
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

    fn device_calls(&self) -> u64 {
        self.calls
    }

    fn pages_moved(&self) -> u64 {
        self.pool.pages_moved()
    }

    fn lift_limit(&mut self) {
        self.limit = u64::MAX;
        self.pool.set_limit(u64::MAX);
    }

    /// The host waits for every stream first.
    fn trim(&mut self) {
        if self.pending.is_some() {
            self.take_ready();
        }
        let streams = u32::try_from(self.streams.len()).unwrap_or(u32::MAX);
        for stream in (0..streams)
            .filter(|it| self.streams[*it as usize].is_some())
            .collect::<Vec<_>>()
        {
            self.synchronize(stream);
        }
        if streams > 0 {
            self.give_back_idle(streams - 1);
        }
    }
}

/// How many calls show these pages: those that are neighbours in both places need one.
fn runs(mappings: &[Mapping], page: PageSize) -> usize {
    let bytes = page.bytes();
    let beside =
        |one: &Mapping, next: &Mapping| next.page == one.page + bytes && next.at == one.at + bytes;
    mappings.chunk_by(beside).count()
}

/// Does what a grant needs, on a device that refuses nothing. Also returns how many ranges of pages went back.
pub fn settled(pool: &Pool, mut grant: Grant, order: &dyn Order) -> (Grant, u64) {
    if let Some(growth) = grant.growth.take() {
        pool.grown(*growth);
    }
    let mut returned = 0;
    if grant.decays {
        for leaving in pool.begin_decay(order) {
            pool.end_return(&leaving, true);
            returned += 1;
        }
    }
    (grant, returned)
}

#[cfg(test)]
#[path = "millpond_tests.rs"]
mod tests;
