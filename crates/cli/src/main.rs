//! The `millpond` command: runs and checks programs on Millpond, and reports what is missing.
#![expect(
    clippy::print_stdout,
    reason = "results of commands go to stdout, everything else to stderr by `say!`"
)]

mod atc;
mod check;
mod descriptors;
mod doctor;
mod elf;
mod environment;
mod flags;
mod home;
mod installation;
mod npu_smi;
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
    /// Examine the installation and report what is missing
    Doctor(doctor::Doctor),
    /// Compile an ONNX model, or single operators, to .om files that programs load
    Atc(atc::Atc),
    /// Print a record file as lines
    Records(records::Records),
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
        Command::Records(records) => records.print(),
        Command::Flags(flags) => flags.print(),
        Command::Home(home) => home.print(),
        Command::Probe(probe) => probe.print(),
    }
}
