//! One memory, the arena that cuts it, and the books about both.
//!
//! Owns: which bytes belong to which block, which pages the device promised, what is charged
//! against the capacity, and the blocks that wait for queued work to pass.
//!
//! What must always hold:
//! - `books` is held for bookkeeping only: no device call, no user code, no other lock inside it
//!   (a listening sink is called under it, which is why sinks may not call back).
//! - `growth` serialises everything that changes which pages are promised. It is taken first, and
//!   `books` inside it, so a page is never given back while somebody is getting a block on it.
//! - A freed block's bytes are handed out again only when every queued task that names it has passed
//!   (its [`Uses`]). Freeing itself never waits.

use std::ops::Range;
use std::sync::Arc;

use millpond_device::{AddressRange, DeviceError, Memory};
use millpond_pool::{Arena, BlockId, GRANULE, Grant, PageSet, Pages};
use millpond_trace::{Bytes, Operation, Space, Tap};
use parking_lot::Mutex;

use super::numbers::Numbers;
use super::request::PageKind;
use super::uses::Uses;
use crate::error::{Boxed, Error};
use crate::stream::Progress;

/// Allocations after which pages that were idle all the time go back. Many programs repeat what they
/// do every few thousand allocations, and a page that goes back and is touched again costs a
/// millisecond or two.
pub(crate) const DECAY_PERIOD: u32 = 1 << 16;

/// A memory with its books.
#[derive(Debug)]
pub(crate) struct Store {
    space: Space,
    memory: Arc<dyn Memory>,
    range: AddressRange,
    distance: u64,
    capacity: u64,
    tap: Arc<Tap>,
    numbers: Arc<Numbers>,
    growth: Mutex<()>,
    books: Mutex<Books>,
}

#[derive(Debug)]
struct Books {
    arena: Arena<Tag>,
    promised: PageSet,
    /// Bytes of pages charged to live blocks, by page kind and in all, and the most it ever was.
    charged: [u64; 3],
    total: u64,
    peak: u64,
    /// Pages that blocks were cut from or merged into in this period.
    used: PageSet,
    /// Allocations until the period ends.
    until_decay: u32,
    /// Numbers for the next blocks: a batch of the runtime's, so that no two blocks have the same.
    serials: Range<u64>,
    retired: Vec<Retired>,
    /// Where the next look at retired blocks begins.
    next_look: usize,
}

/// What the books know of a block that is live or retired.
#[derive(Debug, Default)]
struct Tag {
    serial: u64,
    requested: u64,
    charge: u64,
    pages: PageKind,
    uses: Uses,
}

#[derive(Debug)]
struct Retired {
    id: BlockId,
    /// What it covers.
    pages: Pages,
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
    /// Bytes that were asked for.
    pub requested: u64,
    /// What it lies on.
    pub pages: PageKind,
    /// Where it lies.
    pub space: Space,
}

/// How a memory is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Bytes that may be charged in all.
    pub capacity: u64,
    /// Bytes of whole pages charged to live blocks.
    pub charged: u64,
    /// The same for blocks on 4 KiB pages.
    pub charged_normal: u64,
    /// The same for blocks on 2 MiB pages.
    pub charged_huge: u64,
    /// The same for blocks on 1 GiB pages.
    pub charged_gigabyte: u64,
    /// The most that was ever charged at once.
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

impl Store {
    pub(crate) fn new(
        space: Space,
        memory: Arc<dyn Memory>,
        capacity: u64,
        tap: Arc<Tap>,
        numbers: Arc<Numbers>,
    ) -> Self {
        let range = memory.range();
        Self {
            space,
            range,
            distance: memory.distance(),
            memory,
            capacity: capacity.min(range.bytes),
            tap,
            numbers,
            growth: Mutex::new(()),
            books: Mutex::new(Books {
                arena: Arena::new(range.bytes),
                promised: PageSet::default(),
                charged: [0; 3],
                total: 0,
                peak: 0,
                used: PageSet::default(),
                until_decay: DECAY_PERIOD,
                serials: 0..0,
                retired: Vec::new(),
                next_look: 0,
            }),
        }
    }

