//! How the runtime starts its threads.
#![expect(
    unsafe_code,
    reason = "sets the signal mask around the start of a thread"
)]

/// What functions of the program may rely on: the size that threads of C programs usually have.
/// Address space only; a page costs memory when it is touched.
const STACK: usize = 8 << 20;

/// Starts a thread of the runtime. It takes no signals: those are the program's. But what a thread does to itself stays
/// its own affair: a fault that is blocked ends the process, and functions of the program run here.
pub(super) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), String> {
    let mask = SignalsBlocked::now();
    let started = std::thread::Builder::new()
        .name(name.to_owned())
        .stack_size(STACK)
        .spawn(run);
    drop(mask);
    started
        .map(drop)
        .map_err(|error| format!("the thread '{name}' could not be started: {error}"))
}

/// Blocks all signals of this thread, which a thread started meanwhile inherits, until it is dropped.
struct SignalsBlocked {
    before: libc::sigset_t,
}

impl SignalsBlocked {
    fn now() -> Self {
        // SAFETY: a signal set is plain memory, and all-zero is a valid value of it.
        let mut before: libc::sigset_t = unsafe { std::mem::zeroed() };
        // SAFETY: as above.
        let mut all: libc::sigset_t = unsafe { std::mem::zeroed() };
        // SAFETY: `all` is a writable signal set.
        unsafe { libc::sigfillset(&raw mut all) };
        for fault in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL] {
            // SAFETY: as above.
            unsafe { libc::sigdelset(&raw mut all, fault) };
        }
        // SAFETY: both are valid signal sets of this function's own.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before) };
        Self { before }
    }
}

impl Drop for SignalsBlocked {
    fn drop(&mut self) {
        let none = std::ptr::null_mut();
        // SAFETY: `before` is what the thread had, as `pthread_sigmask` told it.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, none) };
    }
}
