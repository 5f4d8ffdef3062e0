//! Runs steps side by side: each as a process of its own, with its output in a file.
//!
//! A step is a row of a table: a name, the steps that must have passed before it, and a function. The table's order is the
//! priority: of the steps that can start, the first one does. As many run at once as the machine has cores, because most steps
//! leave one idle for much of their time. Steps that wait for the network do not count.
//!
//! A step runs as `xtask step NAME`, so its output cannot mix with that of others, and its current folder and environment are
//! its own. The output is shown when the step ends. Every step runs, also after one that failed, so that one run shows all there
//! is to repair; only what needs a failed step is skipped.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use crate::tools::{self, Cost, Outcome, Report};

/// A step that was not done for want of a tool ends with this status, as in other test harnesses.
const SKIPPED: u8 = 77;
/// The line of a step's output that says why it was skipped or failed begins with one of these.
const REASONS: [&str; 2] = ["skipped: ", "FAILED: "];
/// Cargo's variable; a value that the user has set stays.
const INCREMENTAL: &str = "CARGO_INCREMENTAL";
/// How often the steps that run are looked at.
const INTERVAL: Duration = Duration::from_millis(20);

/// One row of a table of steps.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    /// What the reader sees; also the argument of `xtask step`.
    pub(crate) name: &'static str,
    /// Names of the steps that must have passed.
    pub(crate) needs: &'static [&'static str],
    /// What it needs most.
    pub(crate) load: Load,
    /// What it does, in the root of the repository.
    pub(crate) work: fn(&Path) -> Result<Outcome, String>,
}

/// How steps have Cargo compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compile {
    /// For the next small change: takes a sixth longer now.
    Incrementally,
    /// For one run from nothing.
    Whole,
}

/// What a step needs most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Load {
    /// Processors. As many such steps run at once as there are cores.
    Processor,
    /// The network. It runs beside all others.
    Network,
}

/// Runs the named steps of a table, and what they need.
pub(crate) fn run_named(
    root: &Path,
    table: &[Step],
    names: &[&str],
    compile: Compile,
) -> Result<ExitCode, String> {
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
    run(root, &chosen, compile)
}

