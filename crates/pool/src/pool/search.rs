//! The search for a block: the steps that a request takes when no block of its size is cached.

use std::sync::atomic::Ordering::Relaxed;

use super::{Books, LOOKS, Order, Pool, Refusal, Waiting, ready_for};
use crate::ground::{Growth, View};
use crate::headers::State;
use crate::kept::SMALL_BYTES;
use crate::shard::{Body, HOST, Shard, TURN};
use crate::{GRANULE, NONE};

/// A request above this size first merges the cached blocks that are not small, so that it does not cut a free range that
/// the next large request needs.
const LARGE_BYTES: u64 = 8 << 20;

/// Slack is a fraction of the peak, but of at least this many bytes: 25 thousandths of it are four pages.
const LEAST_PEAK: u64 = 320 << 20;

/// Small cached blocks are merged for a larger request only if they have at least this fraction of the peak.
const SMALL_SHARE: u64 = 256;

/// Up to the floor, pages are borrowed if the pool would hold more than the peak of needed bytes and this fraction of it.
const BELOW_FLOOR: u64 = 4;

/// When the slack is raised, and by how much. What else counts are requests that found no block while the pool could not grow
/// and the shard was near its peak or its charge steady: [`MISSED`] of them in a turn.
#[derive(Debug, Clone, Copy)]
struct Relief {
    /// If in one turn the pool economised more often than this.
    economised: u32,
    /// Once it was raised, this part of that suffices: half of what such a program needs would cost it nearly as much time.
    again: u32,
    /// The factor by which it is raised.
    step: u32,
}

/// While one stream has live blocks.
const ALONE: Relief = Relief {
    economised: 64,
    again: 4,
    step: 2,
};

/// While several have some: others wait for each search.
const AMONG_OTHERS: Relief = Relief {
    economised: 32,
    again: 8,
    step: 4,
};

const MISSED: u32 = TURN / 4;

/// While freed blocks are merged at once, blocks of fewer pages than this borrow none before the pool holds [`SCATTERED_SLACK`]
/// more than the peak. The pages that such a block would give back are too few for the next one, which has grown, so pages would
/// be moved for every block. Without this rule, replayed decoders moved up to thirty times as many pages, and held more.
const LEAST_SCATTERED: u64 = 8;

/// In thousandths of the peak.
const SCATTERED_SLACK: u32 = 100;

/// A program whose peak rises by this fraction in a turn is growing. That ends, so what it costs is no strain.
const GROWING: u64 = 16;

/// The most to which it is raised for a stream that is not near its peak, in thousandths: it has free memory.
const BELOW_PEAK: u32 = 400;

/// The most to which it is raised while many streams have live blocks and their threads wait for each other, in thousandths:
/// each search holds the ground's lock.
const CROWDED_SLACK: u32 = 1500;

/// Threads wait for each other if so many requests found another thread searching since the slack was last reset. One thread
/// with many streams never waits, and memory is worth as much to it as to others.
const DISPUTED: u32 = 64;

/// Above the floor it is raised to at most this multiple of the option.
const MOST_ABOVE_FLOOR: u32 = 2;

/// The same while threads wait for each other: while one searches, the others wait.
const MOST_DISPUTED: u32 = 4;

/// How much a pool has to do to save memory, since a serial number and the peak at that time. Only requests whose size recurs
/// count: they would find a cached block if there were more memory.
#[derive(Debug, Default)]
pub(super) struct Strain {
    economised: u32,
    missed: u32,
    since: u64,
    peak: u64,
}

fn is_near_peak(body: &Body) -> bool {
    body.charged() >= body.most_charged() / 4 * 3
}

/// The search for a block, under the ground's lock and the shard's.
pub(super) struct Search<'a> {
    pub(super) pool: &'a Pool,
    pub(super) books: &'a mut Books,
    pub(super) shard: &'a Shard,
    pub(super) order: &'a dyn Order,
    /// Whether the requested size recurs.
    pub(super) recurs: bool,
}

