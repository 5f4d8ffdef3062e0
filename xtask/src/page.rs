//! The page of `millpond view`: whether what is committed was built from its source, and what it does in a browser.
//!
//! Building Millpond needs neither Node nor a browser; these steps do, and are skipped where they are missing. Packages go below
//! `target/`, so that the source folder stays as it is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tools::{self, Build, Outcome};

/// The names of the steps.
pub(crate) const PACKAGES: &str = "page: packages";
pub(crate) const SOURCE: &str = "page: source";
pub(crate) const BROWSER: &str = "page: in a browser";

/// Where the page is built and tested.
fn folder(root: &Path) -> PathBuf {
    tools::target(root).join("page")
}

/// Copies the source and installs what the lock file names.
pub(crate) fn packages(root: &Path) -> Result<Outcome, String> {
    if tools::find("npm").is_none() {
        return Ok(tools::not_installed("npm", "npm"));
    }
    let page = folder(root);
    for part in ["src", "test", "built"] {
        let old = page.join(part);
        if old.exists() {
            fs::remove_dir_all(&old).map_err(|error| format!("{}: {error}", old.display()))?;
        }
    }
    copy(&root.join("crates/view/page"), &page)?;
    let mut install = Command::new("npm");
    install
        .args(["ci", "--silent", "--no-audit", "--no-fund"])
        .current_dir(&page);
    tools::run(&mut install).map(|()| Outcome::Passed)
}

/// Types, and whether `built/page.html` is what the source gives.
pub(crate) fn source(root: &Path) -> Result<Outcome, String> {
    let mut check = Command::new("npm");
    check.args(["run", "check"]).current_dir(folder(root));
    tools::run(&mut check).map(|()| Outcome::Passed)
}

/// Clicks, keys and figures in headless Chromium.
pub(crate) fn browser(root: &Path) -> Result<Outcome, String> {
    let Some(chromium) = tools::find("chromium") else {
        return Ok(tools::not_installed("chromium", "chromium"));
    };
    let command = tools::target(root)
        .join(Build::Debug.folder())
        .join("millpond");
    let mut test = Command::new("npm");
    test.args(["run", "test"])
        .current_dir(folder(root))
        .env("MILLPOND", command)
        .env("CHROMIUM", chromium);
    tools::run(&mut test).map(|()| Outcome::Passed)
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |error: std::io::Error| format!("{path}: {error}")
    };
    fs::create_dir_all(to).map_err(failed(to))?;
    for entry in fs::read_dir(from).map_err(failed(from))? {
        let entry = entry.map_err(failed(from))?;
        let (source, copied) = (entry.path(), to.join(entry.file_name()));
        if entry.file_name() == "node_modules" {
            continue;
        }
        if source.is_dir() {
            copy(&source, &copied)?;
        } else {
            fs::copy(&source, &copied).map_err(failed(&source))?;
        }
    }
    Ok(())
}
