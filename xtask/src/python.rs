//! The Python module: its tests in an environment of its own, and what its calls cost.
//!
//! The environment is made from nothing but the wheel. What the tests need beside it (pytest, `NumPy`, ONNX Runtime) is
//! lent by `.venv`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::dist::Source;
use crate::tools::{self, Build, Outcome};
use crate::{engine, wheel};

/// `cargo xtask python`: these steps of the table of tests, and what they need.
pub(crate) const STEPS: &[&str] = &["Python: tests", "Python: tests, checked", "Python: types"];

/// The wheel of the debug build, in an environment of its own.
pub(crate) fn wheel(root: &Path) -> Result<Outcome, String> {
    tools::run(&mut tools::build(root, Build::Debug))?;
    environment(root, Build::Debug).map(drop)?;
    Ok(Outcome::Passed)
}

/// The module's tests.
pub(crate) fn tests(root: &Path) -> Result<Outcome, String> {
    tools::run(&mut pytest(root, &tested(root))).map(|()| Outcome::Passed)
}

/// The same under `millpond check`, which has to be silent.
pub(crate) fn checked_tests(root: &Path) -> Result<Outcome, String> {
    let python = tested(root);
    let mut command = alone(&python);
    command
        .current_dir(root)
        .args(["-m", "millpond", "check", "--"]);
    let tests = pytest(root, &python);
    command.arg(tests.get_program()).args(tests.get_args());
    tools::run(&mut command).map(|()| Outcome::Passed)
}

/// The wheel that [`wheel`] made.
pub(crate) fn built(root: &Path) -> Result<PathBuf, String> {
    let folder = folder(root, Build::Debug);
    let failed = |error| format!("cannot list {}: {error}", folder.display());
    let mut newest = None;
    for entry in fs::read_dir(&folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "whl") {
            let made = path
                .metadata()
                .and_then(|data| data.modified())
                .map_err(failed)?;
            newest = newest.max(Some((made, path)));
        }
    }
    newest
        .map(|(_, path)| path)
        .ok_or_else(|| format!("no wheel in {}", folder.display()))
}

/// The Python of the environment that [`wheel`] makes.
fn tested(root: &Path) -> PathBuf {
    folder(root, Build::Debug).join("venv/bin/python")
}

/// A Python that finds the libraries of its wheel: cargo names the folder of the debug build to the loader, and
/// that would come first.
fn alone(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.env_remove("LD_LIBRARY_PATH");
    command
}

fn pytest(root: &Path, python: &Path) -> Command {
    let mut command = alone(python);
    command
        .current_dir(root)
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
        .arg("crates/python/tests");
    command
}

/// Stubs, sources and examples agree on their types.
pub(crate) fn types(root: &Path) -> Result<Outcome, String> {
    let cache = folder(root, Build::Debug).join("mypy");
    let mypy = |what: &[&str]| {
        let mut command = Command::new(engine::python(root));
        command
            .current_dir(root)
            .env("MYPYPATH", root.join("crates/python/python"))
            .args(["-m", "mypy", "--no-error-summary", "--cache-dir"])
            .arg(&cache)
            .args(what);
        tools::run(&mut command)
    };
    mypy(&["--strict", "-p", "acl", "-p", "millpond"])?;
    for example in ["first", "allocator"] {
        mypy(&[
            "--check-untyped-defs",
            &format!("examples/python/{example}.py"),
        ])?;
    }
    // What the stubs say is there, with the arguments that it has. The module `millpond` has its types in its sources.
    let mut stubtest = alone(&engine::python(root));
    stubtest
        .current_dir(root)
        .env("PYTHONPATH", site_packages(&tested(root))?)
        .args(["-m", "mypy.stubtest", "--concise", "--ignore-missing-stub"])
        .arg("acl");
    tools::run(&mut stubtest).map(|()| Outcome::Passed)
}

/// `cargo xtask bench python`.
pub(crate) fn bench(root: &Path, arguments: &[&str]) -> Result<(), String> {
    tools::run(&mut tools::build(root, Build::Release))?;
    let python = environment(root, Build::Release)?;
    tools::run_for_output(
        alone(&python)
            .arg(root.join("crates/python/bench.py"))
            .args(arguments),
    )
}

/// Where everything of a build is put together.
fn folder(root: &Path, build: Build) -> PathBuf {
    let name = match build {
        Build::Debug => "python-test",
        Build::Release => "python-bench",
    };
    tools::target(root).join(name)
}

/// An environment with the wheel of a build; returns its Python.
fn environment(root: &Path, build: Build) -> Result<PathBuf, String> {
    let folder = folder(root, build);
    let Some(wheel) = wheel::make(root, &Source::here(root, build), &folder)? else {
        return Err("python3 is not installed\nhint: apt-get install python3-venv".to_owned());
    };
    engine::prepare(root)?;
    let venv = folder.join("venv");
    let python = venv.join("bin/python");
    if !python.is_file() {
        tools::run(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    }
    tools::run(
        Command::new(&python)
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
            ])
            .args(["--no-index", "--no-deps", "--force-reinstall"])
            .arg(&wheel),
    )?;
    let lent = site_packages(&engine::python(root))?;
    let link = site_packages(&python)?.join("lent.pth");
    fs::write(&link, format!("{}\n", lent.display()))
        .map_err(|error| format!("{}: {error}", link.display()))?;
    Ok(python)
}

/// Where an environment keeps its packages.
fn site_packages(python: &Path) -> Result<PathBuf, String> {
    let script = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let path = tools::output(Command::new(python).args(["-c", script]))?;
    Ok(PathBuf::from(path.trim()))
}
