//! Handles: what C holds instead of an address.
//!
//! A handle is an index and a generation in one word, under a pattern that no user-space address
//! has, so a handle that is dereferenced faults at once, and a stale or foreign one is found by
//! comparison, without dereferencing it.
//!
//! ```text
//!   63      56 55      48 47              24 23               0
//!   ┌─────────┬──────────┬──────────────────┬──────────────────┐
//!   │ 4·kind  │   A5     │    generation    │      index       │
//!   └─────────┴──────────┴──────────────────┴──────────────────┘
//! ```
//!
//! Looking one up takes an atomic add and no lock; a value that is removed while it is in use
//! lives until the last user is gone (`crates/slot`). Slots are never freed or moved, so a stale index is
//! always readable.
#![expect(unsafe_code, reason = "keeps the promises that slots ask for")]

use std::ops::Deref;
use std::sync::OnceLock;

use millpond_slot::{LAST_GENERATION, Reclaimed, Slot, Vacant};
use parking_lot::Mutex;

/// Not an address on any supported machine, even if the top byte of addresses is ignored.
const PATTERN: u64 = 0xa5;
const CHUNKS: usize = 18;
const FIRST_CHUNK: usize = 64;

/// What kind of thing a handle names. The numbers are part of the handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Context = 1,
    Stream = 2,
    Event = 3,
    DataBuffer = 4,
    TensorDesc = 5,
    PhysicalMemory = 6,
    MemoryPool = 7,
    OperatorAttributes = 8,
    Operator = 9,
    Dataset = 10,
    ModelDescription = 11,
    LoadOptions = 12,
    RunOptions = 13,
    MstxDomain = 14,
    MstxHeap = 15,
    MstxRegion = 16,
    Tensor = 17,
    IntArray = 18,
    Executor = 19,
    Scalar = 20,
    FloatArray = 21,
    BoolArray = 22,
    TensorList = 23,
    ScalarList = 24,
    Communicator = 25,
    SharedEvent = 40,
    Notify = 41,
    CountedNotify = 42,
    ExternalEvent = 43,
    Graph = 44,
    TaskGroup = 45,
    Condition = 46,
    TensorItem = 47,
    TensorSet = 48,
    Channel = 49,
    Picture = 56,
    PictureBatch = 57,
    PictureArea = 58,
    ResizeOptions = 59,
    MediaChannel = 60,
    ProfileConfig = 61,
    ProfileStep = 62,
    Stamp = 63,
}

impl Kind {
    const ALL: [Self; 43] = [
        Self::Context,
        Self::Stream,
        Self::Event,
        Self::DataBuffer,
        Self::TensorDesc,
        Self::PhysicalMemory,
        Self::MemoryPool,
        Self::OperatorAttributes,
        Self::Operator,
        Self::Dataset,
        Self::ModelDescription,
        Self::LoadOptions,
        Self::RunOptions,
        Self::MstxDomain,
        Self::MstxHeap,
        Self::MstxRegion,
        Self::Tensor,
        Self::IntArray,
        Self::Executor,
        Self::Scalar,
        Self::FloatArray,
        Self::BoolArray,
        Self::TensorList,
        Self::ScalarList,
        Self::Communicator,
        Self::SharedEvent,
        Self::Notify,
        Self::CountedNotify,
        Self::ExternalEvent,
        Self::Graph,
        Self::TaskGroup,
        Self::Condition,
        Self::TensorItem,
        Self::TensorSet,
        Self::Channel,
        Self::Picture,
        Self::PictureBatch,
        Self::PictureArea,
        Self::ResizeOptions,
        Self::MediaChannel,
        Self::ProfileConfig,
        Self::ProfileStep,
        Self::Stamp,
    ];

