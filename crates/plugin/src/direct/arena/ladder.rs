//! What is tried for a request, one step after the other.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use millpond_pool::{Ask, Grant, Growth, Pages, Refusal};

use super::super::clocks::{self, Stream};
use super::super::device::{Refused, inside};
use super::super::news::{self, Moment};
use super::super::{noted, pools};
use super::{Arena, Lane};

/// How long a request waits for a stream that is behind before it takes more memory. The device has work for that long, or the
/// program would not be ahead of it.
const PATIENCE: Duration = Duration::from_millis(500);

/// How long a request that would fail waits for a stream.
const LAST_PATIENCE: Duration = Duration::from_secs(10);

/// Before a growth by at least this many bytes takes any page, the driver is asked how much memory is free. Its answer may be
/// slightly off.
const LARGE: u64 = 256 << 20;

/// Requests of a stream without a cached block between two epochs.
const EPOCH_MISSES: u32 = 32;

/// Reason a request got nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reason {
    /// All pools of the device hold as much as the limit allows.
    Limit,
    /// The driver refused.
    Device(Refused),
    /// There are no addresses for it.
    Addresses,
}

/// A request that got nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoBlock {
    pub(crate) bytes: u64,
    pub(crate) device: i32,
    pub(crate) limit: u64,
    pub(crate) why: Reason,
}

impl NoBlock {
    /// Whether it is memory that was missing.
    pub(crate) fn for_lack_of_memory(&self) -> bool {
        match &self.why {
            Reason::Limit | Reason::Addresses => true,
            Reason::Device(refused) => refused.for_lack_of_memory,
        }
    }
}

impl fmt::Display for NoBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bytes, device, .. } = self;
        write!(f, "no block of {bytes} bytes on device {device}: ")?;
        match &self.why {
            Reason::Limit => write!(f, "the limit of all pools is {} bytes", self.limit),
            Reason::Device(refused) => refused.fmt(f),
            Reason::Addresses => {
                f.write_str("no free range of addresses is large enough; raise options.range_bytes")
            }
        }
    }
}

impl Arena {
    /// A block for a stream that has no cached one: its offset.
    #[cold]
    pub(crate) fn find(
        &'static self,
        lane: &Lane,
        ask: &Ask,
        wish: Option<u64>,
    ) -> Result<u64, NoBlock> {
        self.climb(lane, ask, wish).map_err(|why| {
            self.gpu.counts.failures.fetch_add(1, Ordering::Relaxed);
            NoBlock {
                bytes: ask.requested,
                device: self.gpu.number,
                limit: self.gpu.limit(),
                why,
            }
        })
    }

    fn climb(&'static self, lane: &Lane, ask: &Ask, wish: Option<u64>) -> Result<u64, Reason> {
        let misses = lane.misses.fetch_add(1, Ordering::Relaxed);
        let is_due = misses.is_multiple_of(EPOCH_MISSES);
        let first = self.attempt(lane, ask, wish);
        if let Ok(grant) = &first
            && grant.growth.is_none()
            && !grant.decays
            && !is_due
        {
            return Ok(grant.offset);
        }
        let mut first = Some(first);
        let carried_out = inside(&*self.gpu.device, || {
            if is_due {
                self.gpu.record(&lane.stream);
            }
            let first = first.take().unwrap_or(Err(Refusal::Addresses));
            self.carry_out(lane, ask, wish, first)
        });
        carried_out.unwrap_or_else(|why| match first {
            // What needs no driver is there.
            Some(Ok(grant)) => match grant.growth {
                None => Ok(grant.offset),
                Some(growth) => {
                    let commit = growth.commit.clone();
                    let now = clocks::now();
                    self.pool.not_grown(&lane.shard, *growth, &commit, now);
                    Err(Reason::Device(why))
                }
            },
            _ => Err(Reason::Device(why)),
        })
    }

    fn attempt(&self, lane: &Lane, ask: &Ask, wish: Option<u64>) -> Result<Grant, Refusal> {
        let view = self.view(&lane.stream);
        self.pool.alloc_near(&lane.shard, ask, &view, wish)
    }

