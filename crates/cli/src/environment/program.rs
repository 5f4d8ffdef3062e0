//! Changes that depend on the program: its search paths, and the Python that runs it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

use super::{Changes, Variables, is_foreign};
use crate::elf::Executable;
use crate::installation::{BUILD_HINT, HOOK, Installation, LIBRARY, PARSER, companions};
use crate::python::{Advice, Python};

/// The folder or file of ONNX Runtime. If set, our library looks nowhere else.
const ENGINE: &str = "MILLPOND_ONNXRUNTIME";

/// Packages that contain ONNX Runtime's library, all in the folder `onnxruntime`.
const ENGINE_PACKAGES: [&str; 3] = ["onnxruntime", "onnxruntime-gpu", "onnxruntime-cann"];

/// Where `torch_npu` launches operators: 0 means inside the call. By default it uses a thread of its own; then the failure of
/// an operator appears in a later call, the operators queued after it are dropped while their results are used, and the
/// checker knows no line of the script for an operator. Streams are asynchronous either way.
const LAUNCHES: &str = "TASK_QUEUE_ENABLE";

/// Variables that make our library record or check what a program does.
const LISTENERS: [&str; 3] = ["MILLPOND_CHECK", "MILLPOND_RECORD", "MILLPOND_RECORDS"];

impl Changes {
    /// Examines the program itself. A `DT_RPATH` to another `libascendcl.so` goes before `LD_LIBRARY_PATH`, so our library is
    /// preloaded.
    pub(crate) fn for_program(
        &mut self,
        path: &Path,
        program: &Executable,
        ours: &Installation,
        now: &Variables,
    ) {
        if !program.dynamic {
            self.notes.push(format!(
                "{} is linked statically, so it cannot use Millpond's library",
                path.display()
            ));
            return;
        }
        let Some(folder) = program
            .folders_searched_first(path)
            .into_iter()
            .find(|folder| is_foreign(folder, LIBRARY, ours))
        else {
            return;
        };

        self.preload(&ours.library(), now);
        let others: Vec<&str> = companions()
            .filter(|name| program.needed.iter().any(|needed| needed == name))
            .filter(|name| is_foreign(&folder, name, ours))
            .collect();
        let rest = if others.is_empty() {
            String::new()
        } else {
            format!(
                ", but {} will still be loaded from there\nhint: link with -Wl,--enable-new-dtags, or \
                 remove the path with: patchelf --remove-rpath",
                others.join(", ")
            )
        };
        self.notes.push(format!(
            "{} has a DT_RPATH to {}, which takes precedence over LD_LIBRARY_PATH; our {LIBRARY} is \
             preloaded{rest}",
            path.display(),
            folder.display()
        ));
    }

    /// Examines the Python that runs the program, and adds what its packages need.
    ///
    /// A Python that loads no `sitecustomize` is `isolated`: its preloaded hook must be set from the start. For any other
    /// one our `sitecustomize` sets it when `torch_npu` is imported, so that scripts see the variable unchanged.
    pub(crate) fn for_python(
        &mut self,
        python: &Python,
        isolated: bool,
        ours: &Installation,
        now: &Variables,
    ) {
        if python.packages.version("torch-npu").is_some() {
            let hook = ours.lib.join(HOOK);
            if isolated && self.records(now) && hook.is_file() {
                self.preload(&hook, now);
            }
            if !now.contains_key(OsStr::new(LAUNCHES)) {
                self.set(LAUNCHES, "0");
            }
        }
        let named = now.get(OsStr::new(ENGINE));
        if named.is_none_or(|value| value.is_empty())
            && !has_engine(&ours.lib)
            && let Some(packages) = ENGINE_PACKAGES
                .iter()
                .find_map(|name| python.packages.folder(name))
        {
            // The environment of this Python, whatever else is active.
            let folder = packages.join("onnxruntime/capi");
            if has_engine(&folder) {
                self.set(ENGINE, folder);
            }
        }
        for Advice { what, commands } in python.advice() {
            self.notes
                .push(format!("{what}\nhint: {}", commands.join("\n      ")));
        }
        let parser = ours.lib.join(PARSER);
        if python.packages.version("onnxruntime-cann").is_some() && !parser.exists() {
            self.notes.push(format!(
                "onnxruntime-cann needs {PARSER}, which is not in {}\nhint: {BUILD_HINT}",
                ours.lib.display()
            ));
        }
    }

    /// Whether the program will be recorded or checked.
    fn records(&self, now: &Variables) -> bool {
        LISTENERS.iter().any(|name| {
            let name = OsStr::new(name);
            let value = self.set.get(name).or_else(|| now.get(name));
            value.is_some_and(|value| !value.is_empty())
        })
    }

