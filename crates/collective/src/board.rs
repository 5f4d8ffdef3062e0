//! The memory that the ranks of a communicator share on one machine, and where everything is in it.
//!
//! ```text
//!   header │ a place per rank: counters, who it is, its last operations │ a line per ordered pair │ outboxes │ pair buffers
//! ```
//!
//! What must always hold:
//! - Each counter has one writer. Bytes are written before the counter that announces them, and read after it.
//! - An outbox has two halves, used by turns: a half is written again only when every rank has said that it has read it.
//! - With ranks on several machines there is one board per machine, and the relay (`machines`) writes the places of the other machines'
//!   ranks. What a rank wants to have copied it lists as parcels before it announces a round.
//! - Nothing here is trusted to be well-formed: sizes come from the local configuration, never from the segment.
#![expect(
    unsafe_code,
    reason = "atomics and bytes in memory that other processes have mapped"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use millpond_sharing::{BellName, Segment};

use crate::machines::Spread;
use crate::operation::Description;
use crate::waits::{Half, Held};

const HEADER: usize = 4096;
const PLACE: usize = 16384;
const LINE: usize = 2048;
const PAGE: usize = 4096;
/// Descriptions that a rank shows at a time: more than it can be ahead of the others.
const SHOWN: u64 = 8;
pub(crate) const DESCRIPTION: usize = 1024;
/// Where a rank's place shows what is first among its operations of all ranks, and what it called last.
const GROUP_FRONT: usize = 9216;
const LAST: usize = 10240;
/// Where a rank's place has the ranks that it shows sends to and receives from, a bit for each.
const SENDS: usize = 11264;
const RECEIVES: usize = 11392;
/// Where it has what its process knows of waiting streams: a version, a count, and that many entries.
const RELAYED: usize = 11520;
const RELAYED_ENTRY: usize = 40;
const MOST_RELAYED: usize = (PLACE - RELAYED - 16) / RELAYED_ENTRY;
/// Where a line shows the sender's first call, and the receiver's.
const SEND_FRONT: usize = 256;
const RECEIVE_FRONT: usize = 1152;
/// Bytes of such a call, and how many of them are text.
const FRONT: usize = 896;
const FRONT_TEXT: usize = FRONT - 40;
/// The longest text of a failure.
const TEXT: usize = 2048;

/// Whether a rank is there; zero before it has come.
pub(crate) const PRESENT: u32 = 1;
pub(crate) const LEFT: u32 = 2;
/// The process of a rank on another machine has ended.
pub(crate) const GONE: u32 = 3;
/// The machine of a rank cannot be reached any more.
pub(crate) const LOST: u32 = 4;

/// Where the header names the relay, and says why a machine was lost.
const RELAY: usize = 2304;
const LOST_MACHINE: usize = 2400;
const LOST_TEXT: usize = 512;
/// Bytes of one entry in a list of parcels.
const PARCEL: usize = 16;

/// Sizes that every rank computes alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) ranks: usize,
    /// Bytes of half an outbox.
    pub(crate) chunk: usize,
    /// Bytes of half a pair buffer.
    pub(crate) pair_chunk: usize,
    /// Whether the ranks are on several machines.
    pub(crate) is_spread: bool,
}

impl Shape {
    pub(crate) fn new(ranks: usize) -> Self {
        const CHUNK: usize = 1 << 20;
        const PAIRS: usize = 64 << 20;
        let pair_chunk = PAIRS / ranks.max(1) / ranks.max(1);
        Self {
            ranks,
            chunk: CHUNK,
            pair_chunk: (pair_chunk / PAGE * PAGE).clamp(PAGE, CHUNK),
            is_spread: false,
        }
    }

    /// For ranks on several machines.
    pub(crate) fn spread(ranks: usize) -> Self {
        Self {
            is_spread: true,
            ..Self::new(ranks)
        }
    }

    /// Bytes of one list of parcels: every rank's part may be one, and a number in front.
    fn parcels(&self) -> usize {
        (self.ranks + 1) * PARCEL
    }

    fn lines(&self) -> usize {
        HEADER + self.ranks * PLACE
    }

    fn outboxes(&self) -> usize {
        (self.lines() + self.ranks * self.ranks * LINE).next_multiple_of(PAGE)
    }

