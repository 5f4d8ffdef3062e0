//! The pages of an arena: which handle is behind which page, and what windows show.
//!
//! A window's place is mapped anew only when all work that may use its addresses is over; the pool sees to that. What the place
//! showed before stays mapped until then. A page goes back only after everything that shows it was unmapped.

use std::collections::HashMap;

use millpond_pool::{Mapping, PageSize, Pages};
use parking_lot::{Mutex, RwLock};

use super::device::{Device, Refused};

/// Other devices that may access the memory. Read while the lock of the state is held. So if a device is added and [`Mapped::allow`]
/// called, that call covers what was mapped before, and later mappings find the device in the list.
pub(crate) type Others = RwLock<Vec<i32>>;

/// What became of pages that were to go back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gone {
    Returned,
    /// They are as before.
    Stayed,
    /// Some are not usable any more: none of them may be used.
    Lost,
}

#[derive(Debug, Default)]
struct State {
    /// By page.
    handles: HashMap<u64, u64>,
    /// The page that each place of a window shows, and the places that show a page.
    places: HashMap<u64, u64>,
    shown: HashMap<u64, Vec<u64>>,
}

/// See the module comment. Everything here is called inside the device.
#[derive(Debug)]
pub(crate) struct Mapped {
    pub(crate) base: u64,
    size: PageSize,
    shared: bool,
    /// Held during calls of the driver; nothing of the pool is held with it.
    state: Mutex<State>,
}

impl Mapped {
    pub(crate) fn new(base: u64, size: PageSize, shared: bool) -> Self {
        Self {
            base,
            size,
            shared,
            state: Mutex::default(),
        }
    }

    /// Puts pages behind all of these runs, which have none, or behind none of them: a request that fails must not keep memory that
    /// others need.
    pub(crate) fn back(
        &self,
        device: &dyn Device,
        runs: &[Pages],
        others: &Others,
    ) -> Result<(), Refused> {
        let mut state = self.state.lock();
        let others = others.read().clone();
        let backed = runs
            .iter()
            .try_for_each(|&run| self.run(device, &mut state, run, &others));
        if backed.is_err() {
            for &run in runs {
                self.undo(device, &mut state, run);
            }
        }
        backed
    }

    fn run(
        &self,
        device: &dyn Device,
        state: &mut State,
        run: Pages,
        others: &[i32],
    ) -> Result<(), Refused> {
        for page in self.size.each(run) {
            let handle = self.one(device, page)?;
            state.handles.insert(self.size.at(page.offset), handle);
        }
        device.allow(self.base + run.offset, run.bytes, others)
    }

    fn one(&self, device: &dyn Device, page: Pages) -> Result<u64, Refused> {
        let handle = device.create(page.bytes, self.shared)?;
        match device.map(self.base + page.offset, page.bytes, handle) {
            Ok(()) => Ok(handle),
            Err(why) => {
                device.destroy(handle);
                Err(why)
            }
        }
    }

    /// Takes back the pages that a run has got so far. Nobody uses them yet.
    fn undo(&self, device: &dyn Device, state: &mut State, run: Pages) {
        for page in self.size.each(run) {
            if let Some(handle) = state.handles.remove(&self.size.at(page.offset)) {
                device.unmap(self.base + page.offset, page.bytes).ok();
                device.destroy(handle);
            }
        }
    }

