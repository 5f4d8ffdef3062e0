//! Compares the ground with a simple model: one cell per few granules of the range, which stores the owner of its
//! bytes.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::pages::{PAGE, PageSize, Pages};

/// Pages of the range, and bytes per cell of the model.
const PAGES: u64 = 8;
const UNIT: u64 = 64 << 10;
const CELLS: u64 = PAGES * PAGE / UNIT;
const WINDOWS: u64 = 24 * PAGE;

impl Ground {
    /// Checks all invariants; `asked` are the pages of pending growths.
    fn assert_sound(&self, asked: &[Pages]) {
        let mut voids = BTreeSet::new();
        let mut free = BTreeSet::new();
        let mut lent = BTreeSet::new();
        let mut void_bytes = 0;
        let mut chain = 0;
        let (mut end, mut before) = (0, NONE);
        let mut id = self.first().unwrap_or(NONE);
        while id != NONE {
            let piece = self.piece(id);
            assert_eq!(
                (piece.offset, piece.before),
                (end, before),
                "a chain without gaps"
            );
            assert!(piece.bytes > 0 && piece.bytes.is_multiple_of(GRANULE));
            assert_eq!(piece.window, NONE, "a window is no part of the chain");
            if before != NONE {
                let neighbour = self.piece(before);
                let alike = neighbour.state == piece.state
                    && match piece.state {
                        State::Void => true,
                        State::Free => neighbour.owner == piece.owner,
                        _ => false,
                    };
                assert!(!alike, "{neighbour:?} and {piece:?} should be one");
            }
            let whole_pages = piece.offset.is_multiple_of(PAGE) && piece.bytes.is_multiple_of(PAGE);
            match piece.state {
                State::Void => {
                    assert!(whole_pages, "{piece:?}");
                    voids.insert(id);
                    void_bytes += piece.bytes;
                }
                State::Free => {
                    free.insert(id);
                }
                State::Lent => {
                    lent.insert(id);
                }
                State::Leaving => assert!(whole_pages, "{piece:?}"),
                State::Held | State::Growing => {}
                State::Vacant => panic!("a vacant slot in the chain"),
            }
            chain += 1;
            (end, before, id) = (piece.offset + piece.bytes, id, piece.behind);
        }
        assert_eq!(end, self.home, "the chain covers the range");
        self.assert_filed(&voids, &free);
        let in_windows = self.assert_windows(&lent, asked);
        let mut vacant = 0;
        let mut id = self.vacant;
        while id != NONE {
            assert_eq!(self.piece(id).state, State::Vacant);
            vacant += 1;
            id = self.piece(id).next;
        }
        assert_eq!(
            chain + vacant + in_windows,
            self.pieces.len(),
            "no slot is lost"
        );
        let asked: u64 = asked.iter().map(|pages| pages.bytes).sum();
        assert_eq!(
            self.backed * PAGE,
            self.home - void_bytes - asked,
            "pages that are backed"
        );
    }

    /// Every free piece hangs in the bin of its size and owner, every void one in its list, no other.
    fn assert_filed(&self, voids: &BTreeSet<u32>, free: &BTreeSet<u32>) {
        let list = |head: u32| {
            let mut found = Vec::new();
            let (mut id, mut previous) = (head, NONE);
            while id != NONE {
                assert_eq!(self.piece(id).previous, previous);
                found.push(id);
                (previous, id) = (id, self.piece(id).next);
            }
            found
        };
        let listed = list(self.voids);
        assert_eq!(listed.len(), voids.len());
        assert_eq!(&listed.into_iter().collect::<BTreeSet<_>>(), voids);
        let mut filed_ids = BTreeSet::new();
        for (owner, bins) in self.bins.iter().enumerate() {
            let Some(bins) = bins.as_deref() else {
                continue;
            };
            let mut from = (0, 0);
            while let Some(bin) = bins.at_least(from) {
                assert_ne!(bins.head(bin), NONE, "a bit for an empty bin");
                for id in list(bins.head(bin)) {
                    let piece = self.piece(id);
                    assert_eq!(usize::from(piece.owner), owner);
                    assert_eq!(filed(piece.bytes / GRANULE), bin);
                    assert!(filed_ids.insert(id), "twice in a bin");
                }
                from = after(bin);
            }
        }
        assert_eq!(&filed_ids, free);
    }

