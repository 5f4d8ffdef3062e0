//! A store: one memory, the pool that divides it, and the device calls between the two.
//!
//! Owns: the pool, which knows which bytes belong to which block, and the device calls that the pool's
//! decisions need.
//!
//! What must always hold:
//! - No lock of the pool is held while the device is called. (A listening sink is called under one,
//!   which is why sinks may not call back.)
//! - `growth` serialises everything that changes which pages are promised, so a page is never returned
//!   while a block on it is being allocated.
//! - Pages that a window borrows are committed before they are mapped there, and the pool lends a page to one block at a time.
//! - A freed block's bytes are reused only when every queued task that uses it is known to be done by
//!   the stream that gets them. Freeing never waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use millpond_device::{AddressRange, DeviceError, Frozen, Gate, Memory, SharedPages};
use millpond_pool::{
    Ask, Found, Freed, GRANULE, Grant, Growth, Leaving, Mapping, Numbers, Options, PageSize, Pages,
    Pool,
};
use millpond_pool::{Refusal, Shard, Statistics};
use millpond_trace::{Bytes, Operation, Position, Space, Tap};

use super::guards::{self, Guards};
use super::report;
use super::request::PageKind;
use crate::error::{Boxed, Error};
use crate::lock::{Mutex, rank};
use crate::order::{HostOrder, Streams};

/// Below one in so many bytes a device's own memory does not economise: the machine has enough. Below one in [`FLOOR`] it
/// maps no page at a second address, as long as it holds at most a quarter more than the program needs.
const FREELY: u64 = 1024;
const FLOOR: u64 = 32;

/// Bytes that wait for queued work before the streams are asked how far they are: a program that never
/// synchronises would otherwise get new memory without end.
const PATIENT: u64 = 256 << 20;

/// A memory with its pool.
#[derive(Debug)]
pub(crate) struct Store {
    pub(super) space: Space,
    memory: Arc<dyn Memory>,
    /// All addresses, and how many of them are not windows.
    pub(super) range: AddressRange,
    home: u64,
    distance: u64,
    touchable: bool,
    /// Bytes that are charged here and are in other memory: pieces, and what pools have set aside.
    held: AtomicU64,
    page: u64,
    capacity: AtomicU64,
    pub(super) tap: Arc<Tap>,
    pub(super) streams: Arc<Streams>,
    growth: Mutex<rank::Growth, ()>,
    pub(super) pool: Pool,
    /// Only in the checking mode.
    pub(super) guards: Option<Box<Guards>>,
}

/// A live block, as programs and records see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockInfo {
    /// A number that no other block of the runtime's memory ever has.
    pub serial: u64,
    /// Where it starts.
    pub address: u64,
    /// Bytes that belong to it.
    pub bytes: u64,
    /// Bytes that were requested.
    pub requested: u64,
    /// The kind of its pages.
    pub pages: PageKind,
    /// Where it is.
    pub space: Space,
}

/// How a memory is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// The most bytes that may be charged.
    pub capacity: u64,
    /// Bytes of whole pages charged to live blocks, pools and physical memory.
    pub charged: u64,
    /// The same for blocks on 4 KiB pages.
    pub charged_normal: u64,
    /// The same for blocks on 2 MiB pages, pools and physical memory.
    pub charged_huge: u64,
    /// The same for blocks on 1 GiB pages.
    pub charged_gigabyte: u64,
    /// The peak of charged bytes.
    pub peak: u64,
    /// Live blocks.
    pub blocks: usize,
    /// Bytes of pages that the device has promised.
    pub promised: u64,
}

impl Usage {
    /// Bytes that are not charged.
    pub fn free(&self) -> u64 {
        self.capacity - self.charged
    }
}

/// What a request for memory becomes before the pool sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) requested: u64,
    pub(super) bytes: u64,
    pub(super) pages: PageKind,
    /// Whether blocks share pages, although whole ones are charged.
    pub(super) packed: bool,
}

