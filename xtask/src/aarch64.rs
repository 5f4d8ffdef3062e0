//! `cargo xtask aarch64`: builds for the processors of most machines with NPUs, and runs C tests and tests of crates emulated.
//!
//! `cargo xtask aarch64 shipped [FOLDER]` builds nothing: it does the same with the wheel and the archive of a release
//! (`shipped.rs`).
//!
//! Rust's library for them comes from rustup or from Debian's packages, the C library and the compilers from Debian's cross
//! packages, the emulator is qemu's user mode. Nothing is installed here: what is missing is said in one line. Everything goes to
//! `target/aarch64`.
//!
//! An emulated program must find one C library and one loader. A machine may have two of them, Debian's cross packages and its
//! arm64 packages, and a loader of one with a library of the other hangs. So the folder of the cross packages is in the search path,
//! and programs that the kernel starts on the emulator find their loader there, too.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::kit::{Kit, Processor};
use crate::rust::{Rust, apt_line};
use crate::tools::{self, Outcome};

pub(crate) const PROCESSOR: Processor = Processor::Aarch64;
pub(crate) const EMULATOR: &str = "qemu-aarch64";
/// Where Debian's cross packages have the C library.
const CROSS: &str = "/usr/aarch64-linux-gnu";

/// Tests whose subject qemu's user mode does not emulate: they watch signals, memory protection or the process's own maps, expect that
/// the process has no thread of somebody else (the emulator has one), fork while threads run, or ask for more memory than the emulator
/// has addresses for.
const NOT_EMULATED: &[&str] = &[
    "attributes",
    "check_stall",
    "fork_",
    "special_files",
    "stacks",
    "virtual_capacity",
];

/// Tests that compute with ONNX Runtime, whose library crashes in qemu 7.2.
const NEEDS_ENGINE: &[&str] = &[
    "blas",
    "check_model",
    "check_workspace",
    "classify",
    "graph_kinds",
    "graph_rules",
    "mdl_bad_files",
    "mdl_compile",
    "mdl_dynamic",
    "mdl_gears",
    "mdl_output_unknown",
    "mdl_static",
    "mdl_threads",
    "op_allocator",
    "op_checks",
    "op_execute",
    "op_npu_folder",
    "op_shapes",
    "op_values",
    "overflow",
    "wrong_input",
];

/// Tests that start their own program again, which the kernel can do only if it knows the emulator.
const STARTS_ITSELF: &[&str] = &[
    "check_end",
    "check_guards",
    "check_mode",
    "check_sleep",
    "check_source",
    "check_workspace",
    "config_file",
    "ipc_",
    "notify_killed",
    "special_files",
    "testing_environment",
    "virtual_capacity",
];
const KNOWN_TO_KERNEL: &str = "/proc/sys/fs/binfmt_misc/qemu-aarch64";

/// Crates that only compute: their tests need nothing of the machine but its processor.
const PURE: &[&str] = &[
    "check",
    "kernels",
    "media",
    "model",
    "operators",
    "pool",
    "recording",
    "replay",
    "trace",
];

/// Everything compiles, tests included.
pub(crate) fn compiles(root: &Path) -> Result<Outcome, String> {
    let rust = match found(root) {
        Ok(rust) => rust,
        Err(reason) => return Ok(Outcome::Skipped(reason)),
    };
    let mut cargo = cargo(root, &rust);
    cargo.args(["check", "--workspace", "--all-targets"]);
    tools::run(&mut cargo).map(|()| Outcome::Passed)
}

/// Builds, then runs examples and the C tests on the emulator.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let rust = found(root)?;
    can_emulate()?;
    let mut build = cargo(root, &rust);
    build.arg("build");
    for package in tools::SHIPPED {
        build.args(["-p", &format!("millpond-{package}")]);
    }
    tools::run(&mut build)?;
    let lib = folder(root).join(PROCESSOR.triple()).join("debug");
    unit_tests(root, &rust, &lib)?;
    examples(root, &lib, &root.join("include"))?;
    c_programs(root, &lib)
}

/// The unit tests of what only computes: numbers, orders and formats are the same on both processors.
fn unit_tests(root: &Path, rust: &Rust, lib: &Path) -> Result<(), String> {
    let mut cargo = cargo(root, rust);
    let runner = "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER";
    cargo
        .env(runner, emulator(lib).join(" "))
        .args(["test", "--lib"]);
    for package in PURE {
        cargo.args(["-p", &format!("millpond-{package}")]);
    }
    // One test kills a child that it has forked, which the emulator does not survive.
    tools::run(cargo.args(["--", "--skip", "file::tests::kill"]))
}

