//! The memory of events and notifications that several processes use.
//!
//! ```text
//!   arena: one segment for each process that exports
//!   ┌────────┬───────────────────────────────┬─────────────────────────┐
//!   │ head   │ participants: bell, present   │ signals of 256 bytes    │
//!   └────────┴───────────────────────────────┴─────────────────────────┘
//! ```
//!
//! Every process that uses a signal of an arena takes part in the arena once: it has a number, a claim on the byte of that number,
//! which the kernel drops when the process ends, and a bell that is rung when a signal changes.
//!
//! A signal belongs to whoever has a reference; the last one to let go makes its place free. Only the process that made the
//! arena takes places. A process that is killed keeps its references, and so a few places are lost with it.
//!
//! Events: a record takes the next number, and notes itself in the ring under it; when its stream reaches it, the entry gets the
//! number. A wait is for one number, so it does not matter in which order records end.
#![expect(
    unsafe_code,
    reason = "atomics in memory that other processes write, and the start of a thread"
)]

use std::collections::HashMap;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use millpond_sharing::{BellName, Segment, random_id};
use parking_lot::Mutex;

use super::{HUB, hub};
use crate::boundary::CallError;

const PARTICIPANTS: u32 = 16 << 10;
const PARTICIPANT_BYTES: usize = 32;
const HEAD: usize = 64;
const SIGNALS: u32 = 16 << 10;
const SIGNAL_BYTES: usize = 256;
const FIRST_SIGNAL: usize = HEAD + PARTICIPANTS as usize * PARTICIPANT_BYTES;
const ARENA_BYTES: usize = FIRST_SIGNAL + SIGNALS as usize * SIGNAL_BYTES;

/// Records of one event that may be on their way at a time. Another one waits for the oldest.
pub(crate) const RING: u64 = 14;
/// The mark of a record that will never be reached.
const FAILED: u64 = 1;

/// What an id is, for a request.
pub(crate) type ArenaId = [u8; 16];

/// What a signal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum SignalKind {
    Event = 1,
    Notify = 2,
    CountedNotify = 3,
}

impl SignalKind {
    fn from_number(number: u8) -> Option<Self> {
        [Self::Event, Self::Notify, Self::CountedNotify]
            .into_iter()
            .find(|kind| *kind as u8 == number)
    }
}

/// Signals of one process, and who takes part in them.
#[derive(Debug)]
pub(crate) struct Arena {
    segment: Segment,
    /// This process's number.
    own: u32,
}

/// The arenas that this process takes part in, by the process that made them. A process has one `Segment` of a file, and
/// only this table drops one, while it is locked.
static ARENAS: Mutex<Option<HashMap<[u8; HUB], Arc<Arena>>>> = Mutex::new(None);

/// The arena that this process made.
static OWN: Mutex<Option<Arc<Arena>>> = Mutex::new(None);

/// One reference to a signal.
#[derive(Debug)]
pub(crate) struct Signal {
    arena: Arc<Arena>,
    place: u32,
    kind: SignalKind,
}

/// How a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordState {
    Pending,
    Done,
    /// Its stream failed or was aborted, or its process has ended.
    Failed(&'static str),
}

impl Arena {
    fn create() -> Result<Self, CallError> {
        let begin = || -> io::Result<Self> {
            let segment = Segment::create("millpond-signals", ARENA_BYTES)?;
            let arena = Self { segment, own: 0 };
            let id = random_id()?;
            for (index, half) in [0, 8].into_iter().enumerate() {
                let bytes = id[half..half + 8].try_into().unwrap_or_default();
                arena
                    .word64(16 + index * 8)
                    .store(u64::from_le_bytes(bytes), Ordering::Relaxed);
            }
            Ok(arena)
        };
        let arena = begin().map_err(|error| super::failed("no memory for signals", &error))?;
        arena.join()
    }

