//! `millpond doctor`: what was found, what is missing, and what to do about it.
//!
//! Each check is one line: `ok`, `note` (works, but worth knowing) or `missing` (required, so the exit code is 1), and a
//! `hint:` if something can be done.
//!
//! - `library`, `machine`, `surroundings`: what every program needs. `torch`: a Python environment with PyTorch for
//!   Ascend. `trial`: a process with a time limit.

mod library;
mod machine;
mod surroundings;
mod torch;
mod trial;

use std::env;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Value, json};

use crate::environment::{Changes, Variables};
use crate::installation::{BUILD_HINT, Installation};
use crate::say::say;

/// Arguments of `millpond doctor`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code: 0 if nothing required is missing, otherwise 1.")]
pub(crate) struct Doctor {
    /// Print one JSON object instead of lines
    #[arg(long)]
    json: bool,

    #[arg(long)]
    #[arg(
        help = "Examine a Python environment instead: start it, and test whether its torch and torch_npu work on Millpond"
    )]
    torch: bool,

    /// The interpreter of that environment; by default python or python3 in PATH
    #[arg(long, value_name = "PATH", requires = "torch")]
    python: Option<PathBuf>,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Ok,
    Note,
    Missing,
}

impl Status {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Missing => "missing",
        }
    }
}

/// One line of the report.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Check {
    name: &'static str,
    status: Status,
    found: String,
    hint: Option<String>,
}

impl Check {
    fn ok(name: &'static str, found: impl Into<String>) -> Self {
        Self {
            name,
            status: Status::Ok,
            found: found.into(),
            hint: None,
        }
    }

    fn note(name: &'static str, found: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            name,
            status: Status::Note,
            found: found.into(),
            hint: Some(hint.into()),
        }
    }

    fn missing(name: &'static str, found: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            status: Status::Missing,
            ..Self::note(name, found, hint)
        }
    }

    fn json(&self) -> Value {
        json!({
            "name": self.name,
            "status": self.status.word(),
            "found": self.found,
            "hint": self.hint,
        })
    }
}

impl Doctor {
    pub(crate) fn report(&self) -> ExitCode {
        let now = env::vars_os().collect();
        let checks = if self.torch {
            torch::examine(self.python.as_deref(), &now)
        } else {
            examine(&now)
        };
        let well = !checks.iter().any(|check| check.status == Status::Missing);
        let text = if self.json {
            let checks: Vec<Value> = checks.iter().map(Check::json).collect();
            format!("{:#}\n", json!({ "ok": well, "checks": checks }))
        } else {
            lines(&checks)
        };
        // If the reader closes the pipe, the exit code is the result.
        match io::stdout().write_all(text.as_bytes()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                say!("millpond: cannot write the report: {error}\n");
                return ExitCode::FAILURE;
            }
            _ => {}
        }
        if well {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }
}

/// The report for people.
fn lines(checks: &[Check]) -> String {
    let line = |check: &Check| {
        let (word, name, found) = (check.status.word(), check.name, &check.found);
        let mut line = format!("{word:<8} {name:<14} {found}\n");
        if let Some(hint) = &check.hint {
            let hint = hint.replace('\n', &format!("\n{:30}", ""));
            line = format!("{line}{:23} hint: {hint}\n", "");
        }
        line
    };
    checks.iter().map(line).collect()
}

/// Our files as programs see them. If the other names cannot be created, their check reports it.
fn installation() -> Result<Installation, Check> {
    match Installation::find() {
        Ok(plain) => Ok(plain.clone().presented().unwrap_or(plain)),
        Err(looked) => {
            let paths: Vec<String> = looked
                .iter()
                .map(|path| path.display().to_string())
                .collect();
            let found = format!("not found; looked for {}", paths.join(" and "));
            Err(Check::missing("library", found, BUILD_HINT))
        }
    }
}

/// All checks, the most basic first.
fn examine(now: &Variables) -> Vec<Check> {
    let mut checks = Vec::new();
    match installation() {
        Ok(installation) => {
            let changes = Changes::towards(&installation, now);
            checks.extend(library::checks(&installation, &changes));
            checks.push(library::headers(&installation));
            checks.push(surroundings::vendor(&installation, now));
            checks.push(surroundings::direct_start(&installation, now));
        }
        Err(missing) => checks.push(missing),
    }
    checks.push(surroundings::variables(now));
    checks.extend(machine::checks());
    checks.push(surroundings::compiler(now));
    checks.push(surroundings::python(now));
    checks.extend(torch::second_line(now));
    checks
}

/// A size with a unit: `64.0 GiB`.
fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut unit = 0;
    let mut divisor = 1;
    while count / divisor >= 1024 && unit + 1 < UNITS.len() {
        unit += 1;
        divisor *= 1024;
    }
    if unit == 0 {
        return format!("{count} bytes");
    }
    // One decimal, rounded down: available memory must not look larger than it is.
    let tenths = count % divisor * 10 / divisor;
    format!("{}.{tenths} {}", count / divisor, UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_the_largest_unit_that_fits() {
        for (count, text) in [
            (0, "0 bytes"),
            (1023, "1023 bytes"),
            (1024, "1.0 KiB"),
            (1536, "1.5 KiB"),
            (64 << 30, "64.0 GiB"),
            (u64::MAX, "16777215.9 TiB"),
        ] {
            assert_eq!(bytes(count), text);
        }
    }

    #[test]
    fn a_hint_of_several_lines_stays_in_its_column() {
        let check = Check::missing("pair", "no", "one\ntwo");
        let text = lines(&[check]);
        let columns: Vec<_> = ["one", "two"]
            .map(|word| text.lines().find_map(|line| line.find(word)))
            .into();
        assert_eq!(columns, [Some(30), Some(30)], "{text}");
    }

    #[test]
    fn a_check_becomes_an_object() {
        let check = Check::missing("library", "not found", "build it");
        assert_eq!(
            check.json().to_string(),
            r#"{"found":"not found","hint":"build it","name":"library","status":"missing"}"#
        );
    }
}
