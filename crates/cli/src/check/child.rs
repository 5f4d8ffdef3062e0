//! The program, from start to exit.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};

use super::{failed, orphans, signals};
use crate::program::{Prepared, Refusal};

/// How the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// With this status.
    Exited(u8),
    /// By this signal.
    Killed(i32),
}

impl Ended {
    /// The exit status that a shell would report.
    pub(super) fn code(self) -> u8 {
        match self {
            Self::Exited(code) => code,
            Self::Killed(signal) => u8::try_from(signal.saturating_add(128)).unwrap_or(u8::MAX),
        }
    }

    fn of(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Exited(u8::try_from(code & 0xff).unwrap_or(u8::MAX)),
            (None, signal) => Self::Killed(signal.unwrap_or(0)),
        }
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exit status {code}"),
            Self::Killed(signal) => {
                write!(f, "killed by signal {signal}")?;
                match signal_name(*signal) {
                    "" => Ok(()),
                    name => write!(f, " ({name})"),
                }
            }
        }
    }
}

pub(super) fn signal_name(signal: i32) -> &'static str {
    match signal {
        libc::SIGHUP => "SIGHUP",
        libc::SIGINT => "SIGINT",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGILL => "SIGILL",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGKILL => "SIGKILL",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGTERM => "SIGTERM",
        libc::SIGXCPU => "SIGXCPU",
        _ => "",
    }
}

/// Starts the program and waits for it. With `aside`, its output goes to stderr, because stdout is for the report.
pub(super) fn run(
    program: &[OsString],
    variables: Vec<(&'static str, OsString)>,
    aside: bool,
) -> Result<Ended, Refusal> {
    let mut prepared = Prepared::new(program, variables, false)?;
    if aside {
        let stderr = io::stderr().as_fd().try_clone_to_owned();
        prepared
            .command
            .stdout(stderr.map_or_else(|_| Stdio::inherit(), Stdio::from));
    }
    orphans::adopt();
    orphans::tie(&mut prepared.command);
    signals::stay();
    let child = match prepared.command.spawn() {
        Ok(child) => child,
        Err(error) => return Err(prepared.refused(&error)),
    };
    signals::started(child.id());
    let status = orphans::wait_for(child.id());
    signals::ended();
    let status = status.map_err(|error| {
        failed(
            format!("cannot wait for the program: {error}"),
            "another part of this process may have waited for it",
        )
    })?;
    Ok(Ended::of(ExitStatus::from_raw(status)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_status_is_that_of_a_shell() {
        assert_eq!(Ended::of(ExitStatus::from_raw(42 << 8)).code(), 42);
        assert_eq!(Ended::of(ExitStatus::from_raw(9)).code(), 137);
        assert_eq!(
            Ended::of(ExitStatus::from_raw(0x8b)).to_string(),
            "killed by signal 11 (SIGSEGV)"
        );
    }
}
