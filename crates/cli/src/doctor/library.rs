//! Checks of our own files: the library, its device, companion names, headers.

use std::collections::BTreeMap;
use std::env;
use std::process::Command;

use super::{Check, bytes};
use crate::elf::Executable;
use crate::environment::Changes;
use crate::installation::{BUILD_HINT, HOOK, Installation, LIBRARY, Layout, PLACES, companions};

/// Checks the library, in an environment with these changes, and its other names.
pub(super) fn checks(installation: &Installation, changes: &Changes) -> Vec<Check> {
    let mut checks = probed(installation, &probe(installation, changes));
    checks.push(companion_names(installation));
    checks.push(layout(installation));
    checks
}

/// What the probe printed. See [`crate::probe`].
pub(super) type Properties = BTreeMap<String, String>;

/// Loads the library in a child process, in the environment of `millpond run`.
fn probe(installation: &Installation, changes: &Changes) -> Properties {
    let output = env::current_exe().and_then(|own| {
        let mut command = Command::new(own);
        command
            .arg("probe")
            .arg(installation.library())
            .envs(&changes.set);
        for variable in &changes.remove {
            command.env_remove(variable);
        }
        // Records are for programs, not for this probe.
        command.env_remove("MILLPOND_RECORDS").output()
    });
    match output {
        Ok(output) => {
            let mut properties = parse(&String::from_utf8_lossy(&output.stdout));
            if !output.status.success() && !properties.contains_key("error") {
                let complaint = String::from_utf8_lossy(&output.stderr)
                    .trim()
                    .replace('\n', " ");
                let text = format!("loading it failed with {}: {complaint}", output.status);
                properties.insert("error".to_owned(), text);
            }
            properties
        }
        Err(error) => parse(&format!("error=cannot start the probe: {error}")),
    }
}