    /// Every lent page is lent to one open window, which shows it. Answers how many are open.
    fn assert_windows(&self, lent: &BTreeSet<u32>, asked: &[Pages]) -> usize {
        let mut open = 0;
        let mut lent_somewhere = BTreeSet::new();
        let mut behind = self.home;
        for (number, (offset, shows, lent)) in self.windows.all().enumerate() {
            assert!(offset >= behind, "windows do not overlap");
            behind = offset + shows.len() as u64 * PAGE;
            let blocks = self.pieces.iter().filter(|piece| {
                piece.state != State::Vacant && usize::try_from(piece.window) == Ok(number)
            });
            let blocks: Vec<&Piece> = blocks.collect();
            let shown: BTreeSet<u64> = shows
                .iter()
                .copied()
                .filter(|&page| page != u64::MAX)
                .collect();
            let shown_pages = shows.iter().filter(|&&page| page != u64::MAX).count();
            assert_eq!(shown.len(), shown_pages, "a page is shown once in a window");
            let Some(lent) = lent else {
                assert!(blocks.is_empty(), "a closed window has no block");
                for page in shown {
                    let void = self.pieces.iter().any(|piece| {
                        piece.state == State::Void
                            && (piece.offset..piece.offset + piece.bytes).contains(&(page * PAGE))
                    });
                    assert!(!void, "window {number} shows page {page}, which is void");
                    let asked = asked
                        .iter()
                        .any(|pages| pages.each().any(|one| one == PageSize::SMALLEST.one(page)));
                    assert!(
                        !asked,
                        "window {number} shows page {page} before it is there"
                    );
                }
                continue;
            };
            open += 1;
            assert_eq!(blocks.len(), 1, "an open window is one block");
            let pages = pages_of(blocks[0].offset, blocks[0].bytes);
            assert_eq!(pages, (offset..behind).step_by(2 << 20).collect::<Vec<_>>());
            assert_eq!(
                shown_pages,
                shows.len(),
                "an open window shows pages everywhere"
            );
            let mut pages = BTreeSet::new();
            for &id in lent {
                assert!(lent_somewhere.insert(id), "lent twice");
                let piece = self.piece(id);
                pages.extend(piece.offset / PAGE..(piece.offset + piece.bytes).div_ceil(PAGE));
            }
            assert_eq!(shown, pages, "what is lent to a window is what it shows");
        }
        assert!(behind <= self.home + WINDOWS);
        assert_eq!(&lent_somewhere, lent);
        open
    }
}

/// In whose hands the bytes of a cell are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cell {
    Void,
    /// The owner's at once, and others' after a position that is not less than this.
    Free(Owner, u64),
    /// A block's, by its number.
    Held(usize),
    /// The rest of a page that a growth is to back, by the number of its block.
    Asked(usize),
    Leaving,
}

#[derive(Debug)]
struct Block {
    id: u32,
    owner: Owner,
    /// Where its bytes are at home: several ranges for a window.
    places: Vec<(u64, u64)>,
    /// What has to be settled before it may be put.
    growth: Option<Growth>,
}

/// What a [`View`] is made of.
#[derive(Debug, Clone, Copy)]
struct Viewer {
    owner: Owner,
    now: u64,
    known: [u64; 4],
    passed: [u64; 4],
}

