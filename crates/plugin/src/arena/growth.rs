//! Carrying out what the pool asks for: more memory of the device.

use std::sync::atomic::Ordering;

use millpond_pool::{Ask, Growth, PAGE, Pages, Refusal};

use super::Arena;
use super::order::Blind;
use crate::calls::Refused;
use crate::lane::Lane;
use crate::segments::{STEP, lengths};
use crate::source::{Kind, Shortage};

/// Reason a request got nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    /// Live blocks alone would exceed the limit.
    Limit,
    /// What is held would exceed the limit.
    Held,
    /// The device refused.
    Device(Refused),
    /// No room is left in the range of offsets.
    Addresses,
    /// No more blocks can be described.
    Headers,
}

/// How often a place for a segment is looked for; see [`Arena::add_segment`].
const PLACES: usize = 64;

impl Arena {
    /// Carries out a growth of a block for `lane`. Without success the block is gone.
    pub(super) fn grow(&self, lane: &Lane, growth: Growth, need: u64) -> Result<Grown, Reason> {
        if self.source.kind() == Kind::Segments {
            // The pool would extend what is there, but device memory of a second segment does not
            // follow that of the first. So it gets a whole segment, and looks again.
            let commit = growth.commit.clone();
            self.pool
                .not_grown(&lane.shard, growth, &commit, lane.now());
            return self.add_segment(need).map(|()| Grown::LookAgain);
        }
        let commit = growth.commit.clone();
        let bytes = commit.iter().map(|run| run.bytes).sum();
        if !self.hold(bytes) {
            self.pool
                .not_grown(&lane.shard, growth, &commit, lane.now());
            return Err(Reason::Held);
        }
        for (at, &run) in commit.iter().enumerate() {
            if let Err(Shortage { missing, why }) = self.source.back(run) {
                let mut failed = vec![Pages {
                    offset: missing,
                    bytes: run.offset + run.bytes - missing,
                }];
                failed.extend_from_slice(&commit[at + 1..]);
                self.let_go(failed.iter().map(|run| run.bytes).sum());
                // What came stays in the pool, as free memory.
                self.pool
                    .not_grown(&lane.shard, growth, &failed, lane.now());
                return Err(Reason::Device(why));
            }
        }
        self.pool.grown(growth);
        self.counts.growths.fetch_add(1, Ordering::Relaxed);
        Ok(Grown::Done)
    }

    /// Adds a segment in which `need` bytes find room, as free memory for everybody.
    fn add_segment(&self, need: u64) -> Result<(), Reason> {
        let [better, least] = lengths(need).ok_or(Reason::Addresses)?;
        match self.add_segment_of(better) {
            Err(_) if least < better => self.add_segment_of(least),
            result => result,
        }
    }

    /// The pool is asked for a block of empty pages, which is then backed and freed at once.
    ///
    /// The block is asked for in the name of a stream that has nothing and knows nothing, so that
    /// the pool has only empty pages to offer. Memory that belongs to no stream is the
    /// exception: if the place touches such memory it is refused, after which that memory belongs to the
    /// stream that asked, and the next one in the next name gets another place.
    fn add_segment_of(&self, bytes: u64) -> Result<(), Reason> {
        if !self.hold(bytes) {
            return Err(Reason::Held);
        }
        let result = self.place_segment(bytes);
        if result != Ok(true) {
            self.let_go(bytes);
        }
        result.map(|_| ())
    }

    /// Answers whether a segment was added: if not, there is memory enough already.
    fn place_segment(&self, bytes: u64) -> Result<bool, Reason> {
        let ask = Ask {
            align: STEP,
            charge: 0,
            requested: 0,
            ..Ask::of(bytes)
        };
        for _ in 0..PLACES {
            let stream = self.next.fetch_add(1, Ordering::Relaxed);
            let shard = self.pool.shard(stream).ok_or(Reason::Addresses)?;
            let grant = self.pool.alloc_slow(&shard, &ask, &Blind);
            let result = match grant {
                Err(Refusal::Limit | Refusal::Reserve) => Some(Err(Reason::Limit)),
                Err(Refusal::Addresses) => Some(Err(Reason::Addresses)),
                Ok(grant) => match grant.growth {
                    None => {
                        let passed = |_| u64::MAX;
                        let freed = self.pool.free_block(&shard, grant.id, None, passed);
                        debug_assert!(freed.is_ok());
                        Some(Ok(false))
                    }
                    Some(growth) => {
                        let place = Pages {
                            offset: grant.offset,
                            bytes,
                        };
                        if growth.commit[..] == [place] {
                            let backed = self.source.back(place);
                            let failed: &[Pages] = if backed.is_ok() { &[] } else { &[place] };
                            // With nothing failed this is free memory.
                            self.pool.not_grown(&shard, *growth, failed, 0);
                            Some(
                                backed
                                    .map(|()| true)
                                    .map_err(|short| Reason::Device(short.why)),
                            )
                        } else {
                            let commit = growth.commit.clone();
                            self.pool.not_grown(&shard, *growth, &commit, 1);
                            None
                        }
                    }
                },
            };
            // What the name has is everybody's: its stream is not known, so it counts as over.
            self.pool.close(&shard);
            if let Some(result) = result {
                if result == Ok(true) {
                    self.counts.growths.fetch_add(1, Ordering::Relaxed);
                }
                return result;
            }
        }
        Err(Reason::Addresses)
    }

    /// Joins all free memory that everybody is past, so that pages and segments that several streams
    /// had a part of are whole.
    ///
    /// It is joined by a request for a block that is too large, which is then refused.
    pub(super) fn gather(&self) {
        let stream = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(shard) = self.pool.shard(stream) else {
            return;
        };
        let ask = Ask {
            charge: 0,
            ..Ask::of(self.limit.saturating_add(PAGE))
        };
        let order = self.order(0);
        if let Ok(grant) = self.pool.alloc_slow(&shard, &ask, &order)
            && let Some(growth) = grant.growth
        {
            let commit = growth.commit.clone();
            self.pool.not_grown(&shard, *growth, &commit, 0);
        }
        self.pool.close(&shard);
    }

    /// Counts bytes of the device as held; false if the limit does not allow it.
    fn hold(&self, bytes: u64) -> bool {
        let more = |held: u64| held.checked_add(bytes).filter(|&new| new <= self.limit);
        self.held
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, more)
            .is_ok()
    }

    fn let_go(&self, bytes: u64) {
        self.held.fetch_sub(bytes, Ordering::AcqRel);
    }

    /// Gives idle memory back so that `need` bytes can be asked for; returns whether any went.
    pub(super) fn make_room(&self, need: u64) -> bool {
        let keep = match self.source.kind() {
            Kind::Mapped => {
                let need = need.saturating_add(PAGE).next_multiple_of(PAGE);
                self.held().saturating_sub(need)
            }
            // Only whole segments go back; which of them are idle is not known beforehand.
            Kind::Segments => 0,
        };
        self.give_back(keep) > 0
    }
}

/// How a growth ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grown {
    /// The block is there.
    Done,
    /// The block is gone, but there is more memory.
    LookAgain,
}
