//! `cargo xtask bare`: the shipped files as a new user gets them, in a system that has python3 and gcc but no Rust.
//!
//! debootstrap makes the system once, in `target/bare/system`; that takes minutes and needs root. What is tried lies in a folder
//! within it and is removed first. pip fetches nothing there: `target/bare/packages` has what the wheel requires. So what pip
//! installs is what the wheel's metadata asks for.
//!
//! The lines that a user types are taken from the README, word for word. The third one needs PyTorch for Ascend, 5 GB: it runs
//! where those packages are in `target/bare/packages`. `--torch` puts them there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tools::{self, Outcome};
use crate::{dist, python, release};

/// What a user has, and what the scripts use: `CMake` and pkg-config for C, xz for the archive.
const PACKAGES: &str = "python3,python3-venv,gcc,libc6-dev,cmake,make,pkg-config,xz-utils";
/// Written last, so that an interrupted installation is no system.
const STAMP: &str = ".millpond-packages";
/// Where things are tried, as seen from within.
const TRY: &str = "/try";

/// Whether the packages of PyTorch for Ascend are fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Torch {
    Fetch,
    AsItIs,
}

/// `cargo xtask bare [--torch] [FOLDER]`: makes the system if there is none, and tries every file of a release.
pub(crate) fn run(root: &Path, torch: Torch, files: Option<&Path>) -> Result<(), String> {
    can_enter()?;
    install(root)?;
    fetch(root)?;
    let folder = files.map_or_else(|| release::folder(root), Path::to_path_buf);
    let here = std::env::consts::ARCH;
    let found = |start: &str, end: &str| release::file(&folder, start, end);
    let wheel = found("millpond-", &format!("_{here}.whl"))?;
    if torch == Torch::Fetch {
        fetch_torch(root, &wheel)?;
    }
    try_wheel(root, &wheel)?;
    let archive = found("millpond-", &format!("-linux-{here}.tar.xz"))?;
    let sums = found("SHA256SUMS", "")?;
    let shell = root.join("packaging/consumer/in_a_shell.sh");
    in_system(
        root,
        "archive_in_a_bare_system.sh",
        &[&archive, &sums, &shell],
    )?;
    let debian = if here == "x86_64" { "amd64" } else { "arm64" };
    let package = found("millpond_", &format!("_{debian}.deb"))?;
    in_system(root, "package_in_a_bare_system.sh", &[&package])?;
    println!("in a system without Rust: the wheel, the archive and the package work");
    Ok(())
}

/// The step: the wheel of the debug build, where the system was made before.
pub(crate) fn debug_wheel(root: &Path) -> Result<Outcome, String> {
    if let Err(reason) = can_enter() {
        return Ok(Outcome::Skipped(reason));
    }
    if !is_installed(root) || packages(root, "onnxruntime-").is_none() {
        return Ok(Outcome::Skipped(
            "there is no bare system here (cargo xtask bare makes it, in minutes)".to_owned(),
        ));
    }
    try_wheel(root, &python::built(root)?).map(|()| Outcome::Passed)
}

fn try_wheel(root: &Path, wheel: &Path) -> Result<(), String> {
    let readme = fs::read_to_string(root.join("README.md"))
        .map_err(|error| format!("README.md: {error}"))?;
    let mut lines = lines(&readme)?;
    if packages(root, "torch_npu-").is_none() {
        println!(
            "not run, because target/bare/packages has no PyTorch for Ascend (cargo xtask bare --torch fetches it): {}",
            lines.remove(2)
        );
    }
    let script = tools::target(root).join("bare/readme.sh");
    fs::write(&script, lines.join("\n") + "\n").map_err(|error| format!("readme.sh: {error}"))?;
    in_system(root, "in_a_bare_system.sh", &[wheel, &script])
}

