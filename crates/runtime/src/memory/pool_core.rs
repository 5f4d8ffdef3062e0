//! A pool that programs create: memory that is allocated and freed in the order of streams.
//!
//! Top down: the C handle in `capi`, [`MemoryPool`](crate::MemoryPool), which programs hold, this core, and its [`Store`], which every
//! memory has.
//!
//! It is a separate store with its own addresses and limit, whose bytes count against its
//! device: what the pool has *set aside* is charged to the device's store. That grows
//! with what is used, and shrinks when the pool is trimmed, or at a synchronisation down to the
//! release threshold.
//!
//! Used and set-aside bytes are counted in whole pages of 2 MiB per block, as documented. The blocks
//! themselves are packed: a thousand small ones share a page.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use millpond_pool::{Clock, Order, Shard, Statistics};
use millpond_trace::Operation;

use super::request::PageKind;
use super::store::{BlockInfo, Store, Wanted};
use crate::error::{Boxed, Error};
use crate::lock::{RwLock, rank};
use crate::order::Streams;
use crate::shared::{DeviceCore, Shared};
use crate::stream::StreamCore;

/// Not the number of any pool: see [`MemoryPoolCore::id`].
const VACANT: u64 = 0;
const ENDING: u64 = u64::MAX;

/// Streams that may be gone before what they left behind is swept up.
const GONE: u32 = 64;

/// A pool.
#[derive(Debug)]
pub(crate) struct MemoryPoolCore {
    /// Which pool it is now; [`VACANT`] when it was destroyed and its addresses wait for another,
    /// [`ENDING`] while that is being decided.
    id: AtomicU64,
    pub(crate) device: Arc<DeviceCore>,
    pub(crate) store: Store,
    streams: Arc<Streams>,
    /// Bytes for which it has addresses. What it may hand out can be less.
    room: u64,
    parts: RwLock<rank::PoolParts, HashMap<u64, Arc<Shard>>>,
    /// Streams that have gone since their parts were last swept up.
    gone: AtomicU32,
    follows_events: AtomicBool,
    polls: AtomicBool,
    inserts_waits: AtomicBool,
    threshold: AtomicU64,
}

/// When a pool may reuse memory of one stream on another, besides after a synchronisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    /// Events order the second stream after the first.
    FollowEvents,
    /// The work of the first stream happens to be done.
    Opportunistic,
    /// The pool may make the second stream wait. It never does: it takes new memory instead.
    InternalWaits,
}

/// A pool's numbers, in bytes of whole pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PoolNumbers {
    /// Bytes handed out now.
    pub used: u64,
    /// Peak of `used` since the last reset.
    pub used_high: u64,
    /// Taken from the device.
    pub reserved: u64,
    /// Peak of `reserved` since the last reset.
    pub reserved_high: u64,
    /// The most that it may hand out.
    pub limit: u64,
    /// Unused bytes that it keeps at a synchronisation.
    pub threshold: u64,
}

impl MemoryPoolCore {
    pub(crate) fn new(
        id: u64,
        device: Arc<DeviceCore>,
        store: Store,
        streams: Arc<Streams>,
        room: u64,
    ) -> Self {
        Self {
            id: AtomicU64::new(id),
            device,
            store,
            streams,
            room,
            parts: RwLock::default(),
            gone: AtomicU32::new(0),
            follows_events: AtomicBool::new(false),
            polls: AtomicBool::new(false),
            inserts_waits: AtomicBool::new(false),
            threshold: AtomicU64::new(0),
        }
    }

    /// Whether it is still the pool with this number.
    pub(crate) fn is(&self, id: u64) -> bool {
        self.id.load(Ordering::Acquire) == id
    }

    /// Whether its addresses can serve another pool.
    pub(crate) fn is_vacant(&self) -> bool {
        self.is(VACANT)
    }

    /// Records something that was done to the pool.
    pub(crate) fn emit(&self, operation: impl FnOnce() -> Operation) {
        self.store.tap().emit(operation);
    }

    /// Bytes for which it has addresses.
    pub(crate) fn room(&self) -> u64 {
        self.room
    }

    /// Bytes that it may hand out.
    pub(crate) fn limit(&self) -> u64 {
        self.store.capacity()
    }

    /// A destroyed pool's addresses serve another; false if they cannot. Whoever calls this keeps others
    /// from doing so.
    pub(crate) fn reopen(&self, id: u64, limit: u64) -> bool {
        if !self.is_vacant() || !self.store.set_capacity(limit) {
            return false;
        }
        for right in [
            Reuse::FollowEvents,
            Reuse::Opportunistic,
            Reuse::InternalWaits,
        ] {
            self.set_reuse(right, false);
        }
        self.threshold.store(0, Ordering::Relaxed);
        self.store.pool.forget_history();
        self.id.store(id, Ordering::Release);
        true
    }

    fn right(&self, right: Reuse) -> &AtomicBool {
        match right {
            Reuse::FollowEvents => &self.follows_events,
            Reuse::Opportunistic => &self.polls,
            Reuse::InternalWaits => &self.inserts_waits,
        }
    }

