//! The step that tries what `action/` offers to the CI of others.

use std::path::Path;
use std::process::Command;

use crate::python;
use crate::tools::{self, Outcome};

/// Runs the steps of the GitHub action and of the GitLab template as scripts, with the wheel that was built, and builds the container
/// if a daemon is there.
pub(crate) fn templates(root: &Path) -> Result<Outcome, String> {
    let folder = tools::target(root).join("ci");
    let environment = folder.join("venv");
    let python = environment.join("bin/python");
    if !python.is_file() {
        tools::run(
            Command::new("python3")
                .args(["-m", "venv"])
                .arg(&environment),
        )?;
    }
    let pip = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "pyyaml",
    ];
    if tools::run(Command::new(&python).args(pip)).is_err() {
        return Ok(Outcome::Skipped(
            "PyYAML is needed to read the templates, and pip could not install it".to_owned(),
        ));
    }
    let mut test = Command::new(&python);
    test.arg(root.join("action/test.py"))
        .arg(python::built(root)?)
        .arg(folder.join("work"));
    tools::run(test.current_dir(root)).map(|()| Outcome::Passed)
}
