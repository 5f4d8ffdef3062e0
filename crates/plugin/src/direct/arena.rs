//! One pool of a device: addresses, pages, blocks of streams.
//!
//! A request that finds no cached block takes the first of these steps that helps:
//! 1. free memory of its stream, and of streams that it is known to come after;
//! 2. events of our own that have passed in the meantime;
//! 3. if the arena would hold far more than it needs because streams are behind the program: a short wait for the oldest event;
//! 4. more pages of the device, as long as the limit allows;
//! 5. idle pages of this arena and then of others go back, so that the limit or the device has room;
//! 6. the program is asked to free something;
//! 7. a wait for all streams, one event after the other.

mod ladder;
mod numbers;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use millpond_pool::{Ask, Clock, Leaving, Order, Pool, Shard};
use parking_lot::{Mutex, RwLock};

use super::clocks::{self, Passed, Stream};
use super::device::{Refused, inside};
use super::gpu::Gpu;
use super::mapping::{Gone, Mapped};
use super::news::{self, Moment, News};
use super::noted;
use super::settings::Settings;

pub(crate) use ladder::NoBlock;
pub(crate) use numbers::Statistics;

/// One stream's part of an arena.
#[derive(Debug)]
pub(crate) struct Lane {
    pub(crate) arena: &'static Arena,
    pub(crate) shard: Arc<Shard>,
    pub(crate) stream: Arc<Stream>,
    /// Its stream or its pool was destroyed: it serves nobody any more.
    pub(crate) closed: AtomicBool,
    /// Requests that found no cached block.
    misses: AtomicU32,
}

/// What an arena counts itself.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) grown: AtomicU64,
    pub(crate) grown_pages: AtomicU64,
    pub(crate) returns: AtomicU64,
    pub(crate) returned_pages: AtomicU64,
    pub(crate) held: AtomicU64,
    pub(crate) most_held: AtomicU64,
    /// Periods of streams that have ended.
    periods: AtomicU64,
    /// What totals were when they were last reset.
    pub(crate) base: Mutex<numbers::Base>,
}

/// See the module comment. Arenas are never freed: one whose pool was destroyed serves the next pool.
#[derive(Debug)]
pub(crate) struct Arena {
    pub(crate) index: u32,
    pub(crate) gpu: &'static Gpu,
    pub(crate) settings: Settings,
    pub(crate) base: u64,
    /// Bytes of addresses, without windows and with them.
    pub(crate) home: u64,
    pub(crate) range: u64,
    pub(crate) pool: Pool,
    pub(crate) mapped: Mapped,
    pub(crate) lanes: RwLock<Vec<Arc<Lane>>>,
    pub(crate) keep: AtomicBool,
    /// Which of the pools that it has served this is, and whether that one was destroyed.
    pub(crate) life: AtomicU32,
    pub(crate) ended: AtomicBool,
    pub(crate) counts: Counts,
}

/// Addresses of an arena: for pages, and for windows.
pub(crate) fn ranges(settings: &Settings, total: u64) -> (u64, u64) {
    let page = settings.page.bytes();
    let whole = |bytes: u64| bytes.next_multiple_of(page);
    let home = whole(
        settings
            .range
            .unwrap_or(if settings.keep { total } else { 2 * total }),
    );
    // Windows are made anew while the program is far ahead of the device.
    let windows = if settings.windows {
        whole(4 * total)
    } else {
        0
    };
    (home.max(page), windows)
}

impl Arena {
    pub(crate) fn new(index: u32, gpu: &'static Gpu, settings: Settings, base: u64) -> Self {
        let (home, windows) = ranges(&settings, gpu.total);
        let pool = Pool::new(millpond_pool::Options {
            windows,
            page: settings.page,
            slack: settings.slack,
            most_slack: settings.slack.saturating_mul(millpond_pool::GPU_MOST),
            freely: settings.floor / 8,
            floor: settings.floor,
            ..millpond_pool::Options::of_gpu(home)
        });
        Self {
            index,
            gpu,
            settings,
            base,
            home,
            range: home + windows,
            pool,
            mapped: Mapped::new(base, settings.page, settings.shared),
            lanes: RwLock::default(),
            keep: AtomicBool::new(settings.keep),
            life: AtomicU32::new(1),
            ended: AtomicBool::new(false),
            counts: Counts::default(),
        }
    }

    /// What programs call it: never 0, and never that of a pool that was destroyed.
    pub(crate) fn handle(&self) -> u64 {
        u64::from(self.life.load(Ordering::Acquire)) << 32 | u64::from(self.index + 1)
    }

    pub(crate) fn is_cuda(&self) -> bool {
        self.gpu.device.driver() == "CUDA"
    }

    pub(crate) fn keeps(&self) -> bool {
        self.keep.load(Ordering::Acquire)
    }

    /// The offset of an address that is in its range.
    pub(crate) fn offset(&self, address: u64) -> Option<u64> {
        let offset = address.checked_sub(self.base)?;
        (offset < self.range).then_some(offset)
    }