impl Wanted {
    /// What the pool is asked for. Blocks on normal pages are packed; larger pages belong to one block
    /// alone.
    #[inline(always)]
    fn ask(self) -> Option<Ask> {
        let charge = self.pages.charge(self.bytes)?;
        let (bytes, align) = match self.pages {
            PageKind::Huge | PageKind::Gigabyte if !self.packed => (charge, self.pages.bytes()),
            PageKind::Normal | PageKind::Huge | PageKind::Gigabyte => (self.bytes, GRANULE),
        };
        Some(Ask {
            bytes,
            align,
            charge,
            requested: self.requested,
            kind: self.pages as u8,
        })
    }
}

impl Store {
    pub(crate) fn new(
        space: Space,
        memory: Arc<dyn Memory>,
        capacity: u64,
        tap: Arc<Tap>,
        numbers: Arc<Numbers>,
        streams: Arc<Streams>,
        thrifty: bool,
    ) -> Self {
        let range = memory.range();
        let windows = memory.windows();
        let home = range.bytes - windows;
        // What is no page size would be a device's mistake; with the smallest, its calls say so.
        let page = PageSize::new(memory.page()).unwrap_or(PageSize::SMALLEST);
        let mut options = Options {
            windows,
            page,
            limit: capacity,
            freely: capacity / FREELY,
            floor: capacity / FLOOR,
            exact_peak: true,
            ..Options::new(home)
        };
        // Pools that programs create reuse what one stream has freed and another may have before they grow.
        if thrifty {
            (options.slack, options.freely, options.floor) = (0, 0, 0);
        }
        Self {
            space,
            range,
            home,
            distance: memory.distance(),
            page: page.bytes(),
            touchable: memory.is_touchable(),
            held: AtomicU64::new(0),
            memory,
            capacity: AtomicU64::new(capacity),
            tap,
            streams,
            growth: Mutex::new(()),
            pool: Pool::numbered(options, numbers),
            guards: None,
        }
    }

    /// The same store with guards, if the checking mode wants them; `rests` says whether freed blocks go to
    /// quarantine.
    pub(crate) fn with_guards(mut self, guards: bool, rests: bool) -> Self {
        let most = if rests { self.capacity() } else { 0 };
        // Guards are looked at without any work, so they have to be where this process can touch them.
        let guarded = guards && self.touchable;
        self.guards = guarded.then(|| Box::new(Guards::new(most)));
        if guards {
            // Memory is not scarce while a program is checked, and guards must not move with pages.
            self.pool.end_windows();
        }
        self
    }

    /// Where its records go.
    pub(super) fn tap(&self) -> &Tap {
        &self.tap
    }

    /// The most bytes that may be charged.
    pub(crate) fn capacity(&self) -> u64 {
        self.capacity.load(Ordering::Relaxed)
    }

    /// Changes what may be charged; false if more is charged already, or there are too few addresses.
    pub(super) fn set_capacity(&self, capacity: u64) -> bool {
        let fits = capacity <= self.home && self.pool.set_limit(capacity);
        if fits {
            self.capacity.store(capacity, Ordering::Relaxed);
        }
        fits
    }

    pub(crate) fn contains(&self, address: u64) -> bool {
        self.range.contains(address)
    }

    /// Whether a range touches any mapping of this memory: what programs see, or where work runs.
    pub(crate) fn overlaps(&self, address: u64, bytes: u64) -> bool {
        let range = AddressRange::new(address, bytes);
        let kernel = AddressRange::new(self.kernel(self.range.start), self.range.bytes);
        self.range.overlaps(range) || kernel.overlaps(range)
    }

    /// Whether this process can read and write its bytes where work does; if not, only a device can.
    pub(crate) fn is_touchable(&self) -> bool {
        self.touchable
    }

    /// What closes pages of it to the program.
    pub(crate) fn gate(&self) -> Option<&Arc<Gate>> {
        self.memory.gate()
    }

    /// What another process needs to map whole pages of live blocks.
    pub(crate) fn share(&self, range: AddressRange) -> Result<SharedPages, Error> {
        self.memory.share(range).map_err(Error::Device)
    }

