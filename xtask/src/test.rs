//! `cargo xtask check` and `cargo xtask test`: the table of steps.
//!
//! Steps run side by side (`steps.rs`); the order of the table is their priority. What others need and what takes longest comes
//! first. Steps that build with other options have a target folder of their own, so that they do not wait for each other.

use std::path::Path;
use std::process::{Command, ExitCode};

use crate::steps::{self, Compile, Load, Step};
use crate::tools::{self, Outcome};
use crate::{
    aarch64, bare, ci, consumer, crates, documents, engine, generate, gpu, licences, onnxruntime,
    page, python, recording, sanitize, site,
};

/// How much `cargo xtask test` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Without valgrind, loom and `AddressSanitizer`.
    Fast,
    Full,
}

/// Steps that `--fast` leaves out.
const SLOW: &[&str] = &[
    "AddressSanitizer: build",
    "C programs, AddressSanitizer",
    "C programs, valgrind",
    "loom",
];

/// The quick look before a commit.
const QUICK: &[&str] = &["format", "lints", "unit tests"];

/// What tests link against and what they run: everything that Cargo builds for them, once.
const TESTS: &[&str] = &[
    "test",
    "--workspace",
    "--locked",
    "--no-fail-fast",
    "--lib",
    "--bins",
    "--tests",
    "--examples",
];

/// Every step. The first that can start does: chains of steps before single ones, those that keep few cores busy before those
/// that use all.
const STEPS: &[Step] = &[
    step("build", &[], build),
    fetch("engine", &[], |root| {
        engine::prepare(root).map(|()| Outcome::Passed)
    }),
    fetch(onnxruntime::PACKAGES, &[], onnxruntime::packages),
    fetch(page::PACKAGES, &[], page::packages),
    fetch(recording::PACKAGES, &[], recording::packages),
    step("format", &[], format),
    step("generated files", &[], |root| {
        generate::run(root, true).map(|()| Outcome::Passed)
    }),
    step("documents", &[], documents::check),
    step("site", &[], site::step),
    step("dependencies", &[], dependencies),
    step("AddressSanitizer: build", &[], sanitize::build_address),
    step("Python: wheel", &["build", "engine"], python::wheel),
    step("Python: tests", &["Python: wheel"], python::tests),
    step(
        "Python: tests, checked",
        &["Python: wheel"],
        python::checked_tests,
    ),
    step("tests", &["build", "engine"], |root| cargo(root, TESTS)),
    step("device cuda: tests", &["build", "engine"], on_gpu),
    step("pages of 64 KiB", &["build", "engine"], large_pages),
    step(
        "C programs, AddressSanitizer",
        &["build", "engine", "AddressSanitizer: build"],
        sanitize::address,
    ),
    step("C programs, valgrind", &["build"], sanitize::valgrind),
    step(
        onnxruntime::LIBRARY,
        &["build", "engine"],
        onnxruntime::library,
    ),
    step(
        onnxruntime::TESTS,
        &[onnxruntime::LIBRARY, onnxruntime::PACKAGES],
        onnxruntime::tests,
    ),
    step("operators against numpy", &["build", "engine"], operators),
    step("functions against numpy", &["build", "engine"], functions),
    step(page::SOURCE, &[page::PACKAGES], page::source),
    step(page::BROWSER, &["build", page::PACKAGES], page::browser),
    step(
        recording::TESTS,
        &["build", recording::PACKAGES],
        recording::tests,
    ),
    step("oracle", &["build", "engine"], oracle),
    step("use: CI of others", &["Python: wheel"], ci::templates),
    step("use: bare system", &["Python: wheel"], bare::debug_wheel),
    step(
        "PyTorch on CUDA: without a GPU",
        &["Python: wheel"],
        gpu::without_gpu,
    ),
    step("Python: types", &["Python: wheel"], python::types),
    step("dist", &["build", "engine"], consumer::lay_out),
    step("use: millpond doctor", &["dist"], consumer::doctor),
    step("use: pkg-config", &["dist"], consumer::pkg_config),
    step("use: layouts", &["dist"], consumer::layouts),
    step("use: CMake", &["dist"], consumer::cmake),
    step("use: Conan", &["dist"], consumer::conan),
    step("use: set_env.sh", &["dist"], consumer::set_env),
    step("use: millpond check", &["dist"], consumer::check),
    step("use: recipes", &["dist"], consumer::recipes),
    step("documentation examples", &["build"], |root| {
        cargo(
            root,
            &["test", "--workspace", "--locked", "--no-fail-fast", "--doc"],
        )
    }),
    step("crates: package", &["build"], crates::package),
    step("loom", &[], sanitize::loom),
    step("lints", &[], lints),
    step("aarch64: compiles", &[], aarch64::compiles),
    step("unit tests", &["engine"], unit_tests),
];

