//! The address range of a pool, cut into pieces: what is free, whose it is, and which pages back it.
//!
//! The pieces form a chain in address order without gaps. A piece is *held* (by a shard: live, kept or
//! pending there), *free* (backed by pages, in the bin of its size), *void* (whole pages that the
//! device does not back), *lent* (pages, or parts of them, that a window shows elsewhere), *growing* (the rest of a
//! page that the device is being asked for) or *leaving* (pages on their way back to the device).
//!
//! A free piece belongs to an *owner*, the shard that gave it back, and says *since* which position
//! of the owner's stream nobody else may still be using it: a later stream that knows the owner to be
//! past that position may take it, the owner itself may at once. Neighbours merge when they have
//! the same owner; `since` is then the later one. A held piece says the same of the bytes it was cut
//! from: if it is given back unused, that still holds.
//!
//! **Windows.** A large request that no free piece can serve, in a pool that already holds as much as
//! its peak needs, borrows whole idle pages from wherever they lie: they appear one behind the other
//! in a window, a range of addresses of its own. When the block is freed the pages go home. So the
//! chain looks after a step of a program as it looked before it, and the next step finds the
//! same pages idle and the same window still showing them: nothing has to be mapped again. Only
//! devices that can map a page at two addresses can have windows.
//!
//! What must always hold:
//! - the chain covers the range exactly; no two neighbours are free with one owner, nor both void;
//! - a piece hangs in a bin of its owner if and only if it is free; void pieces hang in one list;
//! - void and leaving pieces begin and end at page borders;
//! - `backed` counts the pages of all pieces that are neither void nor growing.

use crate::bins::{Bins, after, filed, search};
use crate::pages::{PAGE, PageSet, Pages};
use crate::window::{Mapping, Windows};
use crate::{GRANULE, NONE};

/// The shard that a piece belongs to.
pub(crate) type Owner = u16;

/// How many free pieces a search looks at before it settles for one that is surely large enough.
const LOOKS: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Free,
    Held,
    Void,
    Lent,
    Growing,
    Leaving,
    /// The slot describes no piece.
    Vacant,
}

#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
    pub(crate) state: State,
    pub(crate) owner: Owner,
    pub(crate) since: u64,
    /// Neighbours in address order.
    before: u32,
    behind: u32,
    /// Neighbours in the bin or list, or the next vacant slot.
    previous: u32,
    next: u32,
    /// The window that the piece is, instead of a part of the chain.
    window: u32,
}

/// What one stream may have of what is free.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    /// Its shard.
    pub(crate) owner: Owner,
    /// Its position.
    pub(crate) now: u64,
    /// Up to which position it knows the work of an owner to have passed.
    pub(crate) known: &'a dyn Fn(Owner) -> u64,
    /// Up to which position that has passed for everybody.
    pub(crate) passed: &'a dyn Fn(Owner) -> u64,
}

impl View<'_> {
    fn may_have(&self, piece: &Piece) -> bool {
        piece.state == State::Free
            && (piece.owner == self.owner || piece.since <= (self.known)(piece.owner))
    }

    /// After which position of its own stream others may have what it takes from a piece.
    pub(crate) fn since(&self, piece: &Piece) -> u64 {
        if piece.owner == self.owner {
            piece.since
        } else if piece.since <= (self.passed)(piece.owner) {
            0
        } else {
            self.now
        }
    }
}

/// What the device has to do before a block can be handed out.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Growth {
    /// Pages to be backed.
    pub commit: Vec<Pages>,
    /// Pages to be shown at a second address, for devices that can.
    pub map: Vec<Mapping>,
    /// The block that waits for it.
    pub(crate) block: u32,
    /// The most that was charged before this block, and with it.
    pub(crate) peaks: (u64, u64),
    owner: Owner,
    /// Rests of pages that become free once they are backed.
    rests: Vec<u32>,
}

/// Pages on their way back to the device: see [`crate::Pool::begin_return`].
#[derive(Debug)]
pub struct Leaving {
    /// The pages.
    pub pages: Pages,
    piece: u32,
}

#[derive(Debug)]
pub(crate) struct Ground {
    pieces: Vec<Piece>,
    vacant: u32,
    bins: Vec<Option<Box<Bins>>>,
    voids: u32,
    windows: Windows,
    /// Bytes of the chain; windows lie behind it.
    home: u64,
    /// Pages that the device backs.
    backed: u64,
    /// Pages that were given a second address.
    moved: u64,
    /// Pages that pieces were merged into since [`Ground::end_period`]. What was cut from one is noted
    /// when it comes back: until then the page is not idle.
    used: PageSet,
}

