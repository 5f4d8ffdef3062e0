//! The objects that block handles point to.
//!
//! A handle is the address of a 64-byte header, which has the address of the block's memory: the
//! runtime asks for that with the handle alone. Headers live in one range of the process's addresses that is
//! reserved once and never unmapped. So any pointer is checked by comparing numbers before it is looked
//! at, and looking at the header of a block that is long gone is harmless.
//!
//! A header that was freed is reused late: until then a second free of the same block is found out.
#![expect(unsafe_code, reason = "a range of headers that is mapped by hand")]

use std::collections::VecDeque;
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::Mutex;

/// "millpond", for who looks at memory.
const NAME: u64 = u64::from_le_bytes(*b"millpond");

/// How many freed headers wait before the first is used again.
const WAITING: usize = 64;

/// One block. What is not live keeps its last values.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Header {
    name: AtomicU64,
    /// How often it was filled and ended: odd while it is live. So a caller that ends a block names the one that it has
    /// looked at, and is refused when the header has become another's meanwhile.
    life: AtomicU64,
    address: AtomicU64,
    offset: AtomicU64,
    serial: AtomicU64,
    /// The lane that it was allocated for, and the arena.
    lane: AtomicU64,
    arena: AtomicU64,
    rest: AtomicU64,
}

const _: () = assert!(size_of::<Header>() == 64);

/// Which of the blocks that a header stood for, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Life(u64);

/// What a live header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) address: u64,
    pub(crate) offset: u64,
    pub(crate) serial: u64,
    pub(crate) lane: u64,
    pub(crate) arena: u64,
}

impl Header {
    /// Makes it the header of a live block. Only for who took it out of the spare ones.
    pub(crate) fn fill(&self, block: Block) {
        self.address.store(block.address, Ordering::Relaxed);
        self.offset.store(block.offset, Ordering::Relaxed);
        self.serial.store(block.serial, Ordering::Relaxed);
        self.lane.store(block.lane, Ordering::Relaxed);
        self.arena.store(block.arena, Ordering::Relaxed);
        self.name.store(NAME, Ordering::Relaxed);
        self.life.fetch_add(1, Ordering::Release);
    }

    /// What it says while it is live.
    pub(crate) fn block(&self) -> Option<Block> {
        self.look().map(|(_, block)| block)
    }

    /// The same, and what [`Header::end`] wants. What is read of a block that ends meanwhile may be another's; ending
    /// it is refused then.
    pub(crate) fn look(&self) -> Option<(Life, Block)> {
        let life = self.life.load(Ordering::Acquire);
        (!life.is_multiple_of(2)).then(|| {
            let block = Block {
                address: self.address.load(Ordering::Relaxed),
                offset: self.offset.load(Ordering::Relaxed),
                serial: self.serial.load(Ordering::Relaxed),
                lane: self.lane.load(Ordering::Relaxed),
                arena: self.arena.load(Ordering::Relaxed),
            };
            (Life(life), block)
        })
    }

    /// Ends the block that was looked at, for one caller only.
    pub(crate) fn end(&self, Life(life): Life) -> bool {
        let (now, then) = (Ordering::AcqRel, Ordering::Relaxed);
        let ended = self.life.compare_exchange(life, life + 1, now, then);
        ended.is_ok()
    }

    pub(crate) fn handle(&self) -> usize {
        std::ptr::from_ref(self).expose_provenance()
    }
}

/// Headers that one lane has at hand.
#[derive(Debug, Default)]
pub(crate) struct Spare(Mutex<VecDeque<&'static Header>>);

impl Spare {
    /// A header to fill, or `None` when there are no more.
    pub(crate) fn take(&self) -> Option<&'static Header> {
        let mut spare = self.0.lock();
        if spare.len() > WAITING {
            return spare.pop_front();
        }
        store()?.take().or_else(|| spare.pop_front())
    }

    /// Takes a header back whose block has ended.
    pub(crate) fn put(&self, header: &'static Header) {
        self.0.lock().push_back(header);
    }
}

impl Drop for Spare {
    fn drop(&mut self) {
        if let Some(store) = store() {
            store.left.lock().append(self.0.get_mut());
        }
    }
}

/// The header that a handle points to, if it can be one.
pub(crate) fn find(handle: usize) -> Option<&'static Header> {
    store()?.find(handle)
}