    fn open(memory: OwnedFd) -> Result<Self, CallError> {
        let segment =
            Segment::open(memory).map_err(|error| super::failed("shared memory", &error))?;
        if segment.bytes() < ARENA_BYTES {
            return Err(super::failed(
                "shared memory",
                &io::Error::other("it is shorter than signals are"),
            ));
        }
        Self { segment, own: 0 }.join()
    }

    /// Takes part in it.
    fn join(mut self) -> Result<Self, CallError> {
        let bell = hub()?.bell().name().0;
        let number = self.word32(0).fetch_add(1, Ordering::AcqRel);
        if number >= PARTICIPANTS {
            return Err(super::failed(
                "shared memory",
                &io::Error::other("too many processes have used it"),
            ));
        }
        let claimed = self.segment.claim(u64::from(number));
        claimed.map_err(|error| super::failed("shared memory", &error))?;
        self.own = number;
        let at = Self::participant(number);
        for (index, half) in [0, 8].into_iter().enumerate() {
            let bytes = bell[half..half + 8].try_into().unwrap_or_default();
            self.word64(at + 8 + index * 8)
                .store(u64::from_le_bytes(bytes), Ordering::Relaxed);
        }
        self.word32(at).store(1, Ordering::Release);
        Ok(self)
    }

    const fn participant(number: u32) -> usize {
        HEAD + number as usize * PARTICIPANT_BYTES
    }

    fn id(&self) -> ArenaId {
        let mut id = [0; 16];
        for (index, half) in [0, 8].into_iter().enumerate() {
            let word = self.word64(16 + index * 8).load(Ordering::Relaxed);
            id[half..half + 8].copy_from_slice(&word.to_le_bytes());
        }
        id
    }

    fn word32(&self, at: usize) -> &AtomicU32 {
        assert!(
            at.is_multiple_of(4) && at + 4 <= ARENA_BYTES,
            "inside the arena"
        );
        // SAFETY: inside the segment, which is as long as an arena.
        let place = unsafe { self.segment.start().add(at) };
        // SAFETY: it is mapped as long as `self`, starts at a page, and every process uses these bytes by atomics only.
        unsafe { AtomicU32::from_ptr(place.as_ptr().cast()) }
    }

    fn word64(&self, at: usize) -> &AtomicU64 {
        assert!(
            at.is_multiple_of(8) && at + 8 <= ARENA_BYTES,
            "inside the arena"
        );
        // SAFETY: as for `word32`.
        let place = unsafe { self.segment.start().add(at) };
        // SAFETY: as for `word32`.
        unsafe { AtomicU64::from_ptr(place.as_ptr().cast()) }
    }

    /// Wakes every process that takes part, and this one.
    fn ring(&self) {
        let Ok(hub) = hub() else { return };
        let joined = self.word32(0).load(Ordering::Acquire);
        for number in 0..joined.min(PARTICIPANTS) {
            let at = Self::participant(number);
            if self.word32(at).load(Ordering::Acquire) == 0 {
                continue;
            }
            let mut name = [0; 16];
            for (index, half) in [0, 8].into_iter().enumerate() {
                let word = self.word64(at + 8 + index * 8).load(Ordering::Relaxed);
                name[half..half + 8].copy_from_slice(&word.to_le_bytes());
            }
            if number != self.own || !hub.waits().is_empty() {
                hub.bell().ring(BellName(name));
            }
        }
    }

    /// Whether a process that takes part still runs.
    fn is_alive(&self, number: u32) -> bool {
        // If the system cannot say, the process counts as alive.
        number == self.own || self.segment.is_claimed(u64::from(number)).unwrap_or(true)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        self.word32(Self::participant(self.own))
            .store(0, Ordering::Release);
        drop(self.segment.release(u64::from(self.own)));
    }
}

