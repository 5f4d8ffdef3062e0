//! The schedule `eager`: a fixed number of workers and one queue of ready streams.
//!
//! A stream that is ready is in the queue of its priority; a worker takes it, runs a slice of its
//! tasks and puts it back if it has more, so that a long stream does not keep others waiting.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{Goal, spawn};
use crate::lock::{Condvar, Mutex, rank};
use crate::stream::{Stepped, StreamCore};

/// Tasks of one stream that a worker runs before it looks at the next stream.
const SLICE: usize = 64;
/// Priorities are numbers from 0, the most urgent, to 7.
const PRIORITIES: usize = 8;

#[derive(Debug)]
pub(super) struct Eager {
    workers: usize,
    started: AtomicBool,
    pond: Arc<Pond>,
}

#[derive(Debug, Default)]
struct Pond {
    state: Mutex<rank::EagerState, State>,
    woken: Condvar,
}

#[derive(Debug, Default)]
struct State {
    ready: [VecDeque<Arc<StreamCore>>; PRIORITIES],
    sleeping: usize,
    ended: bool,
}

impl State {
    fn pop(&mut self) -> Option<Arc<StreamCore>> {
        self.ready.iter_mut().find_map(VecDeque::pop_front)
    }
}

impl Eager {
    pub(super) fn new(workers: usize) -> Self {
        Self {
            workers: workers.max(1),
            started: AtomicBool::new(false),
            pond: Arc::default(),
        }
    }

    pub(super) fn ready(&self, stream: &Arc<StreamCore>) {
        self.pond.ready(Arc::clone(stream));
        if !self.started.load(Ordering::Acquire) {
            self.start();
        }
    }

    /// Starts the workers at the first task: a program that has none gets no threads.
    #[cold]
    fn start(&self) {
        let state = self.pond.state.lock();
        if self.started.load(Ordering::Acquire) {
            return;
        }
        let mut running = 0;
        for _ in 0..self.workers {
            let pond = Arc::clone(&self.pond);
            if spawn("millpond-worker", move || pond.work()).is_ok() {
                running += 1;
            }
        }
        // Without any worker the next task tries again: limits on threads can be temporary.
        self.started.store(running > 0, Ordering::Release);
        drop(state);
    }

    /// Waits for a goal; false if the time was up first.
    ///
    /// Where no worker could be started, for want of threads or address space, the waiting thread
    /// does their work: slowly, but nothing stalls.
    pub(super) fn wait(&self, goal: &Goal, deadline: Option<Instant>) -> bool {
        const LOOK_AGAIN: Duration = Duration::from_millis(1);
        while !self.started.load(Ordering::Acquire) {
            if goal.reached() {
                return true;
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return false;
            }
            let stream = self.pond.state.lock().pop();
            match stream {
                Some(stream) if stream.claim() => self.pond.run(stream),
                Some(_) => {}
                // Host functions, timers and other threads may make something ready.
                None => {
                    let soon = Instant::now() + LOOK_AGAIN;
                    let until = deadline.map_or(soon, |deadline| deadline.min(soon));
                    goal.block(Some(until));
                }
            }
        }
        goal.block(deadline)
    }

    pub(super) fn shut_down(&self) {
        self.pond.state.lock().ended = true;
        self.pond.woken.notify_all();
    }
}

impl Pond {
    fn ready(&self, stream: Arc<StreamCore>) {
        let priority = (stream.priority as usize).min(PRIORITIES - 1);
        let mut state = self.state.lock();
        state.ready[priority].push_back(stream);
        let wake = state.sleeping > 0;
        drop(state);
        if wake {
            self.woken.notify_one();
        }
    }

    fn work(&self) {
        while let Some(stream) = self.next() {
            if stream.claim() {
                self.run(stream);
            }
        }
    }

    fn run(&self, stream: Arc<StreamCore>) {
        for task in 0..SLICE {
            // Where one task came from, more are likely to come.
            if stream.step(task > 0) == Stepped::Left {
                return;
            }
        }
        if stream.release() {
            self.ready(stream);
        }
    }

    fn next(&self) -> Option<Arc<StreamCore>> {
        let mut state = self.state.lock();
        loop {
            if let Some(stream) = state.pop() {
                return Some(stream);
            }
            if state.ended {
                return None;
            }
            state.sleeping += 1;
            self.woken.wait(&mut state);
            state.sleeping -= 1;
        }
    }
}
