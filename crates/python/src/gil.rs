//! The interpreter's lock: let go while a call waits, taken by callbacks on whatever thread they run.
//!
//! When the interpreter ends, threads that still want the lock would be ended or hang inside it, with our library's
//! frames below them. So the door is closed first: `close` lets nobody in any more and waits for those who are inside.
#![expect(unsafe_code, reason = "calls Python's C interface")]

use std::sync::atomic::{AtomicUsize, Ordering};
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

/// Runs something with the lock, on a thread that may have it or not. `None` when the interpreter is ending.
pub(crate) fn attach<T>(work: impl FnOnce() -> T) -> Option<T> {
    if INSIDE.fetch_add(1, Ordering::AcqRel) & CLOSED != 0 {
        INSIDE.fetch_sub(1, Ordering::AcqRel);
        return None;
    }
    // SAFETY: the interpreter is there: it waits for the threads that came in by this door.
    let state = unsafe { ffi::PyGILState_Ensure() };
    let answer = {
        let _before = frames::attached();
        work()
    };
    // SAFETY: what Ensure answered, on the same thread.
    unsafe { ffi::PyGILState_Release(state) };
    INSIDE.fetch_sub(1, Ordering::AcqRel);
    Some(answer)
}

/// Closes the door, and waits a while for those inside. Called with the lock, when the interpreter begins to end.
pub(crate) fn close() {
    const PATIENCE: Duration = Duration::from_secs(5);
    INSIDE.fetch_or(CLOSED, Ordering::AcqRel);
    detach(|| {
        let start = Instant::now();
        while INSIDE.load(Ordering::Acquire) != CLOSED && start.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
    });
}

/// A fork copies the thread that forked, and no other: nobody is inside.
pub(crate) fn forget_others() {
    INSIDE.fetch_and(CLOSED, Ordering::AcqRel);
}
