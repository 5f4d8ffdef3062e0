//! Runs steps side by side: each as a process of its own, with its output in a file.
//!
//! A step is a row of a table: a name, the steps that must have passed before it, and a function. The table's order is the
//! priority: of the steps that can start, the first one does. As many run at once as the machine has cores, because most steps
//! leave one idle for much of their time.
//!
//! A step runs as `xtask step NAME`, so its output cannot mix with that of others, and its current folder and environment are
//! its own. The output is shown when the step ends. Every step runs, also after one that failed, so that one run shows all there
//! is to repair; only what needs a failed step is skipped.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::thread;
use std::time::{Duration, Instant};

use crate::tools::{self, Outcome, Report};

/// A step that was not done for want of a tool ends with this status, as in other test harnesses.
const SKIPPED: u8 = 77;
/// The line of a step's output that says why it was skipped or failed begins with one of these.
const REASONS: [&str; 2] = ["skipped: ", "FAILED: "];
/// How often the steps that run are looked at.
const INTERVAL: Duration = Duration::from_millis(20);

/// One row of a table of steps.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    /// What the reader sees; also the argument of `xtask step`.
    pub(crate) name: &'static str,
    /// Names of the steps that must have passed.
    pub(crate) needs: &'static [&'static str],
    /// What it does, in the root of the repository.
    pub(crate) work: fn(&Path) -> Result<Outcome, String>,
}

/// Runs the named steps of a table, and what they need.
pub(crate) fn run_named(root: &Path, table: &[Step], names: &[&str]) -> Result<ExitCode, String> {
    let mut wanted: Vec<&str> = Vec::new();
    let mut open: Vec<&str> = names.to_vec();
    while let Some(name) = open.pop() {
        let step = find(table, name)?;
        if !wanted.contains(&step.name) {
            wanted.push(step.name);
            open.extend(step.needs);
        }
    }
    let chosen: Vec<Step> = table
        .iter()
        .filter(|step| wanted.contains(&step.name))
        .copied()
        .collect();
    run(root, &chosen)
}

/// Runs all steps of a table.
pub(crate) fn run(root: &Path, table: &[Step]) -> Result<ExitCode, String> {
    let logs = tools::target(root).join("test-logs");
    fs::create_dir_all(&logs).map_err(|error| format!("{}: {error}", logs.display()))?;
    let slots = thread::available_parallelism().map_or(1, usize::from);
    let mut waiting: Vec<Step> = table.to_vec();
    let mut running: Vec<Running> = Vec::new();
    let mut report = Report::default();
    while !(waiting.is_empty() && running.is_empty()) {
        while running.len() < slots {
            let Some(next) = next(&waiting, &report) else {
                break;
            };
            match next {
                Next::Start(place) => {
                    running.push(Running::start(root, &logs, waiting.remove(place))?);
                }
                Next::Skip(place, reason) => {
                    let step = waiting.remove(place);
                    println!("\n== {}\nskipped: {reason}", step.name);
                    report.add(step.name, Outcome::Skipped(reason), Duration::ZERO);
                }
            }
        }
        if let Some(place) = running.iter_mut().position(Running::has_ended) {
            running.remove(place).finish(&mut report);
        } else {
            thread::sleep(INTERVAL);
        }
    }
    Ok(report.finish())
}

/// `xtask step NAME`: one step in this process. What it says at its end is what [`run`] reads.
pub(crate) fn run_here(root: &Path, table: &[Step], name: &str) -> Result<ExitCode, String> {
    let step = find(table, name)?;
    Ok(match (step.work)(root).unwrap_or_else(Outcome::Failed) {
        Outcome::Passed => ExitCode::SUCCESS,
        Outcome::Skipped(reason) => {
            println!("{}{reason}", REASONS[0]);
            ExitCode::from(SKIPPED)
        }
        Outcome::Failed(reason) => {
            println!("{}{reason}", REASONS[1]);
            ExitCode::FAILURE
        }
    })
}

fn find<'a>(table: &'a [Step], name: &str) -> Result<&'a Step, String> {
    table.iter().find(|step| step.name == name).ok_or_else(|| {
        let names: Vec<&str> = table.iter().map(|step| step.name).collect();
        format!(
            "unknown step '{name}'\nhint: the steps are: {}",
            names.join("; ")
        )
    })
}

/// What to do with a step that waits, by its place among those.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    Start(usize),
    /// It cannot run any more, and why.
    Skip(usize, String),
}

