//! Processes that a program leaves running when it exits, and the program itself when this command is killed.
//!
//! This process adopts orphans of the program (`PR_SET_CHILD_SUBREAPER`), however often it forks, and waits until all
//! have exited or the time is over. So a program that only starts others is checked, and a daemon delays the check at
//! most as long as `--wait` says.
#![expect(
    unsafe_code,
    reason = "adopts processes, waits for any of them, and kills the program when this process dies"
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

/// How long to wait after a signal.
const AFTER_SIGNAL: Duration = Duration::from_secs(2);

/// After this time, stderr names the processes that the command waits for.
const QUIET: Duration = Duration::from_secs(1);

/// A process that outlived the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Orphan {
    pub(super) pid: i32,
    name: String,
}

impl fmt::Display for Orphan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.pid, self.name)
    }
}

/// Makes this process the parent of processes whose parents have exited.
pub(super) fn adopt() {
    // SAFETY: sets an attribute of this process. If that fails, orphans are not waited for.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
}

/// Has the system kill the program when this process dies. It does not do so for a program with the rights of another user.
pub(super) fn tie(command: &mut Command) {
    // SAFETY: asks for a number.
    let own = unsafe { libc::getpid() };
    let tie = move || {
        // SAFETY: sets an attribute of the new process.
        if unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // This process may have died before the call above.
        // SAFETY: asks for a number.
        if unsafe { libc::getppid() } != own {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        Ok(())
    };
    // SAFETY: the closure only makes calls of the system, which are allowed between fork and exec.
    unsafe { command.pre_exec(tie) };
}

/// Waits for one process, and reaps every other that exits meanwhile. Returns its raw status.
pub(super) fn wait_for(process: u32) -> io::Result<i32> {
    loop {
        let (ended, status) = wait(0)?;
        if u32::try_from(ended) == Ok(process) {
            return Ok(status);
        }
    }
}

/// Waits until all orphans but the `known` ones have exited. Returns those that are left when the time is over or a signal
/// arrives.
pub(super) fn wait_for_all(limit: Duration, known: &[Orphan]) -> Vec<Orphan> {
    let started = Instant::now();
    let mask = block_child_signals();
    let mut printed = false;
    let left = loop {
        while matches!(wait(libc::WNOHANG), Ok((ended, _)) if ended > 0) {}
        let left: Vec<Orphan> = children()
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
        if !printed && passed >= QUIET.min(limit) {
            printed = true;
            say!(
                "millpond check: the program has exited; waiting up to {} s for processes that it left running: {}\n",
                limit.as_secs(),
                names(&left)
            );
        }
        let rest = limit.saturating_sub(passed);
        sleep_until_one_ends(if printed { rest } else { rest.min(QUIET) });
    };
    restore_signals(&mask);
    left
}

/// The names of some processes.
pub(super) fn names(left: &[Orphan]) -> String {
    const MOST: usize = 8;
    let mut text: Vec<String> = left.iter().take(MOST).map(ToString::to_string).collect();
    if left.len() > MOST {
        text.push(format!("and {} more", left.len() - MOST));
    }
    text.join(", ")
}

/// Reaps one process: its id and status. The id is 0 if none has exited and `flags` say not to wait.
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

/// The children of this process, adopted ones included.
fn children() -> Vec<Orphan> {
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
        // The name is in parentheses and may contain anything; state and parent follow it.
        let Some((start, rest)) = stat.rsplit_once(')') else {
            continue;
        };
        // One that has exited since counts too: its own children may have been seen before they were adopted, and are
        // found next time.
        if rest.split_whitespace().nth(1) == Some(&own) {
            let name = start.split_once('(').map_or("", |(_, name)| name);
            let name = millpond_report::clean(name).into_owned();
            found.push(Orphan { pid, name });
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

/// Blocks SIGCHLD, so that an exit between two waits wakes the next wait.
fn block_child_signals() -> libc::sigset_t {
    let mut before = MaybeUninit::uninit();
    let set = child_signal();
    // SAFETY: both sets live through the call, which fills the second.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, before.as_mut_ptr()) };
    // SAFETY: filled by the call.
    unsafe { before.assume_init() }
}

fn restore_signals(before: &libc::sigset_t) {
    // SAFETY: the set was filled by the call that changed it.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, ptr::from_ref(before), ptr::null_mut()) };
}

/// Sleeps until a process exits, a signal arrives or the time is over.
fn sleep_until_one_ends(limit: Duration) {
    let set = child_signal();
    let limit = libc::timespec {
        tv_sec: limit.as_secs().try_into().unwrap_or(libc::time_t::MAX),
        tv_nsec: limit.subsec_nanos().into(),
    };
    // SAFETY: set and time live through the call; no more is asked about the signal.
    unsafe { libc::sigtimedwait(&raw const set, ptr::null_mut(), &raw const limit) };
}
