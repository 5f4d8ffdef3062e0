//! The schedules `latest` and `seed=N`: as late as possible, or in an order chosen by a seed.
//!
//! No task runs on its own. The threads that call the runtime run tasks inside their calls:
//!
//! | call | latest | seeded |
//! | --- | --- | --- |
//! | enqueue | nothing | none, few or up to two tasks of streams chosen by the seed |
//! | query | one task of what it depends on | one task of what it depends on |
//! | synchronise, process reports | exactly what it depends on | ready streams chosen by the seed, until it is done |
//!
//! After a while without such a call (five milliseconds, unless set otherwise) the oldest runnable task runs, and so on until the
//! next call, so that programs that poll memory or wait for each other finish too.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::{Goal, spawn};
use crate::lock::{Condvar, Mutex, rank};
use crate::stream::{Head, Stepped, StreamCore};

/// How long a seeded step waits for a host function, so that the order does not depend on time.
const HOST_FUNCTION: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub(super) struct Director {
    board: Arc<Board>,
    seed: Option<Mutex<rank::DirectorSeed, Random>>,
    keeper: AtomicBool,
}

/// What all threads look at.
#[derive(Debug)]
struct Board {
    /// Streams that have something to do, in the order of their numbers.
    busy: Mutex<rank::DirectorBusy, Vec<Arc<StreamCore>>>,
    /// Counts every move; waiting threads wait for it to change.
    moves: Mutex<rank::DirectorMoves, u64>,
    moved: Condvar,
    began: Instant,
    /// How long to wait for a call before queued tasks run anyway.
    patience: Duration,
    /// Microseconds from `began` to the last call.
    last_call: AtomicU64,
    /// Calls that have made a choice and wait for what it started: nothing runs on its own then.
    choosing: AtomicUsize,
    ended: AtomicBool,
}

impl Director {
    pub(super) fn latest(patience: Duration) -> Self {
        Self::with(None, patience)
    }

    pub(super) fn seeded(seed: u64, patience: Duration) -> Self {
        Self::with(Some(Mutex::new(Random::new(seed))), patience)
    }

    fn with(seed: Option<Mutex<rank::DirectorSeed, Random>>, patience: Duration) -> Self {
        Self {
            board: Arc::new(Board {
                busy: Mutex::default(),
                moves: Mutex::new(0),
                moved: Condvar::new(),
                began: Instant::now(),
                patience,
                last_call: AtomicU64::new(0),
                choosing: AtomicUsize::new(0),
                ended: AtomicBool::new(false),
            }),
            seed,
            keeper: AtomicBool::new(false),
        }
    }

    pub(super) fn busy(&self, stream: &Arc<StreamCore>) {
        let mut busy = self.board.busy.lock();
        if let Err(place) = busy.binary_search_by_key(&stream.id, |known| known.id) {
            // Now, not only when the call is over: the keeper may wake in between and must not take the
            // time before this call for the program's silence.
            self.board.note_call();
            busy.insert(place, Arc::clone(stream));
        }
    }

    pub(super) fn ready(&self, stream: &Arc<StreamCore>) {
        self.progressed();
        // It may have become ready at a wait that can never end.
        stream.abort_if_lost();
        if !self.keeper.swap(true, Ordering::AcqRel) {
            let board = Arc::clone(&self.board);
            if spawn("millpond-keeper", move || board.keep_going()).is_err() {
                self.keeper.store(false, Ordering::Release);
            }
        }
    }

    pub(super) fn idle(&self, stream: u64) {
        self.board.busy.lock().retain(|known| known.id != stream);
        self.progressed();
    }

    pub(super) fn progressed(&self) {
        self.board.progressed();
    }

    pub(super) fn called(&self) {
        self.board.note_call();
        let Some(seed) = &self.seed else { return };
        let count = seed.lock().eagerness();
        for _ in 0..count {
            if !self.step_any(seed) {
                return;
            }
        }
    }

    /// One task nearer to the goal, if that is possible.
    pub(super) fn nudge(&self, goal: &Goal) {
        if !goal.reached()
            && let Some(stream) = needed(goal)
            && stream.claim()
        {
            self.board.note_call();
            self.board.step(&stream);
        }
        // A question that could not be brought nearer does not count as a call, so that a program
        // that asks it again and again is kept going like one that is silent.
    }