    /// What starts and lengths of shared ranges are multiples of.
    pub(crate) fn page_of_sharing(&self) -> u64 {
        if self.touchable {
            millpond_device::os_page()
        } else {
            self.page
        }
    }

    /// A copy for a child that is about to be forked.
    pub(crate) fn freeze(&self) -> Option<Frozen> {
        self.memory.freeze()
    }

    /// Where work may touch what programs see at `address`.
    pub(crate) fn kernel(&self, address: u64) -> u64 {
        address.wrapping_add(self.distance)
    }

    /// A cached block of the size, if nothing records: the fast path for the common case.
    #[inline(always)]
    pub(crate) fn alloc_kept(&self, requested: u64, bytes: u64, pages: PageKind) -> Option<u64> {
        if self.tap.listening() || self.guards.is_some() {
            return None;
        }
        let wanted = Wanted {
            requested,
            bytes,
            pages,
            packed: false,
        };
        let quick = self.pool.alloc(self.pool.host(), &wanted.ask()?)?;
        Some(self.range.start + quick.offset)
    }

    /// Allocates `bytes` bytes that belong to no stream, on the first kind of `pages` that has room.
    #[inline(always)]
    pub(crate) fn alloc(&self, requested: u64, bytes: u64, pages: &[PageKind]) -> Boxed<BlockInfo> {
        let wanted = |pages| Wanted {
            requested,
            bytes,
            pages,
            packed: false,
        };
        let order = || HostOrder(&self.streams);
        let host = self.pool.host();
        let allocated = match *pages {
            [first] => self.alloc_in(host, order, wanted(first), None),
            [first, second] => match self.alloc_in(host, order, wanted(first), None) {
                // Another kind of page helps only where there were too few.
                Err(error) if matches!(*error, Error::OutOfMemory { .. }) => {
                    self.alloc_in(host, order, wanted(second), None)
                }
                other => other,
            },
            _ => Err(Error::BadSize { requested }.into()),
        };
        self.record_if_heard(requested, bytes, &allocated, None);
        allocated
    }

    /// Allocates on normal pages, at `address` if the bytes there are free.
    pub(crate) fn alloc_near(&self, requested: u64, bytes: u64, address: u64) -> Boxed<BlockInfo> {
        let wanted = Wanted {
            requested,
            bytes,
            pages: PageKind::Normal,
            packed: false,
        };
        let order = || HostOrder(&self.streams);
        let allocated = self.alloc_in(self.pool.host(), order, wanted, Some(address));
        self.record_if_heard(requested, bytes, &allocated, None);
        allocated
    }

    #[cold]
    fn record_allocation(
        &self,
        requested: u64,
        bytes: u64,
        allocated: &Boxed<BlockInfo>,
        pool: Option<(u64, Position)>,
    ) {
        self.tap.emit(|| match allocated {
            Ok(block) => Operation::Allocated {
                block: block.serial,
                space: self.space,
                range: block.range(),
                requested,
                charged: block.pages.charge(bytes).unwrap_or(bytes),
                pool: pool.map(|(pool, _)| pool),
                ordered: pool.map(|(_, position)| position),
            },
            Err(error) => Operation::AllocationFailed {
                space: self.space,
                requested,
                reason: error.to_string(),
            },
        });
    }

    /// Records an allocation; with `pool`, of which pool, and after which task of a stream.
    #[inline(always)]
    pub(super) fn record_if_heard(
        &self,
        requested: u64,
        bytes: u64,
        allocated: &Boxed<BlockInfo>,
        pool: Option<(u64, Position)>,
    ) {
        if self.tap.listening() {
            self.record_allocation(requested, bytes, allocated, pool);
        }
    }

