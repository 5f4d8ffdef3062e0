//! Runs the C programs of `tests/cuda` over the stand-in for the CUDA driver: each is compiled against `include/` and linked with the
//! `libmillpond_plugin.so` that was built beside this test.
//!
//! `CC` is the compiler (`cc`), `MILLPOND_TEST_CFLAGS` more flags for it, and `MILLPOND_TEST_WRAPPER` a command that runs a program,
//! for example `valgrind -q`.

#![expect(
    clippy::unwrap_used,
    reason = "a test harness stops at the first surprise"
)]

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Variables and their values.
type Settings = &'static [(&'static str, &'static str)];

/// The programs, each with its arguments and what it is told; a program may run several times.
const RUNS: &[(&str, &[&str], Settings)] = &[
    ("layout", &[], &[]),
    ("order", &[], &[]),
    ("order", &[], &[("STANDIN_LATE", "1")]),
    ("thread_streams", &[], LATE),
    (
        "devices",
        &[],
        &[("STANDIN_LATE", "1"), ("STANDIN_DEVICES", "2")],
    ),
    (
        "peers",
        &[],
        &[("STANDIN_LATE", "1"), ("STANDIN_DEVICES", "16")],
    ),
    (
        "peers",
        &[],
        &[("STANDIN_DEVICES", "16"), ("STANDIN_PEERS", "0")],
    ),
    ("lost", &[], LATE),
    ("hostile", &[], &[]),
    ("hostile", &[], LATE),
    ("destroyed", &[], LATE),
    ("listens", &[], &[]),
    ("graphs", &[], &[]),
    ("failing", &[], &[]),
    ("threads", &[], &[]),
    ("misuse", &[], &[]),
    (
        "forms",
        &[],
        &[("MILLPOND_CUDA_OPTIONS", "page=4MiB,slack=20")],
    ),
    (
        "no_driver",
        &[],
        &[("MILLPOND_CUDA_DRIVER", "/nowhere/libcuda.so.1")],
    ),
    (
        "unseen",
        &[],
        &[("MILLPOND_CHECK_CUDA", "/proc/nowhere/%p.mpt")],
    ),
    ("watch", &[], &[]),
    // Late work shows who gets bytes too early.
    ("stress", &["1", "4000", "2097152"], LATE),
    ("stress", &["2", "4000", "8388608"], LATE),
    ("stress", &["3", "4000", "16777216"], LATE),
    ("stress", &["4", "4000", "2097152", "100000000"], LATE),
    ("stress", &["5", "4000", "8388608", "120000000"], LATE),
    (LATENCY, &["--tiny"], &[]),
];

/// The benchmark, which lies elsewhere.
const LATENCY: &str = "latency";

const LATE: Settings = &[("STANDIN_LATE", "1")];

/// What is no program.
const OTHERS: [&str; 2] = ["cudart.c", "driver.h"];

#[test]
fn every_program_has_a_run() {
    let present: BTreeSet<String> = fs::read_dir(folder().join("tests/cuda"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !OTHERS.contains(&name.as_str()))
        .collect();
    let names = RUNS.iter().map(|run| run.0);
    let listed: BTreeSet<String> = names
        .filter(|&name| name != LATENCY)
        .map(|name| format!("{name}.c"))
        .collect();
    assert_eq!(listed, present);
}

#[test]
fn streams_get_what_they_come_after() {
    run("layout");
    run("order");
    run("thread_streams");
    run("devices");
    run("destroyed");
}

#[test]
fn gpus_access_what_they_were_allowed_to() {
    run("peers");
}

#[test]
fn graphs_keep_their_memory() {
    run("graphs");
}

#[test]
fn every_call_of_the_driver_may_fail() {
    run("failing");
    run("lost");
}

#[test]
fn threads_share_a_pool() {
    run("threads");
}

#[test]
fn misuse_has_errors() {
    run("misuse");
    run("hostile");
    run("listens");
    run("no_driver");
    run("unseen");
}

#[test]
fn the_forms_for_pytorch() {
    run("forms");
}

#[test]
fn waits_of_the_runtime_are_seen() {
    run("watch");
}

#[test]
fn no_stream_gets_bytes_that_another_may_still_use() {
    run("stress");
}

#[test]
fn the_benchmark_of_calls_works() {
    run(LATENCY);
}

/// Compiles a program and runs it as listed.
fn run(name: &str) {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plugin_cuda");
    fs::create_dir_all(&scratch).unwrap();
    let program = scratch.join(name);
    let mut libraries = vec![plugin()];
    if name == "watch" {
        let runtime = scratch.join("libcudart.so");
        let source = folder().join("tests/cuda/cudart.c");
        compile(&["-shared".into(), "-fPIC".into()], &source, &runtime, &[]);
        libraries.push(runtime);
    }
    let place = if name == LATENCY {
        "../../bench/gpu/cpp"
    } else {
        "tests/cuda"
    };
    let source = folder().join(format!("{place}/{name}.c"));
    compile(&[], &source, &program, &libraries);
    for (_, arguments, settings) in RUNS.iter().filter(|run| run.0 == name) {
        let mut words = words("MILLPOND_TEST_WRAPPER");
        words.push(program.clone().into());
        let mut command = Command::new("timeout");
        command.args(["--signal=KILL", "600"]).args(words);
        command.args(*arguments);
        for (key, _) in env::vars_os() {
            let text = key.to_string_lossy();
            let is_ours = text.starts_with("MILLPOND_") || text.starts_with("STANDIN_");
            if is_ours || text == "CUDA_VISIBLE_DEVICES" {
                command.env_remove(&key);
            }
        }
        command.env("MILLPOND_CUDA_DRIVER", millpond_cuda::testing::build());
        command.envs(settings.iter().copied());
        let output = command.output().unwrap();
        assert!(
            output.status.success(),
            "{name} {arguments:?} {settings:?}: {}\n{}",
            output.status,
            said(&output)
        );
    }
}

fn compile(flags: &[OsString], source: &Path, to: &Path, libraries: &[PathBuf]) {
    let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
    let mut command = Command::new(compiler);
    command
        .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-g"])
        .args(flags)
        .arg("-I")
        .arg(folder().join("../../include"))
        .arg("-I")
        .arg(folder().join("tests/cuda"))
        .args(words("MILLPOND_TEST_CFLAGS"))
        .arg(source)
        .arg("-o")
        .arg(to)
        .args(libraries);
    for library in libraries {
        let mut path = OsString::from("-Wl,-rpath,");
        path.push(library.parent().unwrap());
        command.arg(path);
    }
    command.args(["-lpthread", "-ldl"]);
    let output = command
        .output()
        .expect("cc, the C compiler, runs: install gcc");
    assert!(output.status.success(), "{}", said(&output));
}

fn said(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

fn plugin() -> PathBuf {
    let this = env::current_exe().unwrap();
    let near = this.ancestors().skip(1).take(2);
    near.map(|folder| folder.join("libmillpond_plugin.so"))
        .filter(|path| path.exists())
        .max_by_key(|path| path.metadata().and_then(|data| data.modified()).ok())
        .unwrap()
}

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn words(name: &str) -> Vec<OsString> {
    let text = env::var(name).unwrap_or_default();
    text.split_whitespace().map(OsString::from).collect()
}