    /// Whether a word is a handle of this kind, stale or not.
    pub(crate) fn is_of(self, handle: u64) -> bool {
        handle >> 48 == self.top() >> 48
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Context => "context",
            Self::Stream => "stream",
            Self::Event => "event",
            Self::DataBuffer => "data buffer",
            Self::TensorDesc => "tensor description",
            Self::PhysicalMemory => "physical memory",
            Self::MemoryPool => "memory pool",
            Self::OperatorAttributes => "operator attributes",
            Self::Operator => "operator",
            Self::Dataset => "dataset",
            Self::ModelDescription => "model description",
            Self::LoadOptions => "model load options",
            Self::RunOptions => "model run options",
            Self::MstxDomain => "MSTX domain",
            Self::MstxHeap => "MSTX heap",
            Self::MstxRegion => "MSTX region",
            Self::Tensor => "tensor",
            Self::IntArray => "integer array",
            Self::Executor => "operator executor",
            Self::Scalar => "scalar",
            Self::FloatArray => "float array",
            Self::BoolArray => "bool array",
            Self::TensorList => "tensor list",
            Self::ScalarList => "scalar list",
            Self::Communicator => "communicator",
            Self::SharedEvent => "event that other processes use",
            Self::Notify => "notification",
            Self::CountedNotify => "counted notification",
            Self::ExternalEvent => "external event",
            Self::Graph => "graph",
            Self::TaskGroup => "task group",
            Self::Condition => "condition",
            Self::TensorItem => "item of a data set",
            Self::TensorSet => "data set",
            Self::Channel => "channel",
            Self::Picture => "picture description",
            Self::PictureBatch => "batch of picture descriptions",
            Self::PictureArea => "area of a picture",
            Self::ResizeOptions => "resize configuration",
            Self::MediaChannel => "media channel description",
            Self::ProfileConfig => "profiling configuration",
            Self::ProfileStep => "step of a profile",
            Self::Stamp => "stamp",
        }
    }

    pub(crate) const fn top(self) -> u64 {
        (0x40 | self as u64) << 56 | PATTERN << 48
    }
}

/// Why a handle names nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unresolved {
    /// It never was a handle of this process.
    Foreign,
    /// It is the handle of something else.
    OtherKind(Kind),
    /// What it named is gone.
    Stale,
}

/// The things of one kind that C holds handles of.
#[derive(Debug)]
pub(crate) struct Registry<T> {
    kind: Kind,
    chunks: [OnceLock<Box<[Slot<T>]>>; CHUNKS],
    vacant: Vacant,
    /// Slots that were ever used.
    used: Mutex<u32>,
}

impl<T> Registry<T> {
    pub(crate) const fn new(kind: Kind) -> Self {
        Self {
            kind,
            chunks: [const { OnceLock::new() }; CHUNKS],
            vacant: Vacant::new(),
            used: Mutex::new(0),
        }
    }

    /// Mints a handle for `value`; `None` when there are too many.
    pub(crate) fn insert(&self, value: T) -> Option<u64> {
        let index = self.vacant_index()?;
        let slot = self.slot(index)?;
        // SAFETY: the index came from the vacant ones, and was given to this thread alone.
        let generation = unsafe { slot.fill(value) };
        Some(self.handle(index, generation))
    }

    /// Mints a handle for the value that `make` makes where it stays; `None` when there are too many.
    #[inline]
    pub(crate) fn insert_with<E>(
        &self,
        make: impl FnOnce(&mut Option<T>) -> Result<(), E>,
    ) -> Option<Result<u64, E>> {
        let index = self.vacant_index()?;
        let slot = self.slot(index)?;
        // SAFETY: as in `insert`.
        let made = unsafe { slot.fill_with(make) };
        if made.is_err() {
            self.vacant.push(index, slot);
        }
        Some(made.map(|generation| self.handle(index, generation)))
    }

    fn handle(&self, index: u32, generation: u64) -> u64 {
        self.kind.top() | generation << 24 | u64::from(index)
    }

    /// The index of a slot that nobody uses, given to the caller alone.
    fn vacant_index(&self) -> Option<u32> {
        let vacant = self.vacant.pop(|index| self.slot(index));
        vacant.or_else(|| self.unused_index())
    }

    /// The index of a slot that was never used.
    #[cold]
    fn unused_index(&self) -> Option<u32> {
        let mut used = self.used.lock();
        let index = *used;
        let (chunk, _) = place(index);
        let slots = self.chunks.get(chunk)?;
        slots.get_or_init(|| (0..FIRST_CHUNK << chunk).map(|_| Slot::new()).collect());
        *used += 1;
        Some(index)
    }

    /// The handles that name something now.
    pub(crate) fn live(&self) -> Vec<u64> {
        let used = *self.used.lock();
        let live = |index| {
            let generation = self.slot(index)?.live_generation()?;
            Some(self.handle(index, generation))
        };
        (0..used).filter_map(live).collect()
    }

