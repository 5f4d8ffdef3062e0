//! Ends waits whose time is up. One thread, started with the first such wait.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Weak};
use std::time::Instant;

use super::spawn;
use crate::lock::{Condvar, Mutex, rank};
use crate::stream::StreamCore;

#[derive(Debug, Default)]
pub(super) struct Timer {
    clock: Arc<Clock>,
}

#[derive(Debug, Default)]
struct Clock {
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
    stream: Weak<StreamCore>,
    position: u64,
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
    pub(super) fn add(&self, at: Instant, stream: &Arc<StreamCore>, position: u64) {
        let mut state = self.clock.state.lock();
        state.due.push(Reverse(Due {
            at,
            stream: Arc::downgrade(stream),
            position,
        }));
        if !state.running {
            let clock = Arc::clone(&self.clock);
            state.running = spawn("millpond-timer", move || clock.tick()).is_ok();
        }
        drop(state);
        self.clock.changed.notify_one();
    }

    pub(super) fn shut_down(&self) {
        self.clock.state.lock().ended = true;
        self.clock.changed.notify_one();
    }
}

impl Clock {
    fn tick(&self) {
        let mut state = self.state.lock();
        while !state.ended {
            let Some(Reverse(first)) = state.due.peek() else {
                self.changed.wait(&mut state);
                continue;
            };
            let at = first.at;
            if Instant::now() < at {
                self.changed.wait_until(&mut state, at);
                continue;
            }
            if let Some(Reverse(due)) = state.due.pop()
                && let Some(stream) = due.stream.upgrade()
            {
                drop(state);
                stream.expire(due.position);
                drop(stream);
                state = self.state.lock();
            }
        }
    }
}