impl Ground {
    pub(crate) fn new(home: u64, windows: u64) -> Self {
        let mut ground = Self {
            pieces: Vec::new(),
            vacant: NONE,
            bins: Vec::new(),
            voids: NONE,
            windows: Windows::new(home, windows),
            home,
            backed: 0,
            moved: 0,
            used: PageSet::default(),
        };
        if home > 0 {
            let whole = ground.slot(0, home);
            ground.make_void(whole);
        }
        ground
    }

    pub(crate) fn piece(&self, id: u32) -> &Piece {
        &self.pieces[id as usize]
    }

    fn piece_mut(&mut self, id: u32) -> &mut Piece {
        &mut self.pieces[id as usize]
    }

    /// How many pieces there were at most at one time.
    pub(crate) fn pieces(&self) -> usize {
        self.pieces.len()
    }

    pub(crate) fn backed(&self) -> u64 {
        self.backed
    }

    pub(crate) fn moved(&self) -> u64 {
        self.moved
    }

    /// Cuts a piece from what `owner` has free.
    pub(crate) fn take(&mut self, owner: Owner, bytes: u64, align: u64) -> Option<u32> {
        let id = self.best(owner, bytes, align, u64::MAX)?;
        Some(self.cut(id, bytes, align))
    }

    /// Cuts a piece from what another owner has free and `known` says to be past.
    pub(crate) fn take_from_others(
        &mut self,
        owner: Owner,
        bytes: u64,
        align: u64,
        known: &dyn Fn(Owner) -> u64,
    ) -> Option<u32> {
        let best = (0..self.bins.len())
            .filter_map(|other| Owner::try_from(other).ok())
            .filter(|&other| other != owner && self.bins[usize::from(other)].is_some())
            .filter_map(|other| self.best(other, bytes, align, known(other)))
            .min_by_key(|&id| (self.piece(id).bytes, self.piece(id).offset))?;
        Some(self.cut(best, bytes, align))
    }

    /// Cuts a block from free pieces of several owners that lie side by side: from the smallest such
    /// run, and in it where most is the stream's own. Nothing but the block changes its owner.
    pub(crate) fn take_run(&mut self, view: View<'_>, bytes: u64, align: u64) -> Option<u32> {
        let mut best: Option<(u64, u32)> = None;
        self.each_run(
            |piece| view.may_have(piece),
            |first, start, end| {
                let fits = aligned(start, align) + bytes <= end;
                if fits && best.is_none_or(|(least, _)| end - start < least) {
                    best = Some((end - start, first));
                }
            },
        );
        let (_, first) = best?;
        let mut place = None;
        let in_run = |id: u32| id != NONE && view.may_have(self.piece(id));
        self.place_in_run(view.owner, first, bytes, align, &in_run, &mut place);
        Some(self.occupy(view, place?, bytes).block)
    }

    /// Tells of every run of neighbours for which `may` holds, in the order of addresses: its first
    /// piece, where it starts and where it ends.
    fn each_run(&self, may: impl Fn(&Piece) -> bool, mut tell: impl FnMut(u32, u64, u64)) {
        let mut run: Option<(u32, u64, u64)> = None;
        let mut id = self.first().unwrap_or(NONE);
        while id != NONE {
            let piece = self.piece(id);
            if may(piece) {
                let (first, start, _) = run.unwrap_or((id, piece.offset, 0));
                run = Some((first, start, piece.offset + piece.bytes));
            } else if let Some((first, start, end)) = run.take() {
                tell(first, start, end);
            }
            id = piece.behind;
        }
        if let Some((first, start, end)) = run {
            tell(first, start, end);
        }
    }

    /// Takes back a piece that was held; `owner` may have it at once, others after `since`.
    pub(crate) fn put(&mut self, id: u32, owner: Owner, since: u64) {
        let window = self.piece(id).window;
        if window != NONE {
            for lent in self.windows.close(window, owner, since) {
                self.make_free(lent, owner, since);
            }
            self.give_slot(id);
            return;
        }
        self.make_free(id, owner, since);
    }

