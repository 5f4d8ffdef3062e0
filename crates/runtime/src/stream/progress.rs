//! How far a stream is: two numbers that many threads read.

use std::sync::atomic::{AtomicU64, Ordering};

/// How far a stream is. Outlives the stream, so that what waits for it need not keep it.
#[derive(Debug)]
pub(crate) struct Progress {
    /// The stream's number.
    pub(crate) stream: u64,
    /// Written by whoever enqueues; apart from `completed`, so that the two do not share a line.
    pub(super) enqueued: Apart<AtomicU64>,
    /// Written by whoever runs the stream.
    pub(super) completed: Apart<AtomicU64>,
    /// How far the program has seen it, by a synchronisation or a query.
    seen: AtomicU64,
}

/// A value on a cache line of its own, and its neighbour, which processors fetch along.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Apart<T>(T);

impl<T> std::ops::Deref for Apart<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl Progress {
    pub(crate) fn new(stream: u64) -> Self {
        Self {
            stream,
            enqueued: Apart::default(),
            completed: Apart::default(),
            seen: AtomicU64::new(0),
        }
    }

    /// How many tasks were ever put into the stream.
    #[inline]
    pub(crate) fn enqueued(&self) -> u64 {
        self.enqueued.load(Ordering::Acquire)
    }

    /// How many tasks the program has seen end.
    pub(crate) fn seen(&self) -> u64 {
        self.seen.load(Ordering::Acquire)
    }

    /// Somebody has seen that so many have ended.
    pub(crate) fn see(&self, position: u64) {
        self.seen.fetch_max(position, Ordering::AcqRel);
    }

    /// How many tasks have ended.
    #[inline]
    pub(crate) fn completed(&self) -> u64 {
        self.completed.load(Ordering::SeqCst)
    }
}
