//! `msprof`: turns the folders of profiles into a trace and tables, and profiles whole programs.
//!
//! The command is a small script in the dist folder and in the environment that `millpond run` gives, which calls `millpond msprof`: programs
//! look for other files relative to it. Its options are those that programs and people give the vendor's command.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use millpond_profile::{export, find};
use millpond_trace::count;

use crate::program::Prepared;
use crate::say::say;

// Programs search this text for the name of the option that chooses a database, which is not supported: it must not be here.
const HELP: &str = "\
msprof: profiles of programs that run on Millpond, with the options of the vendor's command.

  msprof --export=on --output=DIR       write the trace and the tables of the profiles in DIR
                                        into PROF_*/mindstudio_profiler_output
  msprof --analyze=on --output=DIR      nothing: what links between devices do is not known, and the rest is exported
  msprof [--output=DIR] PROGRAM ARGS    profile a whole program, then export; DIR is the current folder
                                        unless it is given
  msprof --help

What is collected, and how to open it: docs/profiling.md.
";

/// Arguments of `millpond msprof`.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Msprof {
    /// What msprof takes
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

#[derive(Debug, PartialEq, Eq)]
enum Request {
    Help,
    Export(PathBuf),
    /// Programs do this while they read what was exported, which must stay as it is.
    Analyze(PathBuf),
    Profile {
        output: PathBuf,
        program: Vec<OsString>,
    },
}

fn parse(words: &[OsString]) -> Result<Request, String> {
    let mut output = None;
    let (mut exports, mut analyzes) = (false, false);
    let mut program: Vec<OsString> = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let text = word.to_string_lossy();
        let Some(option) = text.strip_prefix("--") else {
            program = words[index..].to_vec();
            break;
        };
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        match (name, value) {
            ("help", _) => return Ok(Request::Help),
            ("", "") => {
                program = words[index + 1..].to_vec();
                break;
            }
            ("export", "on") => exports = true,
            ("analyze", "on") => analyzes = true,
            ("output", "") => return Err("--output needs a folder: --output=DIR".to_owned()),
            ("output", folder) => output = Some(PathBuf::from(folder)),
            ("application", command) => {
                program = command.split_whitespace().map(OsString::from).collect();
            }
            // What they switch on is collected anyway.
            ("export" | "analyze", "off")
            | (
                "ascendcl" | "task-time" | "runtime-api" | "hccl" | "msproftx",
                "on" | "off" | "l0" | "l1",
            ) => {}
            _ => {
                return Err(format!(
                    "'{text}' is not supported; msprof --help shows what is"
                ));
            }
        }
    }
    match (exports || analyzes, program.is_empty()) {
        (true, true) => {
            let folder = output.ok_or("--export and --analyze need --output=DIR")?;
            Ok(if exports {
                Request::Export(folder)
            } else {
                Request::Analyze(folder)
            })
        }
        (true, false) => Err("a program is profiled, or a folder exported, not both".to_owned()),
        (false, true) if words.is_empty() => Ok(Request::Help),
        (false, true) => Err("neither a program nor --export=on is given".to_owned()),
        (false, false) => Ok(Request::Profile {
            output: output.unwrap_or_else(|| PathBuf::from(".")),
            program,
        }),
    }
}

impl Msprof {
    pub(crate) fn start(&self) -> ExitCode {
        match parse(&self.words) {
            Ok(Request::Help) => {
                print!("{HELP}");
                ExitCode::SUCCESS
            }
            Ok(Request::Export(folder)) => export_all(&folder),
            Ok(Request::Analyze(folder)) => analyze(&folder),
            Ok(Request::Profile { output, program }) => profile(&output, &program),
            Err(problem) => {
                say!("msprof (Millpond): {problem}\n");
                ExitCode::from(2)
            }
        }
    }
}