impl Search<'_> {
    /// The steps: each one costs more than the one before.
    #[inline(always)]
    pub(super) fn find(
        &mut self,
        body: &mut Body,
        bytes: u64,
        align: u64,
    ) -> Result<(u32, Option<Box<Growth>>), Refusal> {
        let (pool, own) = (self.pool, self.shard.index);
        // Pending blocks that became ready, a few at a time.
        self.settle(body, LOOKS);
        if let Some((id, ..)) = body.kept.pop(&pool.headers, bytes / GRANULE, align) {
            return Ok((id, None));
        }
        self.recurs = body.kept.missed(bytes / GRANULE);
        if bytes > SMALL_BYTES {
            body.note_range();
            body.kept.cache_large(!self.coalesces());
            self.note_miss(body);
            let settled = self.recurs && body.is_steady();
            if bytes > LARGE_BYTES && !settled && !self.is_at_ease(bytes) {
                self.put_large(body);
            }
        }
        if let Some(id) = self.books.ground.take(own, bytes, align) {
            return Ok((self.adopt(id), None));
        }
        self.find_elsewhere(body, bytes, align)
    }

    /// The steps after the stream's own free memory.
    #[cold]
    #[inline(never)]
    fn find_elsewhere(
        &mut self,
        body: &mut Body,
        bytes: u64,
        align: u64,
    ) -> Result<(u32, Option<Box<Growth>>), Refusal> {
        let (pool, own) = (self.pool, self.shard.index);
        let order = self.order;
        let known = |owner| pool.known_of(owner, order);
        let passed = |owner| pool.passed_of(owner, order);
        let view = View {
            owner: own,
            now: order.now(),
            known: &known,
            passed: &passed,
        };
        if bytes > SMALL_BYTES
            && self.claim()
            && let Some(id) = self.books.ground.take(own, bytes, align)
        {
            return Ok((self.adopt(id), None));
        }
        let backed = self.books.ground.backed_bytes();
        // A large request in a pool that economises first searches all memory of its own stream.
        if (bytes < self.pool.options.page.bytes() || backed + bytes <= self.soft_as_known())
            && let Some(id) = self
                .books
                .ground
                .take_from_others(own, bytes, align, &known)
        {
            return Ok((self.adopt(id), None));
        }
        if self.may_grow(body, bytes) {
            let growth = self.books.ground.grow(view, bytes, align, u64::MAX);
            if let Some(growth) = growth.map(Box::new) {
                return Ok((self.adopt(growth.block), Some(growth)));
            }
        }
        if self.recurs {
            self.strain(body).economised += 1;
            self.relieve(body);
        }
        // Merge cached blocks. Small ones are few bytes and would have to be cut again.
        self.settle(body, usize::MAX);
        if bytes > SMALL_BYTES && body.kept.small_bytes() < self.books.peak_needed / SMALL_SHARE {
            self.put_large(body);
        } else {
            self.put_all(body);
        }
        self.merge_others();
        if let Some(id) = self.books.ground.take(own, bytes, align) {
            return Ok((self.adopt(id), None));
        }
        let mut soft = self.soft(body).max(self.small());
        if self.coalesces() && bytes < self.pool.options.page.bytes() * LEAST_SCATTERED {
            soft = soft.max(self.needed_and(SCATTERED_SLACK));
        }
        // Other streams may need their memory next, so the stream's own memory comes first.
        if self.books.ground.backed_bytes() + bytes > soft {
            let growth = self.books.ground.borrow_own(view, bytes, align);
            if let Some(growth) = growth.map(Box::new) {
                return Ok((self.adopt(growth.block), Some(growth)));
            }
        }
        if let Some(id) = self.search_free(view, bytes, align) {
            return Ok((self.adopt(id), None));
        }
        // Take pending blocks of other shards only as far as needed.
        let ready = self.ready_elsewhere(bytes);
        for (taken, waiting) in ready.iter().enumerate() {
            // After a few of them, searching each time costs more than it gains.
            let looks = taken < LOOKS;
            let lacking = if looks {
                self.books.ground.lacking(view, bytes, align)
            } else {
                None
            };
            if lacking == Some(0) {
                break;
            }
            self.take_waiting(waiting, bytes, align, lacking);
            if looks && let Some(id) = self.search_free(view, bytes, align) {
                return Ok((self.adopt(id), None));
            }
        }
        if ready.len() > LOOKS
            && let Some(id) = self.search_free(view, bytes, align)
        {
            return Ok((self.adopt(id), None));
        }
        let growth = self.books.ground.grow(view, bytes, align, soft);
        let growth = if growth.is_none() {
            self.put_all(body);
            // Now all pending blocks are needed, even whole windows for a small block.
            for waiting in self.ready_elsewhere(bytes) {
                self.take_whole(&waiting);
            }
            if let Some(id) = self.search_free(view, bytes, align) {
                return Ok((self.adopt(id), None));
            }
            self.books.ground.grow(view, bytes, align, soft)
        } else {
            growth
        };
        let growth = Box::new(growth.ok_or(Refusal::Addresses)?);
        Ok((self.adopt(growth.block), Some(growth)))
    }

    /// The block at `wish`, a multiple of the granule, if it is cached here or its bytes are free.
    pub(super) fn at(&mut self, body: &mut Body, wish: u64, bytes: u64) -> Option<u32> {
        let (pool, own, order) = (self.pool, self.shard.index, self.order);
        self.settle(body, usize::MAX);
        // A cached block that covers the wish would be in the way.
        let covering = pool.starts.at_or_before(wish).filter(|&id| {
            let header = pool.headers.get(id);
            header.is(State::Kept) && header.home.load(Relaxed) == own
        });
        if covering.is_some() {
            self.put_all(body);
        }
        let before = wish
            .checked_sub(1)
            .and_then(|at| pool.starts.at_or_before(at));
        let known = |owner| pool.known_of(owner, order);
        let id = self
            .books
            .ground
            .take_at(own, wish, bytes, before, &known)?;
        Some(self.adopt(id))
    }

    /// Checks pending blocks of the shard; ready ones are cached or merged.
    #[inline]
    fn settle(&mut self, body: &mut Body, looks: usize) {
        if !body.pending.is_empty() {
            self.settle_some(body, looks);
        }
    }

    #[cold]
    fn settle_some(&mut self, body: &mut Body, looks: usize) {
        let (headers, own, order) = (&self.pool.headers, self.shard.stream(), self.order);
        let ready = body.take_ready(headers, looks, |body, header, id| {
            ready_for(body, header, id, own, order)
        });
        for (id, since) in ready {
            let header = headers.get(id);
            let at_home = header.offset.load(Relaxed) < self.pool.home;
            if at_home && body.kept.push(header, id, header.bytes.load(Relaxed)) {
                header.set(State::Kept);
            } else {
                self.pool.put(self.books, id, self.shard.index, since);
            }
        }
    }

    /// Merges all cached blocks of the shard.
    fn put_all(&mut self, body: &mut Body) {
        let (pool, own) = (self.pool, self.shard.index);
        let put = |id| pool.put_kept(self.books, id, own);
        body.kept.take_if(&pool.headers, |_, _| true, put);
    }

    /// Merges the cached blocks of the shard that are not small.
    fn put_large(&mut self, body: &mut Body) {
        let (pool, own) = (self.pool, self.shard.index);
        let put = |id| pool.put_kept(self.books, id, own);
        body.kept.take_large(&pool.headers, put);
    }

    /// A block from free memory: of the stream itself, of another stream, or from adjacent pieces.
    fn search_free(&mut self, view: View<'_>, bytes: u64, align: u64) -> Option<u32> {
        let ground = &mut self.books.ground;
        ground
            .take(view.owner, bytes, align)
            .or_else(|| ground.take_from_others(view.owner, bytes, align, view.known))
            .or_else(|| ground.take_run(view, bytes, align))
    }

    /// Takes pending blocks of other shards that this stream freed and may use: it is usually the first that may.
    /// Returns whether there were any.
    fn claim(&mut self) -> bool {
        let (pool, own, stream) = (self.pool, self.shard.index, self.shard.stream());
        if stream == HOST {
            return false;
        }
        let order = self.order;
        let mut any = false;
        for other in pool.shards.all().filter(|other| other.index != own) {
            let mut body = other.body.lock();
            let ready = body.take_ready(&pool.headers, usize::MAX, |body, header, id| {
                if header.requested.load(Relaxed) != stream {
                    return None;
                }
                if body.all_uses(header, id, |user, _| user == stream) {
                    return Some(body.last_use(header, id, stream));
                }
                ready_for(body, header, id, stream, order)
            });
            any |= !ready.is_empty();
            for (id, since) in ready {
                pool.put(self.books, id, own, since);
            }
        }
        any
    }

    /// Merges the cached blocks of other shards. They remain the owners: they may need the rest next, and then need
    /// not wait for this stream.
    fn merge_others(&mut self) {
        let (pool, own) = (self.pool, self.shard.index);
        for other in pool.shards.all().filter(|other| other.index != own) {
            let mut body = other.body.lock();
            if !body.kept.is_empty() {
                let put = |id| pool.put_kept(self.books, id, other.index);
                body.kept.take_if(&pool.headers, |_, _| true, put);
            }
            pool.reap(self.books, other, &mut body, self.order);
        }
    }

    /// Pending blocks of other shards that this stream may use: first the smallest one that is large enough, then
    /// the others from the largest down.
    fn ready_elsewhere(&self, bytes: u64) -> Vec<Waiting> {
        let (pool, order, stream) = (self.pool, self.order, self.shard.stream());
        let mut found = Vec::new();
        for other in pool.shards.all() {
            if other.index == self.shard.index {
                continue;
            }
            let body = other.body.lock();
            for &id in &body.pending {
                let header = pool.headers.get(id);
                if let Some(since) = ready_for(&body, header, id, stream, order) {
                    found.push(Waiting {
                        id,
                        home: other.index,
                        bytes: header.bytes.load(Relaxed),
                        offset: header.offset.load(Relaxed),
                        since,
                    });
                }
            }
        }
        found.sort_unstable_by_key(|it| (std::cmp::Reverse(it.bytes), it.offset));
        let enough = found.partition_point(|it| it.bytes >= bytes);
        found[..enough].rotate_right(usize::from(enough > 0));
        found
    }

    /// Takes from a pending block of another shard what a request needs: all its bytes, or just the pages that it is
    /// `lacking` if most of it comes from elsewhere. The rest stays pending.
    fn take_waiting(&mut self, waiting: &Waiting, bytes: u64, align: u64, lacking: Option<u64>) {
        let pool = self.pool;
        let Some(home) = pool.shards.get(waiting.home) else {
            return;
        };
        let (start, page) = (waiting.offset, pool.options.page);
        let end = match lacking {
            Some(pages) if page.start(pages) <= bytes / 2 => page.up(start) + page.start(pages),
            _ => start.next_multiple_of(align) + bytes,
        };
        if start >= pool.home && waiting.bytes > 2 * (end - start) {
            // A window can only be taken as a whole, because its pages are scattered: not worth it for a few pages.
            return;
        }
        let mut body = home.body.lock();
        if start < pool.home && end - start < waiting.bytes {
            let rest = self.books.ground.halve(waiting.id, end - start);
            // The table of pieces would be full first.
            assert!(pool.headers.make(rest), "2^26 blocks at most");
            body.halve(&pool.headers, waiting.id, rest, end - start);
            pool.starts.insert(end, rest);
        }
        drop(body);
        self.take_whole(waiting);
    }

    /// Takes a whole pending block of another shard.
    fn take_whole(&mut self, waiting: &Waiting) {
        let pool = self.pool;
        if let Some(home) = pool.shards.get(waiting.home) {
            home.body.lock().end_wait(&pool.headers, waiting.id);
            pool.put(self.books, waiting.id, self.shard.index, waiting.since);
        }
    }

    /// The bytes of pages that may be held before pages are borrowed: slightly more than the peak of needed bytes.
    /// Freed memory that cannot be reused yet counts as needed.
    fn soft(&mut self, body: &Body) -> u64 {
        let (pool, own, order) = (self.pool, self.shard.index, self.order);
        // This request is charged already.
        let mut needed = body.charged() + body.pending_bytes();
        let mut early: Vec<u64> = Vec::new();
        for piece in self.books.ground.free_pieces() {
            if piece.owner != own && piece.since > pool.known_of(piece.owner, order) {
                let owner = usize::from(piece.owner);
                if owner >= early.len() {
                    early.resize(owner + 1, 0);
                }
                early[owner] += piece.bytes;
            }
        }
        for other in pool.shards.all().filter(|other| other.index != own) {
            let early = early.get(usize::from(other.index)).copied().unwrap_or(0);
            let other = other.body.lock();
            // What another stream has beyond its own peak is not needed: it lies in the wrong places.
            let (live, most) = (other.charged(), other.most_charged());
            needed += (live + early).min(most) + other.pending_bytes();
        }
        self.books.peak_needed = self.books.peak_needed.max(needed);
        self.soft_as_known()
    }

    /// The same without updating the peak. Above the floor, memory is worth more than the time that a raised slack saves.
    fn soft_as_known(&self) -> u64 {
        let options = &self.pool.options;
        let slack = self.books.slack;
        let with = |slack| self.needed_and(slack);
        let soft = if self.is_raised_by_crowd() {
            with(slack)
        } else {
            let times = if self.is_disputed() {
                MOST_DISPUTED
            } else {
                MOST_ABOVE_FLOOR
            };
            let most = options.slack.saturating_mul(times);
            with(slack.min(most)).max(with(slack).min(options.floor))
        };
        soft.max(options.freely)
    }

    /// The peak of needed bytes and this slack.
    fn needed_and(&self, slack: u32) -> u64 {
        let peak = self.books.peak_needed;
        let more = peak.max(LEAST_PEAK) / 1000 * u64::from(slack);
        peak.saturating_add(more)
    }

    /// Whether the slack was raised because threads wait for each other.
    fn is_raised_by_crowd(&self) -> bool {
        let options = &self.pool.options;
        self.books.slack > options.slack.max(options.most_slack)
    }

    /// The bytes of pages that a small pool may hold before pages are borrowed: see [`super::Options::floor`].
    fn small(&self) -> u64 {
        let peak = self.books.peak_needed;
        self.pool.options.floor.min(peak + peak / BELOW_FLOOR)
    }

    /// Whether merging before every large request would cost more time than its memory is worth: while the pool holds
    /// little, or after the slack was raised, but not above the floor. There it would fill the memory with blocks that are
    /// in the way of the next requests, and more pages would have to be moved.
    fn is_at_ease(&self, bytes: u64) -> bool {
        let options = &self.pool.options;
        let held = self.books.ground.backed_bytes() + bytes;
        let raised = self.books.slack > options.slack;
        held <= options.freely || raised && (held <= options.floor || self.is_raised_by_crowd())
    }

    /// Whether freed blocks that are not small are merged at once. With several streams each free would wait for the
    /// ground's lock, and up to the floor memory is worth less than time.
    fn coalesces(&self) -> bool {
        self.books.coalesces && self.may_coalesce()
    }

    fn may_coalesce(&self) -> bool {
        let options = &self.pool.options;
        options.slack > 0 && self.books.ground.backed_bytes() > options.floor && !self.is_disputed()
    }

    /// Whether the pool may hold `bytes` more without economising. The peak is updated only if the known one does not
    /// suffice: that takes a walk over all free pieces.
    fn may_grow(&mut self, body: &Body, bytes: u64) -> bool {
        let held = self.books.ground.backed_bytes() + bytes;
        if self.books.slack == 0 {
            return held <= self.pool.options.freely;
        }
        held <= self.soft_as_known() || held <= self.soft(body)
    }

    /// What this turn has cost so far.
    fn strain(&mut self, body: &Body) -> &mut Strain {
        let peak = self.books.peak.max(self.books.peak_needed);
        let (serial, strain) = (body.serial(), &mut self.books.strain);
        let grew = peak > strain.peak + strain.peak / GROWING;
        if grew || serial.abs_diff(strain.since) > u64::from(TURN) {
            *strain = Strain {
                since: serial,
                peak,
                ..Strain::default()
            };
        }
        strain
    }

    /// Counts a request that found no cached block, if the program stays near its peak or at some level, and the pool at its
    /// limit. Most programs come to their peak only briefly in each step, and then saving memory is worth the time.
    fn note_miss(&mut self, body: &Body) {
        let stays = body.is_steady() || is_near_peak(body);
        if self.recurs
            && stays
            && !self.coalesces()
            && self.books.ground.backed_bytes() + LARGE_BYTES > self.soft_as_known()
        {
            self.strain(body).missed += 1;
            self.relieve(body);
        }
    }

    /// Raises the slack if saving memory costs too much time: the program requests many sizes in ever new combinations.
    fn relieve(&mut self, body: &Body) {
        let crowd = self.is_crowd();
        let relief = if self.books.busy > 1 {
            AMONG_OTHERS
        } else {
            ALONE
        };
        let raised = self.books.slack > self.pool.options.slack;
        let strain = &mut self.books.strain;
        let part = if raised { relief.again } else { 1 };
        let economised = strain.economised > relief.economised / part;
        if economised || strain.missed > MISSED / part {
            (strain.economised, strain.missed) = (0, 0);
            if economised && self.may_coalesce() && !self.books.coalesces {
                self.books.coalesces = true;
                return;
            }
            let most = self.pool.options.most_slack;
            let most = if crowd { most.max(CROWDED_SLACK) } else { most };
            let most = if is_near_peak(body) {
                most
            } else {
                most.min(BELOW_PEAK)
            };
            let raised = self.books.slack.saturating_mul(relief.step).min(most);
            self.books.slack = self.books.slack.max(raised);
        }
    }

    /// Whether many streams have live blocks and their threads wait for each other.
    fn is_crowd(&self) -> bool {
        self.books.crowded && self.is_disputed()
    }

    fn is_disputed(&self) -> bool {
        self.pool.disputes().wrapping_sub(self.books.disputes) >= DISPUTED
    }

    /// Turns a piece of the ground into a block of this shard.
    fn adopt(&mut self, id: u32) -> u32 {
        let piece = self.books.ground.piece(id);
        // The number of pieces was checked before.
        assert!(self.pool.headers.make(id), "2^26 blocks at most");
        let header = self.pool.headers.get(id);
        let home = header.home.load(Relaxed);
        // A thread that still holds the lock of its last home must not see it change.
        let last_home = if home == self.shard.index {
            None
        } else {
            self.pool.shards.get(home)
        };
        let _last_home = last_home.map(|shard| shard.body.lock());
        header.offset.store(piece.offset, Relaxed);
        header.bytes.store(piece.bytes, Relaxed);
        // As for a piece of the ground, now relative to the stream of this shard.
        let since = if piece.owner == self.shard.index {
            piece.since
        } else if piece.since <= self.pool.passed_of(piece.owner, self.order) {
            0
        } else {
            self.order.now()
        };
        header.position.store(since, Relaxed);
        header.home.store(self.shard.index, Relaxed);
        header.stream.store(HOST, Relaxed);
        header.next.store(NONE, Relaxed);
        header.set_plain(State::None);
        self.pool.starts.insert(piece.offset, id);
        id
    }
}
