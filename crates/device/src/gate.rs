//! The gate of pinned memory: which pages the program may touch now.
//!
//! A checker closes the program's view of a page while queued work will write it, and makes it read-only while queued
//! work will read it. Work itself uses another view (see `pinned.rs`), so a closed page stops the program alone.
//! Which pages, and when, is the checker's business; this is the mechanism.
//!
//! Owns: one byte for each page that says what was last done with it; and the calls of the system that use pages now.
//!
//! What must always hold:
//! - [`Gate::open_at`] and [`Gate::state_of`] allocate nothing and take no lock: signal handlers call them. So what
//!   they do may cross with [`Gate::set`] of another thread. Then a page can be open although its byte says
//!   closed, which only hides a touch; or closed although its byte says open, which the next touch mends.
//! - A page that was never promised is never opened: a wild address faults as it would without a gate.
//! - While a call of the system uses pages they stay open: the system gives an error for a closed page, not a signal.
#![expect(
    unsafe_code,
    reason = "copies pages of one mapping to another for a forked child"
)]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::backing::Backing;
use crate::machine::MachineMemory;
use crate::mapping::{self, Flags, Mapping, Rights};
use crate::{AddressRange, DeviceError, os_page};

/// What the program may do with a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Access {
    /// Everything.
    #[default]
    Open,
    /// Read it.
    ReadOnly,
    /// Nothing.
    Closed,
}

/// What the byte of a page says; 0 for a page that was never promised.
const OPEN: u8 = 1;
const READ_ONLY: u8 = 2;
const CLOSED: u8 = 3;

/// Opens and closes pages of the program's view.
#[derive(Debug)]
pub struct Gate {
    backing: Arc<Backing>,
    view: AddressRange,
    page: u64,
    pages: Flags,
    books: Mutex<Books>,
    /// How often the system refused to close or open pages.
    refused: AtomicU64,
}

#[derive(Debug, Default)]
struct Books {
    /// What calls of the system use now, and whether they write it.
    calls: Vec<(AddressRange, bool)>,
    /// What pages are to be when no call uses them.
    later: BTreeMap<u64, Access>,
    /// What was promised, in order and merged.
    promised: Vec<AddressRange>,
}

/// A call of the system that uses pages, until it is dropped.
#[derive(Debug)]
pub struct Call<'a> {
    gate: &'a Gate,
    range: AddressRange,
    writes: bool,
}

/// Whether a call of the system that writes, or only reads, can use a page.
fn is_in_the_way(access: Access, writes: bool) -> bool {
    access == Access::Closed || (access == Access::ReadOnly && writes)
}

impl Gate {
    pub(crate) fn new(backing: Arc<Backing>, view: AddressRange) -> Result<Self, DeviceError> {
        let page = os_page();
        Ok(Self {
            backing,
            view,
            page,
            pages: Flags::new(view.bytes.div_ceil(page))?,
            books: Mutex::default(),
            refused: AtomicU64::new(0),
        })
    }

    /// All addresses that it may close.
    pub fn view(&self) -> AddressRange {
        self.view
    }

    /// The size of a page.
    pub fn page(&self) -> u64 {
        self.page
    }

    /// How often pages that were to be closed stayed open because the system refused.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    /// The program may touch pages that were just promised.
    pub(crate) fn admit(&self, range: AddressRange) -> Result<(), DeviceError> {
        let mut books = self.books.lock();
        self.backing.mapping().open(range)?;
        for at in self.pages_of(range) {
            self.byte(at).store(OPEN, Ordering::Relaxed);
        }
        books.promise(range);
        Ok(())
    }

    /// Says what the program may do with the pages that `range` touches, from now on. Pages that were never promised
    /// stay as they are; those that a call of the system uses are closed when it has ended.
    pub fn set(&self, range: AddressRange, access: Access) {
        let mut books = self.books.lock();
        let wanted = |at: u64| {
            if books.is_used(self.page_at(at), access) {
                books.later.insert(at, access);
                return false;
            }
            books.later.remove(&at);
            self.state_of(at).is_some_and(|state| state != access)
        };
        self.change(range, access, wanted);
    }