    pub(crate) fn contains(&self, address: u64) -> bool {
        self.range.contains(address)
    }

    /// Whether a range touches any mapping of this memory: what programs see, or where work runs.
    pub(crate) fn overlaps(&self, address: u64, bytes: u64) -> bool {
        let range = AddressRange::new(address, bytes);
        let kernel = AddressRange::new(self.range.start + self.distance, self.range.bytes);
        self.range.overlaps(range) || kernel.overlaps(range)
    }

    /// Where work may touch what programs see at `address`.
    pub(crate) fn kernel(&self, address: u64) -> u64 {
        address + self.distance
    }

    /// Allocates `bytes` bytes on the first kind of `pages` that has room.
    #[inline(always)]
    pub(crate) fn alloc(&self, requested: u64, bytes: u64, pages: &[PageKind]) -> Boxed<BlockInfo> {
        let allocated = match *pages {
            [first] => self.alloc_on(requested, bytes, first),
            [first, second] => match self.alloc_on(requested, bytes, first) {
                // Another kind of page helps only where there were too few.
                Err(error) if matches!(*error, Error::OutOfMemory { .. }) => {
                    self.alloc_on(requested, bytes, second)
                }
                other => other,
            },
            _ => Err(Error::BadSize { requested }.into()),
        };
        if self.tap.listening() {
            self.record_allocation(requested, bytes, &allocated);
        }
        allocated
    }

    #[cold]
    fn record_allocation(&self, requested: u64, bytes: u64, allocated: &Boxed<BlockInfo>) {
        self.tap.emit(|| match allocated {
            Ok(block) => Operation::Allocated {
                block: block.serial,
                space: self.space,
                range: block.range(),
                requested,
                charged: block.pages.charge(bytes).unwrap_or(bytes),
            },
            Err(error) => Operation::AllocationFailed {
                space: self.space,
                requested,
                reason: error.to_string(),
            },
        });
    }

    #[inline(always)]
    fn alloc_on(&self, requested: u64, bytes: u64, pages: PageKind) -> Boxed<BlockInfo> {
        let Some(charge) = pages.charge(bytes) else {
            return Err(Error::BadSize { requested }.into());
        };
        // Blocks on normal pages are packed; larger pages belong to one block alone.
        let (length, align) = match pages {
            PageKind::Normal => (bytes, GRANULE),
            PageKind::Huge | PageKind::Gigabyte => (charge, pages.bytes()),
        };
        let mut books = self.books.lock();
        if !books.retired.is_empty() {
            books.drain_some();
        }
        if charge > self.capacity - books.total {
            return Err(books.out_of_memory(self, requested, charge));
        }
        if books.serials.is_empty() {
            books.serials = self.numbers.batch();
        }
        let serial = books.serials.start;
        let init = |tag: &mut Tag| {
            tag.serial = serial;
            tag.requested = requested;
            tag.charge = charge;
            tag.pages = pages;
            tag.uses = Uses::default();
        };
        let mut granted = books.arena.alloc(length, align, init);
        if granted.is_err() && !books.retired.is_empty() {
            books.drain_retired();
            granted = books.arena.alloc(length, align, init);
        }
        let Ok(grant) = granted else {
            return Err(books.out_of_memory(self, requested, charge));
        };
        books.serials.start += 1;
        books.charge(pages, charge);
        books.until_decay = books.until_decay.saturating_sub(1);
        let decays = books.until_decay == 0;
        if !grant.kept {
            books.used.insert(Pages {
                offset: grant.offset,
                bytes: grant.bytes,
            });
        }
        let promised = grant.kept || books.promised.covers(grant.offset, grant.bytes);
        if promised {
            books.note_peak();
        }
        drop(books);
        if !promised {
            self.grow(grant, requested)?;
        }
        if decays {
            self.decay();
        }
        Ok(BlockInfo {
            serial,
            address: self.range.start + grant.offset,
            bytes: grant.bytes,
            requested,
            pages,
            space: self.space,
        })
    }

