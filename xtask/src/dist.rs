//! `cargo xtask dist`: the folder that programs are built against and run with.
//!
//! ```text
//! dist/
//!   set_env.sh                              for a whole shell
//!   bin/millpond                            for one program: millpond run -- PROGRAM
//!   bin/npu-smi -> millpond                 shows the devices in the form that scripts read
//!   bin/msprof -> ../tools/profiler/bin/msprof   exports profiles; beside it what PyTorch for Ascend looks for
//!   include/{acl,aclnn,aclnnop,driver,hccl,mstx,millpond}/*.h
//!   lib64/libascendcl.so                    the runtime
//!   lib64/libascendcl.so.debug              its symbols, which debuggers find by themselves; where objcopy is installed
//!   lib64/libmillpond_plugin.so             the allocator for any runtime; see docs/plugin.md
//!   lib64/libonnxruntime.so.*               what operators and models run on, where `.venv` has it
//!   lib64/lib*.so -> libascendcl.so         the other names of packaging/companions.txt
//!   lib64/libfmk_onnx_parser.so             C++ functions for onnxruntime-cann; see companions/
//!   lib64/libmillpond_gloo.so               what ranks on several machines need, where libgloo-dev is installed
//!   lib64/libascend_kernel_hook.so          empty: PyTorch for Ascend wants to see the name
//!   lib64/stub/lib*.so -> ../lib*.so        where builds look for what they link
//!   compiler/ opp/                          empty: programs test that they are there
//!   runtime/ acllib/ latest/ ARCH-linux/    links to include and lib64, for builds; see packaging/layouts.txt
//!   python-path/*.py                        what PyTorch for Ascend cannot do by itself; on PYTHONPATH
//!   lib64/pkgconfig/millpond.pc
//!   share/examples/                         the examples of the documentation
//!   share/oracle/                           the questions for other libraries and for hardware; see docs/oracle.md
//!   millpond-VERSION-*.whl                  all of it for Python: pip install
//!   share/conan/conanfile.py                makes a Conan package of the folder
//!   share/cmake/Millpond/*.cmake            not in lib64: on Debian, CMake does not look there
//! ```
//!
//! The folder may be moved as a whole: nothing in it holds an absolute path.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::kit::Kit;
use crate::tools::{self, Build, Outcome};
use crate::{companion, engine, notices, wheel};

pub(crate) const LIBRARY: &str = "libascendcl.so";
/// A name that has to be preloaded as a file, not as a link, and does nothing.
const HOOK: &str = "libascend_kernel_hook.so";
/// Folders that programs test for.
const PLACES: [&str; 3] = ["runtime", "compiler", "opp"];
pub(crate) const PLUGIN: &str = "libmillpond_plugin.so";

/// The files of the command msprof, and where they are expected.
const MSPROF: [(&str, &str); 2] = [
    ("msprof", "tools/profiler/bin/msprof"),
    (
        "msprof.py",
        "tools/profiler/profiler_tool/analysis/msprof/msprof.py",
    ),
];

/// One `NAME REASON` per line; `#` begins a comment.
const COMPANIONS: &str = include_str!("../../packaging/companions.txt");
/// One `LINK TARGET` per line; `#` begins a comment.
const LAYOUTS: &str = include_str!("../../packaging/layouts.txt");

/// What is laid out, and where it was built.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// Cargo's folder with the libraries and the command.
    pub(crate) built: PathBuf,
    /// For their processor.
    pub(crate) kit: Kit,
    /// ONNX Runtime's library and its licences, where they go along.
    pub(crate) engine: Vec<PathBuf>,
    /// Whether it is for other machines: without symbols, and without what needs libraries that those may lack.
    pub(crate) portable: bool,
}

impl Source {
    /// A build for this machine.
    pub(crate) fn here(root: &Path, build: Build) -> Self {
        Self {
            built: tools::target(root).join(build.folder()),
            kit: Kit::Here,
            engine: engine::library(root).into_iter().collect(),
            portable: false,
        }
    }
}

