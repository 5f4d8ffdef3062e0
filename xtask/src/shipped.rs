//! `cargo xtask aarch64 shipped [FOLDER]`: the files of a release for 64-bit Arm processors, emulated.
//!
//! What is run is what users get: the libraries out of the wheel and out of the archive, which another linker linked for an older C
//! library than that of `cargo xtask aarch64`. The archive's ONNX Runtime computes operators and models. Python for these
//! processors comes from Debian's packages, which are unpacked below `target/aarch64` and not installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::aarch64::{self, EMULATOR, PROCESSOR};
use crate::{dist, portable, release, tools};

/// What a Python needs to run without being installed.
const PYTHON: &[&str] = &[
    "python3.11-minimal",
    "libpython3.11-minimal",
    "libpython3.11-stdlib",
    "libc6",
    "libgcc-s1",
    "libstdc++6",
    "zlib1g",
    "libexpat1",
    "libffi8",
];

/// The Python in those packages.
const INTERPRETER: &str = "usr/bin/python3.11";

/// What the module is asked: a block of device memory is filled and read back.
const IMPORT: &str = "
import platform
import acl
assert acl.init() == 0 and acl.rt.set_device(0) == 0
block, code = acl.rt.malloc(64, 0)
assert code == 0, code
assert acl.rt.memset(block, 64, 7, 64) == 0
host, code = acl.rt.malloc_host(64)
assert code == 0 and acl.rt.memcpy(host, 64, block, 64, 2) == 0
assert acl.util.ptr_to_bytes(host, 64) == bytes([7] * 64)
print('acl on', platform.machine(), platform.python_version(), acl.get_soc_name())
";

/// Runs the C tests with the wheel's library, the examples with both, and imports `acl`.
pub(crate) fn run(root: &Path, files: Option<&Path>) -> Result<(), String> {
    aarch64::can_emulate()?;
    let files = files.map_or_else(|| release::folder(root), Path::to_path_buf);
    let name = PROCESSOR.name();
    let wheel = release::file(&files, "millpond-", &format!("_{name}.whl"))?;
    let archive = release::file(&files, "millpond-", &format!("-linux-{name}.tar.xz"))?;
    let folder = aarch64::folder(root).join("shipped");
    dist::remove(&folder)?;
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    // As pip does it, because that also makes the command executable, which the emulator insists on.
    let platform = format!("manylinux_{}_{name}", portable::GLIBC.replace('.', "_"));
    tools::run(
        Command::new("python3")
            .args(["-m", "pip", "install", "--quiet", "--no-deps"])
            .args(["--only-binary=:all:", "--platform", &platform, "--target"])
            .arg(folder.join("wheel"))
            .arg(&wheel),
    )?;
    tools::run(
        Command::new("tar")
            .arg("-xf")
            .arg(&archive)
            .arg("-C")
            .arg(&folder),
    )?;
    let unpacked = release::file(&folder, "millpond-", &format!("-linux-{name}"))?;
    let home = folder.join("wheel/millpond");
    for home in [&unpacked, &home] {
        println!("{}", home.display());
        command(home)?;
        aarch64::examples(root, &home.join("lib64"), &home.join("include"))?;
    }
    python(root, &folder.join("wheel"), &unpacked.join("lib64"))?;
    aarch64::c_programs(root, &home.join("lib64"))?;
    println!("the shipped files for {name} work, emulated");
    Ok(())
}

/// The command says its version.
fn command(home: &Path) -> Result<(), String> {
    let words = aarch64::emulator(&home.join("lib64"));
    let said = tools::output(
        Command::new(&words[0])
            .args(&words[1..])
            .arg(home.join("bin/millpond"))
            .arg("--version"),
    )?;
    let wanted = format!("millpond {}", env!("CARGO_PKG_VERSION"));
    if said.trim() == wanted {
        Ok(())
    } else {
        Err(format!("expected \"{wanted}\", found:\n{said}"))
    }
}

/// `import acl` in an emulated Python.
fn python(root: &Path, packages: &Path, engine: &Path) -> Result<(), String> {
    let system = match interpreter(root) {
        Ok(system) => system,
        Err(reason) => {
            println!("import acl: skipped: {reason}");
            return Ok(());
        }
    };
    let libraries = ["lib", "usr/lib"].map(|lib| {
        let folder = system
            .join(lib)
            .join(format!("{}-linux-gnu", PROCESSOR.name()));
        folder.display().to_string()
    });
    let variables = [
        format!("LD_LIBRARY_PATH={}", libraries.join(":")),
        format!("PYTHONPATH={}", packages.display()),
        format!("MILLPOND_ONNXRUNTIME={}", engine.display()),
        "MILLPOND_PINNED_RANGE=4G".to_owned(),
        "MILLPOND_CAPACITY=4G".to_owned(),
    ];
    let mut emulated = Command::new(EMULATOR);
    emulated.arg("-L").arg(&system);
    for variable in variables {
        emulated.args(["-E", &variable]);
    }
    let said = tools::output(
        emulated
            .arg(system.join(INTERPRETER))
            .args(["-B", "-c", IMPORT]),
    )?;
    print!("{said}");
    if said.contains("acl on aarch64") {
        Ok(())
    } else {
        Err(format!("expected \"acl on aarch64\", found:\n{said}"))
    }
}

/// The folder with Python and its libraries, unpacked once. `Err` says why there is none.
fn interpreter(root: &Path) -> Result<PathBuf, String> {
    let folder = aarch64::folder(root).join("python");
    let system = folder.join("root");
    if system.join(INTERPRETER).is_file() {
        return Ok(system);
    }
    if tools::find("apt-get").is_none() || tools::find("dpkg-deb").is_none() {
        return Err(
            "apt-get and dpkg-deb, which fetch and unpack a Python, are not installed".to_owned(),
        );
    }
    let debs = folder.join("debs");
    fs::create_dir_all(&debs).map_err(|error| format!("{}: {error}", debs.display()))?;
    let named = PYTHON
        .iter()
        .map(|package| format!("{package}:{}", PROCESSOR.debian()));
    tools::run(
        Command::new("apt-get")
            .current_dir(&debs)
            .args(["download", "-q"])
            .args(named),
    )?;
    let entries = fs::read_dir(&debs).map_err(|error| format!("{}: {error}", debs.display()))?;
    for package in entries.flatten() {
        tools::quietly(
            Command::new("dpkg-deb")
                .arg("-x")
                .arg(package.path())
                .arg(&system),
        )?;
    }
    Ok(system)
}
