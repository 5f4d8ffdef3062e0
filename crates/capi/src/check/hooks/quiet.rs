//! Blocks signals of the program: a handler may leave by `siglongjmp`, and a lock of ours would stay locked.
#![expect(unsafe_code, reason = "changes the mask of the thread")]

use std::mem::MaybeUninit;

use libc::sigset_t;

/// Faults are raised by the thread itself, and must not be blocked.
const RAISED: [i32; 6] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGABRT,
];

/// Signals that are sent wait until it is dropped.
pub(in super::super) struct Quiet(sigset_t);

impl Quiet {
    pub(in super::super) fn new() -> Self {
        let mut all = MaybeUninit::<sigset_t>::uninit();
        // SAFETY: the set is written here.
        unsafe { libc::sigfillset(all.as_mut_ptr()) };
        for signal in RAISED {
            // SAFETY: the set was just written.
            unsafe { libc::sigdelset(all.as_mut_ptr(), signal) };
        }
        // SAFETY: a set is plain memory, and all-zero is a valid value of it.
        let mut before: sigset_t = unsafe { std::mem::zeroed() };
        // SAFETY: both sets live through the call.
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), &raw mut before) };
        Self(before)
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        // SAFETY: the set was written by the system.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, std::ptr::null_mut())
        };
    }
}