    /// Puts a file at the start of `LD_PRELOAD`.
    fn preload(&mut self, file: &Path, now: &Variables) {
        let name = OsString::from("LD_PRELOAD");
        // The loader has no way to quote such a path: it takes the parts for separate files.
        if file.to_string_lossy().contains([' ', ':']) {
            self.notes.push(format!(
                "cannot preload {}: its path contains a space or a colon, which separate files in LD_PRELOAD\nhint: move \
                 Millpond's folder to a path without them",
                file.display()
            ));
        }
        let mut preload = file.as_os_str().to_owned();
        let kept = !self.remove.contains(&name);
        let others = self
            .set
            .get(&name)
            .or_else(|| now.get(&name).filter(|_| kept));
        let others = others.map(|others| others.to_string_lossy().into_owned());
        for other in others.iter().flat_map(|others| others.split([':', ' '])) {
            if !other.is_empty() && Path::new(other) != file {
                preload.push(":");
                preload.push(other);
            }
        }
        self.remove.retain(|removed| *removed != name);
        self.set.insert(name, preload);
    }
}

/// Whether ONNX Runtime's library is in a folder. A dangling link does not count.
fn has_engine(folder: &Path) -> bool {
    let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| {
        let name = entry.file_name();
        name.to_string_lossy().starts_with("libonnxruntime.so") && entry.path().exists()
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ours, value, variables};
    use super::*;
    use crate::python::Packages;
    use std::env;

    #[test]
    fn torch_npu_launches_operators_inside_the_call_unless_the_user_set_it() {
        let python = |packages: &[(&str, &str)]| Python {
            executable: "/e/bin/python".into(),
            version: None,
            packages: Packages::of(packages),
        };
        let with = python(&[("torch", "2.7.1"), ("torch-npu", "2.7.1.post11")]);
        let mut changes = Changes::default();
        changes.for_python(&with, false, &ours(), &Variables::new());
        assert_eq!(value(&changes, LAUNCHES), "0");

        let mut changes = Changes::default();
        changes.for_python(&with, false, &ours(), &variables(&[(LAUNCHES, "2")]));
        assert!(!changes.set.contains_key(OsStr::new(LAUNCHES)));

        let mut changes = Changes::default();
        changes.for_python(&python(&[]), false, &ours(), &Variables::new());
        assert!(!changes.set.contains_key(OsStr::new(LAUNCHES)));
    }

    #[test]
    fn a_preloaded_file_comes_first_and_only_once() {
        let now = variables(&[("LD_PRELOAD", "/lib/libmine.so /lib/libother.so")]);
        let mut changes = Changes::towards(&ours(), &now);
        changes.preload(Path::new("/opt/hook.so"), &now);
        let expected = "/opt/hook.so:/lib/libmine.so:/lib/libother.so";
        assert_eq!(value(&changes, "LD_PRELOAD"), expected);
        changes.preload(Path::new("/opt/hook.so"), &now);
        assert_eq!(value(&changes, "LD_PRELOAD"), expected);

        let now = variables(&[("LD_PRELOAD", "/usr/local/Ascend/x/libhook.so")]);
        let mut changes = Changes::towards(&ours(), &now);
        changes.preload(Path::new("/opt/hook.so"), &now);
        assert_eq!(value(&changes, "LD_PRELOAD"), "/opt/hook.so");
        assert!(changes.remove.is_empty());
    }

    #[test]
    fn a_path_that_cannot_be_preloaded_is_noted() {
        let mut changes = Changes::default();
        changes.preload(Path::new("/opt/hook.so"), &Variables::new());
        assert!(changes.notes.is_empty());
        changes.preload(Path::new("/opt/my own/hook.so"), &Variables::new());
        assert!(changes.notes[0].contains("a space"), "{:?}", changes.notes);
    }

    #[test]
    fn a_dangling_link_is_not_an_engine() {
        let folder = env::temp_dir().join(format!("millpond-{}-engine", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let link = folder.join("libonnxruntime.so.1.22.0");
        std::os::unix::fs::symlink("gone", &link).unwrap();
        assert!(!has_engine(&folder));
        fs::write(folder.join("gone"), "here again").unwrap();
        assert!(has_engine(&folder));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_static_program_is_noted() {
        let mut changes = Changes::default();
        let (path, program) = (Path::new("/bin/tool"), Executable::default());
        changes.for_program(path, &program, &ours(), &Variables::new());
        assert!(changes.notes[0].contains("statically"));
    }
}
