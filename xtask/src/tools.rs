//! Finding and running other programs, and keeping count of what passed.

use std::env;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Which of Cargo's two profiles a command builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Build {
    Debug,
    Release,
}

impl Build {
    /// The folder below the target folder in which Cargo leaves the result.
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Release => "release",
        }
    }
}

/// The crates whose results users get, without `millpond-`.
pub(crate) const SHIPPED: [&str; 4] = ["capi", "plugin", "cli", "python"];

/// Where Cargo builds: `CARGO_TARGET_DIR`, else `target` in the repository.
pub(crate) fn target(root: &Path) -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(
        || root.join("target"),
        // A relative value is meant from where cargo was called, which is where we are.
        |folder| env::current_dir().unwrap_or_default().join(folder),
    )
}

/// The Cargo that runs us, in the root of the repository. What it starts finds the repository's own
/// engine, unless the user has named another.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    let engine = crate::engine::folder(root);
    if env::var_os("MILLPOND_ONNXRUNTIME").is_none() && engine.is_dir() {
        command.env("MILLPOND_ONNXRUNTIME", engine);
    }
    command
}

/// Builds what users get. The debug build is that of the tests: with fewer packages Cargo would choose other features and
/// replace libraries that a test beside us is using.
pub(crate) fn build(root: &Path, build: Build) -> Command {
    let mut cargo = cargo(root);
    cargo.args(["build", "--locked"]);
    match build {
        Build::Debug => {
            cargo.arg("--workspace");
        }
        Build::Release => {
            cargo.arg("--release");
            for package in SHIPPED {
                cargo.args(["-p", &format!("millpond-{package}")]);
            }
        }
    }
    cargo
}

/// The test that runs the C programs. All packages are named, because with fewer Cargo would choose other features for some
/// dependencies, build those again, and replace the library that tests beside us use.
pub(crate) fn c_programs(root: &Path) -> Command {
    let mut command = cargo(root);
    command.args(["test", "--locked", "--workspace", "--test", "c_programs"]);
    command
}

/// The C compiler: `$CC`, else `cc`.
pub(crate) fn cc() -> Result<Command, String> {
    let name = env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    // CC may carry options: `ccache gcc`, `gcc -m64`.
    let mut words = name.split_whitespace();
    let program = words.next().unwrap_or("cc");
    if find(program).is_none() {
        return Err(format!(
            "no C compiler: {program} is not installed\nhint: apt-get install gcc libc6-dev"
        ));
    }
    let mut command = Command::new(program);
    command.args(words);
    Ok(command)
}

/// The C++ compiler: `$CXX`, else `c++`. `None` where there is none.
pub(crate) fn cxx() -> Option<Command> {
    let name = env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let mut words = name.split_whitespace();
    let program = words.next().unwrap_or("c++");
    find(program)?;
    let mut command = Command::new(program);
    command.args(words);
    Some(command)
}

/// Looks a program up in `PATH`.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|path| path.is_file());
    }
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
}

/// Whether a component of the Rust toolchain answers, for example `fmt` or `clippy`.
pub(crate) fn has_component(root: &Path, subcommand: &str) -> bool {
    cargo(root)
        .args([subcommand, "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Says what is run, runs it with our own output, and turns a failure into a sentence.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    println!("$ {}", shell_line(command));
    run_unannounced(command)
}

/// As [`run`], for a program whose output somebody reads: the line goes where talk goes.
pub(crate) fn run_for_output(command: &mut Command) -> Result<(), String> {
    eprintln!("$ {}", shell_line(command));
    run_unannounced(command)
}

fn run_unannounced(command: &mut Command) -> Result<(), String> {
    let line = shell_line(command);
    let status = command
        .status()
        .map_err(|error| format!("cannot start {line}: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{status}: {line}"))
    }
}

/// Runs quietly and returns what it printed. A failure shows everything it said.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let line = shell_line(command);
    println!("$ {line}");
    let output = command
        .output()
        .map_err(|error| format!("cannot start {line}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        Ok(text)
    } else {
        let complaint = String::from_utf8_lossy(&output.stderr);
        Err(format!("{}: {line}\n{text}{complaint}", output.status))
    }
}

/// The command as one could type it, with the variables that were set for it.
pub(crate) fn shell_line(command: &Command) -> String {
    let mut line = String::new();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            write!(line, "{}={} ", name.display(), quoted(value))
                .expect("writing to a String cannot fail");
        }
    }
    let program = command.get_program();
    if Some(program) == env::var_os("CARGO").as_deref() {
        line.push_str("cargo");
    } else {
        line.push_str(&quoted(program));
    }
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&quoted(argument));
    }
    line
}

