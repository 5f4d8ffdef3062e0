//! Runs the C programs of `tests/c` and the example of `docs/plugin.md`: each is compiled against `include/`,
//! linked with the `libmillpond_plugin.so` that was built beside this test and with `libascendcl.so`, and
//! run in a process of its own.
//!
//! | variable | effect |
//! | --- | --- |
//! | `CC` | the compiler (`cc`) |
//! | `MILLPOND_TEST_CFLAGS` | more compiler flags |
//! | `MILLPOND_TEST_WRAPPER` | a command that runs the program, for example `valgrind -q` |
//! | `MILLPOND_TEST_LIB_DIR` | the folder that holds `libascendcl.so` |
//! | `MILLPOND_REQUIRE` | with `c` in it, a missing compiler or library is a failure |
//!
//! The plug-in serves other people's runtimes, so it does not depend on ours: `libascendcl.so` has to be built before,
//! as `cargo test --workspace` does.

#![expect(
    clippy::unwrap_used,
    reason = "a test harness stops at the first surprise"
)]

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use millpond_recording::Kind;

/// The scheduling policies under which a program runs, one process each.
type Policies = &'static [&'static str];
const DEFAULT: Policies = &[""];
const ALL: Policies = &["eager", "latest", "seed=1", "seed=7"];

/// What a program is linked with.
#[derive(Clone, Copy, PartialEq)]
enum Link {
    /// Both libraries.
    Both,
    /// Only the plug-in, and there is no other library to be found.
    Alone,
    /// Nothing: the program opens the libraries itself.
    Nothing,
}

macro_rules! programs {
    ($($test:ident, $policies:ident, $link:ident, [$($key:literal = $value:literal),*];)*) => {
        const PROGRAMS: &[&str] = &[$(stringify!($test)),*];
        $(
            #[test]
            fn $test() {
                let source = folder().join(concat!("tests/c/", stringify!($test), ".c"));
                let text = fs::read_to_string(source).unwrap();
                check(stringify!($test), &text, $policies, Link::$link, &[$(($key, $value)),*]);
            }
        )*
    };
}

programs! {
    layout, DEFAULT, Both, [];
    callbacks, ALL, Both, [];
    two_streams, ALL, Both, ["MILLPOND_CAPACITY" = "256M"];
    waiting, ALL, Both, ["MILLPOND_CAPACITY" = "256M"];
    out_of_memory, DEFAULT, Both, ["MILLPOND_CAPACITY" = "64M"];
    misuse, DEFAULT, Both, ["MILLPOND_DEVICES" = "2"];
    npu_form, ALL, Both, [];
    threads, ALL, Both, [];
    without_runtime, DEFAULT, Alone, [];
    opened, DEFAULT, Nothing, [];
    recorded, DEFAULT, Both, [];
}

#[test]
fn every_program_has_a_case() {
    let present: BTreeSet<String> = fs::read_dir(folder().join("tests/c"))
        .unwrap()
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            name.strip_suffix(".c").map(ToOwned::to_owned)
        })
        .collect();
    let listed: BTreeSet<String> = PROGRAMS.iter().map(ToString::to_string).collect();
    assert_eq!(listed, present);
}

