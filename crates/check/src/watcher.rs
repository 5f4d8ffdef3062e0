//! A checker that listens to a runtime.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use millpond_trace::{Record, Sink};

use crate::{Change, Checker, Finding, GateOptions, Options, Statistics};

/// More findings than anybody reads. The others are counted by [`Watcher::left_out`].
const MOST: usize = 10_000;

/// A checker behind a lock, which can be attached to a tap: `tap.attach(watcher.clone())`.
///
/// Judging happens on the thread that does what is judged, so a finding is there when the call that
/// caused it returns.
#[derive(Debug)]
pub struct Watcher {
    state: Mutex<State>,
    /// There are pages to be closed or opened: most records change none.
    changed: AtomicBool,
}

#[derive(Debug)]
struct State {
    checker: Checker,
    found: Vec<Finding>,
    /// How many findings came before the first of `found`, and how many came in all.
    base: usize,
    yielded: usize,
    left_out: u64,
    ended: bool,
}

impl Watcher {
    /// One that has seen nothing.
    pub fn new(options: Options) -> Self {
        Self {
            state: Mutex::new(State {
                checker: Checker::new(options),
                found: Vec::new(),
                base: 0,
                yielded: 0,
                left_out: 0,
                ended: false,
            }),
            changed: AtomicBool::new(false),
        }
    }

    /// Reads one record, and answers what was found by it. After [`Watcher::end`] nothing is.
    pub fn read(&self, record: &Record) -> Vec<Finding> {
        let mut state = self.lock();
        if state.ended {
            return Vec::new();
        }
        state.checker.read(record);
        self.note_changes(&mut state);
        state.collect()
    }

    fn note_changes(&self, state: &mut State) {
        if state.checker.has_changes() {
            self.changed.store(true, Ordering::Relaxed);
        }
    }

    /// From now on [`Watcher::changes`] says which pages of pinned memory are to be closed and opened. False if no rule
    /// needs that.
    pub fn keep_gate(&self, options: GateOptions) -> bool {
        self.lock().checker.keep_gate(options)
    }

    /// Pages that are to be closed or opened since the last time, in this order. Whoever attaches the watcher carries them
    /// out before the call returns that made the record; after [`Watcher::end`] everything is open.
    pub fn changes(&self) -> Vec<Change> {
        if !self.changed.swap(false, Ordering::Relaxed) {
            return Vec::new();
        }
        self.lock().checker.changes()
    }

    /// Says that no more records count, and answers what was found by that. The second time nothing is.
    pub fn end(&self) -> Vec<Finding> {
        let mut state = self.lock();
        if std::mem::replace(&mut state.ended, true) {
            return Vec::new();
        }
        state.checker.end();
        self.note_changes(&mut state);
        state.collect()
    }

    /// Whether [`Watcher::end`] was called.
    pub fn has_ended(&self) -> bool {
        self.lock().ended
    }

    /// Everything that was found and not taken, with how often it happened so far.
    pub fn findings(&self) -> Vec<Finding> {
        let mut state = self.lock();
        state.count();
        state.found.clone()
    }

    /// The same, which are then no longer kept.
    pub fn take(&self) -> Vec<Finding> {
        let mut state = self.lock();
        state.count();
        std::mem::take(&mut state.found)
    }

    /// How often each finding happened so far, also those that were taken, in the order in which they
    /// were first found.
    pub fn times(&self) -> Vec<u64> {
        self.lock().checker.times().to_vec()
    }

    /// How many findings were not kept because there were too many.
    pub fn left_out(&self) -> u64 {
        self.lock().left_out
    }

    /// How much there was to do.
    pub fn statistics(&self) -> Statistics {
        self.lock().checker.statistics()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn collect(&mut self) -> Vec<Finding> {
        let fresh = self.checker.drain();
        if self.found.is_empty() {
            self.base = self.yielded;
        }
        self.yielded += fresh.len();
        let room = MOST.saturating_sub(self.found.len()).min(fresh.len());
        self.left_out += (fresh.len() - room) as u64;
        self.found.extend_from_slice(&fresh[..room]);
        fresh
    }

    fn count(&mut self) {
        let times = self.checker.times();
        for (finding, &times) in self
            .found
            .iter_mut()
            .zip(times.get(self.base..).unwrap_or_default())
        {
            finding.times = times;
        }
    }
}

impl Sink for Watcher {
    fn record(&self, record: &Record) {
        self.read(record);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use millpond_trace::{Operation, Tap};

    use super::*;

    #[test]
    fn it_reads_what_comes_out_of_a_tap_until_the_end() {
        let tap = Tap::default();
        let watcher = Arc::new(Watcher::new(Options::default()));
        tap.attach(watcher.clone());
        tap.emit(|| Operation::Initialized);
        tap.emit(|| Operation::Finalized);
        watcher.end();
        tap.emit(|| Operation::Initialized);
        assert_eq!(watcher.statistics().records, 2);
        assert!(watcher.take().is_empty());
    }
}
