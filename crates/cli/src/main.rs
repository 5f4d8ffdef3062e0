//! The `millpond` command: runs programs on Millpond, and says what is missing when they do not.
#![expect(
    clippy::print_stdout,
    reason = "a command line talks to its reader: data on stdout, talk on stderr by `say!`"
)]

mod atc;
mod check;
mod descriptors;
mod doctor;
mod elf;
mod environment;
mod home;
mod installation;
mod probe;
mod program;
mod python;
mod records;
mod run;
mod say;
mod settings;

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
    /// Say what was found and what is missing
    Doctor(doctor::Doctor),
    /// Compile an ONNX model, or single operators, to .om files that programs load
    Atc(atc::Atc),
    /// Print a file of records as lines
    Records(records::Records),
    /// Load a library and print what it says of itself (used by doctor)
    #[command(hide = true)]
    Probe(probe::Probe),
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Run(run) => run.start(),
        Command::Check(check) => check.start(),
        Command::Doctor(doctor) => doctor.report(),
        Command::Atc(atc) => atc.compile(),
        Command::Records(records) => records.print(),
        Command::Probe(probe) => probe.print(),
    }
}