    /// Allocates for the stream of a shard; `order` is what that stream knows.
    #[inline(always)]
    pub(super) fn alloc_in<O: millpond_pool::Order>(
        &self,
        shard: &Shard,
        order: impl FnOnce() -> O,
        wanted: Wanted,
        wish: Option<u64>,
    ) -> Boxed<BlockInfo> {
        let requested = wanted.requested;
        let Some(ask) = wanted.ask() else {
            return Err(Error::BadSize { requested }.into());
        };
        if let Some(guards) = &self.guards {
            return self.alloc_guarded(guards, shard, &order(), wanted, &ask, wish);
        }
        if wish.is_none()
            && let Some(quick) = self.pool.alloc(shard, &ask)
        {
            return Ok(BlockInfo {
                serial: quick.serial,
                address: self.range.start + quick.offset,
                bytes: ask.bytes.next_multiple_of(GRANULE),
                requested,
                pages: wanted.pages,
                space: self.space,
            });
        }
        self.alloc_slow(shard, &order(), wanted, &ask, wish)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn alloc_slow(
        &self,
        shard: &Shard,
        order: &dyn millpond_pool::Order,
        wanted: Wanted,
        ask: &Ask,
        wish: Option<u64>,
    ) -> Boxed<BlockInfo> {
        self.ask_if_much_is_pending(shard);
        let wish = wish.and_then(|address| address.checked_sub(self.range.start));
        let mut granted = self.pool.alloc_near(shard, ask, order, wish);
        if granted
            .as_ref()
            .is_err_and(|why| *why == Refusal::Addresses)
        {
            // Addresses that wait for queued work may not have to any more.
            self.streams.look();
            self.empty_quarantine();
            granted = self.pool.alloc_near(shard, ask, order, wish);
        }
        let refused = |why| self.refused(why, wanted.requested, ask.charge);
        let mut grant = granted.map_err(refused)?;
        while let Some(growth) = grant.growth.take() {
            if self.grow(shard, *growth, wanted.requested, order)? {
                break;
            }
            // Without windows the block gets pages of its own.
            self.pool.end_windows();
            grant = self
                .pool
                .alloc_near(shard, ask, order, wish)
                .map_err(refused)?;
        }
        if grant.decays {
            self.decay();
        }
        Ok(self.granted(&grant, wanted))
    }

    fn granted(&self, grant: &Grant, wanted: Wanted) -> BlockInfo {
        BlockInfo {
            serial: grant.serial,
            address: self.range.start + grant.offset,
            bytes: grant.bytes,
            requested: wanted.requested,
            pages: wanted.pages,
            space: self.space,
        }
    }

    /// Streams are asked how far they are only when much waits for them: then runs differ.
    fn ask_if_much_is_pending(&self, shard: &Shard) {
        if self.pool.pending_bytes(shard) > PATIENT {
            self.streams.look();
        }
    }

    /// Gets the device's promise for the pages of a block that was just cut, and shows those that it borrows; otherwise
    /// gives the block back. False if the pages could not be shown.
    #[cold]
    fn grow(
        &self,
        shard: &Shard,
        growth: Growth,
        requested: u64,
        order: &dyn millpond_pool::Order,
    ) -> Boxed<bool> {
        let _growing = self.growth.lock();
        let runs = growth.commit.clone();
        for (done, &pages) in runs.iter().enumerate() {
            let answer = self.memory.commit(self.addresses(pages)).or_else(|error| {
                // Pressure: idle pages are returned before a request is refused.
                self.streams.look();
                self.empty_quarantine();
                self.give_back_idle()?;
                if error.is_full() {
                    self.memory.commit(self.addresses(pages))
                } else {
                    Err(error)
                }
            });
            if let Err(cause) = answer {
                self.pool
                    .not_grown(shard, growth, &runs[done..], order.now());
                return Err(match cause {
                    cause if cause.is_full() => Error::MachineFull {
                        space: self.space,
                        requested,
                        cause,
                    },
                    other => Error::Device(other),
                }
                .into());
            }
        }
        if self.show(&growth.map).is_err() {
            self.pool.not_grown(shard, growth, &[], order.now());
            return Ok(false);
        }
        self.pool.grown(growth);
        Ok(true)
    }

    /// Shows borrowed pages in a window; pages that are neighbours in both places by one call.
    fn show(&self, mappings: &[Mapping]) -> Result<(), DeviceError> {
        let beside = |one: &Mapping, next: &Mapping| {
            next.page == one.page + self.page && next.at == one.at + self.page
        };
        for run in mappings.chunk_by(beside) {
            let first = run[0];
            let bytes = run.len() as u64 * self.page;
            let pages = AddressRange::new(self.range.start + first.page, bytes);
            self.memory.show(pages, self.range.start + first.at)?;
        }
        Ok(())
    }

    /// Ends a period: pages that were unused during all of it are returned to the machine.
    ///
    /// Counted in allocations and not in time, so that runs repeat. If another thread is growing, it is left to
    /// the next period.
    #[cold]
    fn decay(&self) {
        let Some(_growing) = self.growth.try_lock() else {
            return;
        };
        let leaving = self.pool.begin_decay(&HostOrder(&self.streams));
        if leaving.is_empty() {
            return;
        }
        // What cannot go back stays promised and is tried again after the next period.
        if let Ok(bytes) = self.give_back(&leaving) {
            self.tap.emit(|| Operation::PagesReturned {
                space: self.space,
                bytes,
            });
        }
    }

    /// Frees a block that belongs to no stream and that none uses, if nothing records: the common case,
    /// and the fast one. False if it is not one.
    #[inline(always)]
    pub(crate) fn free_plainly(&self, address: u64) -> bool {
        let offset = address - self.range.start;
        !self.tap.listening()
            && self.guards.is_none()
            && self.pool.free_plainly(self.pool.host(), offset)
    }

    /// Frees the block that starts at `address`; with a `serial`, only if it is still that one.
    #[inline(always)]
    pub(crate) fn free(&self, address: u64, serial: Option<u64>) -> Boxed<()> {
        self.free_in(self.pool.host(), address, serial, None)
    }

    /// Frees a block that belongs to no stream in the order of one.
    pub(crate) fn free_by(&self, address: u64, by: (u64, u64)) -> Boxed<()> {
        self.free_in(self.pool.host(), address, None, Some(by))
    }

    /// The same in the order of a stream: `by` is the stream and its position.
    #[inline(always)]
    pub(super) fn free_in(
        &self,
        likely: &Shard,
        address: u64,
        serial: Option<u64>,
        by: Option<(u64, u64)>,
    ) -> Boxed<()> {
        if let Some(guards) = &self.guards {
            return self.free_guarded(guards, likely, address, serial, by);
        }
        self.free_now(likely, address, serial, by, None)
    }

    /// Gives a block back to the pool. Whether its bytes wait for queued work is recorded as the pool says, unless
    /// the caller knows better.
    #[inline(always)]
    pub(super) fn free_now(
        &self,
        likely: &Shard,
        address: u64,
        serial: Option<u64>,
        by: Option<(u64, u64)>,
        retired: Option<bool>,
    ) -> Boxed<()> {
        // The record comes before the bytes can be reused.
        let note = |block: Freed<'_>, waits: bool| {
            self.tap.emit(|| {
                let block = block.found();
                Operation::Freed {
                    block: block.serial,
                    range: Bytes {
                        start: address,
                        bytes: guards::own_bytes(&block),
                    },
                    retired: retired.unwrap_or(waits),
                    ordered: by.map(|(stream, task)| Position { stream, task }),
                }
            });
        };
        let passed = |stream| self.streams.passed(stream);
        let offset = address - self.range.start;
        match self.pool.free(likely, offset, serial, by, passed, note) {
            Ok(()) => Ok(()),
            Err(error) => {
                // What was added for a guard is inside no block.
                let own = |_: &u64| self.find_own(offset).is_some();
                let inside = error.inside.filter(own).map(|at| at + self.range.start);
                let inside = inside.filter(|_| serial.is_none());
                Err(self.unknown(address, inside))
            }
        }
    }