    fn carry_out(
        &'static self,
        lane: &Lane,
        ask: &Ask,
        wish: Option<u64>,
        first: Result<Grant, Refusal>,
    ) -> Result<u64, Reason> {
        let again = || self.attempt(lane, ask, wish);
        let mut result = self.grow(lane, first, &again);
        if result.is_ok() || is_final(&result) {
            return result;
        }
        let steps: [&dyn Fn() -> bool; 4] = [
            &|| self.gpu.poll() | (self.give_back(self.keep_for(ask.bytes)) > 0),
            &|| pools::give_back(self.gpu),
            &|| self.ask_the_program(lane, ask),
            &|| self.wait_for_all(),
        ];
        for step in steps {
            if step() {
                result = self.grow(lane, again(), &again);
                // What has passed or was freed may leave idle pages in the wrong places.
                if result.is_err() && self.give_back(self.keep_for(ask.bytes)) > 0 {
                    result = self.grow(lane, again(), &again);
                }
                if result.is_ok() || is_final(&result) {
                    break;
                }
            }
        }
        // Memory that waits for failed work never comes back. The cause is the failure, not a lack of memory.
        if result.is_err()
            && !is_final(&result)
            && let Some(why) = self.gpu.lost()
        {
            result = Err(Reason::Device(why));
        }
        if result.is_ok() {
            self.gpu.counts.retries.fetch_add(1, Ordering::Relaxed);
        } else if news::anybody() {
            let of = lane.stream.key.handle;
            news::tell(&self.news(Moment::OutOfMemory, of, 0, ask.bytes));
        }
        result
    }

    /// Bytes that stay so that so many can be asked for.
    fn keep_for(&self, bytes: u64) -> u64 {
        let pages = bytes.saturating_add(self.settings.page.bytes());
        let held = self.counts.held.load(Ordering::Acquire);
        held.saturating_sub(self.settings.page.down(pages))
    }

    /// Carries out what a grant needs. Before more memory is taken, it looks for what has passed in the meantime.
    fn grow(
        &'static self,
        lane: &Lane,
        mut grant: Result<Grant, Refusal>,
        again: &dyn Fn() -> Result<Grant, Refusal>,
    ) -> Result<u64, Reason> {
        let mut decays = false;
        let mut has_polled = false;
        // Epochs that are recorded once show all that can be learned for this request.
        let mut has_marked = false;
        let result = loop {
            let (offset, growth) = match grant {
                Ok(found) => {
                    decays |= found.decays;
                    (found.offset, found.growth)
                }
                Err(Refusal::Addresses) => break Err(Reason::Addresses),
                Err(Refusal::Limit | Refusal::Reserve) => break Err(Reason::Limit),
            };
            let Some(growth) = growth else {
                break Ok(offset);
            };
            let more: u64 = growth.commit.iter().map(|run| run.bytes).sum();
            let news = more > 0
                && (!std::mem::replace(&mut has_polled, true) && self.gpu.poll()
                    || self.is_ahead(more) && self.wait_a_little(lane, &mut has_marked));
            if news {
                let commit = growth.commit.clone();
                self.pool
                    .not_grown(&lane.shard, *growth, &commit, clocks::now());
                grant = again();
                continue;
            }
            break self.take(lane, *growth, more).map(|()| offset);
        };
        if decays {
            self.decay();
        }
        result
    }

    /// Takes the pages of a growth, and shows pages in windows. Without success the block is gone.
    fn take(&self, lane: &Lane, growth: Growth, more: u64) -> Result<(), Reason> {
        let commit = growth.commit.clone();
        let give_up = |growth: Growth, failed: &[Pages]| {
            let now = clocks::now();
            self.pool.not_grown(&lane.shard, growth, failed, now);
        };
        if !self.gpu.hold(more) {
            give_up(growth, &commit);
            return Err(Reason::Limit);
        }
        let device = &*self.gpu.device;
        if let Err(why) = self
            .has_room(more)
            .and_then(|()| self.mapped.back(device, &commit, &self.gpu.others))
        {
            self.gpu.let_go(more);
            give_up(growth, &commit);
            return Err(Reason::Device(why));
        }
        self.has_backed(more);
        if !growth.map.is_empty()
            && let Err(why) = self.mapped.show(device, &growth.map, &self.gpu.others)
        {
            if !why.for_lack_of_memory {
                self.pool.end_windows();
            }
            give_up(growth, &[]);
            return Err(Reason::Device(why));
        }
        let shown = noted::shown(&growth);
        self.pool.grown(growth);
        for run in commit {
            self.tell(Moment::Mapped, run.offset, run.bytes);
        }
        noted::moved(self, &shown);
        pools::look_around(self.gpu);
        Ok(())
    }

