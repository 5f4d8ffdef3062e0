//! The pool: stream-ordered memory as a policy over offsets.
//!
//! A [`Pool`] decides which bytes serve a request and never calls a device. [`Pool::alloc`] returns a cached block;
//! if there is none, [`Pool::alloc_slow`] searches. If pages are missing, the result contains a [`Growth`]: the caller
//! carries it out and then calls [`Pool::grown`] or [`Pool::not_grown`].
//!
//! **Order.** Memory freed in the order of a stream is available to that stream immediately. Another stream gets it
//! when the caller's [`Order`] says that this stream knows the first to be past the free. The pool polls nothing and
//! creates no event per block: it compares one number per stream.
//!
//! **Locks.** Each shard has a lock, and the ground has one. The ground's lock is taken first; its holder may take the
//! lock of any shard, so at most one thread holds several locks. A thread that holds only a shard's lock takes no
//! other. So there is no cycle.

mod accounts;
mod search;

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use self::search::{Search, Strain};
use crate::GRANULE;
use crate::ground::{Ground, Growth, Leaving, Owner, Piece};
use crate::headers::{Header, Headers, State};
use crate::numbers::Numbers;
use crate::pages::{PageSize, Pages};
use crate::shard::{Body, HOST, Shard, Shards};
use crate::starts::Starts;
use crate::statistics::{Counters, class_of};
use crate::sync::Lock;

/// Options of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Bytes of addresses.
    pub bytes: u64,
    /// Bytes of addresses after those, for windows; 0 if a page cannot be mapped at two addresses.
    pub windows: u64,
    /// The unit in which memory is requested from the device.
    pub page: PageSize,
    /// The maximum total charge of live blocks, in bytes.
    pub limit: u64,
    /// A pool *economises* when it merges cached blocks, reuses what other streams freed and borrows pages before it
    /// grows. It does so when it would hold more than the peak of needed bytes and this many thousandths of it. With 0 it
    /// always does.
    pub slack: u32,
    /// If the pool has to economise often, the slack is raised, up to this many thousandths; above the floor, up to twice the
    /// slack, or four times if threads wait for each other. If they do not, a pool above the floor first tries something else:
    /// it merges freed blocks that are not small at once.
    pub most_slack: u32,
    /// Whatever the slack, the pool does not economise while it holds at most this many bytes of pages.
    pub freely: u64,
    /// Up to this many bytes, a pool that economises borrows no pages unless it would hold a quarter more than the peak of
    /// needed bytes: mapping pages takes more time than so little memory is worth.
    pub floor: u64,
    /// Whether the peak of the charge is exact even if several threads use several streams. They then contend
    /// occasionally.
    pub exact_peak: bool,
    /// While more streams than this have live blocks, the peak may be too low by one part in sixteen although it is to be
    /// exact, and the slack may be raised to 1,500 thousandths once threads have waited for each other: see
    /// [`Pool::disputes`]. Threads that each have a stream then contend rarely.
    pub few_streams: u32,
}

impl Options {
    /// What a pool for a GPU has: [`GPU_PAGE`], [`GPU_SLACK`], and exact peaks.
    ///
    /// Memory of a GPU is scarce, and mapping a page costs 40 to 60 µs whatever its size. With these options five recorded
    /// programs hold at most 1.015 times what is live, and as much if all their blocks are larger or smaller by a third; with
    /// pages of 8 MiB, 1.035 times, and with pages of 2 MiB, twice as many are moved.
    pub const fn of_gpu(bytes: u64) -> Self {
        Self {
            page: GPU_PAGE,
            slack: GPU_SLACK,
            most_slack: GPU_SLACK * GPU_MOST,
            exact_peak: true,
            few_streams: GPU_FEW_STREAMS,
            ..Self::new(bytes)
        }
    }

    /// A pool over `bytes` bytes of addresses with default options.
    pub const fn new(bytes: u64) -> Self {
        Self {
            bytes,
            windows: 0,
            page: PageSize::SMALLEST,
            limit: u64::MAX,
            slack: 25,
            most_slack: 1500,
            freely: 0,
            floor: 0,
            exact_peak: false,
            few_streams: u32::MAX,
        }
    }
}

/// The unit in which memory of a GPU is taken: see [`Options::of_gpu`].
pub const GPU_PAGE: PageSize = match PageSize::new(4 << 20) {
    Some(page) => page,
    None => PageSize::SMALLEST,
};

/// The slack of a GPU's pool, in thousandths.
pub const GPU_SLACK: u32 = 15;

/// How many times that it may become, if threads wait for each other.
pub const GPU_MOST: u32 = 4;

/// Up to so many streams with live blocks, the peak is exact: as many as one thread usually has.
const GPU_FEW_STREAMS: u32 = 4;

