//! The Python that runs a program, as far as its files reveal it. Nothing is started for that, except a script with the
//! name of an interpreter, which is asked which interpreter it would start.
//!
//! - `folders`: where its packages are. `packages`: which of them it has, in which versions. `advice`: which
//!   versions work together.

mod advice;
mod folders;
mod packages;

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::environment::Variables;
pub(crate) use advice::{Advice, PAIRS, Pair};
pub(crate) use packages::Packages;

/// An interpreter and what is installed for it.
#[derive(Clone, Debug)]
pub(crate) struct Python {
    /// The path as given, with links unresolved: Python finds its environment by it.
    pub(crate) executable: PathBuf,
    /// Such as `3.11`, if known.
    pub(crate) version: Option<String>,
    pub(crate) packages: Packages,
}

impl Python {
    /// The interpreter `executable`, if it is one.
    pub(crate) fn at(executable: &Path, now: &Variables) -> Option<Self> {
        if !is_python(executable) {
            return None;
        }
        let executable = std::path::absolute(executable).ok()?;
        // Version managers install a script with the name of the interpreter.
        let executable = match chosen_by(&executable) {
            Some(chosen) => chosen,
            None => executable,
        };
        let (version, folders) = folders::of(&executable, now);
        Some(Self {
            executable,
            version,
            packages: Packages::read(&folders),
        })
    }
}

/// The interpreter that a script with the name of an interpreter would start, such as those of pyenv. Only the script
/// knows.
fn chosen_by(script: &Path) -> Option<PathBuf> {
    let mut start = [0; 2];
    fs::File::open(script).ok()?.read_exact(&mut start).ok()?;
    if &start != b"#!" {
        return None;
    }
    let mut command = Command::new(script);
    command.args(["-I", "-S", "-c", "import sys; print(sys.executable)"]);
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output();
    let text = String::from_utf8(output.ok()?.stdout).ok()?;
    let path = PathBuf::from(text.trim());
    path.is_absolute().then_some(path)
}

/// Whether a file has the name of an interpreter: `python`, `python3`, `python3.11`, `python3-dbg`.
fn is_python(file: &Path) -> bool {
    let name = file.file_name().and_then(OsStr::to_str);
    let rest = name.and_then(|name| name.strip_prefix("python"));
    rest.is_some_and(|rest| {
        rest.is_empty() || rest.starts_with(|first: char| first.is_ascii_digit() || first == '-')
    }) && name.is_some_and(|name| !name.ends_with("-config"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interpreter_is_known_by_its_name() {
        for (name, expected) in [
            ("/usr/bin/python", true),
            ("python3", true),
            ("/env/bin/python3.11", true),
            ("python3.11-dbg", true),
            ("python3-config", false),
            ("pythonic", false),
            ("bash", false),
            ("ipython", false),
        ] {
            assert_eq!(is_python(Path::new(name)), expected, "{name}");
        }
    }
}