/// The runtime here is ours, which writes the file itself, so the pool's is beside it: with every block, and every piece of memory.
#[test]
fn what_the_pool_does_is_recorded() {
    let records = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plugin_records");
    if records.exists() {
        fs::remove_dir_all(&records).unwrap();
    }
    fs::create_dir_all(&records).unwrap();
    let text = fs::read_to_string(folder().join("tests/c/recorded.c")).unwrap();
    let file = records.join("run-%p.mpt");
    let record = [
        ("MILLPOND_RECORD", file.to_str().unwrap()),
        ("MILLPOND_RECORD_SCOPE", "memory"),
    ];
    check("recorded_in_a_file", &text, DEFAULT, Link::Both, &record);
    let names = fs::read_dir(&records)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let (pools, runtimes): (Vec<PathBuf>, Vec<PathBuf>) =
        names.partition(|path| path.to_string_lossy().ends_with(".plugin.mpt"));
    if runtimes.is_empty() && pools.is_empty() {
        return; // Skipped, as `check` said.
    }
    // With virtual memory, and without.
    assert_eq!(
        (pools.len(), runtimes.len()),
        (2, 2),
        "{pools:?} {runtimes:?}"
    );
    for path in pools {
        let mut source = millpond_recording::open(&path).unwrap();
        let events = millpond_recording::read_all(&mut *source).unwrap();
        let of = |kind: Kind| -> Vec<u64> {
            let found = events.iter().filter(|event| event.kind == kind);
            found.map(|event| event.bytes).collect()
        };
        assert_eq!(of(Kind::Alloc), [1 << 20, 3 << 20, 100]);
        assert_eq!(of(Kind::FreeRequested), [3 << 20, 1 << 20, 100]);
        // Another stream freed the second one, so it ends when its memory goes back to the device.
        assert_eq!(of(Kind::FreeCompleted), [3 << 20, 100, 1 << 20]);
        assert_eq!(of(Kind::OutOfMemory), [1 << 40]);
        let reserved = |begin, end| of(begin).iter().sum::<u64>().abs_diff(of(end).iter().sum());
        let left = reserved(Kind::SegmentAlloc, Kind::SegmentFree)
            + reserved(Kind::SegmentMap, Kind::SegmentUnmap);
        assert_eq!(left, 0, "all memory went back to the device");
        assert!(!of(Kind::SegmentAlloc).is_empty() || !of(Kind::SegmentMap).is_empty());
        let streams: BTreeSet<u32> = events
            .iter()
            .filter(|event| event.kind == Kind::Alloc)
            .map(|event| event.stream)
            .collect();
        assert_eq!(streams.len(), 2);
        let notes = source.notes();
        assert_eq!((notes.unmatched, notes.implied, notes.lost), (0, 0, 0));
    }
}

#[test]
fn the_example_of_the_documentation_runs() {
    let page = fs::read_to_string(folder().join("../../docs/plugin.md")).unwrap();
    let example = page
        .split("```c\n")
        .map(|part| part.split("```").next().unwrap_or_default())
        .find(|part| part.contains("int main("))
        .unwrap();
    check("example", example, ALL, Link::Both, &[]);
}

/// The library exports what its headers declare, and nothing else.
#[test]
fn the_library_exports_what_is_declared() {
    let read = |header| {
        let header = folder().join("../../include/millpond").join(header);
        fs::read_to_string(header).unwrap()
    };
    let headers = read("plugin.h") + &read("cuda.h");
    let returned = ["int ", "const char *", "void *", "void ", "uint64_t "];
    let declared: BTreeSet<&str> = headers
        .lines()
        .filter(|line| returned.iter().any(|start| line.starts_with(start)))
        .filter_map(|line| line.split_once('('))
        .filter_map(|(head, _)| head.rsplit([' ', '*']).next())
        .collect();
    let Ok(listing) = Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(plugin())
        .output()
    else {
        return skipped("there is no nm");
    };
    let listing = String::from_utf8(listing.stdout).unwrap();
    let exported: BTreeSet<&str> = listing
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .collect();
    assert!(declared.len() > 40, "{declared:?}");
    assert_eq!(exported, declared);
}

/// Compiles a program and runs it once per policy.
fn check(name: &str, text: &str, policies: Policies, link: Link, env: &[(&str, &str)]) {
    let Some(runtime) = runtime() else {
        return skipped("there is no libascendcl.so: build millpond-capi first");
    };
    let Some(program) = compile(name, text, link, &runtime) else {
        return skipped("there is no C compiler");
    };
    // Under valgrind the first policy has to do: it is some thirty times slower.
    let wrapped = !words("MILLPOND_TEST_WRAPPER").is_empty();
    let policies = if wrapped { &policies[..1] } else { policies };
    let runs = policies
        .iter()
        .flat_map(|policy| [(policy, false), (policy, true)]);
    for (policy, without_virtual) in runs {
        let mut words = words("MILLPOND_TEST_WRAPPER");
        words.push(program.clone().into());
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        // What the machine sets for its own purposes must not change what a program sees.
        for (key, _) in env::vars_os() {
            let name = key.to_string_lossy();
            if ["MILLPOND_", "ASCEND_", "LD_LIBRARY_PATH"]
                .iter()
                .any(|start| name.starts_with(start))
            {
                command.env_remove(&key);
            }
        }
        command.envs(env.iter().copied());
        if !policy.is_empty() {
            command.env("MILLPOND_SCHEDULE", policy);
        }
        if wrapped {
            command.env("MILLPOND_TEST_RELAXED", "1");
        }
        if without_virtual {
            command.env("WITHOUT_VIRTUAL", "1");
        }
        // A program that hangs is ended, so that the others are seen.
        let output = timed(&mut command, if wrapped { "1200" } else { "120" });
        let said = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        for line in said.lines().filter(|line| line.starts_with("skip:")) {
            say(&format!("{name}: {line}"));
        }
        assert!(
            output.status.success(),
            "{name} [{policy}, without virtual memory: {without_virtual}]: {}\n{said}",
            output.status
        );
    }
}

