//! A *window* is an address range that maps borrowed pages contiguously, at a second address.
//!
//! A closed window keeps its mappings, although its pages were returned. If the next block of its length finds the same
//! pages idle, nothing has to be mapped. Addresses are limited: with [`ALIKE`] windows of a length, one of them is remapped
//! to other pages before another is created, and when the range is used up the pool works without windows.
//!
//! Mapping happens immediately, not in stream order. So a window is remapped only after all queued work that may access its
//! addresses is complete. While no window of the length can be remapped, because the host is far ahead, more are created.

use crate::ground::Owner;
use crate::pages::{PageSize, Pages};

/// Windows per length before one is remapped to other pages.
const ALIKE: usize = 8;

/// A page to map at a second address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mapping {
    /// The home offset of the page.
    pub page: u64,
    /// The offset in the window.
    pub at: u64,
}

#[derive(Debug)]
pub(crate) struct Windows {
    page: PageSize,
    /// The start of the next new window, and the end of the range.
    next: u64,
    end: u64,
    all: Vec<Window>,
    /// No window is opened any more.
    ended: bool,
}

#[derive(Debug)]
struct Window {
    offset: u64,
    /// The number of the page mapped at each of its pages; `u64::MAX` for none.
    shows: Vec<u64>,
    /// While it is open: the lent pieces.
    lent: Option<Vec<u32>>,
    /// After it was closed: the owner whose work may still use its addresses, and up to which position.
    used: (Owner, u64),
}

impl Windows {
    pub(crate) fn new(offset: u64, bytes: u64, page: PageSize) -> Self {
        let next = page.up(offset);
        Self {
            page,
            next,
            end: (offset + bytes).max(next),
            all: Vec::new(),
            ended: false,
        }
    }

    /// Opens no window from now on. Those that are open stay until their blocks are freed.
    pub(crate) fn end(&mut self) {
        self.ended = true;
    }

    /// A closed window of `pages` pages: the one with the most pages that are `idle` (called with a page and its
    /// position in the window), or a new one. A window with other pages can be remapped when its last use has
    /// `passed`.
    pub(crate) fn open(
        &mut self,
        pages: usize,
        idle: &dyn Fn(usize, u64) -> bool,
        passed: &dyn Fn(Owner) -> u64,
    ) -> Option<u32> {
        if self.ended {
            return None;
        }
        let mut best: Option<(usize, usize)> = None;
        let mut alike = 0;
        for (at, window) in self.all.iter().enumerate() {
            if window.shows.len() != pages {
                continue;
            }
            alike += 1;
            if window.lent.is_some() {
                continue;
            }
            let shown = shown(window, idle).flatten().count();
            let (user, last) = window.used;
            if shown < pages && last > passed(user) {
                continue;
            }
            if best.is_none_or(|(most, _)| shown > most) {
                best = Some((shown, at));
            }
        }
        let whole = best.is_some_and(|(shown, _)| shown == pages);
        let bytes = self.page.start(pages as u64);
        if !whole && (best.is_none() || alike < ALIKE) && self.end - self.next >= bytes {
            self.all.push(Window {
                offset: self.next,
                shows: vec![u64::MAX; pages],
                lent: None,
                used: (0, 0),
            });
            self.next += bytes;
            best = Some((0, self.all.len() - 1));
        }
        best.and_then(|(_, at)| u32::try_from(at).ok())
    }

    /// Whether windows are supported.
    pub(crate) fn any(&self) -> bool {
        !self.ended && (self.next < self.end || !self.all.is_empty())
    }

    pub(crate) fn offset(&self, window: u32) -> u64 {
        self.all[window as usize].offset
    }

    /// The idle pages that a window maps.
    pub(crate) fn shown(&self, window: u32, idle: &dyn Fn(usize, u64) -> bool) -> Vec<Option<u64>> {
        shown(&self.all[window as usize], idle).collect()
    }

