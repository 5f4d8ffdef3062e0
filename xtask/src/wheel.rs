//! The wheel: what `pip install` puts into a Python environment.
//!
//! ```text
//! acl/_acl.abi3.so, *.py, *.pyi             import acl
//! millpond/*.py                             import millpond, python -m millpond, the pytest plug-in
//! millpond/{bin,lib64,include}              the command, the runtime and its companions, the headers: as in dist
//! millpond/{runtime,compiler,opp}           what programs test for: as in dist
//! millpond/python-path                      workarounds for PyTorch for Ascend: as in dist
//! ```
//!
//! The extension finds the runtime by its relative place. The companions are empty libraries that need it: archives
//! of this kind hold no links.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::companion;
use crate::dist::{self, LIBRARY};
use crate::tools::{self, Build, Outcome};

const EXTENSION: &str = "libmillpond_python.so";

/// Makes the wheel of a build in a folder. `None` where there is no Python to make it with.
pub(crate) fn make(root: &Path, build: Build, out: &Path) -> Result<Option<PathBuf>, String> {
    if tools::find("python3").is_none() {
        return Ok(None);
    }
    let folder = tools::target(root).join("python").join(build.folder());
    dist::remove(&folder)?;
    fill(root, build, &folder)?;
    for old in wheels(out) {
        fs::remove_file(&old).map_err(|error| format!("{}: {error}", old.display()))?;
    }
    fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    tools::output(
        Command::new("python3")
            .arg(root.join("crates/python/wheel.py"))
            .arg(&folder)
            .arg(out)
            .arg(env!("CARGO_PKG_VERSION")),
    )?;
    Ok(wheels(out).pop())
}

/// The wheels in a folder.
fn wheels(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .collect()
}

fn fill(root: &Path, build: Build, folder: &Path) -> Result<(), String> {
    let built = tools::target(root).join(build.folder());
    let sources = root.join("crates/python/python");
    dist::copy_tree(&sources, folder, &|path| {
        let name = path.extension().and_then(|name| name.to_str());
        matches!(name, Some("py" | "pyi" | "typed"))
    })?;
    let home = folder.join("millpond");
    let lib = home.join("lib64");
    copy_stripped(&built.join(EXTENSION), &folder.join("acl/_acl.abi3.so"))?;
    copy_stripped(&built.join(LIBRARY), &lib.join(LIBRARY))?;
    copy_stripped(&built.join("millpond"), &home.join("bin/millpond"))?;
    if let Outcome::Skipped(reason) = companion::build(root, &lib)? {
        println!("{reason}");
    }
    for name in dist::companions() {
        if !lib.join(name).exists() {
            dist::empty_library(&lib, name, Some(LIBRARY))?;
        }
    }
    dist::make_places(&home)?;
    dist::copy_remedies(root, &home)?;
    dist::copy_headers(&root.join("include"), &home.join("include"))?;
    for licence in ["LICENSE", "LICENSE-APACHE", "LICENSE-MIT"] {
        dist::copy(&root.join(licence), &home.join(licence))?;
    }
    Ok(())
}

/// Without debug information: it is ten times as large, and of the runtime's own lines.
fn copy_stripped(from: &Path, to: &Path) -> Result<(), String> {
    dist::replace(to, |new| {
        dist::copy_to(from, new)?;
        if tools::find("strip").is_some() {
            tools::quietly(Command::new("strip").arg("--strip-debug").arg(new))?;
        }
        Ok(())
    })
}