/// Builds and lays out the folder, and says how to use it.
pub(crate) fn run(root: &Path, build: Build) -> Result<(), String> {
    let dist = build_and_lay_out(root, build)?;
    println!("created {}", dist.display());
    println!(
        "for one program:  {}/bin/millpond run -- PROGRAM",
        dist.display()
    );
    println!("for this shell:   . {}/set_env.sh", dist.display());
    Ok(())
}

/// Where [`lay_out`] puts a build. A debug build never replaces the release folder that people use.
pub(crate) fn folder(root: &Path, build: Build) -> PathBuf {
    tools::target(root).join(match build {
        Build::Debug => "dist-debug",
        Build::Release => "dist",
    })
}

/// Builds the library and the command, then lays them out.
pub(crate) fn build_and_lay_out(root: &Path, build: Build) -> Result<PathBuf, String> {
    let mut cargo = tools::build(root, build);
    tools::run(&mut cargo)?;
    lay_out(root, build)
}

/// Lays out what was built before. The folder appears whole, between two renames.
fn lay_out(root: &Path, build: Build) -> Result<PathBuf, String> {
    let dist = folder(root, build);
    let next = dist.with_extension("next");
    remove(&next)?;
    let source = Source::here(root, build);
    if source.engine.is_empty() {
        // Everything else works without it, and says so where it is missed.
        println!(
            "ONNX Runtime, which computes operators and models, is not included because .venv does not have it (cargo \
             xtask engine installs it); programs use the one of their Python or of the system"
        );
    }
    fill(root, &source, &next)?;
    // The tests of the Python module make their own. Where there is no Python, nobody needs one.
    if build == Build::Release {
        wheel::make(root, &source, &next)?;
    }
    let old = dist.with_extension("old");
    remove(&old)?;
    match fs::rename(&dist, &old) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(format!("{}: {error}", dist.display()));
        }
        _ => {}
    }
    fs::rename(&next, &dist).map_err(|error| format!("{}: {error}", dist.display()))?;
    remove(&old)?;
    Ok(dist)
}

/// Puts the whole folder together.
pub(crate) fn fill(root: &Path, source: &Source, dist: &Path) -> Result<(), String> {
    let (built, kit) = (&source.built, source.kit);
    let lib = dist.join("lib64");

    let smi = dist.join("bin/npu-smi");
    for (file, to) in MSPROF {
        copy(&root.join("packaging/msprof").join(file), &dist.join(to))?;
    }
    make_link(
        &dist.join("bin/msprof"),
        Path::new("../tools/profiler/bin/msprof"),
    )?;
    if source.portable {
        copy_stripped(kit, &built.join("millpond"), &dist.join("bin/millpond"))?;
        copy_stripped(kit, &built.join(LIBRARY), &lib.join(LIBRARY))?;
        copy_stripped(kit, &built.join(PLUGIN), &lib.join(PLUGIN))?;
    } else {
        copy(&built.join("millpond"), &dist.join("bin/millpond"))?;
        copy_with_symbols_beside(&built.join(LIBRARY), &lib.join(LIBRARY))?;
        copy(&built.join(PLUGIN), &lib.join(PLUGIN))?;
    }
    make_link(&smi, Path::new("millpond"))?;
    for file in &source.engine {
        let name = file.file_name().unwrap_or_default();
        let is_library = name.to_string_lossy().contains(".so");
        let folder = if is_library {
            "lib64"
        } else {
            "share/doc/onnxruntime"
        };
        copy(file, &dist.join(folder).join(name))?;
    }
    build_companions(root, source, &lib)?;
    for name in companions() {
        let link = lib.join(name);
        // A library of its own under that name was built before.
        if !link.exists() {
            symlink(LIBRARY, &link).map_err(|error| format!("{}: {error}", link.display()))?;
        }
    }
    make_places(kit, dist)?;
    make_layouts(kit, dist)?;
    copy_common(root, dist)?;
    copy_oracle(root, &dist.join("share/oracle"))?;
    let packaging = root.join("packaging");
    write_template(
        &packaging.join("conan/conanfile.py.in"),
        &dist.join("share/conan/conanfile.py"),
    )?;
    copy(&packaging.join("set_env.sh"), &dist.join("set_env.sh"))
}