impl Viewer {
    fn view<R>(self, act: impl FnOnce(View<'_>) -> R) -> R {
        act(View {
            owner: self.owner,
            now: self.now,
            known: &of(self.known),
            passed: &of(self.passed),
        })
    }

    fn may_have(self, cell: Cell) -> bool {
        matches!(cell, Cell::Free(other, since) if other == self.owner || since <= of(self.known)(other))
    }

    /// After which position of the viewer's stream others may have a cell, at the earliest.
    fn wait(self, cell: Cell) -> u64 {
        match cell {
            Cell::Free(other, since) if other == self.owner => since,
            Cell::Free(other, since) if since > of(self.passed)(other) => self.now,
            _ => 0,
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Take {
        owner: Owner,
        units: u64,
        align: u64,
    },
    TakeFromOthers {
        owner: Owner,
        units: u64,
        align: u64,
        known: [u64; 4],
    },
    TakeAt {
        owner: Owner,
        at: u64,
        units: u64,
        known: [u64; 4],
    },
    TakeRun {
        of: Viewer,
        units: u64,
        align: u64,
    },
    Grow {
        of: Viewer,
        units: u64,
        align: u64,
        soft: u64,
    },
    Finish {
        nth: usize,
        failed: Option<u8>,
        now: u64,
    },
    Put {
        nth: usize,
        owner: Owner,
        since: u64,
    },
    BeginReturn {
        limit: u64,
        passed: [u64; 4],
        keep: u8,
    },
    EndReturn {
        nth: usize,
        returned: bool,
    },
    HandOver {
        owner: Owner,
        to: Owner,
    },
    EndPeriod,
}

fn step() -> impl Strategy<Value = Step> {
    let owner = || 0_u16..4;
    let units = || prop_oneof![3 => 1_u64..12, 2 => 1_u64..80, 1 => 1_u64..=CELLS, 1 => (1_u64..4).prop_map(|n| n * PAGE / UNIT)];
    let align =
        || prop_oneof![4 => Just(GRANULE), 1 => Just(UNIT), 1 => Just(1 << 20), 1 => Just(PAGE)];
    let position = || 0_u64..20;
    let clock = || [position(), position(), position(), position()];
    let viewer = || {
        let parts = (owner(), position(), clock(), clock());
        parts.prop_map(|(owner, now, known, passed)| Viewer {
            owner,
            now,
            known,
            passed,
        })
    };
    prop_oneof![
        4 => (owner(), units(), align()).prop_map(|(owner, units, align)| Step::Take { owner, units, align }),
        2 => (owner(), units(), align(), clock())
            .prop_map(|(owner, units, align, known)| Step::TakeFromOthers { owner, units, align, known }),
        2 => (owner(), 0..CELLS, units(), clock())
            .prop_map(|(owner, at, units, known)| Step::TakeAt { owner, at, units, known }),
        3 => (viewer(), units(), align())
            .prop_map(|(of, units, align)| Step::TakeRun { of, units, align }),
        6 => (viewer(), units(), align(), 0..PAGES * 2)
            .prop_map(|(of, units, align, soft)| Step::Grow { of, units, align, soft: soft * PAGE }),
        5 => (any::<usize>(), prop_oneof![4 => Just(None), 1 => any::<u8>().prop_map(Some), 1 => Just(Some(0)), 1 => Just(Some(0xff))], position())
            .prop_map(|(nth, failed, now)| Step::Finish { nth, failed, now }),
        8 => (any::<usize>(), owner(), position())
            .prop_map(|(nth, owner, since)| Step::Put { nth, owner, since }),
        1 => (0..=PAGES, clock(), any::<u8>())
            .prop_map(|(limit, passed, keep)| Step::BeginReturn { limit: limit * PAGE, passed, keep }),
        2 => (any::<usize>(), any::<bool>())
            .prop_map(|(nth, returned)| Step::EndReturn { nth, returned }),
        1 => (owner(), owner()).prop_map(|(owner, to)| Step::HandOver { owner, to }),
        1 => Just(Step::EndPeriod),
    ]
}

struct Model {
    ground: Ground,
    cells: Vec<Cell>,
    blocks: BTreeMap<usize, Block>,
    leaving: Vec<Leaving>,
    /// What each page of the windows' range shows, and whose work may use its address up to when.
    mapped: BTreeMap<u64, u64>,
    used: BTreeMap<u64, (Owner, u64)>,
    next: usize,
}

/// Where the pages start that a range touches.
fn pages_of(offset: u64, bytes: u64) -> Vec<u64> {
    let pages = offset / PAGE..(offset + bytes).div_ceil(PAGE);
    pages.map(|page| page * PAGE).collect()
}

fn of(clock: [u64; 4]) -> impl Fn(Owner) -> u64 {
    move |owner| clock[usize::from(owner)]
}

impl Model {
    fn new(windows: u64) -> Self {
        Self {
            ground: Ground::new(PAGES * PAGE, windows, PageSize::SMALLEST),
            cells: vec![Cell::Void; usize::try_from(CELLS).unwrap()],
            blocks: BTreeMap::new(),
            leaving: Vec::new(),
            mapped: BTreeMap::new(),
            used: BTreeMap::new(),
            next: 0,
        }
    }

    fn cells(&mut self, offset: u64, bytes: u64) -> &mut [Cell] {
        assert!(offset.is_multiple_of(UNIT) && bytes.is_multiple_of(UNIT));
        let at = |offset: u64| usize::try_from(offset / UNIT).unwrap();
        &mut self.cells[at(offset)..at(offset + bytes)]
    }

    /// A block was handed out: its bytes must have been such as `may` allows.
    fn hand_out(
        &mut self,
        id: u32,
        owner: Owner,
        growth: Option<Growth>,
        may: impl Fn(Cell) -> bool,
    ) {
        let waits = |cell: Cell, from: Owner| match cell {
            Cell::Free(owner, since) if owner == from => since,
            Cell::Free(..) => panic!("from one owner"),
            _ => 0,
        };
        self.hand_out_with(id, owner, growth, may, waits);
    }

    /// The same, for a block of which parts may have been others'.
    fn hand_out_to(&mut self, of: Viewer, id: u32, growth: Option<Growth>) {
        assert_eq!(self.ground.piece(id).owner, of.owner);
        let waits = |cell: Cell, _| of.wait(cell);
        self.hand_out_with(id, of.owner, growth, |cell| of.may_have(cell), waits);
    }

    fn hand_out_with(
        &mut self,
        id: u32,
        owner: Owner,
        growth: Option<Growth>,
        may: impl Fn(Cell) -> bool,
        waits: impl Fn(Cell, Owner) -> u64,
    ) {
        let number = self.next;
        self.next += 1;
        let (offset, bytes) = (self.ground.piece(id).offset, self.ground.piece(id).bytes);
        assert_eq!(self.ground.piece(id).state, State::Held);
        let mut places = Vec::new();
        for mapping in growth.iter().flat_map(|growth| &growth.map) {
            assert!(pages_of(offset, bytes).contains(&mapping.at));
            assert!(mapping.page.is_multiple_of(PAGE) && mapping.at.is_multiple_of(PAGE));
            self.mapped.insert(mapping.at, mapping.page);
        }
        if offset < self.ground.home {
            places.push((offset, bytes));
        } else {
            for at in pages_of(offset, bytes) {
                let (from, to) = (offset.max(at), (offset + bytes).min(at + PAGE));
                places.push((self.mapped[&at] + from - at, to - from));
            }
        }
        for pages in growth.iter().flat_map(|growth| &growth.commit) {
            for cell in self.cells(pages.offset, pages.bytes) {
                assert_eq!(*cell, Cell::Void, "only void pages are asked for");
                *cell = Cell::Asked(number);
            }
        }
        let (from, since) = (self.ground.piece(id).owner, self.ground.piece(id).since);
        for &(offset, bytes) in &places {
            for cell in self.cells(offset, bytes) {
                assert!(*cell == Cell::Asked(number) || may(*cell), "{cell:?}");
                assert!(
                    waits(*cell, from) <= since,
                    "a block knows what its bytes wait for: {cell:?}, {from} {since}"
                );
                *cell = Cell::Held(number);
            }
        }
        self.blocks.insert(
            number,
            Block {
                id,
                owner,
                places,
                growth,
            },
        );
    }

    /// The shortest run of cells that a block can be cut from: where it starts and ends.
    fn least_run(&self, of: Viewer, bytes: u64, align: u64) -> Option<(u64, u64)> {
        let view = |at: u64| {
            // What the ground says of a cell, whose `since` may be later than the model's.
            let piece = self
                .ground
                .free_pieces()
                .find(|piece| (piece.offset..piece.offset + piece.bytes).contains(&(at * UNIT)));
            piece.is_some_and(|piece| of.may_have(Cell::Free(piece.owner, piece.since)))
        };
        let (mut runs, mut start) = (Vec::new(), None);
        for at in 0..=CELLS {
            if at < CELLS && view(at) {
                start = start.or(Some(at * UNIT));
            } else if let Some(start) = start.take() {
                runs.push((start, at * UNIT));
            }
        }
        let fits = |&(start, end): &(u64, u64)| start.next_multiple_of(align) + bytes <= end;
        runs.into_iter()
            .filter(fits)
            .min_by_key(|&(start, end)| (end - start, start))
    }

    fn free_pieces(&self, owner: Owner) -> Vec<(u64, u64)> {
        let pieces = self
            .ground
            .free_pieces()
            .filter(|piece| piece.owner == owner);
        pieces.map(|piece| (piece.bytes, piece.offset)).collect()
    }

    fn run(&mut self, step: Step) {
        match step {
            Step::Take {
                owner,
                units,
                align,
            } => {
                let free = self.free_pieces(owner);
                let bytes = units * UNIT;
                let taken = self.ground.take(owner, bytes, align);
                let fits = |&&(long, offset): &&(u64, u64)| {
                    offset.next_multiple_of(align) + bytes <= offset + long
                };
                let best = free.iter().filter(fits).min();
                assert!(free.len() <= LOOKS);
                assert_eq!(
                    taken.map(|id| self.ground.piece(id).offset),
                    best.map(|(_, offset)| offset.next_multiple_of(align)),
                    "the smallest that fits, and of those the lowest"
                );
                if let Some(id) = taken {
                    self.hand_out(
                        id,
                        owner,
                        None,
                        |cell| matches!(cell, Cell::Free(of, _) if of == owner),
                    );
                }
            }
            Step::TakeFromOthers {
                owner,
                units,
                align,
                known,
            } => {
                let known = of(known);
                if let Some(id) = self
                    .ground
                    .take_from_others(owner, units * UNIT, align, &known)
                {
                    assert_eq!(self.ground.piece(id).bytes, units * UNIT);
                    assert_eq!(self.ground.piece(id).offset % align, 0);
                    self.hand_out(id, owner, None, |cell| {
                        matches!(cell, Cell::Free(other, since) if other != owner && since <= known(other))
                    });
                }
            }
            Step::TakeAt {
                owner,
                at,
                units,
                known,
            } => self.take_at(owner, at * UNIT, units * UNIT, known),
            Step::TakeRun { of, units, align } => {
                let bytes = units * UNIT;
                let least = self.least_run(of, bytes, align);
                let taken = of.view(|view| self.ground.take_run(view, bytes, align));
                assert_eq!(taken.is_some(), least.is_some(), "{bytes} bytes, {of:?}");
                if let Some(id) = taken {
                    assert_eq!(self.ground.piece(id).bytes, bytes);
                    assert_eq!(self.ground.piece(id).offset % align, 0);
                    let (start, end) = least.unwrap();
                    let offset = self.ground.piece(id).offset;
                    assert!(start <= offset && offset + bytes <= end, "not the least");
                    self.hand_out_to(of, id, None);
                }
            }
            Step::Grow {
                of,
                units,
                align,
                soft,
            } => {
                let passed = self::of(of.passed);
                let bytes = units * UNIT;
                let growth = of.view(|view| self.ground.grow(view, bytes, align, soft));
                if let Some(growth) = growth {
                    for mapping in &growth.map {
                        let used = self.used.get(&mapping.at);
                        let over = used.is_none_or(|&(user, last)| last <= passed(user));
                        assert!(over, "{mapping:?} while {used:?} may use it");
                    }
                    let id = growth.block;
                    assert!(self.ground.piece(id).bytes >= bytes);
                    assert_eq!(self.ground.piece(id).offset % align, 0);
                    self.hand_out_to(of, id, Some(growth));
                }
            }
            Step::Finish { nth, failed, now } => {
                let waiting = self
                    .blocks
                    .iter()
                    .filter(|(_, block)| block.growth.is_some());
                let waiting: Vec<usize> = waiting.map(|(&number, _)| number).collect();
                if let Some(at) = nth.checked_rem(waiting.len()) {
                    self.finish(waiting[at], failed, now);
                }
            }
            Step::Put { nth, owner, since } => {
                let ready = self
                    .blocks
                    .iter()
                    .filter(|(_, block)| block.growth.is_none());
                let ready: Vec<usize> = ready.map(|(&number, _)| number).collect();
                if let Some(at) = nth.checked_rem(ready.len()) {
                    let block = self.blocks.remove(&ready[at]).unwrap();
                    self.note_window(block.id, owner, since);
                    for (offset, bytes) in block.places {
                        self.cells(offset, bytes).fill(Cell::Free(owner, since));
                    }
                    self.ground.put(block.id, owner, since);
                }
            }
            Step::BeginReturn {
                limit,
                passed,
                keep,
            } => {
                let passed = of(passed);
                let kept = |page: u64| keep >> (page / PAGE) & 1 == 1;
                let may = |piece: &Piece| piece.since <= passed(piece.owner);
                let idle = self.ground.idle_bytes(may);
                let leaving = self
                    .ground
                    .begin_return(limit, may, |page| kept(page.offset));
                let bytes: u64 = leaving.iter().map(|leaving| leaving.pages.bytes).sum();
                assert!(bytes <= limit.min(idle));
                if keep == 0 {
                    assert_eq!(bytes, limit.min(idle), "all that may go goes");
                }
                for leaving in &leaving {
                    assert!(leaving.pages.each().all(|page| !kept(page.offset)));
                    for cell in self.cells(leaving.pages.offset, leaving.pages.bytes) {
                        let may =
                            matches!(*cell, Cell::Free(owner, since) if since <= passed(owner));
                        assert!(may, "{cell:?} leaves");
                        *cell = Cell::Leaving;
                    }
                }
                self.leaving.extend(leaving);
            }
            Step::EndReturn { nth, returned } => {
                if let Some(at) = nth.checked_rem(self.leaving.len()) {
                    let leaving = self.leaving.swap_remove(at);
                    self.end_return(&leaving, returned);
                }
            }
            Step::HandOver { owner, to } => {
                for cell in &mut self.cells {
                    if matches!(cell, Cell::Free(of, _) if *of == owner) {
                        *cell = Cell::Free(to, 0);
                    }
                }
                self.used.retain(|_, (user, _)| *user != owner);
                self.ground.hand_over(owner, to);
            }
            Step::EndPeriod => {
                self.ground.end_period();
            }
        }
    }

    fn take_at(&mut self, owner: Owner, start: u64, bytes: u64, known: [u64; 4]) {
        let known = of(known);
        let before = self.blocks.values().filter(|block| {
            let piece = self.ground.piece(block.id);
            piece.window == NONE && piece.offset < start
        });
        let before = before.max_by_key(|block| self.ground.piece(block.id).offset);
        let before = before.map(|block| block.id);
        let fits = self.ground.free_pieces().any(|piece| {
            piece.offset <= start
                && start + bytes <= piece.offset + piece.bytes
                && (piece.owner == owner || piece.since <= known(piece.owner))
        });
        let taken = self.ground.take_at(owner, start, bytes, before, &known);
        assert_eq!(taken.is_some(), fits, "{bytes} bytes at {start}");
        if let Some(id) = taken {
            assert_eq!(self.ground.piece(id).offset, start);
            assert_eq!(self.ground.piece(id).bytes, bytes);
            self.hand_out(id, owner, None, |cell| {
                matches!(cell, Cell::Free(other, since) if other == owner || since <= known(other))
            });
        }
    }

    /// The addresses of a block that is a window are used up to `since`.
    fn note_window(&mut self, id: u32, owner: Owner, since: u64) {
        let (offset, bytes) = (self.ground.piece(id).offset, self.ground.piece(id).bytes);
        if offset >= self.ground.home {
            for at in pages_of(offset, bytes) {
                self.used.insert(at, (owner, since));
            }
        }
    }

    /// Settles a growth. With `failed` the block cannot be had: bit `n` says that the device refused
    /// the page `n` of it, modulo 8.
    fn finish(&mut self, number: usize, failed: Option<u8>, now: u64) {
        let block = self.blocks.get_mut(&number).unwrap();
        let growth = block.growth.take().unwrap();
        let (id, owner) = (block.id, block.owner);
        let pages = growth.commit.iter().flat_map(|pages| pages.each());
        let (mut refused, mut came) = (Vec::new(), Vec::new());
        for (at, page) in pages.enumerate() {
            if failed.unwrap_or(0) >> (at % 8) & 1 == 1 {
                refused.push(page);
            } else {
                came.push(page);
            }
        }
        if failed.is_none() {
            self.ground.finish(growth);
        } else {
            self.note_window(id, owner, now);
            // Nothing is known of what an address shows that could not be mapped.
            let (offset, bytes) = (self.ground.piece(id).offset, self.ground.piece(id).bytes);
            let pages = pages_of(offset, bytes);
            self.mapped.retain(|at, _| !pages.contains(at));
            self.ground.abandon(growth, &refused, now);
            let places = self.blocks.remove(&number).unwrap().places;
            for (offset, bytes) in places {
                self.cells(offset, bytes).fill(Cell::Free(owner, now));
            }
            for page in refused {
                self.cells(page.offset, page.bytes).fill(Cell::Void);
            }
        }
        for page in came {
            for cell in self.cells(page.offset, page.bytes) {
                if *cell == Cell::Asked(number) {
                    *cell = Cell::Free(owner, 0);
                }
            }
        }
    }

    fn end_return(&mut self, leaving: &Leaving, returned: bool) {
        let (offset, bytes) = (leaving.pages.offset, leaving.pages.bytes);
        let (owner, since) = {
            let piece = self.ground.piece(leaving.piece);
            (piece.owner, piece.since)
        };
        self.ground.end_return(leaving, returned);
        let cell = if returned {
            Cell::Void
        } else {
            Cell::Free(owner, since)
        };
        self.cells(offset, bytes).fill(cell);
        if returned {
            self.mapped
                .retain(|_, page| !(offset..offset + bytes).contains(page));
        }
    }

    /// The ground is sound and says of every byte what the model says.
    fn compare(&mut self) {
        let waiting = self
            .blocks
            .values()
            .filter_map(|block| block.growth.as_ref());
        let asked: Vec<Pages> = waiting.flat_map(|growth| growth.commit.clone()).collect();
        self.ground.assert_sound(&asked);
        let mut id = self.ground.first().unwrap();
        while id != NONE {
            let piece = self.ground.piece(id);
            let (state, owner, since, behind) =
                (piece.state, piece.owner, piece.since, piece.behind);
            let (offset, bytes) = (piece.offset, piece.bytes);
            for cell in self.cells(offset, bytes) {
                let agrees = match (state, *cell) {
                    (State::Free, Cell::Free(of, at)) => of == owner && at <= since,
                    (State::Void, Cell::Void)
                    | (State::Leaving, Cell::Leaving)
                    | (State::Held | State::Lent, Cell::Held(_))
                    | (State::Growing, Cell::Asked(_)) => true,
                    _ => false,
                };
                assert!(
                    agrees,
                    "{state:?} of {owner} since {since} at {offset}, not {cell:?}"
                );
            }
            id = behind;
        }
    }

    /// Gives everything back: it must all be one piece again.
    fn give_all_back(mut self) {
        let waiting = self
            .blocks
            .iter()
            .filter(|(_, block)| block.growth.is_some());
        for number in waiting.map(|(&number, _)| number).collect::<Vec<_>>() {
            self.finish(number, None, 0);
        }
        for leaving in std::mem::take(&mut self.leaving) {
            self.end_return(&leaving, false);
        }
        while !self.blocks.is_empty() {
            self.run(Step::Put {
                nth: 0,
                owner: 0,
                since: 3,
            });
        }
        for owner in 1..4 {
            self.run(Step::HandOver { owner, to: 0 });
        }
        self.compare();
        let void: u64 = self
            .cells
            .iter()
            .filter(|cell| **cell == Cell::Void)
            .count() as u64;
        let free: u64 = self.ground.free_pieces().map(|piece| piece.bytes).sum();
        assert_eq!(free + void * UNIT, PAGES * PAGE, "no byte is lost");
        let leaving = self.ground.begin_return(u64::MAX, |_| true, |_| false);
        for leaving in leaving {
            self.ground.end_return(&leaving, true);
        }
        self.ground.assert_sound(&[]);
        assert_eq!(
            (
                self.ground.backed_bytes(),
                self.ground.free_pieces().count()
            ),
            (0, 0)
        );
        assert_eq!(
            self.ground.piece(self.ground.voids).bytes,
            PAGES * PAGE,
            "one void piece"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 150,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_byte_is_in_one_hand(
        windows in prop_oneof![Just(0), Just(WINDOWS), Just(5 * PAGE)],
        steps in prop::collection::vec(step(), 1..150),
    ) {
        let mut model = Model::new(windows);
        for step in steps {
            model.run(step);
            model.compare();
        }
        model.give_all_back();
    }
}
