//! Accounting of a pool: limit, charge and reservation; statistics and reports.

use std::ops::DerefMut;
use std::sync::atomic::Ordering::Relaxed;

use super::{Found, Pool, found};
use crate::ground::{Owner, State as PieceState};
use crate::headers::State;
use crate::report::{Extent, ExtentUse, Holder, Report};
use crate::shard::{Body, HOST, Shard};
use crate::statistics::{ClassCount, Statistics, StreamStatistics};

impl Pool {
    /// Changes the limit of the charge; false if more is charged already.
    pub fn set_limit(&self, limit: u64) -> bool {
        let mut books = self.state.lock();
        let fits = self.take_allowances() + books.held <= limit;
        if fits {
            books.limit = limit;
        }
        fits
    }

    /// Charges `bytes` of memory outside of the pool on the same device; false if that exceeds the limit.
    pub fn hold(&self, bytes: u64) -> bool {
        let mut books = self.state.lock();
        let total = self.take_allowances() + books.held;
        match total.checked_add(bytes) {
            Some(new) if new <= books.limit => {
                books.held += bytes;
                books.peak = books.peak.max(new);
                true
            }
            _ => false,
        }
    }

    /// Reverts a charge of [`Pool::hold`].
    pub fn let_go(&self, bytes: u64) {
        self.state.lock().held -= bytes;
    }

    /// The charge of all shards. From now on no shard may charge more without consulting the pool.
    pub(super) fn take_allowances(&self) -> u64 {
        let mut shards = self.locked();
        let bodies = shards.iter_mut().map(|(_, body)| {
            body.allow(0);
            body.charged()
        });
        bodies.sum()
    }

    /// All shards, locked, for a consistent view. The caller holds the lock of the pool's state.
    pub(super) fn locked(&self) -> Vec<(&Shard, impl DerefMut<Target = Body>)> {
        let shards = self.shards.all();
        shards.map(|shard| (&**shard, shard.body.lock())).collect()
    }

    /// The charge by kind, for the first kinds.
    pub fn charged_by_kind<const KINDS: usize>(&self) -> [u64; KINDS] {
        let mut charged = [0; KINDS];
        for block in self.live() {
            if let Some(sum) = charged.get_mut(usize::from(block.kind)) {
                *sum += block.charge;
            }
        }
        charged
    }

    /// Changes [`super::Options::slack`].
    pub fn set_slack(&self, slack: u32) {
        self.state.lock().slack = slack;
    }

    /// Resets the peak of the charge to the current charge.
    pub fn reset_peak(&self) {
        let mut books = self.state.lock();
        let mut charged = 0;
        for (_, mut body) in self.locked() {
            body.allow(0);
            body.forget_peaks();
            charged += body.charged();
        }
        books.peak = charged + books.held;
    }

    /// The bytes reserved for the charge, and their maximum.
    pub fn marks(&self) -> (u64, u64) {
        let books = self.state.lock();
        (books.mark, books.highest_mark)
    }

    /// Reduces the reservation to `keep` bytes, or to the charge if that is more; returns the difference.
    pub fn lower_mark(&self, keep: u64) -> u64 {
        let mut books = self.state.lock();
        let charged = self.take_allowances() + books.held;
        let before = books.mark;
        books.mark = before.min(charged.max(keep));
        before - books.mark
    }

    /// Resets the maximum of the reservation to the current reservation.
    pub fn reset_highest_mark(&self) {
        let mut books = self.state.lock();
        books.highest_mark = books.mark;
    }

    /// Bytes of pages that the device backs.
    pub fn reserved(&self) -> u64 {
        self.state.lock().ground.backed_bytes()
    }

    /// Pages that were mapped at a second address, in total.
    pub fn pages_moved(&self) -> u64 {
        self.state.lock().ground.moved()
    }

    /// The current charge and its peak: cheaper than [`Pool::statistics`].
    pub fn charged(&self) -> (u64, u64) {
        let mut books = self.state.lock();
        let shards = self.locked();
        let total = books.held + shards.iter().map(|(_, body)| body.charged()).sum::<u64>();
        books.peak = books.peak.max(total);
        (total, books.peak)
    }

    /// Bytes of the pending blocks of a shard.
    pub fn pending_bytes(&self, shard: &Shard) -> u64 {
        shard.body.lock().pending_bytes()
    }