    /// Opens a window on these pages; returns the mappings to create.
    pub(crate) fn show(&mut self, window: u32, pages: Vec<u64>, lent: Vec<u32>) -> Vec<Mapping> {
        let size = self.page;
        let window = &mut self.all[window as usize];
        let mut mappings = Vec::new();
        for (at, (&new, &old)) in pages.iter().zip(&window.shows).enumerate() {
            if new != old {
                mappings.push(Mapping {
                    page: size.start(new),
                    at: window.offset + size.start(at as u64),
                });
            }
        }
        window.shows = pages;
        window.lent = Some(lent);
        mappings
    }

    /// Closes a window; returns the pieces to give back. Its addresses are in use up to `since`.
    pub(crate) fn close(&mut self, window: u32, owner: Owner, since: u64) -> Vec<u32> {
        let window = &mut self.all[window as usize];
        window.used = (owner, since);
        window.lent.take().unwrap_or_default()
    }

    /// Closes a window that could not be mapped.
    pub(crate) fn forget(&mut self, window: u32, owner: Owner, since: u64) -> Vec<u32> {
        self.all[window as usize].shows.fill(u64::MAX);
        self.close(window, owner, since)
    }

    /// All work of `owner` is complete.
    pub(crate) fn end_uses(&mut self, owner: Owner) {
        for window in self.all.iter_mut().filter(|window| window.used.0 == owner) {
            window.used = (0, 0);
        }
    }

    /// These pages were returned to the device: removes them from all windows.
    pub(crate) fn unmap(&mut self, pages: Pages) {
        let gone = self.page.at(pages.offset)..self.page.at(pages.offset + pages.bytes);
        for window in self.all.iter_mut().filter(|window| window.lent.is_none()) {
            for shown in &mut window.shows {
                if gone.contains(shown) {
                    *shown = u64::MAX;
                }
            }
        }
    }
}

#[cfg(test)]
impl Windows {
    /// For each window: its start, its mapped pages, and the pieces lent to it while it is open.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u64, &[u64], Option<&[u32]>)> {
        let windows = self.all.iter();
        windows.map(|window| (window.offset, &window.shows[..], window.lent.as_deref()))
    }
}

fn shown(window: &Window, idle: &dyn Fn(usize, u64) -> bool) -> impl Iterator<Item = Option<u64>> {
    let shows = window.shows.iter().enumerate();
    shows.map(|(at, &page)| (page != u64::MAX && idle(at, page)).then_some(page))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::PAGE;

    fn opened(windows: &mut Windows, page: u64, passed: u64) -> Option<u32> {
        let window = windows.open(1, &|_, it| it == page, &|_| passed)?;
        windows.show(window, vec![page], Vec::new());
        Some(window)
    }

    #[test]
    fn a_window_whose_addresses_are_in_use_does_not_stand_in_the_way_of_another() {
        let mut windows = Windows::new(0, 20 * PAGE, PageSize::SMALLEST);
        // Each is closed with work queued that has not passed, and each page is another.
        for page in 0..20 {
            let window = opened(&mut windows, page, 0);
            assert_eq!(window.map(u64::from), Some(page));
            windows.close(window.unwrap(), 0, 1 + page);
        }
        assert_eq!(opened(&mut windows, 100, 0), None, "no addresses are left");
        assert_eq!(opened(&mut windows, 7, 0), Some(7), "it shows the page");
        windows.close(7, 0, 8);
        assert_eq!(opened(&mut windows, 100, 3), Some(0), "it may show another");
    }

    #[test]
    fn there_are_few_windows_of_a_length_when_work_passes() {
        let mut windows = Windows::new(0, 100 * PAGE, PageSize::SMALLEST);
        for page in 0..100 {
            let window = opened(&mut windows, page, page).unwrap();
            windows.close(window, 0, page + 1);
        }
        assert_eq!(windows.all.len(), ALIKE);
    }
}
