//! A store's use of guards, poison and the quarantine. Every function here runs only in the checking mode.
#![expect(
    unsafe_code,
    reason = "touches bytes of the store's own blocks where work runs"
)]

use millpond_pool::{Ask, Found, Order, Shard};
use millpond_trace::{Bytes, GuardKind, Operation};

use super::super::store::{BlockInfo, Store, Wanted};
use super::quarantine::{Resident, Step};
use super::{END, FRESH, GUARD, Guards, POISON, bytes, guard, own_bytes, widened};
use crate::error::{Boxed, Error};

/// How many blocks begin on their own page, although small ones could share pages: at most 64 MiB in pages of 4 KiB.
const MOST_ON_OWN_PAGES: u64 = 1 << 14;

impl Store {
    /// Allocates, with room for a guard if possible, and writes fill and guard.
    #[cold]
    pub(in crate::memory) fn alloc_guarded(
        &self,
        guards: &Guards,
        shard: &Shard,
        order: &dyn Order,
        wanted: Wanted,
        ask: &Ask,
        wish: Option<u64>,
    ) -> Boxed<BlockInfo> {
        self.settle_quarantine(guards);
        let _writing = guards.writing.read();
        let wide = widened(ask).map(|wide| self.on_own_pages(wide));
        let mut allocated = match &wide {
            Some(wide) => self.alloc_asked(shard, order, wanted, wide, wish),
            None => Err(Error::BadSize {
                requested: wanted.requested,
            }
            .into()),
        };
        // A guard must not be the reason that a request is refused.
        if wide.is_some_and(|wide| wide != *ask)
            && allocated.as_ref().is_err_and(|error| is_lack(error))
        {
            allocated = self.alloc_asked(shard, order, wanted, ask, wish);
        }
        let mut info = allocated?;
        if let Some(found) = self.pool.find(info.address - self.range.start) {
            info.bytes = own_bytes(&found);
            // Checked after the allocation: a free that happened before it has noted its work by now.
            if guards.is_quiet(&self.streams) {
                self.fill_and_guard(&found);
            } else {
                guards.note_bare(found.serial);
            }
        }
        Ok(info)
    }

    /// The same request aligned to a page, where pages can be closed to the program: a block that shares a page with
    /// its neighbours would be closed with them. Its size stays the same; the rest of its last page is
    /// used only when there are too many blocks.
    fn on_own_pages(&self, ask: Ask) -> Ask {
        let Some(gate) = self.gate() else { return ask };
        if self.pool.live_blocks() >= MOST_ON_OWN_PAGES {
            return ask;
        }
        Ask {
            align: ask.align.max(gate.page()),
            ..ask
        }
    }

    fn alloc_asked(
        &self,
        shard: &Shard,
        order: &dyn Order,
        wanted: Wanted,
        ask: &Ask,
        wish: Option<u64>,
    ) -> Boxed<BlockInfo> {
        if wish.is_none()
            && let Some(quick) = self.pool.alloc(shard, ask)
        {
            return Ok(BlockInfo {
                serial: quick.serial,
                address: self.range.start + quick.offset,
                bytes: ask.bytes,
                requested: wanted.requested,
                pages: wanted.pages,
                space: self.space,
            });
        }
        self.alloc_slow(shard, order, wanted, ask, wish)
    }

    /// Fills the ends of a new block, and writes its guard.
    fn fill_and_guard(&self, found: &Found) {
        self.fill_ends(found.offset, found.requested.min(found.bytes), FRESH);
        self.write_guard(found);
    }

    fn write_guard(&self, found: &Found) {
        let (start, length) = guard(found);
        // SAFETY: these bytes belong to a block that the program does not have yet, or are behind what it asked
        // for; its pages were promised with it.
        unsafe { bytes::fill(self.touched(found.offset + start), GUARD, length) };
    }

    /// The address at which work accesses an offset.
    fn touched(&self, offset: u64) -> u64 {
        self.kernel(self.range.start + offset)
    }

