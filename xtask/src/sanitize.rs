//! The same tests under other eyes: valgrind, `AddressSanitizer` and loom.
//!
//! The C programs of `crates/capi/tests/c` are built and run by the test `c_programs` of that crate.
//! Three variables change how:
//!
//! | variable | means |
//! | --- | --- |
//! | `MILLPOND_TEST_WRAPPER` | a command put before each program |
//! | `MILLPOND_TEST_CFLAGS` | more options for the C compiler |
//! | `MILLPOND_TEST_LIB_DIR` | the folder of the `libascendcl.so` to use |

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tools::{self, Outcome};

/// The C programs that run under valgrind, by the name of their test. All programs run under `AddressSanitizer`, under every
/// schedule; it finds what valgrind finds, but for values that were never written. So valgrind, which is some thirty times
/// slower, gets the programs where such values could pass between program and library: through structures, descriptions and
/// records, through copied memory, and through work, callbacks and events of other threads. Left out are programs about
/// refusals and the life of the process, and those that repeat much work, measure or reserve much memory, must fault, start
/// themselves again, or load the engine, about which valgrind has complaints of its own.
const VALGRIND_PROGRAMS: &[&str] = &[
    "virtual_memory",
    "events",
    "callbacks",
    "copies",
    "streams",
    "copies_async",
    "event_edges",
    "host_functions",
    "bad_handles",
    "malloc_host",
    "mem_pool",
    "state_callbacks",
    "free_while_queued",
    "record_use",
    "virtual_memory_queued",
    "virtual_memory_sharing",
    "allocator",
    "context",
    "errors",
    "malloc_table",
    "malloc_cfg",
    "statistics",
    "data_buffer",
    "tensor_desc",
    "op_attr",
    "dataset",
    "mdl_desc",
    "mstx_records",
    "mstx_garbage",
    "mstx_dialects",
    "mstx_chain",
];

/// Only definite leaks count: what a library keeps until the process ends is still reachable.
/// Fair scheduling, because otherwise one thread that polls can keep the others from running. Inlined functions are not named:
/// reading them takes a fifth of the time of a program. Run a program that fails again without the last option.
const VALGRIND: &str = "valgrind -q --error-exitcode=99 --leak-check=full \
     --errors-for-leak-kinds=definite --show-leak-kinds=definite --fair-sched=yes --num-callers=30 \
     --read-inline-info=no";

/// How many bytes of addresses a program may reserve under valgrind, which keeps books on all of them: a terabyte for pinned
/// memory costs it seconds and a gigabyte. The library makes do with less.
const VALGRIND_ADDRESSES: u64 = 32 << 30;

/// Where `AddressSanitizer` was tried. It exists on other machines, but nobody has looked.
const ADDRESS_TARGET: &str = "x86_64-unknown-linux-gnu";

/// A program that reads device memory must die of the signal, as it does without the sanitizer, and
/// an allocation that is too large must return NULL.
const ADDRESS_OPTIONS: &str = "handle_segv=0:handle_sigbus=0:allocator_may_return_null=1";

/// Packages that the other tests have optimised. The C programs compute little, and optimising code with the sanitizer in it takes
/// longer than they save.
const UNOPTIMISED: &[&str] = &["millpond-kernels", "matrixmultiply"];

pub(crate) fn valgrind(root: &Path) -> Result<Outcome, String> {
    if tools::find("valgrind").is_none() {
        return Ok(tools::not_installed("valgrind", "valgrind"));
    }
    // A name that matches no test would make the test runner succeed without running anything.
    let list = tools::output(tools::c_programs(root).args(["--", "--list"]))?;
    let unknown = VALGRIND_PROGRAMS
        .iter()
        .find(|name| !list.lines().any(|line| line == format!("{name}: test")));
    if let Some(name) = unknown {
        return Err(format!("unknown C program {name} in the list for valgrind"));
    }
    let wrapper = if tools::find("prlimit").is_some() {
        format!("prlimit --as={VALGRIND_ADDRESSES} {VALGRIND}")
    } else {
        VALGRIND.to_owned()
    };
    tools::run(
        tools::c_programs(root)
            .env("MILLPOND_TEST_WRAPPER", wrapper)
            .args(["--", "--exact"])
            .args(VALGRIND_PROGRAMS),
    )?;
    Ok(Outcome::Passed)
}

