//! `cargo xtask COMMAND`: the commands of this repository. Needs nothing but cargo and a C compiler.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line talks to its reader"
)]

mod bench;
mod companion;
mod conformance;
mod consumer;
mod demo;
mod dist;
mod documents;
mod engine;
mod generate;
mod onnxruntime;
mod python;
mod sanitize;
mod steps;
mod test;
mod tools;
mod torch;
mod wheel;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask COMMAND

  demo                 build everything, run small C programs on the host device, check one, show what happened
  test [--fast]        run all tests; --fast leaves out valgrind, loom and AddressSanitizer
  test STEP...         run these steps of it and what they need; an unknown name lists them all
  check                format, lints and unit tests: the quick look before a commit
  dist [--debug]       lay out target/dist: bin, include, lib64, set_env.sh, pkg-config, CMake
                       (--debug: the same from a debug build, in target/dist-debug)
  consumer             lay out target/dist-debug and build the examples against it in every way; test does it too
  bench [ARGS...]      run the benchmarks; ARGS go to the benchmark program
  bench pool [ARGS...] replay allocation traces with Millpond's pool and its peers
  bench exec [ARGS...] operators and models beside ONNX Runtime alone
  bench check [ARGS...] the same program with checking off and on
  bench python [ARGS...] what calls from Python cost
  bench torch [ARGS...] a training step of PyTorch for Ascend beside PyTorch's CPU device
  python               the wheel of the Python module, its tests and types; others do it too
  torch [ARGS...]      PyTorch for Ascend from the package index: fetches it (5 GB, minutes), runs tests/torch; ARGS go to pytest
  conformance [ARGS...] PyTorch's operator database on the device, beside the CPU device (5 GB, up to an hour)
  conformance onnx [ARGS...] ONNX's node tests through atc and aclmdl, beside ONNX Runtime (minutes)
  onnxruntime          the CANN provider of ONNX Runtime, as its makers publish it, on this library; test does it too
  engine               make .venv with ONNX Runtime, which operators and models need; others do it too
  generate [--check]   write the generated files; --check fails when one of them is out of date
  help                 this text

Everything is written below target/, but for the environment .venv.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = root();
    match dispatch(&root, &arguments) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Runs one command. `Err` is what went wrong in one sentence, with a hint line where there is one.
fn dispatch(root: &Path, arguments: &[String]) -> Result<ExitCode, String> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["test"] => return test::run(root, test::Depth::Full),
        ["test", "--fast"] => return test::run(root, test::Depth::Fast),
        ["test", names @ ..] if names.iter().all(|name| !name.starts_with('-')) => {
            return test::run_named(root, names);
        }
        // What `test` starts, one process for each step.
        ["step", name] => return test::run_here(root, name),
        ["check"] => return test::check(root),
        ["consumer"] => return test::run_named(root, consumer::STEPS),
        ["python"] => return test::run_named(root, python::STEPS),
        ["onnxruntime"] => return test::run_named(root, &[onnxruntime::TESTS]),
        ["conformance", rest @ ..] => conformance::run(root, rest)?,
        ["torch", rest @ ..] => return Ok(torch::run(root, rest)),
        ["demo"] => demo::run(root)?,
        ["dist"] => dist::run(root, tools::Build::Release)?,
        ["dist", "--debug"] => dist::run(root, tools::Build::Debug)?,
        ["engine"] => engine::prepare(root)?,
        ["bench", "python", "onnxruntime", rest @ ..] => python::bench(root, rest)?,
        ["bench", "torch", rest @ ..] => torch::bench(root, rest)?,
        ["bench", rest @ ..] => bench::run(root, rest)?,
        ["generate"] => generate::run(root, false)?,
        ["generate", "--check"] => generate::run(root, true)?,
        [] | ["help" | "-h" | "--help"] => print!("{HELP}"),
        [command, ..] => {
            return Err(format!(
                "unknown command or option: {}\nhint: cargo xtask help",
                if is_command(command) {
                    words.join(" ")
                } else {
                    (*command).to_owned()
                }
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn is_command(word: &str) -> bool {
    [
        "demo",
        "test",
        "check",
        "dist",
        "consumer",
        "bench",
        "python",
        "onnxruntime",
        "conformance",
        "torch",
        "engine",
        "generate",
        "help",
    ]
    .contains(&word)
}

/// The root of the repository: the folder above this crate.
fn root() -> PathBuf {
    // At run time Cargo says where the crate is, which stays true when the checkout was moved
    // without a rebuild.
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest
        .parent()
        .map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_command_is_refused_with_a_hint() {
        let message = dispatch(Path::new("."), &["tset".to_owned()]).unwrap_err();
        assert!(message.contains("tset") && message.contains("hint:"));
    }

    #[test]
    fn an_unknown_option_of_a_command_is_refused() {
        let words = ["dist".to_owned(), "--fast".to_owned()];
        let message = dispatch(Path::new("."), &words).unwrap_err();
        assert!(message.contains("dist --fast"));
    }

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(root().join("crates").is_dir());
    }
}
