//! Finds places for blocks that need new pages, at the lowest cost, and describes what the device has to do.

use super::chain::Run;
use super::{Ground, Owner, State, View, aligned};
use crate::NONE;
use crate::pages::Pages;
use crate::window::Mapping;

/// What the device has to do before a block can be used.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Growth {
    /// Pages to back.
    pub commit: Vec<Pages>,
    /// Pages to map at a second address, for devices that support it.
    pub map: Vec<Mapping>,
    /// The block that needs them.
    pub(crate) block: u32,
    /// The peak of the charge before this block, and with it.
    pub(crate) peaks: (u64, u64),
    pub(super) owner: Owner,
    /// Rests of pages that become free once the pages are backed.
    pub(super) rests: Vec<u32>,
}

/// A place for a block that costs `missing` new pages.
#[derive(Debug, Clone, Copy)]
struct Place {
    start: u64,
    missing: u64,
    /// Bytes of other owners that it takes.
    foreign: u64,
    /// The first piece of its run.
    first: u32,
}

impl Ground {
    /// Finds a place for a block that needs pages that the device does not back yet.
    ///
    /// If the pool would then hold more than `soft` bytes and windows are supported, the block borrows idle pages first,
    /// and only the missing ones are new.
    pub(crate) fn grow(
        &mut self,
        view: View<'_>,
        bytes: u64,
        align: u64,
        soft: u64,
    ) -> Option<Growth> {
        let place = self.place(view, bytes, align);
        let beyond = place.is_none_or(|place| self.page.start(self.backed + place.missing) > soft);
        if beyond
            && bytes >= self.page.bytes()
            && align <= self.page.bytes()
            && let Some(growth) = self.borrow_pages(view, bytes, align, soft)
        {
            return Some(growth);
        }
        Some(self.occupy(view, place?, bytes))
    }

    /// Cuts a block from adjacent free pieces of several owners: from the smallest such run, at the place with the most
    /// memory of the stream itself. Only the block changes its owner.
    pub(crate) fn take_run(&mut self, view: View<'_>, bytes: u64, align: u64) -> Option<u32> {
        let runs = self.runs(|piece| view.may_have(piece));
        let fits = |run: &&Run| aligned(run.start, align) + bytes <= run.end;
        let best = runs
            .iter()
            .filter(fits)
            .min_by_key(|run| run.end - run.start);
        let first = best?.first;
        let mut place = None;
        let in_run = |id: u32| id != NONE && view.may_have(self.piece(id));
        self.place_in_run(view.owner, first, bytes, align, &in_run, &mut place);
        Some(self.occupy(view, place?, bytes).block)
    }

    /// The place that needs the fewest new pages: in a run of void pieces and usable free ones.
    fn place(&self, view: View<'_>, bytes: u64, align: u64) -> Option<Place> {
        let in_run = |id: u32| {
            id != NONE && {
                let piece = self.piece(id);
                piece.state == State::Void || view.may_have(piece)
            }
        };
        let mut best: Option<Place> = None;
        let mut void = self.voids;
        while void != NONE {
            // Each run is considered once, from its first void piece.
            let mut first = void;
            let mut earlier_void = false;
            while in_run(self.piece(first).before) {
                first = self.piece(first).before;
                earlier_void |= self.piece(first).state == State::Void;
            }
            if !earlier_void {
                self.place_in_run(view.owner, first, bytes, align, &in_run, &mut best);
            }
            void = self.piece(void).next;
        }
        best
    }

    fn place_in_run(
        &self,
        owner: Owner,
        first: u32,
        bytes: u64,
        align: u64,
        in_run: &dyn Fn(u32) -> bool,
        best: &mut Option<Place>,
    ) {
        let run_start = self.piece(first).offset;
        let mut last = first;
        while in_run(self.piece(last).behind) {
            last = self.piece(last).behind;
        }
        let run_end = self.piece(last).offset + self.piece(last).bytes;
        if run_end - run_start < bytes {
            return;
        }
        let mut consider = |start: u64| {
            let Some(end) = start.checked_add(bytes).filter(|&end| end <= run_end) else {
                return;
            };
            let (missing, foreign) = self.cost(owner, first, start, end);
            let key = (missing, foreign, start);
            if best.is_none_or(|best| key < (best.missing, best.foreign, best.start)) {
                *best = Some(Place {
                    start,
                    missing,
                    foreign,
                    first,
                });
            }
        };
        // Starting at each piece, and ending at the end of each.
        let mut id = first;
        loop {
            let (offset, end) = (
                self.piece(id).offset,
                self.piece(id).offset + self.piece(id).bytes,
            );
            consider(aligned(offset, align));
            if let Some(start) = end.checked_sub(bytes).filter(|&start| start >= run_start) {
                let start = start / align * align;
                if start >= run_start && self.piece(id).state == State::Free {
                    consider(start);
                }
            }
            if id == last {
                break;
            }
            id = self.piece(id).behind;
        }
    }