/// Builds the library with the sanitizer in it, in a target folder of its own.
pub(crate) fn build_address(root: &Path) -> Result<Outcome, String> {
    let folder = address_folder(root);
    if let Some(reason) = address_unavailable(root, &folder)? {
        return Ok(Outcome::Skipped(reason));
    }
    tools::run(
        tools::cargo(root)
            .args([
                "build",
                "--locked",
                "-p",
                "millpond-capi",
                "--target",
                ADDRESS_TARGET,
            ])
            .args(UNOPTIMISED.iter().flat_map(|package| {
                let setting = format!("profile.dev.package.{package}.opt-level=0");
                ["--config".to_owned(), setting]
            }))
            .env("CARGO_TARGET_DIR", &folder)
            // The option is unstable, the sanitizer is not: the stable toolchain ships its runtime.
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUSTFLAGS", "-Zsanitizer=address"),
    )?;
    Ok(Outcome::Passed)
}

fn address_folder(root: &Path) -> PathBuf {
    tools::target(root).join("asan")
}

/// The C programs on that library.
pub(crate) fn address(root: &Path) -> Result<Outcome, String> {
    let mut options = ADDRESS_OPTIONS.to_owned();
    if let Ok(more) = env::var("ASAN_OPTIONS") {
        options = format!("{options}:{more}");
    }
    tools::run(
        tools::c_programs(root)
            .env("ASAN_OPTIONS", options)
            .env(
                "MILLPOND_TEST_CFLAGS",
                // The sanitizer looks for the function that throws when a program starts. The engine brings it later, and its
                // first exception would end a program that was not linked with it.
                "-fsanitize=address -fno-omit-frame-pointer -g -Wl,--no-as-needed,-l:libstdc++.so.6",
            )
            .env(
                "MILLPOND_TEST_LIB_DIR",
                address_folder(root).join(ADDRESS_TARGET).join("debug"),
            ),
    )?;
    Ok(Outcome::Passed)
}

/// Why `AddressSanitizer` cannot be used here, if so: tried on one empty library and one empty program.
fn address_unavailable(root: &Path, folder: &Path) -> Result<Option<String>, String> {
    let version = tools::output(Command::new(rustc()).arg("-vV").current_dir(root))?;
    if !version
        .lines()
        .any(|line| line == format!("host: {ADDRESS_TARGET}"))
    {
        return Ok(Some(format!(
            "AddressSanitizer is set up for {ADDRESS_TARGET} only"
        )));
    }

    let probe = folder.join("probe");
    fs::create_dir_all(&probe).map_err(|error| format!("{}: {error}", probe.display()))?;
    let write = |name: &str, text: &str| {
        let path = probe.join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok::<_, String>(path)
    };
    let library = write("probe.rs", "")?;
    let program = write("probe.c", "int main(void) { return 0; }\n")?;

    let rust = tools::output(
        Command::new(rustc())
            .env("RUSTC_BOOTSTRAP", "1")
            .args(["-Zsanitizer=address", "--crate-type=cdylib", "--out-dir"])
            .args([&probe, &library]),
    );
    if rust.is_err() {
        return Ok(Some(
            "this Rust toolchain has no AddressSanitizer".to_owned(),
        ));
    }
    let c = tools::output(
        tools::cc()?
            .args(["-fsanitize=address", "-o"])
            .args([&probe.join("probe"), &program]),
    );
    if c.is_err() {
        return Ok(Some(
            "the C compiler has no AddressSanitizer (apt-get install libgcc-12-dev, or the \
             libgcc-N-dev of your gcc)"
                .to_owned(),
        ));
    }
    Ok(None)
}

fn rustc() -> std::ffi::OsString {
    env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())
}

/// Crates with a test `loom`: models whose interleavings loom explores. They depend on little, because all of it is built with
/// `--cfg loom` for this step alone.
const LOOM_PACKAGES: &[&str] = &["millpond-pool", "millpond-slot"];

/// All models of loom, in a target folder of their own.
pub(crate) fn loom(root: &Path) -> Result<Outcome, String> {
    let mut command = tools::cargo(root);
    command
        .args(["test", "--profile", "loom", "--locked", "--no-fail-fast"])
        .env("CARGO_TARGET_DIR", tools::target(root).join("loom"))
        .env("RUSTFLAGS", "--cfg loom");
    for package in LOOM_PACKAGES {
        command.args(["-p", package]);
    }
    command.args(["--test", "loom"]);
    tools::run(&mut command).map(|()| Outcome::Passed)
}