    /// Changes the pages of a range of which `wanted` holds, as many at once as lie beside each other. The caller holds the
    /// books.
    fn change(&self, range: AddressRange, access: Access, mut wanted: impl FnMut(u64) -> bool) {
        let mut run: Option<AddressRange> = None;
        for at in self.pages_of(range) {
            if !wanted(at) {
                self.apply(run.take(), access);
                continue;
            }
            run = Some(match run {
                Some(run) => AddressRange::new(run.start, run.bytes + self.page),
                None => self.page_at(at),
            });
        }
        self.apply(run, access);
    }

    fn page_at(&self, address: u64) -> AddressRange {
        AddressRange::new(address / self.page * self.page, self.page)
    }

    /// One call for all pages of a run.
    fn apply(&self, run: Option<AddressRange>, access: Access) {
        let Some(run) = run else { return };
        let (rights, state) = match access {
            Access::Open => (Rights::All, OPEN),
            Access::ReadOnly => (Rights::Read, READ_ONLY),
            Access::Closed => (Rights::None, CLOSED),
        };
        if !self.backing.mapping().protect(run, rights) {
            // There may be too many mappings. What is not closed is open, and what cannot be opened is tried again by
            // whoever touches it.
            self.refused.fetch_add(1, Ordering::Relaxed);
            return;
        }
        for at in self.pages_of(run) {
            self.byte(at).store(state, Ordering::Release);
        }
    }

    /// What the program may do with the page at `address`; `None` if it is no page that was promised.
    pub fn state_of(&self, address: u64) -> Option<Access> {
        if !self.view.contains(address) {
            return None;
        }
        match self.byte(address).load(Ordering::Acquire) {
            OPEN => Some(Access::Open),
            READ_ONLY => Some(Access::ReadOnly),
            CLOSED => Some(Access::Closed),
            _ => None,
        }
    }

    /// Opens the page at `address`. False if it was never promised, or the system refuses. Signal handlers may call it.
    pub fn open_at(&self, address: u64) -> bool {
        if self.state_of(address).is_none() {
            return false;
        }
        let page = AddressRange::new(address / self.page * self.page, self.page);
        let opened = self.backing.mapping().protect(page, Rights::All);
        if opened {
            self.byte(address).store(OPEN, Ordering::Release);
        }
        opened
    }

