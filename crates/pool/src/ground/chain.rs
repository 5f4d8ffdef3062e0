//! The chain of pieces: neighbours, bins and slots.

use super::{Ground, Owner, Piece, State};
use crate::bins::{Bins, filed};
use crate::pages::{PageSet, PageSize, Pages};
use crate::{GRANULE, NONE};

/// A run of neighbours: its first piece, start and end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    pub(super) first: u32,
    pub(super) start: u64,
    pub(super) end: u64,
}

/// The whole pages in runs.
pub(super) fn whole_pages(runs: &[Run], size: PageSize) -> PageSet {
    let mut pages = PageSet::new(size);
    for run in runs {
        if let Some(inside) = size.inside(run.start, run.end - run.start) {
            pages.insert(inside);
        }
    }
    pages
}

impl Ground {
    pub(super) fn first(&self) -> Option<u32> {
        // Slot 0 is always the first piece of the chain: a piece that is split keeps its slot for the front part.
        (!self.pieces.is_empty()).then_some(0)
    }

    /// The runs of neighbours for which `may` holds, in address order.
    pub(super) fn runs(&self, may: impl Fn(&Piece) -> bool) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        let mut in_run = false;
        let mut id = self.first().unwrap_or(NONE);
        while id != NONE {
            let piece = self.piece(id);
            let was_in_run = in_run;
            in_run = may(piece);
            let end = piece.offset + piece.bytes;
            if in_run {
                match runs.last_mut() {
                    Some(run) if was_in_run => run.end = end,
                    _ => runs.push(Run {
                        first: id,
                        start: piece.offset,
                        end,
                    }),
                }
            }
            id = piece.behind;
        }
        runs
    }

    pub(super) fn void_bytes(&self) -> u64 {
        let mut bytes = 0;
        let mut id = self.voids;
        while id != NONE {
            bytes += self.piece(id).bytes;
            id = self.piece(id).next;
        }
        bytes
    }

    /// Whole pages inside free pieces for which `may` holds, including pages shared by several pieces.
    pub(super) fn idle_pages(&self, may: impl Fn(&Piece) -> bool) -> PageSet {
        let runs = self.runs(|piece| piece.state == State::Free && may(piece));
        whole_pages(&runs, self.page)
    }

    #[inline]
    pub(super) fn make_free(&mut self, id: u32, owner: Owner, since: u64) {
        self.note_used(id);
        let piece = self.piece_mut(id);
        piece.state = State::Free;
        piece.owner = owner;
        piece.since = since;
        self.join(id);
    }

    #[inline]
    fn note_used(&mut self, id: u32) {
        let (offset, bytes) = (self.piece(id).offset, self.piece(id).bytes);
        self.used.insert(Pages { offset, bytes });
    }

    pub(super) fn make_void(&mut self, id: u32) {
        self.piece_mut(id).state = State::Void;
        self.join(id);
    }

    /// Merges a piece with its neighbours of the same kind and adds it to its bin.
    fn join(&mut self, id: u32) {
        let piece = self.piece(id);
        let (state, owner, before, behind) = (piece.state, piece.owner, piece.before, piece.behind);
        let (mut bytes, mut since) = (piece.bytes, piece.since);
        let alike = |ground: &Self, other: u32| {
            other != NONE && {
                let other = ground.piece(other);
                other.state == state && (state == State::Void || other.owner == owner)
            }
        };
        let (mut whole, mut next) = (id, behind);
        if alike(self, behind) {
            self.unlink(behind);
            let gone = self.piece(behind);
            bytes += gone.bytes;
            since = since.max(gone.since);
            next = gone.behind;
            self.give_slot(behind);
        }
        if alike(self, before) {
            self.unlink(before);
            whole = before;
            let first = self.piece(before);
            bytes += first.bytes;
            since = since.max(first.since);
            self.give_slot(id);
        }
        let piece = self.piece_mut(whole);
        (piece.bytes, piece.since, piece.behind) = (bytes, since, next);
        if next != NONE {
            self.piece_mut(next).before = whole;
        }
        self.link(whole);
    }

    fn link(&mut self, id: u32) {
        let piece = &mut self.pieces[id as usize];
        let head = if piece.state == State::Void {
            std::mem::replace(&mut self.voids, id)
        } else {
            let owner = usize::from(piece.owner);
            let bins = match self.bins.get_mut(owner) {
                Some(Some(bins)) => bins,
                _ => new_bins(&mut self.bins, owner),
            };
            bins.put(filed(piece.bytes / GRANULE), id)
        };
        piece.previous = NONE;
        piece.next = head;
        // The end of a list is not a valid index.
        if let Some(head) = self.pieces.get_mut(head as usize) {
            head.previous = id;
        }
    }

    pub(super) fn unlink(&mut self, id: u32) {
        let piece = &self.pieces[id as usize];
        let (previous, next) = (piece.previous, piece.next);
        if previous == NONE {
            if piece.state == State::Void {
                self.voids = next;
            } else if let Some(bins) = self.bins[usize::from(piece.owner)].as_deref_mut() {
                bins.set_head(filed(piece.bytes / GRANULE), next);
            }
        } else {
            self.piece_mut(previous).next = next;
        }
        if let Some(next) = self.pieces.get_mut(next as usize) {
            next.previous = previous;
        }
    }

    /// Narrows an unlinked free piece to `bytes` bytes at `start`; the rest becomes free again.
    #[inline]
    pub(super) fn cut_at(&mut self, id: &mut u32, start: u64, bytes: u64) {
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

    /// Narrows an unlinked piece to the range between `from` and `to`; the rests keep their state.
    pub(super) fn narrow(&mut self, id: &mut u32, from: u64, to: u64) {
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

    /// Splits `id` after `bytes` bytes; returns the second piece. Neither is linked.
    pub(super) fn split(&mut self, id: u32, bytes: u64) -> u32 {
        let piece = self.piece(id);
        let behind = piece.behind;
        debug_assert!(0 < bytes && bytes < piece.bytes);
        let rest = self.slot_for(Piece {
            offset: piece.offset + bytes,
            bytes: piece.bytes - bytes,
            before: id,
            window: NONE,
            ..*piece
        });
        let piece = self.piece_mut(id);
        piece.bytes = bytes;
        piece.behind = rest;
        if behind != NONE {
            self.piece_mut(behind).before = rest;
        }
        rest
    }

    /// Merges `behind` into the piece before it and frees its slot.
    pub(super) fn absorb(&mut self, id: u32, behind: u32) {
        let (bytes, next) = (self.piece(behind).bytes, self.piece(behind).behind);
        let piece = self.piece_mut(id);
        piece.bytes += bytes;
        piece.behind = next;
        if next != NONE {
            self.piece_mut(next).before = id;
        }
        self.give_slot(behind);
    }

    pub(super) fn give_slot(&mut self, id: u32) {
        let vacant = self.vacant;
        let gone = self.piece_mut(id);
        gone.state = State::Vacant;
        gone.next = vacant;
        self.vacant = id;
    }

    /// A slot for a piece that is not linked yet.
    pub(super) fn slot(&mut self, offset: u64, bytes: u64) -> u32 {
        self.slot_for(Piece {
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
        })
    }

    #[inline]
    fn slot_for(&mut self, piece: Piece) -> u32 {
        let id = self.vacant;
        if let Some(slot) = self.pieces.get_mut(id as usize) {
            self.vacant = slot.next;
            *slot = piece;
            return id;
        }
        self.pieces.push(piece);
        // 2^32 pieces would need 300 GB for this table alone.
        u32::try_from(self.pieces.len() - 1).expect("fewer than 2^32 pieces")
    }
}

/// Bins for an owner that has none yet.
#[cold]
fn new_bins(bins: &mut Vec<Option<Box<Bins>>>, owner: usize) -> &mut Bins {
    if owner >= bins.len() {
        bins.resize_with(owner + 1, || None);
    }
    bins[owner].get_or_insert_default()
}
