//! Signal masks. A blocked fault kills the process, so no mask that the program sets blocks it, whichever function
//! sets it. Only that signal is removed, from a copy.
#![expect(unsafe_code, reason = "replaces functions of the C library")]

use std::ffi::{c_int, c_void};
use std::fs;
use std::time::Duration;

use libc::{epoll_event, fd_set, nfds_t, pollfd, sigaction as Action, sigset_t, size_t, timespec};

use super::handlers::without_fault;
use super::peek::peek;
use super::{Entry, Hook, ended};

/// How often threads are looked at: one that is just being made blocks everything for a moment.
const TRIES: usize = 200;
const PAUSE: Duration = Duration::from_millis(5);

/// Faults in the masks of old functions, which have a bit for each signal.
const FAULT: c_int = 1 << (libc::SIGSEGV - 1);

replaced! {
    SIGPROCMASK: fn sigprocmask(how: c_int, new: *const sigset_t, old: *mut sigset_t) -> c_int, |real|
        changed(how, new, |new| real(how, new, old));
    PTHREAD_SIGMASK: fn pthread_sigmask(how: c_int, new: *const sigset_t, old: *mut sigset_t) -> c_int, |real|
        changed(how, new, |new| real(how, new, old));
    PTHREAD_ATTR_SETSIGMASK: fn pthread_attr_setsigmask_np(
        attributes: *mut c_void, mask: *const sigset_t
    ) -> c_int, |real|
        without(mask, |mask| real(attributes, mask));
    SIGSUSPEND: fn sigsuspend(mask: *const sigset_t) -> c_int, |real|
        without(mask, real);
    SIGSUSPEND_UNDERSCORED: fn __sigsuspend(mask: *const sigset_t) -> c_int, |real|
        without(mask, real);
    PPOLL: fn ppoll(
        files: *mut pollfd, count: nfds_t, limit: *const timespec, mask: *const sigset_t
    ) -> c_int, |real|
        without(mask, |mask| real(files, count, limit, mask));
    PPOLL_CHK: fn __ppoll_chk(
        files: *mut pollfd, count: nfds_t, limit: *const timespec, mask: *const sigset_t, size: size_t
    ) -> c_int, |real|
        without(mask, |mask| real(files, count, limit, mask, size));
    PSELECT: fn pselect(
        count: c_int, read: *mut fd_set, write: *mut fd_set, except: *mut fd_set, limit: *const timespec,
        mask: *const sigset_t
    ) -> c_int, |real|
        without(mask, |mask| real(count, read, write, except, limit, mask));
    EPOLL_PWAIT: fn epoll_pwait(
        group: c_int, events: *mut epoll_event, room: c_int, limit: c_int, mask: *const sigset_t
    ) -> c_int, |real|
        without(mask, |mask| real(group, events, room, limit, mask));
    EPOLL_PWAIT2: fn epoll_pwait2(
        group: c_int, events: *mut epoll_event, room: c_int, limit: *const timespec, mask: *const sigset_t
    ) -> c_int, |real|
        without(mask, |mask| real(group, events, room, limit, mask));
    SIGBLOCK: fn sigblock(mask: c_int) -> c_int, |real| real(mask & !FAULT);
    SIGSETMASK: fn sigsetmask(mask: c_int) -> c_int, |real| real(mask & !FAULT);
    SIGPAUSE: fn sigpause(mask: c_int) -> c_int, |real| real(mask & !FAULT);
    SIGPAUSE_UNDERSCORED: fn __sigpause(mask: c_int, is_number: c_int) -> c_int, |real|
        real(if is_number == 0 { mask & !FAULT } else { mask }, is_number);
    SIGHOLD: fn sighold(signal: c_int) -> c_int, |real|
        if signal == libc::SIGSEGV { 0 } else { real(signal) };
}

/// Calls with a mask that may have been changed. The functions that get here read it themselves, so it is there.
fn changed(how: c_int, mask: *const sigset_t, call: impl Fn(*const sigset_t) -> c_int) -> c_int {
    // SAFETY: the caller passes a set or none.
    let Some(mut set) = (unsafe { mask.as_ref() }).copied() else {
        return call(mask);
    };
    if how != libc::SIG_UNBLOCK {
        // SAFETY: a set of our own.
        unsafe { libc::sigdelset(&raw mut set, libc::SIGSEGV) };
    }
    call(&raw const set)
}

/// Calls with a copy of a mask that does not block faults. None stays none, and what is not there is the system's business.
fn without(mask: *const sigset_t, call: impl Fn(*const sigset_t) -> c_int) -> c_int {
    // The system reads no more of it than a bit for each signal.
    let bits = (!mask.is_null()).then(|| peek::<u64>(mask.expose_provenance()));
    let Some(bits) = bits.flatten() else {
        return call(mask);
    };
    // SAFETY: a set is plain memory, and all-zero is a valid value of it.
    let mut set: sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set is larger than that.
    unsafe { (&raw mut set).cast::<u64>().write(bits) };
    // SAFETY: a set of our own.
    unsafe { libc::sigdelset(&raw mut set, libc::SIGSEGV) };
    call(&raw const set)
}

/// Lets faults through in this thread and in all handlers. The name of a thread where they are blocked, if there is one:
/// that cannot be changed from outside.
pub(in super::super) fn unblocked_everywhere() -> Result<(), String> {
    // SAFETY: a set is plain memory, and all-zero is a valid value of it.
    let mut fault: sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: a set of our own.
    unsafe { libc::sigaddset(&raw mut fault, libc::SIGSEGV) };
    // SAFETY: as above.
    unsafe { libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const fault, std::ptr::null_mut()) };
    for number in 1..=libc::SIGRTMAX() {
        let mut action = std::mem::MaybeUninit::<Action>::uninit();
        // SAFETY: asks for what is there, and writes it.
        if unsafe { libc::sigaction(number, std::ptr::null(), action.as_mut_ptr()) } != 0 {
            continue;
        }
        // SAFETY: written by the call.
        let action = unsafe { action.assume_init() };
        // SAFETY: a set of our own.
        let blocks = unsafe { libc::sigismember(&raw const action.sa_mask, libc::SIGSEGV) } == 1;
        if blocks && number != libc::SIGSEGV {
            let changed = without_fault(action);
            // SAFETY: the action that was there, but for its mask.
            unsafe { libc::sigaction(number, &raw const changed, std::ptr::null_mut()) };
        }
    }
    for _ in 0..TRIES {
        if blocking_thread().is_none() {
            return Ok(());
        }
        std::thread::sleep(PAUSE);
    }
    blocking_thread().map_or(Ok(()), Err)
}

/// The name of a thread that blocks faults.
fn blocking_thread() -> Option<String> {
    let threads = fs::read_dir("/proc/self/task").ok()?;
    for thread in threads.flatten() {
        let read = |file: &str| fs::read_to_string(thread.path().join(file)).unwrap_or_default();
        let status = read("status");
        let mask = status.lines().find_map(|line| line.strip_prefix("SigBlk:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        let name = read("comm");
        // Ours touch nothing of the program's.
        if mask.is_some_and(|mask| mask >> (libc::SIGSEGV - 1) & 1 == 1)
            && !name.starts_with("millpond")
        {
            return Some(name.trim().to_owned());
        }
    }
    None
}
