//! The chain of pieces: neighbours, bins and slots.

use super::{Ground, Owner, Piece, State};
use crate::bins::filed;
use crate::pages::{PageSet, Pages};
use crate::{GRANULE, NONE};

impl Ground {
    pub(super) fn first(&self) -> Option<u32> {
        // The first slot always describes the beginning of the chain: what is cut off in front stays in it.
        (!self.pieces.is_empty()).then_some(0)
    }

    /// Tells of every run of neighbours for which `may` holds, in the order of addresses: its first
    /// piece, where it starts and where it ends.
    pub(super) fn each_run(
        &self,
        may: impl Fn(&Piece) -> bool,
        mut tell: impl FnMut(u32, u64, u64),
    ) {
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

    pub(super) fn void_bytes(&self) -> u64 {
        let mut bytes = 0;
        let mut id = self.voids;
        while id != NONE {
            bytes += self.piece(id).bytes;
            id = self.piece(id).next;
        }
        bytes
    }

    /// Whole pages inside free pieces that `may` be used, also where several share a page.
    pub(super) fn idle_pages(&self, may: impl Fn(&Piece) -> bool) -> PageSet {
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

    pub(super) fn make_free(&mut self, id: u32, owner: Owner, since: u64) {
        self.note_used(id);
        let piece = self.piece_mut(id);
        piece.state = State::Free;
        piece.owner = owner;
        piece.since = since;
        self.join(id);
    }

    fn note_used(&mut self, id: u32) {
        let (offset, bytes) = (self.piece(id).offset, self.piece(id).bytes);
        self.used.insert(Pages { offset, bytes });
    }

    pub(super) fn make_void(&mut self, id: u32) {
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

    pub(super) fn unlink(&mut self, id: u32) {
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

    /// Narrows an unlinked free piece to `bytes` bytes at `start`; what is left of it is free again.
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

    /// Narrows an unlinked piece to what lies between `from` and `to`; the rests are as before.
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

    /// Cuts `id` after `bytes` bytes; answers the new piece behind it. Neither is linked.
    pub(super) fn split(&mut self, id: u32, bytes: u64) -> u32 {
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

    /// A slot for a piece that hangs nowhere and has no neighbours yet.
    pub(super) fn slot(&mut self, offset: u64, bytes: u64) -> u32 {
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
