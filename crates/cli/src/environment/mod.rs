//! The environment in which a program finds Millpond, and no other library with the same names.
//!
//! A vendor's toolkit may be set up in the same shell. Its folders are removed from `LD_LIBRARY_PATH`, because libraries
//! that Millpond does not replace would call the vendor's driver, and its `ASCEND_*` folders are replaced or removed.
//! Settings such as `ASCEND_RT_VISIBLE_DEVICES` stay.
//!
//! `vendor` recognises such a toolkit; `program` has the changes that depend on the program.

mod program;
mod vendor;

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::installation::{Installation, Layout, REMEDIES};
pub(crate) use vendor::{Vendor, is_foreign};

/// Disables ONNX Runtime's telemetry, including the note in the user's folder that it writes at load, before our library
/// can disable it.
const NO_REPORTS: &str = "ORT_DISABLE_TELEMETRY";

/// The file that the MSTX header opens as a tool: always one file.
const INJECTION: &str = "MSTX_INJECTION_PATH";
/// Further tools, separated by colons. Our library opens these.
const TOOLS: &str = "MILLPOND_MSTX_TOOLS";

/// The variables of one process.
pub(crate) type Variables = BTreeMap<OsString, OsString>;

/// Changes to make before a program starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    pub(crate) set: BTreeMap<OsString, OsString>,
    pub(crate) remove: Vec<OsString>,
    /// Sentences for the user about problems of this program.
    pub(crate) notes: Vec<String>,
}

impl Changes {
    /// The changes to the variables `now` that make a program use `ours`.
    pub(crate) fn towards(ours: &Installation, now: &Variables) -> Self {
        let vendor = Vendor::new(ours, now);
        let mut changes = Self::default();

        changes.set("ASCEND_HOME_PATH", ours.home.as_os_str());
        changes.set("ASCEND_TOOLKIT_HOME", ours.home.as_os_str());
        // Clients refuse to start without this folder, but read nothing in it.
        changes.set("ASCEND_OPP_PATH", ours.home.join("opp"));
        changes.prepend("LD_LIBRARY_PATH", &ours.lib, now, |entry| {
            vendor.owns(entry)
        });
        changes.prepend_python_path(&ours.home.join(REMEDIES), now);
        changes.prepend("PATH", &ours.home.join("bin"), now, |_| false);
        if ours.layout == Layout::Dist {
            let pkg_config = ours.lib.join("pkgconfig");
            changes.prepend("PKG_CONFIG_PATH", &pkg_config, now, |_| false);
            changes.prepend("CMAKE_PREFIX_PATH", &ours.home, now, |_| false);
        }

        if !now.contains_key(OsStr::new(NO_REPORTS)) {
            changes.set(NO_REPORTS, OsStr::new("1"));
        }

        for (name, value) in now {
            let text = name.to_string_lossy();
            let names_a_path = text.starts_with("ASCEND_") || text == "TOOLCHAIN_HOME";
            if names_a_path && !changes.set.contains_key(name) && vendor.owns_all(value) {
                changes.remove.push(name.clone());
            }
        }
        if let Some(preload) = now.get(OsStr::new("LD_PRELOAD")) {
            changes.clean_preload(preload, &vendor);
        }
        changes.inject(now, &vendor);
        changes
    }

    /// Makes our library the MSTX tool, also where its symbols are not globally visible because Python loads it. The
    /// user's own tools follow it.
    fn inject(&mut self, now: &Variables, vendor: &Vendor) {
        let ours = vendor.ours;
        let list = |name: &str| now.get(OsStr::new(name)).cloned().unwrap_or_default();
        let mut tools = Vec::new();
        for (name, value) in [(TOOLS, list(TOOLS)), (INJECTION, list(INJECTION))] {
            for tool in files(&value) {
                if vendor.owns_file(&tool) {
                    self.notes.push(format!(
                        "{} in {name} belongs to a vendor's toolkit and is ignored",
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

    pub(crate) fn set(&mut self, name: &str, value: impl AsRef<OsStr>) {
        self.set.insert(name.into(), value.as_ref().to_owned());
    }

    /// Puts `first` at the start of a colon-separated list, and removes entries that are `unwanted` or equal to it.
    fn prepend(
        &mut self,
        name: &str,
        first: &Path,
        now: &Variables,
        unwanted: impl Fn(&Path) -> bool,
    ) {
        let old = now.get(OsStr::new(name)).cloned().unwrap_or_default();
        let rest = env::split_paths(&old)
            // An empty entry means the current folder, which is rarely intended.
            .filter(|entry| !entry.as_os_str().is_empty() && entry != first && !unwanted(entry));
        let mut value = first.as_os_str().to_owned();
        for entry in rest {
            value.push(":");
            value.push(entry);
        }
        self.set(name, value);
    }

    /// Puts `first` at the start of `PYTHONPATH`. Unlike in other lists, empty entries stay: scripts may find their modules
    /// through them.
    fn prepend_python_path(&mut self, first: &Path, now: &Variables) {
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

/// The files of a colon-separated list. A single file may have a colon in its name.
fn files(list: &OsStr) -> Vec<PathBuf> {
    if Path::new(list).exists() {
        return vec![list.into()];
    }
    env::split_paths(list)
        .filter(|file| !file.as_os_str().is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn ours() -> Installation {
        Installation {
            home: "/opt/millpond".into(),
            lib: "/opt/millpond/lib64".into(),
            layout: Layout::Dist,
        }
    }

    pub(super) fn variables(pairs: &[(&str, &str)]) -> Variables {
        pairs
            .iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect()
    }

    pub(super) fn value<'a>(changes: &'a Changes, name: &str) -> &'a str {
        changes.set[OsStr::new(name)].to_str().unwrap()
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
    fn our_folder_comes_first_in_pythonpath() {
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
    fn a_vendors_folders_are_removed_and_others_keep_their_order() {
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
    fn a_vendors_paths_are_removed_and_settings_stay() {
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
    fn a_common_prefix_in_ascend_home_path_removes_no_other_folders() {
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
    fn a_vendors_preloaded_files_are_removed() {
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
    fn a_vendors_tool_is_ignored_with_a_note() {
        let tool = "/usr/local/Ascend/tools/libtool.so";
        let now = variables(&[(INJECTION, tool), (TOOLS, tool)]);
        let changes = Changes::towards(&ours(), &now);
        assert_eq!(changes.remove, [TOOLS]);
        assert!(changes.notes[0].contains(tool), "{:?}", changes.notes);
    }
}
