//! Signal handlers. An access to a closed page is a fault that our handler must get first, so a handler that the
//! program installs for it comes after ours, whichever function installs it. No handler of another signal blocks
//! faults.
#![expect(unsafe_code, reason = "replaces functions of the C library")]

use std::ffi::c_int;

use libc::{sigaction as Action, sighandler_t};

use super::super::pinned::set_errno;
use super::super::signals;
use super::{Entry, Hook, ended};

/// What `sigset` takes for "block it".
const HOLD: sighandler_t = 2;
/// What the oldest kind of handler is: it serves once, and nothing is blocked meanwhile.
const ONCE: c_int = libc::SA_RESETHAND | libc::SA_NODEFER;

replaced! {
    SIGACTION: fn sigaction(signal: c_int, new: *const Action, old: *mut Action) -> c_int, |real|
        acted(real, signal, new, old);
    SIGACTION_UNDERSCORED: fn __sigaction(signal: c_int, new: *const Action, old: *mut Action) -> c_int, |real|
        acted(real, signal, new, old);
    SIGNAL: fn signal(number: c_int, handler: sighandler_t) -> sighandler_t, |real|
        if is_ours(number) { install(handler, libc::SA_RESTART) } else { real(number, handler) };
    BSD_SIGNAL: fn bsd_signal(number: c_int, handler: sighandler_t) -> sighandler_t, |real|
        if is_ours(number) { install(handler, libc::SA_RESTART) } else { real(number, handler) };
    SSIGNAL: fn ssignal(number: c_int, handler: sighandler_t) -> sighandler_t, |real|
        if is_ours(number) { install(handler, libc::SA_RESTART) } else { real(number, handler) };
    // `signal` of a program that is compiled for strict C.
    SYSV_SIGNAL_UNDERSCORED: fn __sysv_signal(number: c_int, handler: sighandler_t) -> sighandler_t, |real|
        if is_ours(number) { install(handler, ONCE) } else { real(number, handler) };
    SYSV_SIGNAL: fn sysv_signal(number: c_int, handler: sighandler_t) -> sighandler_t, |real|
        if is_ours(number) { install(handler, ONCE) } else { real(number, handler) };
    SIGSET: fn sigset(number: c_int, handler: sighandler_t) -> sighandler_t, |real|
        if !is_ours(number) {
            real(number, handler)
        } else if handler == HOLD {
            // It is never blocked.
            installed()
        } else {
            install(handler, 0)
        };
    SIGIGNORE: fn sigignore(number: c_int) -> c_int, |real|
        if is_ours(number) {
            install(libc::SIG_IGN, 0);
            0
        } else {
            real(number)
        };
}

fn is_ours(number: c_int) -> bool {
    number == libc::SIGSEGV && signals::is_in_front()
}

/// What the program has installed for faults.
fn installed() -> sighandler_t {
    let before = signals::program_handler();
    before.map_or(libc::SIG_DFL, |before| before.sa_sigaction)
}

/// The program installs a handler for faults. What was there before.
fn install(handler: sighandler_t, flags: c_int) -> sighandler_t {
    if handler == libc::SIG_ERR {
        set_errno(libc::EINVAL);
        return libc::SIG_ERR;
    }
    let before = installed();
    // SAFETY: all of it are integers and a set, for which zeros are right.
    let mut action: Action = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handler;
    action.sa_flags = flags;
    signals::set_program_handler(&action);
    before
}

fn acted(
    real: impl Fn(c_int, *const Action, *mut Action) -> c_int,
    signal: c_int,
    new: *const Action,
    old: *mut Action,
) -> c_int {
    // SAFETY: the caller passes an action or none.
    let wanted = unsafe { new.as_ref() };
    if is_ours(signal) {
        // Both may be the same.
        let wanted = wanted.copied();
        let before = signals::program_handler();
        if let (Some(before), false) = (before, old.is_null()) {
            // SAFETY: the caller passes room for an action.
            unsafe { old.write(before) };
        }
        if let Some(wanted) = wanted {
            signals::set_program_handler(&wanted);
        }
        return 0;
    }
    let changed = wanted.map(|wanted| without_fault(*wanted));
    let passed = changed
        .as_ref()
        .map_or(std::ptr::null(), std::ptr::from_ref);
    real(signal, passed, old)
}

/// The same action, which does not block faults meanwhile.
pub(super) fn without_fault(mut action: Action) -> Action {
    // SAFETY: a set of the action's own.
    unsafe { libc::sigdelset(&raw mut action.sa_mask, libc::SIGSEGV) };
    action
}
