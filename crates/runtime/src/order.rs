//! Which work of which stream is known to be done.
//!
//! Every stream has an entry: how far it really is, and how far the program has *seen* it, by a
//! synchronisation or a query. Memory is reused by what was seen, not by what happens to be true at that
//! moment, so the same calls give the same addresses. Only if much memory is pending, or none is
//! left, are streams asked how far they really are ([`Streams::look`]).
//!
//! What one stream knows of another is its [`Clock`]: see `stream/core/mod.rs`. A clock is right as long as no wait
//! is dropped. When one is, by an abort or because its stream has stopped, every clock that was
//! derived from it is wrong, and these are not tracked. So all clocks are invalidated
//! ([`Streams::break_order`]), and memory that pools reused because of them waits for everything that was queued at that
//! moment (a *ghost*: see [`Streams::ghost`]).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use millpond_pool::{Clock, HOST, Order};
use millpond_trace::NumberMap;

use crate::lock::{RwLock, rank};
use crate::memory::StandIns;
use crate::stream::Progress;

/// How far every stream is.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    progress: RwLock<rank::StreamProgress, NumberMap<u64, Arc<Progress>>>,
    /// Whether what is true counts as seen.
    polls: AtomicBool,
    /// How often waits were thrown away: clocks of before are worth nothing.
    breaks: AtomicU64,
    /// Stand-ins for streams, with what has to pass before they have.
    ghosts: RwLock<rank::Ghosts, NumberMap<u64, Vec<(u64, u64)>>>,
    /// Stand-ins for blocks in quarantine: only in the checking mode.
    held: Option<StandIns>,
}

/// A clock, and how often waits had been thrown away when it was made.
#[derive(Debug, Default)]
pub(crate) struct Known {
    clock: Clock,
    breaks: u64,
}

impl Known {
    /// What it is still worth.
    pub(crate) fn clock(&self, streams: &Streams) -> Clock {
        if self.breaks == streams.breaks() {
            self.clock.clone()
        } else {
            Clock::default()
        }
    }

    /// Makes it that clock, as of now.
    pub(crate) fn set(&mut self, clock: Clock, streams: &Streams) {
        self.breaks = streams.breaks();
        self.clock = clock;
    }
}

impl Streams {
    pub(crate) fn new(polls: bool, guards: bool) -> Self {
        Self {
            polls: AtomicBool::new(polls),
            held: guards.then(StandIns::new),
            ..Self::default()
        }
    }

    pub(crate) fn held(&self) -> Option<&StandIns> {
        self.held.as_ref()
    }

    pub(crate) fn add(&self, stream: u64, progress: &Arc<Progress>) {
        self.progress.write().insert(stream, Arc::clone(progress));
    }

    /// The stream has nothing queued any more and nobody can put anything in.
    pub(crate) fn remove(&self, stream: u64) {
        self.progress.write().remove(&stream);
    }

    /// Up to which position the work of a stream was seen to have passed. Streams that are gone have
    /// passed for good.
    pub(crate) fn passed(&self, stream: u64) -> u64 {
        if stream == HOST {
            return u64::MAX;
        }
        if let Some(progress) = self.progress.read().get(&stream) {
            return if self.polls.load(Ordering::Relaxed) {
                progress.completed()
            } else {
                progress.seen()
            };
        }
        self.of_ghost(stream, |stream| self.passed(stream))
    }

    /// Up to which position it really has.
    pub(crate) fn completed(&self, stream: u64) -> u64 {
        if let Some(progress) = self.progress.read().get(&stream) {
            return progress.completed();
        }
        self.of_ghost(stream, |stream| self.completed(stream))
    }

    /// A stream that is gone has passed for good; a ghost when everything has that it stands for.
    fn of_ghost(&self, stream: u64, passed: impl Fn(u64) -> u64) -> u64 {
        if let Some(held) = &self.held
            && StandIns::is_one(stream)
        {
            return held.passed(stream);
        }
        let waits = self.ghosts.read().get(&stream).cloned();
        let over = waits.is_none_or(|waits| {
            waits
                .iter()
                .all(|&(stream, position)| passed(stream) >= position)
        });
        if over { u64::MAX } else { 0 }
    }

    fn breaks(&self) -> u64 {
        self.breaks.load(Ordering::SeqCst)
    }

    /// Waits are thrown away: what clocks say is not so any more.
    pub(crate) fn break_order(&self) {
        self.breaks.fetch_add(1, Ordering::SeqCst);
    }

    /// A stand-in that has passed when everything has that is queued now on any stream.
    pub(crate) fn ghost(&self, number: u64) {
        let progress = self.progress.read();
        let queued = progress
            .iter()
            .map(|(&stream, progress)| (stream, progress.enqueued()))
            .filter(|&(stream, position)| progress[&stream].seen() < position);
        let waits: Vec<_> = queued.collect();
        drop(progress);
        let mut ghosts = self.ghosts.write();
        let known = |stream: &u64| self.progress.read().contains_key(stream);
        // Those that wait for nobody any more need not be known.
        ghosts.retain(|_, waits| waits.iter().any(|(stream, _)| known(stream)));
        ghosts.insert(number, waits);
    }

    /// Everything that an event's clock knows has passed: somebody has seen the event reached.
    pub(crate) fn saw(&self, clock: &Clock) {
        let progress = self.progress.read();
        for (stream, position) in clock.entries() {
            // The position is that of a record: when everything in front of it has ended, it is reached. An
            // abort may have let it be reached before.
            if let Some(progress) = progress.get(&stream)
                && progress.completed() + 1 >= position
            {
                progress.see(position);
            }
        }
    }

    /// Asks every stream how far it is.
    #[cold]
    pub(crate) fn look(&self) {
        for progress in self.progress.read().values() {
            progress.see(progress.completed());
        }
    }
}

/// What somebody knows who is in no stream: what has passed for everybody.
pub(crate) struct HostOrder<'a>(pub(crate) &'a Streams);

impl Order for HostOrder<'_> {
    fn known(&self, stream: u64) -> u64 {
        self.0.passed(stream)
    }

    fn passed(&self, stream: u64) -> u64 {
        self.0.passed(stream)
    }

    fn now(&self) -> u64 {
        0
    }
}