    /// The lane of a stream; `None` if there are too many.
    pub(crate) fn lane(&'static self, stream: &Arc<Stream>) -> Option<Arc<Lane>> {
        let of = |lane: &&Arc<Lane>| lane.stream.id == stream.id;
        if let Some(lane) = self.lanes.read().iter().find(of) {
            return Some(Arc::clone(lane));
        }
        let mut lanes = self.lanes.write();
        if let Some(lane) = lanes.iter().find(of) {
            return Some(Arc::clone(lane));
        }
        stream.serves(self.gpu.number);
        let lane = Arc::new(self.lane_of(stream, self.pool.shard(stream.id)?));
        lanes.push(Arc::clone(&lane));
        Some(lane)
    }

    fn lane_of(&'static self, stream: &Arc<Stream>, shard: Arc<Shard>) -> Lane {
        Lane {
            arena: self,
            shard,
            stream: Arc::clone(stream),
            closed: AtomicBool::new(false),
            misses: AtomicU32::new(0),
        }
    }

    /// A stream was destroyed.
    pub(crate) fn stream_gone(&self, stream: u64) {
        self.lanes.write().retain(|lane| {
            let goes = lane.stream.id == stream;
            if goes {
                lane.closed.store(true, Ordering::Release);
                self.pool.close(&lane.shard);
            }
            !goes
        });
    }

    /// Frees a block that is not simply cached again. Answers whether it was live.
    #[cold]
    pub(crate) fn free_slowly(&self, offset: u64) -> bool {
        let Some(home) = self.pool.home_of(offset) else {
            return false;
        };
        let passed = clocks::passed();
        let passed = |stream| passed.of(stream);
        let own = home.stream();
        let users: Vec<u64> = self.pool.uses(offset).iter().map(|user| user.0).collect();
        let moment = clocks::now();
        for &user in users.iter().filter(|&&user| user != own) {
            // It waits for what is queued there by now. If another thread frees it meanwhile, that one has said so too.
            let _said_by_another = self.pool.check(offset, 1, Some((user, moment)), passed);
        }
        let by = Some((own, moment));
        let freed = self.pool.free(&home, offset, None, by, passed, |_, _| {});
        if freed.is_err() {
            return false;
        }
        if users.iter().any(|&user| user != own) {
            self.mark(&users, own);
        }
        true
    }

    /// Records epochs on the streams that a freed block waits for.
    fn mark(&self, users: &[u64], own: u64) {
        let streams = clocks::all();
        let waited = |stream: &&Arc<Stream>| stream.id != own && users.contains(&stream.id);
        let marked = inside(&*self.gpu.device, || {
            for stream in streams.iter().filter(waited) {
                self.gpu.record(stream);
            }
        });
        // Without epochs the block only waits for longer.
        drop(marked);
    }

    /// Queued work of a stream uses the block that contains an offset; false if there is none.
    pub(crate) fn note_use(&self, offset: u64, stream: &Stream) -> bool {
        stream.serves(self.gpu.number);
        let passed = clocks::passed();
        let user = Some((stream.id, clocks::now()));
        self.pool
            .check(offset, 1, user, |stream| passed.of(stream))
            .is_ok()
    }

    /// Gives idle pages back until `keep` bytes are left; returns how many bytes went. Called inside the device.
    pub(crate) fn give_back(&self, keep: u64) -> u64 {
        if self.keeps() {
            return 0;
        }
        let leaving = self.pool.begin_return(keep, &View::blind());
        self.settle(&leaving)
    }

    /// Gives back what was idle for long, down to the threshold.
    fn decay(&self) {
        // Each stream has its own period: with several of them a page would not have been idle for long after one.
        let streams = self.lanes.read().len().max(1) as u64;
        let ended = self.counts.periods.fetch_add(1, Ordering::Relaxed) + 1;
        if self.keeps() || !ended.is_multiple_of(streams) {
            return;
        }
        self.gpu.poll();
        let mut leaving = self.pool.begin_decay(&View::blind());
        let held = self.counts.held.load(Ordering::Acquire);
        let spare = held.saturating_sub(self.settings.release_threshold);
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
        let device = &*self.gpu.device;
        let mut returned = 0;
        for run in leaving {
            self.tell(Moment::Unmapping, run.pages.offset, run.pages.bytes);
            match self.mapped.give_back(device, run.pages, &self.gpu.others) {
                Gone::Returned => {
                    self.pool.end_return(run, true);
                    returned += run.pages.bytes;
                }
                Gone::Stayed => self.pool.end_return(run, false),
                // The pool keeps treating them as leaving, so they are not handed out.
                Gone::Lost => {}
            }
        }
        if returned > 0 {
            self.let_go(returned);
            self.counts.returns.fetch_add(1, Ordering::Relaxed);
            let pages = self.settings.page.at(returned);
            self.counts
                .returned_pages
                .fetch_add(pages, Ordering::Relaxed);
        }
        returned
    }

