//! A process with a time limit, and its output.

use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How a trial went.
#[derive(Debug)]
pub(super) struct Trial {
    /// `None` if it was killed because its time was over.
    pub(super) status: Option<ExitStatus>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Trial {
    /// Starts the command and waits for it, at most as long as `limit`.
    pub(super) fn run(command: &mut Command, limit: Duration) -> io::Result<Self> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A separate process group, so that its children can be killed with it.
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
                kill_group(child.id());
                child.kill()?;
                child.wait()?;
                break None;
            }
            thread::sleep(Duration::from_millis(20));
        };
        // Processes that it left running hold the other ends of the pipes.
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
            kill_group(child.id());
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

    /// How it ended, and the most telling line of its output.
    pub(super) fn complaint(&self, limit: Duration) -> String {
        let end = match self.status {
            None => format!("it did not exit within {} s", limit.as_secs()),
            Some(status) => match status.signal() {
                Some(signal) => format!("it was killed by signal {signal}"),
                None => format!("it exited with status {}", status.code().unwrap_or(-1)),
            },
        };
        match telling_line(&self.stderr) {
            Some(words) => format!("{end}: {words}"),
            None => end,
        }
    }
}

/// The most telling line of a failure: the last one that names an error, otherwise the last one.
fn telling_line(stderr: &str) -> Option<&str> {
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
    // After a failure, show what was read before.
    drop(pipe.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

#[expect(unsafe_code, reason = "kills a process group")]
fn kill_group(leader: u32) {
    if let Ok(group) = i32::try_from(leader) {
        // SAFETY: the group is that of a child that we started. Either it has not been reaped, or others of the group
        // still exist; in both cases the number has not been reused.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process that sleeps like this is killed, or the test hangs.
    const FOREVER: &str = "sleep 1000000";

    /// The first trial that is as wanted: on a busy machine a short limit may be too short to start the shell.
    fn run_until(line: &str, is_as_wanted: impl Fn(&Trial) -> bool) -> (Trial, Duration) {
        let mut limits = [100, 1000, 10_000, 100_000]
            .map(Duration::from_millis)
            .into_iter();
        let trials = limits
            .by_ref()
            .map(|limit| (Trial::run(&mut shell(line), limit).unwrap(), limit));
        let mut wanted = trials.filter(|(trial, _)| is_as_wanted(trial));
        wanted.next().expect("one of the limits is long enough")
    }

    #[test]
    fn processes_that_a_trial_leaves_running_are_not_waited_for() {
        let (trial, _) = run_until(&format!("echo said; {FOREVER} &"), Trial::succeeded);
        assert_eq!(trial.stdout, "said\n");
    }

    fn shell(line: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", line]);
        command
    }

    #[test]
    fn output_and_exit_are_reported() {
        let limit = Duration::from_mins(1);
        let trial = Trial::run(&mut shell("echo a; echo b >&2; exit 3"), limit).unwrap();
        assert_eq!(trial.stdout, "a\n");
        assert_eq!(trial.complaint(limit), "it exited with status 3: b");
        let trial = Trial::run(&mut shell("kill -ABRT $$"), limit).unwrap();
        assert_eq!(trial.complaint(limit), "it was killed by signal 6");
        assert!(Trial::run(&mut shell("true"), limit).unwrap().succeeded());
    }

    #[test]
    fn a_process_that_takes_too_long_is_killed_with_its_children() {
        // The second process holds the pipe open: only if both end is the output at its end.
        let line = format!("echo a; {FOREVER} & {FOREVER}");
        let (trial, limit) = run_until(&line, |trial| trial.stdout == "a\n");
        assert!(!trial.succeeded());
        let seconds = limit.as_secs();
        assert_eq!(
            trial.complaint(limit),
            format!("it did not exit within {seconds} s")
        );
    }

    #[test]
    fn the_error_of_python_is_found_among_other_lines() {
        let text = "Traceback (most recent call last):\n  File \"x\", line 1\nImportError: no\nsomething: else\n";
        assert_eq!(telling_line(text), Some("ImportError: no"));
        assert_eq!(telling_line("one\ntwo\n\n"), Some("two"));
        assert_eq!(telling_line(""), None);
    }
}