    /// A call of the system is about to read or write `range`: its pages are open for that until the value is dropped. Then
    /// they are what they were, or what they have become meanwhile.
    pub fn enter(&self, range: AddressRange, writes: bool) -> Call<'_> {
        let mut books = self.books.lock();
        books.calls.push((range, writes));
        self.change(range, Access::Open, |at| {
            let state = self.state_of(at);
            let Some(state) = state.filter(|state| is_in_the_way(*state, writes)) else {
                return false;
            };
            books.later.entry(at).or_insert(state);
            true
        });
        drop(books);
        Call {
            gate: self,
            range,
            writes,
        }
    }

    /// A call of the system has ended.
    fn leave(&self, range: AddressRange, writes: bool) {
        let mut books = self.books.lock();
        let own = (range, writes);
        if let Some(index) = books.calls.iter().position(|call| *call == own) {
            books.calls.swap_remove(index);
        }
        for access in [Access::ReadOnly, Access::Closed] {
            self.change(range, access, |at| {
                let due = books.later.get(&at) == Some(&access)
                    && !books.is_used(self.page_at(at), access);
                if due {
                    books.later.remove(&at);
                }
                due
            });
        }
    }

    /// A private copy of everything that the program may have put here; `None` if the machine has no room for one.
    /// Our view lies `distance` behind the program's.
    pub(crate) fn freeze(&self, distance: u64) -> Option<Frozen> {
        /// What is left to everybody else.
        const SPARE: u64 = 64 << 20;
        let promised = self.books.lock().promised.clone();
        let ours = |run: &AddressRange| AddressRange::new(run.start + distance, run.bytes);
        let resident = promised.iter().map(|run| mapping::resident(ours(run)));
        let resident = resident.sum::<Result<u64, _>>().ok()?;
        let room = MachineMemory::now().map_or(u64::MAX, |machine| machine.bytes);
        if resident.saturating_add(SPARE) > room {
            return None;
        }
        let mut parts = Vec::with_capacity(promised.len());
        for run in &promised {
            let copy = Mapping::new(run.bytes, None).ok()?;
            copy.open(copy.range()).ok()?;
            let (to, from) = (copy.range().start, ours(run));
            mapping::each_resident(from, |part| {
                let at = to + (part.start - from.start);
                // SAFETY: the source was promised, so our view of it is open; the copy was just made.
                unsafe { mapping::copy(at, part) };
            })
            .ok()?;
            parts.push((copy, run.start));
        }
        Some(Frozen { parts })
    }

    /// The starts of the pages that `range` touches and that are in the view.
    fn pages_of(&self, range: AddressRange) -> impl Iterator<Item = u64> + use<> {
        let page = self.page;
        let first = range.start.max(self.view.start) / page * page;
        let end = range.end().min(self.view.end());
        (0..end.saturating_sub(first).div_ceil(page)).map(move |index| first + index * page)
    }

    fn byte(&self, address: u64) -> &std::sync::atomic::AtomicU8 {
        self.pages.get((address - self.view.start) / self.page)
    }
}

impl Books {
    /// Whether a call uses a page that is to be changed so.
    fn is_used(&self, page: AddressRange, access: Access) -> bool {
        let mut calls = self.calls.iter();
        calls.any(|(range, writes)| range.overlaps(page) && is_in_the_way(access, *writes))
    }

    fn promise(&mut self, range: AddressRange) {
        let at = self.promised.partition_point(|run| run.end() < range.start);
        let mut merged = range;
        let mut touched = 0;
        for run in &self.promised[at..] {
            if run.start > merged.end() {
                break;
            }
            let (start, end) = (run.start.min(merged.start), run.end().max(merged.end()));
            merged = AddressRange::new(start, end - start);
            touched += 1;
        }
        self.promised.splice(at..at + touched, [merged]);
    }
}

impl Call<'_> {
    /// Whether pages that it uses would be closed without it.
    pub fn is_needed(&self) -> bool {
        let books = self.gate.books.lock();
        let first = self.range.start / self.gate.page * self.gate.page;
        books.later.range(first..self.range.end()).next().is_some()
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.gate.leave(self.range, self.writes);
    }
}

/// What pinned memory held at one moment.
#[derive(Debug)]
pub struct Frozen {
    parts: Vec<(Mapping, u64)>,
}

