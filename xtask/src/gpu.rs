//! `cargo xtask gpu`: one folder for a machine with an NVIDIA GPU and python3 with PyTorch, without Rust and without a network.
//!
//! ```text
//! gpu/
//!   run.sh                  test, bench, table, all or ort; says what it skips and why
//!   millpond-VERSION-*.whl  the libraries, the command and the Python modules; run.sh unpacks it
//!   tests/NAME, benchmarks/NAME  programs that were built here: TESTS and C_PROGRAMS below
//!   tests/acl/NAME          programs of AscendCL: ACL_PROGRAMS below
//!   tests/operators/NAME    programs with operators: OPERATOR_PROGRAMS below
//!   commit.txt              what it was made from
//!   bench/gpu/              PyTorch programs, and what compares allocators with them
//!   tests/torch_cuda/       tests of PyTorch with the pool
//!   examples/torch/         programs for millpond record and millpond check
//! ```
//!
//! Nothing here needs a GPU. Beside the folder, in target/, the same as an archive.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::dist::{self, Source};
use crate::kit::Kit;
use crate::tools::{self, Build, Outcome};
use crate::{engine, python, wheel};

/// Tests of Cargo that use a GPU where there is one: package, name, and what else `cargo test` is told.
const TESTS: &[(&str, &str, &[&str])] = &[
    ("millpond-cuda", "driver", &[]),
    ("millpond-device", "cuda", &[]),
    ("millpond", "contexts", &[]),
    ("millpond", "ending", &[]),
    ("millpond", "execution", &[]),
    ("millpond", "external", &[]),
    ("millpond", "graph", &[]),
    ("millpond", "graph_aborts", &[]),
    ("millpond", "lending", &[]),
    ("millpond", "many_streams", &[]),
    ("millpond", "memory", &[]),
    ("millpond", "model", &[]),
    ("millpond", "schedules", &[]),
    ("millpond", "stream_pool", &[]),
    ("millpond", "tap", &[]),
    ("millpond", "threads", &[]),
    ("millpond", "virtual_memory", &[]),
    ("millpond", "virtual_time", &[]),
];
/// C programs, and the library that they are linked against. `run.sh` runs those of `bench/` as benchmarks.
const C_PROGRAMS: &[(&str, &str)] = &[
    ("bench/gpu/cpp/copies.c", "-lascendcl"),
    ("bench/gpu/cpp/latency.c", "-lmillpond_plugin"),
    ("crates/plugin/tests/cuda/stress.c", "-lmillpond_plugin"),
];
/// Where the headers of these programs are.
const C_HEADERS: &[&str] = &["include", "crates/plugin/tests/cuda"];
/// Programs of `crates/capi/tests/c` that are linked against libascendcl.so and need nothing else.
const ACL_PROGRAMS: &[&str] = &[
    "callbacks",
    "copies",
    "copies_async",
    "events",
    "free_while_queued",
    "host_functions",
    "host_register",
    "ipc_events",
    "ipc_memory",
    "ipc_physical",
    "managed",
    "op_native",
    "record_use",
    "reduce",
    "streams",
    "values",
    "virtual_memory",
    "virtual_memory_errors",
    "virtual_memory_host",
    "virtual_memory_queued",
    "virtual_memory_sharing",
];
/// The same for programs that also need ONNX Runtime.
const OPERATOR_PROGRAMS: &[&str] = &[
    "op_allocator",
    "op_attr",
    "op_execute",
    "op_shapes",
    "op_values",
];
/// Folders and files of the repository that go along as they are.
const FILES: &[&str] = &["bench/gpu", "tests/torch_cuda"];
/// What the examples are called that do.
const EXAMPLES: &str = "cuda_";
/// The archive may have this many bytes: it is copied to machines by hand.
const MOST: u64 = 40 << 20;

const RUN: &str = include_str!("gpu.sh");

