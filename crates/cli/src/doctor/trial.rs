//! A process that has to end within a time, and what it printed.

use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How a trial went.
#[derive(Debug)]
pub(super) struct Trial {
    /// `None` when it was ended because its time was over.
    pub(super) status: Option<ExitStatus>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Trial {
    /// Starts the command and waits for its end, but no longer than `limit`.
    pub(super) fn run(command: &mut Command, limit: Duration) -> io::Result<Self> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A group of its own, so that what it starts can be ended with it.
            .process_group(0)
            .spawn()?;
        let stdout = child
            .stdout
            .take()
            .map(|pipe| thread::spawn(|| all_of(pipe)));
        let stderr = child
            .stderr
            .take()
            .map(|pipe| thread::spawn(|| all_of(pipe)));
        let end = Instant::now() + limit;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break Some(status);
            }
            if Instant::now() >= end {
                end_group(child.id());
                child.kill()?;
                child.wait()?;
                break None;
            }
            thread::sleep(Duration::from_millis(20));
        };
        // What it left running holds the other ends of the pipes.
        let reading = || {
            [&stdout, &stderr]
                .into_iter()
                .flatten()
                .any(|reader| !reader.is_finished())
        };
        while reading() && Instant::now() < end {
            thread::sleep(Duration::from_millis(20));
        }
        if reading() {
            end_group(child.id());
        }
        let text = |reader: Option<thread::JoinHandle<String>>| {
            reader.map_or_else(String::new, |reader| reader.join().unwrap_or_default())
        };
        Ok(Self {
            status,
            stdout: text(stdout),
            stderr: text(stderr),
        })
    }

    pub(super) fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// How it ended, and the last thing that it said.
    pub(super) fn complaint(&self, limit: Duration) -> String {
        let end = match self.status {
            None => format!("it did not end within {} s", limit.as_secs()),
            Some(status) => match status.signal() {
                Some(signal) => format!("it was killed by signal {signal}"),
                None => format!("it ended with status {}", status.code().unwrap_or(-1)),
            },
        };
        match last_words(&self.stderr) {
            Some(words) => format!("{end}: {words}"),
            None => end,
        }
    }
}

/// The line that tells most of a failure: the last one that names an error, else the last one.
fn last_words(stderr: &str) -> Option<&str> {
    let lines = || {
        stderr
            .lines()
            .rev()
            .map(str::trim)
            .filter(|line| !line.is_empty())
    };
    // Python indents everything of a traceback but its last line, which names the kind of error.
    let error = lines().find(|line| {
        line.split(':').next().is_some_and(|kind| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "._".contains(c);
            kind.chars().all(plain) && (kind.ends_with("Error") || kind.ends_with("Exception"))
        })
    });
    error.or_else(|| lines().next())
}

fn all_of(mut pipe: impl Read) -> String {
    let mut bytes = Vec::new();
    // What was read until a failure is all there is to show.
    drop(pipe.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

#[expect(unsafe_code, reason = "ends a group of processes")]
fn end_group(leader: u32) {
    if let Ok(group) = i32::try_from(leader) {
        // SAFETY: the group is the one of a child that we started. Either we have not waited for it, or others of the
        // group are still there: in both cases its number is still its own.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_trial_leaves_running_is_not_waited_for() {
        let began = Instant::now();
        let limit = Duration::from_millis(300);
        let trial = Trial::run(&mut shell("echo said; sleep 20 &"), limit).unwrap();
        assert!(trial.succeeded());
        assert_eq!(trial.stdout, "said\n");
        assert!(began.elapsed() < Duration::from_secs(10));
    }

    fn shell(line: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", line]);
        command
    }

    #[test]
    fn what_it_printed_and_how_it_ended_is_told() {
        let limit = Duration::from_mins(1);
        let trial = Trial::run(&mut shell("echo a; echo b >&2; exit 3"), limit).unwrap();
        assert_eq!(trial.stdout, "a\n");
        assert_eq!(trial.complaint(limit), "it ended with status 3: b");
        let trial = Trial::run(&mut shell("kill -ABRT $$"), limit).unwrap();
        assert_eq!(trial.complaint(limit), "it was killed by signal 6");
        assert!(Trial::run(&mut shell("true"), limit).unwrap().succeeded());
    }

    #[test]
    fn one_that_takes_too_long_is_ended_with_all_it_started() {
        let limit = Duration::from_millis(100);
        let begin = Instant::now();
        // The second process holds the pipe open: only if both end is the output at its end.
        let trial = Trial::run(&mut shell("echo a; sleep 60 & sleep 60"), limit).unwrap();
        assert!(begin.elapsed() < Duration::from_secs(30));
        assert_eq!(trial.stdout, "a\n");
        assert!(!trial.succeeded());
        assert_eq!(trial.complaint(limit), "it did not end within 0 s");
    }

    #[test]
    fn the_error_of_python_is_found_behind_other_words() {
        let text = "Traceback (most recent call last):\n  File \"x\", line 1\nImportError: no\nsomething: else\n";
        assert_eq!(last_words(text), Some("ImportError: no"));
        assert_eq!(last_words("one\ntwo\n\n"), Some("two"));
        assert_eq!(last_words(""), None);
    }
}
