//! The environment in which a program finds Millpond and nothing else under the same names.
//!
//! A vendor's toolkit may be set up in the same shell. Its folders leave `LD_LIBRARY_PATH` (a library
//! of its that our companion names do not cover would call down into the vendor's driver), and its
//! `ASCEND_*` folders are replaced or removed. Settings such as `ASCEND_RT_VISIBLE_DEVICES` stay.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use crate::elf::Executable;
use crate::installation::{
    BUILD_HINT, HOOK, Installation, LIBRARY, Layout, PARSER, REMEDIES, companions,
};
use crate::python::{Advice, Python};

/// Where the vendor's installer puts things unless told otherwise.
const VENDOR_DEFAULT: &str = "/usr/local/Ascend";

/// Keeps ONNX Runtime from reporting its use to its makers, and from noting it in the user's folder
/// when it starts, which is before the library can tell it.
const NO_REPORTS: &str = "ORT_DISABLE_TELEMETRY";

/// Where ONNX Runtime is; our library looks nowhere else then.
const ENGINE: &str = "MILLPOND_ONNXRUNTIME";

/// Packages that bring ONNX Runtime's library, all under one name.
const ENGINE_PACKAGES: [&str; 2] = ["onnxruntime", "onnxruntime-cann"];

/// From where `torch_npu` launches operators: 0 is in the call itself. From a thread of its own, as it does unless told, an
/// operator that fails is told of by another call, those queued behind it are dropped while their results are used, and the
/// calls that are checked have no line of the script. Streams are asynchronous either way.
const LAUNCHES: &str = "TASK_QUEUE_ENABLE";

/// The file that MSTX from the header opens to find a tool: one file, whatever stands in it.
const INJECTION: &str = "MSTX_INJECTION_PATH";
/// More tools, separated by colons. Our library opens these.
const TOOLS: &str = "MILLPOND_MSTX_TOOLS";

/// Variables that make our library tell somebody what a program does.
const LISTENERS: [&str; 3] = ["MILLPOND_CHECK", "MILLPOND_RECORD", "MILLPOND_RECORDS"];

/// The variables of one process.
pub(crate) type Variables = BTreeMap<OsString, OsString>;

/// What to change before a program starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    pub(crate) set: BTreeMap<OsString, OsString>,
    pub(crate) remove: Vec<OsString>,
    /// Sentences for the user: something about this program needs attention.
    pub(crate) notes: Vec<String>,
}

impl Changes {
    /// The changes that lead a program to `ours`, starting from the variables `now`.
    pub(crate) fn towards(ours: &Installation, now: &Variables) -> Self {
        let vendor = Vendor::new(ours, now);
        let mut changes = Self::default();

        changes.set("ASCEND_HOME_PATH", ours.home.as_os_str());
        changes.set("ASCEND_TOOLKIT_HOME", ours.home.as_os_str());
        // Clients refuse to start where this folder is not; nothing is looked for in it.
        changes.set("ASCEND_OPP_PATH", ours.home.join("opp"));
        changes.prepend("LD_LIBRARY_PATH", &ours.lib, now, |entry| {
            vendor.owns(entry)
        });
        changes.lead_python(&ours.home.join(REMEDIES), now);
        if ours.layout == Layout::Dist {
            changes.prepend("PATH", &ours.home.join("bin"), now, |_| false);
            let pkg_config = ours.lib.join("pkgconfig");
            changes.prepend("PKG_CONFIG_PATH", &pkg_config, now, |_| false);
            changes.prepend("CMAKE_PREFIX_PATH", &ours.home, now, |_| false);
        }

        if !now.contains_key(OsStr::new(NO_REPORTS)) {
            changes.set(NO_REPORTS, OsStr::new("1"));
        }

        for (name, value) in now {
            let text = name.to_string_lossy();
            let names_a_place = text.starts_with("ASCEND_") || text == "TOOLCHAIN_HOME";
            if names_a_place && !changes.set.contains_key(name) && vendor.owns_all(value) {
                changes.remove.push(name.clone());
            }
        }
        if let Some(preload) = now.get(OsStr::new("LD_PRELOAD")) {
            changes.clean_preload(preload, &vendor);
        }
        changes.inject(now, &vendor);
        changes
    }

