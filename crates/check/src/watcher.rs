//! A checker that is attached to a runtime.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use millpond_trace::{Record, Sink};

use crate::{Change, Checker, Finding, GateOptions, Options, Statistics, limits};

/// A checker behind a lock, which can be attached to a tap: `tap.attach(watcher.clone())`.
///
/// It judges on the thread that emits the record, so a finding exists when the call that caused it returns.
#[derive(Debug)]
pub struct Watcher {
    state: Mutex<State>,
    /// Whether there are pages to close or open: most records change none.
    changed: AtomicBool,
}

#[derive(Debug)]
struct State {
    checker: Checker,
    found: Vec<Finding>,
    /// The number of findings before the first of `found`, and of all findings.
    base: usize,
    yielded: usize,
    dropped_findings: u64,
    ended: bool,
}

impl Watcher {
    /// A watcher without records.
    pub fn new(options: Options) -> Self {
        Self {
            state: Mutex::new(State {
                checker: Checker::new(options),
                found: Vec::new(),
                base: 0,
                yielded: 0,
                dropped_findings: 0,
                ended: false,
            }),
            changed: AtomicBool::new(false),
        }
    }

    /// Reads one record and returns new findings. After [`Watcher::end`] it does nothing.
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

    /// From now on [`Watcher::changes`] returns which pages of pinned memory to close and open. Returns false if no rule needs
    /// that.
    pub fn keep_gate(&self, options: GateOptions) -> bool {
        self.lock().checker.keep_gate(options)
    }

    /// Pages to close or open since the last call, in this order. The caller must apply them before the call that emitted the
    /// record returns. After [`Watcher::end`] everything is open.
    pub fn changes(&self) -> Vec<Change> {
        if !self.changed.swap(false, Ordering::Relaxed) {
            return Vec::new();
        }
        self.lock().checker.changes()
    }

    /// Ends the check and returns the last findings. A second call returns none.
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

    /// All findings that were not taken, with how often they happened so far.
    pub fn findings(&self) -> Vec<Finding> {
        let mut state = self.lock();
        state.count();
        state.found.clone()
    }

    /// Takes these findings.
    pub fn take(&self) -> Vec<Finding> {
        let mut state = self.lock();
        state.count();
        std::mem::take(&mut state.found)
    }

    /// How often each finding happened so far, including taken ones, in the order in which they were found.
    pub fn times(&self) -> Vec<u64> {
        self.lock().checker.times().to_vec()
    }

    /// How many findings were dropped because there were too many.
    pub fn dropped_findings(&self) -> u64 {
        self.lock().dropped_findings
    }

    /// Statistics so far.
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
        let room = limits::FINDINGS
            .saturating_sub(self.found.len())
            .min(fresh.len());
        self.dropped_findings += (fresh.len() - room) as u64;
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
    fn it_reads_the_records_of_a_tap_until_the_end() {
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
