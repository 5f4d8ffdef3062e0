//! What calls cost: each measured beside a peer, in the same run. `cargo xtask bench` starts this.
//!
//! A figure alone says little on a machine that others use too, so every case measures Millpond and
//! its peer in turn and judges the ratio. See README.md for what each case isolates.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line talks to its reader: the table on stdout, talk on stderr"
)]

mod acl;
mod affinity;
mod cases;
mod check;
mod exec;
mod machine;
mod measure;
mod peers;
mod plugin;
mod pool;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::acl::Acl;
use crate::cases::Case;
use crate::machine::Machine;
use crate::report::Report;

/// Measures what calls cost, each beside a peer in the same run.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench", args_conflicts_with_subcommands = true)]
struct Options {
    #[command(subcommand)]
    program: Option<Program>,
    /// What to measure; everything if nothing is named
    cases: Vec<Case>,
    /// Also write the figures to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Keep the table in bench/results, with date, machine and commit
    #[arg(long)]
    save: bool,
    /// Fail if a bound is missed or a case cannot be measured
    #[arg(long)]
    strict: bool,
    /// The library to measure, if not the one beside this program
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Program {
    /// Allocation policies: memory held on recorded traces, and what their bookkeeping costs
    Pool(pool::Options),
    /// Operators and models, beside the engine called directly
    Exec(exec::Options),
    /// The same program with checking off and on
    Check(check::Options),
}

fn main() -> ExitCode {
    let options = Options::parse();
    let well = match &options.program {
        Some(Program::Pool(options)) => pool::run(options).map(|()| true),
        Some(Program::Exec(options)) => exec::run(options),
        Some(Program::Check(options)) => check::run(options),
        None => run(&options),
    };
    match well {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) if !options.strict => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Measures and reports; whether all cases ran and no bound was missed.
fn run(options: &Options) -> Result<bool, String> {
    if cfg!(debug_assertions) {
        eprintln!("warning: this is a debug build; its figures mean nothing");
    }
    peers::keep_memory();
    let machine = Machine::describe();
    let library = Acl::load(options.library.as_deref());
    let mut report = Report::default();
    for case in Case::chosen(&options.cases) {
        eprintln!("measuring {} …", case.name());
        report.add(case.name(), case.measure(library.as_ref()));
    }
    print!("{machine}\n{report}");
    if let Some(file) = &options.json {
        let text = format!("{:#}\n", report.json(&machine));
        machine::write(file, &text)?;
    }
    if options.save {
        let file = machine.results_file();
        machine::write(&file, &format!("# Benchmarks\n\n{machine}\n{report}"))?;
        println!("\nkept in {}", file.display());
    }
    Ok(report.all_well())
}