    /// Gets the device's promise for the pages of a block that was just cut, or gives it back.
    #[cold]
    fn grow(&self, grant: Grant, requested: u64) -> Boxed<()> {
        let _growing = self.growth.lock();
        let missing = self
            .books
            .lock()
            .promised
            .missing(grant.offset, grant.bytes);
        let mut done: Vec<Pages> = Vec::new();
        for pages in missing {
            let answer = self.memory.commit(self.addresses(pages)).or_else(|error| {
                // Pressure: what is idle goes back before anybody is refused.
                self.give_back_idle()?;
                if matches!(error, DeviceError::MachineFull { .. }) {
                    self.memory.commit(self.addresses(pages))
                } else {
                    Err(error)
                }
            });
            if let Err(cause) = answer {
                let mut books = self.books.lock();
                for pages in done {
                    books.promised.insert(pages);
                }
                if let Ok((id, _)) = books.arena.retire(grant.offset) {
                    books.end_charge(id);
                    // Kept blocks have their pages, and this one has not.
                    books.arena.reclaim(id);
                    books.arena.merge_kept();
                }
                return Err(match cause {
                    DeviceError::MachineFull { .. } => Error::MachineFull {
                        space: self.space,
                        requested,
                        cause,
                    },
                    other => Error::Device(other),
                }
                .into());
            }
            done.push(pages);
        }
        let mut books = self.books.lock();
        for pages in done {
            books.promised.insert(pages);
        }
        books.note_peak();
        Ok(())
    }

    /// Ends a period: pages that nobody used during all of it go back to the machine.
    ///
    /// Counted in allocations and not in time, so that runs repeat. If somebody is growing, the next
    /// allocation tries again.
    #[cold]
    fn decay(&self) {
        let Some(_growing) = self.growth.try_lock() else {
            return;
        };
        let idle: Vec<Pages> = {
            let mut books = self.books.lock();
            books.until_decay = DECAY_PERIOD;
            books.drain_retired();
            let period = books.arena.next_period();
            // Kept blocks that were handed out in the period that ends stay as they are.
            books.arena.merge_kept_before(period.wrapping_sub(1));
            let idle = books.idle_pages();
            let unused: Vec<Pages> = idle
                .into_iter()
                .flat_map(Pages::each)
                .filter(|page| !books.used.touches(*page))
                .collect();
            books.used.clear();
            for &page in &unused {
                books.promised.remove(page);
            }
            unused
        };
        if idle.is_empty() {
            return;
        }
        // What cannot go back stays promised and is tried again after the next period.
        if let Ok(bytes) = self.give_back(idle) {
            self.tap.emit(|| Operation::PagesReturned {
                space: self.space,
                bytes,
            });
        }
    }

    /// Frees the block that starts at `address`; with a `serial`, only if it is still that one.
    #[inline(always)]
    pub(crate) fn free(&self, address: u64, serial: Option<u64>) -> Boxed<()> {
        let offset = address - self.range.start;
        let mut books = self.books.lock();
        if let Some(serial) = serial
            && books
                .arena
                .find(offset)
                .is_none_or(|found| found.tag.serial != serial)
        {
            return Err(self.unknown(address, None));
        }
        let (id, bytes) = match books.arena.retire(offset) {
            Ok(retired) => retired,
            Err(error) => {
                let inside = error.inside.map(|inside| inside + self.range.start);
                return Err(self.unknown(address, inside));
            }
        };
        let tag = books.arena.tag(id);
        let (serial, passed) = (tag.serial, tag.uses.passed());
        let (pages, charge) = (tag.pages, tag.charge);
        books.discharge(pages, charge);
        // The record comes before the bytes can be anybody else's.
        self.tap.emit(|| Operation::Freed {
            block: serial,
            range: Bytes {
                start: address,
                bytes,
            },
            retired: !passed,
        });
        let pages = Pages { offset, bytes };
        if passed {
            books.reclaim(id, pages);
        } else {
            books.retired.push(Retired { id, pages });
        }
        Ok(())
    }

