//! `cargo xtask release`: every file of a release, in `target/release-files`.
//!
//! ```text
//! millpond-VERSION-cp39-abi3-manylinux_2_28_PROCESSOR.whl   for pip
//! millpond-VERSION.tar.gz                                   the sources, for pip and for whoever builds himself
//! millpond-VERSION-linux-PROCESSOR.tar.xz                   the dist folder
//! millpond_VERSION_ARCHITECTURE.deb                         the dist folder below /usr/lib/millpond
//! millpond-VERSION.cdx.json                                 what is inside: a CycloneDX list of components
//! SHA256SUMS                                                of all of these
//! ```
//!
//! The same commit gives the same bytes: archives are sorted, times are the commit's, and paths of this machine are not in
//! the libraries. `--twice` proves it: it builds again from a copy of the sources in another folder and compares.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::dist::{self, Source};
use crate::kit::Processor;
use crate::{bom, licences, portable, tools, wheel};

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// A wheel that is larger has something in it that does not belong there.
const MOST_WHEEL: u64 = 12_000_000;

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Order {
    processors: Vec<Processor>,
    twice: bool,
}

impl Order {
    /// `[PROCESSOR...] [--twice]`; all processors if none is named.
    pub(crate) fn parse(words: &[&str]) -> Result<Self, String> {
        let mut order = Self {
            processors: Vec::new(),
            twice: false,
        };
        for word in words {
            let named = Processor::ALL.into_iter().find(|one| one.name() == *word);
            match (named, *word) {
                (Some(processor), _) => order.processors.push(processor),
                (None, "--twice") => order.twice = true,
                (None, other) => {
                    return Err(format!(
                        "release: '{other}' is neither a processor (x86_64, aarch64) nor --twice"
                    ));
                }
            }
        }
        if order.processors.is_empty() {
            order.processors = Processor::ALL.to_vec();
        }
        Ok(order)
    }
}

/// Where the files go.
pub(crate) fn folder(root: &Path) -> PathBuf {
    tools::target(root).join("release-files")
}

pub(crate) fn run(root: &Path, order: &Order) -> Result<(), String> {
    licences::check(root)?;
    let epoch = epoch(root)?;
    let out = folder(root);
    dist::remove(&out)?;
    fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    for processor in &order.processors {
        let source = portable::build(root, *processor, epoch)?;
        let wheel = wheel::make(root, &source, &out)?.ok_or("python3 is not installed")?;
        inspect(root, &wheel, *processor)?;
        let stage = tools::target(root)
            .join("portable/stage")
            .join(processor.name());
        dist::remove(&stage)?;
        tarball(root, &source, *processor, &stage, epoch, &out)?;
        debian(root, *processor, &stage, epoch, &out)?;
    }
    sources(root, epoch, &out)?;
    let list = out.join(format!("millpond-{VERSION}.cdx.json"));
    bom::write(root, epoch, &list)?;
    sum(&out)?;
    if order.twice {
        compare(root, order, epoch)?;
    }
    println!("created {}", out.display());
    Ok(())
}

/// `SOURCE_DATE_EPOCH`, else the time of the commit.
fn epoch(root: &Path) -> Result<u64, String> {
    let text = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text,
        Err(_) => tools::output(
            Command::new("git")
                .current_dir(root)
                .args(["log", "-1", "--format=%ct"]),
        )
        .map_err(|error| {
            format!("{error}\nhint: outside a git checkout set SOURCE_DATE_EPOCH to the time of the release")
        })?,
    };
    text.trim().parse().map_err(|_| {
        format!(
            "SOURCE_DATE_EPOCH is '{}'; seconds since 1970 were expected",
            text.trim()
        )
    })
}

