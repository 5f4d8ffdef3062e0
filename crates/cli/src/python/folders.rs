//! Where an interpreter searches packages, in its order: `PYTHONPATH`, an environment or the user's folder, the
//! interpreter's own. Folders that `.pth` files name come last.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::environment::Variables;

/// The version of this interpreter, such as `3.11`, if its files reveal it, and its package folders.
pub(super) fn of(executable: &Path, now: &Variables) -> (Option<String>, Vec<PathBuf>) {
    let value = |name: &str| {
        now.get(OsStr::new(name))
            .filter(|value| !value.is_empty())
            .cloned()
    };
    let mut folders = Vec::new();
    if let Some(list) = value("PYTHONPATH") {
        folders.extend(env::split_paths(&list).filter(|folder| !folder.as_os_str().is_empty()));
    }
    folders.retain(|folder| folder.is_dir());
    // Only package folders have `.pth` files.
    let listed = folders.len();
    let user = value("HOME").filter(|_| value("PYTHONNOUSERSITE").is_none());
    let user = user.map(|home| Path::new(&home).join(".local"));
    let version;
    if let Some(environment) = Environment::around(executable) {
        version = environment.version;
        let version = version.as_deref();
        folders.extend(below(&environment.prefix, version));
        if let Some(base) = environment.base {
            folders.extend(user.iter().flat_map(|user| below(user, version)));
            folders.extend(of_installation(&base, version));
        }
    } else {
        let real = executable
            .canonicalize()
            .unwrap_or_else(|_| executable.to_path_buf());
        version = version_in(&real);
        let version = version.as_deref();
        folders.extend(user.iter().flat_map(|user| below(user, version)));
        if let Some(prefix) = real.parent().and_then(Path::parent) {
            folders.extend(of_installation(prefix, version));
        }
    }
    folders.retain(|folder| folder.is_dir());
    let named: Vec<PathBuf> = folders[listed..]
        .iter()
        .flat_map(|folder| named_in(folder))
        .collect();
    folders.extend(named);
    (version, folders)
}

/// The folders that the `.pth` files in a package folder name, one per line. Lines with code are ignored.
fn named_in(packages: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(packages).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "pth"));
    files.sort();
    let texts = files
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok());
    let mut named = Vec::new();
    for text in texts {
        let lines = text.lines().map(str::trim_end);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        named.extend(lines.map(|line| packages.join(line)));
    }
    named.retain(|folder| folder.is_dir());
    named
}

/// A virtual environment.
struct Environment {
    prefix: PathBuf,
    version: Option<String>,
    /// The installation whose packages it includes.
    base: Option<PathBuf>,
}

impl Environment {
    fn around(executable: &Path) -> Option<Self> {
        let prefix = executable.parent()?.parent()?;
        let text = fs::read_to_string(prefix.join("pyvenv.cfg")).ok()?;
        let shows_base = setting(&text, &["include-system-site-packages"])
            .is_some_and(|value| value.eq_ignore_ascii_case("true"));
        let base = setting(&text, &["home"]).and_then(|bin| Path::new(bin).parent());
        Some(Self {
            prefix: prefix.to_path_buf(),
            version: setting(&text, &["version", "version_info"]).and_then(short),
            base: base.filter(|_| shows_base).map(Path::to_path_buf),
        })
    }
}

/// The value of the first of these names in the lines `name = value`.
fn setting<'a>(text: &'a str, names: &[&str]) -> Option<&'a str> {
    let mut pairs = text.lines().filter_map(|line| line.split_once('='));
    pairs
        .find(|(name, _)| names.contains(&name.trim()))
        .map(|(_, value)| value.trim())
}

/// `3.11` of `3.11.7`.
fn short(version: &str) -> Option<String> {
    let mut parts = version.split('.');
    let (major, minor) = (parts.next()?, parts.next()?);
    Some(format!("{major}.{minor}"))
}

/// `3.11` of `/usr/bin/python3.11`.
fn version_in(executable: &Path) -> Option<String> {
    let name = executable.file_name()?.to_str()?;
    let version = name.strip_prefix("python")?;
    let end = version.find(|c: char| !c.is_ascii_digit() && c != '.');
    short(&version[..end.unwrap_or(version.len())])
}

/// The folders of an interpreter that is installed below `prefix`.
fn of_installation(prefix: &Path, version: Option<&str>) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    if prefix == Path::new("/usr") {
        // Where pip installs for all users on Debian.
        folders.extend(below(Path::new("/usr/local"), version));
    }
    folders.extend(below(prefix, version));
    folders.push(prefix.join("lib/python3/dist-packages"));
    folders
}