    /// The number of live blocks.
    pub fn live_blocks(&self) -> u64 {
        let _books = self.state.lock();
        let shards = self.locked();
        let live = shards.iter().map(|(_, body)| body.counters.live_blocks());
        live.sum()
    }

    /// The pool's statistics.
    pub fn statistics(&self) -> Statistics {
        let mut books = self.state.lock();
        let mut numbers = Statistics {
            charged: books.held,
            limit: books.limit,
            reserved: books.ground.backed_bytes(),
            peak_reserved: books.peak_reserved,
            pages_moved: books.ground.moved(),
            ..Statistics::default()
        };
        for (shard, body) in self.locked() {
            numbers.charged += body.charged();
            numbers.blocks += body.counters.live_blocks();
            numbers.streams.push(StreamStatistics {
                stream: shard.stream(),
                bytes: ClassCount {
                    current: body.charged(),
                    peak: body.most_charged(),
                    total: body.counters.total_bytes(),
                },
                requested: body.counters.total_requested(),
                classes: body.counters.classes(),
                pending: (body.pending.len(), body.pending_bytes()),
                kept: body.kept.count(),
            });
        }
        books.peak = books.peak.max(numbers.charged);
        numbers.peak = books.peak;
        numbers
    }

    /// The out-of-memory report.
    pub fn report(&self, holders: usize) -> Report {
        let numbers = self.statistics();
        let books = self.state.lock();
        let largest_free = books.ground.largest_free(|_| true);
        let idle = books.ground.idle_bytes(|_| true);
        drop(books);
        let mut live: Vec<Holder> = self
            .headers
            .all()
            .filter(|header| header.is(State::Live))
            .map(|header| Holder {
                offset: header.offset.load(Relaxed),
                bytes: header.bytes.load(Relaxed),
                requested: header.requested.load(Relaxed),
                serial: header.serial.load(Relaxed),
            })
            .collect();
        live.sort_unstable_by_key(|holder| (std::cmp::Reverse(holder.bytes), holder.offset));
        live.truncate(holders);
        Report {
            statistics: numbers,
            largest_free,
            idle,
            holders: live,
        }
    }

    /// What every byte with a page behind it is, in address order; windows come last. Neighbours are not merged.
    pub fn extents(&self) -> Vec<Extent> {
        let books = self.state.lock();
        let shards = self.locked();
        let stream_of = |owner: Owner| {
            let shard = shards.iter().find(|(shard, _)| shard.index == owner);
            shard.map_or(HOST, |(shard, _)| shard.stream())
        };
        let mut extents = Vec::new();
        for (id, piece) in books.ground.all_pieces() {
            let header = self.headers.find(id);
            let held = || header.map(|header| (header, header.requested.load(Relaxed)));
            let (is, requested) = match piece.state {
                PieceState::Free | PieceState::Leaving => (ExtentUse::Free, 0),
                PieceState::Lent => (ExtentUse::Lent, 0),
                PieceState::Void | PieceState::Growing | PieceState::Vacant => continue,
                PieceState::Held => match held() {
                    Some((header, requested)) if header.is(State::Live) => {
                        (ExtentUse::Live, requested)
                    }
                    Some((header, _)) if header.is(State::Pending) => (ExtentUse::Pending, 0),
                    _ => (ExtentUse::Free, 0),
                },
            };
            let owner = match (piece.state, header) {
                (PieceState::Held, Some(header)) => header.home.load(Relaxed),
                _ => piece.owner,
            };
            extents.push(Extent {
                offset: piece.offset,
                bytes: piece.bytes,
                requested,
                is,
                stream: stream_of(owner),
            });
        }
        extents.sort_unstable_by_key(|extent| extent.offset);
        extents
    }

    /// All live blocks, in address order.
    pub fn live(&self) -> Vec<Found> {
        let _books = self.state.lock();
        let mut live = Vec::new();
        for header in self.headers.all() {
            if header.is(State::Live) {
                live.push(found(header));
            }
        }
        live.sort_unstable_by_key(|block| block.offset);
        live
    }

    /// The number of free pieces and their bytes: one piece if everything is merged.
    pub fn free_pieces(&self) -> (usize, u64) {
        let books = self.state.lock();
        let pieces = books.ground.free_pieces();
        pieces.fold((0, 0), |(count, bytes), piece| {
            (count + 1, bytes + piece.bytes)
        })
    }
}
