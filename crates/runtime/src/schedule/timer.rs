//! Ends waits whose time is up, and calls functions when their time has come. One thread, started with the first of them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Weak};
use std::time::Instant;

use super::spawn;
use crate::clock::{Clock, Expected, STEP};
use crate::lock::{Condvar, Mutex, rank};
use crate::stream::{HostWork, StreamCore};

#[derive(Debug)]
pub(super) struct Timer {
    bell: Arc<Bell>,
}

#[derive(Debug)]
struct Bell {
    clock: Arc<Clock>,
    state: Mutex<rank::Timer, State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    due: BinaryHeap<Reverse<Due>>,
    running: bool,
    ended: bool,
}

#[derive(Debug)]
struct Due {
    at: Instant,
    then: Then,
    /// Where time does not pass by itself, it stops here.
    expected: Expected,
}

enum Then {
    /// The stream may be parked at this position.
    Expire(Weak<StreamCore>, u64),
    Call(HostWork),
}

impl std::fmt::Debug for Then {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Expire(..) => "Expire",
            Self::Call(_) => "Call",
        })
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}
impl Eq for Due {}
impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Due {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.at.cmp(&other.at)
    }
}

impl Timer {
    pub(super) fn new(clock: &Arc<Clock>) -> Self {
        Self {
            bell: Arc::new(Bell {
                clock: Arc::clone(clock),
                state: Mutex::default(),
                changed: Condvar::new(),
            }),
        }
    }

    pub(super) fn add(&self, at: Instant, stream: &Arc<StreamCore>, position: u64) {
        self.push(at, Then::Expire(Arc::downgrade(stream), position));
    }

    pub(super) fn call(&self, at: Instant, call: HostWork) {
        self.push(at, Then::Call(call));
    }

    fn push(&self, at: Instant, then: Then) {
        let due = Reverse(Due {
            at,
            then,
            expected: self.bell.clock.expect(Some(at), false),
        });
        let mut state = self.bell.state.lock();
        state.due.push(due);
        if !state.running {
            let bell = Arc::clone(&self.bell);
            state.running = spawn("millpond-timer", move || bell.ring()).is_ok();
        }
        drop(state);
        self.bell.changed.notify_one();
    }

    pub(super) fn calls_left(&self) -> usize {
        let state = self.bell.state.lock();
        let calls = state.due.iter();
        calls
            .filter(|Reverse(due)| matches!(due.then, Then::Call(_)))
            .count()
    }

    /// Time passes in another way from now on.
    pub(super) fn look_again(&self) {
        self.bell.changed.notify_one();
    }

    pub(super) fn shut_down(&self) {
        self.bell.state.lock().ended = true;
        self.bell.changed.notify_one();
    }
}

impl Bell {
    fn ring(&self) {
        let mut state = self.state.lock();
        while !state.ended {
            let Some(Reverse(first)) = state.due.peek() else {
                self.changed.wait(&mut state);
                continue;
            };
            let at = first.at;
            if self.clock.now() < at {
                if self.clock.is_real() {
                    let at = self.clock.on_machine(at);
                    self.changed.wait_until(&mut state, at);
                } else {
                    self.changed.wait_for(&mut state, STEP);
                    drop(state);
                    // Nobody else may be there to do it: a program that sleeps between its questions.
                    self.clock.let_pass();
                    state = self.state.lock();
                }
                continue;
            }
            if let Some(Reverse(due)) = state.due.pop() {
                drop(state);
                due.come();
                state = self.state.lock();
            }
        }
    }
}

impl Due {
    fn come(self) {
        match self.then {
            Then::Expire(stream, position) => {
                if let Some(stream) = stream.upgrade() {
                    stream.expire(position);
                }
            }
            Then::Call(call) => call(),
        }
        // Only now: until the stream has gone on, time stands still.
        drop(self.expected);
    }
}
