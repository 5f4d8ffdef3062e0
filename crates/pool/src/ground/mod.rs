//! The *ground*: the address range of a pool, divided into pieces, with their state, owner and backing pages.
//!
//! A *piece* is a contiguous range in one state (an extent). The pieces form a chain in address order without gaps. A piece
//! is *held* (by a shard, as a live, cached or pending block), *free* (backed by pages, in the bin of its size), *void*
//! (whole pages that the device does not back), *lent* (pages, or parts of pages, that a window maps elsewhere), *growing*
//! (the rest of a page that is being requested from the device) or *leaving* (pages that are being returned to the device).
//!
//! A free piece belongs to an *owner*, the shard that freed it. Its `since` is a position of the owner's stream: the owner
//! may use the piece immediately; another stream may use it once it knows the owner's stream to be past that position.
//! Neighbours with the same owner merge; `since` is then the later one. A held piece stores the same for the bytes that it
//! was cut from, so it is still valid if the piece is returned unused.
//!
//! **Windows.** If no free piece can serve a large request, and the pool already holds as much as its peak needs, the block
//! borrows idle whole pages from anywhere in the range: they are mapped contiguously in a window, a separate address
//! range. When the block is freed, the pages are returned. So after a step of a program the chain looks as before, and the
//! next step finds the same pages idle and still mapped in the same window: nothing has to be mapped again. Windows need
//! a device that can map a page at two addresses.
//!
//! Invariants:
//! - the chain covers the range exactly; no two neighbours are both free with the same owner, nor both void;
//! - a piece is in a bin of its owner if and only if it is free; void pieces are in one list;
//! - void and leaving pieces start and end at page boundaries;
//! - `backed` counts the pages of all pieces that are neither void nor growing.
//!
//! Modules: `chain` has the pieces and their neighbours, `growth` finds a place for a block that needs new pages, `borrow`
//! maps idle pages in a window, `leaving` takes idle pages out of use. This file has the first steps of a request and a free.

mod borrow;
mod chain;
mod growth;
mod leaving;

#[cfg(test)]
mod tests;

pub use self::growth::Growth;
pub use self::leaving::Leaving;
use crate::bins::{Bins, after, filed, search};
use crate::pages::{PageSet, PageSize};
use crate::window::Windows;
use crate::{GRANULE, NONE};

/// The shard that a piece belongs to.
pub(crate) type Owner = u16;

/// How many free pieces a search checks before it takes one from a bin in which all are large enough.
const LOOKS: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Free,
    Held,
    Void,
    Lent,
    Growing,
    Leaving,
    /// The slot is unused.
    Vacant,
}

/// A contiguous range of addresses in one state (an extent). See the module comment.
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
    /// Neighbours in the bin or list, or the next unused slot.
    previous: u32,
    next: u32,
    /// The window, if the piece is a window and not part of the chain.
    window: u32,
}

/// Which free pieces one stream may use.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    /// Its shard.
    pub(crate) owner: Owner,
    /// Its position.
    pub(crate) now: u64,
    /// The position up to which it knows the work of an owner to be complete.
    pub(crate) known: &'a dyn Fn(Owner) -> u64,
    /// The position up to which that work is complete for all streams.
    pub(crate) passed: &'a dyn Fn(Owner) -> u64,
}

impl View<'_> {
    fn may_have(&self, piece: &Piece) -> bool {
        piece.state == State::Free
            && (piece.owner == self.owner || piece.since <= (self.known)(piece.owner))
    }

    /// The position of its own stream after which others may use what it takes from a piece.
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

/// The address range of a pool with its pieces and pages. See the module comment.
#[derive(Debug)]
pub(crate) struct Ground {
    pieces: Vec<Piece>,
    vacant: u32,
    bins: Vec<Option<Box<Bins>>>,
    voids: u32,
    windows: Windows,
    page: PageSize,
    /// Bytes of the chain; windows come after it.
    home: u64,
    /// Pages that the device backs.
    backed: u64,
    /// Pages that were mapped at a second address, in total.
    moved: u64,
    /// Pages in which pieces were freed since [`Ground::end_period`]. Pages with held pieces are recorded when the
    /// pieces are freed: until then they are not idle.
    used: PageSet,
}

impl Ground {
    pub(crate) fn new(home: u64, windows: u64, page: PageSize) -> Self {
        let mut ground = Self {
            pieces: Vec::new(),
            vacant: NONE,
            bins: Vec::new(),
            voids: NONE,
            windows: Windows::new(home, windows, page),
            page,
            home,
            backed: 0,
            moved: 0,
            used: PageSet::new(page),
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

    /// The peak number of pieces.
    pub(crate) fn pieces(&self) -> usize {
        self.pieces.len()
    }

    /// Bytes of the pages that the device backs.
    pub(crate) fn backed_bytes(&self) -> u64 {
        self.page.start(self.backed)
    }

    pub(crate) fn moved(&self) -> u64 {
        self.moved
    }

    /// Cuts a piece from the free pieces of `owner`.
    #[inline]
    pub(crate) fn take(&mut self, owner: Owner, bytes: u64, align: u64) -> Option<u32> {
        let id = self.best(owner, bytes, align, u64::MAX)?;
        Some(self.cut(id, bytes, align))
    }

    /// Cuts a piece from a free piece of another owner that, according to `known`, may be used.
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

    /// A free piece of `owner` that a block can be cut from: the smallest one found by a bounded search.
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
        // A piece of this size has room to align the start.
        let surely = bytes.checked_add(align - GRANULE)?;
        let id = bins.head(bins.at_least(search(surely / GRANULE))?);
        fits(id).then_some(id)
    }

    /// Cuts a block from a free piece that has room for it.
    #[inline]
    fn cut(&mut self, mut id: u32, bytes: u64, align: u64) -> u32 {
        self.unlink(id);
        let offset = self.piece(id).offset;
        let start = aligned(offset, align);
        self.cut_at(&mut id, start, bytes);
        self.piece_mut(id).state = State::Held;
        id
    }

    /// Cuts a block at exactly `start`, if `owner` may use the bytes there.
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

    /// Frees a held piece; `owner` may use it immediately, others after `since`.
    #[inline]
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

    /// Splits a held piece after `bytes` bytes; returns the second piece, which is held too.
    pub(crate) fn halve(&mut self, id: u32, bytes: u64) -> u32 {
        self.split(id, bytes)
    }

    /// Ends a period; returns the pages that were used in it.
    pub(crate) fn end_period(&mut self) -> PageSet {
        std::mem::replace(&mut self.used, PageSet::new(self.page))
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

    /// Every piece with its number, also those of open windows.
    pub(crate) fn all_pieces(&self) -> impl Iterator<Item = (u32, &Piece)> {
        let pieces = self.pieces.iter().enumerate();
        pieces.filter_map(|(id, piece)| Some((u32::try_from(id).ok()?, piece)))
    }

    /// Moves all free pieces of `owner` to another owner: all its work is complete.
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
        // Leaving pages may come back.
        for piece in &mut self.pieces {
            if piece.state == State::Leaving && piece.owner == owner {
                (piece.owner, piece.since) = (to, 0);
            }
        }
        self.windows.end_uses(owner);
    }
}

/// The next multiple of a power of two.
#[inline(always)]
fn aligned(offset: u64, align: u64) -> u64 {
    (offset + (align - 1)) & !(align - 1)
}
