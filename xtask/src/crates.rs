//! The step that tries whether the crates that users depend on could be published.

use std::fs;
use std::path::Path;
use std::process::Command;

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
/// The packages are not built here: that takes minutes, and `cargo xtask crates` does it.
pub(crate) fn package(root: &Path) -> Result<Outcome, String> {
    versions_agree(root)?;
    make_packages(root, &["--no-verify"])?;
    let mut document = tools::cargo(root);
    document
        .env("RUSTDOCFLAGS", "-D warnings")
        .args(["doc", "--no-deps", "--locked"]);
    for name in ["millpond", "millpond-pool"] {
        document.args(["-p", name]);
    }
    tools::run(&mut document)?;
    compare_interfaces(root)?;
    Ok(Outcome::Passed)
}

/// `cargo xtask crates`: makes the packages and compiles what is in them, as whoever depends on them will.
pub(crate) fn verify(root: &Path) -> Result<(), String> {
    versions_agree(root)?;
    make_packages(root, &[])
}

fn make_packages(root: &Path, options: &[&str]) -> Result<(), String> {
    let mut package = tools::cargo(root);
    // Dependencies are fetched already, and the tree may have changes that are not committed.
    package
        .args(["package", "--allow-dirty", "--offline"])
        .args(options);
    for (_, name) in PUBLISHED {
        package.args(["-p", name]);
    }
    tools::run(&mut package)?;
    for (_, name) in PUBLISHED {
        let folder = format!("{name}-{}", env!("CARGO_PKG_VERSION"));
        let archive = tools::target(root)
            .join("package")
            .join(format!("{folder}.crate"));
        let listed = tools::output(Command::new("tar").arg("-tzf").arg(&archive))?;
        complete(&folder, &listed)?;
    }
    Ok(())
}

/// A package has the texts of its licences, and its sources.
fn complete(folder: &str, listed: &str) -> Result<(), String> {
    for file in ["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "src/lib.rs"] {
        let wanted = format!("{folder}/{file}");
        if !listed.lines().any(|line| line == wanted) {
            return Err(format!("{folder}.crate has no {file}"));
        }
    }
    Ok(())
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

/// `cargo semver-checks` against the newest tag of a release; before there is one, against the commit that set the version.
fn compare_interfaces(root: &Path) -> Result<(), String> {
    if !tools::has_component(root, "semver-checks") {
        println!("interfaces are not compared: cargo install --locked cargo-semver-checks");
        return Ok(());
    }
    let Some(baseline) = baseline(root)? else {
        println!(
            "interfaces are not compared: the history does not go back to the commit that set the version"
        );
        return Ok(());
    };
    let mut check = tools::cargo(root);
    check.args(["semver-checks", "--baseline-rev", &baseline]);
    check.args(["-p", "millpond", "-p", "millpond-pool"]);
    tools::run(&mut check)
}

fn baseline(root: &Path) -> Result<Option<String>, String> {
    let git = |words: &[&str]| tools::output(Command::new("git").current_dir(root).args(words));
    let tags = git(&["tag", "--list", "v*", "--sort=-version:refname"])?;
    if let Some(newest) = tags.lines().next() {
        return Ok(Some(newest.to_owned()));
    }
    let commits = git(&[
        "log",
        "-1",
        "--format=%H",
        "-G^version = ",
        "--",
        "Cargo.toml",
    ])?;
    Ok(commits.lines().next().map(str::to_owned))
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

    #[test]
    fn a_package_without_a_licence_is_refused() {
        let whole = "a-1/Cargo.toml\na-1/LICENSE-APACHE\na-1/LICENSE-MIT\na-1/src/lib.rs\n";
        assert_eq!(complete("a-1", whole), Ok(()));
        let lacking = whole.replace("a-1/LICENSE-MIT\n", "");
        assert!(
            complete("a-1", &lacking)
                .unwrap_err()
                .contains("LICENSE-MIT")
        );
    }
}
