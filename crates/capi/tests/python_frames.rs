//! Lines of a Python script stand in findings although the script's extension does not know of us: here it is `ctypes`,
//! which lets the interpreter's lock go before it calls.
//!
//! `MILLPOND_TEST_PYTHONS` names interpreters, with colons between them; without it the one of the path is taken.

#![expect(
    clippy::unwrap_used,
    reason = "a test harness stops at the first surprise"
)]

#[path = "support/library.rs"]
#[allow(dead_code, reason = "shared with tests that use more of it")]
mod library;

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

const SCRIPT: &str = r"
import ctypes
import sys

acl = getattr(ctypes, sys.argv[1])(sys.argv[2])
size = ctypes.c_size_t

class Größe:
    def leak(self):
        place = ctypes.c_void_p()
        return acl.aclrtMalloc(ctypes.byref(place), size(64), 0)

def generated():
    yield from (Größe().leak() for _ in range(2))

def main():
    acl.aclInit(None)
    acl.aclrtSetDevice(0)
    assert list(generated()) == [0, 0]
    acl.aclrtResetDevice(0)
    acl.aclFinalize()

main()
";

fn pythons() -> Vec<String> {
    let named = std::env::var("MILLPOND_TEST_PYTHONS").unwrap_or_else(|_| "python3".to_owned());
    named.split(':').map(str::to_owned).collect()
}

#[test]
fn a_leak_is_reported_with_the_lines_of_the_script() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python_frames");
    fs::create_dir_all(&folder).unwrap();
    let script = folder.join("leak.py");
    fs::write(&script, SCRIPT).unwrap();
    let ours = library::library_dir().join("libascendcl.so");
    for python in pythons() {
        // With the interpreter's lock, and without.
        for way in ["PyDLL", "CDLL"] {
            let mut command = Command::new(&python);
            command.arg(&script).arg(way).arg(&ours);
            command.env("MILLPOND_CHECK", "1").env("NO_COLOR", "1");
            let Ok(output) = command.output() else {
                // Around the harness, which would keep it from the reader.
                writeln!(
                    std::io::stderr(),
                    "skip: {python} cannot be started, so nothing is tested with it"
                )
                .unwrap();
                continue;
            };
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(
                text.contains("error[memory.leak]"),
                "{python} {way}: {text}"
            );
            let line = |function: &str, number: u32| {
                let place = format!("leak.py:{number}");
                let found = text.lines().any(|line| {
                    line.contains(function) && line.trim_end().ends_with(place.as_str())
                });
                assert!(found, "{python} {way}: {function} {number}: {text}");
            };
            line("leak", 11);
            line("generated", 14);
            line("main", 19);
            line("<module>", 23);
            assert!(text.contains("return acl.aclrtMalloc"), "{text}");
        }
    }
}