    pub(crate) fn set_reuse(&self, right: Reuse, allowed: bool) {
        self.right(right).store(allowed, Ordering::Relaxed);
    }

    pub(crate) fn reuse(&self, right: Reuse) -> bool {
        self.right(right).load(Ordering::Relaxed)
    }

    /// The shard of a stream.
    fn part(&self, stream: u64) -> Boxed<Arc<Shard>> {
        if let Some(part) = self.parts.read().get(&stream) {
            return Ok(Arc::clone(part));
        }
        let mut parts = self.parts.write();
        if let Some(part) = parts.get(&stream) {
            return Ok(Arc::clone(part));
        }
        let part = self.store.pool.shard(stream).ok_or(Error::TooMany {
            what: crate::error::Limited::Streams,
            limit: u32::from(u16::MAX),
        })?;
        parts.insert(stream, Arc::clone(&part));
        Ok(part)
    }

    /// A stream is gone.
    pub(crate) fn forget(&self, stream: u64) {
        let Some(part) = self.parts.write().remove(&stream) else {
            return;
        };
        self.store.pool.close(&part);
        // Now and then, so that a program with many short streams does not pile their parts up.
        if self.gone.fetch_add(1, Ordering::Relaxed) + 1 >= GONE {
            self.gone.store(0, Ordering::Relaxed);
            self.store.sweep();
        }
    }

    /// What streams have here is a ghost's; each gets a new part.
    pub(crate) fn disown(&self, ghost: u64) {
        for (_, part) in self.parts.write().drain() {
            self.store.pool.disown(&part, ghost);
        }
    }

    /// Allocates in the order of a stream, for the pool with number `id`.
    pub(crate) fn alloc(&self, id: u64, stream: &StreamCore, bytes: u64) -> Boxed<BlockInfo> {
        let allocated = self.alloc_once(id, stream, bytes);
        let block = match allocated {
            Err(error) if self.makes_room(&stream.shared, &error) => {
                self.alloc_once(id, stream, bytes)
            }
            answer => answer,
        };
        let block = block.map_err(|error| self.as_the_device_sees_it(error))?;
        // Either this sees that the pool is being destroyed, or the thread that destroys it sees the block.
        if self.id.load(Ordering::SeqCst) != id {
            self.free(stream, block.address, Some(block.serial))?;
            // Whoever destroyed the pool may have looked before this was set aside.
            self.lower(0);
            return Err(Error::PoolGone.into());
        }
        Ok(block)
    }

    /// Whether trying again may help, after what others only keep was given back.
    #[cold]
    fn makes_room(&self, shared: &Shared, error: &Error) -> bool {
        match *error {
            // The pool has room, but the device had none.
            Error::OutOfMemory { charge, free, .. } => {
                charge <= free && shared.squeeze_pools(self.device.index)
            }
            Error::MachineFull { .. } => {
                shared.relieve();
                true
            }
            _ => false,
        }
    }

    /// Where the pool has room and the device has none, the device's numbers say what is wrong.
    #[cold]
    fn as_the_device_sees_it(&self, mut error: Box<Error>) -> Box<Error> {
        if let Error::OutOfMemory {
            charge,
            free,
            capacity,
            ..
        } = &mut *error
            && *charge <= *free
        {
            *free = self.device.store.free_bytes();
            *capacity = self.device.store.capacity();
        }
        error
    }

    fn alloc_once(&self, id: u64, stream: &StreamCore, requested: u64) -> Boxed<BlockInfo> {
        let bad = || Box::new(Error::BadSize { requested });
        let bytes = requested
            .checked_next_multiple_of(32)
            .filter(|&bytes| bytes > 0)
            .ok_or_else(bad)?;
        let wanted = Wanted {
            requested,
            bytes,
            pages: PageKind::Huge,
            packed: true,
        };
        let part = self.part(stream.id)?;
        let aside = Cell::new(None);
        let order = || {
            aside.set(Some(self.store.pool.marks().0));
            PoolOrder {
                pool: self,
                clock: if self.reuse(Reuse::FollowEvents) {
                    stream.clock()
                } else {
                    Clock::default()
                },
                now: stream.progress.enqueued(),
            }
        };
        let allocated = self.store.alloc_in(&part, order, wanted, None);
        if allocated.is_err()
            && let Some(before) = aside.get()
        {
            // What was set aside for it is the device's again.
            self.lower(before);
        }
        let position = stream.last_place();
        self.store
            .record_if_heard(requested, bytes, &allocated, Some((id, position)));
        allocated
    }

    /// Frees in the order of a stream; with a `serial`, only if it is still that block.
    pub(crate) fn free(&self, stream: &StreamCore, address: u64, serial: Option<u64>) -> Boxed<()> {
        let part = self.part(stream.id)?;
        let by = (stream.id, stream.progress.enqueued());
        self.store.free_in(&part, address, serial, Some(by))
    }

    pub(crate) fn numbers(&self) -> PoolNumbers {
        let (used, used_high) = self.store.pool.charged();
        let (reserved, reserved_high) = self.store.pool.marks();
        PoolNumbers {
            used,
            used_high,
            reserved,
            reserved_high,
            limit: self.limit(),
            threshold: self.threshold.load(Ordering::Relaxed),
        }
    }

