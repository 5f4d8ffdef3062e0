//! What a thread keeps until its very end.
//!
//! Destructors of `thread_local` objects, of thread-specific data and, on the main thread, of static objects call the
//! runtime like any other code, and find the thread's context and messages. An ordinary `thread_local!` with a
//! destructor is gone by then: such destructors run in the reverse order of first use, and on the main thread before
//! all destructors of static objects. So values here have none. Instead they are given up by a key of thread-specific
//! data, in the last of the rounds in which keys are ended, after everything of the program. On the main thread that
//! happens only if it leaves by `pthread_exit`; otherwise its values stay until the process is gone.
#![expect(unsafe_code, reason = "registers a function for the end of a thread")]

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::OnceLock;

use crate::{current, message};

/// How often a thread that ends asks all keys whether they have a value: POSIX's least number, and glibc's.
const ROUNDS: usize = 4;

/// The key, whose value is the number of the round; `None` if the system has no more keys.
static KEY: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();

thread_local! {
    /// Whether this thread's end is known to the key.
    static NOTED: Cell<bool> = const { Cell::new(false) };
}

/// Makes sure that what this thread keeps is given up when it ends.
#[inline]
pub(crate) fn note() {
    if !NOTED.get() {
        note_thread();
    }
}

#[cold]
fn note_thread() {
    NOTED.set(true);
    let key = KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: writes one number; the function and this library stay until the process is gone.
        let made = unsafe { libc::pthread_key_create(&raw mut key, Some(end)) };
        (made == 0).then_some(key)
    });
    // Without a key a thread's last context and message stay in memory, which is all that is lost.
    if let Some(key) = key {
        set_round(*key, 1);
    }
}

fn set_round(key: libc::pthread_key_t, round: usize) {
    // SAFETY: the key was made above; its value is a number that is never used as an address.
    let set = unsafe { libc::pthread_setspecific(key, std::ptr::without_provenance(round)) };
    debug_assert_eq!(set, 0);
}

/// Called in each round while the key has a value.
extern "C" fn end(round: *mut c_void) {
    let round = round.addr();
    if let Some(Some(key)) = KEY.get()
        && round < ROUNDS
    {
        set_round(*key, round + 1);
        return;
    }
    NOTED.set(false);
    current::set(None);
    message::forget();
}
