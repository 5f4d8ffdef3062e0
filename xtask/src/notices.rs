//! The licences of the crates inside the libraries and the command, for whoever gets those without their sources: most
//! licences ask for their text to come along.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::bom::{self, Package};

/// The file's name in every form of installation.
pub(crate) const FILE: &str = "THIRD-PARTY-NOTICES";

/// The text of the file: the crates of others by name, and each licence once with the crates that bring it.
pub(crate) fn text(root: &Path) -> Result<String, String> {
    let packages = bom::shipped(root)?;
    // Our own crates have no checksum, because no registry has them.
    let others: Vec<&Package> = packages
        .iter()
        .filter(|one| one.checksum.is_some())
        .collect();
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in &others {
        for licence in licences(&package.folder)? {
            texts.entry(licence).or_default().push(package.key());
        }
    }
    Ok(format(&others, &texts))
}

fn format(packages: &[&Package], texts: &BTreeMap<String, Vec<String>>) -> String {
    let crates: Vec<String> = packages
        .iter()
        .map(|one| {
            let licence = one.licence.as_deref().unwrap_or("see below");
            format!("{} {} ({licence})\n", one.name, one.version)
        })
        .collect();
    let mut texts: Vec<(&String, &Vec<String>)> = texts.iter().collect();
    texts.sort_by(|one, other| one.1.cmp(other.1));
    let line = "-".repeat(80);
    let texts: Vec<String> = texts
        .into_iter()
        .map(|(text, keys)| format!("\n{line}\n{}\n\n{text}\n", keys.join(", ")))
        .collect();
    format!(
        "Millpond's libraries and its command contain these crates, under the licences that follow.\n\n{}{}",
        crates.concat(),
        texts.concat()
    )
}

/// The texts of the files of licences and notices in a crate's folder.
fn licences(folder: &Path) -> Result<Vec<String>, String> {
    let failed = |error| format!("{}: {error}", folder.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_file() && is_licence(&name) {
            paths.push(path);
        }
    }
    paths.sort();
    let read = |path| fs::read(path).map_err(failed);
    let texts = paths.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    // Only ends of lines and of the text differ between many of them.
    let plain = |bytes: Vec<u8>| {
        let text = String::from_utf8_lossy(&bytes).replace('\r', "");
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        lines.join("\n").trim_matches('\n').to_owned()
    };
    Ok(texts.into_iter().map(plain).collect())
}

fn is_licence(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let code = [".RS", ".PY", ".SH"]
        .iter()
        .any(|ending| name.ends_with(ending));
    let starts = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];
    !code && starts.iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_licences() {
        for name in [
            "LICENSE-MIT",
            "license",
            "COPYING.md",
            "NOTICE",
            "UNLICENSE",
        ] {
            assert!(is_licence(name), "{name}");
        }
        for name in ["src", "README.md", "license.rs", "Cargo.toml"] {
            assert!(!is_licence(name), "{name}");
        }
    }

    #[test]
    fn every_crate_of_others_is_named_and_almost_all_bring_a_text() {
        let root = crate::root();
        let text = text(&root).unwrap();
        let packages = bom::shipped(&root).unwrap();
        let others = packages.iter().filter(|one| one.checksum.is_some());
        let mut without = Vec::new();
        for package in others {
            let line = format!("{} {} (", package.name, package.version);
            assert!(text.contains(&line), "{line}");
            if licences(&package.folder).unwrap().is_empty() {
                without.push(package.key());
            }
        }
        assert!(text.contains("Permission is hereby granted"), "{text}");
        assert!(
            !text.contains("millpond-"),
            "our own crates are none of others"
        );
        // What brings no text of its own is licensed by the expression beside its name.
        assert!(without.len() < 10, "{without:?}");
    }
}
