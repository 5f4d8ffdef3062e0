//! The memory that the ranks of a communicator share on one machine, and where everything is in it.
//!
//! ```text
//!   header │ a place per rank: counters, who it is, its last operations │ a line per ordered pair │ outboxes │ pair buffers
//! ```
//!
//! What must always hold:
//! - Each counter has one writer. Bytes are written before the counter that announces them, and read after it.
//! - An outbox has two halves, used by turns: a half is written again only when every rank has said that it has read it.
//! - Nothing here is trusted to be well-formed: sizes come from the local configuration, never from the segment.
#![expect(
    unsafe_code,
    reason = "atomics and bytes in memory that other processes have mapped"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use millpond_sharing::{BellName, Segment};

use crate::operation::Description;

const HEADER: usize = 4096;
const PLACE: usize = 16384;
const LINE: usize = 256;
const PAGE: usize = 4096;
/// Descriptions that a rank shows at a time: more than it can be ahead of the others.
const SHOWN: u64 = 8;
const DESCRIPTION: usize = 1024;
/// The longest text of a failure.
const TEXT: usize = 2048;

/// Whether a rank is there; zero before it has come.
pub(crate) const PRESENT: u32 = 1;
pub(crate) const LEFT: u32 = 2;

/// Sizes that every rank computes alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) ranks: usize,
    /// Bytes of half an outbox.
    pub(crate) chunk: usize,
    /// Bytes of half a pair buffer.
    pub(crate) pair_chunk: usize,
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
        }
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
        self.pairs() + self.ranks * self.ranks * 2 * self.pair_chunk
    }
}

/// The shared memory of one communicator.
#[derive(Debug)]
pub(crate) struct Board {
    segment: Arc<Segment>,
    pub(crate) shape: Shape,
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
        (segment.bytes() >= shape.bytes()).then_some(Self { segment, shape })
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

    /// How many operations a rank's program has called.
    pub(crate) fn called(&self, rank: usize) -> &AtomicU64 {
        self.u64_at(self.place(rank) + 256)
    }

    /// The bell of a rank's process.
    pub(crate) fn bell(&self, rank: usize) -> BellName {
        let halves = [208, 216].map(|at| self.u64_at(self.place(rank) + at));
        let mut name = [0; 16];
        for (half, bytes) in halves.iter().zip(name.chunks_exact_mut(8)) {
            bytes.copy_from_slice(&half.load(Ordering::Relaxed).to_le_bytes());
        }
        BellName(name)
    }

    /// Says who a rank is.
    pub(crate) fn enter(&self, rank: usize, process: u32, bell: BellName) {
        for (at, bytes) in [208, 216].into_iter().zip(bell.0.chunks_exact(8)) {
            let half = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
            self.u64_at(self.place(rank) + at)
                .store(half, Ordering::Relaxed);
        }
        self.process(rank).store(process, Ordering::Relaxed);
        self.presence(rank).store(PRESENT, Ordering::Release);
    }

    /// Shows what this rank does as its operation number `sequence`, before it announces the first round.
    pub(crate) fn show(&self, rank: usize, sequence: u64, description: &Description) {
        let mut bytes = [0; DESCRIPTION];
        description.write(sequence, &mut bytes);
        let at = self.description(rank, sequence);
        // SAFETY: inside the mapping; readers look after the round was announced.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.at(at), DESCRIPTION) };
    }

    /// What a rank does as its operation number `sequence`; `None` if it shows another one there.
    pub(crate) fn shown(&self, rank: usize, sequence: u64) -> Option<Description> {
        let mut bytes = [0; DESCRIPTION];
        let at = self.description(rank, sequence);
        // SAFETY: inside the mapping. A rank that breaks the protocol may write meanwhile: the bytes are checked when decoded.
        unsafe { std::ptr::copy_nonoverlapping(self.at(at), bytes.as_mut_ptr(), DESCRIPTION) };
        Description::read(sequence, &bytes)
    }

    fn description(&self, rank: usize, sequence: u64) -> usize {
        let slot = usize::try_from(sequence % SHOWN).unwrap_or(0);
        self.place(rank) + 1024 + slot * DESCRIPTION
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

    fn label(&self, from: usize, to: usize, chunk: u64) -> usize {
        self.line(from, to) + 128 + usize::from(chunk % 2 == 1) * 16
    }

    /// Ends the communicator for all ranks. The first reason stays.
    pub(crate) fn break_with(&self, reason: &str) {
        const WRITING: u32 = 1;
        const BROKEN: u32 = 2;
        let broken = self.u32_at(64);
        let first = broken.compare_exchange(0, WRITING, Ordering::AcqRel, Ordering::Relaxed);
        if first.is_err() {
            return;
        }
        let end = floor_char_boundary(reason, TEXT);
        // SAFETY: inside the header; the text is shorter than the room for it.
        unsafe { std::ptr::copy_nonoverlapping(reason.as_ptr(), self.at(128), end) };
        let length = u32::try_from(end).unwrap_or(0);
        self.u32_at(72).store(length, Ordering::Relaxed);
        broken.store(BROKEN, Ordering::Release);
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
