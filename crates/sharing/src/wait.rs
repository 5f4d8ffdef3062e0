//! Waiting for several descriptors at once, and for the end of a process.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags};

/// Waits until one of them can be read, or has ended, or the time is up. Returns which.
pub fn wait_for_any(sources: &[BorrowedFd<'_>], limit: Option<Duration>) -> io::Result<Vec<bool>> {
    let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
    let sources = sources.iter().copied();
    let mut polled: Vec<_> = sources
        .map(|source| PollFd::from_borrowed_fd(source, PollFlags::IN))
        .collect();
    match poll(&mut polled, limit.as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(polled.iter().map(|one| !one.revents().is_empty()).collect())
}

/// A descriptor that can be read when a process has ended. `None` where the system or the process has none: one in another
/// namespace has no number here.
pub fn end_of(process: i32) -> Option<OwnedFd> {
    let process = Pid::from_raw(process)?;
    rustix::process::pidfd_open(process, PidfdFlags::empty()).ok()
}

/// Whether a process runs: one that has ended and that nobody has collected does not. Where the system cannot say, it does not.
pub fn is_running(process: i32) -> bool {
    if let Some(end) = end_of(process) {
        let ended = wait_for_any(&[end.as_fd()], Some(Duration::ZERO));
        return matches!(ended.as_deref(), Ok([false]));
    }
    let Ok(status) = std::fs::read_to_string(format!("/proc/{process}/stat")) else {
        return false;
    };
    // The state follows the name, which is in parentheses and may contain some.
    let state = status
        .rsplit_once(") ")
        .map(|(_, rest)| rest.as_bytes()[..].first().copied());
    !matches!(state, None | Some(None | Some(b'Z' | b'X')))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::Bell;

    #[test]
    fn what_can_be_read_is_named() {
        let (one, other) = (Bell::new().unwrap(), Bell::new().unwrap());
        let waited = || wait_for_any(&[one.as_fd(), other.as_fd()], Some(Duration::ZERO)).unwrap();
        assert_eq!(waited(), [false, false]);
        one.ring(other.name());
        assert_eq!(waited(), [false, true]);
        other.hush();
        assert_eq!(waited(), [false, false]);
    }

    #[test]
    fn the_end_of_a_process_can_be_waited_for() {
        let mut child = Command::new("cat")
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // Old systems have no such descriptor.
        let end = end_of(child.id().cast_signed());
        let ended = |limit| {
            let end = end.as_ref().map(AsFd::as_fd);
            end.map(|end| wait_for_any(&[end], limit).unwrap()[0])
        };
        assert_ne!(ended(Some(Duration::ZERO)), Some(true));
        assert!(is_running(child.id().cast_signed()));
        assert!(is_running(std::process::id().cast_signed()));
        child.kill().unwrap();
        assert_ne!(ended(None), Some(false));
        if end.is_some() {
            assert!(
                !is_running(child.id().cast_signed()),
                "ended, not collected"
            );
        }
        child.wait().unwrap();
        assert!(!is_running(child.id().cast_signed()), "collected");
        assert!(end_of(0).is_none() && !is_running(0));
    }
}
