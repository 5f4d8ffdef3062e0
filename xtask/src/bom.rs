//! The bill of materials: every crate inside the libraries and the command, as a `CycloneDX` list.
//!
//! What is listed is what is linked: dependencies for tests, for build scripts and for macros that run in the compiler are not.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::kit::Processor;
use crate::{licences, tools};

/// One crate that is shipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// An SPDX expression.
    pub(crate) licence: Option<String>,
    /// SHA-256 of the published archive; our own crates have none.
    pub(crate) checksum: Option<String>,
    /// `NAME@VERSION` of those that it links, sorted.
    pub(crate) needs: Vec<String>,
    /// Where its sources are.
    pub(crate) folder: PathBuf,
}

impl Package {
    pub(crate) fn key(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }
}

/// Every crate that is inside what users get, sorted by name and version.
pub(crate) fn shipped(root: &Path) -> Result<Vec<Package>, String> {
    let lock = fs::read_to_string(root.join("Cargo.lock"))
        .map_err(|error| format!("Cargo.lock: {error}"))?;
    let metadata: Value = serde_json::from_str(&licences::metadata(root)?)
        .map_err(|error| format!("cargo metadata: {error}"))?;
    let mut packages = reachable(&metadata, &lock)
        .ok_or_else(|| "cargo metadata has another form than expected".to_owned())?;
    keep_linked(&mut packages, &linked(root)?);
    Ok(packages)
}

/// Takes out what is not linked.
fn keep_linked(packages: &mut Vec<Package>, linked: &BTreeSet<String>) {
    packages.retain(|package| linked.contains(&package.key()));
    for package in packages {
        package.needs.retain(|key| linked.contains(key));
    }
}

/// `NAME@VERSION` of what is linked for one of the processors. `cargo metadata` joins the features of all systems, so it also
/// names crates that no build of ours has.
fn linked(root: &Path) -> Result<BTreeSet<String>, String> {
    let mut linked = BTreeSet::new();
    for processor in Processor::ALL {
        let mut tree = tools::cargo(root);
        tree.args(["tree", "--locked", "--prefix", "none", "--format", "{p}"])
            .args(["--edges", "normal,no-proc-macro", "--target"])
            .arg(processor.triple());
        for package in tools::SHIPPED {
            tree.args(["-p", &format!("millpond-{package}")]);
        }
        linked.extend(tools::output(&mut tree)?.lines().filter_map(key_of_tree));
    }
    Ok(linked)
}

/// `NAME@VERSION` of a line `NAME vVERSION (PATH)`.
fn key_of_tree(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let (name, version) = (words.next()?, words.next()?);
    Some(format!("{name}@{}", version.strip_prefix('v')?))
}

/// Follows the dependencies of the shipped crates.
fn reachable(metadata: &Value, lock: &str) -> Option<Vec<Package>> {
    let packages: BTreeMap<&str, &Value> = metadata["packages"]
        .as_array()?
        .iter()
        .filter_map(|package| Some((package["id"].as_str()?, package)))
        .collect();
    let nodes: BTreeMap<&str, &Value> = metadata["resolve"]["nodes"]
        .as_array()?
        .iter()
        .filter_map(|node| Some((node["id"].as_str()?, node)))
        .collect();
    let is_shipped = |package: &Value| {
        let name = package["name"].as_str().unwrap_or_default();
        tools::SHIPPED
            .iter()
            .any(|one| name == format!("millpond-{one}"))
    };
    let starts = packages.iter().filter(|(_, package)| is_shipped(package));
    let mut open: Vec<&str> = starts.map(|(id, _)| *id).collect();
    let checksums = checksums(lock);
    let mut found: BTreeMap<String, Package> = BTreeMap::new();
    while let Some(id) = open.pop() {
        let package = packages.get(id)?;
        let (name, version) = (package["name"].as_str()?, package["version"].as_str()?);
        let key = format!("{name}@{version}");
        if found.contains_key(&key) {
            continue;
        }
        let linked = nodes.get(id)?["deps"]
            .as_array()?
            .iter()
            .filter(|needed| is_linked(needed));
        let linked: Vec<&str> = linked.filter_map(|needed| needed["pkg"].as_str()).collect();
        let mut needs: Vec<String> = linked
            .iter()
            .filter_map(|id| packages.get(id))
            .filter_map(|one| {
                Some(format!(
                    "{}@{}",
                    one["name"].as_str()?,
                    one["version"].as_str()?
                ))
            })
            .collect();
        needs.sort();
        open.extend(linked);
        found.insert(
            key.clone(),
            Package {
                name: name.to_owned(),
                version: version.to_owned(),
                licence: package["license"].as_str().map(str::to_owned),
                checksum: checksums.get(&key).cloned(),
                needs,
                folder: Path::new(package["manifest_path"].as_str()?)
                    .parent()?
                    .to_owned(),
            },
        );
    }
    Some(found.into_values().collect())
}

/// A dependency of the crate itself, not of its tests or its build script.
fn is_linked(dependency: &Value) -> bool {
    let kinds = dependency["dep_kinds"].as_array();
    kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
}

/// `NAME@VERSION` and the checksum of each crate of a lock file.
fn checksums(lock: &str) -> BTreeMap<String, String> {
    let value = |block: &str, key: &str| {
        let line = block
            .lines()
            .find(|line| line.starts_with(&format!("{key} = ")))?;
        line.split('"').nth(1).map(str::to_owned)
    };
    lock.split("[[package]]")
        .filter_map(|block| {
            let key = format!("{}@{}", value(block, "name")?, value(block, "version")?);
            Some((key, value(block, "checksum")?))
        })
        .collect()
}

