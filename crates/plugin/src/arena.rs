//! One device's memory: a pool with its source, and the steps that are tried before a request fails.
//!
//! The steps, each only if the ones before did not help:
//! 1. a block that the stream kept;
//! 2. free memory of the stream, and of streams that are known to be past it;
//! 3. more memory of the device, as long as the limit allows;
//! 4. epochs of the streams that have passed meanwhile;
//! 5. streams that turn out to be idle; the others get an epoch recorded;
//! 6. idle pages that go back to the device, so that the limit or the device has room again;
//! 7. if it is allowed, waiting for the oldest epoch, one after the other.
//!
//! Nothing here waits for a device, and only the last step waits for a stream.

mod growth;
mod ladder;
mod order;
mod report;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use millpond_pool::{Leaving, PAGE, Pages, Pool};
use parking_lot::RwLock;

use crate::blocks::{Block, Header};
use crate::calls::{Calls, Refused, within};
use crate::lane::Lane;
use crate::noted;
use crate::options::Settings;
use crate::source::{self, Gone, Source};
use crate::statistics::{Counts, Statistics};

#[derive(Debug)]
pub(crate) struct Arena {
    id: u64,
    device: i32,
    pub(crate) settings: Settings,
    limit: u64,
    calls: Arc<dyn Calls>,
    pool: Pool,
    source: Box<dyn Source>,
    /// Bytes of the device that are held or being asked for; at most the limit.
    held: AtomicU64,
    /// Every stream that has memory here, also after its end while its work has not passed.
    lanes: RwLock<BTreeMap<u64, Arc<Lane>>>,
    /// The pool's number of the next lane or segment.
    next: AtomicU64,
    counts: Counts,
}

/// Reason a block was not taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotFreed {
    /// It is not live: it was freed before.
    NotLive,
    /// It belongs to another device's arena.
    OtherArena,
}

impl Arena {
    pub(crate) fn new(
        calls: Arc<dyn Calls>,
        device: i32,
        settings: Settings,
    ) -> Result<Self, Refused> {
        static IDS: AtomicU64 = AtomicU64::new(1);
        let limit = match settings.limit {
            Some(limit) => limit,
            None => calls.total()?,
        };
        let limit = limit.checked_next_multiple_of(PAGE).unwrap_or(limit);
        noted::began(calls.records(), device, calls.total().unwrap_or(limit));
        let source = source::choose(&calls, device, limit, settings.no_virtual);
        let pool = Pool::new(millpond_pool::Options {
            limit,
            slack: settings.slack,
            most_slack: settings.slack,
            freely: settings.floor / 8,
            floor: settings.floor,
            ..millpond_pool::Options::new(source.range())
        });
        Ok(Self {
            id: IDS.fetch_add(1, Ordering::Relaxed),
            device,
            settings,
            limit,
            calls,
            pool,
            source,
            held: AtomicU64::new(0),
            lanes: RwLock::default(),
            next: AtomicU64::new(1),
            counts: Counts::default(),
        })
    }

