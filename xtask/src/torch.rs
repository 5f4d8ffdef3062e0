//! `cargo xtask torch`: PyTorch for Ascend, as its makers publish it, on this library.
//!
//! The packages go into an environment of their own below `target/`; once it is there, nothing is
//! fetched again. Everything runs from the folder that users get, `target/dist`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::tools::{self, Build, Outcome, Report};
use crate::{dist, engine};

/// The plug-in, in the version that goes with the torch of requirements.txt.
const PLUGIN: &str = "torch_npu==2.7.1.post11";
/// Which requirements the environment was made from.
const STAMP: &str = ".requirements";

const FIRST_TIME: &str = "\
This fetches torch and torch_npu from the Python package index: about 3 GB to download, 5 GB on disk
below target/torch. It takes some minutes and happens once.";

/// The steps; `arguments` go to pytest.
pub(crate) fn run(root: &Path, arguments: &[&str]) -> ExitCode {
    let mut report = Report::default();
    report.step("PyTorch: packages", || {
        packages(root).map(|()| Outcome::Passed)
    });
    report.step("engine", || engine::prepare(root).map(|()| Outcome::Passed));
    report.step("PyTorch: build", || {
        dist::build_and_lay_out(root, Build::Release).map(|_| Outcome::Passed)
    });
    let ready = ["PyTorch: packages", "PyTorch: build"];
    if ready.iter().all(|step| report.has_passed(step)) {
        report.step("PyTorch: the environment", || {
            let mut doctor = alone(&command(root));
            doctor.args(["doctor", "--torch", "--python"]);
            tools::run(doctor.arg(python(root))).map(|()| Outcome::Passed)
        });
        report.step("PyTorch: tests", || {
            let mut tests = started(root, &["run"]);
            tests
                .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
                .args(if arguments.is_empty() {
                    &["tests/torch"]
                } else {
                    arguments
                });
            tools::run(&mut tests).map(|()| Outcome::Passed)
        });
    }
    report.finish()
}

/// `cargo xtask bench torch` and `bench ranks`: `script` in `bench/`.
pub(crate) fn bench(root: &Path, script: &str, arguments: &[&str]) -> Result<(), String> {
    packages(root)?;
    engine::prepare(root)?;
    dist::build_and_lay_out(root, Build::Release)?;
    let mut command = alone(&python(root));
    command
        .current_dir(root)
        .env("MILLPOND_COMMAND", self::command(root))
        .arg(script)
        .args(arguments);
    tools::run_for_output(&mut command)
}

/// `cargo xtask conformance`: suites that others wrote. `arguments` go to tests/conformance/conformance.py. With `--upstream DIR` first it
/// runs the tests of a checkout of `torch_npu` instead.
pub(crate) fn conformance(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let (suite_arguments, arguments): (Vec<&str>, &[&str]) = match arguments {
        ["--upstream", folder, rest @ ..] => (vec!["upstream", "--folder", folder], rest),
        rest => (vec!["opinfo"], rest),
    };
    packages(root)?;
    engine::prepare(root)?;
    dist::build_and_lay_out(root, Build::Release)?;
    let mut suite = alone(&python(root));
    suite
        .current_dir(root)
        .arg("tests/conformance/conformance.py")
        .args(suite_arguments)
        .arg("--command")
        .arg(command(root))
        .arg("--python")
        .arg(python(root))
        .args(arguments);
    tools::run(&mut suite)
}

/// Makes the environment, unless it is there.
fn packages(root: &Path) -> Result<(), String> {
    let requirements = root.join("tests/torch/requirements.txt");
    let wanted = fs::read_to_string(&requirements)
        .map_err(|error| format!("{}: {error}", requirements.display()))?;
    let wanted = format!("{wanted}{PLUGIN}\n");
    let folder = folder(root);
    if fs::read_to_string(folder.join(STAMP)).is_ok_and(|made_from| made_from == wanted) {
        println!("{} is up to date", folder.display());
        return Ok(());
    }
    if tools::find("python3").is_none() {
        return Err("python3 is not installed\nhint: apt-get install python3-venv".to_owned());
    }
    println!("{FIRST_TIME}");
    tools::run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    let hint = |error: String| {
        format!(
            "{error}\nhint: torch_npu has packages for CPython 3.9 to 3.13 on x86_64 and aarch64; \
             check python3 --version"
        )
    };
    let pip = || {
        let mut command = Command::new(python(root));
        command.args(["-m", "pip", "install", "--disable-pip-version-check"]);
        command
    };
    tools::run(pip().arg("-r").arg(&requirements)).map_err(hint)?;
    tools::run(pip().args(["--no-deps", PLUGIN])).map_err(hint)?;
    fs::write(folder.join(STAMP), wanted).map_err(|error| format!("{STAMP}: {error}"))
}

/// Where the environment is.
fn folder(root: &Path) -> PathBuf {
    tools::target(root).join("torch/env")
}

fn python(root: &Path) -> PathBuf {
    folder(root).join("bin/python")
}

/// The command as users have it.
fn command(root: &Path) -> PathBuf {
    dist::folder(root, Build::Release).join("bin/millpond")
}

/// `millpond WORDS -- python`, in the root of the repository.
fn started(root: &Path, words: &[&str]) -> Command {
    let mut started = alone(&command(root));
    started
        .current_dir(root)
        .env("MILLPOND_COMMAND", command(root))
        .args(words)
        .arg("--")
        .arg(python(root));
    started
}

/// Without the folder that cargo names to the loader: it would come before the one that users get.
fn alone(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_remove("LD_LIBRARY_PATH");
    command
}
