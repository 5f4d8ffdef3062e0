//! Maps idle pages from anywhere in the range contiguously in a window.

use std::cell::Cell;
use std::collections::BinaryHeap;

use super::chain::{Run, whole_pages};
use super::growth::Growth;
use super::{Ground, Piece, State, View};
use crate::NONE;
use crate::pages::{PageSet, PageSize, Pages};

/// Partly idle pages: the idle bytes at one end, and the page.
#[derive(Debug)]
struct Parts {
    size: PageSize,
    tails: Vec<(u64, u64)>,
    heads: Vec<(u64, u64)>,
}

/// Runs of pieces that a stream may use, and whether some belong to other streams.
#[derive(Debug)]
struct Usable {
    size: PageSize,
    runs: Vec<Run>,
    foreign: bool,
}

impl Usable {
    /// Whole pages in the runs.
    fn idle_pages(&self) -> PageSet {
        whole_pages(&self.runs, self.size)
    }

    /// Partly idle pages.
    fn parts(&self) -> Parts {
        let size = self.size;
        let mut parts = Parts {
            size,
            tails: Vec::new(),
            heads: Vec::new(),
        };
        for &Run { start, end, .. } in &self.runs {
            let (behind, before) = (size.up(start), size.down(end));
            if start < behind && behind <= end {
                parts.tails.push((behind - start, size.at(start)));
            }
            if before < end && start <= before {
                parts.heads.push((end - before, size.at(end)));
            }
        }
        parts
    }
}

/// Adds idle pages until there are `count`, from the ends of the largest runs.
fn add_pages_to_lend(
    size: PageSize,
    runs: &[Run],
    count: usize,
    skip: &mut PageSet,
    found: &mut Vec<u64>,
) {
    let whole = runs.iter().filter_map(|run| {
        let bytes = run.end - run.start;
        let pages = size.inside(run.start, bytes)?;
        Some((bytes, pages.offset, pages.bytes))
    });
    // Few of them are needed.
    let mut largest: BinaryHeap<_> = whole.collect();
    while let Some((_, offset, bytes)) = largest.pop() {
        for page in (size.at(offset)..size.at(offset + bytes)).rev() {
            if found.len() == count {
                return;
            }
            if !skip.has(page) {
                skip.insert(size.one(page));
                found.push(page);
            }
        }
    }
}

/// The layout of a block in the pages of a window.
#[derive(Debug, Clone, Copy)]
struct Shape {
    size: PageSize,
    /// Bytes at the end of a partly used first page, number of whole pages, bytes at the start of a partly used last
    /// page.
    first: u64,
    whole: u64,
    last: u64,
    /// The partly idle pages used for the first and the last page.
    tail: Option<u64>,
    head: Option<u64>,
}

impl Shape {
    /// The number of pages of the window.
    fn pages(&self) -> Option<usize> {
        usize::try_from(u64::from(self.first > 0) + self.whole + u64::from(self.last > 0)).ok()
    }

    /// How many of them must be entirely idle.
    fn needs(&self) -> u64 {
        self.whole + u64::from(self.last > 0 && self.head.is_none())
    }

    /// The bytes of the block in a page of the window.
    fn within(&self, at: usize) -> (u64, u64) {
        let (at, page) = (at as u64, self.size.bytes());
        let front = u64::from(self.first > 0);
        if at < front {
            (page - self.first, page)
        } else if at < front + self.whole {
            (0, page)
        } else {
            (0, self.last)
        }
    }
}

impl Parts {
    /// Whether they contain these bytes at one end of a page.
    fn has(&self, page: u64, from: u64, to: u64) -> bool {
        let parts = if from > 0 { &self.tails } else { &self.heads };
        let fits = |&(bytes, of): &(u64, u64)| of == page && bytes >= to - from;
        parts.iter().any(fits)
    }

    /// The best layout for a block, given `whole_pages` entirely idle pages.
    fn shape(&self, bytes: u64, align: u64, whole_pages: u64) -> Shape {
        let least = |parts: &[(u64, u64)], bytes: u64, not: Option<u64>| {
            let fits = |part: &&(u64, u64)| part.0 >= bytes && Some(part.1) != not;
            parts.iter().filter(fits).min().map(|part| part.1)
        };
        let size = self.size;
        let (whole, rest) = (size.at(bytes), size.rest(bytes));
        let simple = Shape {
            size,
            first: 0,
            whole,
            last: rest,
            tail: None,
            head: least(&self.heads, rest, None).filter(|_| rest > 0),
        };
        let Some(&(most, tail)) = self.tails.iter().max() else {
            return simple;
        };
        if simple.needs() <= whole_pages {
            return simple;
        }
        // The start of the block must be aligned; pages are aligned.
        let most = most / align * align;
        let both = |first: u64, last: u64, whole: u64| {
            let tail = least(&self.tails, first, None).unwrap_or(tail);
            let head = least(&self.heads, last, Some(tail)).filter(|_| last > 0);
            let found = first > 0 && (last == 0 || head.is_some());
            found.then_some(Shape {
                size,
                first,
                whole,
                last,
                tail: Some(tail),
                head,
            })
        };
        // Two parts that add up to a page plus the rest, or just the rest.
        let saves = whole.checked_sub(1).and_then(|whole| {
            let last = (rest + size.bytes()).checked_sub(most)?;
            both(most, last, whole).filter(|_| last < size.bytes())
        });
        let first = most.min(rest / align * align);
        let enough = || both(first, rest - first, whole).filter(|_| simple.head.is_none());
        saves.or_else(enough).unwrap_or(simple)
    }
}

