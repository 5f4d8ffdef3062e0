//! One stream's part of a pool: cached blocks, pending blocks, and accounting of live blocks.
//!
//! Each shard has its own lock, so threads on different streams do not contend. Blocks that are not cached come from
//! the ground and return to it.

use std::collections::HashMap;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};

use crate::ground::Owner;
use crate::headers::{Header, Headers, State};
use crate::kept::Kept;
use crate::numbers::Numbers;
use crate::statistics::Counters;
use crate::sync::Lock;

/// The stream number of memory that belongs to no stream: what is freed there is available to all streams.
pub const HOST: u64 = 0;

/// One stream's part of a pool. Created by [`crate::Pool::shard`].
///
/// On separate cache lines, including the adjacent ones that processors prefetch.
#[derive(Debug)]
#[repr(align(256))]
pub struct Shard {
    pub(crate) index: Owner,
    stream: AtomicU64,
    pub(crate) body: Lock<Body>,
}

#[derive(Debug, Default)]
pub(crate) struct Body {
    pub(crate) kept: Kept,
    /// Freed blocks that other streams may still use.
    pub(crate) pending: Vec<u32>,
    pending_bytes: u64,
    /// The index in `pending` where the next check starts.
    next_look: usize,
    /// Uses of blocks by more streams than the header can store.
    crowds: HashMap<u32, Vec<(u64, u64)>>,
    /// The allowance: the charge that this shard may have without consulting the others; the unused part of it, and the
    /// minimum of the unused part.
    allowed: u64,
    room: u64,
    least_room: u64,
    /// The serial number of the next block, and the end of those of this *turn*, a batch of [`TURN`] allocations.
    next_serial: u64,
    serials_end: u64,
    /// The number of turns.
    turns: u32,
    /// The peak of the charge before the allowances were last distributed.
    peak: u64,
    /// The lowest and the highest charge of this turn, as far as requests found no cached block, and whether they differed
    /// little in the last one.
    range: (u64, u64),
    steady: bool,
    pub(crate) counters: Counters,
    pub(crate) closed: bool,
}

/// The allowance left after charging a block, and the block's serial number.
pub(crate) struct Room {
    left: u64,
    serial: u64,
}

impl Shard {
    fn new(index: Owner) -> Self {
        Self {
            index,
            stream: AtomicU64::new(HOST),
            body: Lock::new(Body::default()),
        }
    }

    /// Assigns the shard to another stream.
    pub(crate) fn serve(&self, stream: u64) {
        self.stream.store(stream, Relaxed);
    }

    /// The stream it serves.
    #[inline]
    pub fn stream(&self) -> u64 {
        self.stream.load(Relaxed)
    }
}

/// Allocations per turn.
pub(crate) const TURN: u32 = 1 << 12;

/// The charge is steady if it changes by less than this fraction of its peak in a turn.
const STEADY: u64 = 8;

impl Body {
    /// Charges a block if the allowance suffices.
    pub(crate) fn charge(&mut self, charge: u64) -> bool {
        let room = self.room_for(charge);
        room.map(|room| self.charge_in(room)).is_some()
    }

    /// The serial number of the block that was charged last.
    pub(crate) fn serial(&self) -> u64 {
        self.next_serial - 1
    }

    /// The room for a block, if the allowance suffices.
    #[inline(always)]
    pub(crate) fn room_for(&self, charge: u64) -> Option<Room> {
        let left = self.room.checked_sub(charge)?;
        let serial = self.next_serial;
        (serial < self.serials_end).then_some(Room { left, serial })
    }

    /// Charges a block; returns its serial number.
    #[inline(always)]
    pub(crate) fn charge_in(&mut self, Room { left, serial }: Room) -> u64 {
        self.room = left;
        if left < self.least_room {
            self.least_room = left;
        }
        self.next_serial = serial + 1;
        serial
    }

    #[inline(always)]
    pub(crate) fn discharge(&mut self, charge: u64) {
        self.room += charge;
    }

    /// Reverts the charge of a block that could not be allocated: the peak stays at `most`, its value before. The
    /// allowance for the block is dropped.
    pub(crate) fn uncharge(&mut self, charge: u64, most: u64) {
        self.discharge(charge);
        self.allowed = self.charged();
        (self.room, self.least_room) = (0, 0);
        self.peak = most;
    }

    /// The current charge.
    pub(crate) fn charged(&self) -> u64 {
        self.allowed - self.room
    }

    pub(crate) fn most_charged(&self) -> u64 {
        self.peak.max(self.allowed - self.least_room)
    }

    /// Resets the peaks to the current values.
    pub(crate) fn forget_peaks(&mut self) {
        (self.peak, self.least_room) = (0, self.room);
        self.counters.forget_peaks();
    }

    /// Sets the allowance to the current charge plus `more`.
    pub(crate) fn allow(&mut self, more: u64) {
        let (charged, most) = (self.charged(), self.most_charged());
        self.allowed = charged + more;
        self.room = more;
        // A peak above the new allowance must be preserved.
        self.least_room = self.allowed.saturating_sub(most);
        self.peak = self.peak.max(most);
    }