/// Whether there are an emulator and compilers for what it runs. `Err` is the line that installs them.
pub(crate) fn can_emulate() -> Result<(), String> {
    let kit = Kit::Named(PROCESSOR);
    if tools::find(EMULATOR).is_none() || kit.cc().is_err() || kit.cxx().is_none() {
        return Err(format!(
            "{EMULATOR}, or a compiler for it, is not installed\nhint: {}",
            apt_line(PROCESSOR)
        ));
    }
    Ok(())
}

/// The C tests with a library, but for those that need ONNX Runtime.
pub(crate) fn c_programs(root: &Path, lib: &Path) -> Result<(), String> {
    let mut tests = tools::cargo(root);
    tests
        .env(
            "MILLPOND_TEST_CC",
            format!("{}-linux-gnu-gcc", PROCESSOR.name()),
        )
        .env(
            "MILLPOND_TEST_CXX",
            format!("{}-linux-gnu-g++", PROCESSOR.name()),
        )
        .env("MILLPOND_TEST_LIB_DIR", lib)
        .env("MILLPOND_TEST_WRAPPER", emulator(lib).join(" "))
        .env("MILLPOND_ONNXRUNTIME", "/there/is/none")
        .args(["test", "--locked", "-p", "millpond-capi"])
        .args(["--test", "c_programs", "--"]);
    let mut skipped = [NOT_EMULATED, NEEDS_ENGINE].concat();
    if !Path::new(KNOWN_TO_KERNEL).exists() {
        println!(
            "{KNOWN_TO_KERNEL} is not there, so programs that start themselves are skipped\nhint: apt-get install qemu-user-binfmt; \
             where systemd does not run: mount -t binfmt_misc none /proc/sys/fs/binfmt_misc && \
             cat /usr/lib/binfmt.d/qemu-aarch64.conf > /proc/sys/fs/binfmt_misc/register"
        );
        skipped.extend(STARTS_ITSELF);
    }
    for test in &skipped {
        tests.args(["--skip", test]);
    }
    tools::run(&mut tests)?;
    println!(
        "not emulated: tests with these names, for reasons in xtask/src/aarch64.rs: {}",
        skipped.join(", ")
    );
    Ok(())
}

/// The first program, and one with two mistakes that the checker must find, with the lines of the source.
pub(crate) fn examples(root: &Path, lib: &Path, include: &Path) -> Result<(), String> {
    for (example, checked, expected) in [
        ("first", false, "adds up to 24512"),
        ("two_mistakes", true, "two_mistakes.c:43"),
    ] {
        let program = folder(root).join(example);
        let mut cc = Kit::Named(PROCESSOR).cc()?;
        cc.arg("-g")
            .arg(root.join("examples/c").join(format!("{example}.c")))
            .arg("-I")
            .arg(include)
            .arg("-L")
            .arg(lib)
            .args(["-lascendcl", "-o"])
            .arg(&program);
        tools::quietly(&mut cc)?;
        let words = emulator(lib);
        let mut emulated = Command::new(&words[0]);
        emulated.args(&words[1..]);
        if checked {
            emulated.args(["-E", "MILLPOND_CHECK=1"]);
        }
        let output = emulated
            .arg(&program)
            .output()
            .map_err(|error| format!("{EMULATOR}: {error}"))?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        if !output.status.success() || !said.contains(expected) {
            return Err(format!(
                "{example}, emulated: {}; expected \"{expected}\" in:\n{said}",
                output.status
            ));
        }
        println!("{example}, emulated: as expected");
    }
    Ok(())
}

/// The emulator and its options. Addresses are reserved page by page in emulation, so little is.
pub(crate) fn emulator(lib: &Path) -> Vec<String> {
    let search = format!("LD_LIBRARY_PATH={}:{CROSS}/lib", lib.display());
    // What -L is for this program, and for those that it starts.
    let prefix = format!("QEMU_LD_PREFIX={CROSS}");
    let words = [
        EMULATOR,
        "-L",
        CROSS,
        "-E",
        &prefix,
        "-E",
        &search,
        "-E",
        "MILLPOND_PINNED_RANGE=4G",
    ];
    words.map(str::to_owned).to_vec()
}

/// The compiler, if all that is needed to build is here. `Err` is the line that installs it.
fn found(root: &Path) -> Result<Rust, String> {
    let rust = Rust::find(root, PROCESSOR)?;
    Kit::Named(PROCESSOR)
        .cc()
        .map_err(|error| format!("{error}; or everything: {}", apt_line(PROCESSOR)))?;
    Ok(rust)
}

fn cargo(root: &Path, rust: &Rust) -> Command {
    let mut cargo = tools::cargo(root);
    rust.choose(&mut cargo);
    cargo
        .env("CARGO_TARGET_DIR", folder(root))
        .env(
            "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER",
            format!("{}-linux-gnu-gcc", PROCESSOR.name()),
        )
        .env("CARGO_BUILD_TARGET", PROCESSOR.triple());
    cargo
}

pub(crate) fn folder(root: &Path) -> PathBuf {
    tools::target(root).join("aarch64")
}
