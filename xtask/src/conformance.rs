//! `cargo xtask conformance`: suites that others wrote. `onnx` is ONNX's node tests, `ggml` llama.cpp's test of its operators; everything
//! else goes to PyTorch's operator database.
//!
//! The packages go into an environment of their own below `target/`; once it is there, nothing is fetched again. Everything runs from
//! the folder that users get, `target/dist`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tools::{self, Build};
use crate::{dist, engine, torch};

/// Which requirements the environment was made from.
const STAMP: &str = ".requirements";

/// Runs a suite; `arguments` are its name and what goes to its program.
pub(crate) fn run(root: &Path, arguments: &[&str]) -> Result<(), String> {
    match arguments {
        ["onnx", rest @ ..] => onnx(root, rest),
        ["ggml", rest @ ..] => ggml(root, rest),
        rest => torch::conformance(root, rest),
    }
}

/// `arguments` go to `tests/conformance/onnx_node.py`.
fn onnx(root: &Path, arguments: &[&str]) -> Result<(), String> {
    packages(root, "onnx_requirements.txt", &folder(root))?;
    engine::prepare(root)?;
    let dist = dist::build_and_lay_out(root, Build::Release)?;
    let mut suite = Command::new(python(root));
    suite
        .current_dir(root)
        // Cargo names its own folder to the loader, and that would come before the one that users get.
        .env_remove("LD_LIBRARY_PATH")
        // Both sides of the comparison run the same engine.
        .env("MILLPOND_ONNXRUNTIME", folder(root))
        .arg("tests/conformance/onnx_node.py")
        .arg("--command")
        .arg(dist.join("bin/millpond"))
        .args(arguments);
    tools::run(&mut suite)
}

/// `arguments` go to `tests/conformance/ggml.py`.
fn ggml(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let work = tools::target(root).join("conformance/ggml");
    let environment = work.join("env");
    packages(root, "ggml_requirements.txt", &environment)?;
    let dist = dist::build_and_lay_out(root, Build::Release)?;
    let mut suite = Command::new(environment.join("bin/python"));
    suite
        .current_dir(root)
        .env_remove("LD_LIBRARY_PATH")
        .arg("tests/conformance/ggml.py")
        .arg("--dist")
        .arg(dist)
        .arg("--work")
        .arg(&work)
        .args(arguments);
    tools::run(&mut suite)
}

/// Makes an environment with the packages of a file, unless it is there.
fn packages(root: &Path, requirements: &str, folder: &Path) -> Result<(), String> {
    let requirements = root.join("tests/conformance").join(requirements);
    let wanted = fs::read_to_string(&requirements)
        .map_err(|error| format!("{}: {error}", requirements.display()))?;
    if fs::read_to_string(folder.join(STAMP)).is_ok_and(|made_from| made_from == wanted) {
        println!("{} is up to date", folder.display());
        return Ok(());
    }
    if tools::find("python3").is_none() {
        return Err("python3 is not installed\nhint: apt-get install python3-venv".to_owned());
    }
    tools::run(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    let mut pip = Command::new(folder.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet"])
        .args(["--disable-pip-version-check", "-r"])
        .arg(&requirements);
    tools::run(&mut pip)?;
    fs::write(folder.join(STAMP), wanted).map_err(|error| format!("{STAMP}: {error}"))
}

/// Where the environment is.
fn folder(root: &Path) -> PathBuf {
    tools::target(root).join("conformance/env")
}

fn python(root: &Path) -> PathBuf {
    folder(root).join("bin/python")
}
