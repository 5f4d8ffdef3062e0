//! Signals that are meant for the program.
//!
//! A terminal sends its signals to the whole group, so the program has them already; we only stay.
//! What somebody sends to this process alone is handed on. Either way nothing new is begun after a signal that asks
//! for the end.
#![expect(
    unsafe_code,
    reason = "signal handlers are set and signals sent by calls of the C library"
)]

use std::sync::atomic::{AtomicI32, Ordering};

/// The program; 0 before it was started, -1 when it has ended.
static CHILD: AtomicI32 = AtomicI32::new(0);

/// The latest signal that asks for the end; 0 if none came.
static ENDING: AtomicI32 = AtomicI32::new(0);

/// A signal that came before the program was there.
static EARLY: AtomicI32 = AtomicI32::new(0);

const ENDINGS: [libc::c_int; 4] = [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP];

const HANDED_ON: [libc::c_int; 6] = [
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGUSR1,
    libc::SIGUSR2,
];

/// From now on signals do not end this process. The program that it starts has the usual ones:
/// handlers do not outlive the start of a program.
pub(super) fn stay() {
    CHILD.store(0, Ordering::SeqCst);
    for signal in HANDED_ON {
        // SAFETY: all zeros are a valid value of this plain structure.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = arrived;
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        // SAFETY: the structure is filled in, and the handler only uses what handlers may.
        unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) };
    }
}

/// The program is there. What came before goes to it now.
pub(super) fn started(child: u32) {
    let child = i32::try_from(child).unwrap_or(-1);
    CHILD.store(child, Ordering::SeqCst);
    let early = match EARLY.swap(0, Ordering::SeqCst) {
        // It may have come between two programs.
        0 => ENDING.load(Ordering::SeqCst),
        early => early,
    };
    if early != 0 && child > 0 {
        send(child, early);
    }
}

/// The signal that asks for the end, if one came.
pub(super) fn ending() -> Option<i32> {
    match ENDING.load(Ordering::SeqCst) {
        0 => None,
        signal => Some(signal),
    }
}

/// The program has ended: its number may be another's soon.
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
    // SAFETY: sends a signal; the number is that of our own child, which is not waited for yet.
    unsafe { libc::kill(child, signal) };
}