    /// What a handle names. It lives at least as long as the guard.
    #[inline]
    pub(crate) fn get(&self, handle: u64) -> Result<HandleGuard<'_, T>, Unresolved> {
        let Some(slot) = self.slot_of(handle) else {
            return Err(self.explain(handle));
        };
        let live = slot.pin(generation_of(handle));
        let guard = HandleGuard {
            registry: self,
            slot,
            index: index_of(handle),
        };
        if live {
            return Ok(guard);
        }
        // The pin on nothing is taken back.
        drop(guard);
        Err(Unresolved::Stale)
    }

    /// Makes a handle stale. What it named lives as long as the guard.
    pub(crate) fn remove(&self, handle: u64) -> Result<HandleGuard<'_, T>, Unresolved> {
        let guard = self.get(handle)?;
        if guard.slot.end_generation(generation_of(handle)) {
            return Ok(guard);
        }
        Err(Unresolved::Stale)
    }

    /// Makes a handle stale and drops what it named, or lets its last user do that.
    #[inline]
    pub(crate) fn discard(&self, handle: u64) -> Result<(), Unresolved> {
        let Some(slot) = self.slot_of(handle) else {
            return Err(self.explain(handle));
        };
        match slot.end_unused(generation_of(handle)) {
            Some(reclaimed) => {
                if reclaimed.reusable {
                    self.vacant.push(index_of(handle), slot);
                }
                Ok(())
            }
            None => self.remove(handle).map(drop),
        }
    }

    /// Makes the handle of something that is in use stale; false if somebody else did before.
    #[inline]
    pub(crate) fn end(guard: &HandleGuard<'_, T>, handle: u64) -> bool {
        guard.slot.end_generation(generation_of(handle))
    }

    /// Why a word that has no slot here is not a handle of this kind.
    #[cold]
    fn explain(&self, handle: u64) -> Unresolved {
        let other = Kind::ALL
            .into_iter()
            .find(|kind| handle >> 48 == kind.top() >> 48);
        match other {
            Some(kind) if kind != self.kind => Unresolved::OtherKind(kind),
            _ => Unresolved::Foreign,
        }
    }

    #[inline]
    fn slot_of(&self, handle: u64) -> Option<&Slot<T>> {
        if handle >> 48 != self.kind.top() >> 48 {
            return None;
        }
        self.slot(index_of(handle))
    }

    #[inline]
    fn slot(&self, index: u32) -> Option<&Slot<T>> {
        let (chunk, offset) = place(index);
        self.chunks.get(chunk)?.get()?.get(offset)
    }
}

/// A thing that a handle named, in use.
#[derive(Debug)]
pub(crate) struct HandleGuard<'a, T> {
    registry: &'a Registry<T>,
    slot: &'a Slot<T>,
    index: u32,
}

impl<T> Deref for HandleGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the guard was made after its pin found the generation live.
        unsafe { self.slot.get() }
    }
}

impl<T> Drop for HandleGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // The value is dropped without a lock: it may be a thing of the program's that goes with it.
        if let Some(Reclaimed { reusable: true }) = self.slot.unpin() {
            self.registry.vacant.push(self.index, self.slot);
        }
    }
}

#[inline]
const fn index_of(handle: u64) -> u32 {
    (handle & 0xff_ffff) as u32
}

#[inline]
const fn generation_of(handle: u64) -> u64 {
    handle >> 24 & LAST_GENERATION
}