/// A request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ask {
    /// Requested bytes; the size of the block is rounded up to the granule.
    pub bytes: u64,
    /// The alignment of the start: a power of two.
    pub align: u64,
    /// The charge: the bytes that it counts against the limit.
    pub charge: u64,
    /// Stored with the block: the bytes that the program requested.
    pub requested: u64,
    /// Stored with the block: 7 bits for the caller.
    pub kind: u8,
}

impl Ask {
    /// A request that is charged its own size.
    pub const fn of(bytes: u64) -> Self {
        Self {
            bytes,
            align: GRANULE,
            charge: bytes,
            requested: bytes,
            kind: 0,
        }
    }

    /// The size of the block.
    fn rounded(&self) -> Option<u64> {
        self.bytes.max(1).checked_next_multiple_of(GRANULE)
    }

    /// The same in granules, for the lookup of cached blocks. For 0 bytes and on overflow it is a size without
    /// cached blocks, and the slow path handles the request.
    #[inline(always)]
    fn granules(&self) -> u64 {
        (self.bytes.wrapping_sub(1) / GRANULE) + 1
    }
}

/// What is known about the order of streams at the time of a call.
pub trait Order {
    /// The position up to which the caller's stream knows the work of `stream` to be complete.
    fn known(&self, stream: u64) -> u64;
    /// The position up to which it is complete for all streams.
    fn passed(&self, stream: u64) -> u64;
    /// The position of the caller's stream: the number of tasks queued so far. Waits on events are tasks too, so a
    /// stream that knows this position also knows what this stream has learned.
    fn now(&self) -> u64;
    /// Whether the pool may reserve `more` bytes beyond its maximum since [`Pool::lower_mark`]. Called when a pool
    /// with [`Options::exact_peak`] charges more than it has reserved. The implementation must not take a lock of
    /// the caller's pool.
    fn reserve(&self, more: u64) -> bool {
        let _ = more;
        true
    }
}

/// A cached block; its size is the request, rounded up to the granule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quick {
    /// The block.
    pub id: BlockId,
    /// Its start.
    pub offset: u64,
    /// Its serial number.
    pub serial: u64,
}

/// The result of a request.
#[derive(Debug)]
pub struct Grant {
    /// The block.
    pub id: BlockId,
    /// The start of the block.
    pub offset: u64,
    /// Its size.
    pub bytes: u64,
    /// Its serial number, unique among all blocks of the pool's [`Numbers`].
    pub serial: u64,
    /// What the caller has to do before the block can be used; finish with [`Pool::grown`] or [`Pool::not_grown`].
    pub growth: Option<Box<Growth>>,
    /// A period has ended: the caller should call [`Pool::begin_decay`].
    pub decays: bool,
}

/// Why a request failed. The pool is unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The charge would exceed the limit.
    Limit,
    /// There is no free address range for a block of this size.
    Addresses,
    /// [`Order::reserve`] returned false.
    Reserve,
}

/// The offset is not the start of a live block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotLive {
    /// The start of the live block that contains the offset, if any.
    pub inside: Option<u64>,
}

/// A live block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Its start.
    pub offset: u64,
    /// Its size.
    pub bytes: u64,
    /// The bytes that the program requested; see [`Ask`].
    pub requested: u64,
    /// Its charge; see [`Ask`].
    pub charge: u64,
    /// Its serial number.
    pub serial: u64,
    /// The caller's 7 bits; see [`Ask`].
    pub kind: u8,
}

/// A block that is being freed. Its metadata is read only on demand.
#[derive(Debug, Clone, Copy)]
pub struct Freed<'a>(&'a Header);

impl Freed<'_> {
    /// Its metadata.
    pub fn found(self) -> Found {
        found(self.0)
    }
}

/// Identifies a live block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlockId(u32);

/// A free that is not in the order of any stream.
const NOBODY: (u64, u64) = (HOST, 0);

/// A pending block of another shard that this stream may use.
struct Waiting {
    id: u32,
    home: Owner,
    bytes: u64,
    offset: u64,
    since: u64,
}

/// Upper bound for the pieces that one request creates.
const SPARE_PIECES: usize = if cfg!(loom) { 1 << 8 } else { 1 << 16 };

/// The part of the peak by which it may be too low: see [`Options::few_streams`].
const INEXACT: u64 = 16;

/// How many pending blocks an allocation checks one by one.
const LOOKS: usize = 8;

/// Stream-ordered memory as a policy. See the module comment.
pub struct Pool {
    options: Options,
    /// Where windows begin.
    home: u64,
    headers: Headers,
    starts: Starts,
    shards: Shards,
    host: Arc<Shard>,
    numbers: Arc<Numbers>,
    disputes: Aside<AtomicU32>,
    state: Aside<Lock<Books>>,
}