/// Quoted where a shell needs it. Paths below the current folder lose what is the same for all.
fn quoted(word: &OsStr) -> String {
    let here = env::current_dir().unwrap_or_default();
    let text = word.to_string_lossy();
    let text = text.replace(&format!("{}/", here.display()), "");
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+%@".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// How a step ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    /// What was missing, and how to get it.
    Skipped(String),
    Failed(String),
}

impl Outcome {
    fn word(&self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Skipped(_) => "skipped",
            Self::Failed(_) => "FAILED",
        }
    }
}

/// What a step took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    /// From its start to its end.
    pub(crate) wall: Duration,
    /// Of the processor, by it and all that it started and waited for.
    pub(crate) cpu: Duration,
}

/// The steps of one command, each with its outcome and cost. A failed step does not stop the next.
#[derive(Debug)]
pub(crate) struct Report {
    steps: Vec<(String, Outcome, Cost)>,
    start: Instant,
}

impl Default for Report {
    fn default() -> Self {
        Self {
            steps: Vec::new(),
            start: Instant::now(),
        }
    }
}

impl Report {
    /// Runs one step under its own heading.
    pub(crate) fn step(&mut self, name: &str, work: impl FnOnce() -> Result<Outcome, String>) {
        println!("\n== {name}");
        let (start, before) = (Instant::now(), cpu_of_children());
        let outcome = work().unwrap_or_else(Outcome::Failed);
        let cost = Cost {
            wall: start.elapsed(),
            cpu: cpu_of_children().saturating_sub(before),
        };
        match &outcome {
            Outcome::Passed => println!("passed: {name} ({:.1} s)", cost.wall.as_secs_f64()),
            Outcome::Skipped(reason) => println!("skipped: {reason}"),
            Outcome::Failed(reason) => println!("FAILED: {reason}"),
        }
        self.add(name, outcome, cost);
    }

    /// Notes a step that ran elsewhere.
    pub(crate) fn add(&mut self, name: &str, outcome: Outcome, cost: Cost) {
        self.steps.push((name.to_owned(), outcome, cost));
    }

    /// Whether the step of this name ran, however it went.
    pub(crate) fn has_ended(&self, name: &str) -> bool {
        self.steps.iter().any(|(step, _, _)| step == name)
    }

    /// Whether the step of this name ran and passed.
    pub(crate) fn has_passed(&self, name: &str) -> bool {
        self.steps
            .iter()
            .any(|(step, outcome, _)| step == name && *outcome == Outcome::Passed)
    }

