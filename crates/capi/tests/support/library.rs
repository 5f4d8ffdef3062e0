//! Where the library that was built beside a test lies, and how a C program is built with it.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where `libascendcl.so` lies: `target/<profile>`, or its `deps`, whichever has the newer one.
pub(crate) fn library_dir() -> PathBuf {
    if let Some(given) = env::var_os("MILLPOND_TEST_LIB_DIR") {
        return fs::canonicalize(given).unwrap();
    }
    let this = env::current_exe().unwrap();
    let deps = this.parent().unwrap();
    let written = |folder: &Path| {
        fs::metadata(folder.join("libascendcl.so"))
            .and_then(|data| data.modified())
            .ok()
    };
    let profile = deps.parent().unwrap();
    let newest = if written(profile) >= written(deps) {
        profile
    } else {
        deps
    };
    assert!(
        written(newest).is_some(),
        "there is no libascendcl.so in {} or its deps: build millpond-capi first",
        profile.display()
    );
    newest.to_path_buf()
}

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Builds one C file with the headers and the library; `Err` is what the compiler says.
pub(crate) fn build(source: &Path, program: &Path) -> Result<(), String> {
    let libraries = library_dir();
    let mut rpath = OsString::from("-Wl,--disable-new-dtags,-rpath,");
    rpath.push(&libraries);
    let output = Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()))
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-g"])
        .arg("-I")
        .arg(repository().join("include"))
        .arg(source)
        .arg("-o")
        .arg(program)
        .arg("-L")
        .arg(&libraries)
        .arg("-lascendcl")
        .arg(rpath)
        .args(["-lpthread", "-ldl", "-lm"])
        .output()
        .map_err(|error| format!("the C compiler cannot be started: {error}"))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}
