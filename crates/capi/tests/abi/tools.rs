//! Compilers, folders and tables that the checks share.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a command and returns what it wrote, or why it failed.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let result = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    let errors = String::from_utf8_lossy(&result.stderr);
    if result.status.success() {
        Ok(String::from_utf8_lossy(&result.stdout).into_owned())
    } else {
        Err(format!("{command:?}: {}\n{errors}", result.status))
    }
}

/// The C compiler: `$CC`, else `cc`. `None`, and a line that says so, when there is none.
pub(crate) fn c_compiler() -> Option<String> {
    tool("CC", "cc")
}

/// The C++ compiler: `$CXX`, else `c++`.
pub(crate) fn cxx_compiler() -> Option<String> {
    tool("CXX", "c++")
}

/// The C compiler if it is GCC, which alone can list prototypes.
pub(crate) fn gcc() -> Option<String> {
    let compiler = c_compiler()?;
    let version = output(Command::new(&compiler).arg("--version"));
    if version.is_ok_and(|text| text.contains("Free Software Foundation")) {
        return Some(compiler);
    }
    skipped(&format!("{compiler} is not GCC"));
    None
}

/// A program of the binutils.
pub(crate) fn binutil(name: &str) -> Option<String> {
    tool(&name.to_uppercase(), name)
}

fn tool(variable: &str, default: &str) -> Option<String> {
    let name = env::var(variable).unwrap_or_else(|_| default.to_owned());
    if output(Command::new(&name).arg("--version")).is_ok() {
        return Some(name);
    }
    skipped(&format!("there is no {name}"));
    None
}

fn skipped(reason: &str) {
    let required = env::var("MILLPOND_REQUIRE").is_ok_and(|list| list.split(',').any(|w| w == "c"));
    assert!(!required, "MILLPOND_REQUIRE=c, but {reason}");
    eprintln!("skipped: {reason}");
}

/// The folder of the headers.
pub(crate) fn include() -> PathBuf {
    workspace().join("include")
}

/// The root of the repository.
pub(crate) fn workspace() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap_or(root)
}

/// The paths of all headers below [`include`], as programs include them.
pub(crate) fn headers() -> Vec<String> {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        let entries = fs::read_dir(folder).expect("a folder of headers should be readable");
        for entry in entries {
            let path = entry.expect("an entry should be readable").path();
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension() == Some(OsStr::new("h")) {
                found.push(path);
            }
        }
    }
    let include = include();
    let mut found = Vec::new();
    collect(&include, &mut found);
    let mut names: Vec<_> = found
        .iter()
        .map(|path| path.strip_prefix(&include).unwrap_or(path))
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Headers that belong to another library, whose own tests compare the two, and those that are code
/// of the program that includes them.
const OTHERS: &[&str] = &[
    "millpond/cuda.h",
    "millpond/plugin.h",
    "mstx/mstx_detail/mstx_disabled.h",
    "mstx/mstx_detail/mstx_impl.h",
    "mstx/mstx_detail/mstx_impl_core.h",
];

/// The headers of `libascendcl.so`.
pub(crate) fn own_headers() -> Vec<String> {
    let all = headers().into_iter();
    all.filter(|header| !OTHERS.contains(&header.as_str()))
        .collect()
}

/// C source that includes every header of the library, for programs that are linked with it.
pub(crate) fn include_all() -> String {
    let include = |header| format!("#include \"{header}\"\n");
    let lines: Vec<_> = own_headers().iter().map(include).collect();
    format!("#define MSTX_NO_IMPL\n{}", lines.concat())
}

/// A folder for the files of one check, which is the only one to use this name.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("abi-{name}"));
    fs::create_dir_all(&folder).expect("a scratch folder should be creatable");
    folder
}

/// The shared library: the one in `MILLPOND_TEST_LIB_DIR`, else the newest near this test's binary.
pub(crate) fn library() -> PathBuf {
    const NAME: &str = "libascendcl.so";
    if let Some(folder) = env::var_os("MILLPOND_TEST_LIB_DIR") {
        return Path::new(&folder).join(NAME);
    }
    let test = env::current_exe().expect("a test should know its own path");
    let near: Vec<_> = test.ancestors().skip(1).take(2).collect();
    near.iter()
        .map(|folder| folder.join(NAME))
        .filter(|path| path.exists())
        .max_by_key(|path| path.metadata().and_then(|data| data.modified()).ok())
        .unwrap_or_else(|| panic!("no {NAME} in {near:?}: build millpond-capi first"))
}

/// The cells of a tab-separated table of this crate, without its heading.
pub(crate) fn table(name: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let text = fs::read_to_string(&path).expect("a table should be readable");
    text.lines()
        .skip(1)
        .map(|line| line.split('\t').map(ToOwned::to_owned).collect())
        .collect()
}
