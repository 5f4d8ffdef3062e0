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
//!
//! Rooms: `chain` has the pieces and their neighbours, `growth` finds a place for a block that needs new pages, `borrow`
//! shows idle pages in a window, `leaving` takes them out of use. Here is what a request and a free come to first.

mod borrow;
mod chain;
mod growth;
mod leaving;

#[cfg(test)]
mod tests;

pub use self::growth::Growth;
pub use self::leaving::Leaving;
use crate::bins::{Bins, after, filed, search};
use crate::pages::PageSet;
use crate::window::Windows;
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
    #[inline]
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
    #[inline]
    fn cut(&mut self, mut id: u32, bytes: u64, align: u64) -> u32 {
        self.unlink(id);
        let offset = self.piece(id).offset;
        let start = aligned(offset, align);
        self.cut_at(&mut id, start, bytes);
        self.piece_mut(id).state = State::Held;
        id
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

    /// Takes back a piece that was held; `owner` may have it at once, others after `since`.
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

    /// Cuts a held piece after `bytes` bytes; answers the piece behind, which is held as well.
    pub(crate) fn halve(&mut self, id: u32, bytes: u64) -> u32 {
        self.split(id, bytes)
    }

    /// Ends a period; answers the pages that were used in it.
    pub(crate) fn end_period(&mut self) -> PageSet {
        std::mem::take(&mut self.used)
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
}

/// The next multiple of a power of two.
#[inline(always)]
fn aligned(offset: u64, align: u64) -> u64 {
    (offset + (align - 1)) & !(align - 1)
}