/// The three lines that the README offers for a wheel.
fn lines(readme: &str) -> Result<Vec<&str>, String> {
    let block = readme
        .split_once("\n## Install and run\n")
        .and_then(|(_, rest)| rest.split_once("\n```sh\n"))
        .and_then(|(_, rest)| rest.split_once("\n```"))
        .ok_or("README.md has no block of commands below 'Install and run'")?;
    let lines: Vec<&str> = block.0.lines().collect();
    if lines.len() == 3 && lines[2].contains("torch") {
        Ok(lines)
    } else {
        Err(format!(
            "README.md: three lines were expected, the third with torch:\n{}",
            block.0
        ))
    }
}

/// Whether this machine lets us make a system and go into it. `Err` says what is missing.
fn can_enter() -> Result<(), String> {
    for (program, package) in [("debootstrap", "debootstrap"), ("unshare", "util-linux")] {
        if tools::find(program).is_none() && !Path::new("/usr/sbin").join(program).is_file() {
            return Err(format!(
                "{program} is not installed (apt-get install {package})"
            ));
        }
    }
    let entered = Command::new("unshare")
        .args(["--mount", "--pid", "--fork", "chroot", "/", "true"])
        .output();
    if entered.is_ok_and(|output| output.status.success()) {
        Ok(())
    } else {
        Err(
            "a bare system needs root and mounts of its own, which this machine does not allow"
                .to_owned(),
        )
    }
}

fn system(root: &Path) -> PathBuf {
    tools::target(root).join("bare/system")
}

fn is_installed(root: &Path) -> bool {
    fs::read_to_string(system(root).join(STAMP)).is_ok_and(|packages| packages == PACKAGES)
}

/// Installs the release that this machine runs, so that a library that was linked here can be tried there.
fn install(root: &Path) -> Result<(), String> {
    if is_installed(root) {
        return Ok(());
    }
    let text = fs::read_to_string("/etc/os-release")
        .map_err(|error| format!("/etc/os-release: {error}"))?;
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.map(|value| value.trim_matches('"').to_owned())
    };
    let suite = value("VERSION_CODENAME=")
        .ok_or("/etc/os-release names no release of Debian or Ubuntu (VERSION_CODENAME)")?;
    let components = match value("ID=").as_deref() {
        Some("ubuntu") => "main,universe",
        _ => "main",
    };
    let system = system(root);
    dist::remove(&system)?;
    fs::create_dir_all(&system).map_err(|error| format!("{}: {error}", system.display()))?;
    tools::run(
        Command::new("debootstrap")
            .args([
                "--variant=minbase",
                "--components",
                components,
                "--include",
                PACKAGES,
            ])
            .arg(&suite)
            .arg(&system),
    )?;
    // Packages that were unpacked are not needed any more.
    dist::remove(&system.join("var/cache/apt/archives"))?;
    fs::write(system.join(STAMP), PACKAGES).map_err(|error| format!("{STAMP}: {error}"))
}

/// The packages that the wheel requires, for the system's Python.
fn fetch(root: &Path) -> Result<(), String> {
    if packages(root, "onnxruntime-").is_some() {
        return Ok(());
    }
    let text = fs::read_to_string(root.join("requirements.txt"))
        .map_err(|error| format!("requirements.txt: {error}"))?;
    let engine = text.lines().find(|line| line.starts_with("onnxruntime=="));
    let engine = engine.ok_or("requirements.txt does not name a version of onnxruntime")?;
    tools::run(download(root)?.arg(engine))
}

/// What the README's third line installs: all that the wheel's extra asks for, and `torch_npu` alone.
fn fetch_torch(root: &Path, wheel: &Path) -> Result<(), String> {
    if packages(root, "torch_npu-").is_some() {
        return Ok(());
    }
    let readme = fs::read_to_string(root.join("README.md"))
        .map_err(|error| format!("README.md: {error}"))?;
    let torch_npu = torch_npu(lines(&readme)?[2])?;
    tools::run(download(root)?.arg(format!("{}[torch]", wheel.display())))?;
    // pip puts the wheel there, too. The lines install it by its path.
    if let Some(copy) = packages(root, "millpond-") {
        fs::remove_file(&copy).map_err(|error| format!("{}: {error}", copy.display()))?;
    }
    tools::run(download(root)?.args(["--no-deps", torch_npu]))
}

