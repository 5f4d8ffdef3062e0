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

/// The one file of a folder whose name begins and ends so.
pub(crate) fn file(folder: &Path, start: &str, end: &str) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let named = entries.flatten().map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(start) && name.ends_with(end)
    });
    let mut named: Vec<PathBuf> = named.collect();
    match (named.pop(), named.is_empty()) {
        (Some(one), true) => Ok(one),
        (None, _) => Err(format!("{} has no file {start}*{end}", folder.display())),
        (Some(_), false) => Err(format!(
            "{} has several files {start}*{end}; one was expected",
            folder.display()
        )),
    }
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
        inspect_alignment(&source)?;
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
        Command::new(&python)
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
    if !said.contains(&fits) && !said.contains(&older) {
        return Err(format!(
            "auditwheel does not find {} fit for {tag}",
            wheel.display()
        ));
    }
    // One wheel for all versions of Python promises that.
    tools::run(
        Command::new(&python)
            .args(["-m", "abi3audit", "--strict", "--summary"])
            .arg(wheel),
    )?;
    println!("{}: {bytes} bytes", wheel.display());
    Ok(())
}

/// The kernel maps whole pages, so the parts of a library lie apart by as much as the largest pages that a processor may have.
fn inspect_alignment(source: &Source) -> Result<(), String> {
    let least = source.kit.largest_page();
    let mut open = vec![source.built.join("wheel")];
    let mut looked = 0;
    while let Some(folder) = open.pop() {
        let failed = |error| format!("{}: {error}", folder.display());
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            for alignment in alignments(&bytes) {
                looked += 1;
                if alignment < least || !alignment.is_multiple_of(least) {
                    return Err(format!(
                        "{} has a part that is aligned to {alignment:#x}; {least:#x} was expected, which is the largest page of {}",
                        path.display(),
                        source.kit.processor()
                    ));
                }
            }
        }
    }
    if looked == 0 {
        return Err(format!(
            "there is no library in {}",
            source.built.join("wheel").display()
        ));
    }
    println!("{looked} parts of libraries are aligned to {least:#x}");
    Ok(())
}

/// What the parts of a 64-bit library or program that are mapped are aligned to. Nothing for any other file.
fn alignments(file: &[u8]) -> Vec<u64> {
    const LOAD: u64 = 1;
    let number = |at: usize, bytes: usize| {
        let field = file.get(at..at + bytes)?;
        let digits = field.iter().rev();
        Some(digits.fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte)))
    };
    let table = || {
        // 64 bits, little-endian.
        if !file.starts_with(b"\x7fELF\x02\x01") {
            return None;
        }
        let start = usize::try_from(number(0x20, 8)?).ok()?;
        let (size, count) = (number(0x36, 2)?, number(0x38, 2)?);
        let entries = (0..count).filter_map(|entry| {
            let at = start.checked_add(usize::try_from(entry * size).ok()?)?;
            (number(at, 4)? == LOAD).then(|| number(at + 0x30, 8))?
        });
        Some(entries.collect())
    };
    table().unwrap_or_default()
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
    let size = installed_size(&home)?.to_string();
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

/// KiB of all files and links, each rounded up, and one for each folder: what a file system takes differs between machines.
fn installed_size(folder: &Path) -> Result<u64, String> {
    let failed = |error| format!("{}: {error}", folder.display());
    let mut size = 1;
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let metadata = fs::symlink_metadata(&path).map_err(failed)?;
        size += if metadata.is_dir() {
            installed_size(&path)?
        } else {
            metadata.len().div_ceil(1024)
        };
    }
    Ok(size)
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

    #[test]
    fn alignments_are_those_of_the_parts_that_are_mapped() {
        let own = fs::read("/proc/self/exe").unwrap();
        let found = alignments(&own);
        assert!(found.len() > 1);
        assert!(
            found.iter().all(|one| one.is_multiple_of(4096)),
            "{found:?}"
        );
        assert!(alignments(b"a text").is_empty());
        assert!(alignments(&own[..0x40]).is_empty());
    }

    #[test]
    fn libraries_that_are_linked_here_for_arm_fit_pages_of_64_kib() {
        let kit = crate::kit::Kit::Named(Processor::Aarch64);
        if kit.cc().is_err() {
            println!("skipped: there is no compiler for aarch64");
            return;
        }
        let folder = std::env::temp_dir().join(format!("millpond-align-{}", std::process::id()));
        fs::create_dir_all(folder.join("wheel")).unwrap();
        dist::empty_library(kit, &folder.join("wheel"), "libempty.so", None).unwrap();
        let mut source = Source {
            built: folder.clone(),
            kit,
            engine: Vec::new(),
            portable: true,
        };
        assert_eq!(inspect_alignment(&source), Ok(()));
        // The same for pages of 4 KiB only.
        let mut cc = kit.cc().unwrap();
        cc.args([
            "-shared",
            "-nostdlib",
            "-x",
            "c",
            "/dev/null",
            "-Wl,-z,max-page-size=4096",
            "-o",
        ]);
        tools::quietly(cc.arg(folder.join("wheel/libempty.so"))).unwrap();
        let refused = inspect_alignment(&source).unwrap_err();
        assert!(
            refused.contains("0x1000") && refused.contains("0x10000"),
            "{refused}"
        );
        source.kit = crate::kit::Kit::Named(Processor::X86_64);
        assert_eq!(inspect_alignment(&source), Ok(()));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn one_file_has_to_have_the_name() {
        let folder = std::env::temp_dir().join(format!("millpond-bare-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        assert!(file(&folder, "a-", ".whl").unwrap_err().contains("no file"));
        fs::write(folder.join("a-1.whl"), "").unwrap();
        assert_eq!(file(&folder, "a-", ".whl"), Ok(folder.join("a-1.whl")));
        fs::write(folder.join("a-2.whl"), "").unwrap();
        assert!(file(&folder, "a-", ".whl").unwrap_err().contains("several"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
