//! The installed packages, read from the names of their metadata folders.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Packages by normalised name, with version and folder. As for `import`, the first folder that has a package counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Packages(BTreeMap<String, Package>);

/// One installed package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) version: String,
    /// The folder that it is imported from.
    pub(crate) folder: PathBuf,
}

impl Packages {
    pub(super) fn read(folders: &[PathBuf]) -> Self {
        let mut packages = BTreeMap::new();
        for folder in folders {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                if let Some((name, version)) = entry.file_name().to_str().and_then(parse) {
                    packages.entry(name).or_insert_with(|| Package {
                        version,
                        folder: folder.clone(),
                    });
                }
            }
        }
        Self(packages)
    }

    /// Packages without folders.
    #[cfg(test)]
    pub(crate) fn of(packages: &[(&str, &str)]) -> Self {
        let package = |version: &str| Package {
            version: version.to_owned(),
            folder: PathBuf::new(),
        };
        let named = packages.iter();
        Self(
            named
                .map(|(name, version)| ((*name).to_owned(), package(version)))
                .collect(),
        )
    }

    /// The version of a package, by its normalised name.
    pub(crate) fn version(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|package| package.version.as_str())
    }

    /// The folder that a package is imported from.
    pub(crate) fn folder(&self, name: &str) -> Option<&Path> {
        self.0.get(name).map(|package| package.folder.as_path())
    }
}

/// Name and version in `torch_npu-2.7.1.post11.dist-info`. Older tools write `.egg-info`, with the version of Python in
/// its name.
fn parse(entry: &str) -> Option<(String, String)> {
    let stem = entry
        .strip_suffix(".dist-info")
        .or_else(|| entry.strip_suffix(".egg-info"))?;
    let mut parts = stem.split('-');
    let (name, version) = (parts.next()?, parts.next()?);
    // Names of packages that pip is replacing begin with a tilde.
    let whole = !name.is_empty() && !name.starts_with('~') && !version.is_empty();
    whole.then(|| (normalised(name), version.to_owned()))
}

/// Case does not matter in names, and `-`, `_` and `.` are equivalent.
fn normalised(name: &str) -> String {
    let words = name.split(['-', '_', '.']).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_folders_have_name_and_version() {
        for (entry, expected) in [
            (
                "torch_npu-2.7.1.post11.dist-info",
                Some(("torch-npu", "2.7.1.post11")),
            ),
            ("torch-2.7.1+cpu.dist-info", Some(("torch", "2.7.1+cpu"))),
            ("PyYAML-6.0.2.dist-info", Some(("pyyaml", "6.0.2"))),
            ("numpy-1.26.4-py3.11.egg-info", Some(("numpy", "1.26.4"))),
            (
                "zope.interface-7.0.dist-info",
                Some(("zope-interface", "7.0")),
            ),
            ("~orch-2.7.1.dist-info", None),
            ("numpy.egg-info", None),
            ("torch", None),
            (".dist-info", None),
        ] {
            let expected = expected.map(|(name, version)| (name.to_owned(), version.to_owned()));
            assert_eq!(parse(entry), expected, "{entry}");
        }
    }

    #[test]
    fn the_first_folder_that_has_a_package_counts() {
        let stage = std::env::temp_dir().join(format!("millpond-{}-packages", std::process::id()));
        let (first, second) = (stage.join("first"), stage.join("second"));
        for entry in [
            first.join("torch-2.7.1.dist-info"),
            second.join("torch-2.9.1.dist-info"),
            second.join("numpy-1.26.4.dist-info"),
        ] {
            fs::create_dir_all(entry).unwrap();
        }
        let packages = Packages::read(&[first.clone(), second.clone()]);
        assert_eq!(packages.version("torch"), Some("2.7.1"));
        assert_eq!(packages.folder("torch"), Some(first.as_path()));
        assert_eq!(packages.version("numpy"), Some("1.26.4"));
        assert_eq!(packages.version("scipy"), None);
        fs::remove_dir_all(stage).unwrap();
    }
}
