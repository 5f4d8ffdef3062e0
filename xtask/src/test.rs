//! `cargo xtask check` and `cargo xtask test`.
//!
//! Every step runs, also after one that failed, so that one run shows all there is to repair. A step
//! whose tool is not installed is skipped in plain sight.

use std::path::Path;
use std::process::{Command, ExitCode};

use crate::tools::{self, Outcome, Report};
use crate::{consumer, engine, generate, onnxruntime, python, sanitize};

/// How much `cargo xtask test` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Without valgrind and `AddressSanitizer`.
    Fast,
    Full,
}

impl Depth {
    /// A step that `--fast` leaves out, in plain sight.
    fn unless_fast(
        self,
        step: impl FnOnce() -> Result<Outcome, String>,
    ) -> Result<Outcome, String> {
        match self {
            Self::Fast => Ok(Outcome::Skipped("left out by --fast".to_owned())),
            Self::Full => step(),
        }
    }
}

/// The quick look before a commit.
pub(crate) fn check(root: &Path) -> ExitCode {
    let mut report = Report::default();
    report.step("format", || format(root));
    report.step("lints", || lints(root));
    report.step("engine", || engine::prepare(root).map(|()| Outcome::Passed));
    report.step("unit tests", || {
        cargo(
            root,
            &[
                "test",
                "--workspace",
                "--locked",
                "--no-fail-fast",
                "--lib",
                "--bins",
            ],
        )
    });
    report.finish()
}

/// Everything.
pub(crate) fn run(root: &Path, depth: Depth) -> Result<ExitCode, String> {
    // Found missing now rather than in the middle of a long run.
    tools::cc()?;

    let mut report = Report::default();
    report.step("format", || format(root));
    report.step("lints", || lints(root));
    report.step("generated files", || {
        generate::run(root, true).map(|()| Outcome::Passed)
    });
    report.step("engine", || engine::prepare(root).map(|()| Outcome::Passed));
    report.step("build", || {
        cargo(root, &["build", "--workspace", "--locked"])
    });
    report.step("tests", || {
        cargo(
            root,
            &[
                "test",
                "--workspace",
                "--locked",
                "--no-fail-fast",
                "--lib",
                "--bins",
                "--tests",
                "--examples",
            ],
        )
    });
    report.step("documentation examples", || {
        cargo(
            root,
            &["test", "--workspace", "--locked", "--no-fail-fast", "--doc"],
        )
    });
    report.step("operators against numpy", || {
        let script = root.join("crates/operators/tests/rows.py");
        let mut command = Command::new(engine::python(root));
        tools::run(command.arg(script).current_dir(root)).map(|()| Outcome::Passed)
    });
    consumer::steps(root, &mut report);
    python::steps(root, &mut report);
    onnxruntime::steps(root, &mut report);
    sanitize::loom(root, &mut report);
    report.step("C programs, valgrind", || {
        depth.unless_fast(|| sanitize::valgrind(root))
    });
    report.step("C programs, AddressSanitizer", || {
        depth.unless_fast(|| sanitize::address(root))
    });
    Ok(report.finish())
}

fn format(root: &Path) -> Result<Outcome, String> {
    if !tools::has_component(root, "fmt") {
        return Ok(missing_component("rustfmt"));
    }
    cargo(root, &["fmt", "--all", "--check"])
}

fn lints(root: &Path) -> Result<Outcome, String> {
    if !tools::has_component(root, "clippy") {
        return Ok(missing_component("clippy"));
    }
    cargo(
        root,
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--locked",
            "--",
            "-D",
            "warnings",
        ],
    )
}

fn missing_component(name: &str) -> Outcome {
    Outcome::Skipped(format!(
        "{name} is not installed (rustup component add {name})"
    ))
}

fn cargo(root: &Path, arguments: &[&str]) -> Result<Outcome, String> {
    tools::run(tools::cargo(root).args(arguments)).map(|()| Outcome::Passed)
}