/// The small C++ libraries. Gloo is not on every machine, so only a build for this one may need it.
pub(crate) fn build_companions(root: &Path, source: &Source, lib: &Path) -> Result<(), String> {
    let built = if source.portable {
        companion::parser(root, source.kit, lib)?
    } else {
        companion::build(root, source.kit, lib)?
    };
    match built {
        Outcome::Passed => Ok(()),
        // Whoever installs it could not add what is missing.
        Outcome::Skipped(reason) if source.portable => Err(reason),
        Outcome::Skipped(reason) => {
            println!("{reason}");
            Ok(())
        }
        Outcome::Failed(reason) => Err(reason),
    }
}

/// The questions for other libraries, with the cases of the operators beside them. Answers are in the command.
fn copy_oracle(root: &Path, to: &Path) -> Result<(), String> {
    let sources = |path: &Path| {
        let name = path.file_name().unwrap_or_default();
        let ending = path.extension().unwrap_or_default();
        name == "Makefile" || ["c", "h", "inc", "py"].iter().any(|one| ending == *one)
    };
    copy_tree(&root.join("oracle"), to, &sources)?;
    let functions = to.join("functions");
    copy_tree(&root.join("tests/functions"), &functions, &sources)?;
    copy(
        &root.join("crates/functions/functions.tsv"),
        &functions.join("functions.tsv"),
    )
}

/// What every form has in the same places: headers, files for build systems, workarounds, examples, licences.
pub(crate) fn copy_common(root: &Path, home: &Path) -> Result<(), String> {
    let packaging = root.join("packaging");
    copy_remedies(root, home)?;
    copy_headers(&root.join("include"), &home.join("include"))?;
    let pkg_config = home.join("lib64/pkgconfig/millpond.pc");
    write_template(&packaging.join("millpond.pc.in"), &pkg_config)?;
    let cmake = home.join("share/cmake/Millpond");
    copy(
        &packaging.join("cmake/MillpondConfig.cmake"),
        &cmake.join("MillpondConfig.cmake"),
    )?;
    write_template(
        &packaging.join("cmake/MillpondConfigVersion.cmake.in"),
        &cmake.join("MillpondConfigVersion.cmake"),
    )?;
    copy_tree(
        &root.join("examples"),
        &home.join("share/examples"),
        &|path| path.extension().is_some_and(|ending| ending != "pyc"),
    )?;
    for licence in ["LICENSE", "LICENSE-APACHE", "LICENSE-MIT"] {
        copy(&root.join(licence), &home.join(licence))?;
    }
    let notices = notices::text(root)?;
    replace(&home.join(notices::FILE), |new| {
        fs::write(new, &notices).map_err(|error| format!("{}: {error}", new.display()))
    })
}

/// What programs look for and nothing is in: folders, and a library. Archives hold no empty folders, so each has a
/// line that says why it is there.
pub(crate) fn make_places(kit: Kit, home: &Path) -> Result<(), String> {
    for place in PLACES {
        let file = home.join(place).join("README");
        make_parent(&file)?;
        fs::write(&file, "Programs test that this folder exists.\n")
            .map_err(|error| format!("{}: {error}", file.display()))?;
    }
    empty_library(kit, &home.join("lib64"), HOOK, None)
}

/// The names under which builds look for headers and libraries.
fn make_layouts(kit: Kit, home: &Path) -> Result<(), String> {
    for (link, target) in layouts(kit.processor()) {
        make_link(&home.join(link), Path::new(&target))?;
    }
    for name in companions().chain([LIBRARY]) {
        let link = home.join("lib64/stub").join(name);
        make_link(&link, &Path::new("..").join(name))?;
    }
    Ok(())
}

pub(crate) fn make_link(link: &Path, target: &Path) -> Result<(), String> {
    make_parent(link)?;
    symlink(target, link).map_err(|error| format!("{}: {error}", link.display()))
}

/// Links that builds look into, and their targets as seen from the link's folder.
fn layouts(processor: &str) -> impl Iterator<Item = (String, String)> {
    let lines = LAYOUTS.lines().filter(|line| !line.starts_with('#'));
    let pairs = lines.filter_map(|line| line.split_once(' '));
    let name = |text: &str| text.trim().replace("ARCH", processor);
    pairs.map(move |(link, target)| (name(link), name(target)))
}