    /// Fills the ends of a block, of which the first `length` bytes count.
    fn fill_ends(&self, offset: u64, length: u64, value: u8) {
        for (start, part) in ends(length) {
            // SAFETY: the bytes belong to a block that no program and no queued work has, and its pages were
            // promised with it.
            unsafe { bytes::fill(self.touched(offset + start), value, part) };
        }
    }

    /// Emits a record if the guard of a block was changed.
    fn check_guard(&self, serial: u64, offset: u64, (start, length): (u64, u64)) {
        let place = offset + start;
        // SAFETY: the guard is a part of the block, whose pages were promised.
        if let Some((first, last)) = unsafe { bytes::changed(self.touched(place), GUARD, length) } {
            self.record_change(GuardKind::Redzone, serial, place + first, last - first + 1);
        }
    }

    fn record_change(&self, guard: GuardKind, block: u64, offset: u64, bytes: u64) {
        self.tap.emit(|| Operation::GuardChanged {
            guard,
            block,
            range: Bytes {
                start: self.range.start + offset,
                bytes,
            },
        });
    }

    /// Frees a block through the quarantine.
    #[cold]
    pub(in crate::memory) fn free_guarded(
        &self,
        guards: &Guards,
        likely: &Shard,
        address: u64,
        serial: Option<u64>,
        by: Option<(u64, u64)>,
    ) -> Boxed<()> {
        let offset = address - self.range.start;
        let found = self.pool.find(offset).filter(|found| {
            found.offset == offset && serial.is_none_or(|serial| serial == found.serial)
        });
        let Some(found) = found else {
            // It is not a block, and the free is refused.
            return self.free_now(likely, address, serial, by, None);
        };
        let is_bare = guards.forget_bare(found.serial);
        let guard = if is_bare { (0, 0) } else { guard(&found) };
        self.check_guard(found.serial, offset, guard);

        let mut waits = self.pool.uses(offset);
        waits.extend(by);
        waits.retain(|&(stream, position)| self.streams.passed(stream) < position);
        let own = by.map_or(millpond_pool::HOST, |(stream, _)| stream);
        let retired = waits.iter().any(|&(stream, _)| stream != own);

        let admits = guards.state.lock().quarantine.admits(found.bytes);
        let held = self.streams.held();
        let stand_in = held.filter(|_| admits).and_then(super::StandIns::hold);
        match stand_in {
            // The free below reports it if this is no longer a block.
            Some(stand_in) => drop(self.pool.check(offset, 0, Some((stand_in, 1)), |stream| {
                self.streams.passed(stream)
            })),
            None if by.is_some() => guards.note_unquiet(&waits),
            None => {}
        }
        let freed = self.free_now(likely, address, Some(found.serial), by, Some(retired));
        let Some(stand_in) = stand_in else {
            return freed;
        };
        if freed.is_err() {
            self.let_in(stand_in);
            return freed.map_err(|_| self.unknown(address, None));
        }
        let end = guard.0 + guard.1;
        let resident = Resident {
            stand_in,
            serial: found.serial,
            offset,
            bytes: found.bytes,
            poisoned: end.max(found.requested.min(found.bytes)),
            waits,
            guard,
        };
        if resident.waits.is_empty() {
            self.poison(&resident);
            guards.state.lock().quarantine.rest(resident);
        } else {
            guards.state.lock().quarantine.wait(resident);
        }
        self.settle_quarantine(guards);
        freed
    }

    fn poison(&self, resident: &Resident) {
        self.fill_ends(resident.offset, resident.poisoned, POISON);
    }

    /// Lets the pool reuse a block.
    fn let_in(&self, stand_in: u64) {
        if let Some(held) = self.streams.held() {
            held.release(stand_in);
        }
    }

    /// Takes the steps of the quarantine that are due.
    fn settle_quarantine(&self, guards: &Guards) {
        loop {
            let passed = |stream| self.streams.passed(stream);
            let step = guards.state.lock().quarantine.step(passed);
            let Some(step) = step else { return };
            self.take(guards, step);
        }
    }

    /// Releases all blocks in quarantine, and returns whether there were any.
    pub(in crate::memory) fn empty_quarantine(&self) -> bool {
        let Some(guards) = &self.guards else {
            return false;
        };
        self.settle_quarantine(guards);
        let mut any = false;
        loop {
            let step = guards.state.lock().quarantine.empty();
            let Some(step) = step else { return any };
            any = true;
            self.take(guards, step);
        }
    }

