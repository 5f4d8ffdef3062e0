//! `msprof`: turns the folders of profiles into a trace and tables, and profiles whole programs.
//!
//! The command is a small script in the dist folder and in the environment that `millpond run` gives, which calls `millpond msprof`: programs
//! look for other files relative to it. Its options are those that programs and people give the vendor's command.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use millpond_profile::{export, find};
use millpond_trace::count;

use crate::program::Prepared;
use crate::say::say;

// Programs search this text for the name of the option that chooses a database, which is not supported: it must not be here.
const HELP: &str = "\
msprof: profiles of programs that run on Millpond, with the options of the vendor's command.

  msprof --export=on --output=DIR       write the trace and the tables of the profiles in DIR
                                        into PROF_*/mindstudio_profiler_output
  msprof --analyze=on --output=DIR      does nothing: link activity is unknown, and --export writes everything else
  msprof [--output=DIR] PROGRAM ARGS    profile a whole program, then export; DIR is the current folder
                                        unless it is given
  msprof --help

Options that choose what to collect are accepted: everything that Millpond knows is collected. For those that are about hardware
nothing is, and stderr says so.

What is collected, and how to open it: docs/profiling.md.
";

/// PyTorch's profiler looks every tenth of a second whether a table is there, and writes the timeline only if it sees one before this
/// command ends. The vendor's command takes seconds; this one is done before the first look.
const LOOKED_AT: Duration = Duration::from_millis(500);

/// Options that choose what is collected. All of it is, whatever they say.
const COLLECTED: [&str; 8] = [
    "ascendcl",
    "ge-api",
    "hccl",
    "model-execution",
    "msproftx",
    "runtime-api",
    "task-time",
    "task-memory",
];

/// Options for what only hardware and its drivers know, and how often to measure it. Scripts have them; nothing is collected for them.
const HARDWARE: [&str; 29] = [
    "ai-core",
    "aic-freq",
    "aic-metrics",
    "aic-mode",
    "aicpu",
    "aiv",
    "aiv-freq",
    "aiv-metrics",
    "aiv-mode",
    "dvpp-freq",
    "dvpp-profiling",
    "host-sys",
    "host-sys-usage",
    "host-sys-usage-freq",
    "instr-profiling",
    "instr-profiling-freq",
    "l2",
    "llc-profiling",
    "sys-cpu-freq",
    "sys-cpu-profiling",
    "sys-hardware-mem",
    "sys-hardware-mem-freq",
    "sys-interconnection-freq",
    "sys-interconnection-profiling",
    "sys-io-profiling",
    "sys-io-sampling-freq",
    "sys-pid-profiling",
    "sys-profiling",
    "sys-sampling-freq",
];

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
        /// Options for which nothing is collected.
        nothing_for: Vec<String>,
    },
}

fn parse(words: &[OsString]) -> Result<Request, String> {
    let mut output = None;
    let (mut exports, mut analyzes) = (false, false);
    let mut program: Vec<OsString> = Vec::new();
    let mut nothing_for = Vec::new();
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
            ("export" | "analyze", "off") | ("type", "text") | ("summary-format", "csv") => {}
            // The size of a profile has no limit.
            ("storage-limit", limit) if is_size(limit) => {}
            (name, "on" | "off" | "l0" | "l1") if COLLECTED.contains(&name) => {}
            (name, value) if HARDWARE.contains(&name) && !value.is_empty() => {
                if value != "off" {
                    nothing_for.push(name.to_owned());
                }
            }
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
            nothing_for,
        }),
    }
}

/// Megabytes, with or without their unit.
fn is_size(text: &str) -> bool {
    let megabytes: Result<u32, _> = text.strip_suffix("MB").unwrap_or(text).parse();
    megabytes.is_ok()
}

impl Msprof {
    pub(crate) fn start(&self) -> ExitCode {
        match parse(&self.words) {
            Ok(Request::Help) => {
                print!("{HELP}");
                ExitCode::SUCCESS
            }
            Ok(Request::Export(folder)) => {
                let code = export_all(&folder);
                thread::sleep(LOOKED_AT);
                code
            }
            Ok(Request::Analyze(folder)) => analyze(&folder),
            Ok(Request::Profile {
                output,
                program,
                nothing_for,
            }) => {
                if !nothing_for.is_empty() {
                    say!(
                        "msprof (Millpond): only an NPU has what these are for, so nothing is collected for them: {}\n",
                        nothing_for.join(", ")
                    );
                }
                profile(&output, &program)
            }
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
        let nothing_for = Vec::new();
        assert_eq!(
            profile,
            Request::Profile {
                output,
                program,
                nothing_for
            }
        );
        assert_eq!(parsed(&["--help"]).unwrap(), Request::Help);
    }

    #[test]
    fn scripts_ask_for_hardware_too() {
        let profile = parsed(&[
            "--application=./a --flag",
            "--output=/p",
            "--model-execution=on",
            "--aicpu=on",
            "--ai-core=on",
            "--aic-metrics=PipeUtilization",
            "--l2=off",
            "--storage-limit=1000MB",
            "--type=text",
        ])
        .unwrap();
        assert_eq!(
            profile,
            Request::Profile {
                output: "/p".into(),
                program: vec!["./a".into(), "--flag".into()],
                nothing_for: vec!["aicpu".into(), "ai-core".into(), "aic-metrics".into()],
            }
        );
    }

    #[test]
    fn what_is_not_supported_is_said() {
        for words in [
            &["--export=on"][..],
            &["--export=on", "--output="],
            &["--export=on", "--type=db", "--output=/p"],
            &["--storage-limit=much", "./a"],
            &["--ai-core", "./a"],
            &["--delay=5", "./a"],
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
