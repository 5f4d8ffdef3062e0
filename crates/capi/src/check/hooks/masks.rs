//! Handlers and masks of signals. A touch of a closed page is a fault that our handler ends; so a handler that the program
//! installs for it comes behind ours, and no thread blocks it.
#![expect(
    unsafe_code,
    reason = "stands in for functions of the system's library"
)]

use std::ffi::c_int;
use std::fs;
use std::time::Duration;

use libc::{sigaction as Action, sighandler_t, sigset_t};

use super::super::signals;
use super::{Entry, Hook};

/// How often threads are looked at: one that is just being made blocks everything for a moment.
const TRIES: usize = 200;
const PAUSE: Duration = Duration::from_millis(5);

static SIGACTION: Hook = Hook::new(c"sigaction");
static SIGNAL: Hook = Hook::new(c"signal");
static SIGPROCMASK: Hook = Hook::new(c"sigprocmask");
static PTHREAD_SIGMASK: Hook = Hook::new(c"pthread_sigmask");

type ActionFn = unsafe extern "C" fn(c_int, *const Action, *mut Action) -> c_int;
type SignalFn = unsafe extern "C" fn(c_int, sighandler_t) -> sighandler_t;
type MaskFn = unsafe extern "C" fn(c_int, *const sigset_t, *mut sigset_t) -> c_int;

pub(super) fn entries() -> Vec<Entry> {
    let entry = |hook, replacement| Entry { hook, replacement };
    vec![
        entry(&SIGACTION, sigaction as ActionFn as usize),
        entry(&SIGNAL, signal as SignalFn as usize),
        entry(&SIGPROCMASK, sigprocmask as MaskFn as usize),
        entry(&PTHREAD_SIGMASK, pthread_sigmask as MaskFn as usize),
    ]
}

unsafe extern "C" fn sigaction(signal: c_int, new: *const Action, old: *mut Action) -> c_int {
    // SAFETY: the address of the function of this name, which has this type.
    let real = unsafe { std::mem::transmute::<usize, ActionFn>(SIGACTION.real()) };
    // SAFETY: the caller passes an action or none.
    let wanted = unsafe { new.as_ref() };
    if signal == libc::SIGSEGV && signals::is_in_front() {
        let before = signals::program_handler();
        if let (Some(before), false) = (before, old.is_null()) {
            // SAFETY: the caller passes room for an action.
            unsafe { old.write(before) };
        }
        if let Some(wanted) = wanted {
            signals::set_program_handler(wanted);
        }
        return 0;
    }
    let changed = wanted.map(|wanted| without_fault(*wanted));
    let passed = changed
        .as_ref()
        .map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: with what the caller has passed, but for the mask.
    unsafe { real(signal, passed, old) }
}

/// The same action, which does not block faults meanwhile.
fn without_fault(mut action: Action) -> Action {
    // SAFETY: a set of the action's own.
    unsafe { libc::sigdelset(&raw mut action.sa_mask, libc::SIGSEGV) };
    action
}

unsafe extern "C" fn signal(number: c_int, handler: sighandler_t) -> sighandler_t {
    // SAFETY: the address of the function of this name, which has this type.
    let real = unsafe { std::mem::transmute::<usize, SignalFn>(SIGNAL.real()) };
    if number != libc::SIGSEGV || !signals::is_in_front() {
        // SAFETY: with what the caller has passed.
        return unsafe { real(number, handler) };
    }
    let before = signals::program_handler();
    // SAFETY: all of it are integers and a set, for which zeros are right.
    let mut action: Action = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handler;
    action.sa_flags = libc::SA_RESTART;
    signals::set_program_handler(&action);
    before.map_or(libc::SIG_DFL, |before| before.sa_sigaction)
}

unsafe extern "C" fn sigprocmask(how: c_int, new: *const sigset_t, old: *mut sigset_t) -> c_int {
    // SAFETY: the address of the function of this name, which has this type.
    let real = unsafe { std::mem::transmute::<usize, MaskFn>(SIGPROCMASK.real()) };
    // SAFETY: as the caller promises.
    unsafe { masked(real, how, new, old) }
}

unsafe extern "C" fn pthread_sigmask(
    how: c_int,
    new: *const sigset_t,
    old: *mut sigset_t,
) -> c_int {
    // SAFETY: the address of the function of this name, which has this type.
    let real = unsafe { std::mem::transmute::<usize, MaskFn>(PTHREAD_SIGMASK.real()) };
    // SAFETY: as the caller promises.
    unsafe { masked(real, how, new, old) }
}

/// # Safety
/// The sets are there, or null.
unsafe fn masked(real: MaskFn, how: c_int, new: *const sigset_t, old: *mut sigset_t) -> c_int {
    // SAFETY: as the caller promises.
    let Some(mut set) = (unsafe { new.as_ref() }).copied() else {
        // SAFETY: as the caller promises.
        return unsafe { real(how, new, old) };
    };
    if how != libc::SIG_UNBLOCK {
        // SAFETY: a set of our own.
        unsafe { libc::sigdelset(&raw mut set, libc::SIGSEGV) };
    }
    // SAFETY: a set of our own, and what the caller has passed.
    unsafe { real(how, &raw const set, old) }
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