/// The first step that has all it needs, or cannot get it.
fn next(waiting: &[Step], report: &Report) -> Option<Next> {
    waiting.iter().enumerate().find_map(|(place, step)| {
        // A need that is not in the table was not asked for: the caller has seen to it.
        let missed = step
            .needs
            .iter()
            .find(|need| report.has_ended(need) && !report.has_passed(need));
        if let Some(need) = missed {
            return Some(Next::Skip(place, format!("'{need}' did not pass")));
        }
        let ready = step.needs.iter().all(|need| report.has_passed(need));
        ready.then_some(Next::Start(place))
    })
}

/// A step at work.
struct Running {
    name: &'static str,
    child: Child,
    log: PathBuf,
    start: Instant,
    /// What it ended with; nothing while it runs, or if a signal ended it.
    code: Option<i32>,
}

impl Running {
    fn start(root: &Path, logs: &Path, step: Step) -> Result<Self, String> {
        let file: String = step
            .name
            .chars()
            .map(|c| if c.is_alphanumeric() { c } else { '-' })
            .collect();
        let log = logs.join(format!("{file}.log"));
        let sink = File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
        let both = sink
            .try_clone()
            .map_err(|error| format!("{}: {error}", log.display()))?;
        let program = std::env::current_exe().map_err(|error| format!("xtask: {error}"))?;
        let child = Command::new(program)
            .args(["step", step.name])
            .current_dir(root)
            .stdin(std::process::Stdio::null())
            .stdout(sink)
            .stderr(both)
            .spawn()
            .map_err(|error| format!("{}: {error}", step.name))?;
        println!("started: {}", step.name);
        Ok(Self {
            name: step.name,
            child,
            log,
            start: Instant::now(),
            code: None,
        })
    }

    fn has_ended(&mut self) -> bool {
        match self.child.try_wait() {
            Ok(None) => false,
            Ok(Some(status)) => {
                self.code = status.code();
                true
            }
            // A child that cannot be waited for did not pass.
            Err(_) => true,
        }
    }

    /// Shows what the step said, and notes how it went.
    fn finish(self, report: &mut Report) {
        let time = self.start.elapsed();
        let said = fs::read(&self.log).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        println!("\n== {}\n{}", self.name, said.trim_end());
        let reason = || reason(&said);
        let outcome = match self.code {
            Some(0) => {
                println!("passed: {} ({:.1} s)", self.name, time.as_secs_f64());
                Outcome::Passed
            }
            Some(code) if code == i32::from(SKIPPED) => Outcome::Skipped(reason()),
            _ => Outcome::Failed(reason()),
        };
        report.add(self.name, outcome, time);
    }
}

/// The last reason that a step gave.
fn reason(said: &str) -> String {
    let mut reasons = said
        .lines()
        .filter_map(|line| REASONS.iter().find_map(|word| line.strip_prefix(word)));
    reasons
        .next_back()
        .unwrap_or("it ended without a reason")
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn step(name: &'static str, needs: &'static [&'static str]) -> Step {
        Step {
            name,
            needs,
            work: |_| Ok(Outcome::Passed),
        }
    }

    const TABLE: [Step; 3] = [
        step("test", &["build", "engine"]),
        step("build", &[]),
        step("engine", &[]),
    ];

    #[test]
    fn a_step_starts_when_all_it_needs_has_passed() {
        let mut report = Report::default();
        assert_eq!(next(&TABLE, &report), Some(Next::Start(1)));
        report.add("build", Outcome::Passed, Duration::ZERO);
        assert_eq!(next(&TABLE[..1], &report), None);
        report.add("engine", Outcome::Passed, Duration::ZERO);
        assert_eq!(next(&TABLE[..1], &report), Some(Next::Start(0)));
    }

    #[test]
    fn a_step_is_skipped_when_something_it_needs_failed_or_was_skipped() {
        for outcome in [
            Outcome::Failed(String::new()),
            Outcome::Skipped(String::new()),
        ] {
            let mut report = Report::default();
            report.add("engine", outcome, Duration::ZERO);
            let expected = Next::Skip(0, "'engine' did not pass".to_owned());
            assert_eq!(next(&TABLE[..1], &report), Some(expected));
        }
    }

    #[test]
    fn an_unknown_step_is_refused_with_the_names_of_all() {
        let message = run_here(Path::new("."), &TABLE, "tset").unwrap_err();
        assert!(message.contains("tset") && message.contains("build"));
    }

    #[test]
    fn the_reason_of_a_step_is_the_last_it_gave() {
        assert_eq!(reason("FAILED: a\nmore\nskipped: b\nhint"), "b");
        assert!(reason("").contains("without a reason"));
    }
}