/// The wheel is small, and auditwheel finds that it fits the systems that its name promises.
fn inspect(root: &Path, wheel: &Path, processor: Processor) -> Result<(), String> {
    let bytes = fs::metadata(wheel)
        .map_err(|error| format!("{}: {error}", wheel.display()))?
        .len();
    if bytes > MOST_WHEEL {
        return Err(format!(
            "{} has {bytes} bytes; at most {MOST_WHEEL} were expected",
            wheel.display()
        ));
    }
    let tag = format!(
        "manylinux_{}_{}",
        portable::GLIBC.replace('.', "_"),
        processor.name()
    );
    if !wheel.to_string_lossy().contains(&tag) {
        return Err(format!("{} is not for {tag}", wheel.display()));
    }
    let python = portable::environment(root)?.join("bin/python");
    let said = tools::output(
        Command::new(python)
            .args(["-m", "auditwheel", "show"])
            .arg(wheel),
    )?;
    // It breaks its lines anywhere.
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    println!("{said}");
    let fits = format!("is consistent with the following platform tag: \"{tag}\"");
    // An older system is fine, too: then nothing in the wheel needs this one.
    let older = format!(
        "is consistent with the following platform tag: \"manylinux_2_17_{}\"",
        processor.name()
    );
    if said.contains(&fits) || said.contains(&older) {
        Ok(())
    } else {
        Err(format!(
            "auditwheel does not find {} fit for {tag}",
            wheel.display()
        ))
    }
}

/// The dist folder, laid out in `stage` and packed.
fn tarball(
    root: &Path,
    source: &Source,
    processor: Processor,
    stage: &Path,
    epoch: u64,
    out: &Path,
) -> Result<(), String> {
    let name = format!("millpond-{VERSION}-linux-{}", processor.name());
    dist::fill(root, source, &stage.join(&name))?;
    let archive = out.join(format!("{name}.tar.xz"));
    tools::quietly(
        tar(epoch)
            .arg("--use-compress-program=xz -6 -T1")
            .arg("-cf")
            .arg(&archive)
            .arg("-C")
            .arg(stage)
            .arg(&name),
    )
}

/// `tar` with nothing of this machine in the archive.
fn tar(epoch: u64) -> Command {
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner"])
        .args(["--format=gnu", "--mode=u+rw,go+r,go-w,a+X"])
        .arg(format!("--mtime=@{epoch}"));
    tar
}

/// The same folder as a package. It leaves the loader's search path alone: a vendor's library may be on the machine.
fn debian(
    root: &Path,
    processor: Processor,
    stage: &Path,
    epoch: u64,
    out: &Path,
) -> Result<(), String> {
    if tools::find("dpkg-deb").is_none() {
        println!("no Debian package: dpkg-deb is not installed (apt-get install dpkg)");
        return Ok(());
    }
    let package = stage.join("debian");
    let home = package.join("usr/lib/millpond");
    let laid_out = stage.join(format!("millpond-{VERSION}-linux-{}", processor.name()));
    fs::create_dir_all(package.join("usr/lib"))
        .map_err(|error| format!("{}: {error}", package.display()))?;
    tools::quietly(Command::new("cp").arg("-a").arg(&laid_out).arg(&home))?;
    dist::make_link(
        &package.join("usr/bin/millpond"),
        Path::new("../lib/millpond/bin/millpond"),
    )?;
    let kibibytes = tools::output(Command::new("du").arg("-sk").arg(&home))?;
    let size = kibibytes
        .split_whitespace()
        .next()
        .unwrap_or("0")
        .to_owned();
    let packaging = root.join("packaging/debian");
    for (from, to) in [
        ("control.in", "DEBIAN/control"),
        ("millpond.pc.in", "usr/share/pkgconfig/millpond.pc"),
        (
            "MillpondConfig.cmake",
            "usr/share/cmake/Millpond/MillpondConfig.cmake",
        ),
        ("copyright", "usr/share/doc/millpond/copyright"),
    ] {
        let text =
            fs::read_to_string(packaging.join(from)).map_err(|error| format!("{from}: {error}"))?;
        let text = dist::substitute(&text)
            .replace("@ARCHITECTURE@", processor.debian())
            .replace("@SIZE@", &size);
        dist::replace(&package.join(to), |new| {
            fs::write(new, text).map_err(|error| format!("{}: {error}", new.display()))
        })?;
    }
    dist::copy(
        &home.join("share/cmake/Millpond/MillpondConfigVersion.cmake"),
        &package.join("usr/share/cmake/Millpond/MillpondConfigVersion.cmake"),
    )?;
    tools::quietly(
        Command::new("chmod")
            .args(["-R", "u+rwX,go+rX,go-w"])
            .arg(&package),
    )?;
    tools::quietly(
        Command::new("dpkg-deb")
            .env("SOURCE_DATE_EPOCH", epoch.to_string())
            .args(["--root-owner-group", "-Zxz", "--threads-max=1", "--build"])
            .arg(&package)
            .arg(out.join(format!("millpond_{VERSION}_{}.deb", processor.debian()))),
    )
}