    /// A free piece of `owner` that a block can be cut from: the smallest that a bounded look finds.
    fn best(&self, owner: Owner, bytes: u64, align: u64, since: u64) -> Option<u32> {
        let bins = self.bins.get(usize::from(owner))?.as_deref()?;
        let fits = |id: u32| {
            let piece = self.piece(id);
            let start = aligned(piece.offset, align);
            start + bytes <= piece.offset + piece.bytes && piece.since <= since
        };
        let mut bin = filed(bytes / GRANULE);
        let mut budget = LOOKS;
        while let Some(found) = bins.at_least(bin) {
            let mut best: Option<u32> = None;
            let mut id = bins.head(found);
            while id != NONE && budget > 0 {
                let piece = self.piece(id);
                let key = (piece.bytes, piece.offset);
                if best.is_none_or(|best| (self.piece(best).bytes, self.piece(best).offset) > key)
                    && fits(id)
                {
                    best = Some(id);
                }
                id = piece.next;
                budget -= 1;
            }
            if best.is_some() {
                return best;
            }
            if budget == 0 {
                break;
            }
            bin = after(found);
        }
        // Whatever is this large has room to move the start forward to the alignment.
        let surely = bytes.checked_add(align - GRANULE)?;
        let id = bins.head(bins.at_least(search(surely / GRANULE))?);
        fits(id).then_some(id)
    }

    /// Cuts a block from a free piece that has room for it.
    fn cut(&mut self, mut id: u32, bytes: u64, align: u64) -> u32 {
        self.unlink(id);
        let offset = self.piece(id).offset;
        let start = aligned(offset, align);
        self.cut_at(&mut id, start, bytes);
        self.piece_mut(id).state = State::Held;
        id
    }

    /// Narrows an unlinked free piece to `bytes` bytes at `start`; what is left of it is free again.
    fn cut_at(&mut self, id: &mut u32, start: u64, bytes: u64) {
        if self.piece(*id).offset < start {
            let front = *id;
            *id = self.split(front, start - self.piece(front).offset);
            self.link(front);
        }
        if self.piece(*id).bytes > bytes {
            let rest = self.split(*id, bytes);
            self.link(rest);
        }
    }

    /// Cuts a block at `start` itself, if that lies in what `owner` may have.
    pub(crate) fn take_at(
        &mut self,
        owner: Owner,
        start: u64,
        bytes: u64,
        held_before: Option<u32>,
        known: &dyn Fn(Owner) -> u64,
    ) -> Option<u32> {
        let end = start.checked_add(bytes).filter(|&end| end <= self.home)?;
        // The free piece follows the held one before it; void and other pieces may lie between.
        let mut id = match held_before {
            Some(id) => self.piece(id).behind,
            None => self.first()?,
        };
        while id != NONE && self.piece(id).offset + self.piece(id).bytes <= start {
            id = self.piece(id).behind;
        }
        if id == NONE {
            return None;
        }
        let piece = self.piece(id);
        let may = piece.owner == owner || piece.since <= known(piece.owner);
        if piece.state != State::Free || piece.offset > start || !may {
            return None;
        }
        if end > piece.offset + piece.bytes {
            return None;
        }
        self.unlink(id);
        self.cut_at(&mut id, start, bytes);
        self.piece_mut(id).state = State::Held;
        Some(id)
    }

    fn first(&self) -> Option<u32> {
        // The first slot always describes the beginning of the chain: what is cut off in front stays in it.
        (!self.pieces.is_empty()).then_some(0)
    }

    /// Finds a place for a block that needs pages which the device does not back yet.
    ///
    /// If that would take the pool beyond `soft` bytes and windows can be had, the block borrows
    /// idle pages first, and only what is missing then is new.
    pub(crate) fn grow(
        &mut self,
        view: View<'_>,
        bytes: u64,
        align: u64,
        soft: u64,
    ) -> Option<Growth> {
        let place = self.place(view, bytes, align);
        let beyond = place.is_none_or(|place| (self.backed + place.missing) * PAGE > soft);
        if beyond
            && bytes >= PAGE
            && align <= PAGE
            && let Some(growth) = self.borrow_pages(view, bytes, align, soft)
        {
            return Some(growth);
        }
        Some(self.occupy(view, place?, bytes))
    }

    /// Where growing costs the fewest new pages: in a run of void pieces and free ones that may be had.
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
            // Each run is looked at once, from its first void piece.
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
        // From the beginning of each piece on, and up to the end of each.
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

    /// Void pages that a block from `start` to `end` touches, and bytes of others that it takes.
    fn cost(&self, owner: Owner, mut id: u32, start: u64, end: u64) -> (u64, u64) {
        let (mut pages, mut foreign) = (0, 0);
        while id != NONE && self.piece(id).offset < end {
            let piece = self.piece(id);
            let behind = piece.offset + piece.bytes;
            if behind > start {
                let (from, to) = (piece.offset.max(start), behind.min(end));
                if piece.state == State::Void {
                    pages += to.div_ceil(PAGE) - from / PAGE;
                } else if piece.owner != owner {
                    foreign += to - from;
                }
            }
            id = piece.behind;
        }
        (pages, foreign)
    }