    /// Counts pages that were taken from the device. `Gpu::hold` has checked the limit before.
    fn has_backed(&self, bytes: u64) {
        if bytes == 0 {
            return;
        }
        self.gpu.has_backed(bytes);
        let held = self.counts.held.fetch_add(bytes, Ordering::AcqRel) + bytes;
        self.counts.most_held.fetch_max(held, Ordering::AcqRel);
        self.counts.grown.fetch_add(1, Ordering::Relaxed);
        let pages = self.settings.page.at(bytes);
        self.counts.grown_pages.fetch_add(pages, Ordering::Relaxed);
    }

    /// Counts pages that went back to the device.
    fn let_go(&self, bytes: u64) {
        self.counts.held.fetch_sub(bytes, Ordering::AcqRel);
        self.gpu.gave_back(bytes);
    }

    /// Tells the program about pages.
    fn tell(&self, moment: Moment, offset: u64, bytes: u64) {
        noted::pages(self, moment, offset, bytes);
        if news::anybody() {
            news::tell(&self.news(moment, 0, self.base + offset, bytes));
        }
    }

    fn news(&self, moment: Moment, stream: u64, address: u64, bytes: u64) -> News {
        let (free, total) = match moment {
            Moment::Shortage | Moment::OutOfMemory => {
                self.gpu.device.memory().unwrap_or((0, self.gpu.total))
            }
            Moment::Mapped | Moment::Unmapping => (0, self.gpu.total),
        };
        News {
            struct_size: size_of::<News>(),
            moment: moment as u32,
            device: self.gpu.number,
            pool: self.handle(),
            stream,
            address,
            bytes,
            reserved_bytes: self.gpu.held().0,
            device_free_bytes: free,
            device_total_bytes: total,
        }
    }

    /// Returns what can be returned; `keep` bytes stay.
    pub(crate) fn trim(&self, keep: u64) -> Result<u64, Refused> {
        inside(&*self.gpu.device, || {
            self.gpu.poll();
            self.give_back(keep)
        })
    }

    /// Lets devices access all that is mapped.
    pub(crate) fn allow(&self) -> Result<(), Refused> {
        inside(&*self.gpu.device, || {
            self.mapped.allow(&*self.gpu.device, &self.gpu.others)
        })?
    }

    /// Its pool was destroyed: answers whether nothing is left of it, so that it can serve another.
    pub(crate) fn is_empty(&self) -> bool {
        self.pool.live_blocks() == 0 && self.counts.held.load(Ordering::Acquire) == 0
    }

    /// Serves a new pool, with new lanes for the shards of streams that it knows.
    pub(crate) fn begin_again(&'static self, keep: bool) {
        for lane in self.lanes.write().iter_mut() {
            *lane = Arc::new(self.lane_of(&lane.stream, Arc::clone(&lane.shard)));
        }
        self.pool.forget_history();
        let zero = |count: &AtomicU64| count.store(0, Ordering::Relaxed);
        zero(&self.counts.grown);
        zero(&self.counts.grown_pages);
        zero(&self.counts.returns);
        zero(&self.counts.returned_pages);
        zero(&self.counts.most_held);
        *self.counts.base.lock() = numbers::Base::default();
        self.keep.store(keep, Ordering::Release);
        self.ended.store(false, Ordering::Release);
    }

    /// The handle of a stream that has a lane here; 0 for another.
    pub(crate) fn stream_of(&self, stream: u64) -> u64 {
        let lanes = self.lanes.read();
        let lane = lanes.iter().find(|lane| lane.stream.id == stream);
        lane.map_or(0, |lane| lane.stream.key.handle)
    }

    /// What a stream knows, for the pool.
    fn view(&self, stream: &Stream) -> View {
        let (clock, now) = stream.knows();
        View {
            // A graph runs again, when what was waited for once says nothing any more.
            clock: if self.keeps() {
                Clock::default()
            } else {
                clock
            },
            now,
            passed: clocks::passed(),
        }
    }
}

/// What one stream knows of the others.
#[derive(Debug)]
struct View {
    clock: Clock,
    now: u64,
    passed: Passed,
}

impl View {
    /// Knows no stream: only work that has completed for all streams counts.
    fn blind() -> Self {
        Self {
            clock: Clock::default(),
            now: clocks::now(),
            passed: clocks::passed(),
        }
    }
}

impl Order for View {
    fn known(&self, stream: u64) -> u64 {
        self.clock.of(stream)
    }

    fn passed(&self, stream: u64) -> u64 {
        self.passed.of(stream)
    }

    fn now(&self) -> u64 {
        self.now
    }
}

/// What the pool is asked for.
#[inline(always)]
pub(crate) fn ask(bytes: u64) -> Option<Ask> {
    let rounded = bytes
        .max(1)
        .checked_next_multiple_of(millpond_pool::GRANULE)?;
    Some(Ask {
        charge: rounded,
        requested: bytes,
        ..Ask::of(rounded)
    })
}