/// On separate cache lines, including the adjacent ones that processors prefetch: every call reads the rest of a
/// pool, and a thread that takes the lock must not invalidate that for the others.
#[derive(Debug)]
#[repr(align(256))]
struct Aside<T>(T);

impl<T> Deref for Aside<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

#[derive(Debug)]
struct Books {
    ground: Ground,
    limit: u64,
    /// The charge of memory outside of the pool: see [`Pool::hold`].
    held: u64,
    /// The current slack: see [`Options::most_slack`].
    slack: u32,
    strain: Strain,
    /// Whether freed blocks that are not small are merged at once, until the slack is reset: see [`Options::most_slack`].
    coalesces: bool,
    /// How many shards had live blocks when the allowances were last distributed.
    busy: u64,
    /// Whether many streams have live blocks: see [`Options::few_streams`].
    crowded: bool,
    /// What [`Pool::disputes`] was when the slack was last reset.
    disputes: u32,
    peak: u64,
    /// The bytes reserved for the charge, and their maximum: see [`Order::reserve`].
    mark: u64,
    highest_mark: u64,
    /// The peak of needed bytes: see `Search::soft`.
    peak_needed: u64,
    peak_reserved: u64,
}

impl fmt::Debug for Pool {
    /// Omits the blocks, of which there may be millions; see [`Pool::statistics`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Books {
    /// The reserved bytes have served a request.
    fn note_mark(&mut self) {
        self.highest_mark = self.highest_mark.max(self.mark);
    }
}

impl Pool {
    /// A pool that holds nothing yet.
    pub fn new(options: Options) -> Self {
        Self::numbered(options, Arc::default())
    }

    /// The same, with serial numbers that are shared with other pools.
    pub fn numbered(options: Options, numbers: Arc<Numbers>) -> Self {
        let home = options.page.down(options.bytes);
        let shards = Shards::default();
        // Shard 0 is for memory that belongs to no stream.
        let host = shards.open(HOST).expect("the first of many");
        Self {
            options,
            home,
            headers: Headers::default(),
            starts: Starts::new(home.saturating_add(options.windows)),
            shards,
            host,
            numbers,
            disputes: Aside(AtomicU32::new(0)),
            state: Aside(Lock::new(Books {
                ground: Ground::new(home, options.windows, options.page),
                limit: options.limit,
                held: 0,
                slack: options.slack,
                coalesces: false,
                strain: Strain::default(),
                busy: 1,
                crowded: false,
                disputes: 0,
                peak: 0,
                mark: 0,
                highest_mark: 0,
                peak_needed: 0,
                peak_reserved: 0,
            })),
        }
    }

    /// The shard for memory that belongs to no stream.
    pub fn host(&self) -> &Arc<Shard> {
        &self.host
    }

    /// Opens a shard for a stream other than [`HOST`]; `None` if there are 65,535 already.
    pub fn shard(&self, stream: u64) -> Option<Arc<Shard>> {
        self.shards.open(stream)
    }

    /// The stream of a shard has ended. Once its last block is freed and its work is complete, its memory is available
    /// to all streams.
    pub fn close(&self, shard: &Shard) {
        shard.body.lock().closed = true;
    }

    /// Assigns the memory of a shard to another stream, which allocates nothing.
    pub fn disown(&self, shard: &Shard, stream: u64) {
        let mut body = shard.body.lock();
        shard.serve(stream);
        body.closed = true;
    }

    /// Resets the statistics: peaks become the current values, and counts restart. For a pool without live
    /// blocks.
    pub fn forget_history(&self) {
        self.reset_peak();
        self.reset_highest_mark();
        let mut books = self.state.lock();
        books.peak_reserved = books.ground.backed_bytes();
        for (_, mut body) in self.locked() {
            if body.counters.live_blocks() == 0 {
                body.counters = Counters::default();
            }
        }
    }

    /// Returns a cached block of the right size: the common case and the fast path.
    #[inline(always)]
    pub fn alloc(&self, shard: &Shard, ask: &Ask) -> Option<Quick> {
        let granules = ask.granules();
        let mut body = shard.body.lock();
        let body = &mut *body;
        let room = body.room_for(ask.charge)?;
        let (id, header, class) = body.kept.pop(&self.headers, granules, ask.align)?;
        let serial = body.charge_in(room);
        body.counters.handed_out(granules, class, ask.requested);
        hand_out(header, serial, ask);
        Some(Quick {
            id: BlockId(id),
            offset: header.offset.load(Relaxed),
            serial,
        })
    }