    /// Turns a place into a held block; void pages under it are to be backed.
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
                (start / PAGE * PAGE, end.next_multiple_of(PAGE))
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

    /// Narrows an unlinked piece to what lies between `from` and `to`; the rests are as before.
    fn narrow(&mut self, id: &mut u32, from: u64, to: u64) {
        if self.piece(*id).offset < from {
            let front = *id;
            *id = self.split(front, from - self.piece(front).offset);
            self.link(front);
        }
        if self.piece(*id).offset + self.piece(*id).bytes > to {
            let rest = self.split(*id, to - self.piece(*id).offset);
            self.link(rest);
        }
    }

    /// Makes a window of idle pages that are the stream's own, if there are enough of them, and if
    /// otherwise it could have what is others'.
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

    /// Shows idle pages, and new ones where there are too few, in a window.
    ///
    /// Of its last page a block often needs only the beginning: then the rest stays where it is, and a
    /// page will do of which no more than that is idle. If the pool would hold more than `soft` bytes
    /// otherwise, it also begins in the end of one of which no more is idle: such a window fits only
    /// what is idle just now, and will seldom be of use again.
    fn borrow_pages(
        &mut self,
        view: View<'_>,
        bytes: u64,
        align: u64,
        soft: u64,
    ) -> Option<Growth> {
        let idle = self.idle_pages(|piece| view.may_have(piece));
        let parts = self.parts(view);
        let room = (soft / PAGE).saturating_sub(self.backed);
        let shape = parts.shape(bytes, align, (idle.bytes() / PAGE).saturating_add(room));
        let count = shape.pages()?;
        // The idle pages and the new ones must be enough together.
        let whole = (idle.bytes() + self.void_bytes()) / PAGE;
        if whole < shape.needs() {
            return None;
        }
        // Where a part will do, a page that is idle as a whole is taken if it is not needed elsewhere.
        let spare = shape.head.is_none() || whole > shape.needs();
        let fits = |at: usize, page: u64| {
            let (from, to) = shape.within(at);
            let idle = || idle.covers(page * PAGE, PAGE);
            if to - from == PAGE {
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
        // First what the window shows already, then what is to be had, then new pages.
        let mut pages = self.windows.shown(window, &fits);
        for (at, part) in [(0, shape.tail), (count - 1, shape.head)] {
            if let Some(page) = part
                && pages[at].is_none()
            {
                // The other end may show just that one: it then gets the one that was found for it.
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
        let others = self.pages_to_lend(view, missing, pages.iter().flatten().copied());
        let mut others = others.into_iter();
        for page in pages.iter_mut().filter(|page| page.is_none()) {
            *page = others.next();
        }
        let ranges = pages.iter().enumerate().filter_map(|(at, page)| {
            let (from, to) = shape.within(at);
            let start = (*page)? * PAGE;
            Some((start + from, start + to))
        });
        let mut pieces = self.lend(ranges.collect(), |piece| view.since(piece));
        let since = pieces.iter().map(|&id| self.piece(id).since).max();
        let new = pages.iter().filter(|page| page.is_none()).count();
        let mut fresh = Vec::new();
        for run in self.new_pages(new, &mut pieces) {
            fresh.extend(run.each().map(|page| page.offset / PAGE));
            growth.commit.push(run);
        }
        // Slots are filled in order: if any is new, the last one is the last new one.
        let (_, to) = shape.within(count - 1);
        if to < PAGE
            && pages[count - 1].is_none()
            && let Some(&piece) = pieces.last()
        {
            let rest = self.split(piece, self.piece(piece).bytes - (PAGE - to));
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

    /// Pages of which only an end is idle.
    fn parts(&self, view: View<'_>) -> Parts {
        let mut parts = Parts::default();
        self.each_run(
            |piece| view.may_have(piece),
            |_, start, end| {
                let (behind, before) = (start.next_multiple_of(PAGE), end / PAGE * PAGE);
                if start < behind && behind <= end {
                    parts.tails.push((behind - start, start / PAGE));
                }
                if before < end && start <= before {
                    parts.heads.push((end - before, end / PAGE));
                }
            },
        );
        parts
    }

    /// How many pages are lacking to make a window for a block of what may be had; `None` if it cannot
    /// be in a window.
    pub(crate) fn lacking(&self, view: View<'_>, bytes: u64, align: u64) -> Option<u64> {
        if !self.windows.any() || bytes < PAGE || align > PAGE {
            return None;
        }
        let idle = self.idle_pages(|piece| view.may_have(piece)).bytes() / PAGE;
        let needs = self.parts(view).shape(bytes, align, idle).needs();
        Some(needs.saturating_sub(idle))
    }

    /// Cuts a held piece after `bytes` bytes; answers the piece behind, which is held as well.
    pub(crate) fn halve(&mut self, id: u32, bytes: u64) -> u32 {
        self.split(id, bytes)
    }

    fn void_bytes(&self) -> u64 {
        let mut bytes = 0;
        let mut id = self.voids;
        while id != NONE {
            bytes += self.piece(id).bytes;
            id = self.piece(id).next;
        }
        bytes
    }

    /// Whole pages inside free pieces that `may` be used, also where several share a page.
    fn idle_pages(&self, may: impl Fn(&Piece) -> bool) -> PageSet {
        let mut idle = PageSet::default();
        self.each_run(
            |piece| piece.state == State::Free && may(piece),
            |_, start, end| {
                if let Some(pages) = Pages::inside(start, end - start) {
                    idle.insert(pages);
                }
            },
        );
        idle
    }

    /// Up to `count` idle pages that may be had besides those that are `taken`: the stream's own first,
    /// from the largest runs, from their ends.
    fn pages_to_lend(
        &self,
        view: View<'_>,
        count: usize,
        taken: impl Iterator<Item = u64>,
    ) -> Vec<u64> {
        let mut skip = PageSet::default();
        for page in taken {
            skip.insert(Pages::one(page));
        }
        let mut found = Vec::new();
        let own = |piece: &Piece| piece.owner == view.owner && view.may_have(piece);
        self.add_pages_to_lend(own, count, &mut skip, &mut found);
        if found.len() < count {
            let any = |piece: &Piece| view.may_have(piece);
            self.add_pages_to_lend(any, count, &mut skip, &mut found);
        }
        found
    }

    fn add_pages_to_lend(
        &self,
        may: impl Fn(&Piece) -> bool,
        count: usize,
        skip: &mut PageSet,
        found: &mut Vec<u64>,
    ) {
        let mut runs = Vec::new();
        self.each_run(may, |_, start, end| {
            if let Some(pages) = Pages::inside(start, end - start) {
                runs.push((end - start, pages));
            }
        });
        runs.sort_unstable_by_key(|&(bytes, pages)| (bytes, pages.offset));
        for (_, pages) in runs.into_iter().rev() {
            for page in (pages.offset / PAGE..(pages.offset + pages.bytes) / PAGE).rev() {
                if found.len() == count {
                    return;
                }
                if !skip.covers(page * PAGE, PAGE) {
                    skip.insert(Pages::one(page));
                    found.push(page);
                }
            }
        }
    }

    /// Cuts ranges out of the free pieces they lie in; answers the lent pieces, of which others have to
    /// wait for the latest `since` of what they are made of.
    fn lend(&mut self, mut ranges: Vec<(u64, u64)>, since: impl Fn(&Piece) -> u64) -> Vec<u32> {
        ranges.sort_unstable();
        let mut lent: Vec<u32> = Vec::new();
        let mut id = self.first().unwrap_or(NONE);
        for (start, end) in ranges {
            while id != NONE && self.piece(id).offset < end {
                if self.piece(id).offset + self.piece(id).bytes > start {
                    self.unlink(id);
                    self.narrow(&mut id, start, end);
                    let last = since(self.piece(id));
                    self.piece_mut(id).state = State::Lent;
                    self.piece_mut(id).since = last;
                    // Ranges that lie side by side are one piece.
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

    /// Makes `count` void pages lent ones, the lowest first; answers them as runs.
    fn new_pages(&mut self, count: usize, lent: &mut Vec<u32>) -> Vec<Pages> {
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
            let room = self.piece(piece).bytes / PAGE;
            let take = left.min(room);
            self.narrow(&mut piece, start, start + take * PAGE);
            self.piece_mut(piece).state = State::Lent;
            lent.push(piece);
            left -= take;
            found.push(Pages {
                offset: start,
                bytes: take * PAGE,
            });
        }
        found
    }

    /// The device has done what was asked.
    pub(crate) fn finish(&mut self, growth: Growth) {
        let promised: u64 = growth.commit.iter().map(|pages| pages.bytes).sum();
        self.backed += promised / PAGE;
        for rest in growth.rests {
            self.make_free(rest, growth.owner, 0);
        }
    }

    /// The device has not done what was asked, and did not back the pages in `failed`: the block is
    /// gone, and what there is of it others may have after `now`.
    pub(crate) fn abandon(&mut self, growth: Growth, failed: &[Pages], now: u64) {
        let promised: u64 = growth.commit.iter().map(|pages| pages.bytes).sum();
        let refused: u64 = failed.iter().map(|pages| pages.bytes).sum();
        self.backed += (promised - refused) / PAGE;
        let mut parts = growth.rests;
        if self.piece(growth.block).window == NONE {
            parts.push(growth.block);
        } else {
            let window = self.piece(growth.block).window;
            parts.extend(self.windows.forget(window, growth.owner, now));
            self.give_slot(growth.block);
        }
        // First everything is pulled apart, then it is joined to its neighbours.
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
        // Parts of one void page may be several pieces: neighbours join.
        for part in void {
            self.make_void(part);
        }
        for part in sound {
            self.make_free(part, growth.owner, now);
        }
    }

    /// Takes idle pages out of use so that they can go back to the device: those for which `may`
    /// holds, not more than `limit` bytes, the highest first.
    pub(crate) fn begin_return(
        &mut self,
        limit: u64,
        may: impl Fn(&Piece) -> bool,
        keep: impl Fn(Pages) -> bool,
    ) -> Vec<Leaving> {
        let mut runs = Vec::new();
        self.each_run(
            |piece| piece.state == State::Free && may(piece),
            |_, start, end| {
                if let Some(pages) = Pages::inside(start, end - start) {
                    let each = pages.each().filter(|page| !keep(*page));
                    runs.extend(crate::pages::runs(each.map(|page| page.offset / PAGE)));
                }
            },
        );
        runs.sort_unstable_by_key(|pages| std::cmp::Reverse(pages.offset));
        let mut left = limit / PAGE;
        let mut going = Vec::new();
        for pages in runs {
            let count = (pages.bytes / PAGE).min(left);
            left -= count;
            // The end of the run, so that what stays lies low.
            let behind = (pages.offset + pages.bytes) / PAGE;
            going.extend(behind - count..behind);
        }
        let mut leaving = Vec::new();
        // What has passed for everybody nobody has to wait for.
        let going = going
            .into_iter()
            .map(|page| (page * PAGE, page * PAGE + PAGE));
        for piece in self.lend(going.collect(), |_| 0) {
            self.piece_mut(piece).state = State::Leaving;
            let pages = Pages {
                offset: self.piece(piece).offset,
                bytes: self.piece(piece).bytes,
            };
            leaving.push(Leaving { pages, piece });
        }
        leaving
    }

    /// The device took the pages back, or it did not and they are as before.
    pub(crate) fn end_return(&mut self, leaving: &Leaving, returned: bool) {
        if returned {
            self.backed -= leaving.pages.bytes / PAGE;
            self.windows.unmap(leaving.pages);
            self.make_void(leaving.piece);
        } else {
            let (owner, since) = {
                let piece = self.piece(leaving.piece);
                (piece.owner, piece.since)
            };
            self.make_free(leaving.piece, owner, since);
        }
    }

    /// Ends a period; answers the pages that were used in it.
    pub(crate) fn end_period(&mut self) -> PageSet {
        std::mem::take(&mut self.used)
    }

    fn note_used(&mut self, id: u32) {
        let (offset, bytes) = (self.piece(id).offset, self.piece(id).bytes);
        self.used.insert(Pages { offset, bytes });
    }

    /// Bytes of the largest free piece for which `may` holds.
    pub(crate) fn largest_free(&self, may: impl Fn(&Piece) -> bool) -> u64 {
        let free = self
            .pieces
            .iter()
            .filter(|piece| piece.state == State::Free);
        free.filter(|piece| may(piece))
            .map(|piece| piece.bytes)
            .max()
            .unwrap_or(0)
    }

    /// Bytes of whole idle pages for which `may` holds.
    pub(crate) fn idle_bytes(&self, may: impl Fn(&Piece) -> bool) -> u64 {
        self.idle_pages(may).bytes()
    }

    /// Every free piece.
    pub(crate) fn free_pieces(&self) -> impl Iterator<Item = &Piece> {
        self.pieces
            .iter()
            .filter(|piece| piece.state == State::Free)
    }

    /// Gives everything that `owner` has free to another: all its work has passed.
    pub(crate) fn hand_over(&mut self, owner: Owner, to: Owner) {
        let mut ids: Vec<u32> = (0..self.pieces.len())
            .filter_map(|id| u32::try_from(id).ok())
            .filter(|&id| self.piece(id).state == State::Free && self.piece(id).owner == owner)
            .collect();
        ids.sort_unstable_by_key(|&id| self.piece(id).offset);
        for id in ids {
            if self.piece(id).state == State::Free && self.piece(id).owner == owner {
                self.unlink(id);
                self.make_free(id, to, 0);
            }
        }
        // Pages on their way to the device may come back.
        for piece in &mut self.pieces {
            if piece.state == State::Leaving && piece.owner == owner {
                (piece.owner, piece.since) = (to, 0);
            }
        }
        self.windows.end_uses(owner);
    }

    fn make_free(&mut self, id: u32, owner: Owner, since: u64) {
        self.note_used(id);
        let piece = self.piece_mut(id);
        piece.state = State::Free;
        piece.owner = owner;
        piece.since = since;
        self.join(id);
    }

    fn make_void(&mut self, id: u32) {
        self.piece_mut(id).state = State::Void;
        self.join(id);
    }

    /// Joins a piece with neighbours of its kind and files it.
    fn join(&mut self, id: u32) {
        let alike = |ground: &Self, other: u32| {
            other != NONE && {
                let (a, b) = (ground.piece(id), ground.piece(other));
                a.state == b.state && (a.state == State::Void || a.owner == b.owner)
            }
        };
        let (before, behind) = (self.piece(id).before, self.piece(id).behind);
        let joins_before = alike(self, before);
        if alike(self, behind) {
            self.unlink(behind);
            let since = self.piece(behind).since.max(self.piece(id).since);
            self.piece_mut(id).since = since;
            self.absorb(id, behind);
        }
        let mut whole = id;
        if joins_before {
            self.unlink(before);
            let since = self.piece(before).since.max(self.piece(id).since);
            self.piece_mut(before).since = since;
            self.absorb(before, id);
            whole = before;
        }
        self.link(whole);
    }

    fn link(&mut self, id: u32) {
        let (state, owner, bytes) = {
            let piece = self.piece(id);
            (piece.state, usize::from(piece.owner), piece.bytes)
        };
        let head = if state == State::Void {
            std::mem::replace(&mut self.voids, id)
        } else {
            if owner >= self.bins.len() {
                self.bins.resize_with(owner + 1, || None);
            }
            let bins = self.bins[owner].get_or_insert_default();
            bins.put(filed(bytes / GRANULE), id)
        };
        let piece = self.piece_mut(id);
        piece.previous = NONE;
        piece.next = head;
        if head != NONE {
            self.piece_mut(head).previous = id;
        }
    }

    fn unlink(&mut self, id: u32) {
        let (state, owner, bytes, previous, next) = {
            let piece = self.piece(id);
            (
                piece.state,
                usize::from(piece.owner),
                piece.bytes,
                piece.previous,
                piece.next,
            )
        };
        if next != NONE {
            self.piece_mut(next).previous = previous;
        }
        if previous != NONE {
            self.piece_mut(previous).next = next;
        } else if state == State::Void {
            self.voids = next;
        } else if let Some(bins) = self.bins[owner].as_deref_mut() {
            bins.set_head(filed(bytes / GRANULE), next);
        }
    }

    /// Cuts `id` after `bytes` bytes; answers the new piece behind it. Neither is linked.
    fn split(&mut self, id: u32, bytes: u64) -> u32 {
        let (offset, whole, behind) = {
            let piece = self.piece(id);
            (piece.offset, piece.bytes, piece.behind)
        };
        debug_assert!(0 < bytes && bytes < whole);
        let rest = self.slot(offset + bytes, whole - bytes);
        let (state, owner, since) = {
            let piece = self.piece_mut(id);
            piece.bytes = bytes;
            piece.behind = rest;
            (piece.state, piece.owner, piece.since)
        };
        let new = self.piece_mut(rest);
        new.state = state;
        new.owner = owner;
        new.since = since;
        new.before = id;
        new.behind = behind;
        if behind != NONE {
            self.piece_mut(behind).before = rest;
        }
        rest
    }

    /// Joins `behind` to the piece before it and leaves its slot vacant.
    fn absorb(&mut self, id: u32, behind: u32) {
        let (bytes, next) = (self.piece(behind).bytes, self.piece(behind).behind);
        let piece = self.piece_mut(id);
        piece.bytes += bytes;
        piece.behind = next;
        if next != NONE {
            self.piece_mut(next).before = id;
        }
        self.give_slot(behind);
    }

    fn give_slot(&mut self, id: u32) {
        let vacant = self.vacant;
        let gone = self.piece_mut(id);
        gone.state = State::Vacant;
        gone.next = vacant;
        self.vacant = id;
    }

    /// A slot for a piece that hangs nowhere and has no neighbours yet.
    fn slot(&mut self, offset: u64, bytes: u64) -> u32 {
        let piece = Piece {
            offset,
            bytes,
            state: State::Held,
            owner: 0,
            since: 0,
            before: NONE,
            behind: NONE,
            previous: NONE,
            next: NONE,
            window: NONE,
        };
        if self.vacant == NONE {
            self.pieces.push(piece);
            // 2^32 pieces would need 300 GB for this table alone.
            return u32::try_from(self.pieces.len() - 1).expect("fewer than 2^32 pieces");
        }
        let id = self.vacant;
        self.vacant = self.piece(id).next;
        *self.piece_mut(id) = piece;
        id
    }
}

/// The next multiple of a power of two.
#[inline(always)]
fn aligned(offset: u64, align: u64) -> u64 {
    (offset + (align - 1)) & !(align - 1)
}

/// Pages of which only an end is idle: how many bytes, and which page.
#[derive(Debug, Default)]
struct Parts {
    tails: Vec<(u64, u64)>,
    heads: Vec<(u64, u64)>,
}

/// How a block lies in the pages of a window.
#[derive(Debug, Clone, Copy)]
struct Shape {
    /// Bytes in a first page of which it has only the end, whole pages, bytes in a last one of which it
    /// has only the beginning.
    first: u64,
    whole: u64,
    last: u64,
    /// The pages that are idle only as far as that.
    tail: Option<u64>,
    head: Option<u64>,
}

impl Shape {
    /// How many pages the window has.
    fn pages(&self) -> Option<usize> {
        usize::try_from(u64::from(self.first > 0) + self.whole + u64::from(self.last > 0)).ok()
    }

    /// How many of them have to be idle as a whole.
    fn needs(&self) -> u64 {
        self.whole + u64::from(self.last > 0 && self.head.is_none())
    }

    /// Which bytes of the page in a place of the window it has.
    fn within(&self, at: usize) -> (u64, u64) {
        let at = at as u64;
        let front = u64::from(self.first > 0);
        if at < front {
            (PAGE - self.first, PAGE)
        } else if at < front + self.whole {
            (0, PAGE)
        } else {
            (0, self.last)
        }
    }
}

impl Parts {
    /// Whether these bytes at one end of a page are among them.
    fn has(&self, page: u64, from: u64, to: u64) -> bool {
        let parts = if from > 0 { &self.tails } else { &self.heads };
        let fits = |&(bytes, of): &(u64, u64)| of == page && bytes >= to - from;
        parts.iter().any(fits)
    }

    /// How a block is best made of them, if `whole_pages` pages can be had as a whole.
    fn shape(&self, bytes: u64, align: u64, whole_pages: u64) -> Shape {
        let least = |parts: &[(u64, u64)], bytes: u64, not: Option<u64>| {
            let fits = |part: &&(u64, u64)| part.0 >= bytes && Some(part.1) != not;
            parts.iter().filter(fits).min().map(|part| part.1)
        };
        let (whole, rest) = (bytes / PAGE, bytes % PAGE);
        let simple = Shape {
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
        // The block begins at a multiple of its alignment, and so does a page.
        let most = most / align * align;
        let both = |first: u64, last: u64, whole: u64| {
            let tail = least(&self.tails, first, None).unwrap_or(tail);
            let head = least(&self.heads, last, Some(tail)).filter(|_| last > 0);
            let found = first > 0 && (last == 0 || head.is_some());
            found.then_some(Shape {
                first,
                whole,
                last,
                tail: Some(tail),
                head,
            })
        };
        // Two parts that are a page and the rest together, or just the rest.
        let saves = whole.checked_sub(1).and_then(|whole| {
            let last = (rest + PAGE).checked_sub(most)?;
            both(most, last, whole).filter(|_| last < PAGE)
        });
        let first = most.min(rest / align * align);
        let enough = || both(first, rest - first, whole).filter(|_| simple.head.is_none());
        saves.or_else(enough).unwrap_or(simple)
    }
}

/// Where a block can be put at the cost of `missing` new pages.
#[derive(Debug, Clone, Copy)]
struct Place {
    start: u64,
    missing: u64,
    /// Bytes of others under it.
    foreign: u64,
    /// The first piece of the run it lies in.
    first: u32,
}

#[cfg(test)]
#[path = "ground_tests.rs"]
mod tests;
