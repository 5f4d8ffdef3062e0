//! How a store plants, looks and waits. Every function here runs only in the checking mode.
#![expect(
    unsafe_code,
    reason = "touches bytes of the store's own blocks where work runs"
)]

use millpond_pool::{Ask, Found, Order, Shard};
use millpond_trace::{Bytes, GuardKind, Operation};

use super::super::store::{BlockInfo, Store, Wanted};
use super::quarantine::{Resident, Step};
use super::{END, FRESH, GUARD, POISON, Planted, bytes, guard, own_bytes, widened};
use crate::error::{Boxed, Error};

/// Blocks that get pages of their own, which small ones would share: at most 64 MiB of pages of 4 KiB.
const MOST_ON_OWN_PAGES: u64 = 1 << 14;

impl Store {
    /// Allocates, with room for a guard if there is any, and plants.
    #[cold]
    pub(in crate::memory) fn alloc_planted(
        &self,
        planted: &Planted,
        shard: &Shard,
        order: &dyn Order,
        wanted: Wanted,
        ask: &Ask,
        wish: Option<u64>,
    ) -> Boxed<BlockInfo> {
        self.settle_planted(planted);
        let _planting = planted.planting.read();
        let wide = widened(ask).map(|wide| self.on_own_pages(wide));
        let mut allocated = match &wide {
            Some(wide) => self.alloc_asked(shard, order, wanted, wide, wish),
            None => Err(Error::BadSize {
                requested: wanted.requested,
            }
            .into()),
        };
        // A guard must not be why somebody is refused memory.
        if wide.is_some_and(|wide| wide != *ask)
            && allocated.as_ref().is_err_and(|error| is_lack(error))
        {
            allocated = self.alloc_asked(shard, order, wanted, ask, wish);
        }
        let mut info = allocated?;
        if let Some(found) = self.pool.find(info.address - self.range.start) {
            info.bytes = own_bytes(&found);
            // Asked when the block is there: whoever gave its bytes back before noted it before.
            if planted.is_quiet(&self.streams) {
                self.plant(&found);
            } else {
                planted.note_bare(found.serial);
            }
        }
        Ok(info)
    }

    /// The same request at the beginning of a page, where pages can be closed to the program: a block that begins and
    /// ends with its neighbours would be closed with them. Its bytes stay as they are; what is left of its last page is
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
    fn plant(&self, found: &Found) {
        self.fill_ends(found.offset, found.requested.min(found.bytes), FRESH);
        self.plant_guard(found);
    }

    fn plant_guard(&self, found: &Found) {
        let (start, length) = guard(found);
        // SAFETY: these bytes belong to a block that the program does not have yet, or lie behind what it asked
        // for; its pages were promised with it.
        unsafe { bytes::fill(self.touched(found.offset + start), GUARD, length) };
    }

    /// Where work touches what lies at an offset.
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

    /// Records if the guard of a block was changed.
    fn look_at_guard(&self, serial: u64, offset: u64, (start, length): (u64, u64)) {
        let place = offset + start;
        // SAFETY: the guard is a part of the block, whose pages were promised.
        if let Some((first, last)) = unsafe { bytes::changed(self.touched(place), GUARD, length) } {
            self.tell_changed(GuardKind::Redzone, serial, place + first, last - first + 1);
        }
    }

    fn tell_changed(&self, guard: GuardKind, block: u64, offset: u64, bytes: u64) {
        self.tap.emit(|| Operation::GuardChanged {
            guard,
            block,
            range: Bytes {
                start: self.range.start + offset,
                bytes,
            },
        });
    }