const fn step(
    name: &'static str,
    needs: &'static [&'static str],
    work: fn(&Path) -> Result<Outcome, String>,
) -> Step {
    Step {
        name,
        needs,
        load: Load::Processor,
        work,
    }
}

/// A step that waits for the network most of the time.
const fn fetch(
    name: &'static str,
    needs: &'static [&'static str],
    work: fn(&Path) -> Result<Outcome, String>,
) -> Step {
    Step {
        name,
        needs,
        load: Load::Network,
        work,
    }
}

/// The quick look before a commit.
pub(crate) fn check(root: &Path) -> Result<ExitCode, String> {
    steps::run_named(root, STEPS, QUICK, Compile::Incrementally)
}

/// Everything, or what `--fast` leaves of it.
pub(crate) fn run(root: &Path, depth: Depth) -> Result<ExitCode, String> {
    // Found missing now rather than in the middle of a long run.
    tools::cc()?;
    let is_wanted = |step: &&Step| {
        step.name != "unit tests" && (depth == Depth::Full || !SLOW.contains(&step.name))
    };
    let wanted: Vec<Step> = STEPS.iter().filter(is_wanted).copied().collect();
    if depth == Depth::Fast {
        println!("skipped because of --fast: {}", SLOW.join("; "));
    }
    steps::run(root, &wanted, Compile::Whole)
}

/// `cargo xtask test NAME…`: these steps, and what they need.
pub(crate) fn run_named(root: &Path, names: &[&str]) -> Result<ExitCode, String> {
    steps::run_named(root, STEPS, names, Compile::Whole)
}

/// `xtask step NAME`: what [`steps::run`] starts.
pub(crate) fn run_here(root: &Path, name: &str) -> Result<ExitCode, String> {
    steps::run_here(root, STEPS, name)
}

/// Builds what later steps run, with the options that they use, so that they find it built.
fn build(root: &Path) -> Result<Outcome, String> {
    cargo(root, &["build", "--workspace", "--locked"])?;
    let mut tests = TESTS.to_vec();
    tests.push("--no-run");
    cargo(root, &tests)
}

fn unit_tests(root: &Path) -> Result<Outcome, String> {
    let arguments = [
        "test",
        "--workspace",
        "--locked",
        "--no-fail-fast",
        "--lib",
        "--bins",
    ];
    cargo(root, &arguments)
}

/// The tests of the runtime and the C programs on the device `cuda`, with a stand-in for the driver.
fn on_gpu(root: &Path) -> Result<Outcome, String> {
    let driver = root.join("crates/cuda/src/testing/standin.c");
    let built = tools::target(root).join("libcuda_standin.so");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=gnu11", "-O1", "-g", "-shared", "-fPIC", "-pthread"]);
    tools::run(compiler.arg("-o").arg(&built).arg(&driver))?;
    // One GPU; then two GPUs in reverse order, and the host.
    for (devices, gpus) in [("cuda", "1"), ("cuda:1,cuda:0,host", "2")] {
        let mut runtime = tools::cargo(root);
        runtime
            .args(["test", "--locked", "--no-fail-fast"])
            .args(["-p", "millpond", "--tests"])
            .env("MILLPOND_DEVICE", devices)
            .env("MILLPOND_CUDA_DRIVER", &built)
            .env("STANDIN_DEVICES", gpus)
            .env_remove("CUDA_VISIBLE_DEVICES")
            .env("STANDIN_MEMORY", (32_u64 << 30).to_string());
        tools::run(&mut runtime)?;
    }
    let mut programs = tools::c_programs(root);
    programs
        .env("MILLPOND_TEST_DEVICE", "cuda")
        .env("MILLPOND_CUDA_DRIVER", "standin")
        .env_remove("CUDA_VISIBLE_DEVICES");
    tools::run(&mut programs).map(|()| Outcome::Passed)
}

