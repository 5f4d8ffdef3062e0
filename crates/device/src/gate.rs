//! The gate of pinned memory: which pages the program may touch now.
//!
//! A checker closes the program's view of a page while queued work will write it, and makes it read-only while queued
//! work will read it. Work itself uses another view (see `pinned.rs`), so a closed page stops the program alone.
//! The checker decides which pages and when; this is the mechanism.
//!
//! Owns: one byte for each page that says what was last done with it; and the calls of the system that use pages now.
//!
//! What must always hold:
//! - [`Gate::open_at`] and [`Gate::state_of`] allocate nothing and take no lock: signal handlers call them. So what
//!   they do may cross with [`Gate::set`] of another thread. Then a page can be open although its byte says
//!   closed, which only hides an access; or closed although its byte says open, which the next access corrects.
//! - A page that was never promised is never opened: a wild address faults as it would without a gate.
//! - Pages stay open while a system call uses them: for a closed page the system returns an error instead of sending a signal.
#![expect(
    unsafe_code,
    reason = "copies pages of one mapping to another for a forked child"
)]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::backing::Backing;
use crate::machine::MachineMemory;
use crate::mapping::{self, Flags, Mapping, Rights};
use crate::{AddressRange, DeviceError, PINNED_RANGES, os_page};

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

/// Opens and closes pages of the program's views.
#[derive(Debug)]
pub struct Gate {
    page: u64,
    /// One for each range of pinned memory, in the order in which they were opened. The program's views never touch each
    /// other: each is followed by ours.
    views: [OnceLock<View>; PINNED_RANGES],
    state: Mutex<State>,
    /// How often the system refused to close or open pages.
    refused: AtomicU64,
}

/// One range of pinned memory, as the program sees it.
#[derive(Debug)]
pub(crate) struct View {
    backing: Arc<Backing>,
    range: AddressRange,
    pages: Flags,
}

#[derive(Debug, Default)]
struct State {
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

impl View {
    /// The program's view of `backing`, whose own addresses begin where `range` ends.
    pub(crate) fn new(backing: Arc<Backing>, range: AddressRange) -> Result<Self, DeviceError> {
        Ok(Self {
            backing,
            range,
            pages: Flags::new(range.bytes.div_ceil(os_page()))?,
        })
    }

    pub(crate) fn backing(&self) -> &Arc<Backing> {
        &self.backing
    }

    pub(crate) fn range(&self) -> AddressRange {
        self.range
    }

    /// Where our view has what the program sees in `run`.
    fn ours(&self, run: AddressRange) -> AddressRange {
        AddressRange::new(run.start + self.range.bytes, run.bytes)
    }

    /// The starts of the pages that `range` touches and that are in this view.
    fn pages_of(&self, range: AddressRange) -> impl Iterator<Item = u64> + use<> {
        let page = os_page();
        let first = range.start.max(self.range.start) / page * page;
        let end = range.end().min(self.range.end());
        (0..end.saturating_sub(first).div_ceil(page)).map(move |index| first + index * page)
    }

    /// The byte of the page at `address`, which is in this view.
    fn byte(&self, address: u64) -> &AtomicU8 {
        self.pages.get((address - self.range.start) / os_page())
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self {
            page: os_page(),
            views: [const { OnceLock::new() }; PINNED_RANGES],
            state: Mutex::default(),
            refused: AtomicU64::new(0),
        }
    }
}

impl Gate {
    /// Takes one more range of pinned memory.
    pub(crate) fn add(&self, mut view: View) -> Result<(), DeviceError> {
        for place in &self.views {
            match place.set(view) {
                Ok(()) => return Ok(()),
                Err(back) => view = back,
            }
        }
        Err(DeviceError::System {
            call: "reserve",
            error: format!("there are {PINNED_RANGES} ranges of pinned memory already"),
        })
    }

    /// Whether `range` touches addresses that it may close.
    pub fn overlaps(&self, range: AddressRange) -> bool {
        self.views().any(|view| view.range.overlaps(range))
    }

