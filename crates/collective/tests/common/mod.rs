//! The companion that connects machines, for tests.

use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// Builds the companion beside this test program's folder, where the library looks for it. `None`, with a message, where Gloo's headers
/// or the compiler are missing; `MILLPOND_REQUIRE=gloo` makes that a failure.
pub(crate) fn companion() -> Option<PathBuf> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT.get_or_init(build).clone()
}

/// Says that a test was skipped, past the harness, which hides what passing tests print.
pub(crate) fn skipped(why: &str) {
    let line = format!("SKIPPED: {why}\n");
    drop(std::io::stderr().write_all(line.as_bytes()));
}

fn build() -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let sources = root.join("companions/gloo");
    let program = std::env::current_exe().expect("this program has a path");
    let folder = program.parent().and_then(|deps| deps.parent());
    let folder = folder.expect("test programs are in target/PROFILE/deps");
    let made = folder.join("libmillpond_gloo.so");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    // Test programs run side by side: each builds under a name of its own.
    let own = folder.join(format!("libmillpond_gloo.{}.so", std::process::id()));
    let built = Command::new(&compiler)
        .args(["-std=c++17", "-O1", "-fPIC", "-shared", "-Wall", "-Wextra"])
        .arg(sources.join("millpond_gloo.cpp"))
        .arg(format!(
            "-Wl,--version-script={}",
            sources.join("millpond_gloo.map").display()
        ))
        .args(["-lgloo", "-o"])
        .arg(&own)
        .output();
    match built {
        Ok(output) if output.status.success() => {
            std::fs::rename(&own, &made).expect("the companion can be renamed");
            Some(made)
        }
        other => {
            let why = match other {
                Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
                Err(error) => format!("{compiler}: {error}"),
            };
            let is_missing = why.contains("gloo/transport") || why.contains("os error 2");
            assert!(is_missing, "the companion does not compile: {why}");
            let required = std::env::var("MILLPOND_REQUIRE").unwrap_or_default();
            assert!(
                !required.split(',').any(|it| it == "gloo"),
                "libgloo-dev or the C++ compiler is missing"
            );
            skipped("libgloo-dev or the C++ compiler is missing (apt-get install libgloo-dev g++)");
            None
        }
    }
}
