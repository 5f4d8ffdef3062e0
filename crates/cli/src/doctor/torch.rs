//! Checks of a Python environment with PyTorch for Ascend: first its files, then a real start.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::library::{self, Properties, parse};
use super::trial::Trial;
use super::{Check, Status, installation};
use crate::elf::Executable;
use crate::environment::{Changes, Variables};
use crate::installation::{BUILD_HINT, Installation};
use crate::python::{PAIRS, Pair, Python};

/// The script that the environment runs.
const SCRIPT: &str = include_str!("torch.py");

/// The first import of torch from a slow disk may take half a minute.
const LIMIT: Duration = Duration::from_mins(3);

/// The versions of Python for which `torch_npu` has packages in the recommended versions.
const PYTHONS: [u32; 2] = [9, 13];

/// The hint for a failed start without an obvious reason.
const FULL_OUTPUT: &str = "check what is missing above; for the full output run: millpond run -- PYTHON -c \
                      'import torch; print(torch.ones(2).npu() + 1)'";

pub(super) fn examine(named: Option<&Path>, now: &Variables) -> Vec<Check> {
    let python = match find(named, now) {
        Ok(python) => python,
        Err(check) => return vec![check],
    };
    let installation = match installation() {
        Ok(installation) => installation,
        Err(missing) => return vec![missing],
    };
    let mut changes = Changes::towards(&installation, now);
    changes.for_python(&python, false, &installation, now);

    let mut checks = vec![interpreter(&python)];
    checks.extend(packages(&python));
    let engine_hint = pip(&python, "onnxruntime");
    checks.extend(
        library::checks(&installation, &changes)
            .into_iter()
            .map(|check| needed(check, &engine_hint)),
    );
    if python.packages.version("torch-npu").is_none() || python.packages.version("torch").is_none()
    {
        return checks;
    }
    checks.push(library_names(&python, &installation));
    let (pair, started) = start(&python, &changes);
    checks.push(pair);
    checks.extend(started);
    checks
}

/// The second half of an installation whose first half is there: `millpond[torch]` cannot bring `torch_npu`, which
/// requires a build of torch that the index lacks.
pub(super) fn second_line(now: &Variables) -> Option<Check> {
    half_installed(&find(None, now).ok()?)
}

fn half_installed(python: &Python) -> Option<Check> {
    let torch = python.packages.version("torch")?;
    if python.packages.version("torch-npu").is_some() {
        return None;
    }
    let found = format!(
        "torch {torch} is installed in {}, torch_npu is not",
        python.executable.display()
    );
    let hint = format!(
        "PyTorch scripts for Ascend need it: {}",
        python.install_pair().join(" && ")
    );
    Some(Check::note("pytorch", found, hint))
}

/// What is optional for other programs is required here.
fn needed(check: Check, hint: &str) -> Check {
    if check.name == "onnxruntime" && check.status == Status::Note {
        return Check::missing(
            check.name,
            check.found,
            format!("operators by name need it: {hint}"),
        );
    }
    check
}

fn pip(python: &Python, what: &str) -> String {
    format!("{} -m pip install {what}", python.executable.display())
}

/// The given interpreter, or the one that a shell would start.
fn find(named: Option<&Path>, now: &Variables) -> Result<Python, Check> {
    let name = "python";
    let hint = "millpond doctor --torch --python /path/to/environment/bin/python";
    if let Some(named) = named {
        // The folder of an environment works too.
        let inner = named.join("bin/python");
        let path = if named.is_dir() { &inner } else { named };
        if !path.is_file() {
            let found = format!("{} does not exist", path.display());
            return Err(Check::missing(name, found, hint));
        }
        return Python::at(path, now).ok_or_else(|| {
            let found = format!("{} is not a Python interpreter by its name", path.display());
            Check::missing(name, found, hint)
        });
    }
    let search = now.get(OsStr::new("PATH")).cloned().unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&search).collect();
    let mut candidates = ["python", "python3"]
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    candidates
        .find(|path| path.is_file())
        .and_then(|path| Python::at(&path, now))
        .ok_or_else(|| Check::missing(name, "no python in PATH", hint))
}