    /// Makes our library the tool that annotations go to, also where it is loaded so that its symbols
    /// are not seen by others, as Python does. The user's own tools come behind it.
    fn inject(&mut self, now: &Variables, vendor: &Vendor) {
        let ours = vendor.ours;
        let list = |name: &str| now.get(OsStr::new(name)).cloned().unwrap_or_default();
        let mut tools = Vec::new();
        for (name, value) in [(TOOLS, list(TOOLS)), (INJECTION, list(INJECTION))] {
            for tool in files(&value) {
                if vendor.owns_file(&tool) {
                    self.notes.push(format!(
                        "{} in {name} belongs to a vendor's toolkit and is left out",
                        tool.display()
                    ));
                } else if tool != ours.library() && !ours.owns(&tool) && !tools.contains(&tool) {
                    tools.push(tool);
                }
            }
        }
        self.set(INJECTION, ours.library());
        let tools = tools.into_iter().map(PathBuf::into_os_string);
        let tools: Vec<_> = tools.collect();
        if !tools.is_empty() {
            self.set(TOOLS, tools.join(OsStr::new(":")));
        } else if now.contains_key(OsStr::new(TOOLS)) {
            self.remove.push(TOOLS.into());
        }
    }

    /// Looks at the program itself: one with the old kind of search path to somebody else's library
    /// would not follow `LD_LIBRARY_PATH`, so ours is loaded before it.
    pub(crate) fn for_program(
        &mut self,
        path: &Path,
        program: &Executable,
        ours: &Installation,
        now: &Variables,
    ) {
        if !program.dynamic {
            self.notes.push(format!(
                "{} is linked statically, so it cannot be given another library",
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
                ", but {} will still come from there\nhint: link with -Wl,--enable-new-dtags, or \
                 remove the path with: patchelf --remove-rpath",
                others.join(", ")
            )
        };
        self.notes.push(format!(
            "{} carries a DT_RPATH to {}, which goes before LD_LIBRARY_PATH; our {LIBRARY} is \
             preloaded{rest}",
            path.display(),
            folder.display()
        ));
    }

    /// Looks at the Python that runs the program: what its packages need to see.
    /// A Python that loads no `sitecustomize` is `alone`: there the hook has to be in the variable from the start. For any
    /// other one ours sees to that when `torch_npu` is imported, so that scripts find the variable as they expect it.
    pub(crate) fn for_python(
        &mut self,
        python: &Python,
        alone: bool,
        ours: &Installation,
        now: &Variables,
    ) {
        if python.packages.version("torch-npu").is_some() {
            let hook = ours.lib.join(HOOK);
            if alone && self.records(now) && hook.is_file() {
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
            // The environment of this very Python, whatever else is active.
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

    /// Whether anybody will hear of what the program does with its memory.
    fn records(&self, now: &Variables) -> bool {
        LISTENERS.iter().any(|name| {
            let name = OsStr::new(name);
            let value = self.set.get(name).or_else(|| now.get(name));
            value.is_some_and(|value| !value.is_empty())
        })
    }

    /// Has a file loaded before everything else, and what was to be so behind it.
    fn preload(&mut self, file: &Path, now: &Variables) {
        let name = OsString::from("LD_PRELOAD");
        // There is no way to write one: the loader takes the parts for files of their own, and complains of each.
        if file.to_string_lossy().contains([' ', ':']) {
            self.notes.push(format!(
                "the loader cannot preload {}: a space or a colon in its path ends a name\nhint: move our folder to a \
                 path without one",
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

    pub(crate) fn set(&mut self, name: &str, value: impl AsRef<OsStr>) {
        self.set.insert(name.into(), value.as_ref().to_owned());
    }

    /// Puts `first` before the entries of a list separated by colons, without those that are
    /// `unwanted` or equal to it.
    fn prepend(
        &mut self,
        name: &str,
        first: &Path,
        now: &Variables,
        unwanted: impl Fn(&Path) -> bool,
    ) {
        let old = now.get(OsStr::new(name)).cloned().unwrap_or_default();
        let rest = env::split_paths(&old)
            // An empty entry means the current folder; to keep it would keep a surprise.
            .filter(|entry| !entry.as_os_str().is_empty() && entry != first && !unwanted(entry));
        let mut value = first.as_os_str().to_owned();
        for entry in rest {
            value.push(":");
            value.push(entry);
        }
        self.set(name, value);
    }

    /// Python looks into this folder first, and then where it would have. Unlike in other lists an empty entry stays:
    /// scripts may find their modules by it.
    fn lead_python(&mut self, first: &Path, now: &Variables) {
        const NAME: &str = "PYTHONPATH";
        let mut value = first.as_os_str().to_owned();
        match now.get(OsStr::new(NAME)) {
            Some(old) if env::split_paths(old).next().as_deref() == Some(first) => return,
            Some(old) if !old.is_empty() => {
                value.push(":");
                value.push(old);
            }
            _ => {}
        }
        self.set(NAME, value);
    }

    fn clean_preload(&mut self, preload: &OsStr, vendor: &Vendor) {
        let text = preload.to_string_lossy();
        let entries: Vec<&str> = text
            .split([':', ' '])
            .filter(|entry| !entry.is_empty())
            .collect();
        let kept: Vec<&str> = entries
            .iter()
            .copied()
            .filter(|entry| !vendor.owns_file(Path::new(entry)))
            .collect();
        if kept.len() == entries.len() {
            return;
        }
        if kept.is_empty() {
            self.remove.push("LD_PRELOAD".into());
        } else {
            self.set("LD_PRELOAD", kept.join(":"));
        }
    }
}

/// Somebody else's toolkit, as far as the environment shows it.
#[derive(Debug)]
pub(crate) struct Vendor<'a> {
    ours: &'a Installation,
    roots: Vec<PathBuf>,
}

impl<'a> Vendor<'a> {
    pub(crate) fn new(ours: &'a Installation, now: &Variables) -> Self {
        let mut roots = vec![PathBuf::from(VENDOR_DEFAULT)];
        for name in ["ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"] {
            let Some(root) = now.get(OsStr::new(name)).map(PathBuf::from) else {
                continue;
            };
            // Only a folder with the vendor's name in it: a prefix such as /usr holds other people's
            // libraries as well.
            let named = root
                .iter()
                .any(|part| part.to_string_lossy().to_lowercase().starts_with("ascend"));
            if named && root != ours.home {
                roots.push(root);
            }
        }
        Self { ours, roots }
    }

    /// The toolkits that exist: the standard place, and those that variables name.
    pub(crate) fn installed(&self) -> Vec<&Path> {
        self.roots
            .iter()
            .map(PathBuf::as_path)
            .filter(|root| root.is_dir())
            .collect()
    }

    /// A folder below a toolkit, or one with a libascendcl.so that is not ours.
    fn owns(&self, folder: &Path) -> bool {
        self.owns_file(folder) || is_foreign(folder, LIBRARY, self.ours)
    }

    fn owns_file(&self, path: &Path) -> bool {
        !path.starts_with(&self.ours.home) && self.roots.iter().any(|root| path.starts_with(root))
    }

    /// Whether a value is a list of the vendor's paths and nothing else.
    fn owns_all(&self, value: &OsStr) -> bool {
        let mut entries = env::split_paths(value).filter(|entry| !entry.as_os_str().is_empty());
        !value.is_empty() && entries.all(|entry| self.owns_file(&entry))
    }
}

/// Whether ONNX Runtime's library is in a folder, and not only a link to where it was.
fn has_engine(folder: &Path) -> bool {
    let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| {
        let name = entry.file_name();
        name.to_string_lossy().starts_with("libonnxruntime.so") && entry.path().exists()
    })
}

/// The files of a list separated by colons. A single file may have one in its name.
fn files(list: &OsStr) -> Vec<PathBuf> {
    if Path::new(list).exists() {
        return vec![list.into()];
    }
    env::split_paths(list)
        .filter(|file| !file.as_os_str().is_empty())
        .collect()
}

/// Whether `folder` holds a library of this name that is not ours.
pub(crate) fn is_foreign(folder: &Path, library: &str, ours: &Installation) -> bool {
    let path = folder.join(library);
    path.exists() && !ours.owns(&path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::Packages;

    fn ours() -> Installation {
        Installation {
            home: "/opt/millpond".into(),
            lib: "/opt/millpond/lib64".into(),
            layout: Layout::Dist,
        }
    }

    fn variables(pairs: &[(&str, &str)]) -> Variables {
        pairs
            .iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect()
    }

    fn value<'a>(changes: &'a Changes, name: &str) -> &'a str {
        changes.set[OsStr::new(name)].to_str().unwrap()
    }

    #[test]
    fn operators_of_pytorch_are_launched_where_they_are_called_unless_the_user_says_otherwise() {
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
    fn an_empty_environment_gets_our_folders_only() {
        let changes = Changes::towards(&ours(), &Variables::new());
        assert_eq!(value(&changes, "LD_LIBRARY_PATH"), "/opt/millpond/lib64");
        assert_eq!(value(&changes, "PYTHONPATH"), "/opt/millpond/python-path");
        assert_eq!(value(&changes, "ASCEND_HOME_PATH"), "/opt/millpond");
        assert_eq!(value(&changes, "ASCEND_TOOLKIT_HOME"), "/opt/millpond");
        assert_eq!(value(&changes, "PATH"), "/opt/millpond/bin");
        assert!(changes.remove.is_empty() && changes.notes.is_empty());
    }

    #[test]
    fn python_looks_into_our_folder_first_and_then_where_it_did() {
        let python = |old: &str| {
            let now = variables(&[("PYTHONPATH", old)]);
            Changes::towards(&ours(), &now).set
        };
        let value = |old: &str| python(old)[OsStr::new("PYTHONPATH")].clone();
        assert_eq!(value(""), "/opt/millpond/python-path");
        assert_eq!(value("/a:/b"), "/opt/millpond/python-path:/a:/b");
        assert_eq!(value(":/b"), "/opt/millpond/python-path::/b");
        let again = python("/opt/millpond/python-path:/a");
        assert!(!again.contains_key(OsStr::new("PYTHONPATH")));
    }

    #[test]
    fn a_vendors_folders_leave_and_other_folders_stay_in_order() {
        let now = variables(&[
            ("ASCEND_HOME_PATH", "/home/u/Ascend/latest"),
            (
                "LD_LIBRARY_PATH",
                "/usr/local/Ascend/driver/lib64:/one:/home/u/Ascend/latest/lib64::/two",
            ),
        ]);
        let changes = Changes::towards(&ours(), &now);
        assert_eq!(
            value(&changes, "LD_LIBRARY_PATH"),
            "/opt/millpond/lib64:/one:/two"
        );
    }

    #[test]
    fn a_vendors_places_are_removed_and_settings_stay() {
        let now = variables(&[
            ("ASCEND_OPP_PATH", "/usr/local/Ascend/latest/opp"),
            ("ASCEND_AICPU_PATH", "/usr/local/Ascend/latest"),
            ("TOOLCHAIN_HOME", "/usr/local/Ascend/latest/toolkit"),
            ("ASCEND_RT_VISIBLE_DEVICES", "0,1"),
            ("ASCEND_CUSTOM_OPP_PATH", "/home/u/operators"),
            ("ASCEND_EMPTY", ""),
        ]);
        let changes = Changes::towards(&ours(), &now);
        assert_eq!(changes.remove, ["ASCEND_AICPU_PATH", "TOOLCHAIN_HOME"]);
        assert_eq!(value(&changes, "ASCEND_OPP_PATH"), "/opt/millpond/opp");
    }

    #[test]
    fn our_own_set_env_is_not_taken_for_a_vendor() {
        let now = variables(&[
            ("ASCEND_HOME_PATH", "/opt/millpond"),
            ("LD_LIBRARY_PATH", "/opt/millpond/lib64:/one"),
        ]);
        let changes = Changes::towards(&ours(), &now);
        assert_eq!(
            value(&changes, "LD_LIBRARY_PATH"),
            "/opt/millpond/lib64:/one"
        );
    }

    #[test]
    fn a_common_prefix_in_ascend_home_path_does_not_take_others_along() {
        let now = variables(&[
            ("ASCEND_HOME_PATH", "/usr/local"),
            ("LD_LIBRARY_PATH", "/usr/local/lib"),
        ]);
        let changes = Changes::towards(&ours(), &now);
        assert_eq!(
            value(&changes, "LD_LIBRARY_PATH"),
            "/opt/millpond/lib64:/usr/local/lib"
        );
    }

    #[test]
    fn a_vendors_preloaded_files_leave() {
        let now = variables(&[(
            "LD_PRELOAD",
            "/usr/local/Ascend/x/libhook.so /lib/libmine.so",
        )]);
        let changes = Changes::towards(&ours(), &now);
        assert_eq!(value(&changes, "LD_PRELOAD"), "/lib/libmine.so");

        let now = variables(&[("LD_PRELOAD", "/usr/local/Ascend/x/libhook.so")]);
        assert_eq!(Changes::towards(&ours(), &now).remove, ["LD_PRELOAD"]);
    }

    #[test]
    fn annotations_go_to_our_library_and_from_there_to_the_users_tools() {
        let library = "/opt/millpond/lib64/libascendcl.so";
        let changes = Changes::towards(&ours(), &Variables::new());
        assert_eq!(value(&changes, INJECTION), library);
        assert!(!changes.set.contains_key(OsStr::new(TOOLS)));

        let now = variables(&[(INJECTION, "/home/u/libmine.so")]);
        let changes = Changes::towards(&ours(), &now);
        assert_eq!(value(&changes, INJECTION), library);
        assert_eq!(value(&changes, TOOLS), "/home/u/libmine.so");

        let now = variables(&[(INJECTION, "/b.so:/a.so"), (TOOLS, "/a.so")]);
        let changes = Changes::towards(&ours(), &now);
        assert_eq!(value(&changes, TOOLS), "/a.so:/b.so");
    }

    #[test]
    fn injecting_twice_changes_nothing_more() {
        let now = variables(&[
            (INJECTION, "/opt/millpond/lib64/libascendcl.so"),
            (TOOLS, "/home/u/libmine.so"),
        ]);
        let changes = Changes::towards(&ours(), &now);
        assert_eq!(value(&changes, INJECTION), now[OsStr::new(INJECTION)]);
        assert_eq!(value(&changes, TOOLS), "/home/u/libmine.so");
    }

    #[test]
    fn a_vendors_tool_is_left_out_with_a_note() {
        let tool = "/usr/local/Ascend/tools/libtool.so";
        let now = variables(&[(INJECTION, tool), (TOOLS, tool)]);
        let changes = Changes::towards(&ours(), &now);
        assert_eq!(changes.remove, [TOOLS]);
        assert!(changes.notes[0].contains(tool), "{:?}", changes.notes);
    }

    #[test]
    fn what_is_preloaded_goes_before_what_was_and_only_once() {
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
    fn what_the_loader_cannot_preload_is_noted() {
        let mut changes = Changes::default();
        changes.preload(Path::new("/opt/hook.so"), &Variables::new());
        assert!(changes.notes.is_empty());
        changes.preload(Path::new("/opt/my own/hook.so"), &Variables::new());
        assert!(changes.notes[0].contains("a space"), "{:?}", changes.notes);
    }

    #[test]
    fn a_link_to_where_the_engine_was_is_no_engine() {
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