    fn take(&self, guards: &Guards, step: Step) {
        match step {
            Step::Poison(mut resident) => {
                // The work that is done now may have written there.
                self.check_guard(resident.serial, resident.offset, resident.guard);
                self.poison(&resident);
                resident.waits.clear();
                guards.state.lock().quarantine.rest(resident);
            }
            Step::Leave(resident) => {
                self.check_poison(&resident);
                self.let_in(resident.stand_in);
            }
            Step::LeaveUnquiet(resident) => {
                guards.note_unquiet(&resident.waits);
                self.let_in(resident.stand_in);
            }
        }
    }

    fn check_poison(&self, resident: &Resident) {
        let mut changed: Option<(u64, u64)> = None;
        for (start, part) in ends(resident.poisoned) {
            let place = resident.offset + start;
            // SAFETY: the block is in quarantine, so its bytes are nobody's and its pages stay.
            let seen = unsafe { bytes::changed(self.touched(place), POISON, part) };
            if let Some((first, last)) = seen {
                let (from, _) = changed.unwrap_or((start + first, 0));
                changed = Some((from, start + last));
            }
        }
        if let Some((first, last)) = changed {
            let place = resident.offset + first;
            self.record_change(GuardKind::Poison, resident.serial, place, last - first + 1);
        }
    }

    /// Checks all guards, and empties the quarantine, which checks the poison.
    pub(crate) fn check_guards(&self) {
        let Some(guards) = &self.guards else { return };
        self.empty_quarantine();
        // Waits for guards that are being written, so that a block without one is not among the live ones.
        let live = {
            let _all = guards.writing.write();
            self.pool.live()
        };
        for found in live {
            if guards.is_bare(found.serial) {
                continue;
            }
            let (start, length) = guard(&found);
            let place = found.offset + start;
            // SAFETY: the guard is a part of a block that was live just now; its pages were promised, and stay
            // readable.
            let changed = unsafe { bytes::changed(self.touched(place), GUARD, length) };
            let Some((first, last)) = changed else {
                continue;
            };
            // The block may have been freed meanwhile, and its bytes reused.
            let still = self.pool.find(found.offset);
            if still.is_some_and(|still| still.serial == found.serial) {
                self.record_change(
                    GuardKind::Redzone,
                    found.serial,
                    place + first,
                    last - first + 1,
                );
                // Reported once.
                self.write_guard(&found);
            }
        }
    }

    /// As [`Store::check`], but without the bytes that were added for the guard.
    #[cold]
    pub(in crate::memory) fn check_guarded(
        &self,
        address: u64,
        bytes: u64,
        user: Option<(u64, u64)>,
    ) -> Boxed<()> {
        let offset = address - self.range.start;
        let Some(mut found) = self.find_own(offset) else {
            return Err(self.unknown(address, None));
        };
        found.bytes = own_bytes(&found);
        if bytes > found.bytes - (offset - found.offset) {
            return Err(self.beyond(address, bytes, &found));
        }
        let passed = |stream| self.streams.passed(stream);
        match self.pool.check(offset, bytes, user, passed) {
            Ok(_) => Ok(()),
            Err(_) => Err(self.unknown(address, None)),
        }
    }

    /// The live block at an offset, if the offset is not in the bytes added for its guard.
    pub(in crate::memory) fn find_own(&self, offset: u64) -> Option<Found> {
        let found = self.pool.find(offset)?;
        (offset - found.offset < own_bytes(&found)).then_some(found)
    }
}

/// The ends of a block that are filled: where they begin and how long they are.
fn ends(length: u64) -> impl Iterator<Item = (u64, u64)> {
    let first = length.min(END);
    let last = (length - first).min(END);
    [(0, first), (length - last, last)]
        .into_iter()
        .filter(|&(_, part)| part > 0)
}

/// Whether a request failed for lack of memory.
fn is_lack(error: &Error) -> bool {
    matches!(error, Error::OutOfMemory { .. } | Error::MachineFull { .. })
}
