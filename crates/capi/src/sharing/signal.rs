//! The memory of events and notifications that several processes use.
//!
//! ```text
//!   arena: one segment for each process that exports
//!   ┌────────┬───────────────────────────────┬─────────────────────────┬───────────────────────┐
//!   │ head   │ participants: bell, present   │ signals of 32 bytes     │ records of 16 bytes   │
//!   └────────┴───────────────────────────────┴─────────────────────────┴───────────────────────┘
//! ```
//!
//! Every process that uses a signal of an arena takes part in the arena once: it has a number, a claim on the byte of that number,
//! which the kernel drops when the process ends, and a bell that is rung when a signal changes.
//!
//! A signal belongs to whoever has a reference; the last one to let go makes its place free. Only the process that made the
//! arena takes places. A process that is killed keeps its references, and so a few places are lost with it.
//!
//! Events: every record of an event has a place of its own, with its state and the process that made it, and the event names the newest
//! one. A wait is for one record, so it does not matter in which order records end, how many are on their way, or who made later ones.
//! The place of a record is free when its stream has reached it, a newer one has taken its role, and nobody waits for it. Like signals,
//! records that a killed process had in its hands keep their places.
#![expect(unsafe_code, reason = "atomics in memory that other processes write")]

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
const SIGNAL_BYTES: usize = 32;
const FIRST_SIGNAL: usize = HEAD + PARTICIPANTS as usize * PARTICIPANT_BYTES;
const RECORDS: u32 = 64 << 10;
const RECORD_BYTES: usize = 16;
const FIRST_RECORD: usize = FIRST_SIGNAL + SIGNALS as usize * SIGNAL_BYTES;
const ARENA_BYTES: usize = FIRST_RECORD + RECORDS as usize * RECORD_BYTES;

/// Where the arena says at which place a search for a free record begins.
const NEXT_RECORD: usize = 4;

/// The words of a record.
const REFERENCES: usize = 0;
const STATE: usize = 4;
const OWNER: usize = 8;
const GENERATION: usize = 12;

/// The states of a record: its stream has not reached it, has, or never will.
const PENDING: u32 = 0;
const REACHED: u32 = 1;
const FAILED: u32 = 2;

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
    pub(super) fn from_number(number: u8) -> Option<Self> {
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

/// One reference to a record of an event.
#[derive(Debug)]
pub(crate) struct Record {
    arena: Arc<Arena>,
    place: u32,
    /// How often the place was taken, to tell the record from others at the same place.
    generation: u32,
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

    /// A word of a record.
    fn record(&self, place: u32, which: usize) -> &AtomicU32 {
        self.word32(FIRST_RECORD + place as usize * RECORD_BYTES + which)
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
            // An event that had the place before left its newest record behind.
            let left = signal.newest_word().swap(0, Ordering::AcqRel);
            drop(signal.record_of(left));
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

    /// A number that no other signal that this process uses has.
    pub(crate) fn key(&self) -> u64 {
        self.arena.word32(self.start()).as_ptr().expose_provenance() as u64
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

    /// Names the newest record of an event: place plus one, and generation; 0 for none. It counts as a reference to the record.
    fn newest_word(&self) -> &AtomicU64 {
        self.arena.word64(self.start() + 16)
    }

    /// The reference that such a word counts for.
    fn record_of(&self, word: u64) -> Option<Record> {
        let [low, high] =
            [word & 0xffff_ffff, word >> 32].map(|half| u32::try_from(half).unwrap_or(0));
        let place = low.checked_sub(1).filter(|place| *place < RECORDS)?;
        Some(Record {
            arena: Arc::clone(&self.arena),
            place,
            generation: high,
        })
    }

    /// A record of an event that nobody sees yet.
    pub(crate) fn new_record(&self) -> Result<Record, CallError> {
        let first = self
            .arena
            .word32(NEXT_RECORD)
            .fetch_add(1, Ordering::Relaxed);
        for step in 0..RECORDS {
            let place = first.wrapping_add(step) % RECORDS;
            let references = self.arena.record(place, REFERENCES);
            let taken = references.compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed);
            if taken.is_err() {
                continue;
            }
            let word = |which| self.arena.record(place, which);
            word(OWNER).store(self.arena.own, Ordering::Relaxed);
            word(STATE).store(PENDING, Ordering::Release);
            let before = word(GENERATION).fetch_add(1, Ordering::AcqRel);
            return Ok(Record {
                arena: Arc::clone(&self.arena),
                place,
                generation: before.wrapping_add(1),
            });
        }
        Err(CallError::coded(
            millpond_abi::ACL_ERROR_RT_NO_EVENT_RESOURCE,
            format!(
                "at most {RECORDS} records of events that others can use are pending at a time"
            ),
        ))
    }

    /// From now on a record is the newest one.
    pub(crate) fn publish(&self, record: &Record) {
        record.word(REFERENCES).fetch_add(1, Ordering::AcqRel);
        let before = self.newest_word().swap(record.name(), Ordering::AcqRel);
        drop(self.record_of(before));
    }

    /// The newest record, if there is one.
    pub(crate) fn newest(&self) -> Option<Record> {
        loop {
            let word = self.newest_word().load(Ordering::Acquire);
            let found = self.record_of(word)?;
            found.word(REFERENCES).fetch_add(1, Ordering::AcqRel);
            // If it was the newest all the time it was not free meanwhile. Otherwise the place may have another record, and is let go.
            if self.newest_word().load(Ordering::Acquire) == word {
                return Some(found);
            }
        }
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

impl Record {
    fn word(&self, which: usize) -> &AtomicU32 {
        self.arena.record(self.place, which)
    }

    /// What tells it from other records of its event; not 0.
    pub(crate) fn name(&self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.place + 1)
    }

    /// Its stream has reached it, or never will.
    pub(crate) fn finish(&self, reached: bool) {
        let state = if reached { REACHED } else { FAILED };
        self.word(STATE).store(state, Ordering::Release);
        self.arena.ring();
    }

    /// How it is.
    pub(crate) fn state(&self) -> RecordState {
        let read = || match self.word(STATE).load(Ordering::Acquire) {
            PENDING => None,
            REACHED => Some(RecordState::Done),
            _ => Some(RecordState::Failed(
                "the stream that recorded it failed or was aborted",
            )),
        };
        read().unwrap_or_else(|| {
            if self
                .arena
                .is_alive(self.word(OWNER).load(Ordering::Acquire))
            {
                return RecordState::Pending;
            }
            // It may have ended right after the record.
            read().unwrap_or(RecordState::Failed(
                "the process that recorded it ended before the record was reached",
            ))
        })
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        self.word(REFERENCES).fetch_sub(1, Ordering::AcqRel);
    }
}

/// The user of this process.
pub(super) fn user() -> u32 {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::geteuid() }
}
