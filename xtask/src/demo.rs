//! `cargo xtask demo`: from a fresh clone to C programs that have run on the host device.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::tools::{self, Build};
use crate::{dist, engine};

const INTRODUCTION: &str = "
The program below is examples/c/first.c: an ordinary AscendCL program, built with the C compiler of
this machine against target/dist. It needs no NPU and no vendor toolkit.
First its own output, then its records: one line for each operation.
";

const EXPLANATION: &str = "
What happened: the program queued four operations on a stream and went on at once; the stream ran
them in order, on this machine's CPU, in memory that the program itself cannot read. The records
show both: when an operation was queued, and the stream, blocks and byte ranges it used.
";

const MODEL: &str = "
The second program is examples/c/dynamic_model.c: it registers its own allocator on a stream and runs a
model with dynamic shapes there. The memory for intermediate results comes from
that allocator; the program compares the results with its own computation.
";

const MISTAKES: &str = "
The last program is examples/c/two_mistakes.c. It prints the right number, but has two mistakes: its second
stream does not wait for the first, and it frees a block that queued work still uses.
";

pub(crate) fn run(root: &Path) -> Result<(), String> {
    // Without it everything but operators and models works.
    let engine = engine::prepare(root);
    let dist = dist::build_and_lay_out(root, Build::Release)?;

    let demo = tools::target(root).join("demo");
    let program = demo.join("first");
    compile(root, &dist, &program)?;

    println!("{INTRODUCTION}");
    let records = run_recorded(&dist.join("bin/millpond"), &program)?;
    println!("\nand its records:\n{records}");
    println!("{EXPLANATION}");
    match engine {
        Ok(()) => run_model(root, &dist, &demo)?,
        Err(reason) => {
            println!("\nThe second program is skipped, because ONNX Runtime is missing: {reason}");
        }
    }
    check_mistakes(root, &dist, &demo)?;
    println!(
        "\nNext: docs/start.md, or {}/bin/millpond doctor",
        dist.display()
    );
    Ok(())
}

/// Runs the program, its output on ours, and returns what arrived on stderr: the records.
fn run_recorded(millpond: &Path, program: &Path) -> Result<String, String> {
    let mut command = Command::new(millpond);
    command
        .args(["run", "--records", "stderr", "--"])
        .arg(program);
    println!("$ {}", tools::shell_line(&command));
    let output = command
        .stderr(Stdio::piped())
        .spawn()
        .and_then(std::process::Child::wait_with_output)
        .map_err(|error| format!("{}: {error}", millpond.display()))?;
    let records = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        Ok(records)
    } else {
        Err(format!(
            "the program exited with {}\n{records}",
            output.status
        ))
    }
}

/// Compiles the model of the examples and runs it.
fn run_model(root: &Path, dist: &Path, demo: &Path) -> Result<(), String> {
    println!("{MODEL}");
    let (millpond, program) = (dist.join("bin/millpond"), demo.join("dynamic_model"));
    let mut atc = Command::new(&millpond);
    atc.arg("atc")
        .arg("--model")
        .arg(root.join("examples/models/mlp.onnx"))
        .args(["--framework", "5", "--input_shape", "x:1~64,16", "--output"])
        .arg(demo.join("mlp"));
    tools::run(&mut atc)?;
    compile(root, dist, &program)?;
    let mut run = Command::new(&millpond);
    run.args(["run", "--"])
        .arg(&program)
        .arg(demo.join("mlp.om"));
    tools::run(&mut run)
}

/// Checks the program with two mistakes, which must be found.
fn check_mistakes(root: &Path, dist: &Path, demo: &Path) -> Result<(), String> {
    println!("{MISTAKES}");
    let program = demo.join("two_mistakes");
    compile(root, dist, &program)?;
    let mut command = Command::new(dist.join("bin/millpond"));
    // Where the source is found, so that its lines are shown.
    command
        .current_dir(root)
        .args(["check", "--"])
        .arg(&program);
    println!("$ {}", tools::shell_line(&command));
    let status = command
        .status()
        .map_err(|error| format!("millpond check: {error}"))?;
    match status.code() {
        Some(1) => Ok(()),
        _ => Err(format!(
            "millpond check exited with {status} instead of finding the two mistakes"
        )),
    }
}

/// What a user would type, with the folder spelled out.
fn compile(root: &Path, dist: &Path, program: &Path) -> Result<(), String> {
    if let Some(folder) = program.parent() {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let mut source = program.file_name().unwrap_or_default().to_owned();
    source.push(".c");
    let mut include = std::ffi::OsString::from("-I");
    include.push(dist.join("include"));
    let mut lib = std::ffi::OsString::from("-L");
    lib.push(dist.join("lib64"));
    tools::run(
        tools::cc()?
            .args(["-std=c11", "-g", "-Wall", "-Wextra", "-Werror"])
            .arg(root.join("examples/c").join(source))
            .args([include, lib])
            .args(["-lascendcl", "-lm", "-o"])
            .arg(program),
    )
}
