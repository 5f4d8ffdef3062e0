//! Sharing work out among threads.
//!
//! A large kernel is cut into parts that do not depend on each other. How many threads there are changes nothing but the time: parts
//! are cut by what is computed, and no result depends on who computed which part.
//!
//! The thread that runs a kernel takes parts like every other one and waits only for parts that others have begun. So a helper that
//! the machine does not let run costs nothing. Helpers sleep between kernels; nobody spins while there is nothing to do.
#![expect(
    unsafe_code,
    reason = "helpers call a function that lives on the stack of the thread that waits for them"
)]

use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

static LIMIT: AtomicUsize = AtomicUsize::new(0);
static TEAM: OnceLock<Team> = OnceLock::new();

/// Bounds the threads that a kernel uses, the one that runs it included. Takes effect before the first large kernel; 0 stands for as
/// many as the machine lets this process use.
pub fn set_threads(threads: usize) {
    LIMIT.store(threads, Ordering::Relaxed);
}

/// How many threads a kernel uses at most.
pub fn threads() -> usize {
    match LIMIT.load(Ordering::Relaxed) {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        limit => limit,
    }
}

/// Runs `each` for parts of `0..count`, on several threads if there is enough to do: parts have at least `least` members.
#[inline]
pub fn ranges(count: usize, least: usize, each: impl Fn(Range<usize>) + Sync) {
    if count < 2 * least.max(1) {
        if count > 0 {
            each(0..count);
        }
        return;
    }
    TEAM.get_or_init(|| Team::new(threads()))
        .share(count, least.max(1), &each);
}

type Each<'a> = &'a (dyn Fn(Range<usize>) + Sync);

/// A kernel that is being shared out.
#[derive(Clone, Copy)]
struct Job {
    each: Each<'static>,
    count: usize,
    /// Members of a part.
    size: usize,
}

#[derive(Default)]
struct State {
    job: Option<Job>,
    /// Which job it is: a helper takes part in each once.
    number: u64,
    /// Helpers that may still call the job's function.
    inside: usize,
    panic: Option<Box<dyn Any + Send>>,
    started: bool,
}

/// The threads that share kernels, one kernel at a time.
struct Team {
    helpers: usize,
    /// Somebody shares a kernel out. A second one at the same time is run by the thread that has it.
    busy: AtomicBool,
    next: AtomicUsize,
    state: Mutex<State>,
    called: Condvar,
    left: Condvar,
}

impl Team {
    fn new(threads: usize) -> Self {
        Self {
            helpers: threads.saturating_sub(1),
            busy: AtomicBool::new(false),
            next: AtomicUsize::new(0),
            state: Mutex::default(),
            called: Condvar::new(),
            left: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it holds the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // Not generic: one of it for all kernels.
    fn share(&'static self, count: usize, least: usize, each: Each<'_>) {
        // Part of another kernel, or beside one: no helper is free.
        if self.helpers == 0 || self.busy.swap(true, Ordering::Acquire) {
            return each(0..count);
        }
        // A few parts for each thread, so that one that is interrupted does not hold up the others for long.
        let parts = ((self.helpers + 1) * 4).min(count / least).max(1);
        // SAFETY: the function lives until `share` returns, and by then no helper has the job any more.
        let each = unsafe { std::mem::transmute::<Each<'_>, Each<'static>>(each) };
        let job = Job {
            each,
            count,
            size: count.div_ceil(parts),
        };
        self.next.store(0, Ordering::Relaxed);
        let mut state = self.state();
        state.job = Some(job);
        state.number += 1;
        if !state.started {
            state.started = true;
            self.start();
        }
        drop(state);
        for _ in 0..self.helpers.min(parts - 1) {
            self.called.notify_one();
        }
        let mine = self.work(job);
        let mut state = self.state();
        state.job = None;
        while state.inside > 0 {
            state = self
                .left
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let panic = state.panic.take().or(mine);
        drop(state);
        self.busy.store(false, Ordering::Release);
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }

    /// Computes parts until all are taken. Returns the panic of a part.
    fn work(&self, job: Job) -> Option<Box<dyn Any + Send>> {
        loop {
            let begin = self.next.fetch_add(1, Ordering::Relaxed) * job.size;
            if begin >= job.count {
                return None;
            }
            let part = begin..job.count.min(begin + job.size);
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (job.each)(part))) {
                return Some(panic);
            }
        }
    }

    #[cold]
    fn start(&'static self) {
        for index in 0..self.helpers {
            let thread = std::thread::Builder::new().name(format!("millpond-kernel-{index}"));
            // Whoever runs a kernel does without those that cannot be started.
            if thread.spawn(move || self.help()).is_err() {
                break;
            }
        }
    }

    fn help(&self) {
        let mut seen = 0;
        let mut state = self.state();
        loop {
            match state.job {
                Some(job) if state.number != seen => {
                    seen = state.number;
                    state.inside += 1;
                    drop(state);
                    let panic = self.work(job);
                    state = self.state();
                    state.inside -= 1;
                    state.panic = state.panic.take().or(panic);
                    if state.inside == 0 {
                        self.left.notify_one();
                    }
                }
                _ => {
                    state = self
                        .called
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::atomic::AtomicU32;
    use std::thread::ThreadId;

    use super::*;

    fn team(threads: usize) -> &'static Team {
        Box::leak(Box::new(Team::new(threads)))
    }

    #[test]
    fn every_member_has_its_turn_once() {
        for threads in [1, 2, 3] {
            let team = team(threads);
            for count in [1, 2, 7, 64, 1000] {
                let turns: Vec<AtomicU32> = (0..count).map(|_| AtomicU32::new(0)).collect();
                team.share(count, 1, &|range| {
                    for member in range {
                        turns[member].fetch_add(1, Ordering::Relaxed);
                    }
                });
                assert!(turns.iter().all(|turn| turn.load(Ordering::Relaxed) == 1));
            }
        }
    }

    /// The bound counts the thread that runs the kernel, and what a kernel shares out inside a part is not shared again.
    #[test]
    fn no_more_threads_than_the_bound() {
        for threads in [1, 2, 3] {
            let team = team(threads);
            let seen: Mutex<HashSet<ThreadId>> = Mutex::default();
            let note = || {
                seen.lock().unwrap().insert(std::thread::current().id());
            };
            for _ in 0..100 {
                team.share(64, 1, &|_| {
                    note();
                    team.share(4, 1, &|_| note());
                });
            }
            let seen = seen.lock().unwrap().len();
            assert!((1..=threads).contains(&seen), "{seen} threads of {threads}");
        }
    }

    #[test]
    fn a_panic_reaches_the_caller_after_all_have_left() {
        let team = team(3);
        for _ in 0..20 {
            let caught = catch_unwind(|| {
                team.share(64, 1, &|range| {
                    assert!(!range.contains(&40), "the part of 40");
                });
            });
            assert!(caught.is_err());
            assert_eq!(team.state().inside, 0);
        }
        let all = AtomicUsize::new(0);
        team.share(64, 1, &|range| {
            all.fetch_add(range.len(), Ordering::Relaxed);
        });
        assert_eq!(all.into_inner(), 64);
    }
}
