//! The wheel: what `pip install` puts into a Python environment.
//!
//! ```text
//! acl/_acl.abi3.so, *.py, *.pyi             import acl
//! millpond/*.py                             import millpond, python -m millpond, the pytest plug-in
//! millpond/{bin,lib64,include,share}        the command, the libraries, headers, pkg-config and CMake: as in dist
//! millpond/{runtime,compiler,opp}           what programs test for: as in dist
//! millpond/python-path                      workarounds for PyTorch for Ascend: as in dist
//! millpond/share/torch_cuda                 the source of what `millpond.torch` compiles for PyTorch on CUDA
//! ```
//!
//! The extension finds the runtime by its relative place. Archives of this kind hold no links. So the companions are empty
//! libraries that need ours, `npu-smi` is a script, and `millpond home --link DIR` makes the layouts that builds look for.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::dist::{self, LIBRARY, PLUGIN, Source};
use crate::portable;
use crate::tools::{self, Build};

const EXTENSION: &str = "libmillpond_python.so";

/// The command that scripts ask for devices, where a link to ours cannot be.
const SMI: &str = "#!/bin/sh\nexec \"$(dirname -- \"$0\")/millpond\" npu-smi \"$@\"\n";

/// `cargo xtask wheel`: builds for this machine. The last line of the output is the wheel's path.
pub(crate) fn run(root: &Path, out: &Path) -> Result<(), String> {
    let mut cargo = tools::build(root, Build::Release);
    tools::run_for_output(cargo.stdout(std::process::Stdio::null()))?;
    let wheel = make(root, &Source::here(root, Build::Release), out)?;
    println!("{}", wheel.ok_or("python3 is not installed")?.display());
    Ok(())
}

/// Makes the wheel of a build in a folder. `None` where there is no Python to make it with.
pub(crate) fn make(root: &Path, source: &Source, out: &Path) -> Result<Option<PathBuf>, String> {
    if tools::find("python3").is_none() {
        return Ok(None);
    }
    // Beside what was built, so that two builds do not meet here.
    let folder = source.built.join("wheel");
    dist::remove(&folder)?;
    fill(root, source, &folder)?;
    fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    for old in wheels(out, source.kit.processor()) {
        fs::remove_file(&old).map_err(|error| format!("{}: {error}", old.display()))?;
    }
    let python = if source.portable {
        portable::environment(root)?.join("bin/python")
    } else {
        "python3".into()
    };
    let mut pack = Command::new(python);
    pack.arg(root.join("crates/python/wheel.py"))
        .arg(&folder)
        .arg(out)
        .arg(env!("CARGO_PKG_VERSION"));
    if source.portable {
        pack.arg("--small");
    }
    tools::output(&mut pack)?;
    Ok(wheels(out, source.kit.processor()).pop())
}

/// The wheels for a processor in a folder.
fn wheels(folder: &Path, processor: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let end = format!("_{processor}.whl");
    entries
        .filter(|entry| entry.file_name().to_string_lossy().ends_with(&end))
        .map(|entry| entry.path())
        .collect()
}

fn fill(root: &Path, source: &Source, folder: &Path) -> Result<(), String> {
    let (built, kit) = (&source.built, source.kit);
    let sources = root.join("crates/python/python");
    dist::copy_tree(&sources, folder, &|path| {
        let name = path.extension().and_then(|name| name.to_str());
        matches!(name, Some("py" | "pyi" | "typed"))
    })?;
    let home = folder.join("millpond");
    let lib = home.join("lib64");
    for (name, to) in [
        (EXTENSION, folder.join("acl/_acl.abi3.so")),
        (LIBRARY, lib.join(LIBRARY)),
        (PLUGIN, lib.join(PLUGIN)),
        ("millpond", home.join("bin/millpond")),
    ] {
        dist::copy_stripped(kit, &built.join(name), &to)?;
    }
    let smi = home.join("bin/npu-smi");
    fs::write(&smi, SMI)
        .and_then(|()| fs::set_permissions(&smi, fs::Permissions::from_mode(0o755)))
        .map_err(|error| format!("{}: {error}", smi.display()))?;
    dist::build_companions(root, source, &lib)?;
    for name in dist::companions() {
        if !lib.join(name).exists() {
            dist::empty_library(kit, &lib, name, Some(LIBRARY))?;
        }
    }
    dist::copy_tree(
        &root.join("companions/torch_cuda"),
        &home.join("share/torch_cuda"),
        &|path| {
            path.extension()
                .is_some_and(|name| name == "cpp" || name == "h")
        },
    )?;
    dist::make_places(kit, &home)?;
    dist::copy_common(root, &home)
}