/// The packages of a version below `prefix`, or of every version if none is known.
fn below(prefix: &Path, version: Option<&str>) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for lib in ["lib", "lib64"] {
        let lib = prefix.join(lib);
        let pythons = if let Some(version) = version {
            vec![lib.join(format!("python{version}"))]
        } else {
            let entries = fs::read_dir(&lib).into_iter().flatten().flatten();
            let mut pythons: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
            pythons.retain(|path| version_in(path).is_some());
            pythons.sort();
            pythons
        };
        for python in pythons {
            folders.extend(["site-packages", "dist-packages"].map(|name| python.join(name)));
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(name: &str) -> PathBuf {
        let folder = env::temp_dir().join(format!("millpond-{}-{name}", std::process::id()));
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder).unwrap();
        folder.canonicalize().unwrap()
    }

    fn variables(pairs: &[(&str, &Path)]) -> Variables {
        pairs
            .iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect()
    }

    #[test]
    fn an_environment_has_only_its_own_packages() {
        let stage = stage("folders-environment");
        let own = stage.join("env/lib/python3.11/site-packages");
        let other = stage.join("env/lib/python3.9/site-packages");
        let user = stage.join("home/.local/lib/python3.11/site-packages");
        let base = stage.join("base/lib/python3.11/site-packages");
        for folder in [&own, &other, &user, &base] {
            fs::create_dir_all(folder).unwrap();
        }
        let home = stage.join("home");
        let now = variables(&[("HOME", &home)]);
        let python = stage.join("env/bin/python");
        let configure = |more: &str| {
            let bin = stage.join("base/bin");
            let text = format!("home = {}\nversion = 3.11.7\n{more}", bin.display());
            fs::write(stage.join("env/pyvenv.cfg"), text).unwrap();
            let (version, folders) = of(&python, &now);
            assert_eq!(version.as_deref(), Some("3.11"));
            folders
        };
        assert_eq!(
            configure("include-system-site-packages = false\n"),
            std::slice::from_ref(&own)
        );
        assert_eq!(
            configure("include-system-site-packages = true\n"),
            [own, user, base]
        );
        fs::remove_dir_all(stage).unwrap();
    }

    #[test]
    fn an_interpreter_without_environment_has_the_users_packages_and_its_own() {
        let stage = stage("folders-plain");
        let own = stage.join("lib/python3.11/site-packages");
        let user = stage.join(".local/lib/python3.11/site-packages");
        let more = stage.join("more");
        let bin = stage.join("bin");
        for folder in [&own, &user, &more, &bin] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(bin.join("python3.11"), "").unwrap();
        std::os::unix::fs::symlink("python3.11", bin.join("python")).unwrap();
        let mut now = variables(&[("HOME", &stage), ("PYTHONPATH", &more)]);
        let (_, found) = of(&bin.join("python"), &now);
        assert_eq!(found, [more.clone(), user, own.clone()]);
        now.insert("PYTHONNOUSERSITE".into(), "1".into());
        assert_eq!(of(&bin.join("python"), &now).1, [more, own]);
        fs::remove_dir_all(stage).unwrap();
    }

    #[test]
    fn folders_of_pth_files_come_last() {
        let stage = stage("folders-named");
        let own = stage.join("env/lib/python3.11/site-packages");
        let (near, far) = (own.join("near"), stage.join("far"));
        for folder in [&near, &far] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(stage.join("env/pyvenv.cfg"), "version = 3.11.7\n").unwrap();
        let text = format!(
            "# a comment\nimport sys\n\nnear\n{}\nnowhere\n",
            far.display()
        );
        fs::write(own.join("more.pth"), text).unwrap();
        // Not among packages.
        fs::write(far.join("more.pth"), "..\n").unwrap();
        let (_, found) = of(
            &stage.join("env/bin/python"),
            &variables(&[("PYTHONPATH", &far)]),
        );
        assert_eq!(found, [far.clone(), own, near, far]);
        fs::remove_dir_all(stage).unwrap();
    }

    #[test]
    fn versions_are_read_from_names() {
        for (name, version) in [
            ("/usr/bin/python3.11", Some("3.11")),
            ("python3.13t", Some("3.13")),
            ("python3.11-dbg", Some("3.11")),
            ("python3", None),
            ("python", None),
        ] {
            assert_eq!(version_in(Path::new(name)).as_deref(), version, "{name}");
        }
    }
}