    pub(crate) fn statistics(&self) -> Statistics {
        self.store.statistics()
    }

    pub(crate) fn set_threshold(&self, bytes: u64) -> Result<(), Error> {
        let most = self.limit();
        if bytes > most {
            return Err(Error::PoolBounds {
                what: "release threshold",
                bytes,
                least: 0,
                most,
            });
        }
        self.threshold.store(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Sets no more aside than `keep`, or than is used, and returns how much less that is.
    pub(crate) fn lower(&self, keep: u64) -> u64 {
        let less = self.store.pool.lower_mark(keep);
        if less > 0 {
            self.device.store.let_go(less);
        }
        less
    }

    /// Something was waited for: what is set aside above the threshold is the device's again. The pages
    /// stay with the pool until they are needed elsewhere, because most programs ask again.
    pub(crate) fn release(&self) {
        let threshold = self.threshold.load(Ordering::Relaxed);
        if self.store.pool.marks().0 > threshold {
            self.lower(threshold);
        }
    }

    /// Gives back to the device and the machine what is not used, but for `keep` bytes.
    pub(crate) fn trim_to(&self, keep: u64) -> Result<(), Error> {
        let numbers = self.numbers();
        if keep > numbers.limit || keep < numbers.used {
            return Err(Error::PoolBounds {
                what: "size to keep",
                bytes: keep,
                least: numbers.used,
                most: numbers.limit,
            });
        }
        // Pages may be there although nothing is set aside for them any more.
        if keep >= numbers.reserved.max(self.store.pool.reserved()) {
            return Ok(());
        }
        self.store.trim_to(keep)?;
        self.lower(keep);
        Ok(())
    }

    /// Ends everything in it, live or not; the pool itself goes on.
    pub(crate) fn clear(&self) -> Result<(), Error> {
        let cleared = self.store.clear();
        self.lower(0);
        cleared
    }

    /// Ends the pool, if none of its blocks is live.
    pub(crate) fn destroy(&self, id: u64) -> Result<(), Error> {
        // Most pools in use are recognised here, before other threads are disturbed.
        let blocks = self.store.pool.live_blocks();
        if self.is(id) && blocks > 0 {
            return Err(Error::PoolInUse { blocks });
        }
        let (now, then) = (Ordering::SeqCst, Ordering::Relaxed);
        if self.id.compare_exchange(id, ENDING, now, then).is_err() {
            return Err(Error::PoolGone);
        }
        // Whoever allocates from now on sees it; see `alloc`.
        let blocks = self.store.pool.live_blocks();
        if blocks > 0 {
            self.id.store(id, Ordering::SeqCst);
            return Err(Error::PoolInUse { blocks });
        }
        self.lower(0);
        // What queued work still names, or the device refuses to take back, goes with the addresses' next
        // pool.
        drop(self.store.trim());
        // Before its addresses can be another pool's.
        self.emit(|| Operation::PoolDestroyed { pool: id });
        self.id.store(VACANT, Ordering::Release);
        Ok(())
    }

    pub(crate) fn reset_used_high(&self) {
        self.store.pool.reset_peak();
    }

    pub(crate) fn reset_reserved_high(&self) {
        self.store.pool.reset_highest_mark();
    }
}

/// What a stream may have of a pool.
struct PoolOrder<'a> {
    pool: &'a MemoryPoolCore,
    clock: Clock,
    now: u64,
}

impl Order for PoolOrder<'_> {
    fn known(&self, stream: u64) -> u64 {
        self.clock.of(stream)
    }

    fn passed(&self, stream: u64) -> u64 {
        if self.pool.reuse(Reuse::Opportunistic) {
            self.pool.streams.completed(stream)
        } else {
            self.pool.streams.passed(stream)
        }
    }

    fn now(&self) -> u64 {
        self.now
    }

    fn reserve(&self, more: u64) -> bool {
        self.pool.device.store.holds(more)
    }
}

#[cfg(test)]
mod tests {
    use crate::memory::report::tests::DESCRIBED;
    use crate::{Config, Error, Runtime};

    /// A pool asks the device for room while it holds its locks. What the device would say to a person takes long
    /// to make, and is never read: only the pool's own sentence is used.
    #[test]
    fn only_what_is_reported_is_written() {
        const MIB: u64 = 1 << 20;
        let config = Config {
            capacity: 64 * MIB,
            ..Config::default()
        };
        let runtime = Runtime::new(config).unwrap();
        let device = runtime.device(0).unwrap();
        let stream = device.create_stream().unwrap();
        let pool = device.create_pool(None).unwrap();
        let _taken = device.alloc(60 * MIB).unwrap();
        let before = DESCRIBED.get();
        let refused = pool.alloc(&stream, 30 * MIB).unwrap_err();
        assert!(matches!(refused, Error::OutOfMemory { .. }), "{refused}");
        let text = refused.to_string();
        assert!(text.contains("no more room for this pool"), "{text}");
        assert!(
            text.contains("4194304 of 67108864 bytes are free"),
            "{text}"
        );
        assert_eq!(DESCRIBED.get() - before, 1);
    }
}