impl Ground {
    /// Opens no window from now on.
    pub(crate) fn end_windows(&mut self) {
        self.windows.end();
    }

    /// Builds a window from idle pages of the stream itself, if there are enough of them and the alternative would be
    /// memory of other streams.
    pub(crate) fn borrow_own(&mut self, view: View<'_>, bytes: u64, align: u64) -> Option<Growth> {
        let foreign = |piece: &Piece| piece.owner != view.owner && view.may_have(piece);
        if !self.pieces.iter().any(foreign) {
            return None;
        }
        let own = View {
            known: &|_| 0,
            ..view
        };
        if self.lacking(own, bytes, align) == Some(0) {
            self.borrow_pages(own, bytes, align, 0)
        } else {
            None
        }
    }

    /// Maps idle pages in a window, and new ones if there are too few.
    ///
    /// A block often needs only the start of its last page: then a partly idle page suffices, and its rest stays
    /// where it is. If the pool would otherwise hold more than `soft` bytes, the block also starts at the end of a
    /// partly idle page: such a window fits only the current idle pages and is rarely reused.
    pub(super) fn borrow_pages(
        &mut self,
        view: View<'_>,
        bytes: u64,
        align: u64,
        soft: u64,
    ) -> Option<Growth> {
        let size = self.page;
        let usable = self.usable(view);
        let (idle, parts) = (usable.idle_pages(), usable.parts());
        let room = size.at(soft).saturating_sub(self.backed);
        let shape = parts.shape(bytes, align, size.at(idle.bytes()).saturating_add(room));
        let count = shape.pages()?;
        // Idle and new pages together must suffice.
        let whole = size.at(idle.bytes() + self.void_bytes());
        if whole < shape.needs() {
            return None;
        }
        // Where a part suffices, an entirely idle page is used if it is not needed elsewhere.
        let spare = shape.head.is_none() || whole > shape.needs();
        let fits = |at: usize, page: u64| {
            let (from, to) = shape.within(at);
            let idle = || idle.has(page);
            if to - from == size.bytes() {
                idle()
            } else {
                parts.has(page, from, to) || from == 0 && spare && idle()
            }
        };
        let window = self.windows.open(count, &fits, view.passed)?;
        let mut growth = Growth {
            owner: view.owner,
            ..Growth::default()
        };
        // First the pages that the window already maps, then other idle pages, then new pages.
        let mut pages = self.windows.shown(window, &fits);
        for (at, part) in [(0, shape.tail), (count - 1, shape.head)] {
            if let Some(page) = part
                && pages[at].is_none()
            {
                // The other end may map exactly this page: then it gets the page found for it.
                if let Some(other) = pages.iter_mut().find(|other| **other == Some(page)) {
                    *other = None;
                }
                pages[at] = Some(page);
            }
        }
        for (at, part) in [(0, shape.tail), (count - 1, shape.head)] {
            if part.is_some() && pages[at].is_none() {
                pages[at] = part;
            }
        }
        let missing = pages.iter().filter(|page| page.is_none()).count();
        let others = self.pages_to_lend(view, &usable, missing, pages.iter().flatten().copied());
        let mut others = others.into_iter();
        for page in pages.iter_mut().filter(|page| page.is_none()) {
            *page = others.next();
        }
        let ranges = pages.iter().enumerate().filter_map(|(at, page)| {
            let (from, to) = shape.within(at);
            let start = size.start((*page)?);
            Some((start + from, start + to))
        });
        let since = |piece: &Piece| view.since(piece);
        let mut pieces = self.lend(ranges.collect(), &usable.runs, since);
        let since = pieces.iter().map(|&id| self.piece(id).since).max();
        let new = pages.iter().filter(|page| page.is_none()).count();
        let mut fresh = Vec::new();
        for run in self.new_pages(new, &mut pieces) {
            fresh.extend(size.each(run).map(|page| size.at(page.offset)));
            growth.commit.push(run);
        }
        // Slots are filled in order: if any page is new, the last slot has the last new one.
        let (_, to) = shape.within(count - 1);
        if to < size.bytes()
            && pages[count - 1].is_none()
            && let Some(&piece) = pieces.last()
        {
            let rest = self.split(piece, self.piece(piece).bytes - (size.bytes() - to));
            self.piece_mut(rest).state = State::Growing;
            growth.rests.push(rest);
        }
        let mut fresh = fresh.into_iter();
        for page in pages.iter_mut().filter(|page| page.is_none()) {
            *page = fresh.next();
        }
        growth.map = self
            .windows
            .show(window, pages.into_iter().flatten().collect(), pieces);
        self.moved += (growth.map.len() - new) as u64;
        let (from, _) = shape.within(0);
        let offset = self.windows.offset(window) + from;
        let id = self.slot(offset, bytes);
        let piece = self.piece_mut(id);
        piece.window = window;
        (piece.owner, piece.since) = (view.owner, since.unwrap_or(0));
        growth.block = id;
        Some(growth)
    }

