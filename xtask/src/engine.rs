//! `cargo xtask engine`: the Python environment `.venv` with what requirements.txt names, ONNX Runtime
//! before all. Tests and the demonstration need it; once it is there, nothing is fetched again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tools;

/// Which requirements the environment was made from.
const STAMP: &str = ".requirements";

/// Makes the environment, unless it is there or the user has named another one.
pub(crate) fn prepare(root: &Path) -> Result<(), String> {
    if let Some(named) = std::env::var_os("MILLPOND_ONNXRUNTIME") {
        println!("MILLPOND_ONNXRUNTIME is set to {}", named.display());
        return Ok(());
    }
    let wanted = fs::read_to_string(root.join("requirements.txt"))
        .map_err(|error| format!("requirements.txt: {error}"))?;
    let folder = folder(root);
    if is_current(&folder, &wanted) {
        println!("{} is up to date", folder.display());
        return Ok(());
    }
    if tools::find("python3").is_none() {
        return Err(
            "python3 is not installed\nhint: apt-get install python3-venv, or set MILLPOND_ONNXRUNTIME \
             to a folder with libonnxruntime.so"
                .to_owned(),
        );
    }
    tools::run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    tools::run(
        Command::new(folder.join("bin/python"))
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "-r",
            ])
            .arg(root.join("requirements.txt")),
    )?;
    fs::write(folder.join(STAMP), wanted).map_err(|error| format!("{STAMP}: {error}"))
}

/// Where the environment is.
pub(crate) fn folder(root: &Path) -> PathBuf {
    root.join(".venv")
}

/// The library in an environment, or the one that the user has named.
pub(crate) fn library(root: &Path) -> Option<PathBuf> {
    let named = std::env::var_os("MILLPOND_ONNXRUNTIME").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| folder(root));
    if folder.is_file() {
        return Some(folder);
    }
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let pythons = entries(&folder.join("lib")).map(|python| python.path());
    let files = pythons.flat_map(|python| {
        let folder = python.join("site-packages/onnxruntime/capi");
        entries(&folder).collect::<Vec<_>>()
    });
    let mut paths = files.map(|entry| entry.path());
    paths.find(|path| path.to_string_lossy().contains("libonnxruntime.so"))
}

/// A Python with what requirements.txt names.
pub(crate) fn python(root: &Path) -> PathBuf {
    folder(root).join("bin/python")
}

fn is_current(folder: &Path, wanted: &str) -> bool {
    fs::read_to_string(folder.join(STAMP)).is_ok_and(|made_from| made_from == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_is_made_again_when_the_requirements_change() {
        let folder = std::env::temp_dir().join(format!("millpond-stamp-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        assert!(!is_current(&folder, "a==1"));
        fs::write(folder.join(STAMP), "a==1").unwrap();
        assert!(is_current(&folder, "a==1"));
        assert!(!is_current(&folder, "a==2"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