    /// An error if the device clearly has too little memory. Taking pages one by one would need seconds to find that out, and would
    /// leave other programs without memory meanwhile.
    fn has_room(&self, more: u64) -> Result<(), Refused> {
        if more < LARGE {
            return Ok(());
        }
        let device = &*self.gpu.device;
        let free = match device.memory() {
            Ok((free, _)) if free.saturating_add(LARGE / 4) < more => free,
            // If the driver cannot report it, the growth is tried page by page.
            _ => return Ok(()),
        };
        // What the driver's own pool keeps of memory that was freed in the order of streams (cudaFreeAsync) is not free, but the
        // driver takes it for a request that needs it. So it decides, for all bytes at once.
        match device.create(more, false) {
            Ok(handle) => {
                device.destroy(handle);
                Ok(())
            }
            Err(why) if why.for_lack_of_memory => Err(Refused {
                text: format!(
                    "{more} bytes in pages are needed, and {free} bytes are free on the device"
                ),
                ..why
            }),
            Err(why) if why.is_final => Err(why),
            Err(_) => Ok(()),
        }
    }

    /// Whether the arena would hold far more than the program has needed at one time.
    fn is_ahead(&self, more: u64) -> bool {
        if self.gpu.stalled.load(Ordering::Relaxed) || self.gpu.is_captured() {
            return false;
        }
        let (_, peak) = self.pool.charged();
        let ahead = u128::from(peak) * u128::from(self.settings.ahead) / 1000;
        let bound = u128::from(peak) + ahead + u128::from(8 * self.settings.page.bytes());
        u128::from(self.pool.reserved() + more) > bound
    }

    /// Waits for the oldest epoch; answers whether something has passed.
    fn wait_a_little(&self, lane: &Lane, has_marked: &mut bool) -> bool {
        if self.gpu.device.captures(lane.stream.key.handle) {
            return false;
        }
        if !std::mem::replace(has_marked, true) {
            self.mark_all();
        }
        let passed = self.wait_for_one(PATIENCE);
        let waits = || self.streams().iter().any(is_waiting);
        if !passed && waits() {
            self.gpu.stalled.store(true, Ordering::Relaxed);
        }
        passed
    }

    /// Has every stream of the device without an epoch record one.
    fn mark_all(&self) {
        for stream in self.streams() {
            if !is_waiting(&stream) {
                self.gpu.record(&stream);
            }
        }
    }

    fn streams(&self) -> Vec<Arc<Stream>> {
        let mut streams = clocks::all();
        let number = self.gpu.number;
        streams.retain(|stream| stream.concerns(number));
        streams
    }

    fn wait_for_one(&self, patience: Duration) -> bool {
        if self.gpu.is_captured() {
            return false;
        }
        let begun = Instant::now();
        let mut pause = Duration::from_micros(5);
        while self.streams().iter().any(is_waiting) {
            if self.gpu.poll() {
                self.gpu.counts.waits.fetch_add(1, Ordering::Relaxed);
                return true;
            }
            if self.gpu.lost().is_some() {
                return false;
            }
            if begun.elapsed() > patience {
                return false;
            }
            std::thread::sleep(pause);
            // Longer ones would let the device run out of work.
            pause = (2 * pause).min(Duration::from_micros(100));
        }
        false
    }

    /// Waits for all that is queued in all streams, as far as that ends soon.
    fn wait_for_all(&self) -> bool {
        for stream in self.streams() {
            self.gpu.record(&stream);
        }
        let mut learned = false;
        while self.wait_for_one(LAST_PATIENCE) {
            learned = true;
        }
        learned
    }

    fn ask_the_program(&self, lane: &Lane, ask: &Ask) -> bool {
        let of = lane.stream.key.handle;
        news::anybody() && news::tell(&self.news(Moment::Shortage, of, 0, ask.bytes))
    }
}

/// Whether nothing that is tried can help.
fn is_final(result: &Result<u64, Reason>) -> bool {
    matches!(result, Err(Reason::Device(refused)) if refused.is_final)
}

/// Whether it has an epoch outstanding.
fn is_waiting(stream: &Arc<Stream>) -> bool {
    !stream.epochs.lock().is_empty()
}