fn interpreter(python: &Python) -> Check {
    let name = "python";
    let shown = python.executable.display();
    let Some(version) = &python.version else {
        return Check::ok(name, shown.to_string());
    };
    let found = format!("{version}, {shown}");
    let minor = version
        .strip_prefix("3.")
        .and_then(|minor| minor.parse().ok());
    if minor.is_some_and(|minor: u32| (PYTHONS[0]..=PYTHONS[1]).contains(&minor)) {
        return Check::ok(name, found);
    }
    Check::note(
        name,
        found,
        format!(
            "torch_npu {} is published for Python 3.{} to 3.{}",
            PAIRS[0].1, PYTHONS[0], PYTHONS[1]
        ),
    )
}

/// The installed packages, and what to install.
fn packages(python: &Python) -> Vec<Check> {
    let mut checks = Vec::new();
    let install = python.install_pair();
    let npu = install.last().map_or("", String::as_str);
    let torch = install.first().map_or("", String::as_str);
    let package =
        |name: &'static str, package: &str, hint: &str| match python.packages.version(package) {
            Some(version) => Check::ok(name, version),
            None => Check::missing(name, "not installed", hint),
        };
    checks.push(package("torch", "torch", torch));
    checks.push(package("torch_npu", "torch-npu", npu));
    checks.push(package("numpy", "numpy", &pip(python, "numpy")));
    let mut yaml = package("pyyaml", "pyyaml", &pip(python, "pyyaml"));
    if yaml.status == Status::Missing {
        // torch_npu imports without it; its tools do not.
        yaml.status = Status::Note;
    }
    checks.push(yaml);
    if let Some(advice) = python.provider_advice() {
        checks.push(Check::note(
            "onnxruntime",
            advice.what,
            advice.commands.join("\n"),
        ));
    }
    checks
}

/// Whether our folder has the libraries that `torch_npu`'s library needs.
fn library_names(python: &Python, installation: &Installation) -> Check {
    let name = "library names";
    let site = python
        .packages
        .folder("torch-npu")
        .unwrap_or(Path::new("/"));
    let own = site.join("torch_npu/lib");
    let torch = python
        .packages
        .folder("torch")
        .map(|site| site.join("torch/lib"));
    let file = own.join("libtorch_npu.so");
    let Some(library) = Executable::read(&file) else {
        return Check::missing(
            name,
            format!("cannot read {}", file.display()),
            pip(
                python,
                &format!(
                    "--force-reinstall --no-deps torch_npu=={}",
                    python.packages.version("torch-npu").unwrap_or_default()
                ),
            ),
        );
    };
    let theirs = |name: &str| {
        let folders = [Some(&own), torch.as_ref()];
        folders
            .into_iter()
            .flatten()
            .any(|folder| folder.join(name).exists())
    };
    // The system's libraries have a version after their name.
    let asked: Vec<&str> = library
        .needed
        .iter()
        .map(String::as_str)
        .filter(|name| !name.contains(".so.") && !theirs(name))
        .collect();
    let absent: Vec<&str> = asked
        .iter()
        .copied()
        .filter(|name| !installation.lib.join(name).exists())
        .collect();
    if absent.is_empty() {
        return Check::ok(
            name,
            format!("all {} that torch_npu loads exist", asked.len()),
        );
    }
    Check::missing(
        name,
        format!(
            "torch_npu loads {}, which are not in {}",
            absent.join(", "),
            installation.lib.display()
        ),
        BUILD_HINT,
    )
}

