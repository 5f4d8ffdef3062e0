//! Frees a thread's context and message when the thread exits, after all destructors of the program.
//!
//! Destructors of `thread_local` objects, of thread-specific data and, on the main thread, of static objects may call the
//! runtime, and need the thread's context and messages. An ordinary `thread_local!` with a
//! destructor is gone by then: such destructors run in the reverse order of first use, and on the main thread before
//! all destructors of static objects. So our thread-locals have no destructor. A key of thread-specific data frees
//! them, in the last round of key destructors, after everything of the program. The main thread runs key destructors
//! only if it exits by `pthread_exit`; otherwise its values stay until the process ends.
#![expect(
    unsafe_code,
    reason = "registers a function that runs when a thread exits"
)]

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{current, message};

/// How many rounds of key destructors a thread runs: the least that POSIX allows, and what glibc does.
const ROUNDS: usize = 4;

/// The key, whose value is the number of the round: [`NOT_MADE`], [`NO_KEY`], or the key itself. Not a `OnceLock`: a child
/// that is forked while another thread fills one would wait for that thread, which it does not have.
static KEY: AtomicU64 = AtomicU64::new(NOT_MADE);
const NOT_MADE: u64 = u64::MAX;
/// The system has run out of keys.
const NO_KEY: u64 = u64::MAX - 1;

thread_local! {
    /// Whether this thread has a value for the key.
    static REGISTERED: Cell<bool> = const { Cell::new(false) };
}

/// Makes sure that the thread's context and message are freed when it exits.
#[inline]
pub(crate) fn register() {
    if !REGISTERED.get() {
        register_thread();
    }
}

#[cold]
fn register_thread() {
    REGISTERED.set(true);
    // Without a key, the last context and message of a thread leak.
    if let Some(key) = known_key().or_else(make_key) {
        set_round(key, 1);
    }
}

/// The key, if it was made.
fn known_key() -> Option<libc::pthread_key_t> {
    libc::pthread_key_t::try_from(KEY.load(Ordering::Acquire)).ok()
}

/// Makes the key. Of several threads that do so at once, one key stays.
fn make_key() -> Option<libc::pthread_key_t> {
    if KEY.load(Ordering::Acquire) == NO_KEY {
        return None;
    }
    let mut key = 0;
    // SAFETY: writes one number; the function and this library stay until the process ends.
    let made = unsafe { libc::pthread_key_create(&raw mut key, Some(end)) } == 0;
    let ours = if made { u64::from(key) } else { NO_KEY };
    if KEY
        .compare_exchange(NOT_MADE, ours, Ordering::AcqRel, Ordering::Acquire)
        .is_err()
        && made
    {
        // SAFETY: this key was made above, and no thread has a value for it.
        unsafe { libc::pthread_key_delete(key) };
    }
    known_key()
}

fn set_round(key: libc::pthread_key_t, round: usize) {
    // SAFETY: the key was made above; its value is a number that is never used as an address.
    let set = unsafe { libc::pthread_setspecific(key, std::ptr::without_provenance(round)) };
    debug_assert_eq!(set, 0);
}

/// The destructor of the key. Runs in each round while the key has a value.
extern "C" fn end(round: *mut c_void) {
    let round = round.addr();
    if let Some(key) = known_key()
        && round < ROUNDS
    {
        set_round(key, round + 1);
        return;
    }
    REGISTERED.set(false);
    current::set(None);
    message::forget();
}
