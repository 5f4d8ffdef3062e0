//! `millpond run`: starts a program in an environment in which it uses our library.
//!
//! The program replaces this process, so exit code, signals and process id are the program's.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::ExitCode;

use crate::program::{Prepared, Refusal};
use crate::settings::Settings;

/// Arguments of `millpond run`.
#[derive(Debug, clap::Args)]
#[command(override_usage = "millpond run [OPTIONS] -- PROGRAM [ARGS]...")]
#[command(after_help = "\
Options set variables for the program; without them, those of your environment apply.
docs/environment.md lists all of them.

Exit code: the program's own. If it could not be started: 127 not found, 126 found but not
executable, 125 Millpond's library is missing, 2 wrong arguments.")]
pub(crate) struct Run {
    #[command(flatten)]
    settings: Settings,

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

impl Run {
    /// Returns only if the program could not be started.
    pub(crate) fn start(&self) -> ExitCode {
        self.exec().report()
    }

    fn exec(&self) -> Refusal {
        let settings = self.settings.variables();
        match Prepared::new(&self.program, settings, self.explain) {
            Ok(mut prepared) => {
                let error = prepared.command.exec();
                prepared.refused(&error)
            }
            Err(refusal) => refusal,
        }
    }
}