    fn pairs(&self) -> usize {
        self.outboxes() + self.ranks * 2 * self.chunk
    }

    /// Bytes of the whole segment. Only what is touched takes memory.
    pub(crate) fn bytes(&self) -> usize {
        let lists = if self.is_spread {
            self.ranks * 2 * self.parcels()
        } else {
            0
        };
        self.lists() + lists
    }

    fn lists(&self) -> usize {
        self.pairs() + self.ranks * self.ranks * 2 * self.pair_chunk
    }
}

/// The shared memory of one communicator.
#[derive(Debug)]
pub(crate) struct Board {
    segment: Arc<Segment>,
    pub(crate) shape: Shape,
    /// Which machine each rank is on, if there are several.
    pub(crate) spread: Option<Arc<Spread>>,
}

/// Bytes of an outbox that ranks of other machines need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parcel {
    /// Which machine; none for all.
    pub(crate) machine: Option<usize>,
    pub(crate) start: usize,
    pub(crate) length: usize,
}

impl Parcel {
    pub(crate) fn goes_to(&self, machine: usize) -> bool {
        self.machine.is_none_or(|own| own == machine)
    }
}

/// The call that is first in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Front {
    /// Its number among the calls of its rank.
    pub(crate) number: u64,
    /// The stream that it is queued in.
    pub(crate) lane: u64,
    /// For operations of all ranks: its number among them. For messages that have started: the line's count of taken chunks when they have
    /// ended.
    pub(crate) index: u64,
    /// `QUEUED`, `STARTED` or `REACHED`.
    pub(crate) state: u64,
    pub(crate) what: String,
    pub(crate) site: String,
}

/// Its stream has not reached it.
pub(crate) const QUEUED: u64 = 0;
/// It has started. Shown before anything of it is.
pub(crate) const STARTED: u64 = 1;
/// Its stream has reached it, together with others that may have started.
pub(crate) const REACHED: u64 = 2;

impl Front {
    pub(crate) fn is_queued(&self) -> bool {
        self.state == QUEUED
    }

    pub(crate) fn has_started(&self) -> bool {
        self.state == STARTED
    }
}

/// A wait that another process knows of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Relayed {
    pub(crate) half: Half,
    pub(crate) held: Held,
}

/// What one message of a pair says about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) bytes: u64,
    pub(crate) element: u32,
}

impl Board {
    /// Uses a segment for so many ranks; `None` if it is too short.
    pub(crate) fn new(segment: Arc<Segment>, ranks: usize) -> Option<Self> {
        let shape = Shape::new(ranks);
        (segment.bytes() >= shape.bytes()).then_some(Self {
            segment,
            shape,
            spread: None,
        })
    }

    /// The same for ranks on several machines.
    pub(crate) fn new_spread(segment: Arc<Segment>, spread: Arc<Spread>) -> Option<Self> {
        let shape = Shape::spread(spread.machine.len());
        (segment.bytes() >= shape.bytes()).then_some(Self {
            segment,
            shape,
            spread: Some(spread),
        })
    }

    /// Whether a rank is on this machine.
    pub(crate) fn is_here(&self, rank: usize) -> bool {
        self.spread
            .as_ref()
            .is_none_or(|spread| spread.is_here(rank))
    }

    /// Whether the relay wants its bell to be rung when a rank of this machine has written something.
    pub(crate) fn relay_asleep(&self) -> &AtomicU32 {
        self.u32_at(RELAY)
    }

    /// The process of the relay.
    pub(crate) fn relay_process(&self) -> &AtomicU32 {
        self.u32_at(RELAY + 4)
    }

    fn relay_bell(&self) -> BellName {
        self.bell_at(RELAY + 8)
    }

    /// Says where the relay is.
    pub(crate) fn set_relay(&self, process: u32, bell: BellName) {
        self.set_bell(RELAY + 8, bell);
        self.relay_process().store(process, Ordering::Release);
    }

    /// The bell of the relay, if it sleeps: it must be rung.
    pub(crate) fn wakes_relay(&self) -> Option<BellName> {
        self.spread.as_ref()?;
        let asleep = self.relay_asleep();
        let wakes = asleep.load(Ordering::SeqCst) == 1 && asleep.swap(0, Ordering::SeqCst) == 1;
        wakes.then(|| self.relay_bell())
    }

