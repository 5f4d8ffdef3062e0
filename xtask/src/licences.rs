//! The licences of what is shipped, compared with `deny.toml`. cargo-deny checks more, where it is installed; this needs
//! nothing but Cargo, so that no release is made without it.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::bom::{self, Package};
use crate::tools;

/// Fails if a crate that is shipped has a licence that `deny.toml` does not allow.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    if tools::has_component(root, "deny") {
        return tools::run(
            tools::cargo(root).args(["deny", "check", "bans", "licenses", "sources"]),
        );
    }
    println!("cargo-deny is not installed: only the licences are compared with deny.toml");
    compare(root)
}

/// The comparison that needs no cargo-deny.
pub(crate) fn compare(root: &Path) -> Result<(), String> {
    let file = root.join("deny.toml");
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let allowed = allowed(&text).ok_or("deny.toml has no line 'allow = [...]'")?;
    let packages = bom::shipped(root)?;
    let refused: Vec<String> = packages
        .iter()
        .filter_map(|one| refusal(one, &allowed))
        .collect();
    if refused.is_empty() {
        println!("{} crates have allowed licences", packages.len());
        Ok(())
    } else {
        Err(refused.join("\n"))
    }
}

/// The licences of the line `allow = ["A", "B"]`.
fn allowed(text: &str) -> Option<Vec<String>> {
    let line = text.lines().find(|line| line.starts_with("allow = ["))?;
    let quoted = line.split('"').skip(1).step_by(2);
    Some(quoted.map(str::to_owned).collect())
}

fn refusal(package: &Package, allowed: &[String]) -> Option<String> {
    let name = format!("{} {}", package.name, package.version);
    let Some(licence) = &package.licence else {
        return Some(format!("{name} does not say its licence"));
    };
    (!fits(licence, allowed))
        .then(|| format!("{name} is licensed as '{licence}', which deny.toml does not allow"))
}

/// Whether an expression such as `(MIT OR Apache-2.0) AND Unicode-3.0` can be met with these licences. An exception makes
/// a licence milder, so `Apache-2.0 WITH LLVM-exception` is as good as without it.
fn fits(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader {
        words: &words,
        allowed,
    };
    let fits = reader.either();
    fits == Some(true) && reader.words.is_empty()
}

/// Reads an expression from the left. `None` is one that is not well formed.
struct Reader<'a> {
    words: &'a [&'a str],
    allowed: &'a [String],
}

impl Reader<'_> {
    fn either(&mut self) -> Option<bool> {
        let mut fits = self.both()?;
        while self.next_is("OR") {
            fits |= self.both()?;
        }
        Some(fits)
    }

    fn both(&mut self) -> Option<bool> {
        let mut fits = self.one()?;
        while self.next_is("AND") {
            fits &= self.one()?;
        }
        Some(fits)
    }

    fn one(&mut self) -> Option<bool> {
        if self.next_is("(") {
            let inside = self.either()?;
            return self.next_is(")").then_some(inside);
        }
        let (name, rest) = self.words.split_first()?;
        self.words = rest;
        if self.next_is("WITH") {
            self.words = self.words.get(1..)?;
        }
        Some(self.allowed.iter().any(|one| one == name))
    }

    fn next_is(&mut self, word: &str) -> bool {
        let there = self.words.first() == Some(&word);
        if there {
            self.words = &self.words[1..];
        }
        there
    }
}

/// What `cargo metadata` says of everything.
pub(crate) fn metadata(root: &Path) -> Result<String, String> {
    let mut cargo: Command = tools::cargo(root);
    cargo.args(["metadata", "--format-version", "1", "--locked"]);
    for processor in crate::kit::Processor::ALL {
        cargo.args(["--filter-platform", &processor.triple()]);
    }
    let output = cargo
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!(
            "cargo metadata: {}",
            String::from_utf8_lossy(&output.stderr)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_met_by_what_is_allowed() {
        let allowed = ["MIT", "Apache-2.0", "Unicode-3.0"].map(str::to_owned);
        for (expression, expected) in [
            ("MIT", true),
            ("GPL-3.0", false),
            ("MIT OR GPL-3.0", true),
            ("MIT AND GPL-3.0", false),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
            ("GPL-3.0 OR MIT AND BSL-1.0", false),
            ("Apache-2.0 WITH LLVM-exception OR GPL-3.0", true),
            ("MIT/Apache-2.0", true),
            ("", false),
            ("(MIT", false),
            ("MIT MIT", false),
        ] {
            assert_eq!(fits(expression, &allowed), expected, "{expression}");
        }
    }

    #[test]
    fn the_allowed_ones_are_read_from_deny_toml() {
        let allowed = allowed(include_str!("../../deny.toml")).unwrap();
        assert!(
            allowed.contains(&"MIT".to_owned()) && allowed.len() > 3,
            "{allowed:?}"
        );
    }

    #[test]
    fn a_crate_without_a_licence_is_refused() {
        let package = Package {
            name: "x".to_owned(),
            version: "1.0.0".to_owned(),
            licence: None,
            checksum: None,
            needs: Vec::new(),
            folder: std::path::PathBuf::new(),
        };
        assert!(
            refusal(&package, &["MIT".to_owned()])
                .unwrap()
                .contains("x 1.0.0")
        );
    }
}
