//! `millpond record`: runs a program as `millpond run` does, and records what it does with device memory.
//!
//! The program replaces this process. The library in it writes the file, so the recording is complete up to the last
//! block that was written, however the program ends.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::program::{Prepared, Refusal};
use crate::settings::{Settings, absolute};

/// Arguments of `millpond record`.
#[derive(Debug, clap::Args)]
#[command(override_usage = "millpond record [OPTIONS] -o FILE -- PROGRAM [ARGS]...")]
#[command(after_help = "\
Look at the recording with `millpond records`, or write it for another tool with `millpond export`.

Exit code: the program's own. If it could not be started: 127 not found, 126 found but not
executable, 125 Millpond's library is missing, 2 wrong arguments.")]
pub(crate) struct RecordRun {
    #[command(flatten)]
    settings: Settings,

    /// The file to write; %p becomes the number of the process, for programs of several processes
    #[arg(short, long, value_name = "FILE", default_value = "run.mpt")]
    output: PathBuf,

    /// Frames of each call stack, 0 to 64; 0 records none and makes the file smallest
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(0..=64))]
    stacks: u32,

    /// Print the changed variables to stderr
    #[arg(long)]
    explain: bool,

    /// The program and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM"
    )]
    program: Vec<OsString>,
}

impl RecordRun {
    /// Returns only if the program could not be started.
    pub(crate) fn start(&self) -> ExitCode {
        self.exec().report()
    }

    fn exec(&self) -> Refusal {
        let mut variables = self.settings.variables();
        variables.push(("MILLPOND_RECORD", absolute(&self.output).into()));
        variables.push(("MILLPOND_RECORD_SCOPE", "memory".into()));
        variables.push(("MILLPOND_CHECK_STACKS", self.stacks.to_string().into()));
        match Prepared::new(&self.program, variables, self.explain) {
            Ok(mut prepared) => {
                let error = prepared.command.exec();
                prepared.refused(&error)
            }
            Err(refusal) => refusal,
        }
    }
}
