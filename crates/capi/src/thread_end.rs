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
use std::sync::OnceLock;

use crate::{current, message};

/// How many rounds of key destructors a thread runs: the least that POSIX allows, and what glibc does.
const ROUNDS: usize = 4;

/// The key, whose value is the number of the round; `None` if the system has run out of keys.
static KEY: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();

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
    let key = KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: writes one number; the function and this library stay until the process ends.
        let made = unsafe { libc::pthread_key_create(&raw mut key, Some(end)) };
        (made == 0).then_some(key)
    });
    // Without a key, the last context and message of a thread leak.
    if let Some(key) = key {
        set_round(*key, 1);
    }
}

fn set_round(key: libc::pthread_key_t, round: usize) {
    // SAFETY: the key was made above; its value is a number that is never used as an address.
    let set = unsafe { libc::pthread_setspecific(key, std::ptr::without_provenance(round)) };
    debug_assert_eq!(set, 0);
}

/// The destructor of the key. Runs in each round while the key has a value.
extern "C" fn end(round: *mut c_void) {
    let round = round.addr();
    if let Some(Some(key)) = KEY.get()
        && round < ROUNDS
    {
        set_round(*key, round + 1);
        return;
    }
    REGISTERED.set(false);
    current::set(None);
    message::forget();
}
