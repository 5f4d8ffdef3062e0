//! Threads of ours in other people's processes, and the clock that processes have in common.
#![expect(
    unsafe_code,
    reason = "changes the signal mask of a thread, and asks the clock"
)]

use std::io;

/// Starts a thread that takes no signals: those are the program's.
pub fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    // SAFETY: a signal set is plain memory, and all-zero is a valid value of it.
    let mut all: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: as above.
    let mut before: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: a writable signal set of this function's own.
    unsafe { libc::sigfillset(&raw mut all) };
    for fault in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL] {
        // SAFETY: as above.
        unsafe { libc::sigdelset(&raw mut all, fault) };
    }
    // SAFETY: both are valid signal sets of this function's own.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before) };
    let started = std::thread::Builder::new().name(name.to_owned()).spawn(run);
    // SAFETY: `before` is what the thread had.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut()) };
    started.map(drop)
}

/// The machine's monotonic clock: the same in all its processes, unless they are in namespaces of time.
pub fn monotonic_milliseconds() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: a writable structure of this function's own.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec.unsigned_abs() * 1000 + now.tv_nsec.unsigned_abs() / 1_000_000
}