    #[cold]
    pub(super) fn unknown(&self, address: u64, inside: Option<u64>) -> Box<Error> {
        Box::new(Error::NotABlock {
            address,
            inside,
            space: self.space,
        })
    }

    /// The live block that contains `address`.
    pub(crate) fn find(&self, address: u64) -> Boxed<BlockInfo> {
        let found = self.find_own(address - self.range.start);
        found
            .map(|found| self.info(&found))
            .ok_or_else(|| self.unknown(address, None))
    }

    /// Checks that `bytes` bytes at `address` are in one live block. With `user`, the task that is
    /// going to name them is noted: the stream and the task's position in it. The block will not be
    /// reused before that has passed.
    #[inline(always)]
    pub(crate) fn check(&self, address: u64, bytes: u64, user: Option<(u64, u64)>) -> Boxed<()> {
        if self.guards.is_some() {
            return self.check_guarded(address, bytes, user);
        }
        let offset = address - self.range.start;
        let passed = |stream| self.streams.passed(stream);
        match self.pool.check(offset, bytes, user, passed) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(block)) => Err(self.beyond(address, bytes, &block)),
            Err(_) => Err(self.unknown(address, None)),
        }
    }

    #[cold]
    pub(super) fn beyond(&self, address: u64, bytes: u64, block: &Found) -> Box<Error> {
        Box::new(Error::OutOfBlock {
            address,
            bytes,
            block: self.range.start + block.offset,
            length: block.bytes,
            requested: block.requested,
        })
    }

    /// Whether queued work still names the block that contains `address`.
    pub(crate) fn is_in_use(&self, address: u64) -> bool {
        let uses = self.pool.uses(address - self.range.start);
        uses.iter()
            .any(|&(stream, position)| self.streams.completed(stream) < position)
    }

    /// Returns idle pages to the machine, and returns how many resident bytes that were.
    pub(crate) fn trim(&self) -> Result<u64, Error> {
        self.trim_to(0)
    }

    /// The same, but keeps `keep` bytes of pages.
    pub(crate) fn trim_to(&self, keep: u64) -> Result<u64, Error> {
        let _growing = self.growth.lock();
        self.streams.look();
        self.empty_quarantine();
        let leaving = self.pool.begin_return(keep, &HostOrder(&self.streams));
        let bytes = self.give_back(&leaving).map_err(Error::Device)?;
        self.tap.emit(|| Operation::PagesReturned {
            space: self.space,
            bytes,
        });
        Ok(bytes)
    }

    /// The caller holds `growth`.
    fn give_back_idle(&self) -> Result<u64, DeviceError> {
        self.give_back(&self.pool.begin_return(0, &HostOrder(&self.streams)))
    }

    /// Returns pages that were taken out of use. The caller holds `growth`.
    fn give_back(&self, leaving: &[Leaving]) -> Result<u64, DeviceError> {
        let mut returned = 0;
        let mut failed = Ok(());
        for leaving in leaving {
            let answer = self.memory.give_back(self.addresses(leaving.pages));
            self.pool.end_return(leaving, answer.is_ok());
            match answer {
                Ok(bytes) => returned += bytes,
                Err(error) => failed = Err(error),
            }
        }
        failed.map(|()| returned)
    }

    /// Where its live blocks are.
    pub(crate) fn live_addresses(&self) -> Vec<u64> {
        let base = self.range.start;
        let live = self.pool.live().into_iter();
        live.map(|block| base + block.offset).collect()
    }

    /// Frees every block at once and returns the pages that no queued work can name.
    pub(crate) fn clear(&self) -> Result<(), Error> {
        self.check_guards();
        for block in self.pool.live() {
            if let Some(guards) = &self.guards {
                guards.forget_bare(block.serial);
            }
            // Somebody else may have been faster.
            let _gone = self.pool.free(
                self.pool.host(),
                block.offset,
                Some(block.serial),
                None,
                |stream| self.streams.passed(stream),
                |_, _| {},
            );
        }
        self.trim().map(|_| ())
    }

    /// Makes memory of destroyed streams available to all streams.
    pub(super) fn sweep(&self) {
        let leaving = self.pool.begin_return(u64::MAX, &HostOrder(&self.streams));
        debug_assert!(leaving.is_empty(), "all pages are kept");
    }

    /// Charges memory that others cut from the same device: physical memory, pools.
    pub(crate) fn hold(&self, bytes: u64) -> Boxed<()> {
        if self.holds(bytes) {
            return Ok(());
        }
        Err(self.out_of_memory(bytes, bytes))
    }

    /// The same without a sentence, for who holds locks: making one looks at every block.
    pub(super) fn holds(&self, bytes: u64) -> bool {
        let held = self.pool.hold(bytes);
        if held {
            self.held.fetch_add(bytes, Ordering::Relaxed);
        }
        held
    }

    /// Ends what [`Store::hold`] began.
    pub(crate) fn let_go(&self, bytes: u64) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
        self.pool.let_go(bytes);
    }

    /// Bytes that are charged and not in its own pages.
    pub(crate) fn held_bytes(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    /// Bytes that are not charged.
    pub(crate) fn free_bytes(&self) -> u64 {
        self.capacity().saturating_sub(self.charged_bytes())
    }

    /// Bytes of whole pages that are charged.
    pub(crate) fn charged_bytes(&self) -> u64 {
        self.pool.charged().0
    }

    /// Looks at every live block, to tell pages apart.
    pub(crate) fn usage(&self) -> Usage {
        let (charged, peak) = self.pool.charged();
        let kinds: [u64; 8] = self.pool.charged_by_kind();
        let of = |pages: PageKind| {
            let own = |&(kind, _): &(u8, &u64)| guards::pages(kind) == pages as u8;
            (0..)
                .zip(&kinds)
                .filter(own)
                .map(|(_, bytes)| bytes)
                .sum::<u64>()
        };
        let (normal, gigabyte) = (of(PageKind::Normal), of(PageKind::Gigabyte));
        // The rest, and what others hold. Threads may have freed some since it was counted.
        let huge = charged.saturating_sub(normal.saturating_add(gigabyte));
        Usage {
            capacity: self.capacity(),
            charged,
            charged_normal: normal,
            charged_huge: huge,
            charged_gigabyte: gigabyte,
            peak,
            blocks: usize::try_from(self.pool.live_blocks()).unwrap_or(usize::MAX),
            promised: self.pool.reserved(),
        }
    }

    /// Bytes of pages that the device has promised.
    pub(crate) fn promised(&self) -> u64 {
        self.pool.reserved()
    }

    /// The pool's numbers.
    pub(crate) fn statistics(&self) -> Statistics {
        self.pool.statistics()
    }

    pub(crate) fn resident(&self) -> Result<u64, Error> {
        self.memory.resident().map_err(Error::Device)
    }

    fn info(&self, found: &Found) -> BlockInfo {
        BlockInfo {
            serial: found.serial,
            address: self.range.start + found.offset,
            bytes: guards::own_bytes(found),
            requested: found.requested,
            pages: PageKind::from_number(guards::pages(found.kind)),
            space: self.space,
        }
    }

    fn addresses(&self, pages: Pages) -> AddressRange {
        let room = self.home - pages.offset;
        AddressRange::new(self.range.start + pages.offset, pages.bytes.min(room))
    }

    #[cold]
    fn out_of_memory(&self, requested: u64, charge: u64) -> Box<Error> {
        self.refused(Refusal::Limit, requested, charge)
    }

    #[cold]
    fn refused(&self, why: Refusal, requested: u64, charge: u64) -> Box<Error> {
        let report = self.pool.report(report::HOLDERS);
        let capacity = self.capacity();
        let free = capacity.saturating_sub(report.statistics.charged);
        let text = report::describe(&report, self.range.start);
        Box::new(Error::OutOfMemory {
            space: self.space,
            requested,
            charge,
            free,
            capacity,
            report: match why {
                Refusal::Limit => text,
                Refusal::Addresses => format!("no range of addresses is long enough; {text}"),
                Refusal::Reserve => format!("the device has no more room for this pool; {text}"),
            },
        })
    }
}

impl BlockInfo {
    /// Its bytes as a range.
    pub fn range(&self) -> Bytes {
        Bytes {
            start: self.address,
            bytes: self.bytes,
        }
    }
}