    #[cold]
    fn unknown(&self, address: u64, inside: Option<u64>) -> Box<Error> {
        Box::new(Error::NotABlock {
            address,
            inside,
            space: self.space,
        })
    }

    /// The live block that `address` lies in.
    pub(crate) fn find(&self, address: u64) -> Boxed<BlockInfo> {
        let books = self.books.lock();
        let found = books.arena.find(address - self.range.start);
        found
            .map(|found| self.info(found.offset, found.bytes, found.tag))
            .ok_or_else(|| self.unknown(address, None))
    }

    /// Checks that `bytes` bytes at `address` lie in one live block. With `user`, the task that is
    /// going to name them is noted, and the block will not be reused before it has passed.
    #[inline(always)]
    pub(crate) fn check(
        &self,
        address: u64,
        bytes: u64,
        user: Option<(&Arc<Progress>, u64)>,
    ) -> Boxed<()> {
        let offset = address - self.range.start;
        let mut books = self.books.lock();
        match books.arena.find_mut(offset) {
            Some((start, length, tag)) if bytes <= length - (offset - start) => {
                if let Some((progress, position)) = user {
                    tag.uses.note(progress, position);
                }
                Ok(())
            }
            Some((start, length, tag)) => {
                let requested = tag.requested;
                Err(self.beyond(address, bytes, start, length, requested))
            }
            None => Err(self.unknown(address, None)),
        }
    }

    #[cold]
    fn beyond(
        &self,
        address: u64,
        bytes: u64,
        start: u64,
        length: u64,
        requested: u64,
    ) -> Box<Error> {
        Box::new(Error::OutOfBlock {
            address,
            bytes,
            block: self.range.start + start,
            length,
            requested,
        })
    }

    /// Whether queued work still names the block that `address` lies in.
    pub(crate) fn is_in_use(&self, address: u64) -> bool {
        let books = self.books.lock();
        let found = books.arena.find(address - self.range.start);
        found.is_some_and(|found| !found.tag.uses.passed())
    }

    /// Returns idle pages to the machine; answers how many resident bytes that were.
    pub(crate) fn trim(&self) -> Result<u64, Error> {
        let _growing = self.growth.lock();
        let bytes = self.give_back_idle().map_err(Error::Device)?;
        self.tap.emit(|| Operation::PagesReturned {
            space: self.space,
            bytes,
        });
        Ok(bytes)
    }

    /// The caller holds `growth`.
    fn give_back_idle(&self) -> Result<u64, DeviceError> {
        let mut books = self.books.lock();
        books.drain_retired();
        books.arena.merge_kept();
        let idle = books.idle_pages();
        // Whoever gets a block there from now on sees no promise and waits for `growth`.
        for &pages in &idle {
            books.promised.remove(pages);
        }
        drop(books);
        self.give_back(idle)
    }

    /// Returns pages whose promise was taken back. The caller holds `growth`.
    fn give_back(&self, idle: Vec<Pages>) -> Result<u64, DeviceError> {
        let mut returned = 0;
        let mut failed = Ok(());
        for pages in idle {
            match self.memory.give_back(self.addresses(pages)) {
                Ok(bytes) => returned += bytes,
                Err(error) => {
                    self.books.lock().promised.insert(pages);
                    failed = Err(error);
                }
            }
        }
        failed.map(|()| returned)
    }

    /// Frees every block at once and returns the pages that no queued work can name.
    pub(crate) fn clear(&self) -> Result<(), Error> {
        let mut books = self.books.lock();
        let offsets: Vec<u64> = books
            .arena
            .live_blocks()
            .map(|(offset, ..)| offset)
            .collect();
        for offset in offsets {
            if let Ok((id, bytes)) = books.arena.retire(offset) {
                books.end_charge(id);
                let pages = Pages { offset, bytes };
                books.retired.push(Retired { id, pages });
            }
        }
        drop(books);
        self.trim().map(|_| ())
    }

    /// Charges memory that others cut from the same device: physical memory, pools.
    pub(crate) fn hold(&self, bytes: u64) -> Boxed<()> {
        let mut books = self.books.lock();
        if bytes > self.capacity - books.total {
            return Err(books.out_of_memory(self, bytes, bytes));
        }
        books.charge(PageKind::Huge, bytes);
        books.note_peak();
        Ok(())
    }