    /// Starts another turn when the serial numbers of this one are used up. Returns whether a period has ended too.
    pub(crate) fn next_turn(&mut self, numbers: &Numbers) -> bool {
        if self.next_serial < self.serials_end {
            return false;
        }
        self.serials_end = numbers.batch(u64::from(TURN));
        self.next_serial = self.serials_end - u64::from(TURN);
        self.turns = self.turns.wrapping_add(1);
        let (low, high) = self.range;
        self.steady = high - low < self.most_charged() / STEADY;
        self.range = (self.charged(), self.charged());
        self.kept.set_turn(self.turns);
        self.turns.is_multiple_of(crate::DECAY_PERIOD / TURN)
    }

    /// Records the charge at a miss.
    pub(crate) fn note_range(&mut self) {
        let (charged, (low, high)) = (self.charged(), self.range);
        self.range = (low.min(charged), high.max(charged));
    }

    /// Whether the charge hardly changed in the last turn: what is free now is not needed for a peak soon.
    pub(crate) fn is_steady(&self) -> bool {
        self.steady
    }

    /// Records that queued work of `stream` up to `position` uses a block of this shard.
    #[inline]
    pub(crate) fn note_use(
        &mut self,
        header: &Header,
        id: u32,
        own: u64,
        (stream, position): (u64, u64),
        passed: &impl Fn(u64) -> u64,
    ) {
        let known = header.stream.load(Relaxed);
        let last = header.position.load(Relaxed);
        // Without a user, the position is the last use of the bytes by the shard's own stream.
        if known == stream || (known == HOST && (last == 0 || stream == own)) {
            header.stream.store(stream, Relaxed);
            // Threads that enqueue to one stream may arrive here in another order.
            header.position.store(last.max(position), Relaxed);
            return;
        }
        if known == HOST {
            header.stream.store(own, Relaxed);
        }
        self.note_other(header, id, (stream, position), passed);
    }

    #[cold]
    fn note_other(
        &mut self,
        header: &Header,
        id: u32,
        (stream, position): (u64, u64),
        passed: &impl Fn(u64) -> u64,
    ) {
        if passed(header.stream.load(Relaxed)) >= header.position.load(Relaxed) && !header.crowd() {
            header.stream.store(stream, Relaxed);
            header.position.store(position, Relaxed);
            return;
        }
        let crowd = self.crowds.entry(id).or_default();
        crowd.retain(|&(other, last)| other == stream || passed(other) < last);
        match crowd.iter_mut().find(|(other, _)| *other == stream) {
            Some((_, last)) => *last = position.max(*last),
            None => crowd.push((stream, position)),
        }
        header.set_crowd(true);
    }

    /// Whether `satisfied` holds for every use of a block.
    pub(crate) fn all_uses(
        &self,
        header: &Header,
        id: u32,
        satisfied: impl Fn(u64, u64) -> bool,
    ) -> bool {
        let stream = header.stream.load(Relaxed);
        if stream != HOST && !satisfied(stream, header.position.load(Relaxed)) {
            return false;
        }
        !header.crowd()
            || self
                .crowds
                .get(&id)
                .is_none_or(|crowd| crowd.iter().all(|&(other, last)| satisfied(other, last)))
    }

    /// The latest use by `stream`.
    pub(crate) fn last_use(&self, header: &Header, id: u32, stream: u64) -> u64 {
        let mut last = 0;
        if header.stream.load(Relaxed) == stream {
            last = header.position.load(Relaxed);
        }
        let crowd = self.crowds.get(&id).map_or(&[][..], Vec::as_slice);
        let others = crowd.iter().filter(|&&(other, _)| other == stream);
        others.map(|&(_, at)| at).max().unwrap_or(0).max(last)
    }

    /// Every use of a block.
    pub(crate) fn uses(&self, header: &Header, id: u32) -> Vec<(u64, u64)> {
        let mut uses = Vec::new();
        let stream = header.stream.load(Relaxed);
        if stream != HOST {
            uses.push((stream, header.position.load(Relaxed)));
        }
        uses.extend(self.crowds.get(&id).into_iter().flatten());
        uses
    }

    /// Clears the uses of a block. Only its own stream may still use it, up to `since`.
    #[inline(always)]
    pub(crate) fn end_uses(&mut self, header: &Header, id: u32, since: u64) {
        header.stream.store(HOST, Relaxed);
        header.position.store(since, Relaxed);
        if header.crowd() {
            self.end_crowd(header, id);
        }
    }

    #[cold]
    fn end_crowd(&mut self, header: &Header, id: u32) {
        header.set_crowd(false);
        self.crowds.remove(&id);
    }

    /// Makes a freed block pending.
    pub(crate) fn wait_for(&mut self, id: u32, bytes: u64) {
        self.pending.push(id);
        self.pending_bytes += bytes;
    }

    pub(crate) fn pending_bytes(&self) -> u64 {
        self.pending_bytes
    }

