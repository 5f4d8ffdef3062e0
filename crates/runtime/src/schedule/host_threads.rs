//! Threads for functions of the program: as many as run at once, at most 1,024.
//!
//! A function may wait for a function of another stream, so no function queues behind a running
//! one, unless the limit is reached. Idle threads end after a second.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::spawn;
use crate::lock::{Condvar, Mutex, rank};
use crate::stream::HostWork;

const MOST: usize = 1024;
const IDLE: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub(super) struct HostThreads {
    crew: Arc<Crew>,
}

#[derive(Debug, Default)]
struct Crew {
    state: Mutex<rank::HostThreads, State>,
    came: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<HostWork>,
    threads: usize,
    idle: usize,
    ended: bool,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} threads, {} idle", self.threads, self.idle)
    }
}

impl HostThreads {
    pub(super) fn run(&self, run: HostWork) -> Result<(), String> {
        let mut state = self.crew.state.lock();
        state.waiting.push_back(run);
        if state.idle >= state.waiting.len() {
            drop(state);
            self.crew.came.notify_one();
            return Ok(());
        }
        if state.threads >= MOST {
            // It runs when one of the others ends.
            return Ok(());
        }
        let crew = Arc::clone(&self.crew);
        match spawn("millpond-host", move || crew.work()) {
            Ok(()) => state.threads += 1,
            Err(reason) if state.threads == 0 => {
                state.waiting.pop_back();
                return Err(reason);
            }
            // Fewer threads than wanted, but some: they will come to it.
            Err(_) => {}
        }
        Ok(())
    }

    pub(super) fn shut_down(&self) {
        self.crew.state.lock().ended = true;
        self.crew.came.notify_all();
    }
}

impl Crew {
    fn work(&self) {
        let mut state = self.state.lock();
        loop {
            if let Some(run) = state.waiting.pop_front() {
                drop(state);
                run();
                state = self.state.lock();
                continue;
            }
            if state.ended {
                break;
            }
            state.idle += 1;
            let late = self.came.wait_for(&mut state, IDLE).timed_out();
            state.idle -= 1;
            if late && state.waiting.is_empty() {
                break;
            }
        }
        state.threads -= 1;
    }
}