/// The package for Ascend, with its version, in a line of the README.
fn torch_npu(line: &str) -> Result<&str, String> {
    line.split_whitespace()
        .find(|word| word.starts_with("torch_npu=="))
        .ok_or_else(|| format!("README.md: torch_npu==VERSION was expected in: {line}"))
}

/// `pip download` into `target/bare/packages`, for the system's Python.
fn download(root: &Path) -> Result<Command, String> {
    let version = "import sys; print('%d.%d' % sys.version_info[:2])";
    let version = tools::output(Command::new("chroot").arg(system(root)).args([
        "/usr/bin/python3",
        "-c",
        version,
    ]))?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--only-binary=:all:"])
        .args(["--python-version", version.trim(), "--dest"])
        .arg(tools::target(root).join("bare/packages"));
    // pip takes each name for itself, and packages name any of these versions of the C library.
    for oldest in 17..=28 {
        pip.arg("--platform")
            .arg(format!("manylinux_2_{oldest}_{}", std::env::consts::ARCH));
    }
    pip.arg("--platform")
        .arg(format!("manylinux2014_{}", std::env::consts::ARCH));
    Ok(pip)
}

/// A fetched package whose name begins so.
fn packages(root: &Path, start: &str) -> Option<PathBuf> {
    release::file(&tools::target(root).join("bare/packages"), start, ".whl").ok()
}

/// Runs a script of `packaging/consumer` in the system, with these files in its folder and nothing of this machine's environment.
fn in_system(root: &Path, script: &str, files: &[&Path]) -> Result<(), String> {
    let system = system(root);
    let folder = system.join(&TRY[1..]);
    dist::remove(&folder)?;
    let script_file = root.join("packaging/consumer").join(script);
    for file in files.iter().copied().chain([script_file.as_path()]) {
        dist::copy(file, &folder.join(file.file_name().unwrap_or_default()))?;
    }
    let packages = tools::target(root).join("bare/packages");
    let offered = system.join("packages");
    fs::create_dir_all(&offered).map_err(|error| format!("{}: {error}", offered.display()))?;
    // Mounts of this process only: they end with it, however it ends.
    let enter = "mount --bind \"$2\" \"$1/packages\" && mount -t proc proc \"$1/proc\" && mount --rbind /dev \"$1/dev\" && \
                 exec chroot \"$1\" /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
                 PIP_NO_INDEX=1 PIP_FIND_LINKS=/packages PIP_DISABLE_PIP_VERSION_CHECK=1 sh \"$3/$4\" \"$3\"";
    tools::run(
        Command::new("unshare")
            .args(["--mount", "--pid", "--fork", "sh", "-ec", enter, "sh"])
            .arg(&system)
            .arg(&packages)
            .args([TRY, script]),
    )?;
    dist::remove(&folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_has_three_lines_for_a_new_user() {
        let readme = include_str!("../../README.md");
        let lines = lines(readme).unwrap();
        assert!(lines[0].contains("-m venv"), "{}", lines[0]);
        assert!(lines[1].contains("millpond run -- ./first"), "{}", lines[1]);
        assert!(
            lines[2].contains("millpond check -- python"),
            "{}",
            lines[2]
        );
        // Nobody has a clone: what the lines name comes out of the wheel.
        let version = env!("CARGO_PKG_VERSION");
        assert!(lines[0].contains(&format!("millpond-{version}-")));
        assert!(lines[1].contains("millpond home"), "{}", lines[1]);
        assert!(torch_npu(lines[2]).is_ok(), "{}", lines[2]);
    }

    #[test]
    fn a_readme_without_the_lines_is_refused() {
        assert!(lines("# Nothing\n").is_err());
        let two = "\n## Install and run\n\n```sh\none\ntwo\n```\n";
        assert!(lines(two).unwrap_err().contains("three lines"));
    }
}
