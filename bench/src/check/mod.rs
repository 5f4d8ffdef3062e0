//! `cargo xtask bench check`: the same program with checking off and on.
//!
//! Whether a process is checked is settled when it loads the library, so each sample is a process of
//! its own: this program again, with the stress as its only work. What it times is the stress, not
//! its start.

mod stress;

use std::path::PathBuf;
use std::process::Command;

use clap::Args;

use crate::machine::{self, Machine};
use crate::measure::compare;
use crate::report::{Bound, Report, Row};

/// Blocks that live at the same time: few enough for the processor's caches, and too many for the
/// nearest.
const CACHED: usize = 16;
const UNCACHED: usize = 512;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Operations of 64 KiB in one sample
    #[arg(long, default_value_t = 1_000_000)]
    operations: u64,
    /// Pairs of samples
    #[arg(long, default_value_t = 5)]
    pairs: usize,
    /// Also write the figures to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Keep the table in bench/results, with date, machine and commit
    #[arg(long)]
    save: bool,
    /// The library to measure, if not the one beside this program
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// Only the stress, in this process: prints nanoseconds for each operation
    #[arg(long, hide = true)]
    stress: bool,
    /// Blocks that live at the same time, for the stress
    #[arg(long, hide = true, default_value_t = CACHED)]
    live: usize,
    /// Copies of so many bytes to pinned memory instead, for the stress
    #[arg(long, hide = true)]
    fetch: Option<usize>,
}

/// Copies to pinned memory in one sample.
const COPIES: u64 = 20_000;

/// Measures and reports; whether all was measured and no bound was missed.
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    if options.stress {
        let (library, live) = (options.library.as_deref(), options.live);
        let nanoseconds = match options.fetch {
            Some(bytes) => stress::fetch(library, COPIES, bytes)?,
            None => stress::run(library, options.operations, live)?,
        };
        println!("{nanoseconds}");
        return Ok(true);
    }
    if cfg!(debug_assertions) {
        eprintln!("warning: this is a debug build; its figures mean nothing");
    }
    let machine = Machine::describe();
    let mut report = Report::default();
    for (case, stacks, live, bound) in [
        ("return addresses", "0", CACHED, Bound::AtMost(2.0)),
        ("return addresses", "0", UNCACHED, Bound::AtMost(2.0)),
        ("stacks of 8", "8", CACHED, Bound::None),
        ("stacks of 8", "8", UNCACHED, Bound::None),
    ] {
        eprintln!("measuring {case}, {live} blocks at a time …");
        report.add(case, measure(options, stacks, live, bound));
    }
    for bytes in [4 << 10, 1 << 20] {
        eprintln!("measuring copies of {bytes} bytes to pinned memory …");
        report.add("accesses to pinned memory", measure_pinned(options, bytes));
    }
    print!("{machine}\n{report}");
    if let Some(file) = &options.json {
        machine::write(file, &format!("{:#}\n", report.json(&machine)))?;
    }
    if options.save {
        let file = machine.named_results_file("check");
        let text = format!("# The same program with checking on and off\n\n{machine}\n{report}");
        machine::write(&file, &text)?;
        println!("\nkept in {}", file.display());
    }
    Ok(report.all_well())
}

fn measure(options: &Options, stacks: &str, live: usize, bound: Bound) -> Result<Vec<Row>, String> {
    let findings = std::env::temp_dir().join(format!("millpond-bench-{}", std::process::id()));
    let checked = || {
        // Lines are appended, and only those of the last sample count.
        drop(std::fs::remove_file(&findings));
        sample(
            options,
            live,
            &[
                ("MILLPOND_CHECK", "1"),
                ("MILLPOND_CHECK_STACKS", stacks),
                ("MILLPOND_CHECK_FINDINGS", &findings.to_string_lossy()),
            ],
        )
    };
    let found = compare(options.pairs, checked, || sample(options, live, &[]))?;
    let text = std::fs::read_to_string(&findings)
        .map_err(|error| format!("the checker left nothing: {error}"))?;
    drop(std::fs::remove_file(&findings));
    let lines: Vec<serde_json::Value> = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    if let Some(finding) = lines.iter().find(|line| line.get("finding").is_some()) {
        return Err(format!("the stress is correct, but: {finding}"));
    }
    let end = lines.iter().find_map(|line| line.get("end"));
    let books = end
        .and_then(|end| end["peak_state_bytes"].as_f64())
        .ok_or("the checker did not come to its end")?;
    let megabytes = books / f64::from(1 << 20);
    Ok(vec![
        Row::times(
            format!(
                "{} operations of 64 KiB, {live} blocks at a time",
                options.operations
            ),
            "checking off",
            found,
            bound,
        ),
        Row::number(
            "the checker's books at their largest",
            "",
            format!("{megabytes:.1} MiB"),
            megabytes,
            Bound::None,
        ),
    ])
}

/// What it costs that pinned memory is closed while a copy uses it.
fn measure_pinned(options: &Options, bytes: usize) -> Result<Vec<Row>, String> {
    let work = ["--fetch".to_owned(), bytes.to_string()];
    let with = |pinned| {
        let variables = [
            ("MILLPOND_CHECK", "1"),
            ("MILLPOND_CHECK_STACKS", "0"),
            ("MILLPOND_CHECK_PINNED", pinned),
        ];
        sample_of(options, &work, &variables)
    };
    let found = compare(options.pairs, || with("yes"), || with("no"))?;
    let what = format!("a copy of {bytes} bytes to pinned memory, a wait and a look");
    Ok(vec![Row::times(
        what,
        "--pinned-access no",
        found,
        Bound::None,
    )])
}

/// Runs the stress in a process of its own: nanoseconds for each operation.
fn sample(options: &Options, live: usize, environment: &[(&str, &str)]) -> Result<f64, String> {
    let operations = options.operations.to_string();
    let work = ["--operations", &operations, "--live", &live.to_string()].map(str::to_owned);
    sample_of(options, &work, environment)
}

fn sample_of(
    options: &Options,
    work: &[String],
    environment: &[(&str, &str)],
) -> Result<f64, String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(this);
    command.args(["check", "--stress"]).args(work);
    if let Some(library) = &options.library {
        command.arg("--library").arg(library);
    }
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("MILLPOND_CHECK") {
            command.env_remove(name);
        }
    }
    let output = command
        .envs(environment.iter().copied())
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim()
        .parse()
        .map_err(|_| format!("{}{}", text, String::from_utf8_lossy(&output.stderr)))
}
