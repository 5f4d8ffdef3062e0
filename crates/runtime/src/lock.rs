//! Locks with a checked order.
//!
//! Every lock of this crate that may be held while another is taken has a rank: its line in the table below. A thread
//! takes locks only down the table, so no two threads can each wait for a lock that the other has.
//!
//! In debug builds a thread that takes a lock while it holds one of the same rank, or of a later line, panics with
//! both names, and [`assert_none_held`] panics before functions of the program are called under a lock. In release builds a
//! lock is `parking_lot`'s and nothing else.
//!
//! The pool's own locks (a shard's, then the ground's) are in `millpond-pool` and come after `Growth`. They call back for
//! one thing, how far streams are, which is why `Ghosts` and `StreamProgress` are the last lines here. Record
//! sinks run under locks of any rank and must not call back.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::time::{Duration, Instant};

use parking_lot::WaitTimeoutResult;

/// A line of the table.
pub(crate) trait Rank {
    /// Which line, from 0.
    #[cfg_attr(
        not(debug_assertions),
        allow(dead_code, reason = "only debug builds check the order")
    )]
    const LINE: u32;
}

macro_rules! ranks {
    ($($(#[doc = $doc:literal])+ $name:ident)+) => {
        /// One type for each lock, in the order in which a thread may take them.
        pub(crate) mod rank {
            $($(#[doc = $doc])+ pub(crate) enum $name {})+
        }
        /// The table's lines.
        #[cfg_attr(not(debug_assertions), allow(dead_code, reason = "only debug builds check the order"))]
        enum Line { $($name),+ }
        $(impl Rank for rank::$name {
            const LINE: u32 = Line::$name as u32;
        })+
        /// Their names, for messages.
        const NAMES: &[&str] = &[$(stringify!($name)),+];
        const _: () = assert!(NAMES.len() <= 64, "one bit of a word for each");
    };
}

ranks! {
    /// A context's list of its streams.
    ContextStreams
    /// `Shared::opening`: who opens a device, a range of pinned memory or a pool.
    Opening
    /// `VirtualMemory::state`.
    VirtualMemory
    /// An event's marks. A record or wait is put into a queue while it is held.
    EventMarks
    /// Who launches a graph.
    GraphLaunch
    /// A graph: its capture, or what a launch issues.
    Graph
    /// What launches of a graph leave for the next.
    GraphRan
    /// What becomes of work on a stream that is captured or used for an update.
    StreamRecording
    /// What the runner of a stream has taken over.
    Batch
    /// What threads enqueue into, and a stream's state.
    Queue
    /// What a stream knows of others. Changed under [`Queue`].
    StreamClock
    /// One recording of an event.
    Mark
    /// The arguments of a task that can be updated.
    Updatable
    /// The director's list of streams that have work.
    DirectorBusy
    /// The director's count of what has moved.
    DirectorMoves
    /// The director's random numbers.
    DirectorSeed
    /// The streams that workers of the eager schedule may run.
    EagerState
    /// The threads for functions of the program.
    HostThreads
    /// The timer of waits with a limit.
    Timer
    /// The deadlines that somebody waits for, where time does not pass by itself.
    Clock
    /// The allocator that is registered on a stream.
    StreamAllocator
    /// Where a stream sends its reports.
    StreamReports
    /// The thread that processes reports.
    ReportThread
    /// Reports that were not fetched.
    ReportsWaiting
    /// The streams that send reports to one place.
    ReportStreams
    /// Work on other streams that belongs to tasks of a stream.
    Followers
    /// All streams of the runtime.
    AllStreams
    /// What streams wait for in memory.
    Words
    /// The plans of a model.
    Plans
    /// The session of a model on a device.
    GpuSlot
    /// Which sessions a GPU has, and when they were last used.
    GpuPlaces
    /// The parts of a memory pool, one for each stream.
    PoolParts
    /// Writing the guard of a new block, against checking all guards.
    Guards
    /// A store's promised pages: who has pages committed or given back.
    Growth
    /// A store's quarantine.
    Quarantine
    /// Stand-ins for blocks in quarantine.
    StandIns
    /// Stand-ins for streams whose waits were dropped.
    Ghosts
    /// How far every stream is.
    StreamProgress
}

/// A mutex of rank `R`.
pub(crate) struct Mutex<R, T> {
    inner: parking_lot::Mutex<T>,
    rank: PhantomData<fn() -> R>,
}

/// The right to use what a [`Mutex`] has.
pub(crate) struct MutexGuard<'a, R: Rank, T> {
    // Released before the thread counts as free of it.
    inner: parking_lot::MutexGuard<'a, T>,
    _held: RankHeld<R>,
}

impl<R: Rank, T> Mutex<R, T> {
    pub(crate) const fn new(value: T) -> Self {
        Self {
            inner: parking_lot::Mutex::new(value),
            rank: PhantomData,
        }
    }

    #[inline(always)]
    pub(crate) fn lock(&self) -> MutexGuard<'_, R, T> {
        let held = RankHeld::take();
        MutexGuard {
            inner: self.inner.lock(),
            _held: held,
        }
    }

    /// Its value, without locking: exclusive access makes that safe.
    pub(crate) fn get_mut(&mut self) -> &mut T {
        self.inner.get_mut()
    }

    /// Takes it if it is free.
    #[inline(always)]
    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, R, T>> {
        let held = RankHeld::take();
        Some(MutexGuard {
            inner: self.inner.try_lock()?,
            _held: held,
        })
    }
}

impl<R: Rank, T: Default> Default for Mutex<R, T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<R, T: fmt::Debug> fmt::Debug for Mutex<R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl<R: Rank, T> Deref for MutexGuard<'_, R, T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<R: Rank, T> DerefMut for MutexGuard<'_, R, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

/// A lock of rank `R` for many readers or one writer.
pub(crate) struct RwLock<R, T> {
    inner: parking_lot::RwLock<T>,
    rank: PhantomData<fn() -> R>,
}

/// The right to read what a [`RwLock`] has.
pub(crate) struct ReadGuard<'a, R: Rank, T> {
    inner: parking_lot::RwLockReadGuard<'a, T>,
    _held: RankHeld<R>,
}

/// The right to change what a [`RwLock`] has.
pub(crate) struct WriteGuard<'a, R: Rank, T> {
    inner: parking_lot::RwLockWriteGuard<'a, T>,
    _held: RankHeld<R>,
}