    /// Removes the pending blocks that are `ready`, which returns the position after which others may use them. Checks at
    /// most `looks` blocks, and continues with others the next time.
    pub(crate) fn take_ready(
        &mut self,
        headers: &Headers,
        looks: usize,
        ready: impl Fn(&Self, &Header, u32) -> Option<u64>,
    ) -> Vec<(u32, u64)> {
        let mut found = Vec::new();
        for _ in 0..looks.min(self.pending.len()) {
            if self.next_look >= self.pending.len() {
                self.next_look = 0;
            }
            let Some(&id) = self.pending.get(self.next_look) else {
                break;
            };
            let header = headers.get(id);
            if let Some(since) = ready(self, header, id) {
                self.pending.swap_remove(self.next_look);
                self.pending_bytes -= header.bytes.load(Relaxed);
                self.end_uses(header, id, since);
                found.push((id, since));
            } else {
                self.next_look += 1;
            }
        }
        found
    }

    /// Splits a pending block after `bytes` bytes: the rest becomes the block `rest`, which waits for the same
    /// streams.
    pub(crate) fn halve(&mut self, headers: &Headers, id: u32, rest: u32, bytes: u64) {
        let (header, new) = (headers.get(id), headers.get(rest));
        let load = |field: &AtomicU64| field.load(Relaxed);
        new.offset.store(load(&header.offset) + bytes, Relaxed);
        new.bytes.store(load(&header.bytes) - bytes, Relaxed);
        header.bytes.store(bytes, Relaxed);
        new.stream.store(load(&header.stream), Relaxed);
        new.position.store(load(&header.position), Relaxed);
        new.home.store(header.home.load(Relaxed), Relaxed);
        new.requested.store(load(&header.requested), Relaxed);
        new.set_live(header.kind());
        new.set(State::Pending);
        if let Some(crowd) = self.crowds.get(&id).cloned() {
            new.set_crowd(header.crowd());
            self.crowds.insert(rest, crowd);
        }
        self.pending.push(rest);
    }

    /// Removes a block from the pending ones.
    pub(crate) fn end_wait(&mut self, headers: &Headers, id: u32) {
        if let Some(at) = self.pending.iter().position(|&waiting| waiting == id) {
            self.pending.swap_remove(at);
            let header = headers.get(id);
            self.pending_bytes -= header.bytes.load(Relaxed);
            self.end_uses(header, id, 0);
        }
    }
}

/// Shards by number. They are never freed, and are reused for another stream when theirs has ended.
#[derive(Debug, Default)]
pub(crate) struct Shards {
    tables: [OnceLock<Table>; TABLES],
    /// The number of shards, and those that can be reused for another stream.
    books: Lock<(Owner, Vec<Owner>)>,
}

type Table = Box<[OnceLock<Arc<Shard>>]>;

const FIRST: u32 = 16;
/// Enough for every value of [`Owner`].
const TABLES: usize = 13;

impl Shards {
    /// Opens a shard for a stream; `None` if there are too many.
    pub(crate) fn open(&self, stream: u64) -> Option<Arc<Shard>> {
        let mut books = self.books.lock();
        let index = if let Some(index) = books.1.pop() {
            index
        } else {
            let index = books.0;
            books.0 = index.checked_add(1)?;
            index
        };
        drop(books);
        let (table, at) = place(index);
        let table = self.tables[table].get_or_init(|| {
            let count = (FIRST as usize) << table;
            std::iter::repeat_with(OnceLock::new).take(count).collect()
        });
        let shard = table[at].get_or_init(|| Arc::new(Shard::new(index)));
        shard.stream.store(stream, Relaxed);
        let mut body = shard.body.lock();
        body.closed = false;
        // The counters belong to the previous stream.
        body.counters = Counters::default();
        body.forget_peaks();
        body.steady = false;
        drop(body);
        Some(Arc::clone(shard))
    }

    /// Releases a shard without memory for reuse by another stream.
    pub(crate) fn retire(&self, index: Owner) {
        self.books.lock().1.push(index);
    }

    #[inline(always)]
    pub(crate) fn get(&self, index: Owner) -> Option<&Arc<Shard>> {
        let (table, at) = place(index);
        self.tables[table].get()?[at].get()
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Shard>> {
        let count = self.books.lock().0;
        (0..count).filter_map(|index| self.get(index))
    }
}

#[inline(always)]
fn place(index: Owner) -> (usize, usize) {
    let number = u32::from(index) + FIRST;
    let table = number.ilog2() - FIRST.ilog2();
    (table as usize, (number - (FIRST << table)) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_place_of_its_own() {
        let mut last = place(0);
        assert_eq!(last, (0, 0));
        for index in 1..=Owner::MAX {
            let (table, at) = place(index);
            assert!(table < TABLES, "{index} is in table {table}");
            let next = if at == 0 {
                (last.0 + 1, 0)
            } else {
                (last.0, last.1 + 1)
            };
            assert_eq!((table, at), next);
            last = next;
        }
    }
}