    fn views(&self) -> impl Iterator<Item = &View> {
        self.views.iter().map_while(OnceLock::get)
    }

    fn view_of(&self, address: u64) -> Option<&View> {
        self.views().find(|view| view.range.contains(address))
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
        let mut state = self.state.lock();
        for view in self.views().filter(|view| view.range.covers(range)) {
            view.backing.mapping().open(range)?;
            for at in view.pages_of(range) {
                view.byte(at).store(OPEN, Ordering::Relaxed);
            }
            state.promise(range);
        }
        Ok(())
    }

    /// Says what the program may do with the pages that `range` touches, from now on. Pages that were never promised
    /// stay as they are; those that a call of the system uses are closed when it has ended.
    pub fn set(&self, range: AddressRange, access: Access) {
        let mut state = self.state.lock();
        let wanted = |at: u64| {
            if state.is_used(self.page_at(at), access) {
                state.later.insert(at, access);
                return false;
            }
            state.later.remove(&at);
            self.state_of(at).is_some_and(|state| state != access)
        };
        self.change(range, access, wanted);
    }

    /// Changes the pages of a range of which `wanted` holds, as many at once as are beside each other. The caller holds
    /// `state`.
    fn change(&self, range: AddressRange, access: Access, mut wanted: impl FnMut(u64) -> bool) {
        for view in self.views() {
            let mut run: Option<AddressRange> = None;
            for at in view.pages_of(range) {
                if !wanted(at) {
                    self.apply(view, run.take(), access);
                    continue;
                }
                run = Some(match run {
                    Some(run) => AddressRange::new(run.start, run.bytes + self.page),
                    None => self.page_at(at),
                });
            }
            self.apply(view, run, access);
        }
    }

    fn page_at(&self, address: u64) -> AddressRange {
        AddressRange::new(address / self.page * self.page, self.page)
    }

    /// One call for all pages of a run.
    fn apply(&self, view: &View, run: Option<AddressRange>, access: Access) {
        let Some(run) = run else { return };
        let (rights, state) = match access {
            Access::Open => (Rights::All, OPEN),
            Access::ReadOnly => (Rights::Read, READ_ONLY),
            Access::Closed => (Rights::None, CLOSED),
        };
        if !view.backing.mapping().protect(run, rights) {
            // There may be too many mappings. What is not closed is open, and what cannot be opened is tried again by
            // whoever touches it.
            self.refused.fetch_add(1, Ordering::Relaxed);
            return;
        }
        for at in view.pages_of(run) {
            view.byte(at).store(state, Ordering::Release);
        }
    }

    /// What the program may do with the page at `address`; `None` if it is not a page that was promised.
    pub fn state_of(&self, address: u64) -> Option<Access> {
        match self.view_of(address)?.byte(address).load(Ordering::Acquire) {
            OPEN => Some(Access::Open),
            READ_ONLY => Some(Access::ReadOnly),
            CLOSED => Some(Access::Closed),
            _ => None,
        }
    }

    /// Opens the page at `address`. False if it was never promised, or the system refuses. Signal handlers may call it.
    pub fn open_at(&self, address: u64) -> bool {
        let Some(view) = self.view_of(address) else {
            return false;
        };
        if self.state_of(address).is_none() {
            return false;
        }
        let opened = view
            .backing
            .mapping()
            .protect(self.page_at(address), Rights::All);
        if opened {
            view.byte(address).store(OPEN, Ordering::Release);
        }
        opened
    }

    /// A call of the system is about to read or write `range`: its pages are open for that until the value is dropped. Then
    /// they are what they were, or what they have become meanwhile.
    pub fn enter(&self, range: AddressRange, writes: bool) -> Call<'_> {
        let mut state = self.state.lock();
        state.calls.push((range, writes));
        self.change(range, Access::Open, |at| {
            let access = self.state_of(at);
            let Some(access) = access.filter(|access| is_in_the_way(*access, writes)) else {
                return false;
            };
            state.later.entry(at).or_insert(access);
            true
        });
        drop(state);
        Call {
            gate: self,
            range,
            writes,
        }
    }

