//! Which work of which stream has passed, as far as is known.
//!
//! Every stream that exists has an entry: how far it really is, and how far somebody was *seen* to know
//! it is: a synchronisation or a query said so. Memory is handed on by what was seen, not by what
//! happens to be true at that moment, so the same calls give the same addresses. Only where much
//! memory waits, or none is left, are streams asked how far they really are ([`Streams::look`]).
//!
//! What one stream knows of another is its [`Clock`]: see `stream/core.rs`.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use millpond_pool::{Clock, HOST, Order};
use parking_lot::RwLock;

use crate::stream::Progress;

/// How far every stream is.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    progress: RwLock<HashMap<u64, Arc<Progress>>>,
    /// Whether what is true counts as seen.
    polls: AtomicBool,
}

impl Streams {
    pub(crate) fn new(polls: bool) -> Self {
        Self {
            polls: AtomicBool::new(polls),
            ..Self::default()
        }
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
        match self.progress.read().get(&stream) {
            None => u64::MAX,
            Some(progress) if self.polls.load(Ordering::Relaxed) => progress.completed(),
            Some(progress) => progress.seen(),
        }
    }

    /// Up to which position it really has.
    pub(crate) fn completed(&self, stream: u64) -> u64 {
        let progress = self.progress.read();
        progress
            .get(&stream)
            .map_or(u64::MAX, |progress| progress.completed())
    }

    /// Everything that an event's clock knows has passed: somebody has seen the event reached.
    pub(crate) fn saw(&self, clock: &Clock) {
        let progress = self.progress.read();
        for (stream, position) in clock.entries() {
            if let Some(progress) = progress.get(&stream) {
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