/// The sources that pip builds from, by the same code that pip calls.
fn sources(root: &Path, epoch: u64, out: &Path) -> Result<(), String> {
    tools::quietly(
        Command::new("python3")
            .current_dir(root)
            .env("SOURCE_DATE_EPOCH", epoch.to_string())
            .env("PYTHONPATH", root.join("crates/python"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .args([
                "-c",
                "import sys, build_backend; build_backend.build_sdist(sys.argv[1])",
            ])
            .arg(out),
    )
}

/// Writes the checksums of all files.
fn sum(out: &Path) -> Result<(), String> {
    let script = "LC_ALL=C; export LC_ALL; sha256sum -- millpond* > SHA256SUMS && cat SHA256SUMS";
    let sums = tools::output(Command::new("sh").current_dir(out).args(["-c", script]))?;
    print!("{sums}");
    Ok(())
}

/// Builds again, elsewhere, and compares the checksums.
fn compare(root: &Path, order: &Order, epoch: u64) -> Result<(), String> {
    let again = tools::target(root).join("release-again");
    dist::remove(&again)?;
    let sources = again.join("elsewhere/millpond");
    fs::create_dir_all(&sources).map_err(|error| format!("{}: {error}", sources.display()))?;
    let script = "git ls-files -z | tar --null -T - -cf - | tar -xf - -C \"$1\"";
    tools::quietly(
        Command::new("sh")
            .current_dir(root)
            .args(["-c", script, "sh"])
            .arg(&sources),
    )?;
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .current_dir(&sources)
        // Below the sources, as here: the folder is part of what is replaced in the libraries.
        .env_remove("CARGO_TARGET_DIR")
        .env("SOURCE_DATE_EPOCH", epoch.to_string())
        .args(["xtask", "release"])
        .args(order.processors.iter().map(|one| one.name()));
    tools::run(&mut cargo)?;
    let sums = |folder: &Path| {
        let file = folder.join("SHA256SUMS");
        fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))
    };
    let (first, second) = (
        sums(&folder(root))?,
        sums(&sources.join("target/release-files"))?,
    );
    let differ: Vec<&str> = first
        .lines()
        .filter(|line| !second.contains(line))
        .collect();
    if differ.is_empty() && first.lines().count() == second.lines().count() {
        println!("both builds gave the same {} files", first.lines().count());
        Ok(())
    } else {
        Err(format!(
            "the second build gave other files:\n{}",
            differ.join("\n")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_words_all_processors_are_built_once() {
        let order = Order::parse(&[]).unwrap();
        assert_eq!(order.processors, Processor::ALL);
        assert!(!order.twice);
        let order = Order::parse(&["aarch64", "--twice"]).unwrap();
        assert_eq!(order.processors, [Processor::Aarch64]);
        assert!(order.twice);
        assert!(Order::parse(&["arm64"]).unwrap_err().contains("arm64"));
    }
}