    /// A call of the system has ended.
    fn leave(&self, range: AddressRange, writes: bool) {
        let mut state = self.state.lock();
        let own = (range, writes);
        if let Some(index) = state.calls.iter().position(|call| *call == own) {
            state.calls.swap_remove(index);
        }
        for access in [Access::ReadOnly, Access::Closed] {
            self.change(range, access, |at| {
                let due = state.later.get(&at) == Some(&access)
                    && !state.is_used(self.page_at(at), access);
                if due {
                    state.later.remove(&at);
                }
                due
            });
        }
    }

    /// A private copy of everything that the program may have put here; `None` if the machine has no room for one.
    pub(crate) fn freeze(&self) -> Option<Frozen> {
        /// What is left to everybody else.
        const SPARE: u64 = 64 << 20;
        let promised = self.state.lock().promised.clone();
        let ours = |run: &AddressRange| Some(self.view_of(run.start)?.ours(*run));
        let mut resident = 0_u64;
        for run in &promised {
            resident += mapping::resident(ours(run)?).ok()?;
        }
        let room = MachineMemory::now().map_or(u64::MAX, |machine| machine.bytes);
        if resident.saturating_add(SPARE) > room {
            return None;
        }
        let mut parts = Vec::with_capacity(promised.len());
        for run in &promised {
            let copy = Mapping::new(run.bytes, None).ok()?;
            copy.open(copy.range()).ok()?;
            let (to, from) = (copy.range().start, ours(run)?);
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
}

impl State {
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
        let state = self.gate.state.lock();
        let first = self.range.start / self.gate.page * self.gate.page;
        state.later.range(first..self.range.end()).next().is_some()
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
    /// Maps the copy at the addresses of the original, in a forked child, which has nothing there. False if the system refuses.
    pub fn put_in_place(self) -> bool {
        let mut parts = self.parts.into_iter();
        parts.all(|(copy, place)| copy.move_to(place).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Memory, PinnedMemory, PinnedOptions};

    fn memory() -> PinnedMemory {
        range_of(&Arc::default(), 0)
    }

    /// One range of pinned memory of which `gate` opens and closes pages.
    fn range_of(gate: &Arc<Gate>, index: u32) -> PinnedMemory {
        let options = PinnedOptions {
            index,
            span: 1 << 30,
            least_span: 1 << 20,
        };
        PinnedMemory::watched(options, &Arc::default(), gate).unwrap()
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
    fn one_gate_serves_several_ranges() {
        let gate = Arc::default();
        let ranges = [range_of(&gate, 0), range_of(&gate, 1)];
        let page = gate.page();
        let firsts = ranges
            .each_ref()
            .map(|memory| AddressRange::new(memory.range().start, page));
        for (memory, first) in ranges.iter().zip(firsts) {
            memory.commit(first).unwrap();
            assert!(gate.overlaps(first));
        }
        gate.set(firsts[1], Access::Closed);
        let states = firsts.map(|first| gate.state_of(first.start).unwrap());
        assert_eq!(states, [Access::Open, Access::Closed]);
        assert_eq!(firsts.map(|first| rights(first.start)), ["rw", "--"]);
        assert_eq!(gate.freeze().unwrap().parts.len(), 2);
        assert!(gate.open_at(firsts[1].start) && rights(firsts[1].start) == "rw");
    }

    #[test]
    fn promises_are_merged() {
        let mut state = State::default();
        for (start, bytes) in [(10, 10), (40, 10), (20, 10), (60, 5), (0, 70)] {
            state.promise(AddressRange::new(start, bytes));
            let apart = |pair: &[AddressRange]| pair[0].end() < pair[1].start;
            assert!(state.promised.windows(2).all(apart), "{state:?}");
        }
        assert_eq!(state.promised, [AddressRange::new(0, 70)]);
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
