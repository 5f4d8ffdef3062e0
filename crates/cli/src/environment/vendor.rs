//! A vendor's toolkit in the same shell.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::Variables;
use crate::installation::{Installation, LIBRARY};

/// The default folder of the vendor's installer.
const VENDOR_DEFAULT: &str = "/usr/local/Ascend";

/// A vendor's toolkit, as far as the environment shows it.
#[derive(Debug)]
pub(crate) struct Vendor<'a> {
    pub(super) ours: &'a Installation,
    roots: Vec<PathBuf>,
}

impl<'a> Vendor<'a> {
    pub(crate) fn new(ours: &'a Installation, now: &Variables) -> Self {
        let mut roots = vec![PathBuf::from(VENDOR_DEFAULT)];
        for name in ["ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"] {
            let Some(root) = now.get(OsStr::new(name)).map(PathBuf::from) else {
                continue;
            };
            // Only a folder with the vendor's name in it: a prefix such as /usr contains other libraries too.
            let named = root
                .iter()
                .any(|part| part.to_string_lossy().to_lowercase().starts_with("ascend"));
            if named && root != ours.home {
                roots.push(root);
            }
        }
        Self { ours, roots }
    }

    /// The toolkits that exist: the default folder, and those that variables name.
    pub(crate) fn installed(&self) -> Vec<&Path> {
        self.roots
            .iter()
            .map(PathBuf::as_path)
            .filter(|root| root.is_dir())
            .collect()
    }

    /// A folder below a toolkit, or one with a libascendcl.so that is not ours.
    pub(super) fn owns(&self, folder: &Path) -> bool {
        self.owns_file(folder) || is_foreign(folder, LIBRARY, self.ours)
    }

    pub(super) fn owns_file(&self, path: &Path) -> bool {
        !path.starts_with(&self.ours.home) && self.roots.iter().any(|root| path.starts_with(root))
    }

    /// Whether a value is a list of the vendor's paths and nothing else.
    pub(super) fn owns_all(&self, value: &OsStr) -> bool {
        let mut entries = env::split_paths(value).filter(|entry| !entry.as_os_str().is_empty());
        !value.is_empty() && entries.all(|entry| self.owns_file(&entry))
    }
}

/// Whether `folder` contains a library with this name that is not ours.
pub(crate) fn is_foreign(folder: &Path, library: &str, ours: &Installation) -> bool {
    let path = folder.join(library);
    path.exists() && !ours.owns(&path)
}