#[derive(Debug)]
struct Store {
    base: NonNull<Header>,
    capacity: usize,
    /// How many have ever been handed out.
    used: AtomicUsize,
    /// What lanes left behind that are gone.
    left: Mutex<VecDeque<&'static Header>>,
}

// SAFETY: `base` is the start of a mapping that is never unmapped; headers are made of atomics.
unsafe impl Send for Store {}
// SAFETY: as above.
unsafe impl Sync for Store {}

fn store() -> Option<&'static Store> {
    static STORE: OnceLock<Option<Store>> = OnceLock::new();
    STORE.get_or_init(Store::map).as_ref()
}

impl Store {
    /// Reserves the range: as much as the system allows. Pages cost nothing until they are touched.
    fn map() -> Option<Self> {
        [1 << 24, 1 << 21, 1 << 18, 1 << 15]
            .into_iter()
            .find_map(|capacity: usize| {
                let bytes = capacity * size_of::<Header>();
                let protection = libc::PROT_READ | libc::PROT_WRITE;
                let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
                // SAFETY: a new mapping at no particular address touches nothing that exists.
                let base =
                    unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
                if base == libc::MAP_FAILED {
                    return None;
                }
                let base = NonNull::new(base.cast::<Header>())?;
                Some(Self {
                    base,
                    capacity,
                    used: AtomicUsize::new(0),
                    left: Mutex::default(),
                })
            })
    }

    fn take(&self) -> Option<&'static Header> {
        if let mut left = self.left.lock()
            && left.len() > WAITING
        {
            return left.pop_front();
        }
        let next = |used: usize| (used < self.capacity).then_some(used + 1);
        match self
            .used
            .fetch_update(Ordering::AcqRel, Ordering::Relaxed, next)
        {
            Ok(index) => Some(self.at(index)),
            Err(_) => self.left.lock().pop_front(),
        }
    }

    fn find(&self, handle: usize) -> Option<&'static Header> {
        let inside = handle.checked_sub(self.base.addr().get())?;
        let index = inside / size_of::<Header>();
        let exact = inside.is_multiple_of(size_of::<Header>());
        (exact && index < self.used.load(Ordering::Acquire)).then(|| self.at(index))
    }

    fn at(&self, index: usize) -> &'static Header {
        debug_assert!(index < self.capacity);
        // SAFETY: the index was checked against the mapping's length.
        let header = unsafe { self.base.add(index) };
        // SAFETY: the mapping is page-aligned and is never unmapped; zeros are a header that is not live.
        unsafe { header.as_ref() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: Block = Block {
        address: 0x1000,
        offset: 512,
        serial: 7,
        lane: 1,
        arena: 2,
    };

    #[test]
    fn only_headers_are_found() {
        let spare = Spare::default();
        let header = spare.take().unwrap();
        let handle = header.handle();
        assert!(find(handle).is_some());
        assert!(find(handle + 8).is_none());
        assert!(find(0).is_none());
        assert!(find(usize::MAX).is_none());
        assert!(find(std::ptr::from_ref(&spare).addr()).is_none());
    }

    #[test]
    fn a_block_ends_once_and_its_header_waits() {
        let spare = Spare::default();
        let header = spare.take().unwrap();
        assert_eq!(header.block(), None);
        header.fill(BLOCK);
        assert_eq!(header.block(), Some(BLOCK));
        let (life, _) = header.look().unwrap();
        assert!(header.end(life) && !header.end(life));
        assert_eq!(header.block(), None);
        spare.put(header);
        for _ in 0..WAITING {
            let other = spare.take().unwrap();
            assert_ne!(other.handle(), header.handle());
            spare.put(other);
        }
        let again = spare.take().unwrap();
        assert_eq!(again.handle(), header.handle());
    }

    /// Two threads free a block: one looks at it, the other is through and the header is another block's.
    #[test]
    fn who_looked_at_an_earlier_block_ends_nothing() {
        let spare = Spare::default();
        let header = spare.take().unwrap();
        header.fill(BLOCK);
        let (slow, _) = header.look().unwrap();
        assert!(header.end(slow));
        let next = Block { serial: 8, ..BLOCK };
        header.fill(next);
        assert!(!header.end(slow));
        assert_eq!(header.block(), Some(next));
    }
}