    /// The runs of pieces that a stream may use.
    fn usable(&self, view: View<'_>) -> Usable {
        let foreign = Cell::new(false);
        let may = |piece: &Piece| {
            let may = view.may_have(piece);
            foreign.set(foreign.get() || (may && piece.owner != view.owner));
            may
        };
        let runs = self.runs(may);
        let foreign = foreign.get();
        Usable {
            size: self.page,
            runs,
            foreign,
        }
    }

    /// How many pages are missing to build a window for a block from usable memory; `None` if the block cannot be in a
    /// window.
    pub(crate) fn lacking(&self, view: View<'_>, bytes: u64, align: u64) -> Option<u64> {
        if !self.windows.any() || bytes < self.page.bytes() || align > self.page.bytes() {
            return None;
        }
        let usable = self.usable(view);
        let idle = self.page.at(usable.idle_pages().bytes());
        let needs = usable.parts().shape(bytes, align, idle).needs();
        Some(needs.saturating_sub(idle))
    }

    /// Up to `count` usable idle pages other than the `taken` ones: the stream's own first, from the ends of the largest
    /// runs.
    fn pages_to_lend(
        &self,
        view: View<'_>,
        usable: &Usable,
        count: usize,
        taken: impl Iterator<Item = u64>,
    ) -> Vec<u64> {
        if count == 0 {
            return Vec::new();
        }
        let size = self.page;
        let mut skip = PageSet::new(size);
        for page in taken {
            skip.insert(size.one(page));
        }
        let mut found = Vec::new();
        if usable.foreign {
            let own = |piece: &Piece| piece.owner == view.owner && view.may_have(piece);
            add_pages_to_lend(size, &self.runs(own), count, &mut skip, &mut found);
        }
        add_pages_to_lend(size, &usable.runs, count, &mut skip, &mut found);
        found
    }

    /// Cuts ranges out of free pieces in `runs`, which are in address order; returns the lent pieces. Their `since` is the
    /// latest of the pieces that they were cut from.
    pub(super) fn lend(
        &mut self,
        mut ranges: Vec<(u64, u64)>,
        runs: &[Run],
        since: impl Fn(&Piece) -> u64,
    ) -> Vec<u32> {
        ranges.sort_unstable();
        // Adjacent ones are cut as one: pages are often in order.
        ranges.dedup_by(|later, earlier| {
            let adjacent = later.0 == earlier.1;
            if adjacent {
                earlier.1 = later.1;
            }
            adjacent
        });
        let mut lent: Vec<u32> = Vec::new();
        let mut runs = runs.iter();
        let mut id = NONE;
        let mut run_end = 0;
        for (start, end) in ranges {
            // A run that was begun continues where the last range ended.
            while start >= run_end
                && let Some(run) = runs.next()
            {
                (id, run_end) = (run.first, run.end);
            }
            while id != NONE && self.piece(id).offset < end {
                if self.piece(id).offset + self.piece(id).bytes > start {
                    self.unlink(id);
                    self.narrow(&mut id, start, end);
                    let last = since(self.piece(id));
                    self.piece_mut(id).state = State::Lent;
                    self.piece_mut(id).since = last;
                    // Pieces of one range become one.
                    match lent.last() {
                        Some(&whole) if self.piece(id).before == whole => {
                            let last = self.piece(whole).since.max(last);
                            self.piece_mut(whole).since = last;
                            self.absorb(whole, id);
                            id = whole;
                        }
                        _ => lent.push(id),
                    }
                }
                id = self.piece(id).behind;
            }
        }
        lent
    }

    /// Turns `count` void pages into lent ones, the lowest first; returns them as runs.
    fn new_pages(&mut self, count: usize, lent: &mut Vec<u32>) -> Vec<Pages> {
        let size = self.page;
        let mut left = count as u64;
        let mut found = Vec::new();
        while left > 0 {
            let mut lowest = self.voids;
            let mut id = self.voids;
            while id != NONE {
                if self.piece(id).offset < self.piece(lowest).offset {
                    lowest = id;
                }
                id = self.piece(id).next;
            }
            if lowest == NONE {
                break;
            }
            self.unlink(lowest);
            let mut piece = lowest;
            let start = self.piece(piece).offset;
            let room = size.at(self.piece(piece).bytes);
            let take = left.min(room);
            self.narrow(&mut piece, start, start + size.start(take));
            self.piece_mut(piece).state = State::Lent;
            lent.push(piece);
            left -= take;
            found.push(Pages {
                offset: start,
                bytes: size.start(take),
            });
        }
        found
    }
}
