//! Environments of Python: made once from a file of requirements, and again when it changes.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::tools::{self, Outcome};

/// Which requirements an environment was made from. It is there only when all of them are.
const STAMP: &str = ".requirements";

/// Makes the environment, unless it is there. There are no packages for every machine and every Python, and tests
/// also run where nothing can be fetched: then this is skipped, and says what pip said.
pub(crate) fn make(root: &Path, folder: &Path, requirements: &str) -> Result<Outcome, String> {
    let file = root.join(requirements);
    let wanted =
        fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let stamp = folder.join(STAMP);
    if fs::read_to_string(&stamp).is_ok_and(|made_from| made_from == wanted) {
        println!("{} is up to date", folder.display());
        return Ok(Outcome::Passed);
    }
    if tools::find("python3").is_none() {
        return Ok(tools::not_installed("python3", "python3-venv"));
    }
    if stamp.exists() {
        fs::remove_file(&stamp).map_err(|error| format!("{}: {error}", stamp.display()))?;
    }
    let made = tools::run(Command::new("python3").args(["-m", "venv"]).arg(folder));
    let installed = made.and_then(|()| {
        tools::output(
            Command::new(folder.join("bin/python"))
                .args(["-m", "pip", "install", "--quiet"])
                .args(["--disable-pip-version-check", "--retries", "1", "-r"])
                .arg(&file),
        )
    });
    if let Err(error) = installed {
        println!("{error}");
        return Ok(Outcome::Skipped(format!(
            "the packages of {requirements} cannot be installed here"
        )));
    }
    fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))?;
    Ok(Outcome::Passed)
}
