//! Which pages of pinned memory are closed to the program. Pure: it returns the changes, and the caller carries
//! them out.
//!
//! A *use* is what a queued task will do to a range of bytes. It closes their pages, or makes them read-only, from
//! the task's turn until the host is known to come after the task. If several uses overlap, the strongest counts.
//!
//! Owns: the uses, and the state of every page.
//!
//! Invariant: after every call, each page is open for exactly what the uses on it allow. Pages that the program
//! touched where no use has bytes are a *hole* in the current uses: they stay open until a later use closes them.
//! If a limit is reached (ranges of closed pages, holes of a use), pages stay open.

use std::collections::BTreeMap;
use std::ops::Range;

use millpond_trace::Bytes;
use smallvec::SmallVec;

/// What the program may do with a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Open {
    /// Read and write.
    Wide,
    /// Only read.
    ToReaders,
    /// Nothing.
    NotAtAll,
}

/// Pages to open or close.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Change {
    /// Whole pages.
    pub pages: Bytes,
    /// Their state from now on.
    pub open: Open,
}

/// How pages can be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GateOptions {
    /// The size of a page, a power of two.
    pub page: u64,
    /// The most ranges of closed pages: each costs the process one or two mappings, which are limited.
    pub most: usize,
}

/// The most holes of one use. With more, the use is dropped.
const MOST_HOLES: usize = 64;

/// The state of all pages.
#[derive(Debug)]
pub(crate) struct Gate {
    options: GateOptions,
    uses: Vec<Use>,
    /// Ranges of pages that are not fully open, by start: their end and state.
    closed: BTreeMap<u64, (u64, Open)>,
    changes: Vec<Change>,
    /// Uses that closed no pages, or not all, because a limit was reached.
    pub(crate) dropped_facts: u64,
}

#[derive(Debug)]
struct Use {
    number: u64,
    pages: Range<u64>,
    open: Open,
    /// The starts of pages that are open in spite of the use.
    holes: SmallVec<[u64; 2]>,
}

impl Use {
    fn open_at(&self, page: u64) -> Open {
        if self.pages.contains(&page) && !self.holes.contains(&page) {
            self.open
        } else {
            Open::Wide
        }
    }
}

impl Gate {
    pub(crate) fn new(options: GateOptions) -> Self {
        Self {
            options,
            uses: Vec::new(),
            closed: BTreeMap::new(),
            changes: Vec::new(),
            dropped_facts: 0,
        }
    }

    /// The changes since the last call, in this order.
    pub(crate) fn changes(&mut self) -> &mut Vec<Change> {
        &mut self.changes
    }

    /// A use of some bytes begins.
    pub(crate) fn begin(&mut self, number: u64, bytes: Bytes, writes: bool) {
        if self.closed.len() >= self.options.most {
            self.dropped_facts += 1;
            return;
        }
        let pages = self.pages(bytes);
        self.uses.push(Use {
            number,
            pages: pages.clone(),
            open: if writes {
                Open::NotAtAll
            } else {
                Open::ToReaders
            },
            holes: SmallVec::new(),
        });
        self.settle(pages);
    }

    /// Ends the uses for which `ended` is true.
    pub(crate) fn end(&mut self, ended: impl Fn(u64) -> bool) {
        let mut index = 0;
        while index < self.uses.len() {
            if ended(self.uses[index].number) {
                let gone = self.uses.swap_remove(index);
                self.settle(gone.pages);
            } else {
                index += 1;
            }
        }
    }

    /// The program touched bytes outside of all uses: their pages stay open until a later use.
    pub(crate) fn pass(&mut self, bytes: Bytes, write: bool) {
        let pages = self.pages(bytes);
        let mut lost = Vec::new();
        let in_the_way = |one: &&mut Use| write || one.open == Open::NotAtAll;
        for one in self.uses.iter_mut().filter(in_the_way) {
            let start = one.pages.start.max(pages.start);
            let end = one.pages.end.min(pages.end);
            for page in (start..end).step_by(step(self.options.page)) {
                if one.holes.len() == MOST_HOLES {
                    lost.push(one.number);
                    break;
                }
                if !one.holes.contains(&page) {
                    one.holes.push(page);
                }
            }
        }
        if !lost.is_empty() {
            self.dropped_facts += lost.len() as u64;
            self.end(|number| lost.contains(&number));
        }
        self.settle(pages);
    }

