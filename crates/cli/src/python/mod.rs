//! The Python that a program is run by, as far as its files tell: nothing is started to find out.
//!
//! - `folders`: where its packages are. `packages`: which of them it has, in which versions.

mod folders;
mod packages;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::environment::Variables;
pub(crate) use packages::Packages;

/// An interpreter and what is installed for it.
#[derive(Clone, Debug)]
pub(crate) struct Python {
    /// As it is named, not what a link leads to: that is how Python finds its environment.
    #[cfg_attr(not(test), expect(dead_code, reason = "for notes about the packages"))]
    pub(crate) executable: PathBuf,
    pub(crate) packages: Packages,
}

impl Python {
    /// The interpreter `executable`, if that is one.
    pub(crate) fn at(executable: &Path, now: &Variables) -> Option<Self> {
        if !is_python(executable) {
            return None;
        }
        let executable = std::path::absolute(executable).ok()?;
        let packages = Packages::read(&folders::of(&executable, now));
        Some(Self {
            executable,
            packages,
        })
    }
}

/// Whether a file is called as interpreters are: `python`, `python3`, `python3.11`, `python3-dbg`.
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
        for (name, answer) in [
            ("/usr/bin/python", true),
            ("python3", true),
            ("/env/bin/python3.11", true),
            ("python3.11-dbg", true),
            ("python3-config", false),
            ("pythonic", false),
            ("bash", false),
            ("ipython", false),
        ] {
            assert_eq!(is_python(Path::new(name)), answer, "{name}");
        }
    }
}