impl Frozen {
    /// Puts it where the program saw it, in a forked child, which has nothing there. False if the system refuses.
    pub fn put_in_place(self) -> bool {
        let mut parts = self.parts.into_iter();
        parts.all(|(copy, place)| copy.move_to(place).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Memory, PinnedMemory};

    fn memory() -> PinnedMemory {
        PinnedMemory::watched(1 << 30, 1 << 20, &Arc::default()).unwrap()
    }

    /// What the kernel says of the rights of the page at an address.
    fn rights(address: u64) -> String {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let line = maps.lines().find(|line| {
            let (range, _) = line.split_once(' ').unwrap();
            let (start, end) = range.split_once('-').unwrap();
            let number = |text| u64::from_str_radix(text, 16).unwrap();
            (number(start)..number(end)).contains(&address)
        });
        line.unwrap().split(' ').nth(1).unwrap()[..2].to_owned()
    }

    #[test]
    fn only_the_programs_view_is_closed_and_only_where_pages_were_promised() {
        let memory = memory();
        let (gate, start) = (memory.gate().unwrap(), memory.range().start);
        let page = gate.page();
        memory.commit(AddressRange::new(start, 4 * page)).unwrap();
        gate.set(AddressRange::new(start + page, 2), Access::Closed);
        gate.set(AddressRange::new(start + 2 * page, 1), Access::ReadOnly);
        let of = |number: u64| rights(start + number * page);
        assert_eq!([of(0), of(1), of(2), of(3)], ["rw", "--", "r-", "rw"]);
        assert_eq!(rights(start + memory.distance() + page), "rw");
        assert_eq!(gate.state_of(start + page + 7), Some(Access::Closed));
        // Beyond what was promised nothing is closed or opened.
        gate.set(
            AddressRange::new(start + 3 * page, 2 * page),
            Access::Closed,
        );
        assert_eq!(
            (of(3), gate.state_of(start + 4 * page)),
            ("--".to_owned(), None)
        );
        assert!(!gate.open_at(start + 4 * page));
        assert_eq!(of(4), "--");
        assert!(gate.open_at(start + 3 * page + 9));
        gate.set(AddressRange::new(start, 4 * page), Access::Open);
        assert_eq!([of(0), of(1), of(2), of(3)], ["rw"; 4]);
    }

    #[test]
    fn pages_that_a_call_uses_stay_open() {
        let memory = memory();
        let (gate, start) = (memory.gate().unwrap(), memory.range().start);
        let page = gate.page();
        let all = AddressRange::new(start, 3 * page);
        memory.commit(all).unwrap();
        gate.set(all, Access::Closed);
        let call = gate.enter(AddressRange::new(start + page + 1, 1), true);
        assert!(call.is_needed());
        let states = || [0, 1, 2].map(|at| gate.state_of(start + at * page).unwrap());
        assert_eq!(states(), [Access::Closed, Access::Open, Access::Closed]);
        gate.set(all, Access::ReadOnly);
        assert_eq!(states(), [Access::ReadOnly, Access::Open, Access::ReadOnly]);
        drop(call);
        // It is what it has become meanwhile.
        assert_eq!(states(), [Access::ReadOnly; 3]);
        let call = gate.enter(AddressRange::new(start, page), false);
        assert!(!call.is_needed(), "it may be read");
        gate.set(all, Access::Closed);
        assert!(call.is_needed());
        let other = gate.enter(AddressRange::new(start, 1), true);
        let held = [Access::Open, Access::Closed, Access::Closed];
        assert_eq!(states(), held);
        drop(call);
        assert_eq!(states(), held);
        drop(other);
        assert_eq!(states(), [Access::Closed; 3]);
        let call = gate.enter(all, true);
        gate.set(all, Access::Open);
        assert!(!call.is_needed(), "it is open by now");
        drop(call);
        assert_eq!(states(), [Access::Open; 3]);
        assert_eq!(gate.refused(), 0);
    }

    #[test]
    fn promises_are_merged() {
        let mut books = Books::default();
        for (start, bytes) in [(10, 10), (40, 10), (20, 10), (60, 5), (0, 70)] {
            books.promise(AddressRange::new(start, bytes));
            let apart = |pair: &[AddressRange]| pair[0].end() < pair[1].start;
            assert!(books.promised.windows(2).all(apart), "{books:?}");
        }
        assert_eq!(books.promised, [AddressRange::new(0, 70)]);
    }

    #[test]
    fn a_frozen_copy_is_what_was_there() {
        let memory = memory();
        let (gate, start) = (memory.gate().unwrap(), memory.range().start);
        let all = AddressRange::new(start, 3 * gate.page());
        memory.commit(all).unwrap();
        assert!(memory.freeze().is_some());
        let frozen = memory.freeze().unwrap();
        assert_eq!(frozen.parts.len(), 1);
        assert_eq!(frozen.parts[0].1, start);
        assert_eq!(frozen.parts[0].0.range().bytes, all.bytes);
    }
}
