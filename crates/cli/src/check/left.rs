//! Processes that a program leaves running when it ends, and the program itself when this command is killed.
//!
//! This process adopts what the program leaves behind (`PR_SET_CHILD_SUBREAPER`), however often it forks, and waits
//! until nothing of it is left or the time is over. So a program that only starts others is checked, and a daemon
//! does not hold the check up for longer than `--wait` says.
#![expect(
    unsafe_code,
    reason = "adopts processes, waits for any of them, and ties the program's life to ours"
)]

use std::fmt;
use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::ptr;
use std::time::{Duration, Instant};

use super::signals;
use crate::say::say;

/// After a signal the wait is short.
const AFTER_SIGNAL: Duration = Duration::from_secs(2);

/// After this time, stderr names the processes that the command waits for.
const UNTOLD: Duration = Duration::from_secs(1);

/// A process, as a sentence names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Left {
    pub(super) pid: i32,
    name: String,
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.pid, self.name)
    }
}

/// From now on processes whose parents have ended are ours.
pub(super) fn adopt() {
    // SAFETY: sets an attribute of this process. Where it cannot be set, orphans are not seen, as before.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
}

/// The program is killed when this process is. A program with rights of another user is not: the system takes the tie
/// away.
pub(super) fn tie(command: &mut Command) {
    // SAFETY: asks for a number.
    let own = unsafe { libc::getpid() };
    let tie = move || {
        // SAFETY: sets an attribute of the new process.
        if unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // We may have been killed before the tie was there.
        // SAFETY: asks for a number.
        if unsafe { libc::getppid() } != own {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        Ok(())
    };
    // SAFETY: the closure only makes calls of the system, which are allowed between fork and exec.
    unsafe { command.pre_exec(tie) };
}

/// Waits for one process, and for every other that ends meanwhile. Returns its raw status.
pub(super) fn wait_for(process: u32) -> io::Result<i32> {
    loop {
        let (ended, status) = wait(0)?;
        if u32::try_from(ended) == Ok(process) {
            return Ok(status);
        }
    }
}

/// Waits until nothing is left but what `known` names, and returns what is left when the time is over or a signal comes.
pub(super) fn wait_for_all(limit: Duration, known: &[Left]) -> Vec<Left> {
    let started = Instant::now();
    let held = hold_back_child_signals();
    let mut told = false;
    let left = loop {
        while matches!(wait(libc::WNOHANG), Ok((ended, _)) if ended > 0) {}
        let left: Vec<Left> = children()
            .into_iter()
            .filter(|one| !known.iter().any(|known| known.pid == one.pid))
            .collect();
        let limit = match signals::ending() {
            Some(_) => limit.min(AFTER_SIGNAL),
            None => limit,
        };
        let passed = started.elapsed();
        if left.is_empty() || passed >= limit {
            break left;
        }
        if !told && passed >= UNTOLD.min(limit) {
            told = true;
            say!(
                "millpond check: the program has ended; waiting for what it left running, up to {} s: {}\n",
                limit.as_secs(),
                names(&left)
            );
        }
        let rest = limit.saturating_sub(passed);
        sleep_until_one_ends(if told { rest } else { rest.min(UNTOLD) });
    };
    let_through(&held);
    left
}

/// The names of some processes, one behind the other.
pub(super) fn names(left: &[Left]) -> String {
    const MOST: usize = 8;
    let mut text: Vec<String> = left.iter().take(MOST).map(ToString::to_string).collect();
    if left.len() > MOST {
        text.push(format!("and {} more", left.len() - MOST));
    }
    text.join(", ")
}

/// One process that has ended, with its status; 0 if none has and `flags` say not to wait.
fn wait(flags: libc::c_int) -> io::Result<(libc::pid_t, i32)> {
    loop {
        let mut status = 0;
        // SAFETY: the status is writable. Nothing else in this process waits for children.
        let ended = unsafe { libc::waitpid(-1, &raw mut status, flags) };
        if ended >= 0 {
            return Ok((ended, status));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// The children of this process, also those that were adopted.
fn children() -> Vec<Left> {
    let own = std::process::id().to_string();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // The name stands in parentheses and may hold anything; state and parent come behind it.
        let Some((start, rest)) = stat.rsplit_once(')') else {
            continue;
        };
        // Also one that has ended since: what it left may have been seen before it was ours, and is found next time.
        if rest.split_whitespace().nth(1) == Some(&own) {
            let name = start.split_once('(').map_or("", |(_, name)| name);
            let name = millpond_report::clean(name).into_owned();
            found.push(Left { pid, name });
        }
    }
    found.sort_by_key(|left| left.pid);
    found
}

fn child_signal() -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: the set is writable, and valid afterwards.
    unsafe { libc::sigemptyset(set.as_mut_ptr()) };
    // SAFETY: the set is valid, and so is the number.
    unsafe { libc::sigaddset(set.as_mut_ptr(), libc::SIGCHLD) };
    // SAFETY: made above.
    unsafe { set.assume_init() }
}

/// So that a process which ends between two waits is not missed by the next one.
fn hold_back_child_signals() -> libc::sigset_t {
    let mut before = MaybeUninit::uninit();
    let set = child_signal();
    // SAFETY: both sets live through the call, which fills the second.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, before.as_mut_ptr()) };
    // SAFETY: filled by the call.
    unsafe { before.assume_init() }
}

fn let_through(before: &libc::sigset_t) {
    // SAFETY: the set was filled by the call that changed it.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, ptr::from_ref(before), ptr::null_mut()) };
}

/// Sleeps until a process has ended, a signal comes or the time is over.
fn sleep_until_one_ends(limit: Duration) {
    let set = child_signal();
    let limit = libc::timespec {
        tv_sec: limit.as_secs().try_into().unwrap_or(libc::time_t::MAX),
        tv_nsec: limit.subsec_nanos().into(),
    };
    // SAFETY: set and time live through the call; no more is asked about the signal.
    unsafe { libc::sigtimedwait(&raw const set, ptr::null_mut(), &raw const limit) };
}