/// Starts Python, imports both and adds two numbers.
fn start(python: &Python, changes: &Changes) -> (Check, Vec<Check>) {
    let mut command = Command::new(&python.executable);
    command.arg("-c").arg(SCRIPT).envs(&changes.set);
    for variable in &changes.remove {
        command.env_remove(variable);
    }
    // These are for programs, not for this test.
    for variable in [
        "MILLPOND_RECORDS",
        "MILLPOND_RECORD",
        "MILLPOND_CHECK",
        "MILLPOND_STATS",
    ] {
        command.env_remove(variable);
    }
    match Trial::run(&mut command, LIMIT) {
        Ok(trial) => {
            let complaint = (!trial.succeeded()).then(|| trial.complaint(LIMIT));
            judged(python, &parse(&trial.stdout), complaint.as_deref())
        }
        Err(error) => {
            let found = format!("cannot start {}: {error}", python.executable.display());
            (
                pair(python, false),
                vec![Check::missing("start", found, FULL_OUTPUT)],
            )
        }
    }
}

/// Judges a start. `complaint` is why it failed, if it did.
fn judged(
    python: &Python,
    properties: &Properties,
    complaint: Option<&str>,
) -> (Check, Vec<Check>) {
    let imported = properties.contains_key("torch_npu");
    let pair = pair(python, imported);
    let property = |name: &str| properties.get(name).map_or("", String::as_str);
    let Some(complaint) = complaint else {
        let start = Check::ok(
            "start",
            format!("{} x {}", property("devices"), property("name")),
        );
        let sum = property("sum");
        let computed = if sum == "[2.0, 2.0]" {
            Check::ok("computing", format!("torch.ones(2).npu() + 1 is {sum}"))
        } else {
            Check::missing(
                "computing",
                format!("torch.ones(2).npu() + 1 is {sum}; expected [2.0, 2.0]"),
                "this is a bug in Millpond: please report it with this output",
            )
        };
        return (pair, vec![start, computed]);
    };
    let hint = if pair.status == Status::Missing {
        pair.hint.clone().unwrap_or_default()
    } else {
        FULL_OUTPUT.to_owned()
    };
    let what = if !properties.contains_key("torch") {
        "torch cannot be imported"
    } else if !imported {
        "torch_npu cannot be imported"
    } else if !properties.contains_key("name") {
        "the device does not work"
    } else {
        "torch.ones(2).npu() + 1 fails"
    };
    let start = Check::missing("start", format!("{what}: {complaint}"), hint);
    (pair, vec![start])
}

