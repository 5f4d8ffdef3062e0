//! The `millpond` command: runs and checks programs on Millpond, and reports what is missing.
#![expect(
    clippy::print_stdout,
    reason = "results of commands go to stdout, everything else to stderr by `say!`"
)]

mod advise;
mod atc;
mod check;
mod descriptors;
mod doctor;
mod elf;
mod environment;
mod export;
mod flags;
mod home;
mod installation;
mod msprof;
mod npu_smi;
mod oracle;
mod probe;
mod program;
mod progress;
mod python;
mod query;
mod record;
mod records;
mod replay;
mod run;
mod say;
mod settings;
mod view;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Runs programs written for AscendCL on this machine: no NPU, no vendor toolkit.
#[derive(Debug, Parser)]
#[command(name = "millpond", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run one program with Millpond as its AscendCL library
    Run(run::Run),
    /// Run a program and report which documented rules it breaks
    Check(check::Check),
    /// Examine the installation and report what is missing
    Doctor(doctor::Doctor),
    /// Compile an ONNX model, or single operators, to .om files that programs load
    Atc(atc::Atc),
    /// Run a program and record what it does with device memory
    Record(record::RecordRun),
    /// Write a recording in the format of another tool
    Export(export::Export),
    /// Ask a folder of exported Parquet files something in SQL
    Query(query::Query),
    /// Print a record file as lines
    Records(records::Records),
    /// Export profiles, or profile a program: the command msprof
    Msprof(msprof::Msprof),
    /// Show how much memory other allocators, or other settings, would have needed for a recording
    Replay(replay::Replay),
    /// Say in three sentences what to change so that a recorded program needs less memory
    Advise(advise::Advise),
    /// Show recordings in a browser: bytes over time, blocks by address, who holds memory at the peak
    View(view::View),
    /// Compare the answers of another AscendCL library, or of hardware, with ours
    Oracle(oracle::Oracle),
    /// Print what a compiler needs to build against this installation
    Flags(flags::Flags),
    /// Print the folder of this installation, or make a toolkit folder of links to it
    Home(flags::Home),
    /// Load a library and print its properties (used by doctor)
    #[command(hide = true)]
    Probe(probe::Probe),
}

fn main() -> ExitCode {
    let mut words = std::env::args_os().peekable();
    let by_name = words.next().is_some_and(|name| npu_smi::is_named(&name));
    // A wheel has no links, so the command of that name is a script there, and says it in words.
    if by_name || words.next_if(|word| word == "npu-smi").is_some() {
        let words: Vec<String> = words
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        return npu_smi::start(&words);
    }
    match Arguments::parse().command {
        Command::Run(run) => run.start(),
        Command::Check(check) => check.start(),
        Command::Doctor(doctor) => doctor.report(),
        Command::Atc(atc) => atc.compile(),
        Command::Record(record) => record.start(),
        Command::Export(export) => export.write(),
        Command::Query(query) => query.ask(),
        Command::Records(records) => records.print(),
        Command::Msprof(msprof) => msprof.start(),
        Command::Replay(replay) => replay.start(),
        Command::Advise(advise) => advise.start(),
        Command::View(view) => view.start(),
        Command::Oracle(oracle) => oracle.start(),
        Command::Flags(flags) => flags.print(),
        Command::Home(home) => home.print(),
        Command::Probe(probe) => probe.print(),
    }
}