pub(crate) fn run(root: &Path) -> Result<(), String> {
    let target = tools::target(root);
    let folder = target.join("gpu");
    dist::remove(&folder)?;
    fs::create_dir_all(folder.join("tests"))
        .map_err(|error| format!("{}: {error}", folder.display()))?;
    tools::run(&mut tools::build(root, Build::Release))?;
    let source = Source {
        engine: Vec::new(),
        ..Source::here(root, Build::Release)
    };
    if wheel::make(root, &source, &folder)?.is_none() {
        return Err("the wheel needs python3, which is not installed".to_owned());
    }
    for (package, name, more) in TESTS {
        test_program(root, &folder, package, name, more)?;
    }
    for (file, library) in C_PROGRAMS {
        let place = folder.join(if file.starts_with("bench/") {
            "benchmarks"
        } else {
            "tests"
        });
        c_program(root, &source, &place, file, library)?;
    }
    for (programs, place) in [
        (ACL_PROGRAMS, "tests/acl"),
        (OPERATOR_PROGRAMS, "tests/operators"),
    ] {
        for name in programs {
            let file = format!("crates/capi/tests/c/{name}.c");
            c_program(root, &source, &folder.join(place), &file, "-lascendcl")?;
        }
    }
    let commit = tools::output(
        Command::new("git")
            .args(["describe", "--always", "--dirty", "--abbrev=12"])
            .current_dir(root),
    )?;
    fs::write(folder.join("commit.txt"), commit)
        .map_err(|error| format!("{}/commit.txt: {error}", folder.display()))?;
    for file in FILES {
        copy(root, file, &folder)?;
    }
    for example in entries(&root.join("examples/torch"))? {
        let name = example.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(EXAMPLES) {
            dist::copy(&example, &folder.join("examples/torch").join(&*name))?;
        }
    }
    script(&folder)?;

    let archive = target.join("gpu.tar.gz");
    tools::output(
        Command::new("tar")
            .arg("-czf")
            .arg(&archive)
            .arg("-C")
            .arg(&target)
            .arg("gpu"),
    )?;
    let bytes = fs::metadata(&archive).map_or(0, |data| data.len());
    if bytes > MOST {
        return Err(format!(
            "{} has {} MiB, and {} are allowed: strip its programs or leave some out",
            archive.display(),
            bytes >> 20,
            MOST >> 20
        ));
    }
    println!(
        "created {} and {} ({} MiB)",
        folder.display(),
        archive.display(),
        bytes >> 20
    );
    println!(
        "on a machine with a GPU: ./run.sh test, ./run.sh bench, ./run.sh table or ./run.sh all; ./run.sh ort FOLDER with ONNX Runtime for GPUs"
    );
    Ok(())
}

/// Writes `run.sh`.
fn script(folder: &Path) -> Result<PathBuf, String> {
    let script = folder.join("run.sh");
    fs::write(&script, RUN)
        .and_then(|()| fs::set_permissions(&script, fs::Permissions::from_mode(0o755)))
        .map_err(|error| format!("{}: {error}", script.display()))?;
    Ok(script)
}

/// Builds a test of Cargo, and puts it into the folder without its symbols.
fn test_program(
    root: &Path,
    folder: &Path,
    package: &str,
    name: &str,
    more: &[&str],
) -> Result<(), String> {
    let mut cargo = tools::cargo(root);
    cargo.args(["test", "--locked", "--release", "--no-run"]);
    cargo.args(["--message-format=json", "-p", package, "--test", name]);
    cargo.args(more);
    println!("$ cargo test --release --no-run -p {package} --test {name}");
    let output = cargo
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("the test {name} of {package} was not built"));
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let built = messages
        .lines()
        .filter(|line| line.contains(&format!("\"name\":\"{name}\"")))
        .find_map(executable)
        .ok_or_else(|| format!("cargo names no program for the test {name} of {package}"))?;
    let to = folder.join("tests").join(format!("{package}-{name}"));
    dist::copy_stripped(Kit::Here, &built, &to)
}

/// The program of a message of Cargo, if it is about one.
fn executable(message: &str) -> Option<PathBuf> {
    let (_, rest) = message.split_once("\"executable\":\"")?;
    rest.split('"').next().map(PathBuf::from)
}

/// Compiles a C or C++ program against the headers and a library into a folder.
fn c_program(
    root: &Path,
    source: &Source,
    place: &Path,
    file: &str,
    library: &str,
) -> Result<(), String> {
    let path = root.join(file);
    let plus = path.extension().is_some_and(|kind| kind != "c");
    let mut compiler = if plus {
        tools::cxx().ok_or("no C++ compiler: apt-get install g++")?
    } else {
        tools::cc()?
    };
    fs::create_dir_all(place).map_err(|error| format!("{}: {error}", place.display()))?;
    compiler.args(["-O2", "-s", "-pthread", "-Wno-deprecated-declarations"]);
    for headers in C_HEADERS {
        compiler.arg("-I").arg(root.join(headers));
    }
    compiler.arg(&path).arg("-o");
    compiler.arg(place.join(path.file_stem().unwrap_or_default()));
    compiler.arg("-L").arg(&source.built);
    compiler.args([library, "-ldl", "-lm"]);
    tools::run(&mut compiler)
}