    /// Frees a block by way of the quarantine.
    #[cold]
    pub(in crate::memory) fn free_planted(
        &self,
        planted: &Planted,
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
        let is_bare = planted.forget_bare(found.serial);
        let guard = if is_bare { (0, 0) } else { guard(&found) };
        self.look_at_guard(found.serial, offset, guard);

        let mut waits = self.pool.uses(offset);
        waits.extend(by);
        waits.retain(|&(stream, position)| self.streams.passed(stream) < position);
        let own = by.map_or(millpond_pool::HOST, |(stream, _)| stream);
        let retired = waits.iter().any(|&(stream, _)| stream != own);

        let admits = planted.state.lock().quarantine.admits(found.bytes);
        let held = self.streams.held();
        let stand_in = held.filter(|_| admits).and_then(super::StandIns::hold);
        match stand_in {
            // That it is still a block is for the pool to say, which frees it.
            Some(stand_in) => drop(self.pool.check(offset, 0, Some((stand_in, 1)), |stream| {
                self.streams.passed(stream)
            })),
            None if by.is_some() => planted.note_unquiet(&waits),
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
            planted.state.lock().quarantine.rest(resident);
        } else {
            planted.state.lock().quarantine.wait(resident);
        }
        self.settle_planted(planted);
        freed
    }

    fn poison(&self, resident: &Resident) {
        self.fill_ends(resident.offset, resident.poisoned, POISON);
    }

    /// The pool may hand a block out again.
    fn let_in(&self, stand_in: u64) {
        if let Some(held) = self.streams.held() {
            held.release(stand_in);
        }
    }

    /// Does what is due in the quarantine.
    fn settle_planted(&self, planted: &Planted) {
        loop {
            let passed = |stream| self.streams.passed(stream);
            let step = planted.state.lock().quarantine.step(passed);
            let Some(step) = step else { return };
            self.take(planted, step);
        }
    }

    /// Lets everything go that is in quarantine, and returns whether there was anything.
    pub(in crate::memory) fn empty_quarantine(&self) -> bool {
        let Some(planted) = &self.planted else {
            return false;
        };
        self.settle_planted(planted);
        let mut any = false;
        loop {
            let step = planted.state.lock().quarantine.empty();
            let Some(step) = step else { return any };
            any = true;
            self.take(planted, step);
        }
    }

    fn take(&self, planted: &Planted, step: Step) {
        match step {
            Step::Poison(mut resident) => {
                // The work that has passed may have written there.
                self.look_at_guard(resident.serial, resident.offset, resident.guard);
                self.poison(&resident);
                resident.waits.clear();
                planted.state.lock().quarantine.rest(resident);
            }
            Step::Leave(resident) => {
                self.look_at_poison(&resident);
                self.let_in(resident.stand_in);
            }
            Step::LeaveUnquiet(resident) => {
                planted.note_unquiet(&resident.waits);
                self.let_in(resident.stand_in);
            }
        }
    }

    fn look_at_poison(&self, resident: &Resident) {
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
            self.tell_changed(GuardKind::Poison, resident.serial, place, last - first + 1);
        }
    }

    /// Looks at everything that is planted, and lets go what is in quarantine.
    pub(crate) fn look_at_planted(&self) {
        let Some(planted) = &self.planted else { return };
        self.empty_quarantine();
        // A block that is not planted yet is not among them.
        let live = {
            let _all = planted.planting.write();
            self.pool.live()
        };
        for found in live {
            if planted.is_bare(found.serial) {
                continue;
            }
            let (start, length) = guard(&found);
            let place = found.offset + start;
            // SAFETY: the guard is a part of a block that was live just now; its pages were promised, and can be
            // read ever after.
            let changed = unsafe { bytes::changed(self.touched(place), GUARD, length) };
            let Some((first, last)) = changed else {
                continue;
            };
            // Somebody may have freed it meanwhile, and its bytes may be another's.
            let still = self.pool.find(found.offset);
            if still.is_some_and(|still| still.serial == found.serial) {
                self.tell_changed(
                    GuardKind::Redzone,
                    found.serial,
                    place + first,
                    last - first + 1,
                );
                // Said once.
                self.plant_guard(&found);
            }
        }
    }

    /// As [`Store::check`]: what was added for a guard is not the program's.
    #[cold]
    pub(in crate::memory) fn check_planted(
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

    /// The live block that an offset lies in, but not what was added for its guard.
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

/// Whether there was not enough of something.
fn is_lack(error: &Error) -> bool {
    matches!(error, Error::OutOfMemory { .. } | Error::MachineFull { .. })
}