/// Whether the versions match. If the import succeeded they do, whatever the table says.
fn pair(python: &Python, imported: bool) -> Check {
    let name = "versions";
    let shown = |package: &str| {
        python
            .packages
            .version(package)
            .unwrap_or("none")
            .to_owned()
    };
    let both = format!(
        "torch {} with torch_npu {}",
        shown("torch"),
        shown("torch-npu")
    );
    let tested: Vec<String> = PAIRS
        .iter()
        .map(|(torch, npu)| format!("{torch} with {npu}"))
        .collect();
    match (python.pair(), python.torch_advice()) {
        (Pair::Known, None) => Check::ok(name, format!("{both}: known to work")),
        (_, Some(advice)) if !imported => {
            Check::missing(name, advice.what, advice.commands.join("\n"))
        }
        _ => Check::note(
            name,
            format!("{both}: this version pair is untested"),
            format!("tested pairs: {}", tested.join(", ")),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::Packages;

    fn python(torch: &str, npu: &str) -> Python {
        Python {
            executable: "/e/bin/python".into(),
            version: Some("3.11".into()),
            packages: Packages::of(&[("torch", torch), ("torch-npu", npu), ("numpy", "2.4.6")]),
        }
    }

    const WELL: &str = "python=3.11.7\ntorch=2.7.1\ntorch_npu=2.7.1.post11\ndevices=1\nname=Ascend910B2\n\
                        sum=[2.0, 2.0]\n";

    #[test]
    fn a_start_that_computes_is_ok() {
        let (pair, started) = judged(&python("2.7.1", "2.7.1.post11"), &parse(WELL), None);
        assert_eq!(pair.status, Status::Ok);
        assert!(started.iter().all(|check| check.status == Status::Ok));
        assert_eq!(started[0].found, "1 x Ascend910B2");
    }

    #[test]
    fn a_wrong_sum_is_not_ok() {
        let text = WELL.replace("[2.0, 2.0]", "[2.0, 1.0]");
        let (_, started) = judged(&python("2.7.1", "2.7.1.post11"), &parse(&text), None);
        assert_eq!(started[1].status, Status::Missing);
    }

    #[test]
    fn an_abort_of_a_bad_pair_says_what_to_install() {
        let bad = python("2.14.0", "2.7.1.post11");
        let properties = parse("python=3.11.7\n");
        let (pair, started) = judged(&bad, &properties, Some("it was killed by signal 6"));
        assert_eq!(pair.status, Status::Missing);
        assert!(
            started[0]
                .found
                .starts_with("torch cannot be imported: it was killed")
        );
        assert!(
            started[0]
                .hint
                .as_ref()
                .unwrap()
                .contains("torch_npu==2.14.0")
        );
    }

    #[test]
    fn a_pair_that_imports_is_at_most_a_note() {
        let (pair, _) = judged(&python("2.14.0", "2.13.0"), &parse(WELL), None);
        assert_eq!(pair.status, Status::Note);
        let (pair, _) = judged(&python("2.6.0", "2.6.0"), &parse(WELL), None);
        assert_eq!(pair.status, Status::Note);
    }

    #[test]
    fn a_failed_start_says_where() {
        let text = &WELL[..WELL.find("sum=").unwrap()];
        let complaint = "it ended with status 1: RuntimeError: no";
        let good = python("2.7.1", "2.7.1.post11");
        let (pair, started) = judged(&good, &parse(text), Some(complaint));
        assert_eq!(pair.status, Status::Ok);
        assert!(
            started[0]
                .found
                .starts_with("torch.ones(2).npu() + 1 fails")
        );
    }

    #[test]
    fn the_engine_is_required() {
        let check = needed(Check::note("onnxruntime", "none", "x"), "install it");
        assert_eq!(check.status, Status::Missing);
        assert!(check.hint.unwrap().ends_with("install it"));
        let other = Check::note("library", "old", "x");
        assert_eq!(needed(other.clone(), "install it"), other);
    }

    #[test]
    fn missing_packages_come_with_commands() {
        let empty = Python {
            packages: Packages::default(),
            ..python("", "")
        };
        let checks = packages(&empty);
        let missing: Vec<&str> = checks
            .iter()
            .filter(|check| check.status == Status::Missing)
            .map(|check| check.name)
            .collect();
        assert_eq!(missing, ["torch", "torch_npu", "numpy"]);
        let hint = checks[1].hint.as_ref().unwrap();
        assert!(hint.contains("--no-deps torch_npu=="), "{hint}");
    }

    #[test]
    fn a_torch_without_torch_npu_is_noted_with_the_line_that_installs_it() {
        let half = Python {
            packages: Packages::of(&[("torch", "2.14.0")]),
            ..python("", "")
        };
        let check = half_installed(&half).unwrap();
        assert_eq!(check.status, Status::Note);
        let hint = check.hint.unwrap();
        assert!(
            hint.ends_with("-m pip install --no-deps torch_npu==2.14.0"),
            "{hint}"
        );
        assert_eq!(half_installed(&python("2.14.0", "2.14.0")), None);
        let none = Python {
            packages: Packages::default(),
            ..python("", "")
        };
        assert_eq!(half_installed(&none), None);
    }

    #[test]
    fn a_python_that_torch_npu_has_no_package_for_is_noted() {
        let mut python = python("2.7.1", "2.7.1.post11");
        assert_eq!(interpreter(&python).status, Status::Ok);
        python.version = Some("3.14".into());
        assert_eq!(interpreter(&python).status, Status::Note);
    }
}