/// Copies a library without its symbols, which take most of its bytes, and puts those into a file beside it that the
/// library names. Without the tool for that it is copied as it is.
fn copy_with_symbols_beside(from: &Path, to: &Path) -> Result<(), String> {
    if tools::find("objcopy").is_none() {
        println!(
            "{} keeps its symbols: objcopy, which removes them, is not installed (it is part of binutils)",
            to.display()
        );
        return copy(from, to);
    }
    let symbols = to.with_extension("so.debug");
    let objcopy = |flags: &[&str], from: &Path, to: &Path| {
        let mut command = Command::new("objcopy");
        tools::quietly(command.args(flags).arg(from).arg(to))
    };
    replace(&symbols, |new| objcopy(&["--only-keep-debug"], from, new))?;
    let link = format!("--add-gnu-debuglink={}", symbols.display());
    replace(to, |new| objcopy(&["--strip-unneeded", &link], from, new))
}

/// Without symbols and debug information: together they are several times as large as the rest, and of the runtime's own lines.
pub(crate) fn copy_stripped(kit: Kit, from: &Path, to: &Path) -> Result<(), String> {
    let strip = kit.tool("strip");
    replace(to, |new| {
        copy_to(from, new)?;
        strip.map_or(Ok(()), |strip| {
            tools::quietly(Command::new(strip).arg("--strip-unneeded").arg(new))
        })
    })
}

/// What Python looks into first: workarounds for PyTorch for Ascend.
fn copy_remedies(root: &Path, home: &Path) -> Result<(), String> {
    copy_tree(
        &root.join("packaging/torch"),
        &home.join("python-path"),
        &|path| path.extension().is_some_and(|extension| extension == "py"),
    )
}

/// A library with nothing in it but its name, which may need another one.
pub(crate) fn empty_library(
    kit: Kit,
    lib: &Path,
    name: &str,
    needs: Option<&str>,
) -> Result<(), String> {
    let mut cc = kit.cc()?;
    cc.args(["-shared", "-nostdlib", "-x", "c", "/dev/null", "-x", "none"]);
    if let Some(needed) = needs {
        cc.arg("-Wl,--no-as-needed")
            .arg(lib.join(needed))
            .args(["-Wl,-rpath,$ORIGIN", "-Wl,--enable-new-dtags"]);
    }
    cc.arg(format!("-Wl,-soname,{name}"))
        .arg("-o")
        .arg(lib.join(name));
    tools::quietly(&mut cc)
}

/// The names that lead to the library, in the order of the table.
pub(crate) fn companions() -> impl Iterator<Item = &'static str> {
    COMPANIONS
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_whitespace().next())
}

/// Copies every header below `from`, folders and all.
fn copy_headers(from: &Path, to: &Path) -> Result<(), String> {
    copy_tree(from, to, &|path| {
        path.extension().is_some_and(|extension| extension == "h")
    })
}

/// Copies the files below `from` that are wanted, folders and all.
pub(crate) fn copy_tree(
    from: &Path,
    to: &Path,
    wanted: &dyn Fn(&Path) -> bool,
) -> Result<(), String> {
    let fail = |error| format!("{}: {error}", from.display());
    for entry in fs::read_dir(from).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let Some(name) = path.file_name() else {
            continue;
        };
        if path.is_dir() {
            copy_tree(&path, &to.join(name), wanted)?;
        } else if wanted(&path) {
            copy(&path, &to.join(name))?;
        }
    }
    Ok(())
}

fn write_template(from: &Path, to: &Path) -> Result<(), String> {
    let text = fs::read_to_string(from).map_err(|error| format!("{}: {error}", from.display()))?;
    replace(to, |new| {
        fs::write(new, substitute(&text)).map_err(|error| format!("{}: {error}", new.display()))
    })
}

/// All crates of the workspace carry one version, and this is one of them.
pub(crate) fn substitute(template: &str) -> String {
    template
        .replace("@VERSION@", env!("CARGO_PKG_VERSION"))
        .replace("@MAJOR@", env!("CARGO_PKG_VERSION_MAJOR"))
        .replace("@MINOR@", env!("CARGO_PKG_VERSION_MINOR"))
}

/// Copies a file.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), String> {
    replace(to, |new| copy_to(from, new))
}

