//! The step that tries whether the crates that users depend on could be published.

use std::fs;
use std::path::Path;

use crate::tools::{self, Outcome};

/// The crates, by folder: `millpond`, `millpond-pool`, and what they need.
const PUBLISHED: [(&str, &str); 7] = [
    ("cuda", "millpond-cuda"),
    ("device", "millpond-device"),
    ("engine", "millpond-engine"),
    ("model", "millpond-model"),
    ("pool", "millpond-pool"),
    ("trace", "millpond-trace"),
    ("runtime", "millpond"),
];

/// Makes the packages and the documentation, and compares the interface with the last release where a tool and a release are there.
///
/// The packages are not built here: that takes minutes, and `cargo package` without `--no-verify` does it.
pub(crate) fn package(root: &Path) -> Result<Outcome, String> {
    versions_agree(root)?;
    let mut package = tools::cargo(root);
    // Dependencies are fetched already, and the tree may have changes that are not committed.
    package.args(["package", "--no-verify", "--allow-dirty", "--offline"]);
    let mut document = tools::cargo(root);
    document
        .env("RUSTDOCFLAGS", "-D warnings")
        .args(["doc", "--no-deps", "--locked"]);
    for (_, name) in PUBLISHED {
        package.args(["-p", name]);
    }
    for name in ["millpond", "millpond-pool"] {
        document.args(["-p", name]);
    }
    tools::run(&mut package)?;
    tools::run(&mut document)?;
    compare_interfaces(root)?;
    Ok(Outcome::Passed)
}

/// Crates that are published need their own version where others depend on them.
fn versions_agree(root: &Path) -> Result<(), String> {
    let text = fs::read_to_string(root.join("Cargo.toml"))
        .map_err(|error| format!("Cargo.toml: {error}"))?;
    let version = text
        .lines()
        .find_map(|line| line.strip_prefix("version = "))
        .ok_or("Cargo.toml names no version of the workspace")?;
    for (folder, name) in PUBLISHED {
        let wanted = format!("{name} = {{ version = {version}, path = \"crates/{folder}\" }}");
        if !text.lines().any(|line| line == wanted) {
            return Err(format!("Cargo.toml: expected the line `{wanted}`"));
        }
    }
    Ok(())
}

/// `cargo semver-checks` against the newest tag of a release.
fn compare_interfaces(root: &Path) -> Result<(), String> {
    if !tools::has_component(root, "semver-checks") {
        println!("interfaces are not compared: cargo install --locked cargo-semver-checks");
        return Ok(());
    }
    let mut tags = std::process::Command::new("git");
    tags.current_dir(root)
        .args(["tag", "--list", "v*", "--sort=-version:refname"]);
    let tags = tools::output(&mut tags)?;
    let Some(newest) = tags.lines().next() else {
        println!("interfaces are not compared: there is no tag of a release");
        return Ok(());
    };
    let mut check = tools::cargo(root);
    check.args(["semver-checks", "--baseline-rev", newest]);
    check.args(["-p", "millpond", "-p", "millpond-pool"]);
    tools::run(&mut check)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crates_that_are_published_are_those_of_the_list() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut published = Vec::new();
        for entry in fs::read_dir(root.join("crates")).unwrap() {
            let folder = entry.unwrap().path();
            let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
            if manifest.lines().any(|line| line == "publish = true") {
                published.push(folder.file_name().unwrap().to_string_lossy().into_owned());
            }
        }
        published.sort();
        let mut listed: Vec<&str> = PUBLISHED.iter().map(|(folder, _)| *folder).collect();
        listed.sort_unstable();
        assert_eq!(published, listed);
    }

    #[test]
    fn the_versions_of_the_workspace_agree() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        assert_eq!(versions_agree(&root), Ok(()));
    }
}