impl<R: Rank, T> RwLock<R, T> {
    pub(crate) const fn new(value: T) -> Self {
        Self {
            inner: parking_lot::RwLock::new(value),
            rank: PhantomData,
        }
    }

    #[inline(always)]
    pub(crate) fn read(&self) -> ReadGuard<'_, R, T> {
        let held = RankHeld::take();
        ReadGuard {
            inner: self.inner.read(),
            _held: held,
        }
    }

    #[inline(always)]
    pub(crate) fn write(&self) -> WriteGuard<'_, R, T> {
        let held = RankHeld::take();
        WriteGuard {
            inner: self.inner.write(),
            _held: held,
        }
    }
}

impl<R: Rank, T: Default> Default for RwLock<R, T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<R, T: fmt::Debug> fmt::Debug for RwLock<R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl<R: Rank, T> Deref for ReadGuard<'_, R, T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<R: Rank, T> Deref for WriteGuard<'_, R, T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<R: Rank, T> DerefMut for WriteGuard<'_, R, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

/// Wakes threads that wait for a change of what a [`Mutex`] has. A thread that waits holds no other lock.
#[derive(Debug, Default)]
pub(crate) struct Condvar {
    inner: parking_lot::Condvar,
}

impl Condvar {
    pub(crate) const fn new() -> Self {
        Self {
            inner: parking_lot::Condvar::new(),
        }
    }

    pub(crate) fn wait<R: Rank, T>(&self, guard: &mut MutexGuard<'_, R, T>) {
        RankHeld::<R>::assert_alone();
        self.inner.wait(&mut guard.inner);
    }

    pub(crate) fn wait_until<R: Rank, T>(
        &self,
        guard: &mut MutexGuard<'_, R, T>,
        deadline: Instant,
    ) -> WaitTimeoutResult {
        RankHeld::<R>::assert_alone();
        self.inner.wait_until(&mut guard.inner, deadline)
    }

    pub(crate) fn wait_for<R: Rank, T>(
        &self,
        guard: &mut MutexGuard<'_, R, T>,
        limit: Duration,
    ) -> WaitTimeoutResult {
        RankHeld::<R>::assert_alone();
        self.inner.wait_for(&mut guard.inner, limit)
    }

    pub(crate) fn notify_one(&self) {
        self.inner.notify_one();
    }

    pub(crate) fn notify_all(&self) {
        self.inner.notify_all();
    }
}

/// A rank costs no space.
const _: () = {
    type Guard<'a> = MutexGuard<'a, rank::Queue, u64>;
    assert!(size_of::<Mutex<rank::Queue, u64>>() == size_of::<parking_lot::Mutex<u64>>());
    assert!(size_of::<Guard<'_>>() == size_of::<parking_lot::MutexGuard<'_, u64>>());
};