    /// A lane for a stream; `None` when there are too many.
    pub(crate) fn open(&self, stream: u64, context: Option<usize>) -> Option<Arc<Lane>> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let shard = self.pool.shard(id)?;
        let lane = Arc::new(Lane::new(id, stream, context, shard));
        self.lanes.write().insert(id, Arc::clone(&lane));
        Some(lane)
    }

    /// A lane has ended: what it has is everybody's as soon as its work has passed.
    pub(crate) fn close(&self, lane: &Lane) {
        self.pool.close(&lane.shard);
        if self.settings.allow_wait && lane.wait(&*self.calls) {
            self.counts.waits.fetch_add(1, Ordering::Relaxed);
        }
        self.sweep();
    }

    /// Forgets lanes that are over.
    fn sweep(&self) {
        self.poll();
        self.lanes.write().retain(|_, lane| !lane.is_over());
    }

    /// Gives a block back in the order of `lane`'s stream.
    pub(crate) fn free(&self, lane: &Lane, header: &'static Header) -> Result<(), NotFreed> {
        let (life, block) = header.look().ok_or(NotFreed::NotLive)?;
        let Block {
            offset,
            serial,
            lane: home,
            arena,
            ..
        } = block;
        if arena != self.id {
            return Err(NotFreed::OtherArena);
        }
        if !header.end(life) {
            return Err(NotFreed::NotLive);
        }
        // Before others can have its memory.
        noted::freed(self.device, lane, block.address);
        let by = (lane.id, lane.step());
        let passed = |stream| self.passed(stream);
        // A header that ends is a block that is live in the pool, and it is the one that was looked at.
        let freed = self.pool.free(
            &lane.shard,
            offset,
            Some(serial),
            Some(by),
            passed,
            |_, _| {},
        );
        debug_assert!(freed.is_ok());
        if home == lane.id {
            lane.live.fetch_sub(1, Ordering::Relaxed);
        } else if let Some(home) = self.lanes.read().get(&home) {
            home.live.fetch_sub(1, Ordering::Relaxed);
        }
        lane.spare.put(header);
        if lane.count_free() && self.lanes.read().len() > 1 {
            // A new epoch only behind one that has passed; so the outstanding one is never old.
            let passed = lane.poll(&*self.calls);
            self.counts
                .passed
                .fetch_add(u64::from(passed), Ordering::Relaxed);
            self.record(lane);
        }
        Ok(())
    }

    /// Up to which position the work of a lane has passed for everybody. A lane that is not known is
    /// over, or was never a stream.
    fn passed(&self, stream: u64) -> u64 {
        self.lanes
            .read()
            .get(&stream)
            .map_or(u64::MAX, |lane| lane.passed())
    }

    fn all_lanes(&self) -> Vec<Arc<Lane>> {
        self.lanes.read().values().cloned().collect()
    }

    fn record(&self, lane: &Lane) {
        // Without the epoch the memory only stays unavailable to other streams for longer.
        if lane.record(&*self.calls) == Ok(true) {
            self.counts.recorded.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Checks every outstanding epoch; returns whether one has passed.
    fn poll(&self) -> bool {
        let lanes = self.all_lanes();
        let passed = lanes.iter().filter(|lane| lane.poll(&*self.calls)).count();
        self.counts
            .passed
            .fetch_add(passed as u64, Ordering::Relaxed);
        passed > 0
    }

    /// Looks for streams with nothing to do, and has the others record an epoch. Answers whether
    /// something was learned.
    fn look(&self) -> bool {
        let mut learned = false;
        for lane in self.all_lanes() {
            if lane.look(&*self.calls) {
                learned = true;
            } else {
                self.record(&lane);
            }
        }
        self.poll() || learned
    }

    /// Waits for the oldest epoch; returns whether something was learned.
    fn wait(&self) -> bool {
        let lanes = self.all_lanes();
        let oldest = lanes
            .iter()
            .filter_map(|lane| Some((lane.pending()?, lane)))
            .min_by_key(|(age, _)| *age);
        let waited = oldest.is_some_and(|(_, lane)| lane.wait(&*self.calls));
        self.counts
            .waits
            .fetch_add(u64::from(waited), Ordering::Relaxed);
        waited
    }

    /// Gives idle memory back to the device until `keep` bytes are left; returns how much went.
    pub(crate) fn trim(&self, keep: u64) -> u64 {
        self.look();
        self.sweep();
        self.gather();
        self.give_back(keep)
    }

    fn give_back(&self, keep: u64) -> u64 {
        let leaving = self.pool.begin_return(keep, &self.order(0));
        self.settle(&leaving)
    }

    /// Returns memory that was idle for a long time, down to the threshold.
    fn decay(&self) {
        self.poll();
        let mut leaving = self.pool.begin_decay(&self.order(0));
        let spare = self.held().saturating_sub(self.settings.release_threshold);
        let mut going = 0;
        leaving.retain(|run| {
            let goes = going + run.pages.bytes <= spare;
            if goes {
                going += run.pages.bytes;
            } else {
                self.pool.end_return(run, false);
            }
            goes
        });
        self.settle(&leaving);
    }

    fn settle(&self, leaving: &[Leaving]) -> u64 {
        let runs: Vec<Pages> = leaving.iter().map(|run| run.pages).collect();
        let mut returned = 0;
        for (run, became) in leaving.iter().zip(self.source.give_back(&runs)) {
            match became {
                Gone::Returned => {
                    self.pool.end_return(run, true);
                    returned += run.pages.bytes;
                }
                Gone::Stayed => self.pool.end_return(run, false),
                // The pool keeps treating them as leaving, so they are not handed out.
                Gone::Lost => {}
            }
        }
        self.held.fetch_sub(returned, Ordering::AcqRel);
        self.counts.returned.fetch_add(returned, Ordering::Relaxed);
        returned
    }

    fn held(&self) -> u64 {
        self.held.load(Ordering::Acquire)
    }

    /// Acts on a thread that may be working with another device; `None` if there is no way to this one.
    pub(crate) fn visit<R>(&self, act: impl FnOnce() -> R) -> Option<R> {
        if self.calls.device() == Ok(self.device) {
            return Some(act());
        }
        let lanes = self.all_lanes();
        let context = lanes.iter().find_map(|lane| lane.context())?;
        Some(within(&*self.calls, Some(context), act))
    }

    /// Whether no stream and no memory is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.lanes.read().is_empty() && self.held() == 0
    }

    /// Whether the last stream has gone.
    pub(crate) fn is_deserted(&self) -> bool {
        self.lanes.read().is_empty()
    }

    /// Releases everything; the source is not used afterwards.
    pub(crate) fn end(&self) {
        self.source.close();
    }

    pub(crate) fn statistics(&self, lane: &Lane) -> Statistics {
        self.poll();
        let pool = self.pool.statistics();
        let stream = pool.streams.iter().find(|stream| stream.stream == lane.id);
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Statistics {
            struct_size: size_of::<Statistics>(),
            device: self.device,
            source: self.source.kind() as u32,
            limit_bytes: self.limit,
            used_bytes: pool.charged,
            peak_used_bytes: pool.peak,
            reserved_bytes: self.held(),
            peak_reserved_bytes: pool.peak_reserved,
            pieces: self.source.pieces() as u64,
            live_blocks: pool.blocks,
            streams: self.lanes.read().len() as u64,
            growths: count(&self.counts.growths),
            returned_bytes: count(&self.counts.returned),
            epochs_recorded: count(&self.counts.recorded),
            epochs_passed: count(&self.counts.passed),
            waits: count(&self.counts.waits),
            failures: count(&self.counts.failures),
            stream_used_bytes: stream.map_or(0, |stream| stream.bytes.current),
            stream_live_blocks: lane.live.load(Ordering::Relaxed),
            stream_allocations: lane.allocations.load(Ordering::Relaxed),
            stream_frees: lane.frees(),
        }
    }
}
