//! Signals that are meant for the program.
//!
//! A terminal sends its signals to the whole process group, so the program gets them too and this process only ignores
//! them. A signal that was sent to this process alone is forwarded. After a signal that requests termination, no
//! further run is started.
#![expect(
    unsafe_code,
    reason = "signal handlers are set and signals sent by calls of the C library"
)]

use std::sync::atomic::{AtomicI32, Ordering};

/// The process id of the program; 0 before it starts, -1 after it exits.
static CHILD: AtomicI32 = AtomicI32::new(0);

/// The latest signal that requests termination; 0 if none arrived.
static ENDING: AtomicI32 = AtomicI32::new(0);

/// A signal that arrived before the program was started.
static EARLY: AtomicI32 = AtomicI32::new(0);

const ENDINGS: [libc::c_int; 4] = [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP];

const FORWARDED: [libc::c_int; 6] = [
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGUSR1,
    libc::SIGUSR2,
];

/// From now on these signals do not terminate this process. The program still has the default actions, because `exec`
/// resets handlers.
pub(super) fn stay() {
    CHILD.store(0, Ordering::SeqCst);
    for signal in FORWARDED {
        // SAFETY: all zeros are a valid value of this plain structure.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = arrived;
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        // SAFETY: the structure is filled in, and the handler only uses what handlers may.
        unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) };
    }
}

/// The program was started: forwards a signal that arrived before.
pub(super) fn started(child: u32) {
    let child = i32::try_from(child).unwrap_or(-1);
    CHILD.store(child, Ordering::SeqCst);
    let early = match EARLY.swap(0, Ordering::SeqCst) {
        // It may have arrived between two runs.
        0 => ENDING.load(Ordering::SeqCst),
        early => early,
    };
    if early != 0 && child > 0 {
        send(child, early);
    }
}

/// The signal that requests termination, if one arrived.
pub(super) fn ending() -> Option<i32> {
    match ENDING.load(Ordering::SeqCst) {
        0 => None,
        signal => Some(signal),
    }
}

/// The program has exited: its process id may be reused.
pub(super) fn ended() {
    CHILD.store(-1, Ordering::SeqCst);
}

extern "C" fn arrived(
    signal: libc::c_int,
    about: *mut libc::siginfo_t,
    _context: *mut libc::c_void,
) {
    if ENDINGS.contains(&signal) {
        ENDING.store(signal, Ordering::SeqCst);
    }
    // SAFETY: the system gives a valid structure to handlers of this kind.
    let sent_by_kernel = !about.is_null() && unsafe { (*about).si_code } > 0;
    if sent_by_kernel {
        return;
    }
    match CHILD.load(Ordering::SeqCst) {
        0 => EARLY.store(signal, Ordering::SeqCst),
        child if child > 0 => send(child, signal),
        _ => {}
    }
}

fn send(child: i32, signal: libc::c_int) {
    // SAFETY: sends a signal; the number is that of our child, which has not been reaped yet.
    unsafe { libc::kill(child, signal) };
}