    /// Bytes of memory that this state takes.
    pub(crate) fn state_bytes(&self) -> u64 {
        (self.uses.capacity() * size_of::<Use>() + self.closed.len() * 48) as u64
    }

    fn pages(&self, bytes: Bytes) -> Range<u64> {
        let page = self.options.page;
        let start = bytes.start / page * page;
        let end = bytes.start.saturating_add(bytes.bytes);
        start
            ..end
                .checked_next_multiple_of(page)
                .unwrap_or(end / page * page)
    }

    /// Sets pages to what the uses on them allow.
    fn settle(&mut self, area: Range<u64>) {
        let page = self.options.page;
        let mut edges = vec![area.start, area.end];
        let met = |one: &&Use| one.pages.start < area.end && area.start < one.pages.end;
        let met: SmallVec<[&Use; 4]> = self.uses.iter().filter(met).collect();
        for one in &met {
            edges.extend([one.pages.start, one.pages.end]);
            edges.extend(one.holes.iter().flat_map(|hole| [*hole, hole + page]));
        }
        edges.retain(|edge| area.start <= *edge && *edge <= area.end);
        edges.sort_unstable();
        edges.dedup();
        let runs = edges.windows(2).map(|pair| {
            let open = met.iter().map(|one| one.open_at(pair[0])).max();
            (pair[0]..pair[1], open.unwrap_or(Open::Wide))
        });
        let runs: Vec<_> = runs.collect();
        drop(met);
        for (run, open) in runs {
            self.set(run, open);
        }
    }

    /// Sets the state of pages, and notes the changes.
    fn set(&mut self, area: Range<u64>, open: Open) {
        let first = self.closed.range(..=area.start).next_back();
        let first = first.map_or(area.start, |(start, _)| *start);
        let met: Vec<_> = self
            .closed
            .range(first..area.end)
            .filter(|(_, (end, _))| *end > area.start)
            .map(|(start, (end, open))| (*start, *end, *open))
            .collect();
        let mut at = area.start;
        for &(start, end, was) in &met {
            if start > at {
                self.change(at..start, Open::Wide, open);
            }
            self.change(start.max(at)..end.min(area.end), was, open);
            at = end.min(area.end);
            self.closed.remove(&start);
            for rest in [start..area.start, area.end..end] {
                if rest.start < rest.end {
                    self.closed.insert(rest.start, (rest.end, was));
                }
            }
        }
        if at < area.end {
            self.change(at..area.end, Open::Wide, open);
        }
        if open != Open::Wide {
            self.closed.insert(area.start, (area.end, open));
        }
    }

    fn change(&mut self, area: Range<u64>, was: Open, open: Open) {
        if was == open || area.is_empty() {
            return;
        }
        if let Some(last) = self.changes.last_mut()
            && last.open == open
            && last.pages.start + last.pages.bytes == area.start
        {
            last.pages.bytes += area.end - area.start;
            return;
        }
        self.changes.push(Change {
            pages: Bytes {
                start: area.start,
                bytes: area.end - area.start,
            },
            open,
        });
    }
}