/// Says that there is nothing to analyse in the profiles of a folder, if there are any.
fn analyze(folder: &Path) -> ExitCode {
    match find(folder) {
        Ok(folders) => {
            for folder in folders {
                println!(
                    "{}: links between devices are not known; --export=on writes everything that is",
                    folder.display()
                );
            }
            ExitCode::SUCCESS
        }
        Err(failed) => {
            say!("msprof (Millpond): {failed}\n");
            ExitCode::FAILURE
        }
    }
}

/// Exports every profile in a folder. Whatever is missing from one is said; a profile that cannot be read is a failure.
fn export_all(folder: &Path) -> ExitCode {
    let folders = match find(folder) {
        Ok(folders) => folders,
        Err(failed) => {
            say!("msprof (Millpond): {failed}\n");
            return ExitCode::FAILURE;
        }
    };
    let mut code = ExitCode::SUCCESS;
    for folder in folders {
        match export(&folder) {
            Ok(exported) => {
                let profile = &exported.profile;
                let operators = profile.tasks.iter().filter(|task| task.is_operator());
                println!(
                    "{}: {}, {}, {}, {}",
                    exported.output.display(),
                    count(operators.count() as u64, "operator"),
                    count(profile.tasks.len() as u64, "task"),
                    count(profile.calls.len() as u64, "call"),
                    count(profile.marks.len() as u64, "mark"),
                );
                for lost in &exported.lost {
                    say!("msprof (Millpond): {}: {lost}\n", folder.display());
                }
            }
            Err(failed) => {
                say!("msprof (Millpond): {failed}\n");
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}

/// Runs a program with a profile of all of it, exports that, and returns the program's code.
fn profile(output: &Path, program: &[OsString]) -> ExitCode {
    let output = std::path::absolute(output).unwrap_or_else(|_| output.to_owned());
    let before = find(&output).unwrap_or_default();
    let settings = vec![("MILLPOND_MSPROF", OsString::from(output.as_os_str()))];
    let mut prepared = match Prepared::new(program, settings, false) {
        Ok(prepared) => prepared,
        Err(refusal) => return refusal.report(),
    };
    let status = match prepared.command.status() {
        Ok(status) => status,
        Err(error) => return prepared.refused(&error).report(),
    };
    let made = find(&output).unwrap_or_default();
    let made: Vec<PathBuf> = made
        .into_iter()
        .filter(|path| !before.contains(path))
        .collect();
    if made.is_empty() {
        say!("msprof (Millpond): the program used no device, so there is no profile\n");
        return ExitCode::FAILURE;
    }
    for folder in made {
        if export_all(&folder) != ExitCode::SUCCESS {
            return ExitCode::FAILURE;
        }
    }
    let code = status.code().unwrap_or(1);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Result<Request, String> {
        parse(&words.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn programs_and_people_call_it_so() {
        let export = Request::Export("/p".into());
        assert_eq!(parsed(&["--export=on", "--output=/p"]).unwrap(), export);
        let analyze = Request::Analyze("/p".into());
        assert_eq!(parsed(&["--analyze=on", "--output=/p"]).unwrap(), analyze);
        let profile = parsed(&["--output=/p", "--ascendcl=on", "./a", "--flag"]).unwrap();
        let program = vec!["./a".into(), "--flag".into()];
        let output = PathBuf::from("/p");
        assert_eq!(profile, Request::Profile { output, program });
        assert_eq!(parsed(&["--help"]).unwrap(), Request::Help);
    }

    #[test]
    fn what_is_not_supported_is_said() {
        for words in [
            &["--export=on"][..],
            &["--export=on", "--output="],
            &["--export=on", "--type=db", "--output=/p"],
            &["--sys-hardware-mem=on", "./a"],
            &["--output=/p"],
            &["--export=on", "--output=/p", "./a"],
        ] {
            assert!(parsed(words).is_err(), "{words:?}");
        }
    }

    /// PyTorch for Ascend takes the option in the text for support of databases, and would ask for one.
    #[test]
    fn the_help_promises_no_database() {
        assert!(!HELP.contains("--type"));
    }
}