    /// Shows pages in windows.
    pub(crate) fn show(
        &self,
        device: &dyn Device,
        mappings: &[Mapping],
        others: &Others,
    ) -> Result<(), Refused> {
        let mut state = self.state.lock();
        let others = others.read().clone();
        let bytes = self.size.bytes();
        for mapping in mappings {
            let (place, page) = (self.size.at(mapping.at), self.size.at(mapping.page));
            if state.places.get(&place) == Some(&page) {
                continue;
            }
            self.hide(device, &mut state, place)?;
            let Some(&handle) = state.handles.get(&page) else {
                return Err(Refused {
                    text: format!("page {page} has no memory: a bug in the pool"),
                    for_lack_of_memory: false,
                    is_final: false,
                });
            };
            device.map(self.base + mapping.at, bytes, handle)?;
            state.places.insert(place, page);
            state.shown.entry(page).or_default().push(place);
        }
        let beside = |one: &Mapping, next: &Mapping| next.at == one.at + bytes;
        for run in mappings.chunk_by(beside) {
            let Some(first) = run.first() else { continue };
            let bytes = self.size.start(run.len() as u64);
            device.allow(self.base + first.at, bytes, &others)?;
        }
        Ok(())
    }

    /// Unmaps what a place shows.
    fn hide(&self, device: &dyn Device, state: &mut State, place: u64) -> Result<(), Refused> {
        let Some(&page) = state.places.get(&place) else {
            return Ok(());
        };
        device.unmap(self.base + self.size.start(place), self.size.bytes())?;
        state.places.remove(&place);
        if let Some(places) = state.shown.get_mut(&page) {
            places.retain(|&other| other != place);
        }
        Ok(())
    }

    /// Gives the pages of a run back. All of it is unmapped before anything is destroyed, so that there is a way back.
    pub(crate) fn give_back(&self, device: &dyn Device, run: Pages, others: &Others) -> Gone {
        let mut state = self.state.lock();
        let mut unmapped: Vec<(Pages, u64)> = Vec::new();
        for page in self.size.each(run) {
            let number = self.size.at(page.offset);
            let Some(&handle) = state.handles.get(&number) else {
                // A page that is not there cannot be asked for; nothing sensible follows from it.
                return Gone::Lost;
            };
            let places = state.shown.get(&number).cloned().unwrap_or_default();
            let hidden = places
                .iter()
                .try_for_each(|&place| self.hide(device, &mut state, place));
            let gone = hidden.and_then(|()| device.unmap(self.base + page.offset, page.bytes));
            if gone.is_err() {
                return self.map_again(device, &mut state, &unmapped, others);
            }
            unmapped.push((page, handle));
        }
        for (page, handle) in unmapped {
            let number = self.size.at(page.offset);
            state.handles.remove(&number);
            state.shown.remove(&number);
            device.destroy(handle);
        }
        Gone::Returned
    }

    fn map_again(
        &self,
        device: &dyn Device,
        state: &mut State,
        unmapped: &[(Pages, u64)],
        others: &Others,
    ) -> Gone {
        let mut result = Gone::Stayed;
        let others = others.read().clone();
        for &(page, handle) in unmapped {
            let address = self.base + page.offset;
            let mapped = device
                .map(address, page.bytes, handle)
                .and_then(|()| device.allow(address, page.bytes, &others));
            if mapped.is_err() {
                state.handles.remove(&self.size.at(page.offset));
                device.destroy(handle);
                result = Gone::Lost;
            }
        }
        result
    }

    /// Lets devices access all that is there.
    pub(crate) fn allow(&self, device: &dyn Device, others: &Others) -> Result<(), Refused> {
        let state = self.state.lock();
        let others = others.read().clone();
        for page in state.handles.keys().chain(state.places.keys()) {
            let address = self.base + self.size.start(*page);
            device.allow(address, self.size.bytes(), &others)?;
        }
        Ok(())
    }

    /// The handles behind a range, in the order of addresses; `None` if a page has none.
    pub(crate) fn handles(&self, offset: u64, bytes: u64) -> Option<Vec<u64>> {
        let state = self.state.lock();
        let pages = self.size.at(offset)..self.size.from(offset + bytes);
        let handle = |page: u64| {
            let page = state.places.get(&page).copied().unwrap_or(page);
            state.handles.get(&page).copied()
        };
        pages.map(handle).collect()
    }

    /// Pages that are there.
    pub(crate) fn count(&self) -> usize {
        self.state.lock().handles.len()
    }
}
