//! Checks of the rest of the system: a vendor's toolkit, variables, a compiler, Python.

use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;

use super::Check;
use crate::environment::{Variables, Vendor, is_foreign};
use crate::installation::{Installation, LIBRARY};
use crate::settings::VARIABLES;

/// The vendor's variables that our library reads too.
const SHARED_VARIABLES: &[&str] = &[
    "ASCEND_RT_VISIBLE_DEVICES",
    "ASCEND_GLOBAL_LOG_LEVEL",
    "ASCEND_SLOG_PRINT_TO_STDOUT",
];

/// Whether a vendor's toolkit is installed.
pub(super) fn vendor(installation: &Installation, now: &Variables) -> Check {
    let name = "vendor toolkit";
    let vendor = Vendor::new(installation, now);
    let installed: Vec<String> = vendor
        .installed()
        .into_iter()
        .map(|root| root.display().to_string())
        .collect();
    if installed.is_empty() {
        return Check::ok(name, "none found, none needed");
    }
    Check::note(
        name,
        installed.join(", "),
        "millpond run hides it from the program; source set_env.sh after the vendor's",
    )
}

/// Which library a program would get without `millpond run`: the first in `LD_LIBRARY_PATH`.
pub(super) fn direct_start(installation: &Installation, now: &Variables) -> Check {
    let name = "direct start";
    let hint = "use millpond run -- PROGRAM, or source set_env.sh of the dist folder in this shell";
    let list = now
        .get(OsStr::new("LD_LIBRARY_PATH"))
        .cloned()
        .unwrap_or_default();
    // An empty list has no entries, although splitting it yields one.
    for folder in env::split_paths(&list).filter(|_| !list.is_empty()) {
        let library = folder.join(LIBRARY);
        if is_foreign(&folder, LIBRARY, installation) {
            let found = format!(
                "a directly started program would load {}",
                library.display()
            );
            return Check::note(name, found, hint);
        }
        if installation.owns(&library) {
            return Check::ok(name, "LD_LIBRARY_PATH contains our library");
        }
    }
    Check::note(name, "LD_LIBRARY_PATH does not contain our library", hint)
}

/// The variables that are set, and unknown ones with our prefix.
pub(super) fn variables(now: &Variables) -> Check {
    let name = "variables";
    let mut set = Vec::new();
    let mut unknown = Vec::new();
    for (variable, value) in now {
        let variable = variable.to_string_lossy();
        if VARIABLES.contains(&&*variable) || SHARED_VARIABLES.contains(&&*variable) {
            set.push(format!("{variable}={}", value.display()));
        } else if variable.starts_with("MILLPOND_") && !variable.starts_with("MILLPOND_TEST_") {
            unknown.push(variable.into_owned());
        }
    }
    let found = if set.is_empty() {
        "none set; defaults apply".to_owned()
    } else {
        set.join(" ")
    };
    if unknown.is_empty() {
        return Check::ok(name, found);
    }
    Check::note(
        name,
        format!("{found}; unknown: {}", unknown.join(" ")),
        format!("known variables: {}", VARIABLES.join(" ")),
    )
}

/// A C compiler: `$CC`, else `cc`. Needed to build programs, not to run them.
pub(super) fn compiler(now: &Variables) -> Check {
    let name = "compiler";
    let chosen = now.get(OsStr::new("CC")).map_or_else(
        || "cc".to_owned(),
        |value| value.to_string_lossy().into_owned(),
    );
    let program = chosen.split_whitespace().next().unwrap_or("cc");
    version_of(program).map_or_else(
        || {
            Check::note(
                name,
                format!("{program} not found"),
                "needed only to build C programs: apt-get install gcc libc6-dev",
            )
        },
        |version| Check::ok(name, version),
    )
}

/// Python 3, which only programs in Python need.
pub(super) fn python(now: &Variables) -> Check {
    let name = "python3";
    let path = now.get(OsStr::new("PATH")).cloned().unwrap_or_default();
    let found: Option<PathBuf> = env::split_paths(&path)
        .map(|folder| folder.join("python3"))
        .find(|path| path.is_file());
    match found.zip(version_of("python3")) {
        Some((path, version)) => Check::ok(name, format!("{version}, {}", path.display())),
        None => Check::note(
            name,
            "not found",
            "needed only for programs in Python: apt-get install python3",
        ),
    }
}

/// The first line that `PROGRAM --version` prints.
fn version_of(program: &str) -> Option<String> {
    let output = Command::new(program).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().next()?.trim();
    (output.status.success() && !line.is_empty()).then(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::*;
    use crate::installation::Layout;

    fn variables_of(pairs: &[(&str, &str)]) -> Variables {
        pairs
            .iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect()
    }

    #[test]
    fn a_misspelled_variable_is_noted_with_the_right_names() {
        let check = variables(&variables_of(&[("MILLPOND_PROFIL", "x")]));
        assert_eq!(check.status, Status::Note);
        assert!(check.found.contains("MILLPOND_PROFIL"));
        assert!(check.hint.unwrap().contains("MILLPOND_PROFILE"));
    }

    #[test]
    fn variables_in_effect_are_listed() {
        let now = variables_of(&[
            ("MILLPOND_DEVICES", "2"),
            ("ASCEND_RT_VISIBLE_DEVICES", "1"),
            ("MILLPOND_TEST_WRAPPER", "valgrind"),
        ]);
        let check = variables(&now);
        assert_eq!(check.status, Status::Ok);
        assert_eq!(
            check.found,
            "ASCEND_RT_VISIBLE_DEVICES=1 MILLPOND_DEVICES=2"
        );
    }

    #[test]
    fn the_first_library_in_the_path_is_the_one_that_counts() {
        let base = env::temp_dir().join(format!("millpond-{}-shadow", std::process::id()));
        let (ours, theirs) = (base.join("ours"), base.join("theirs"));
        for folder in [&ours, &theirs] {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(folder.join(LIBRARY), "").unwrap();
        }
        let installation = Installation {
            home: ours.clone(),
            lib: ours.clone(),
            layout: Layout::Build,
        };
        let check = |list: String| {
            let now = variables_of(&[("LD_LIBRARY_PATH", &list)]);
            direct_start(&installation, &now)
        };
        let (ours, theirs) = (ours.display(), theirs.display());
        assert_eq!(
            check(format!("/nowhere:{ours}:{theirs}")).status,
            Status::Ok
        );
        let shadowed = check(format!("{theirs}:{ours}"));
        assert_eq!(shadowed.status, Status::Note);
        assert!(shadowed.found.contains("theirs"));
        assert_eq!(check(String::new()).status, Status::Note);
        std::fs::remove_dir_all(base).unwrap();
    }
}