    /// Finds, cuts or grows a block: the slow path.
    pub fn alloc_slow(
        &self,
        shard: &Shard,
        ask: &Ask,
        order: &dyn Order,
    ) -> Result<Grant, Refusal> {
        self.alloc_near(shard, ask, order, None)
    }

    /// The same, at offset `wish` if the bytes there are free.
    pub fn alloc_near(
        &self,
        shard: &Shard,
        ask: &Ask,
        order: &dyn Order,
        wish: Option<u64>,
    ) -> Result<Grant, Refusal> {
        debug_assert!(ask.align.is_power_of_two());
        let bytes = ask.rounded().ok_or(Refusal::Addresses)?;
        if bytes > self.options.bytes {
            return Err(Refusal::Addresses);
        }
        let align = ask.align.max(GRANULE);
        let mut books = self.state.try_lock().unwrap_or_else(|| {
            self.disputes.fetch_add(1, Relaxed);
            self.state.lock()
        });
        let books = &mut *books;
        // A request creates a few pieces, and each may become a block.
        if books.ground.pieces() + SPARE_PIECES > Headers::MOST {
            return Err(Refusal::Addresses);
        }
        let mut body = shard.body.lock();
        let body = &mut *body;
        let decays = body.next_turn(&self.numbers);
        let (peak_before, most_before) = (books.peak, body.most_charged());
        self.level(books, shard.index, body, ask.charge, order)?;
        let mut search = Search {
            pool: self,
            books,
            shard,
            order,
            recurs: false,
        };
        let wish = wish.filter(|wish| wish.is_multiple_of(align));
        let at_wish = wish.and_then(|wish| search.at(body, wish, bytes));
        let found = match at_wish {
            Some(id) => Ok((id, None)),
            None => search.find(body, bytes, align),
        };
        let peaks = (peak_before, search.books.peak);
        let (id, mut growth) = found.inspect_err(|_| {
            body.uncharge(ask.charge, most_before);
            search.books.peak = peak_before;
        })?;
        match &mut growth {
            Some(growth) => growth.peaks = peaks,
            None => search.books.note_mark(),
        }
        let header = self.headers.get(id);
        // The size of a window is a multiple of the page size.
        let bytes = header.bytes.load(Relaxed);
        let serial = body.serial();
        body.counters
            .handed_out(bytes / GRANULE, class_of(bytes), ask.requested);
        hand_out(header, serial, ask);
        Ok(Grant {
            serial,
            id: BlockId(id),
            offset: header.offset.load(Relaxed),
            bytes,
            growth,
            decays,
        })
    }

    /// How often a request had to wait because another thread was searching; it wraps around.
    pub fn disputes(&self) -> u32 {
        self.disputes.load(Relaxed)
    }

    /// Makes room for `charge` more in this shard by distributing the allowances again.
    fn level(
        &self,
        books: &mut Books,
        own: Owner,
        body: &mut Body,
        charge: u64,
        order: &dyn Order,
    ) -> Result<(), Refusal> {
        if body.charge(charge) {
            return Ok(());
        }
        let others = || self.shards.all().filter(|other| other.index != own);
        let mut total = books.held + body.charged();
        let mut busy = 1;
        // All shards at one moment, and none may charge more until the allowances are distributed.
        let locked: Vec<_> = others().map(|other| other.body.lock()).collect();
        for mut other in locked {
            total += other.charged();
            busy += u64::from(other.charged() > 0);
            other.allow(0);
        }
        let Some(new) = total.checked_add(charge).filter(|&new| new <= books.limit) else {
            return Err(Refusal::Limit);
        };
        let is_exact = busy <= u64::from(self.options.few_streams);
        books.busy = busy;
        books.crowded = !is_exact;
        let more = if is_exact { 0 } else { new / INEXACT };
        if self.options.exact_peak && new > books.mark {
            let marks = [new.saturating_add(more).min(books.limit), new];
            let marks = if is_exact { &marks[1..] } else { &marks[..] };
            let reserved = marks.iter().find(|&&mark| order.reserve(mark - books.mark));
            books.mark = *reserved.ok_or(Refusal::Reserve)?;
        }
        books.peak = books.peak.max(new);
        let most = if self.options.exact_peak {
            // The limit may have been lowered below the peak.
            books
                .peak
                .saturating_add(more)
                .min(books.mark)
                .min(books.limit)
        } else {
            books.limit
        };
        let share = (most - new) / (busy + 1);
        for other in others() {
            let mut other = other.body.lock();
            let more = if other.charged() > 0 { share } else { 0 };
            other.allow(more);
        }
        body.allow(charge + share);
        body.charge(charge);
        Ok(())
    }