/// Runs all steps of a table.
pub(crate) fn run(root: &Path, table: &[Step], compile: Compile) -> Result<ExitCode, String> {
    let logs = tools::target(root).join("test-logs");
    fs::create_dir_all(&logs).map_err(|error| format!("{}: {error}", logs.display()))?;
    let slots = thread::available_parallelism().map_or(1, usize::from);
    let mut waiting: Vec<Step> = table.to_vec();
    let mut running: Vec<Running> = Vec::new();
    let mut report = Report::default();
    while !(waiting.is_empty() && running.is_empty()) {
        loop {
            let busy = |running: &[Running]| {
                let counted = running.iter().filter(|step| step.load == Load::Processor);
                counted.count()
            };
            let Some(next) = next(&waiting, &report, busy(&running) < slots) else {
                break;
            };
            match next {
                Next::Start(place) => {
                    running.push(Running::start(root, &logs, waiting.remove(place), compile)?);
                }
                Next::Skip(place, reason) => {
                    let step = waiting.remove(place);
                    println!("\n== {}\nskipped: {reason}", step.name);
                    report.add(step.name, Outcome::Skipped(reason), Cost::default());
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

/// The first step that has all it needs, or cannot get it. `free`: whether a processor is.
fn next(waiting: &[Step], report: &Report, free: bool) -> Option<Next> {
    waiting.iter().enumerate().find_map(|(place, step)| {
        // A need that is not in the table was not asked for: the caller has seen to it.
        let missed = step
            .needs
            .iter()
            .find(|need| report.has_ended(need) && !report.has_passed(need));
        if let Some(need) = missed {
            return Some(Next::Skip(place, format!("'{need}' did not pass")));
        }
        let ready = step.needs.iter().all(|need| report.has_passed(need))
            && (free || step.load == Load::Network);
        ready.then_some(Next::Start(place))
    })
}

/// A step at work.
struct Running {
    name: &'static str,
    load: Load,
    child: Child,
    log: PathBuf,
    start: Instant,
    /// What it ended with; nothing while it runs.
    status: Option<ExitStatus>,
    cpu: Duration,
}

impl Running {
    fn start(root: &Path, logs: &Path, step: Step, compile: Compile) -> Result<Self, String> {
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
        // Not by its name: a build of the whole workspace may replace the file while this runs.
        let program = "/proc/self/exe";
        let mut command = Command::new(program);
        if compile == Compile::Whole && std::env::var_os(INCREMENTAL).is_none() {
            command.env(INCREMENTAL, "0");
        }
        let child = command
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
            load: step.load,
            child,
            log,
            start: Instant::now(),
            status: None,
            cpu: Duration::ZERO,
        })
    }

    fn has_ended(&mut self) -> bool {
        // Children are waited for only here, one at a time, so what the sum grows by is this child's.
        let before = tools::cpu_of_children();
        let ended = self.child.try_wait();
        match ended {
            Ok(None) => false,
            Ok(Some(status)) => {
                self.status = Some(status);
                self.cpu = tools::cpu_of_children().saturating_sub(before);
                true
            }
            // A child that cannot be waited for did not pass.
            Err(_) => true,
        }
    }

    /// Shows what the step said, and notes how it went.
    fn finish(self, report: &mut Report) {
        let (wall, cpu) = (self.start.elapsed(), self.cpu);
        let said = fs::read(&self.log).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        println!("\n== {}\n{}", self.name, said.trim_end());
        // A signal comes from outside, so the step could not say it.
        let reason = || match self.status.and_then(|status| status.signal()) {
            Some(signal) => format!("killed by signal {signal}"),
            None => reason(&said),
        };
        let outcome = match self.status.and_then(|status| status.code()) {
            Some(0) => {
                println!("passed: {} ({:.1} s)", self.name, wall.as_secs_f64());
                Outcome::Passed
            }
            Some(code) if code == i32::from(SKIPPED) => Outcome::Skipped(reason()),
            _ => Outcome::Failed(reason()),
        };
        report.add(self.name, outcome, Cost { wall, cpu });
    }
}

/// The last reason that a step gave.
fn reason(said: &str) -> String {
    let mut reasons = said
        .lines()
        .filter_map(|line| REASONS.iter().find_map(|word| line.strip_prefix(word)));
    reasons
        .next_back()
        .unwrap_or("it failed without a message")
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn step(name: &'static str, needs: &'static [&'static str]) -> Step {
        Step {
            name,
            needs,
            load: Load::Processor,
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
        assert_eq!(next(&TABLE, &report, true), Some(Next::Start(1)));
        report.add("build", Outcome::Passed, Cost::default());
        assert_eq!(next(&TABLE[..1], &report, true), None);
        report.add("engine", Outcome::Passed, Cost::default());
        assert_eq!(next(&TABLE[..1], &report, true), Some(Next::Start(0)));
    }

    #[test]
    fn without_a_free_processor_only_what_waits_for_the_network_starts() {
        let report = Report::default();
        let mut table = TABLE;
        assert_eq!(next(&table, &report, false), None);
        table[2].load = Load::Network;
        assert_eq!(next(&table, &report, false), Some(Next::Start(2)));
    }

    #[test]
    fn a_step_is_skipped_when_something_it_needs_failed_or_was_skipped() {
        for outcome in [
            Outcome::Failed(String::new()),
            Outcome::Skipped(String::new()),
        ] {
            let mut report = Report::default();
            report.add("engine", outcome, Cost::default());
            let expected = Next::Skip(0, "'engine' did not pass".to_owned());
            assert_eq!(next(&TABLE[..1], &report, true), Some(expected));
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
        assert!(reason("").contains("without a message"));
    }
}