/// The device, the runtime and the C programs, where the system's pages seem to have 64 KiB.
fn large_pages(root: &Path) -> Result<Outcome, String> {
    let mut runtime = tools::cargo(root);
    runtime
        .args(["test", "--locked", "--no-fail-fast"])
        .args(["-p", "millpond-device", "-p", "millpond"])
        .args(["--lib", "--tests"]);
    for mut tests in [runtime, tools::c_programs(root)] {
        tools::run(tests.env("MILLPOND_TEST_PAGE", "65536"))?;
    }
    Ok(Outcome::Passed)
}

fn operators(root: &Path) -> Result<Outcome, String> {
    let script = root.join("crates/operators/tests/rows.py");
    let mut command = Command::new(engine::python(root));
    tools::run(command.arg(script).current_dir(root)).map(|()| Outcome::Passed)
}

fn functions(root: &Path) -> Result<Outcome, String> {
    let mut command = Command::new(engine::python(root));
    command
        .arg(root.join("tests/functions/run.py"))
        .arg("--library")
        .arg(tools::target(root).join("debug/libascendcl.so"));
    tools::run(command.current_dir(root)).map(|()| Outcome::Passed)
}

/// Asks our own library what `oracle/` asks of hardware: the answers are the committed ones.
fn oracle(root: &Path) -> Result<Outcome, String> {
    if tools::find("make").is_none() {
        return Ok(tools::not_installed("make", "make"));
    }
    let target = tools::target(root);
    let answers = target.join("oracle/answers.json");
    let mut ask = Command::new(engine::python(root));
    ask.arg(root.join("oracle/run.py"))
        .arg("--library")
        .arg(target.join("debug"))
        .arg("--build")
        .arg(target.join("oracle"))
        .arg("--output")
        .arg(&answers)
        // A debug build on a busy machine.
        .args(["--seconds", "600"]);
    if std::env::var_os("MILLPOND_ONNXRUNTIME").is_none() {
        ask.env("MILLPOND_ONNXRUNTIME", engine::folder(root));
    }
    tools::run(ask.current_dir(root))?;
    let mut compare = Command::new(target.join("debug/millpond"));
    compare.args(["oracle", "compare", "--all"]).arg(&answers);
    tools::run(compare.current_dir(root))
        .map(|()| Outcome::Passed)
        .map_err(|error| {
            format!(
                "{error}\nhint: if the new answers are right, copy {} to oracle/answers/millpond.json",
                answers.display()
            )
        })
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
    let mut command = tools::cargo(root);
    command
        .env("CARGO_TARGET_DIR", tools::target(root).join("lints"))
        .args(["clippy", "--workspace", "--all-targets", "--locked"])
        .args(["--", "-D", "warnings"]);
    tools::run(&mut command).map(|()| Outcome::Passed)
}

/// Licences, duplicates and sources of the dependencies, by `deny.toml`, without the network: for this machine only, because
/// crates of others may not have been fetched. Advisories need a database from the network, so they are not checked here.
fn dependencies(root: &Path) -> Result<Outcome, String> {
    // A release needs at least this much.
    licences::compare(root)?;
    if !tools::has_component(root, "deny") {
        return Ok(Outcome::Skipped(
            "licences are right; duplicates and sources need cargo-deny (cargo install --locked cargo-deny)"
                .to_owned(),
        ));
    }
    println!("advisories are not checked: run `cargo deny check advisories`");
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    cargo(
        root,
        &[
            "deny", "--frozen", "--target", &target, "check", "bans", "licenses", "sources",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_need_names_an_earlier_reason_to_run() {
        for step in STEPS {
            for need in step.needs {
                let known = STEPS.iter().any(|other| other.name == *need);
                assert!(known, "'{}' needs '{need}', which is no step", step.name);
            }
        }
    }

    #[test]
    fn what_fast_leaves_out_and_what_check_runs_are_steps() {
        for name in SLOW.iter().chain(QUICK) {
            assert!(STEPS.iter().any(|step| step.name == *name), "{name}");
        }
    }

    #[test]
    fn no_step_that_stays_needs_one_that_fast_leaves_out() {
        let stays = STEPS.iter().filter(|step| !SLOW.contains(&step.name));
        for step in stays {
            assert!(!step.needs.iter().any(|need| SLOW.contains(need)));
        }
    }
}