    /// The void pages that a block from `start` to `end` needs, and the bytes of other owners that it takes.
    fn cost(&self, owner: Owner, mut id: u32, start: u64, end: u64) -> (u64, u64) {
        let (mut pages, mut foreign) = (0, 0);
        while id != NONE && self.piece(id).offset < end {
            let piece = self.piece(id);
            let behind = piece.offset + piece.bytes;
            if behind > start {
                let (from, to) = (piece.offset.max(start), behind.min(end));
                if piece.state == State::Void {
                    pages += self.page.from(to) - self.page.at(from);
                } else if piece.owner != owner {
                    foreign += to - from;
                }
            }
            id = piece.behind;
        }
        (pages, foreign)
    }

    /// Turns a place into a held block; its void pages have to be backed.
    fn occupy(&mut self, view: View<'_>, place: Place, bytes: u64) -> Growth {
        let (start, end) = (place.start, place.start + bytes);
        let mut growth = Growth {
            owner: view.owner,
            ..Growth::default()
        };
        let mut block = NONE;
        let mut since = 0;
        let mut id = place.first;
        while id != NONE && self.piece(id).offset < end {
            let behind = self.piece(id).behind;
            if self.piece(id).offset + self.piece(id).bytes <= start {
                id = behind;
                continue;
            }
            self.unlink(id);
            let is_void = self.piece(id).state == State::Void;
            let (from, to) = if is_void {
                (self.page.down(start), self.page.up(end))
            } else {
                (start, end)
            };
            self.narrow(&mut id, from, to);
            if is_void {
                let piece = self.piece(id);
                growth.commit.push(Pages {
                    offset: piece.offset,
                    bytes: piece.bytes,
                });
                if piece.offset < start {
                    let front = id;
                    id = self.split(front, start - self.piece(front).offset);
                    self.piece_mut(front).state = State::Growing;
                    growth.rests.push(front);
                }
                if self.piece(id).offset + self.piece(id).bytes > end {
                    let rest = self.split(id, end - self.piece(id).offset);
                    self.piece_mut(rest).state = State::Growing;
                    growth.rests.push(rest);
                }
            } else {
                since = since.max(view.since(self.piece(id)));
            }
            self.piece_mut(id).state = State::Held;
            if block == NONE {
                block = id;
            } else {
                self.absorb(block, id);
            }
            id = self.piece(block).behind;
        }
        let piece = self.piece_mut(block);
        (piece.owner, piece.since) = (view.owner, since);
        growth.block = block;
        growth
    }

    /// The device has carried out the growth.
    pub(crate) fn finish(&mut self, growth: Growth) {
        let promised: u64 = growth.commit.iter().map(|pages| pages.bytes).sum();
        self.backed += self.page.at(promised);
        for rest in growth.rests {
            self.make_free(rest, growth.owner, 0);
        }
    }

    /// The device failed to carry out the growth and did not back the pages in `failed`: the block is released, and
    /// others may use its backed parts after `now`.
    pub(crate) fn abandon(&mut self, growth: Growth, failed: &[Pages], now: u64) {
        let promised: u64 = growth.commit.iter().map(|pages| pages.bytes).sum();
        let refused: u64 = failed.iter().map(|pages| pages.bytes).sum();
        self.backed += self.page.at(promised - refused);
        let mut parts = growth.rests;
        if self.piece(growth.block).window == NONE {
            parts.push(growth.block);
        } else {
            let window = self.piece(growth.block).window;
            parts.extend(self.windows.forget(window, growth.owner, now));
            self.give_slot(growth.block);
        }
        // First split everything, then merge with the neighbours.
        let mut sound = Vec::new();
        let mut void = Vec::new();
        for mut part in parts {
            loop {
                let (offset, end) = (
                    self.piece(part).offset,
                    self.piece(part).offset + self.piece(part).bytes,
                );
                let cut =
                    |pages: &&Pages| pages.offset < end && pages.offset + pages.bytes > offset;
                let Some(pages) = failed.iter().filter(cut).min_by_key(|pages| pages.offset) else {
                    sound.push(part);
                    break;
                };
                if offset < pages.offset {
                    let rest = self.split(part, pages.offset - offset);
                    sound.push(part);
                    part = rest;
                    continue;
                }
                let pages_end = pages.offset + pages.bytes;
                if end > pages_end {
                    let rest = self.split(part, pages_end - offset);
                    void.push(part);
                    part = rest;
                    continue;
                }
                void.push(part);
                break;
            }
        }
        // A void page may consist of several pieces: merge them.
        for part in void {
            self.make_void(part);
        }
        for part in sound {
            self.make_free(part, growth.owner, now);
        }
    }
}