fn timed(command: &mut Command, seconds: &str) -> std::process::Output {
    let mut limited = Command::new("timeout");
    limited
        .args(["--signal=KILL", seconds])
        .arg(command.get_program());
    limited.args(command.get_args());
    for (key, value) in command.get_envs() {
        match value {
            Some(value) => limited.env(key, value),
            None => limited.env_remove(key),
        };
    }
    match limited.output() {
        Ok(output) => output,
        Err(_) => command.output().unwrap(),
    }
}

fn compile(name: &str, text: &str, link: Link, runtime: &Path) -> Option<PathBuf> {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plugin_programs");
    fs::create_dir_all(&scratch).unwrap();
    let source = scratch.join(format!("{name}.c"));
    let program = scratch.join(name);
    fs::write(&source, text).unwrap();
    let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
    let mut command = Command::new(&compiler);
    command
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-g"])
        .arg("-I")
        .arg(folder().join("../../include"))
        .arg("-I")
        .arg(folder().join("tests/c"))
        // The assertions are those of the runtime's own programs.
        .arg("-I")
        .arg(folder().join("../capi/tests/c"))
        .args(words("MILLPOND_TEST_CFLAGS"))
        .arg(&source)
        .arg("-o")
        .arg(&program);
    let mut plugin = plugin();
    if link == Link::Alone {
        // Away from the runtime that may be beside it.
        let alone = scratch.join("alone");
        fs::create_dir_all(&alone).unwrap();
        fs::copy(&plugin, alone.join("libmillpond_plugin.so")).unwrap();
        plugin = alone.join("libmillpond_plugin.so");
    }
    if link != Link::Nothing {
        command.arg(&plugin);
    }
    if link == Link::Both {
        command.arg(runtime.join("libascendcl.so"));
    }
    let mut folders = vec![plugin.parent().unwrap().to_path_buf()];
    if link != Link::Alone {
        // First, because an older one may be beside the plug-in.
        folders.insert(0, runtime.to_path_buf());
    }
    for folder in folders {
        let mut rpath = OsString::from("-Wl,--disable-new-dtags,-rpath,");
        rpath.push(folder);
        command.arg(rpath);
    }
    command.args(["-lpthread", "-ldl"]);
    match command.output() {
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(
                output.status.success(),
                "{name} does not compile:\n{errors}"
            );
            Some(program)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => panic!("{}: {error}", compiler.display()),
    }
}

/// The newest of the libraries with this name near this test.
fn near(name: &str) -> Option<PathBuf> {
    let this = env::current_exe().unwrap();
    this.ancestors()
        .skip(1)
        .take(2)
        .map(|folder| folder.join(name))
        .filter(|path| path.exists())
        .max_by_key(|path| path.metadata().and_then(|data| data.modified()).ok())
}

fn plugin() -> PathBuf {
    near("libmillpond_plugin.so").unwrap()
}

/// The folder of `libascendcl.so`.
fn runtime() -> Option<PathBuf> {
    if let Some(given) = env::var_os("MILLPOND_TEST_LIB_DIR") {
        return Some(fs::canonicalize(given).unwrap());
    }
    near("libascendcl.so")?.parent().map(Path::to_path_buf)
}

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn words(name: &str) -> Vec<OsString> {
    let text = env::var(name).unwrap_or_default();
    text.split_whitespace().map(OsString::from).collect()
}

fn skipped(reason: &str) {
    let required = env::var("MILLPOND_REQUIRE").is_ok_and(|list| list.split(',').any(|w| w == "c"));
    assert!(!required, "MILLPOND_REQUIRE=c, but {reason}");
    say(&format!("skipped: {reason}"));
}

/// Past the capture of the test runner, so that a skip is seen without `--nocapture`.
fn say(line: &str) {
    let line = format!("{line}\n");
    io::stderr().write_all(line.as_bytes()).unwrap();
}
