//! What a pool may charge, has charged and has set aside; and what it tells of itself.

use std::ops::DerefMut;
use std::sync::atomic::Ordering::Relaxed;

use super::{Found, Pool, found};
use crate::headers::State;
use crate::pages::PAGE;
use crate::report::{Holder, Report};
use crate::shard::{Body, Shard};
use crate::statistics::{ClassCount, Statistics, StreamStatistics};

impl Pool {
    /// Changes what may be charged; answers false if more is charged already.
    pub fn set_limit(&self, limit: u64) -> bool {
        let mut books = self.state.lock();
        let fits = self.take_allowances() + books.held <= limit;
        if fits {
            books.limit = limit;
        }
        fits
    }

    /// Charges `bytes` that others cut from the same device; false if the limit does not allow it.
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

    /// Ends what [`Pool::hold`] began.
    pub fn let_go(&self, bytes: u64) {
        self.state.lock().held -= bytes;
    }

    /// What is charged to all shards. Nobody may charge more without asking, from now on.
    pub(super) fn take_allowances(&self) -> u64 {
        let mut shards = self.locked();
        let bodies = shards.iter_mut().map(|(_, body)| {
            body.allow(0);
            body.charged()
        });
        bodies.sum()
    }

    /// Every shard, locked, so that what they say is true at one moment. For whoever holds the books.
    pub(super) fn locked(&self) -> Vec<(&Shard, impl DerefMut<Target = Body>)> {
        let shards = self.shards.all();
        shards.map(|shard| (&**shard, shard.body.lock())).collect()
    }

    /// What is charged by kind, for the first kinds.
    pub fn charged_by_kind<const KINDS: usize>(&self) -> [u64; KINDS] {
        let mut charged = [0; KINDS];
        for block in self.live() {
            if let Some(sum) = charged.get_mut(usize::from(block.kind)) {
                *sum += block.charge;
            }
        }
        charged
    }

    /// Changes how much more than the peak needs may be held, in thousandths.
    pub fn set_slack(&self, slack: u32) {
        self.state.lock().slack = slack;
    }

    /// Forgets the peak of what is charged: from now on it is what is charged now.
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

    /// What is set aside for what is charged, and the most that ever was.
    pub fn marks(&self) -> (u64, u64) {
        let books = self.state.lock();
        (books.mark, books.highest_mark)
    }

    /// Sets no more aside than `keep`, or than is charged; answers how much less that is.
    pub fn lower_mark(&self, keep: u64) -> u64 {
        let mut books = self.state.lock();
        let charged = self.take_allowances() + books.held;
        let before = books.mark;
        books.mark = before.min(charged.max(keep));
        before - books.mark
    }

    /// Forgets the most that was ever set aside: from now on it is what is set aside now.
    pub fn reset_highest_mark(&self) {
        let mut books = self.state.lock();
        books.highest_mark = books.mark;
    }

    /// Bytes of pages that the device backs.
    pub fn reserved(&self) -> u64 {
        self.state.lock().ground.backed() * PAGE
    }

    /// Pages that were given a second address.
    pub fn pages_moved(&self) -> u64 {
        self.state.lock().ground.moved()
    }

    /// What is charged now, and at most: cheaper than [`Pool::statistics`].
    pub fn charged(&self) -> (u64, u64) {
        let mut books = self.state.lock();
        let shards = self.locked();
        let total = books.held + shards.iter().map(|(_, body)| body.charged()).sum::<u64>();
        books.peak = books.peak.max(total);
        (total, books.peak)
    }

    /// Bytes of freed blocks of a shard that other streams may still use.
    pub fn pending_bytes(&self, shard: &Shard) -> u64 {
        shard.body.lock().pending_bytes()
    }

    /// How many blocks are live.
    pub fn live_blocks(&self) -> u64 {
        let _books = self.state.lock();
        let shards = self.locked();
        let live = shards.iter().map(|(_, body)| body.counters.live_blocks());
        live.sum()
    }

    /// The pool's numbers.
    pub fn statistics(&self) -> Statistics {
        let mut books = self.state.lock();
        let mut numbers = Statistics {
            charged: books.held,
            limit: books.limit,
            reserved: books.ground.backed() * PAGE,
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
                classes: body.counters.classes(),
                pending: (body.pending.len(), body.pending_bytes()),
                kept: body.kept.count(),
            });
        }
        books.peak = books.peak.max(numbers.charged);
        numbers.peak = books.peak;
        numbers
    }

    /// What a person wants to know when there is no memory left.
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

    /// Every live block, in the order of addresses.
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

    /// How many free pieces there are, and bytes in them: 1 when everything has been merged.
    pub fn free_pieces(&self) -> (usize, u64) {
        let books = self.state.lock();
        let pieces = books.ground.free_pieces();
        pieces.fold((0, 0), |(count, bytes), piece| {
            (count + 1, bytes + piece.bytes)
        })
    }
}