/// The plain copy, for [`replace`].
fn copy_to(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map(drop).map_err(|error| {
        format!(
            "cannot copy {} to {}: {error}",
            from.display(),
            to.display()
        )
    })
}

/// Puts a file in its place when `make` has made it beside that place. A process that runs or has mapped the old file keeps that one:
/// bytes written into it would become its code.
pub(crate) fn replace(
    to: &Path,
    make: impl FnOnce(&Path) -> Result<(), String>,
) -> Result<(), String> {
    make_parent(to)?;
    let mut name = std::ffi::OsString::from(".new.");
    name.push(to.file_name().unwrap_or_default());
    let new = to.with_file_name(name);
    // What an interrupted run left might be in use, too.
    match fs::remove_file(&new) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(format!("{}: {error}", new.display()));
        }
        _ => {}
    }
    make(&new)?;
    fs::rename(&new, to).map_err(|error| format!("{}: {error}", to.display()))
}

fn make_parent(path: &Path) -> Result<(), String> {
    path.parent().map_or(Ok(()), |parent| {
        fs::create_dir_all(parent).map_err(|error| format!("{}: {error}", parent.display()))
    })
}

pub(crate) fn remove(folder: &Path) -> Result<(), String> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("{}: {error}", folder.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_companion_has_a_library_name_and_a_reason() {
        let lines: Vec<&str> = COMPANIONS
            .lines()
            .filter(|line| !line.starts_with('#'))
            .collect();
        assert_eq!(lines.len(), companions().count());
        for line in lines {
            let (name, reason) = line.split_once(char::is_whitespace).unwrap();
            let stem = name
                .strip_prefix("lib")
                .and_then(|name| name.strip_suffix(".so"));
            assert!(stem.is_some(), "{line}");
            assert_ne!(name, LIBRARY);
            assert!(!reason.trim().is_empty(), "{line}");
        }
    }

    /// Whoever follows links comes to an end: a target is a real folder, or one of links to real ones.
    #[test]
    fn layouts_lead_to_what_is_there() {
        let links: Vec<(String, String)> = layouts("x86_64").collect();
        assert!(links.len() > 10);
        for (link, target) in &links {
            assert_eq!(link.matches('/').count(), 1, "{link}");
            let target = target.strip_prefix("../").unwrap();
            let is_real = ["include", "lib64", "bin", "set_env.sh"].contains(&target)
                || PLACES.contains(&target);
            let inside = format!("{target}/");
            let of_links = links.iter().filter(|(link, _)| link.starts_with(&inside));
            let of_links: Vec<&str> = of_links.map(|(_, to)| to.as_str()).collect();
            let flat = !of_links.is_empty()
                && of_links
                    .iter()
                    .all(|to| ["../include", "../lib64"].contains(to));
            assert!(is_real || flat, "{link} -> {target}");
        }
    }

    #[test]
    fn whoever_uses_the_old_file_keeps_it() {
        use std::io::Read as _;
        let folder = std::env::temp_dir().join(format!("millpond-replace-{}", std::process::id()));
        let (from, to) = (folder.join("from"), folder.join("below/to"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(&from, "old").unwrap();
        copy(&from, &to).unwrap();
        let mut user = fs::File::open(&to).unwrap();
        fs::write(&from, "new").unwrap();
        copy(&from, &to).unwrap();
        let mut text = String::new();
        user.read_to_string(&mut text).unwrap();
        assert_eq!(
            (text.as_str(), fs::read_to_string(&to).unwrap().as_str()),
            ("old", "new")
        );
        let failed = replace(&to, |_| Err("no".to_owned()));
        assert_eq!(
            (failed, fs::read_to_string(&to).unwrap().as_str()),
            (Err("no".to_owned()), "new")
        );
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn templates_leave_no_mark_behind() {
        for template in [
            include_str!("../../packaging/millpond.pc.in"),
            include_str!("../../packaging/conan/conanfile.py.in"),
            include_str!("../../packaging/cmake/MillpondConfigVersion.cmake.in"),
        ] {
            let text = substitute(template);
            assert!(!text.contains('@'), "{text}");
            assert!(text.contains(env!("CARGO_PKG_VERSION")));
        }
    }
}