    /// Ends what [`Store::hold`] began.
    pub(crate) fn let_go(&self, bytes: u64) {
        self.books.lock().discharge(PageKind::Huge, bytes);
    }

    pub(crate) fn usage(&self) -> Usage {
        let books = self.books.lock();
        Usage {
            capacity: self.capacity,
            charged: books.total,
            charged_normal: books.charged[PageKind::Normal as usize],
            charged_huge: books.charged[PageKind::Huge as usize],
            charged_gigabyte: books.charged[PageKind::Gigabyte as usize],
            peak: books.peak,
            blocks: books.arena.live(),
            promised: books.promised.bytes(),
        }
    }

    pub(crate) fn resident(&self) -> Result<u64, Error> {
        self.memory.resident().map_err(Error::Device)
    }

    fn info(&self, offset: u64, bytes: u64, tag: &Tag) -> BlockInfo {
        BlockInfo {
            serial: tag.serial,
            address: self.range.start + offset,
            bytes,
            requested: tag.requested,
            pages: tag.pages,
            space: self.space,
        }
    }

    fn addresses(&self, pages: Pages) -> AddressRange {
        let room = self.range.bytes - pages.offset;
        AddressRange::new(self.range.start + pages.offset, pages.bytes.min(room))
    }
}

impl Books {
    #[inline]
    fn charge(&mut self, pages: PageKind, charge: u64) {
        self.charged[pages as usize] += charge;
        self.total += charge;
    }

    #[inline]
    fn discharge(&mut self, pages: PageKind, charge: u64) {
        self.charged[pages as usize] -= charge;
        self.total -= charge;
    }

    /// A block that was retired is charged no longer.
    fn end_charge(&mut self, id: BlockId) {
        let tag = self.arena.tag(id);
        let (pages, charge) = (tag.pages, tag.charge);
        self.discharge(pages, charge);
    }

    /// Promised pages that lie in free blocks as a whole.
    fn idle_pages(&self) -> Vec<Pages> {
        self.arena
            .free_blocks()
            .flat_map(|(offset, bytes)| self.promised.whole(offset, bytes))
            .collect()
    }

    /// Called when what is charged has really been handed out.
    fn note_peak(&mut self) {
        self.peak = self.peak.max(self.total);
    }

    /// Makes the bytes of a block available again.
    #[inline]
    fn reclaim(&mut self, id: BlockId, pages: Pages) {
        if !self.arena.reclaim(id) {
            self.used.insert(pages);
        }
    }

    /// Makes the bytes of retired blocks available whose work has passed: a few of them, each time
    /// others, so that an allocation costs the same however many there are.
    #[cold]
    fn drain_some(&mut self) {
        const LOOKS: usize = 8;
        for _ in 0..LOOKS.min(self.retired.len()) {
            self.next_look %= self.retired.len().max(1);
            self.drain_at(self.next_look);
        }
    }

    /// The same for all of them.
    fn drain_retired(&mut self) {
        self.next_look = 0;
        while self.next_look < self.retired.len() {
            self.drain_at(self.next_look);
        }
    }

    /// Reclaims the retired block at a place if its work has passed, else moves on.
    fn drain_at(&mut self, place: usize) {
        match self.retired.get(place) {
            Some(block) if self.arena.tag(block.id).uses.passed() => {
                let block = self.retired.swap_remove(place);
                self.reclaim(block.id, block.pages);
            }
            _ => self.next_look += 1,
        }
    }

    #[cold]
    fn out_of_memory(&mut self, store: &Store, requested: u64, charge: u64) -> Box<Error> {
        self.arena.merge_kept();
        Box::new(Error::OutOfMemory {
            space: store.space,
            requested,
            charge,
            free: store.capacity - self.total,
            capacity: store.capacity,
            live: self.arena.live(),
            // Addresses are plentiful; what can be had is limited by the capacity.
            largest_free: self.arena.largest_free().min(store.capacity - self.total),
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