/// Chunk and offset of an index; chunk n has twice as many slots as the one before it.
#[inline]
const fn place(index: u32) -> (usize, usize) {
    let shifted = index as usize + FIRST_CHUNK;
    let chunk = (shifted.ilog2() - FIRST_CHUNK.ilog2()) as usize;
    (chunk, shifted - (FIRST_CHUNK << chunk))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn a_handle_finds_its_value_until_it_is_removed() {
        let registry = Registry::new(Kind::Stream);
        let one = registry.insert("one").unwrap();
        let two = registry.insert("two").unwrap();
        assert_eq!(
            (*registry.get(one).unwrap(), *registry.get(two).unwrap()),
            ("one", "two")
        );
        assert_eq!(*registry.remove(one).unwrap(), "one");
        let zero = registry.insert("zero").unwrap();
        assert_eq!(registry.discard(zero), Ok(()));
        assert_eq!(registry.discard(zero), Err(Unresolved::Stale));
        assert_eq!(registry.get(one).unwrap_err(), Unresolved::Stale);
        assert_eq!(registry.remove(one).unwrap_err(), Unresolved::Stale);
        let three = registry.insert("three").unwrap();
        assert_ne!(three, one, "a slot is reused under another generation");
        assert_eq!(index_of(three), index_of(one));
        assert_eq!(registry.get(one).unwrap_err(), Unresolved::Stale);
    }

    #[test]
    fn what_is_no_handle_is_distinguished() {
        let streams = Registry::new(Kind::Stream);
        let events = Registry::new(Kind::Event);
        let stream = streams.insert(1).unwrap();
        events.insert(2).unwrap();
        assert_eq!(
            events.get(stream).unwrap_err(),
            Unresolved::OtherKind(Kind::Stream)
        );
        for foreign in [0, 1, u64::MAX, 0x7fff_1234_5678, stream | 0xff_ffff] {
            assert_eq!(
                streams.get(foreign).unwrap_err(),
                Unresolved::Foreign,
                "{foreign:#x}"
            );
        }
    }

    #[test]
    fn no_handle_could_be_an_address() {
        let registry = Registry::new(Kind::Context);
        let handle = registry.insert(()).unwrap();
        // x86-64: bits 63 to 47 differ; aarch64 with an ignored top byte: bit 55 is the kernel's.
        assert!(handle >> 47 != 0 && handle >> 47 != 0x1_ffff);
        assert_eq!(handle >> 55 & 1, 1);
    }

    #[test]
    fn a_removed_value_lives_as_long_as_it_is_used() {
        struct Counts(Arc<AtomicUsize>);
        impl Drop for Counts {
            fn drop(&mut self) {
                self.0.fetch_add(1, Ordering::SeqCst);
            }
        }
        let dropped = Arc::new(AtomicUsize::new(0));
        let registry = Registry::new(Kind::Event);
        let handle = registry.insert(Counts(Arc::clone(&dropped))).unwrap();
        let used = registry.get(handle).unwrap();
        drop(registry.remove(handle).unwrap());
        assert_eq!(dropped.load(Ordering::SeqCst), 0);
        drop(used);
        assert_eq!(dropped.load(Ordering::SeqCst), 1);

        let handle = registry.insert(Counts(Arc::clone(&dropped))).unwrap();
        let used = registry.get(handle).unwrap();
        registry.discard(handle).unwrap();
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
        drop(used);
        assert_eq!(dropped.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn a_value_that_could_not_be_made_leaves_its_slot_vacant() {
        let registry = Registry::new(Kind::Tensor);
        let failed = registry.insert_with(|place| {
            *place = Some(1);
            Err("no")
        });
        assert_eq!(failed, Some(Err("no")));
        let made = registry.insert_with(|place| {
            assert_eq!(*place, None);
            *place = Some(2);
            Ok::<(), &str>(())
        });
        let handle = made.unwrap().unwrap();
        assert_eq!((*registry.get(handle).unwrap(), index_of(handle)), (2, 0));
    }

    #[test]
    fn many_values_spread_over_chunks() {
        let registry = Registry::new(Kind::DataBuffer);
        let handles: Vec<_> = (0..10_000).map(|n| registry.insert(n).unwrap()).collect();
        for (n, handle) in handles.iter().enumerate() {
            assert_eq!(*registry.get(*handle).unwrap(), n);
        }
    }

    #[test]
    fn threads_that_use_and_remove_one_handle_agree() {
        for _ in 0..200 {
            let registry = Registry::new(Kind::Stream);
            let handle = registry.insert(Arc::new(7)).unwrap();
            let removed = AtomicUsize::new(0);
            std::thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| {
                        if let Ok(value) = registry.get(handle) {
                            assert_eq!(**value, 7);
                        }
                        if registry.remove(handle).is_ok() {
                            removed.fetch_add(1, Ordering::SeqCst);
                        }
                    });
                }
            });
            assert_eq!(removed.load(Ordering::SeqCst), 1);
            assert!(registry.get(handle).is_err());
            let again = registry.insert(Arc::new(8)).unwrap();
            assert_eq!(**registry.get(again).unwrap(), 8);
        }
    }
}