/// Copies a file or a folder to the same place below another.
fn copy(root: &Path, name: &str, folder: &Path) -> Result<(), String> {
    let from = root.join(name);
    if from.is_file() {
        return dist::copy(&from, &folder.join(name));
    }
    dist::copy_tree(&from, &folder.join(name), &|path| {
        path.extension().is_none_or(|kind| kind != "pyc")
    })
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let listed = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

/// The step of `cargo xtask test`: the tables of the benchmark; where there is PyTorch, its workloads, tiny and on the CPU, as `run.sh
/// table` runs them with the wheel of the debug build; and the tests of PyTorch, all of them if it is built for CUDA: they then
/// run on a stand-in.
pub(crate) fn without_gpu(root: &Path) -> Result<Outcome, String> {
    let torch = python_with_torch();
    let candidates = [
        torch.clone(),
        Some(engine::python(root)),
        tools::find("python3"),
    ];
    let mut tables = None;
    for python in candidates.into_iter().flatten() {
        if imports(&python, "pytest") {
            tools::run(pytest(root, &python).arg("tests/torch_cuda/test_report.py"))?;
            tables = Some(python);
            break;
        }
    }
    let Some(python) = torch else {
        return Ok(Outcome::Skipped(format!(
            "no python3 with PyTorch, so {} ran; set MILLPOND_TORCH_PYTHON to one, such as .venv/bin/python after pip install torch",
            if tables.is_some() {
                "only the tests of the tables"
            } else {
                "nothing"
            }
        )));
    };
    let folder = tools::target(root).join("gpu-tiny");
    dist::remove(&folder)?;
    for file in FILES {
        copy(root, file, &folder)?;
    }
    let wheel = python::built(root)?;
    dist::copy(&wheel, &folder.join(wheel.file_name().unwrap_or_default()))?;
    let script = script(&folder)?;
    let mut bench = Command::new(script);
    bench.env_remove("LD_LIBRARY_PATH").env("PYTHON", &python);
    bench.args(["table", "--tiny", "--device", "cpu", "--rounds", "1"]);
    tools::run(&mut bench)?;
    if !imports(&python, "pytest") {
        return Ok(Outcome::Skipped(format!(
            "{} has PyTorch but no pytest, so only the workloads ran",
            python.display()
        )));
    }
    let for_cuda = succeeds(
        &python,
        "import sys, torch; sys.exit(torch.version.cuda is None)",
    );
    let unpacked = folder.join("unpacked");
    let mut tests = pytest(root, &python);
    tests
        .env("PYTHONPATH", &unpacked)
        .env_remove("MILLPOND_PLUGIN");
    tests.arg(if for_cuda {
        "tests/torch_cuda"
    } else {
        "tests/torch_cuda/test_check.py"
    });
    tools::run(&mut tests)?;
    Ok(Outcome::Passed)
}

fn pytest(root: &Path, python: &Path) -> Command {
    let mut tests = Command::new(python);
    // Cargo names the folder of the debug build to the loader, and the libraries of the wheel are meant.
    tests.current_dir(root).env_remove("LD_LIBRARY_PATH");
    tests.env("PYTHONDONTWRITEBYTECODE", "1");
    tests.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]);
    tests
}

/// `MILLPOND_TORCH_PYTHON`, or the python3 in `PATH`, if it can import torch.
fn python_with_torch() -> Option<PathBuf> {
    let named = std::env::var_os("MILLPOND_TORCH_PYTHON").map(PathBuf::from);
    let python = named.or_else(|| tools::find("python3"))?;
    imports(&python, "torch").then_some(python)
}

fn imports(python: &Path, module: &str) -> bool {
    succeeds(python, &format!("import {module}"))
}

fn succeeds(python: &Path, program: &str) -> bool {
    Command::new(python)
        .args(["-c", program])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_the_program() {
        let built =
            r#"{"reason":"compiler-artifact","executable":"/t/release/deps/gpu-1","fresh":true}"#;
        assert_eq!(
            executable(built),
            Some(PathBuf::from("/t/release/deps/gpu-1"))
        );
        assert_eq!(executable(r#"{"executable":null}"#), None);
    }
}