    /// Prints the summary; the exit code says whether all went well.
    pub(crate) fn finish(self) -> ExitCode {
        print!("\n{}", self.summary());
        let all_well = !self
            .steps
            .iter()
            .any(|(_, outcome, _)| matches!(outcome, Outcome::Failed(_)));
        if all_well {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }

    fn summary(&self) -> String {
        let mut text = String::from("== summary\n              wall       CPU\n");
        let (mut passed, mut failed, mut skipped) = (0, 0, 0);
        for (name, outcome, cost) in &self.steps {
            let note = match outcome {
                Outcome::Passed => {
                    passed += 1;
                    String::new()
                }
                Outcome::Skipped(reason) => {
                    skipped += 1;
                    first_line(reason)
                }
                Outcome::Failed(reason) => {
                    failed += 1;
                    first_line(reason)
                }
            };
            let line = format!(
                "{:<8} {:>7.1} s {:>7.1} s  {name:<28} {note}",
                outcome.word(),
                cost.wall.as_secs_f64(),
                cost.cpu.as_secs_f64()
            );
            text.push_str(line.trim_end());
            text.push('\n');
        }
        // Steps run side by side, so their wall times do not add up to the total. The processor's do.
        let wall = self.start.elapsed().as_secs_f64();
        let cpu: Duration = self.steps.iter().map(|(_, _, cost)| cost.cpu).sum();
        let cpu = cpu.as_secs_f64();
        writeln!(text, "{:<8} {wall:>7.1} s {cpu:>7.1} s", "total")
            .expect("writing to a String cannot fail");
        writeln!(text, "{passed} passed, {failed} failed, {skipped} skipped")
            .expect("writing to a String cannot fail");
        text
    }
}

/// Processor time of all children that have ended and were waited for, with theirs. Zero where the system does not say.
pub(crate) fn cpu_of_children() -> Duration {
    std::fs::read_to_string("/proc/self/stat")
        .ok()
        .and_then(|line| children_in_stat(&line))
        .unwrap_or_default()
}

/// `cutime` and `cstime` of a line of `/proc/PID/stat`: the 16th and 17th field, in hundredths of a second.
fn children_in_stat(line: &str) -> Option<Duration> {
    // The second field is the program's name in parentheses and may hold anything.
    let (_, fields) = line.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    Some(Duration::from_millis((ticks(16)? + ticks(17)?) * 10))
}

/// The first line, cut where a terminal would break it.
fn first_line(text: &str) -> String {
    const WIDTH: usize = 90;
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= WIDTH {
        return line.to_owned();
    }
    line.chars().take(WIDTH).chain("...".chars()).collect()
}

/// The outcome of a step that needs a program which is not there.
pub(crate) fn not_installed(program: &str, package: &str) -> Outcome {
    Outcome::Skipped(format!(
        "{program} is not installed (apt-get install {package})"
    ))
}

/// Runs one of many small commands, and shows it only if it fails.
pub(crate) fn quietly(command: &mut Command) -> Result<(), String> {
    let line = shell_line(command);
    let output = command
        .output()
        .map_err(|error| format!("cannot start {line}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    Err(format!("{}: {line}\n{complaint}", output.status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_counts_every_step_once_and_goes_on_after_a_failure() {
        let mut report = Report::default();
        report.step("one", || Ok(Outcome::Passed));
        report.step("two", || Err("broken\nwith details".to_owned()));
        report.step("three", || Ok(not_installed("valgrind", "valgrind")));
        report.step("four", || Ok(Outcome::Passed));

        let summary = report.summary();
        assert!(summary.ends_with("2 passed, 1 failed, 1 skipped\n"));
        assert!(summary.contains("valgrind is not installed (apt-get install valgrind)"));
        assert!(!summary.contains("with details"));
        assert!(report.has_passed("four") && !report.has_passed("two"));
    }

    #[test]
    fn the_summary_has_wall_and_processor_time_of_each_step_and_their_totals() {
        let mut report = Report::default();
        for (name, wall, cpu) in [("one", 2, 3), ("two", 4, 5)] {
            let (wall, cpu) = (Duration::from_secs(wall), Duration::from_secs(cpu));
            report.add(name, Outcome::Passed, Cost { wall, cpu });
        }
        let summary = report.summary();
        assert!(summary.contains("    2.0 s     3.0 s  one"), "{summary}");
        let total = summary.lines().find(|line| line.starts_with("total"));
        assert!(total.unwrap().ends_with(" 8.0 s"), "{summary}");
    }

    #[test]
    fn the_processor_time_of_children_is_read_after_the_name() {
        let line = "7 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 100 200 300 450 20 0";
        assert_eq!(children_in_stat(line), Some(Duration::from_millis(7500)));
        assert_eq!(children_in_stat("7 (a) S 1"), None);
    }

    #[test]
    fn a_command_is_shown_as_one_could_type_it() {
        let mut command = Command::new("cc");
        command.env("FLAGS", "a b").args(["it's", "-O2"]);
        assert_eq!(shell_line(&command), r"FLAGS='a b' cc 'it'\''s' -O2");
    }

    #[test]
    fn paths_below_the_current_folder_are_shown_from_there() {
        let here = env::current_dir().unwrap();
        let mut command = Command::new(here.join("bin/tool"));
        command.arg(format!("-I{}", here.join("include").display()));
        assert_eq!(shell_line(&command), "bin/tool -Iinclude");
    }

    #[test]
    fn a_command_that_fails_names_itself() {
        let message = output(Command::new("sh").args(["-c", "exit 3"])).unwrap_err();
        assert!(message.contains("sh -c 'exit 3'") && message.contains('3'));
    }

    #[test]
    fn programs_are_found_in_the_path() {
        assert!(find("sh").is_some());
        assert!(find("no-such-program-anywhere").is_none());
    }
}