    pub(super) fn wait(&self, goal: &Goal, deadline: Option<Instant>) -> bool {
        loop {
            self.board.note_call();
            let seen = *self.board.moves.lock();
            if goal.reached() {
                return true;
            }
            // A deadline holds also while there is something to run.
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return false;
            }
            let ran = match &self.seed {
                Some(seed) => self.step_any(seed),
                None => needed(goal).is_some_and(|stream| {
                    let claimed = stream.claim();
                    if claimed {
                        self.board.step(&stream);
                    }
                    claimed
                }),
            };
            if !ran && !self.board.wait_for_move(seen, deadline) {
                return goal.reached();
            }
        }
    }

    /// Runs one task of a runnable stream that the seed chooses; false if none is runnable.
    fn step_any(&self, seed: &Mutex<rank::DirectorSeed, Random>) -> bool {
        let runnable: Vec<_> = self
            .board
            .busy_streams()
            .into_iter()
            .filter(|stream| matches!(stream.head(), Head::Runnable { .. }))
            .collect();
        if runnable.is_empty() {
            return false;
        }
        let chosen = seed.lock().below(runnable.len());
        let stream = &runnable[chosen];
        if !stream.claim() {
            return true;
        }
        self.board.choosing.fetch_add(1, Ordering::SeqCst);
        self.board.step(stream);
        // A host function has left for its own thread: the next choice must not depend on how
        // long it takes, unless it waits for something that only another stream can do.
        let patience = Instant::now() + HOST_FUNCTION;
        loop {
            let seen = *self.board.moves.lock();
            if !stream.is_running() || !self.board.wait_for_move(seen, Some(patience)) {
                break;
            }
        }
        self.board.note_call();
        self.board.choosing.fetch_sub(1, Ordering::SeqCst);
        true
    }

    /// Whether a call has made a choice and waits for what it started.
    pub(super) fn is_choosing(&self) -> bool {
        self.board.choosing.load(Ordering::SeqCst) > 0
    }

    pub(super) fn shut_down(&self) {
        self.board.ended.store(true, Ordering::Release);
        self.progressed();
    }
}

impl Board {
    fn progressed(&self) {
        *self.moves.lock() += 1;
        self.moved.notify_all();
    }

    /// Waits until something moved since `seen`; false if the time was up first.
    fn wait_for_move(&self, seen: u64, deadline: Option<Instant>) -> bool {
        let mut moves = self.moves.lock();
        while *moves == seen {
            match deadline {
                None => self.moved.wait(&mut moves),
                Some(deadline) => {
                    if self.moved.wait_until(&mut moves, deadline).timed_out() {
                        return *moves != seen;
                    }
                }
            }
        }
        true
    }

    fn note_call(&self) {
        self.last_call.store(self.now(), Ordering::Relaxed);
    }

    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn busy_streams(&self) -> Vec<Arc<StreamCore>> {
        self.busy.lock().clone()
    }

    /// Runs one task of a claimed stream and hands the stream on.
    fn step(&self, stream: &Arc<StreamCore>) {
        if stream.step(false) == Stepped::More {
            stream.release();
            stream.abort_if_lost();
        }
        self.progressed();
    }

    /// The thread that keeps a program going that makes no calls.
    fn keep_going(&self) {
        loop {
            // Looked at before `ended`, so that an end in between is not slept through.
            let seen = *self.moves.lock();
            if self.ended.load(Ordering::Acquire) {
                return;
            }
            let streams = self.busy_streams();
            if streams.is_empty() {
                self.wait_for_move(seen, None);
                continue;
            }
            let quiet = Duration::from_micros(
                self.now()
                    .saturating_sub(self.last_call.load(Ordering::Relaxed)),
            );
            if quiet < self.patience || self.choosing.load(Ordering::SeqCst) > 0 {
                std::thread::sleep(
                    self.patience
                        .saturating_sub(quiet)
                        .max(Duration::from_millis(1)),
                );
                continue;
            }
            let oldest = streams
                .iter()
                .filter_map(|stream| match stream.head() {
                    Head::Runnable { serial } => Some((serial, stream)),
                    Head::Needs(_) | Head::Busy => None,
                })
                .min_by_key(|(serial, _)| *serial);
            match oldest {
                Some((_, stream)) if stream.claim() => self.step(stream),
                _ => {
                    drop(streams);
                    self.wait_for_move(seen, Some(Instant::now() + self.patience));
                }
            }
        }
    }
}

/// A stream whose next task brings the goal nearer, if one can run now.
fn needed(goal: &Goal) -> Option<Arc<StreamCore>> {
    let mut seen = HashSet::new();
    match goal {
        Goal::Stream(stream, _) => runnable_for(Arc::clone(stream), &mut seen),
        Goal::Mark(mark) => mark
            .comes_from()
            .and_then(|stream| runnable_for(stream, &mut seen)),
        Goal::Report(reports) => reports
            .streams()
            .into_iter()
            .find_map(|stream| runnable_for(stream, &mut seen)),
    }
}

/// Follows waits from stream to stream; a circle of waits has nothing to run.
fn runnable_for(mut stream: Arc<StreamCore>, seen: &mut HashSet<u64>) -> Option<Arc<StreamCore>> {
    while seen.insert(stream.id) {
        match stream.head() {
            Head::Runnable { .. } => return Some(stream),
            Head::Busy => return None,
            Head::Needs(mark) => stream = mark.comes_from()?,
        }
    }
    None
}

/// The generator `SplitMix64`: small, and every seed gives a different order.
#[derive(Debug)]
struct Random {
    state: u64,
    /// How soon tasks run: with one number in four not before they must, with others more or less
    /// often. Mistakes hide in a schedule that always runs early as well as in one that never does.
    haste: u64,
}

impl Random {
    fn new(seed: u64) -> Self {
        Self {
            state: seed,
            haste: seed % 4,
        }
    }

    /// How many tasks an enqueuing call runs.
    fn eagerness(&mut self) -> usize {
        match self.haste {
            0 => 0,
            1 => usize::from(self.below(8) == 0),
            2 => self.below(2),
            _ => self.below(3),
        }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap_or(0)
    }
}