pub(super) fn parse(output: &str) -> Properties {
    output
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// The lines about library, device and memfd.
fn probed(installation: &Installation, properties: &Properties) -> Vec<Check> {
    let shown = installation.library().display().to_string();
    let mut checks = Vec::new();

    checks.push(match properties.get("version") {
        Some(version) if version == env!("CARGO_PKG_VERSION") => {
            Check::ok("library", format!("{shown}, version {version}"))
        }
        Some(version) => Check::note(
            "library",
            format!(
                "{shown}, version {version}, but this command is version {}",
                env!("CARGO_PKG_VERSION")
            ),
            BUILD_HINT,
        ),
        None if properties.contains_key("soc") => Check::note(
            "library",
            format!("{shown}, of unknown version"),
            "this is not Millpond's library, or a very old one",
        ),
        None => Check::missing(
            "library",
            format!(
                "{shown}: {}",
                properties
                    .get("error")
                    .map_or("the probe printed nothing", String::as_str)
            ),
            BUILD_HINT,
        ),
    });

    match (properties.get("devices"), properties.get("error")) {
        (Some(count), None) => {
            let soc = properties.get("soc").map_or("unnamed", String::as_str);
            let size = |name: &str| {
                properties
                    .get(name)
                    .and_then(|text| text.parse().ok())
                    .map_or_else(String::new, bytes)
            };
            checks.push(Check::ok(
                "device",
                format!(
                    "{count} x {soc}, {} free of {} each",
                    size("free"),
                    size("total")
                ),
            ));
        }
        (_, Some(error)) if properties.contains_key("version") => checks.push(Check::missing(
            "device",
            error.clone(),
            "check the MILLPOND_ variables below; docs/environment.md explains them",
        )),
        _ => {}
    }

    match (properties.get("engine"), properties.get("no_engine")) {
        (Some(file), _) => checks.push(Check::ok("onnxruntime", file)),
        (None, Some(error)) => checks.push(Check::note(
            "onnxruntime",
            error,
            "only operators and models need it: pip install onnxruntime; docs/environment.md says where it is searched",
        )),
        (None, None) => {}
    }
    match (properties.get("operators"), properties.get("no_operators")) {
        (Some(gpu), _) => checks.push(Check::ok(
            "operators",
            format!("computed on {gpu} by ONNX Runtime's CUDA provider"),
        )),
        (None, Some(reason)) => checks.push(Check::note(
            "operators",
            format!("computed on the CPU, with copies from and to the GPU: {reason}"),
            "to compute on the GPU: pip uninstall onnxruntime, then pip install \"onnxruntime-gpu[cuda,cudnn]\"; docs/cuda.md has \
             the other requirements",
        )),
        (None, None) => {}
    }

    match (properties.get("gloo"), properties.get("no_gloo")) {
        (Some(file), _) => checks.push(Check::ok("machines", file)),
        (None, Some(error)) => checks.push(Check::note(
            "machines",
            error,
            "only ranks on several machines need it: apt-get install libgloo-dev g++, then cargo xtask dist; docs/ranks.md",
        )),
        (None, None) => {}
    }

    checks.push(match properties.get("memfd").map(String::as_str) {
        Some("ok") => Check::ok("memfd", "works"),
        Some(error) => Check::missing(
            "memfd",
            error,
            "the host device keeps its memory in a memfd; allow memfd_create in this sandbox",
        ),
        None => Check::missing("memfd", "not tested", BUILD_HINT),
    });
    checks
}

fn companion_names(installation: &Installation) -> Check {
    let name = "companions";
    let (present, absent): (Vec<&str>, Vec<&str>) =
        companions().partition(|companion| refers_to_library(installation, companion));
    if absent.is_empty() {
        return Check::ok(
            name,
            format!("{} other names refer to the library", present.len()),
        );
    }
    let found = format!("these do not refer to the library: {}", absent.join(", "));
    Check::missing(name, found, BUILD_HINT)
}

/// Files and folders whose existence programs check.
fn layout(installation: &Installation) -> Check {
    let name = "layout";
    let folders = PLACES.map(|place| installation.home.join(place));
    let hook = installation.lib.join(HOOK);
    let absent: Vec<String> = folders
        .iter()
        .filter(|folder| !folder.is_dir())
        .chain((!hook.is_file()).then_some(&hook))
        .map(|path| path.display().to_string())
        .collect();
    if absent.is_empty() {
        return Check::ok(name, installation.home.display().to_string());
    }
    let found = format!("programs look for {}", absent.join(", "));
    Check::missing(name, found, BUILD_HINT)
}

/// Whether a companion is a link to the library or, as in Python's wheel, an empty library that needs it.
fn refers_to_library(installation: &Installation, companion: &str) -> bool {
    let path = installation.lib.join(companion);
    installation.owns(&path)
        || Executable::read(&path)
            .is_some_and(|file| file.needed.iter().any(|needed| needed == LIBRARY))
}

pub(super) fn headers(installation: &Installation) -> Check {
    let name = "headers";
    let include = installation.home.join("include");
    if include.join("acl/acl.h").is_file() {
        return Check::ok(name, include.display().to_string());
    }
    let found = format!("no acl/acl.h in {}", include.display());
    match installation.layout {
        Layout::Dist => Check::missing(name, found, BUILD_HINT),
        Layout::Build => Check::note(name, "none in a build folder", BUILD_HINT),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::*;

    fn status(checks: &[Check], name: &str) -> Option<Status> {
        checks
            .iter()
            .find(|check| check.name == name)
            .map(|check| check.status)
    }

    fn installation() -> Installation {
        Installation {
            home: "/nowhere".into(),
            lib: "/nowhere/lib64".into(),
            layout: Layout::Dist,
        }
    }

    #[test]
    fn a_library_with_all_properties_is_ok() {
        let text = concat!(
            "memfd=ok\nversion=",
            env!("CARGO_PKG_VERSION"),
            "\nsoc=Ascend910B2\ndevices=1\nfree=68719476736\ntotal=68719476736\n"
        );
        let checks = probed(&installation(), &parse(text));
        assert!(checks.iter().all(|check| check.status == Status::Ok));
        assert_eq!(
            checks[1].found,
            "1 x Ascend910B2, 64.0 GiB free of 64.0 GiB each"
        );
    }

    #[test]
    fn a_library_that_cannot_be_loaded_is_missing() {
        let checks = probed(&installation(), &parse("memfd=ok\nerror=cannot load it: x"));
        assert_eq!(status(&checks, "library"), Some(Status::Missing));
        assert_eq!(status(&checks, "device"), None);
        assert_eq!(status(&checks, "memfd"), Some(Status::Ok));
    }

    #[test]
    fn a_device_that_cannot_be_set_is_missing() {
        let text = "memfd=ok\nversion=0.0.1\nerror=aclrtSetDevice returned 107001: no";
        let checks = probed(&installation(), &parse(text));
        assert_eq!(status(&checks, "library"), Some(Status::Note));
        assert_eq!(status(&checks, "device"), Some(Status::Missing));
    }

    #[test]
    fn a_missing_engine_is_only_a_note() {
        let found = |text: &str| {
            let checks = probed(&installation(), &parse(text));
            let check = checks.into_iter().find(|check| check.name == "onnxruntime");
            check.map(|check| (check.status, check.found))
        };
        let file = "/lib/libonnxruntime.so.1";
        assert_eq!(
            found("memfd=ok\nengine=/lib/libonnxruntime.so.1"),
            Some((Status::Ok, file.to_owned()))
        );
        assert_eq!(
            found("memfd=ok\nno_engine=none is there"),
            Some((Status::Note, "none is there".to_owned()))
        );
        assert_eq!(found("memfd=ok"), None, "a library without operators");
    }

    #[test]
    fn where_operators_are_computed_is_said_for_gpus() {
        let found = |text: &str| {
            let checks = probed(&installation(), &parse(text));
            let check = checks.into_iter().find(|check| check.name == "operators");
            check.map(|check| (check.status, check.found))
        };
        let on_gpu = "computed on GPU 1 by ONNX Runtime's CUDA provider".to_owned();
        assert_eq!(
            found("memfd=ok\noperators=GPU 1"),
            Some((Status::Ok, on_gpu))
        );
        let (status, text) = found("memfd=ok\nno_operators=no libcublasLt.so.13").unwrap();
        assert_eq!(status, Status::Note);
        assert!(text.contains("on the CPU") && text.ends_with("libcublasLt.so.13"));
        assert_eq!(
            found("memfd=ok"),
            None,
            "devices are memory of this machine"
        );
    }

    #[test]
    fn a_foreign_library_is_noted() {
        let text = "memfd=ok\nsoc=X\ndevices=1\nfree=1\ntotal=1";
        let checks = probed(&installation(), &parse(text));
        assert_eq!(status(&checks, "library"), Some(Status::Note));
    }
}