    /// The caller has carried out a growth.
    pub fn grown(&self, growth: Growth) {
        let mut books = self.state.lock();
        books.ground.finish(growth);
        books.note_mark();
        books.peak_reserved = books.peak_reserved.max(books.ground.backed_bytes());
    }

    /// The device failed to back the pages in `failed`, or to map one in a window: the block that needed them is
    /// released.
    pub fn not_grown(&self, shard: &Shard, growth: Growth, failed: &[Pages], now: u64) {
        let mut books = self.state.lock();
        let mut body = shard.body.lock();
        let header = self.headers.get(growth.block);
        let bytes = header.bytes.load(Relaxed);
        header.set(State::None);
        body.discharge(header.charge.load(Relaxed));
        body.counters.undo(bytes, header.requested.load(Relaxed));
        body.end_uses(header, growth.block, 0);
        drop(body);
        // The block was never returned to a caller; the allowance follows the peak.
        if books.peak == growth.peaks.1 {
            books.peak = growth.peaks.0;
            self.take_allowances();
        }
        self.starts.remove(header.offset.load(Relaxed));
        books.ground.abandon(growth, failed, now);
        books.peak_reserved = books.peak_reserved.max(books.ground.backed_bytes());
    }

    /// Borrows no pages from now on, because the device cannot map more of them. Blocks in windows stay where they are.
    pub fn end_windows(&self) {
        self.state.lock().ground.end_windows();
    }

    /// Finds the home shard of the block at `offset`, or that contains it, and locks the shard.
    #[inline(always)]
    fn at_home<R>(
        &self,
        likely: &Shard,
        find: impl Fn() -> Option<u32>,
        fits: impl Fn(&Header) -> bool,
        act: impl FnOnce(&Shard, &mut Body, &Header, u32) -> R,
    ) -> Option<R> {
        loop {
            let id = find()?;
            let header = self.headers.get(id);
            let home = header.home.load(Relaxed);
            let shard = if home == likely.index {
                likely
            } else {
                self.shards.get(home)?
            };
            let mut body = shard.body.lock();
            if header.home.load(Relaxed) != home {
                // It moved to another shard in the meantime.
                continue;
            }
            if !header.is(State::Live) || !fits(header) {
                return None;
            }
            return Some(act(shard, &mut body, header, id));
        }
    }

