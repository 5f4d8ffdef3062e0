//! Builds for other machines: either processor, and every system whose C library is at least [`GLIBC`].
//!
//! A library that is linked here asks for the newest version of each C function that this machine has. Zig knows which
//! versions older C libraries have, for all processors, and links against those; cargo-zigbuild makes Cargo use it. Both
//! are Python packages and go into an environment below `target/`. Rust's own library for the other processor comes from
//! rustup, or from Debian's packages ([`Rust::find`]).
//!
//! Paths of this machine are replaced in what is built, so the same sources give the same bytes in any folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::dist::Source;
use crate::kit::{Kit, Processor};
use crate::rust::Rust;
use crate::tools;

/// The C library of `manylinux_2_28`: Debian 10, Ubuntu 18.10, RHEL 8 and whatever is newer.
pub(crate) const GLIBC: &str = "2.28";

/// Which requirements an environment was made from.
const STAMP: &str = ".requirements";

/// The environment with the tools; made if it is missing.
pub(crate) fn environment(root: &Path) -> Result<PathBuf, String> {
    let requirements = root.join("packaging/release_requirements.txt");
    let wanted = fs::read_to_string(&requirements)
        .map_err(|error| format!("{}: {error}", requirements.display()))?;
    let folder = tools::target(root).join("release-tools");
    if fs::read_to_string(folder.join(STAMP)).is_ok_and(|made_from| made_from == wanted) {
        return Ok(folder);
    }
    if tools::find("python3").is_none() {
        return Err("python3 is not installed\nhint: apt-get install python3-venv".to_owned());
    }
    tools::run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    tools::run(
        pip(&folder.join("bin/python"))
            .args(["install", "--quiet", "-r"])
            .arg(&requirements),
    )?;
    fs::write(folder.join(STAMP), wanted).map_err(|error| format!("{STAMP}: {error}"))?;
    Ok(folder)
}

fn pip(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", "pip", "--disable-pip-version-check"]);
    command
}

/// Builds for a processor. `epoch` is the time that the files get, where they contain one.
pub(crate) fn build(root: &Path, processor: Processor, epoch: u64) -> Result<Source, String> {
    let environment = environment(root)?;
    if root.to_string_lossy().contains(char::is_whitespace) {
        return Err(format!(
            "{} has a space in it, which options for compilers cannot contain\nhint: build in another folder",
            root.display()
        ));
    }
    let rust = Rust::find(root, processor)?;
    let kit = Kit::Named(processor);
    // Said before minutes of compiling.
    kit.cc()?;
    let target = tools::target(root).join("portable");
    let mut cargo = tools::cargo(root);
    rust.choose(&mut cargo);
    cargo
        .env("PATH", path_with(&environment.join("bin"))?)
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_ZIGBUILD_CACHE_DIR", target.join("zig"))
        .env("RUSTFLAGS", remapped(root))
        .env(
            "CFLAGS",
            format!("-ffile-prefix-map={}=/millpond -g0", root.display()),
        )
        .env("SOURCE_DATE_EPOCH", epoch.to_string())
        .args(["zigbuild", "--release", "--locked", "--target"])
        .arg(format!("{}.{GLIBC}", processor.triple()));
    for package in tools::SHIPPED {
        cargo.args(["-p", &format!("millpond-{package}")]);
    }
    tools::run(&mut cargo)?;
    Ok(Source {
        built: target.join(processor.triple()).join("release"),
        kit,
        engine: engine(root, processor)?,
        portable: true,
    })
}

/// What Rust writes into libraries instead of the folders of this machine.
fn remapped(root: &Path) -> String {
    let home = std::env::var_os("HOME").unwrap_or_default();
    let cargo = std::env::var_os("CARGO_HOME")
        .map_or_else(|| Path::new(&home).join(".cargo"), PathBuf::from);
    format!(
        "--remap-path-prefix={}=/millpond --remap-path-prefix={}=/cargo",
        root.display(),
        cargo.display()
    )
}

fn path_with(first: &Path) -> Result<std::ffi::OsString, String> {
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(first.to_path_buf()).chain(std::env::split_paths(&rest));
    std::env::join_paths(folders).map_err(|error| format!("PATH: {error}"))
}

/// ONNX Runtime's library and its licences for a processor, from the package whose version requirements.txt names.
fn engine(root: &Path, processor: Processor) -> Result<Vec<PathBuf>, String> {
    let text = fs::read_to_string(root.join("requirements.txt"))
        .map_err(|error| format!("requirements.txt: {error}"))?;
    let package = text
        .lines()
        .find(|line| line.starts_with("onnxruntime=="))
        .ok_or("requirements.txt does not name a version of onnxruntime")?;
    let folder = tools::target(root)
        .join("portable/engine")
        .join(format!("{package}-{}", processor.name()));
    if !folder.join(STAMP).is_file() {
        let python = environment(root)?.join("bin/python");
        tools::run(
            pip(&python)
                .args(["download", "--quiet", "--no-deps", "--only-binary=:all:"])
                .args(["--python-version", "3.11", "--platform"])
                .arg(format!("manylinux_2_28_{}", processor.name()))
                .arg(package)
                .arg("--dest")
                .arg(&folder),
        )?;
        for wheel in files(&folder)? {
            tools::quietly(
                Command::new(&python)
                    .args(["-m", "zipfile", "-e"])
                    .arg(&wheel)
                    .arg(&folder),
            )?;
        }
        fs::write(folder.join(STAMP), "").map_err(|error| format!("{STAMP}: {error}"))?;
    }
    let mut wanted = files(&folder.join("onnxruntime/capi"))?;
    wanted.retain(|file| {
        let name = file.file_name().unwrap_or_default();
        name.to_string_lossy().starts_with("libonnxruntime.so")
    });
    if wanted.len() != 1 {
        return Err(format!("{} has no libonnxruntime.so", folder.display()));
    }
    for licence in ["LICENSE", "ThirdPartyNotices.txt"] {
        let file = folder.join("onnxruntime").join(licence);
        wanted.extend(Some(file).filter(|file| file.is_file()));
    }
    Ok(wanted)
}

/// The files of a folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let paths = entries.flatten().map(|entry| entry.path());
    Ok(paths.filter(|path| path.is_file()).collect())
}
