//! `cargo xtask bench`: the benchmarks, in release. What they measure is said in `bench/`.

use std::path::Path;

use crate::{engine, tools};

pub(crate) fn run(root: &Path, arguments: &[&str]) -> Result<(), String> {
    // The program loads the libraries from beside itself.
    tools::run_for_output(tools::cargo(root).args([
        "build",
        "--release",
        "--locked",
        "-p",
        "millpond-capi",
        "-p",
        "millpond-plugin",
    ]))?;
    // Started where the caller is, so that files are found from there.
    let here = std::env::current_dir().map_err(|error| format!("the current folder: {error}"))?;
    let mut command = tools::cargo(&here);
    if arguments.first() == Some(&"exec") {
        engine::prepare(root)?;
        if std::env::var_os("MILLPOND_ONNXRUNTIME").is_none() {
            command.env("MILLPOND_ONNXRUNTIME", engine::folder(root));
        }
    }
    tools::run_for_output(
        command
            .args(["run", "--release", "--locked", "-p", "millpond-bench"])
            .arg("--manifest-path")
            .arg(root.join("Cargo.toml"))
            .arg("--")
            .args(arguments),
    )
}