    /// Frees the block that starts at `offset`; with a `serial`, only if it still has that serial number. `likely` is
    /// the shard that it probably belongs to: a hint that avoids a lookup.
    ///
    /// `by` is the stream in whose order it is freed, and the position in that stream. `passed` returns the position up
    /// to which a stream's work is complete. `note` is called with the block, and whether it becomes pending on other
    /// streams, before its bytes can be reused.
    #[inline(always)]
    pub fn free(
        &self,
        likely: &Shard,
        offset: u64,
        serial: Option<u64>,
        by: Option<(u64, u64)>,
        passed: impl Fn(u64) -> u64,
        mut note: impl FnMut(Freed<'_>, bool),
    ) -> Result<(), NotLive> {
        let is_it = |header: &Header| {
            header.offset.load(Relaxed) == offset
                && serial.is_none_or(|serial| header.serial.load(Relaxed) == serial)
        };
        if let Some(id) = self.starts.near(offset)
            && self.free_plain(likely, id, is_it, by, &mut note)
        {
            return Ok(());
        }
        let find = || self.starts.at(offset);
        if self.free_otherwise(likely, find, is_it, by.unwrap_or(NOBODY), passed, note) {
            return Ok(());
        }
        Err(self.not_live(offset))
    }

    /// Frees the block that starts at `offset` at this position of the stream whose shard it belongs to, if no other stream
    /// uses it. If this returns false, see [`Pool::home_of`].
    pub fn free_at_home(&self, offset: u64, position: u64) -> bool {
        let Some(id) = self.starts.near(offset) else {
            return false;
        };
        // A hint, as for every reader of the starts: it is checked under the lock of the shard.
        let home = self.headers.get(id).home.load(Relaxed);
        let shard = self.shards.get(home);
        shard.is_some_and(|shard| self.free_of(shard, id, offset, position))
    }

    /// [`Pool::free_at_home`] for a block that belongs to this shard; false for other blocks too. It looks the shard up
    /// nowhere, so the processor need not wait for what the lookup finds before it takes the lock.
    #[inline(always)]
    pub fn free_near(&self, shard: &Shard, offset: u64, position: u64) -> bool {
        let found = self.starts.near(offset);
        found.is_some_and(|id| {
            self.headers.get(id).home.load(Relaxed) == shard.index
                && self.free_of(shard, id, offset, position)
        })
    }

    #[inline(always)]
    fn free_of(&self, shard: &Shard, id: u32, offset: u64, position: u64) -> bool {
        let is_it = |header: &Header| header.offset.load(Relaxed) == offset;
        let by = Some((shard.stream(), position));
        self.free_plain(shard, id, is_it, by, &mut |_, _| {})
    }

    /// The shard of the live block that contains `offset`.
    pub fn home_of(&self, offset: u64) -> Option<Arc<Shard>> {
        let home = self.at_home(
            self.host(),
            || self.starts.at_or_before(offset),
            |header| covers(header, offset),
            |shard, _, _, _| shard.index,
        );
        home.and_then(|home| self.shards.get(home)).cloned()
    }

    /// Frees the block that starts at `offset` outside of any stream order, if it belongs to this shard and no other
    /// stream uses it. If this returns false, call [`Pool::free`].
    #[inline(always)]
    pub fn free_plainly(&self, shard: &Shard, offset: u64) -> bool {
        let is_it = |header: &Header| header.offset.load(Relaxed) == offset;
        let found = self.starts.near(offset);
        found.is_some_and(|id| self.free_plain(shard, id, is_it, None, &mut |_, _| {}))
    }

    /// Frees a block by its id: see [`Pool::free`].
    #[inline(always)]
    pub fn free_block(
        &self,
        likely: &Shard,
        BlockId(id): BlockId,
        by: Option<(u64, u64)>,
        passed: impl Fn(u64) -> u64,
    ) -> Result<(), NotLive> {
        if self.free_plain(likely, id, |_| true, by, &mut |_, _| {})
            || self.free_otherwise(
                likely,
                || Some(id),
                |_| true,
                by.unwrap_or(NOBODY),
                passed,
                |_, _| {},
            )
        {
            return Ok(());
        }
        Err(NotLive { inside: None })
    }

    /// Frees a block of this shard that no other stream uses: the common case and the fast path. Returns false for
    /// other blocks.
    #[inline(always)]
    fn free_plain(
        &self,
        shard: &Shard,
        id: u32,
        fits: impl Fn(&Header) -> bool,
        by: Option<(u64, u64)>,
        note: &mut impl FnMut(Freed<'_>, bool),
    ) -> bool {
        let header = self.headers.get(id);
        let own = shard.stream();
        let mut since = by.map_or(0, |(_, position)| position);
        if by.is_some_and(|(stream, _)| stream != own) {
            return false;
        }
        let mut body = shard.body.lock();
        if header.home.load(Relaxed) != shard.index || !header.is_plainly_live() || !fits(header) {
            return false;
        }
        let used_by = header.stream.load(Relaxed);
        if used_by != HOST {
            if used_by != own {
                return false;
            }
            header.stream.store(HOST, Relaxed);
        }
        // Also for an unused block: its bytes may have been used before it was cut or cached.
        since = since.max(header.position.load(Relaxed));
        let bytes = header.bytes.load(Relaxed);
        body.discharge(header.charge.load(Relaxed));
        note(Freed(header), false);
        header.position.store(since, Relaxed);
        let (kept, class) = match body.kept.push_again(header, id, bytes) {
            Some(again) => again,
            None => (self.keep(&mut body, header, id, bytes), class_of(bytes)),
        };
        body.counters.taken_back(class);
        if kept {
            header.set_plain(State::Kept);
            return true;
        }
        header.set_plain(State::None);
        drop(body);
        self.put_one(id, shard.index, since);
        true
    }

    /// Frees any block; false if there is none. `by` is passed in registers, otherwise the fast path would write it to
    /// memory.
    #[cold]
    #[inline(never)]
    fn free_otherwise(
        &self,
        likely: &Shard,
        find: impl Fn() -> Option<u32>,
        fits: impl Fn(&Header) -> bool,
        by: (u64, u64),
        passed: impl Fn(u64) -> u64,
        note: impl FnMut(Freed<'_>, bool),
    ) -> bool {
        let by = (by != NOBODY).then_some(by);
        let freed = self.at_home(likely, find, fits, |shard, body, header, id| {
            self.take_back(shard, body, header, id, by, passed, note)
        });
        if let Some(Some((id, owner, since))) = freed {
            self.put_one(id, owner, since);
        }
        freed.is_some()
    }

    /// Frees a live block, under the lock of its home shard. Returns what to merge afterwards: the block, its owner,
    /// and the position after which others may use it.
    #[expect(clippy::too_many_arguments, reason = "inlined into one caller")]
    fn take_back(
        &self,
        shard: &Shard,
        body: &mut Body,
        header: &Header,
        id: u32,
        by: Option<(u64, u64)>,
        passed: impl Fn(u64) -> u64,
        mut note: impl FnMut(Freed<'_>, bool),
    ) -> Option<(u32, Owner, u64)> {
        let bytes = header.bytes.load(Relaxed);
        body.discharge(header.charge.load(Relaxed));
        body.counters.taken_back(class_of(bytes));
        // Unused by its own stream, but its bytes may have been used before it was cut or cached.
        let before = if header.stream.load(Relaxed) == HOST {
            header.position.load(Relaxed)
        } else {
            0
        };
        if let Some(by) = by {
            body.note_use(header, id, shard.stream(), by, &passed);
        }
        let ready = ready_at_home(body, header, id, shard.stream(), &passed);
        let ready = ready.map(|since| since.max(before));
        note(Freed(header), ready.is_none());
        let Some(since) = ready else {
            header.set(State::Pending);
            // The requested size is no longer needed; the field now stores the stream that freed the block.
            let freed_by = by.map_or(HOST, |(stream, _)| stream);
            header.requested.store(freed_by, Relaxed);
            body.wait_for(id, bytes);
            return None;
        };
        body.end_uses(header, id, since);
        if self.keep(body, header, id, bytes) {
            header.set(State::Kept);
            return None;
        }
        header.set(State::None);
        Some((id, shard.index, since))
    }

    /// Caches a freed block if there is room and its pages are not borrowed: borrowed pages are returned immediately.
    fn keep(&self, body: &mut Body, header: &Header, id: u32, bytes: u64) -> bool {
        header.offset.load(Relaxed) < self.home && body.kept.push(header, id, bytes)
    }

    #[cold]
    #[inline(never)]
    fn put_one(&self, id: u32, owner: Owner, since: u64) {
        let mut books = self.state.lock();
        self.starts
            .remove(self.headers.get(id).offset.load(Relaxed));
        books.ground.put(id, owner, since);
    }

    #[cold]
    fn not_live(&self, offset: u64) -> NotLive {
        NotLive {
            inside: self.find(offset).map(|found| found.offset),
        }
    }

    /// The live block that contains `offset`.
    pub fn find(&self, offset: u64) -> Option<Found> {
        self.at_home(
            self.host(),
            || self.starts.at_or_before(offset),
            |header| covers(header, offset),
            |_, _, header, _| found(header),
        )
    }

    /// Checks that `bytes` bytes at `offset` are within one live block. With a `user`, also records that queued work of
    /// that stream uses the block up to a position. Returns the block as an error if the bytes are out of bounds.
    #[inline(always)]
    pub fn check(
        &self,
        offset: u64,
        bytes: u64,
        user: Option<(u64, u64)>,
        passed: impl Fn(u64) -> u64,
    ) -> Result<Result<(), Found>, NotLive> {
        // Most lookups are for the start of a block.
        let find = || {
            self.starts
                .at(offset)
                .or_else(|| self.starts.at_or_before(offset))
        };
        let checked = self.at_home(
            self.host(),
            find,
            |header| covers(header, offset),
            |shard, body, header, id| {
                let start = header.offset.load(Relaxed);
                if bytes > header.bytes.load(Relaxed) - (offset - start) {
                    return Err(found(header));
                }
                if let Some(user) = user {
                    body.note_use(header, id, shard.stream(), user, &passed);
                }
                Ok(())
            },
        );
        checked.ok_or(NotLive { inside: None })
    }

    /// The uses of the live block that contains `offset`: streams and positions.
    pub fn uses(&self, offset: u64) -> Vec<(u64, u64)> {
        let uses = self.at_home(
            self.host(),
            || self.starts.at_or_before(offset),
            |header| covers(header, offset),
            |_, body, header, id| body.uses(header, id),
        );
        uses.unwrap_or_default()
    }

    /// Takes idle pages out of use so that all but `keep` bytes can be returned to the device. The caller returns
    /// each one and then calls [`Pool::end_return`].
    pub fn begin_return(&self, keep: u64, order: &dyn Order) -> Vec<Leaving> {
        let mut books = self.state.lock();
        if keep < books.ground.backed_bytes() {
            // Memory is short, or the program wants it back.
            books.slack = books.slack.min(self.options.slack);
            books.coalesces = false;
            books.disputes = self.disputes();
        }
        self.merge_all(&mut books, order, |_, _| true);
        let limit = (books.ground.backed_bytes()).saturating_sub(keep);
        let passed = |piece: &Piece| piece.since <= self.passed_of(piece.owner, order);
        books.ground.begin_return(limit, passed, |_| false)
    }

    /// Ends a period: takes the pages out of use that were idle during all of it.
    pub fn begin_decay(&self, order: &dyn Order) -> Vec<Leaving> {
        let mut books = self.state.lock();
        let used = books.ground.end_period();
        self.merge_all(&mut books, order, |_, used| !used);
        for shard in self.shards.all() {
            shard.body.lock().kept.begin_period();
        }
        // Merging does not count as a use.
        books.ground.end_period();
        let passed = |piece: &Piece| piece.since <= self.passed_of(piece.owner, order);
        books
            .ground
            .begin_return(u64::MAX, passed, |page| used.touches(page))
    }

    /// The device took the pages back, or it failed and they stay in the pool.
    pub fn end_return(&self, leaving: &Leaving, returned: bool) {
        self.state.lock().ground.end_return(leaving, returned);
    }

    /// Merges the cached blocks for which `which` holds, and pending blocks that are ready.
    fn merge_all(&self, books: &mut Books, order: &dyn Order, which: impl Fn(u64, bool) -> bool) {
        for shard in self.shards.all() {
            let mut body = shard.body.lock();
            let own = shard.stream();
            let ready = body.take_ready(&self.headers, usize::MAX, |body, header, id| {
                ready_at_home(body, header, id, own, &|stream| order.passed(stream))
            });
            for (id, since) in ready {
                self.put(books, id, shard.index, since);
            }
            body.kept.take_if(&self.headers, &which, |id| {
                self.put_kept(books, id, shard.index);
            });
            self.reap(books, shard, &mut body, order);
        }
    }

    /// Makes the memory of a shard available to all streams if its stream has ended and nothing of it is in use.
    fn reap(&self, books: &mut Books, shard: &Shard, body: &mut Body, order: &dyn Order) {
        let empty =
            body.counters.live_blocks() == 0 && body.pending.is_empty() && body.kept.count() == 0;
        let over = order.passed(shard.stream()) == u64::MAX;
        if body.closed && empty && over && shard.index != 0 {
            body.closed = false;
            books.ground.hand_over(shard.index, 0);
            self.shards.retire(shard.index);
        }
    }

    /// Returns an unused block to the ground.
    fn put(&self, books: &mut Books, id: u32, owner: Owner, since: u64) {
        let header = self.headers.get(id);
        header.set(State::None);
        self.starts.remove(header.offset.load(Relaxed));
        books.ground.put(id, owner, since);
    }

    /// The same for a cached block.
    fn put_kept(&self, books: &mut Books, id: u32, owner: Owner) {
        let since = self.headers.get(id).position.load(Relaxed);
        self.put(books, id, owner, since);
    }

    fn passed_of(&self, owner: Owner, order: &dyn Order) -> u64 {
        match self.shards.get(owner) {
            Some(shard) if shard.stream() != HOST => order.passed(shard.stream()),
            _ => u64::MAX,
        }
    }

    fn known_of(&self, owner: Owner, order: &dyn Order) -> u64 {
        match self.shards.get(owner) {
            Some(shard) if shard.stream() != HOST => order
                .known(shard.stream())
                .max(order.passed(shard.stream())),
            _ => u64::MAX,
        }
    }
}

/// Marks a block as live.
#[inline(always)]
fn hand_out(header: &Header, serial: u64, ask: &Ask) {
    header.requested.store(ask.requested, Relaxed);
    header.charge.store(ask.charge, Relaxed);
    header.serial.store(serial, Relaxed);
    header.set_live(ask.kind);
}

/// The position after which others may use a freed block, if its own stream can use it now.
fn ready_at_home(
    body: &Body,
    header: &Header,
    id: u32,
    own: u64,
    passed: &impl Fn(u64) -> u64,
) -> Option<u64> {
    let over = body.all_uses(header, id, |stream, last| {
        stream == own || passed(stream) >= last
    });
    over.then(|| {
        if own == HOST {
            0
        } else {
            body.last_use(header, id, own)
        }
    })
}

/// The position after which others may use a freed block, if `stream` can use it now.
fn ready_for(body: &Body, header: &Header, id: u32, stream: u64, order: &dyn Order) -> Option<u64> {
    let passed = |other: u64, last: u64| order.passed(other) >= last;
    let known = |other: u64, last: u64| other == stream || order.known(other) >= last;
    let over = body.all_uses(header, id, |other, last| {
        passed(other, last) || (stream != HOST && known(other, last))
    });
    over.then(|| {
        if body.all_uses(header, id, passed) {
            0
        } else {
            order.now()
        }
    })
}

#[inline(always)]
fn covers(header: &Header, offset: u64) -> bool {
    let start = header.offset.load(Relaxed);
    start <= offset && offset - start < header.bytes.load(Relaxed)
}

#[inline(always)]
fn found(header: &Header) -> Found {
    Found {
        offset: header.offset.load(Relaxed),
        bytes: header.bytes.load(Relaxed),
        requested: header.requested.load(Relaxed),
        charge: header.charge.load(Relaxed),
        serial: header.serial.load(Relaxed),
        kind: header.kind(),
    }
}