    /// Whether the process that connects this machine to the others has ended.
    pub(crate) fn is_relay_gone(&self) -> bool {
        let process = self.relay_process().load(Ordering::Acquire);
        process != std::process::id()
            && matches!(self.segment.is_claimed(self.shape.ranks as u64), Ok(false))
    }

    /// Says why a machine cannot be reached any more; the first reason stays.
    pub(crate) fn set_lost(&self, machine: usize, why: &str) {
        let length = self.u32_at(LOST_MACHINE);
        if length.load(Ordering::Acquire) != 0 {
            return;
        }
        let host = self.spread.as_ref().and_then(|it| it.hosts.get(machine));
        let host = host.map_or("", String::as_str);
        let text = format!("the connection to {host} was lost: {why}");
        let end = floor_char_boundary(&text, LOST_TEXT);
        // SAFETY: inside the header; the text is shorter than the room for it, and only the relay writes there.
        unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), self.at(LOST_MACHINE + 8), end) };
        length.store(u32::try_from(end).unwrap_or(0), Ordering::Release);
    }

    /// Why a machine was lost.
    pub(crate) fn lost(&self) -> String {
        let length = self.u32_at(LOST_MACHINE).load(Ordering::Acquire) as usize;
        let mut text = vec![0; length.min(LOST_TEXT)];
        // SAFETY: inside the header.
        unsafe {
            std::ptr::copy_nonoverlapping(self.at(LOST_MACHINE + 8), text.as_mut_ptr(), text.len());
        }
        String::from_utf8_lossy(&text).into_owned()
    }

    fn list(&self, rank: usize, round: u64) -> usize {
        let half = usize::from(round % 2 == 1);
        self.shape.lists() + (rank * 2 + half) * self.shape.parcels()
    }

    /// Lists what ranks of other machines need of an outbox, before the round is announced.
    pub(crate) fn set_parcels(&self, rank: usize, round: u64, parcels: &[Parcel]) {
        let at = self.list(rank, round);
        debug_assert!(parcels.len() <= self.shape.ranks, "one per rank at most");
        for (index, parcel) in parcels.iter().take(self.shape.ranks).enumerate() {
            let at = at + (index + 1) * PARCEL;
            let machine = parcel.machine.and_then(|it| u32::try_from(it).ok());
            let words = [
                machine.unwrap_or(u32::MAX),
                u32::try_from(parcel.start).unwrap_or(0),
                u32::try_from(parcel.length).unwrap_or(0),
            ];
            for (word, place) in words.into_iter().zip([0, 4, 8]) {
                self.u32_at(at + place).store(word, Ordering::Relaxed);
            }
        }
        let count = parcels.len().min(self.shape.ranks) as u64;
        self.u64_at(at).store(count, Ordering::Relaxed);
    }

    pub(crate) fn parcels(&self, rank: usize, round: u64) -> Vec<Parcel> {
        let at = self.list(rank, round);
        let count = usize::try_from(self.u64_at(at).load(Ordering::Relaxed)).unwrap_or(0);
        let word = |at: usize| self.u32_at(at).load(Ordering::Relaxed) as usize;
        (0..count.min(self.shape.ranks))
            .map(|index| {
                let at = at + (index + 1) * PARCEL;
                let start = word(at + 4).min(self.shape.chunk);
                Parcel {
                    machine: Some(word(at)).filter(|it| *it != u32::MAX as usize),
                    start,
                    length: word(at + 8).min(self.shape.chunk - start),
                }
            })
            .collect()
    }

    pub(crate) fn segment(&self) -> &Segment {
        &self.segment
    }

    fn at(&self, offset: usize) -> *mut u8 {
        debug_assert!(offset < self.segment.bytes(), "inside the segment");
        // SAFETY: inside the mapping, which lives as long as `self`.
        unsafe { self.segment.start().as_ptr().add(offset) }
    }

    fn u64_at(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: inside the mapping, a multiple of 8, and only ever used as an atomic.
        unsafe { AtomicU64::from_ptr(self.at(offset).cast()) }
    }

    fn u32_at(&self, offset: usize) -> &AtomicU32 {
        // SAFETY: inside the mapping, a multiple of 4, and only ever used as an atomic.
        unsafe { AtomicU32::from_ptr(self.at(offset).cast()) }
    }

    fn place(&self, rank: usize) -> usize {
        debug_assert!(rank < self.shape.ranks, "a rank of this communicator");
        HEADER + rank * PLACE
    }

    /// Rounds that a rank has written.
    pub(crate) fn written(&self, rank: usize) -> &AtomicU64 {
        self.u64_at(self.place(rank))
    }

    /// Rounds that a rank has read.
    pub(crate) fn read(&self, rank: usize) -> &AtomicU64 {
        self.u64_at(self.place(rank) + 64)
    }

    /// Whether a rank wants its bell to be rung when something changes.
    pub(crate) fn asleep(&self, rank: usize) -> &AtomicU32 {
        self.u32_at(self.place(rank) + 128)
    }

    /// Whether a rank is there: `PRESENT` or `LEFT`, or zero.
    pub(crate) fn presence(&self, rank: usize) -> &AtomicU32 {
        self.u32_at(self.place(rank) + 192)
    }

    /// The process of a rank.
    pub(crate) fn process(&self, rank: usize) -> &AtomicU32 {
        self.u32_at(self.place(rank) + 196)
    }

    /// The device of a rank plus one; 0 if it is unknown.
    pub(crate) fn device(&self, rank: usize) -> &AtomicU32 {
        self.u32_at(self.place(rank) + 200)
    }

    /// Whether a rank has operations that have not ended.
    pub(crate) fn busy(&self, rank: usize) -> &AtomicU32 {
        self.u32_at(self.place(rank) + 132)
    }

    /// How many operations a rank's program has called.
    pub(crate) fn called(&self, rank: usize) -> &AtomicU64 {
        self.u64_at(self.place(rank) + 256)
    }

    /// When a rank left, in milliseconds of the machine's monotonic clock.
    pub(crate) fn left(&self, rank: usize) -> &AtomicU64 {
        self.u64_at(self.place(rank) + 264)
    }

    /// The first operation of a rank whose elements had a NaN (`numbers.rs`); 0 if there is none.
    pub(crate) fn nan(&self, rank: usize) -> &AtomicU64 {
        self.u64_at(self.place(rank) + 272)
    }

    /// The bell of a rank's process.
    pub(crate) fn bell(&self, rank: usize) -> BellName {
        self.bell_at(self.place(rank) + 208)
    }

    fn bell_at(&self, at: usize) -> BellName {
        let halves = [at, at + 8].map(|at| self.u64_at(at));
        let mut name = [0; 16];
        for (half, bytes) in halves.iter().zip(name.chunks_exact_mut(8)) {
            bytes.copy_from_slice(&half.load(Ordering::Relaxed).to_le_bytes());
        }
        BellName(name)
    }

    fn set_bell(&self, at: usize, bell: BellName) {
        for (at, bytes) in [at, at + 8].into_iter().zip(bell.0.chunks_exact(8)) {
            let half = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
            self.u64_at(at).store(half, Ordering::Relaxed);
        }
    }

    /// Says who a rank is.
    pub(crate) fn enter(&self, rank: usize, process: u32, bell: BellName) {
        self.set_bell(self.place(rank) + 208, bell);
        self.process(rank).store(process, Ordering::Relaxed);
        self.presence(rank).store(PRESENT, Ordering::Release);
    }

    /// Shows what this rank does as its operation number `sequence`, before it announces the first round.
    pub(crate) fn show(&self, rank: usize, sequence: u64, description: &Description) {
        let mut bytes = [0; DESCRIPTION];
        description.write(sequence, &mut bytes);
        self.show_bytes(rank, sequence, &bytes);
        self.shown_count(rank).store(sequence + 1, Ordering::SeqCst);
    }

    /// How many operations a rank has shown.
    pub(crate) fn shown_count(&self, rank: usize) -> &AtomicU64 {
        self.u64_at(self.place(rank) + 320)
    }

    /// The same for a description that has arrived as bytes.
    pub(crate) fn show_bytes(&self, rank: usize, sequence: u64, bytes: &[u8; DESCRIPTION]) {
        let at = self.description(rank, sequence);
        // SAFETY: inside the mapping; readers look after the round was announced.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.at(at), DESCRIPTION) };
    }

    /// A description as bytes.
    pub(crate) fn shown_bytes(&self, rank: usize, sequence: u64) -> [u8; DESCRIPTION] {
        let mut bytes = [0; DESCRIPTION];
        let at = self.description(rank, sequence);
        // SAFETY: inside the mapping.
        unsafe { std::ptr::copy_nonoverlapping(self.at(at), bytes.as_mut_ptr(), DESCRIPTION) };
        bytes
    }

    /// What a rank does as its operation number `sequence`; `None` if it shows another one there.
    pub(crate) fn shown(&self, rank: usize, sequence: u64) -> Option<Description> {
        // A rank that breaks the protocol may write meanwhile: the bytes are checked when decoded.
        Description::read(sequence, &self.shown_bytes(rank, sequence))
    }

    fn description(&self, rank: usize, sequence: u64) -> usize {
        let slot = usize::try_from(sequence % SHOWN).unwrap_or(0);
        self.place(rank) + 1024 + slot * DESCRIPTION
    }

    /// What a rank shows as the first of its operations of all ranks.
    pub(crate) fn group_front(&self, rank: usize) -> Option<Front> {
        self.front(self.place(rank) + GROUP_FRONT)
    }

    pub(crate) fn set_group_front(&self, rank: usize, front: Option<&Front>) {
        self.set_front(self.place(rank) + GROUP_FRONT, front);
    }

    /// What a rank called last.
    pub(crate) fn last(&self, rank: usize) -> Option<Front> {
        self.front(self.place(rank) + LAST)
    }

    pub(crate) fn set_last(&self, rank: usize, front: &Front) {
        // A number that was withdrawn comes again.
        self.set_front(self.place(rank) + LAST, None);
        self.set_front(self.place(rank) + LAST, Some(front));
    }

    /// The first call of `from` that sends to `to`.
    pub(crate) fn send_front(&self, from: usize, to: usize) -> Option<Front> {
        self.front(self.line(from, to) + SEND_FRONT)
    }

    pub(crate) fn set_send_front(&self, from: usize, to: usize, front: Option<&Front>) {
        self.set_bit(self.place(from) + SENDS, to, front.is_some());
        self.set_front(self.line(from, to) + SEND_FRONT, front);
    }

    /// The first call of `to` that receives from `from`.
    pub(crate) fn receive_front(&self, from: usize, to: usize) -> Option<Front> {
        self.front(self.line(from, to) + RECEIVE_FRONT)
    }

    pub(crate) fn set_receive_front(&self, from: usize, to: usize, front: Option<&Front>) {
        self.set_bit(self.place(to) + RECEIVES, from, front.is_some());
        self.set_front(self.line(from, to) + RECEIVE_FRONT, front);
    }

    /// The ranks that a rank shows sends to. Lines that were never used are not touched: every one has memory of its own.
    pub(crate) fn sends_to(&self, rank: usize) -> Vec<usize> {
        self.bits(self.place(rank) + SENDS)
    }

    /// The ranks that a rank shows receives from.
    pub(crate) fn receives_from(&self, rank: usize) -> Vec<usize> {
        self.bits(self.place(rank) + RECEIVES)
    }

    fn set_bit(&self, at: usize, bit: usize, is_set: bool) {
        let word = self.u64_at(at + bit / 64 * 8);
        let mask = 1 << (bit % 64);
        if is_set {
            word.fetch_or(mask, Ordering::SeqCst);
        } else {
            word.fetch_and(!mask, Ordering::SeqCst);
        }
    }

    fn bits(&self, at: usize) -> Vec<usize> {
        let mut found = Vec::new();
        for word in 0..self.shape.ranks.div_ceil(64) {
            let mut bits = self.u64_at(at + word * 8).load(Ordering::SeqCst);
            while bits != 0 {
                let bit = word * 64 + bits.trailing_zeros() as usize;
                // Only a rank that breaks the protocol has others.
                if bit < self.shape.ranks {
                    found.push(bit);
                }
                bits &= bits - 1;
            }
        }
        found
    }

    /// Writes what this rank's process knows of waiting streams. What does not fit is left out.
    pub(crate) fn set_relayed(&self, rank: usize, relayed: &[Relayed]) {
        let at = self.place(rank) + RELAYED;
        let (version, count) = (self.u64_at(at), self.u64_at(at + 8));
        if relayed.is_empty() && count.load(Ordering::SeqCst) == 0 {
            return;
        }
        let relayed = &relayed[..relayed.len().min(MOST_RELAYED)];
        version.fetch_add(1, Ordering::SeqCst);
        for (index, Relayed { half, held }) in relayed.iter().enumerate() {
            let words = [half.from, half.to, half.key, held.from, held.until];
            for (word, value) in words.into_iter().enumerate() {
                let at = at + 16 + index * RELAYED_ENTRY + word * 8;
                self.u64_at(at).store(value, Ordering::SeqCst);
            }
        }
        count.store(relayed.len() as u64, Ordering::SeqCst);
        version.fetch_add(1, Ordering::SeqCst);
    }

    /// What a rank's process knows of waiting streams; nothing while it writes.
    pub(crate) fn relayed(&self, rank: usize) -> Vec<Relayed> {
        let at = self.place(rank) + RELAYED;
        let word = |at: usize| self.u64_at(at).load(Ordering::SeqCst);
        let version = word(at);
        let count = usize::try_from(word(at + 8)).unwrap_or(0).min(MOST_RELAYED);
        let entry = |index: usize| {
            let at = at + 16 + index * RELAYED_ENTRY;
            let [from, to, key] = [0, 8, 16].map(|offset| word(at + offset));
            let [since, until] = [24, 32].map(|offset| word(at + offset));
            Relayed {
                half: Half { from, to, key },
                held: Held { from: since, until },
            }
        };
        let found = (0..count).map(entry).collect();
        if version % 2 == 0 && word(at) == version {
            found
        } else {
            Vec::new()
        }
    }

    /// Whether a call that has started still has something to send from one rank to another, or to receive.
    pub(crate) fn moves(&self, from: usize, to: usize, front: &Front) -> bool {
        front.has_started() && self.taken(from, to).load(Ordering::SeqCst) < front.index
    }

    fn set_front(&self, at: usize, front: Option<&Front>) {
        let number = self.u64_at(at);
        let Some(front) = front else {
            number.store(0, Ordering::SeqCst);
            return;
        };
        if number.load(Ordering::SeqCst) != front.number {
            number.store(0, Ordering::SeqCst);
            let text = format!("{}\u{1e}{}", front.what, front.site);
            let end = floor_char_boundary(&text, FRONT_TEXT);
            // SAFETY: inside the mapping; readers take it only if the number is the same before and after.
            unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), self.at(at + 40), end) };
            self.u64_at(at + 32).store(end as u64, Ordering::SeqCst);
            self.u64_at(at + 8).store(front.lane, Ordering::SeqCst);
        }
        self.u64_at(at + 16).store(front.index, Ordering::SeqCst);
        self.u64_at(at + 24).store(front.state, Ordering::SeqCst);
        number.store(front.number, Ordering::SeqCst);
    }

    fn front(&self, at: usize) -> Option<Front> {
        let word = |offset: usize| self.u64_at(at + offset).load(Ordering::SeqCst);
        let number = word(0);
        if number == 0 {
            return None;
        }
        let (lane, index, state) = (word(8), word(16), word(24));
        let length = usize::try_from(word(32)).unwrap_or(0).min(FRONT_TEXT);
        let mut text = vec![0; length];
        // SAFETY: inside the mapping. The owner may write meanwhile: then the number differs afterwards.
        unsafe { std::ptr::copy_nonoverlapping(self.at(at + 40), text.as_mut_ptr(), length) };
        if word(0) != number {
            return None;
        }
        let text = String::from_utf8_lossy(&text);
        let (what, site) = text.split_once('\u{1e}').unwrap_or((&text, ""));
        Some(Front {
            number,
            lane,
            index,
            state,
            what: what.to_owned(),
            site: site.to_owned(),
        })
    }

    /// Half of a rank's outbox.
    pub(crate) fn outbox(&self, rank: usize, round: u64) -> *mut u8 {
        let half = usize::from(round % 2 == 1);
        self.at(self.shape.outboxes() + (rank * 2 + half) * self.shape.chunk)
    }

    fn line(&self, from: usize, to: usize) -> usize {
        debug_assert!(from < self.shape.ranks && to < self.shape.ranks);
        self.shape.lines() + (from * self.shape.ranks + to) * LINE
    }

    /// Chunks that `from` has sent to `to`.
    pub(crate) fn sent(&self, from: usize, to: usize) -> &AtomicU64 {
        self.u64_at(self.line(from, to))
    }

    /// Chunks that `to` has taken from `from`.
    pub(crate) fn taken(&self, from: usize, to: usize) -> &AtomicU64 {
        self.u64_at(self.line(from, to) + 64)
    }

    /// Half of the buffer between two ranks.
    pub(crate) fn pair(&self, from: usize, to: usize, chunk: u64) -> *mut u8 {
        let half = usize::from(chunk % 2 == 1);
        let pair = from * self.shape.ranks + to;
        self.at(self.shape.pairs() + (pair * 2 + half) * self.shape.pair_chunk)
    }

    /// Says what the message that begins with this chunk is.
    pub(crate) fn set_label(&self, from: usize, to: usize, chunk: u64, label: Label) {
        let at = self.label(from, to, chunk);
        self.u64_at(at).store(label.bytes, Ordering::Relaxed);
        self.u32_at(at + 8).store(label.element, Ordering::Relaxed);
    }

    pub(crate) fn get_label(&self, from: usize, to: usize, chunk: u64) -> Label {
        let at = self.label(from, to, chunk);
        Label {
            bytes: self.u64_at(at).load(Ordering::Relaxed),
            element: self.u32_at(at + 8).load(Ordering::Relaxed),
        }
    }

    /// Bytes of this chunk, for the relay.
    pub(crate) fn piece(&self, from: usize, to: usize, chunk: u64) -> &AtomicU32 {
        self.u32_at(self.label(from, to, chunk) + 12)
    }

    fn label(&self, from: usize, to: usize, chunk: u64) -> usize {
        self.line(from, to) + 128 + usize::from(chunk % 2 == 1) * 16
    }

    /// Whether this rank may say why the communicator ends: the first one may.
    pub(crate) fn claim_break(&self) -> bool {
        const WRITING: u32 = 1;
        self.u32_at(64)
            .compare_exchange(0, WRITING, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    }

    /// Ends the communicator for all ranks, after [`Self::claim_break`]. If one rank alone is the cause: which, and when.
    pub(crate) fn break_with(&self, reason: &str, by: Option<(usize, u64)>) {
        const BROKEN: u32 = 2;
        let broken = self.u32_at(64);
        let end = floor_char_boundary(reason, TEXT);
        // SAFETY: inside the header; the text is shorter than the room for it.
        unsafe { std::ptr::copy_nonoverlapping(reason.as_ptr(), self.at(128), end) };
        let length = u32::try_from(end).unwrap_or(0);
        self.u32_at(72).store(length, Ordering::Relaxed);
        if let Some((rank, since)) = by {
            let rank = u32::try_from(rank + 1).unwrap_or(0);
            self.u32_at(76).store(rank, Ordering::Relaxed);
            self.u64_at(80).store(since, Ordering::Relaxed);
        }
        broken.store(BROKEN, Ordering::Release);
    }

    /// The rank that alone is the cause of that, and since when. Asked after [`Self::broken`].
    pub(crate) fn broken_by(&self) -> Option<(usize, u64)> {
        let rank = (self.u32_at(76).load(Ordering::Relaxed) as usize).checked_sub(1);
        let since = self.u64_at(80).load(Ordering::Relaxed);
        rank.filter(|rank| *rank < self.shape.ranks)
            .map(|rank| (rank, since))
    }

    /// Why the communicator was ended for all ranks, if it was.
    pub(crate) fn broken(&self) -> Option<String> {
        if self.u32_at(64).load(Ordering::Acquire) != 2 {
            return None;
        }
        let length = self.u32_at(72).load(Ordering::Relaxed) as usize;
        let mut text = vec![0; length.min(TEXT)];
        // SAFETY: inside the header.
        unsafe {
            std::ptr::copy_nonoverlapping(self.at(128), text.as_mut_ptr(), text.len());
        }
        Some(String::from_utf8_lossy(&text).into_owned())
    }
}

fn floor_char_boundary(text: &str, most: usize) -> usize {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}
