//! The interpreter's lock (GIL): released while a call waits, taken by callbacks on any thread.
//!
//! When the interpreter ends, threads that still want the lock would be ended or hang inside it, with our library's
//! frames below them. So `close` first stops threads from entering and waits for those inside.
#![expect(unsafe_code, reason = "calls Python's C interface")]

use std::cell::Cell;
use std::ffi::c_ulong;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::{ffi, frames};

/// Copies of at least this many bytes let the lock go: a shorter one takes less time than getting it back.
pub(crate) const LARGE: usize = 64 << 10;

/// Runs something that may wait, without the lock.
pub(crate) fn detach<T>(work: impl FnOnce() -> T) -> T {
    let _before = frames::detaching();
    // SAFETY: the thread has the lock: Python called it.
    let thread = unsafe { ffi::PyEval_SaveThread() };
    let answer = work();
    // SAFETY: the state that was saved above, on the same thread.
    unsafe { ffi::PyEval_RestoreThread(thread) };
    answer
}

/// Runs something without the lock if it is worth it.
#[inline(always)]
pub(crate) fn detach_if<T>(large: bool, work: impl FnOnce() -> T) -> T {
    if large { detach(work) } else { work() }
}

/// The door: how many threads are inside, and whether it is closed.
static INSIDE: AtomicUsize = AtomicUsize::new(0);
const CLOSED: usize = 1 << (usize::BITS - 1);

thread_local! {
    /// How often this thread is inside: a callback may make calls that call back.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// The threads that are inside, as Python knows them.
static THREADS: Mutex<Vec<c_ulong>> = Mutex::new(Vec::new());

fn lock<T>(table: &Mutex<T>) -> MutexGuard<'_, T> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

/// This thread enters; returns whether that is still allowed.
fn come_in() -> bool {
    if INSIDE.fetch_add(1, Ordering::AcqRel) & CLOSED != 0 {
        INSIDE.fetch_sub(1, Ordering::AcqRel);
        return false;
    }
    DEPTH.with(|depth| depth.set(depth.get() + 1));
    true
}

fn go_out() {
    DEPTH.with(|depth| depth.set(depth.get().saturating_sub(1)));
    INSIDE.fetch_sub(1, Ordering::AcqRel);
}

/// Runs something with the lock, on a thread that may have it or not. `None` when the interpreter is ending.
pub(crate) fn attach<T>(work: impl FnOnce() -> T) -> Option<T> {
    if !come_in() {
        return None;
    }
    // SAFETY: the interpreter is there: it waits for the threads that came in by this door.
    let state = unsafe { ffi::PyGILState_Ensure() };
    let answer = {
        let _before = frames::attached();
        let _here = Here::new();
        work()
    };
    // SAFETY: what Ensure returned, on the same thread.
    unsafe { ffi::PyGILState_Release(state) };
    go_out();
    Some(answer)
}

/// This thread runs a script, until it is dropped. Only while the interpreter's lock is held, so that a fork never
/// meets the table locked.
struct Here(c_ulong);

impl Here {
    fn new() -> Self {
        // SAFETY: takes nothing.
        let thread = unsafe { ffi::PyThread_get_thread_ident() };
        lock(&THREADS).push(thread);
        Self(thread)
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        let mut threads = lock(&THREADS);
        if let Some(place) = threads.iter().rposition(|thread| *thread == self.0) {
            threads.swap_remove(place);
        }
    }
}

/// Closes the door, and waits a while for those inside. Called with the lock, when the interpreter begins to end.
///
/// A thread that still ran a script then would be ended by Python in the middle of it, with frames of C and Rust below
/// that cannot be left so: the process would crash. So one that does not return in time gets an exception.
pub(crate) fn close() {
    const PATIENCE: Duration = Duration::from_secs(5);
    INSIDE.fetch_or(CLOSED, Ordering::AcqRel);
    if detach(|| all_out_within(PATIENCE)) {
        return;
    }
    // SAFETY: takes nothing.
    let own = unsafe { ffi::PyThread_get_thread_ident() };
    let threads = lock(&THREADS).clone();
    for thread in threads.into_iter().filter(|thread| *thread != own) {
        // SAFETY: set when the interpreter was started, and not changed after that.
        let kind = unsafe { ffi::PyExc_SystemExit };
        // SAFETY: the lock is held; a thread that has exited is reported.
        unsafe { ffi::PyThreadState_SetAsyncExc(thread, kind) };
    }
    detach(|| all_out_within(Duration::from_secs(1)));
}

/// Waits until no other thread is inside; false after the time limit.
fn all_out_within(patience: Duration) -> bool {
    let (start, own) = (Instant::now(), DEPTH.with(Cell::get));
    while INSIDE.load(Ordering::Acquire) != CLOSED | own {
        if start.elapsed() >= patience {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

/// A fork copies the thread that forked, and no other. It may be inside itself: a callback may fork.
pub(crate) fn forget_others() {
    let closed = INSIDE.load(Ordering::Acquire) & CLOSED;
    // SAFETY: takes nothing.
    let own = unsafe { ffi::PyThread_get_thread_ident() };
    lock(&THREADS).retain(|thread| *thread == own);
    INSIDE.store(closed | DEPTH.with(Cell::get), Ordering::Release);
}