impl Signal {
    /// Makes a signal.
    pub(crate) fn create(kind: SignalKind) -> Result<Self, CallError> {
        let mut own = OWN.lock();
        let arena = match &*own {
            Some(arena) => Arc::clone(arena),
            None => Arc::clone(own.insert(Arc::new(Arena::create()?))),
        };
        for place in 0..SIGNALS {
            let references = arena.word32(Self::start_of(place));
            let taken = references.compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed);
            if taken.is_err() {
                continue;
            }
            let signal = Self { arena, place, kind };
            signal.value().store(0, Ordering::Relaxed);
            for at in [16, 24] {
                signal.number(at).store(0, Ordering::Relaxed);
            }
            for entry in 0..RING {
                signal.entry(entry).0.store(0, Ordering::Relaxed);
            }
            return Ok(signal);
        }
        Err(CallError::coded(
            millpond_abi::ACL_ERROR_RT_NO_EVENT_RESOURCE,
            format!("a process has at most {SIGNALS} events and notifications that others can use"),
        ))
    }

    /// Whether this process made it, so that it may hand it on.
    pub(super) fn is_own(&self) -> bool {
        let own = OWN.lock();
        own.as_ref()
            .is_some_and(|own| Arc::ptr_eq(own, &self.arena))
    }

    /// The arena of this process, for those who do not have it yet.
    pub(super) fn descriptor(&self, known: &ArenaId) -> Option<BorrowedFd<'_>> {
        (self.arena.id() != *known).then(|| self.arena.segment.descriptor())
    }

    /// What names it in its arena. The reference that is counted for it is the importer's.
    pub(super) fn hand_out(&self) -> (u8, u32) {
        self.references().fetch_add(1, Ordering::AcqRel);
        (self.kind as u8, self.place)
    }

    /// Another reference.
    pub(crate) fn again(&self) -> Self {
        self.references().fetch_add(1, Ordering::AcqRel);
        Self {
            arena: Arc::clone(&self.arena),
            place: self.place,
            kind: self.kind,
        }
    }

    /// Opens a signal of another process. `ask` gets the arena of it that this process has already, and returns the answer.
    pub(super) fn open(
        from: [u8; HUB],
        ask: impl FnOnce(ArenaId) -> Result<(u8, u32, Option<OwnedFd>), CallError>,
    ) -> Result<Self, CallError> {
        let mut arenas = ARENAS.lock();
        let arenas = arenas.get_or_insert_default();
        let known = arenas.get(&from).map_or([0; 16], |arena| arena.id());
        let (kind, place, memory) = ask(known)?;
        let strange = || super::failed("a shared signal", &io::ErrorKind::InvalidData.into());
        let kind = SignalKind::from_number(kind).ok_or_else(strange)?;
        if place >= SIGNALS {
            return Err(strange());
        }
        if let Some(memory) = memory {
            // Arenas that nobody uses any more go; the new one is not one of these.
            arenas.retain(|_, arena| Arc::strong_count(arena) > 1);
            arenas.insert(from, Arc::new(Arena::open(memory)?));
        }
        let arena = Arc::clone(arenas.get(&from).ok_or_else(strange)?);
        Ok(Self { arena, place, kind })
    }

    pub(crate) fn kind(&self) -> SignalKind {
        self.kind
    }

    /// Whether both are the same.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.arena, &other.arena) && self.place == other.place
    }

    /// A number that other signals of its process do not have.
    pub(crate) fn id(&self) -> u32 {
        self.place
    }

    const fn start_of(place: u32) -> usize {
        FIRST_SIGNAL + place as usize * SIGNAL_BYTES
    }

    const fn start(&self) -> usize {
        Self::start_of(self.place)
    }

    fn references(&self) -> &AtomicU32 {
        self.arena.word32(self.start())
    }

    /// The state of a notification.
    fn value(&self) -> &AtomicU32 {
        self.arena.word32(self.start() + 8)
    }

    fn number(&self, at: usize) -> &AtomicU64 {
        self.arena.word64(self.start() + at)
    }

    /// An entry of the ring: the record that is done, and who made the latest.
    fn entry(&self, record: u64) -> (&AtomicU64, &AtomicU32) {
        let index = usize::try_from(record % RING).unwrap_or(0);
        let at = self.start() + 32 + index * 16;
        (self.arena.word64(at), self.arena.word32(at + 8))
    }

    /// Begins a record of an event: from now on it is the newest one.
    pub(crate) fn begin_record(&self) -> u64 {
        let record = self.number(24).fetch_add(1, Ordering::AcqRel) + 1;
        // Whether the entry is free is for `can_finish` to say; who makes the record can be read before it is.
        self.entry(record)
            .1
            .store(self.arena.own, Ordering::Release);
        self.number(16).fetch_max(record, Ordering::AcqRel);
        record
    }

    /// The newest record; 0 for none. And whether this process made it.
    pub(crate) fn newest(&self) -> (u64, bool) {
        let record = self.number(16).load(Ordering::Acquire);
        let owner = self.entry(record).1.load(Ordering::Acquire);
        (record, owner == self.arena.own)
    }

    /// Whether the record that had the entry before is over.
    pub(crate) fn can_finish(&self, record: u64) -> bool {
        let Some(before) = record.checked_sub(RING).filter(|before| *before > 0) else {
            return true;
        };
        self.state(before) != RecordState::Pending
    }

    /// Ends a record.
    pub(crate) fn finish(&self, record: u64, reached: bool) {
        let mark = record << 1 | if reached { 0 } else { FAILED };
        self.entry(record).0.fetch_max(mark, Ordering::AcqRel);
        self.arena.ring();
    }

    /// How a record is.
    pub(crate) fn state(&self, record: u64) -> RecordState {
        if record == 0 {
            return RecordState::Done;
        }
        let (done, owner) = self.entry(record);
        let owner = owner.load(Ordering::Acquire);
        let read = || {
            let mark = done.load(Ordering::Acquire);
            match mark >> 1 {
                known if known > record => Some(RecordState::Done),
                known if known == record && mark & FAILED != 0 => Some(RecordState::Failed(
                    "the stream that recorded it failed or was aborted",
                )),
                known if known == record => Some(RecordState::Done),
                _ => None,
            }
        };
        read().unwrap_or_else(|| {
            if self.arena.is_alive(owner) {
                return RecordState::Pending;
            }
            // It may have ended right after the record.
            read().unwrap_or(RecordState::Failed(
                "the process that recorded it ended before the record was reached",
            ))
        })
    }

    /// Changes the number of a notification.
    pub(crate) fn change(&self, change: impl Fn(u32) -> u32) {
        let change = |value| Some(change(value));
        let changed = self.try_take(change);
        debug_assert!(changed, "it always has a new value");
        self.arena.ring();
    }

    /// Takes the number of a notification if it fits, and replaces it by what `take` says.
    pub(crate) fn try_take(&self, take: impl Fn(u32) -> Option<u32>) -> bool {
        let taken = self
            .value()
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, take);
        taken.is_ok()
    }
}

impl Drop for Signal {
    fn drop(&mut self) {
        self.references().fetch_sub(1, Ordering::AcqRel);
    }
}

/// The user of this process.
pub(super) fn user() -> u32 {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::geteuid() }
}

/// Starts a thread that takes no signals: those are the program's.
pub(crate) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    // SAFETY: a signal set is plain memory, and all-zero is a valid value of it.
    let mut all: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: as above.
    let mut before: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: a writable signal set of this function's own.
    unsafe { libc::sigfillset(&raw mut all) };
    for fault in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL] {
        // SAFETY: as above.
        unsafe { libc::sigdelset(&raw mut all, fault) };
    }
    // SAFETY: both are valid signal sets of this function's own.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before) };
    let started = std::thread::Builder::new().name(name.to_owned()).spawn(run);
    // SAFETY: `before` is what the thread had.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut()) };
    started.map(drop)
}