#[cfg(debug_assertions)]
thread_local! {
    /// The lines whose locks this thread holds, a bit for each.
    static HELD: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts a lock as held by this thread as long as it lives; in release builds it is nothing.
struct RankHeld<R: Rank> {
    rank: PhantomData<fn() -> R>,
}

impl<R: Rank> RankHeld<R> {
    /// Panics if a lock of this line or a later one is held.
    #[inline(always)]
    fn take() -> Self {
        #[cfg(debug_assertions)]
        {
            let held = HELD.get();
            let later = held >> R::LINE;
            assert!(
                later == 0 || std::thread::panicking(),
                "lock order: {} is taken while {} is held, which is not before it in the table of millpond::lock",
                NAMES[R::LINE as usize],
                names(later << R::LINE)
            );
            HELD.set(held | 1 << R::LINE);
        }
        Self { rank: PhantomData }
    }

    /// Panics if this thread holds any other lock: it is about to sleep.
    #[inline(always)]
    fn assert_alone() {
        #[cfg(debug_assertions)]
        {
            let others = HELD.get() & !(1 << R::LINE);
            assert!(
                others == 0 || std::thread::panicking(),
                "lock order: a thread waits at {} and holds {}",
                NAMES[R::LINE as usize],
                names(others)
            );
        }
    }
}

#[cfg(debug_assertions)]
impl<R: Rank> Drop for RankHeld<R> {
    fn drop(&mut self) {
        HELD.set(HELD.get() & !(1 << R::LINE));
    }
}

#[cfg(debug_assertions)]
fn names(lines: u64) -> String {
    let held = NAMES
        .iter()
        .zip(0..)
        .filter(|&(_, line)| lines >> line & 1 == 1);
    held.map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// Panics in debug builds if the calling thread holds a lock of this crate. Called before any function of the program runs:
/// it may call back and deadlock.
#[inline(always)]
pub fn assert_none_held() {
    #[cfg(debug_assertions)]
    {
        let held = HELD.get();
        assert!(
            held == 0 || std::thread::panicking(),
            "lock order: a function of the program is called while {} is held",
            names(held)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_are_taken_down_the_table_and_released_in_any_order() {
        let queue: Mutex<rank::Queue, u8> = Mutex::new(1);
        let mark: Mutex<rank::Mark, u8> = Mutex::new(2);
        let progress: RwLock<rank::StreamProgress, u8> = RwLock::new(3);
        for _ in 0..2 {
            let (one, two, three) = (queue.lock(), mark.lock(), progress.read());
            assert_eq!(*one + *two + *three, 6);
            drop(one);
            drop(three);
            drop(two);
            assert_none_held();
        }
        assert!(queue.try_lock().is_some());
        assert_none_held();
    }

    /// What a panic of `body` says.
    #[cfg(debug_assertions)]
    fn said(body: impl FnOnce() + std::panic::UnwindSafe) -> String {
        let panic = std::panic::catch_unwind(body).unwrap_err();
        assert_none_held();
        panic.downcast_ref::<String>().unwrap().clone()
    }

    #[cfg(debug_assertions)]
    #[test]
    fn a_lock_out_of_order_panics_with_both_names() {
        let text = said(|| {
            let mark: Mutex<rank::Mark, ()> = Mutex::default();
            let queue: Mutex<rank::Queue, ()> = Mutex::default();
            let _mark = mark.lock();
            let _queue = queue.lock();
        });
        assert!(text.contains("Queue is taken while Mark is held"), "{text}");
        let text = said(|| {
            let queues: [Mutex<rank::Queue, ()>; 2] = Default::default();
            let _both = queues.each_ref().map(Mutex::lock);
        });
        assert!(
            text.contains("Queue is taken while Queue is held"),
            "{text}"
        );
        let text = said(|| {
            let progress: RwLock<rank::StreamProgress, ()> = RwLock::default();
            let _twice = (progress.read(), progress.read());
        });
        assert!(text.contains("StreamProgress is taken"), "{text}");
    }

    #[cfg(debug_assertions)]
    #[test]
    fn the_program_is_not_called_and_nobody_sleeps_under_a_lock() {
        let text = said(|| {
            let growth: Mutex<rank::Growth, ()> = Mutex::default();
            let _growth = growth.lock();
            assert_none_held();
        });
        assert!(text.contains("called while Growth is held"), "{text}");
        let text = said(|| {
            let batch: Mutex<rank::Batch, ()> = Mutex::default();
            let queue: Mutex<rank::Queue, ()> = Mutex::default();
            let _batch = batch.lock();
            Condvar::new().wait_for(&mut queue.lock(), Duration::ZERO);
        });
        assert!(text.contains("waits at Queue and holds Batch"), "{text}");
    }
}
