//! `cargo xtask COMMAND`: the commands of this repository. Needs nothing but cargo and a C compiler.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line tool prints"
)]

mod aarch64;
mod bare;
mod bench;
mod bom;
mod ci;
mod companion;
mod conformance;
mod consumer;
mod crates;
mod demo;
mod dist;
mod documents;
mod engine;
mod environment;
mod generate;
mod gpu;
mod kit;
mod licences;
mod notices;
mod onnxruntime;
mod page;
mod portable;
mod python;
mod recording;
mod release;
mod rust;
mod sanitize;
mod shipped;
mod site;
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
  test [--fast]        run all tests; --fast skips valgrind, loom and AddressSanitizer
  test STEP...         run these steps and what they need; an unknown name lists all steps
  check                format, lints and unit tests: run it before a commit
  dist [--debug]       create target/dist: bin, include, lib64, set_env.sh, pkg-config, CMake
                       (--debug: from a debug build, in target/dist-debug)
  aarch64              build for 64-bit Arm processors and run the C tests on qemu; says what is missing
  aarch64 shipped [DIR] run the C tests and Python on qemu with the wheel and the archive of a release (DIR: where they are)
  wheel DIR            build for this machine and put the Python wheel into DIR; what pip calls for a build from source
  release [PROCESSOR...] [--twice] build every file of a release for x86_64 and aarch64 into target/release-files: wheels, archives,
                       Debian packages, sources, list of components, checksums (--twice: build again elsewhere and compare)
  bare [--torch] [DIR] try the files of a release in a system without Rust, which debootstrap makes in target/bare: the README's lines,
                       the archive, the Debian package (DIR: where they are; target/release-files; --torch: fetch PyTorch, 3 GB, for
                       the line that needs it). Needs root
  crates               make the packages of the crates that users depend on and compile them
  consumer             create target/dist-debug and build the examples against it with every build system; part of test
  bench [ARGS...]      run the benchmarks; ARGS go to the benchmark program
  bench pool [ARGS...] replay allocation traces with Millpond's pool and its peers
  bench exec [ARGS...] compare operators and models with plain ONNX Runtime
  bench check [ARGS...] run a program without and with checks
  bench python [ARGS...] measure the cost of calls from Python
  bench torch [ARGS...] compare a training step of PyTorch for Ascend with PyTorch's CPU device
  bench ranks [ARGS...] compare collectives between two ranks with PyTorch's gloo backend
  python               build the Python wheel, run its tests and check its types; part of test
  torch [ARGS...]      install PyTorch for Ascend (5 GB, minutes) and run tests/torch; ARGS go to pytest
  conformance [ARGS...] run PyTorch's operator database on the device and compare it with the CPU device (5 GB, up to an hour)
  conformance onnx [ARGS...] run ONNX's node tests through atc and aclmdl and compare with ONNX Runtime (minutes)
  conformance ggml [ARGS...] build llama.cpp's CANN backend against this library and run its test of operators (minutes)
  gpu                  create target/gpu and target/gpu.tar.gz: tests and benchmarks for a machine with an NVIDIA GPU and PyTorch, without Rust
  onnxruntime          test the published CANN provider of ONNX Runtime with this library; part of test
  engine               create .venv with ONNX Runtime, which operators and models need; other commands do this too
  site                 build the documentation as a static site with search in target/site/html; needs mdbook
  generate [--check]   write the generated files; --check fails if one is out of date
  help                 this text

Everything is written below target/, except the environment .venv.
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
        ["aarch64"] => aarch64::run(root)?,
        ["aarch64", "shipped"] => shipped::run(root, None)?,
        ["aarch64", "shipped", folder] => shipped::run(root, Some(Path::new(folder)))?,
        ["wheel", out] => wheel::run(root, Path::new(out))?,
        ["release", rest @ ..] => release::run(root, &release::Order::parse(rest)?)?,
        ["bare", rest @ ..] => {
            let (torch, rest) = match rest {
                ["--torch", rest @ ..] => (bare::Torch::Fetch, rest),
                rest => (bare::Torch::AsItIs, rest),
            };
            match rest {
                [] => bare::run(root, torch, None)?,
                [folder] if !folder.starts_with('-') => {
                    bare::run(root, torch, Some(Path::new(folder)))?;
                }
                _ => return Err(unknown(&words)),
            }
        }
        ["crates"] => crates::verify(root)?,
        ["engine"] => engine::prepare(root)?,
        ["gpu"] => gpu::run(root)?,
        ["site"] => site::run(root)?,
        ["bench", "python", "onnxruntime", rest @ ..] => python::bench(root, rest)?,
        ["bench", "torch", rest @ ..] => torch::bench(root, "bench/training.py", rest)?,
        ["bench", "ranks", rest @ ..] => torch::bench(root, "bench/ranks.py", rest)?,
        ["bench", rest @ ..] => bench::run(root, rest)?,
        ["generate"] => generate::run(root, false)?,
        ["generate", "--check"] => generate::run(root, true)?,
        [] | ["help" | "-h" | "--help"] => print!("{HELP}"),
        _ => return Err(unknown(&words)),
    }
    Ok(ExitCode::SUCCESS)
}

fn unknown(words: &[&str]) -> String {
    let what = match words {
        [command, ..] if !is_command(command) => (*command).to_owned(),
        _ => words.join(" "),
    };
    format!("unknown command or option: {what}\nhint: cargo xtask help")
}

fn is_command(word: &str) -> bool {
    [
        "demo",
        "test",
        "check",
        "dist",
        "aarch64",
        "bare",
        "wheel",
        "release",
        "consumer",
        "crates",
        "bench",
        "python",
        "onnxruntime",
        "conformance",
        "torch",
        "engine",
        "gpu",
        "site",
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