/// Writes the list.
pub(crate) fn write(root: &Path, epoch: u64, file: &Path) -> Result<(), String> {
    let when = Command::new("date")
        .args(["-u", "-d", &format!("@{epoch}"), "+%FT%TZ"])
        .output();
    let when = when.map_err(|error| format!("date: {error}"))?;
    let when = String::from_utf8_lossy(&when.stdout).trim().to_owned();
    let requirements = fs::read_to_string(root.join("requirements.txt"))
        .map_err(|error| format!("requirements.txt: {error}"))?;
    let engine = requirements
        .lines()
        .find_map(|line| line.strip_prefix("onnxruntime=="));
    let list = list(&shipped(root)?, engine.unwrap_or_default(), &when);
    fs::write(file, format!("{list:#}\n")).map_err(|error| format!("{}: {error}", file.display()))
}

fn list(packages: &[Package], engine: &str, when: &str) -> Value {
    let own = format!("pkg:generic/millpond@{}", env!("CARGO_PKG_VERSION"));
    let link = |key: &str| format!("pkg:cargo/{key}");
    let engine_link = format!("pkg:pypi/onnxruntime@{engine}");
    let mut components: Vec<Value> = packages
        .iter()
        .map(|package| {
            let mut component = json!({
                "type": "library",
                "bom-ref": link(&package.key()),
                "name": package.name,
                "version": package.version,
                "purl": link(&package.key()),
            });
            if let Some(licence) = &package.licence {
                component["licenses"] = json!([{ "expression": licence.replace('/', " OR ") }]);
            }
            if let Some(checksum) = &package.checksum {
                component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
            }
            component
        })
        .collect();
    components.push(json!({
        "type": "library",
        "bom-ref": engine_link,
        "name": "onnxruntime",
        "version": engine,
        "purl": engine_link,
        "licenses": [{ "expression": "MIT" }],
        "description": "in the archives and the Debian packages; a wheel requires the package instead",
    }));
    let mut dependencies: Vec<Value> = packages
        .iter()
        .map(|package| {
            let needs: Vec<String> = package.needs.iter().map(|key| link(key)).collect();
            json!({ "ref": link(&package.key()), "dependsOn": needs })
        })
        .collect();
    let is_shipped = |package: &&Package| {
        tools::SHIPPED
            .iter()
            .any(|one| package.name == format!("millpond-{one}"))
    };
    let mut needs: Vec<String> = packages
        .iter()
        .filter(is_shipped)
        .map(|one| link(&one.key()))
        .collect();
    needs.push(engine_link);
    dependencies.push(json!({ "ref": own, "dependsOn": needs }));
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": when,
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": "millpond",
                "version": env!("CARGO_PKG_VERSION"),
                "licenses": [{ "expression": "Apache-2.0 OR MIT" }],
            },
        },
        "components": components,
        "dependencies": dependencies,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(id: &str, needs: &[(&str, Value)]) -> Value {
        let needs: Vec<Value> = needs
            .iter()
            .map(|(id, kind)| json!({ "pkg": id, "dep_kinds": [{ "kind": kind }] }))
            .collect();
        json!({ "id": id, "deps": needs })
    }

    #[test]
    fn crates_of_other_systems_are_left_out() {
        let package = |name: &str, needs: &[&str]| Package {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: None,
            checksum: None,
            needs: needs.iter().map(|&need| need.to_owned()).collect(),
            folder: PathBuf::new(),
        };
        let tree = "a v1.0.0 (/somewhere/crates/a)\nb v1.0.0\nb v1.0.0 (*)\n\n";
        let linked: BTreeSet<String> = tree.lines().filter_map(key_of_tree).collect();
        let mut packages = vec![
            package("a", &["b@1.0.0", "elsewhere@1.0.0"]),
            package("b", &[]),
            package("elsewhere", &[]),
        ];
        keep_linked(&mut packages, &linked);
        assert_eq!(packages, [package("a", &["b@1.0.0"]), package("b", &[])]);
    }

    #[test]
    fn what_is_linked_is_listed_and_nothing_else() {
        let package = |name: &str| {
            json!({ "id": name, "name": name, "version": "1.0.0", "license": "MIT",
                "manifest_path": format!("/somewhere/{name}/Cargo.toml") })
        };
        let packages = ["millpond-capi", "a", "b", "builder", "tester", "xtask"].map(package);
        let metadata = json!({
            "packages": packages,
            "resolve": { "nodes": [
                node("millpond-capi", &[("a", Value::Null), ("builder", json!("build")), ("tester", json!("dev"))]),
                node("a", &[("b", Value::Null)]),
                node("b", &[]),
                node("builder", &[]),
                node("tester", &[]),
                node("xtask", &[("tester", Value::Null)]),
            ]},
        });
        let lock = "[[package]]\nname = \"b\"\nversion = \"1.0.0\"\nchecksum = \"abc\"\n";
        let found = reachable(&metadata, lock).unwrap();
        let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "millpond-capi"]);
        assert_eq!(found[1].checksum.as_deref(), Some("abc"));
        assert_eq!(found[2].needs, ["a@1.0.0"]);
        assert_eq!(found[0].folder, Path::new("/somewhere/a"));

        let list = list(&found, "1.2.3", "1970-01-01T00:00:00Z");
        let refs: Vec<&Value> = list["components"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| &one["bom-ref"])
            .collect();
        // Every reference leads to a component.
        for dependency in list["dependencies"].as_array().unwrap() {
            for needed in dependency["dependsOn"].as_array().unwrap() {
                assert!(refs.contains(&needed), "{needed}");
            }
        }
        assert_eq!(list["components"].as_array().unwrap().len(), 4);
    }
}