fn step(page: u64) -> usize {
    usize::try_from(page).unwrap_or(usize::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::Open::{NotAtAll, ToReaders, Wide};
    use super::*;

    const PAGE: u64 = 16;
    const PAGES: u64 = 24;

    /// The state of pages, as the one who applies the changes sees it.
    struct Doors {
        gate: Gate,
        pages: Vec<Open>,
    }

    impl Doors {
        fn new(most: usize) -> Self {
            Self {
                gate: Gate::new(GateOptions { page: PAGE, most }),
                pages: (0..PAGES).map(|_| Wide).collect(),
            }
        }

        /// Applies the changes; returns how many there were.
        fn carry_out(&mut self) -> usize {
            let changes = std::mem::take(self.gate.changes());
            for change in &changes {
                let Bytes { start, bytes } = change.pages;
                assert!(start % PAGE == 0 && bytes % PAGE == 0 && bytes > 0);
                let area = start / PAGE..(start + bytes) / PAGE;
                let pages = (0..).zip(&mut self.pages);
                for (_, page) in pages.filter(|(number, _)| area.contains(number)) {
                    assert_ne!(*page, change.open, "nothing is said twice");
                    *page = change.open;
                }
            }
            changes.len()
        }
    }

    fn bytes(start: u64, bytes: u64) -> Bytes {
        Bytes { start, bytes }
    }

    #[test]
    fn the_strongest_use_counts_and_what_remains_stays() {
        let mut doors = Doors::new(100);
        doors.gate.begin(1, bytes(17, 20), false);
        doors.gate.begin(2, bytes(32, 1), true);
        doors.carry_out();
        assert_eq!(doors.pages[..4], [Wide, ToReaders, NotAtAll, Wide]);
        doors.gate.end(|number| number == 2);
        doors.carry_out();
        assert_eq!(doors.pages[..4], [Wide, ToReaders, ToReaders, Wide]);
        doors.gate.begin(3, bytes(17, 1), false);
        assert_eq!(doors.carry_out(), 0, "it is read-only already");
        doors.gate.end(|number| number == 1);
        doors.carry_out();
        assert_eq!(doors.pages[..4], [Wide, ToReaders, Wide, Wide]);
    }

    #[test]
    fn a_page_that_was_passed_is_open_until_the_next_use() {
        let mut doors = Doors::new(100);
        doors.gate.begin(1, bytes(0, 40), true);
        doors.gate.pass(bytes(20, 1), true);
        doors.carry_out();
        assert_eq!(doors.pages[..4], [NotAtAll, Wide, NotAtAll, Wide]);
        doors.gate.begin(2, bytes(16, 1), true);
        doors.carry_out();
        assert_eq!(doors.pages[..3], [NotAtAll; 3]);
        doors.gate.end(|number| number == 2);
        doors.carry_out();
        assert_eq!(doors.pages[..3], [NotAtAll, Wide, NotAtAll]);
    }

    #[test]
    fn one_change_for_neighbours_and_none_beyond_the_bound() {
        let mut doors = Doors::new(2);
        doors.gate.begin(1, bytes(0, 5 * PAGE), true);
        assert_eq!(doors.carry_out(), 1);
        doors.gate.begin(2, bytes(10 * PAGE, 1), true);
        doors.gate.begin(3, bytes(20 * PAGE, 1), true);
        assert_eq!((doors.carry_out(), doors.gate.dropped_facts), (1, 1));
    }

    /// Pseudo-random numbers, the same every time.
    struct Dice(u64);

    impl Dice {
        fn roll(&mut self, sides: u64) -> u64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (self.0 >> 33) % sides
        }
    }

    /// A reference model, page by page.
    #[derive(Default)]
    struct Model {
        /// Number, page, whether it writes.
        uses: Vec<(u64, u64, bool)>,
    }

    impl Model {
        fn open(&self, page: u64) -> Open {
            let here = self.uses.iter().filter(|it| it.1 == page);
            let writes = here.map(|it| it.2).max();
            match writes {
                None => Open::Wide,
                Some(false) => Open::ToReaders,
                Some(true) => Open::NotAtAll,
            }
        }
    }

    #[test]
    fn it_does_what_a_model_does_page_by_page() {
        for seed in 0..300 {
            let mut dice = Dice(seed);
            let mut doors = Doors::new(1000);
            let mut model = Model::default();
            for number in 0..80 {
                let start = dice.roll(PAGES * PAGE - 1);
                let most = (PAGES * PAGE - start).min(6 * PAGE);
                let area = bytes(start, 1 + dice.roll(most));
                let last = area.start + area.bytes - 1;
                let pages = area.start / PAGE..=last / PAGE;
                match dice.roll(5) {
                    0 | 1 => {
                        let writes = dice.roll(2) == 0;
                        doors.gate.begin(number, area, writes);
                        model.uses.extend(pages.map(|page| (number, page, writes)));
                    }
                    2 | 3 => {
                        let gone = dice.roll(number + 1);
                        let ends = |use_number: u64| use_number % 7 == gone % 7;
                        doors.gate.end(ends);
                        model.uses.retain(|it| !ends(it.0));
                    }
                    _ => {
                        let write = dice.roll(2) == 0;
                        doors.gate.pass(area, write);
                        let stays = |it: &(u64, u64, bool)| !(write || it.2);
                        model.uses.retain(|it| stays(it) || !pages.contains(&it.1));
                    }
                }
                doors.carry_out();
                let expected: Vec<_> = (0..PAGES).map(|page| model.open(page)).collect();
                assert_eq!(doors.pages, expected, "seed {seed}, step {number}");
                assert!(
                    doors
                        .gate
                        .closed
                        .values()
                        .all(|(_, open)| *open != Open::Wide)
                );
            }
        }
    }
}
