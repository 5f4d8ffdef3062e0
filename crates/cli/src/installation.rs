//! Where Millpond's own files are, relative to the executable.

use std::path::{Path, PathBuf};

pub(crate) const LIBRARY: &str = "libascendcl.so";

/// An empty library. PyTorch for Ascend reports its memory to tools only if `LD_PRELOAD` contains a real file (not a
/// link) with this name.
pub(crate) const HOOK: &str = "libascend_kernel_hook.so";

/// A separate library with C++ functions that `onnxruntime-cann` needs.
pub(crate) const PARSER: &str = "libfmk_onnx_parser.so";

/// A separate library around Gloo that ranks on several machines need.
pub(crate) const GLOO: &str = "libmillpond_gloo.so";

/// Folders whose existence programs check. They contain only links.
pub(crate) const PLACES: [&str; 3] = ["runtime", "compiler", "opp"];

/// The folder of workarounds for PyTorch for Ascend; the first entry of `PYTHONPATH`.
pub(crate) const REMEDIES: &str = "python-path";

/// One `NAME REASON` per line; `#` begins a comment.
const COMPANIONS: &str = include_str!("../../../packaging/companions.txt");

/// One `LINK TARGET` per line; `#` begins a comment.
const LAYOUTS: &str = include_str!("../../../packaging/layouts.txt");

/// Links in an installation that build systems use, and their targets relative to the link's folder.
pub(crate) fn layouts() -> impl Iterator<Item = (String, String)> {
    let lines = LAYOUTS.lines().filter(|line| !line.starts_with('#'));
    let pairs = lines.filter_map(|line| line.split_once(' '));
    let name = |text: &str| text.trim().replace("ARCH", std::env::consts::ARCH);
    pairs.map(move |(link, target)| (name(link), name(target)))
}

/// The other library names that programs link or open, in the order of the table.
pub(crate) fn companions() -> impl Iterator<Item = &'static str> {
    COMPANIONS
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_whitespace().next())
}

/// How the files around the executable are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// `bin`, `include` and `lib64` side by side, as `cargo xtask dist` makes them.
    Dist,
    /// The library is beside the executable, as in Cargo's `target/debug`. There are no headers;
    /// [`Installation::presented`] creates the other names.
    Build,
}

/// The library that belongs to this executable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Installation {
    /// What `ASCEND_HOME_PATH` is set to.
    pub(crate) home: PathBuf,
    /// The folder of [`LIBRARY`].
    pub(crate) lib: PathBuf,
    pub(crate) layout: Layout,
}

impl Installation {
    /// The installation of the running executable. `Err` lists where the library was searched.
    pub(crate) fn find() -> Result<Self, Vec<PathBuf>> {
        let executable = std::env::current_exe()
            .and_then(|path| path.canonicalize())
            .unwrap_or_default();
        Self::around(&executable)
    }

    fn around(executable: &Path) -> Result<Self, Vec<PathBuf>> {
        let beside = executable.parent().unwrap_or(Path::new("/"));
        let mut candidates = Vec::new();
        if beside.file_name().is_some_and(|name| name == "bin") {
            let home = beside.parent().unwrap_or(Path::new("/"));
            candidates.push(Self {
                home: home.to_path_buf(),
                lib: home.join("lib64"),
                layout: Layout::Dist,
            });
        }
        candidates.push(Self {
            home: beside.to_path_buf(),
            lib: beside.to_path_buf(),
            layout: Layout::Build,
        });

        let mut looked = Vec::new();
        for candidate in candidates {
            if candidate.library().is_file() {
                return Ok(candidate);
            }
            looked.push(candidate.library());
        }
        Err(looked)
    }

    pub(crate) fn library(&self) -> PathBuf {
        self.lib.join(LIBRARY)
    }

    /// Whether this file is our library, by any name.
    pub(crate) fn owns(&self, library: &Path) -> bool {
        match (library.canonicalize(), self.library().canonicalize()) {
            (Ok(one), Ok(other)) => one == other,
            _ => false,
        }
    }
}

/// What to do if there is no library beside the executable.
pub(crate) const BUILD_HINT: &str =
    "cargo xtask dist builds everything into target/dist; use target/dist/bin/millpond";

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("millpond-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_dist_folder_is_recognised_by_bin_and_lib64() {
        let home = folder("dist");
        fs::create_dir_all(home.join("lib64")).unwrap();
        fs::write(home.join("lib64").join(LIBRARY), "").unwrap();
        let found = Installation::around(&home.join("bin/millpond")).unwrap();
        assert_eq!(found.layout, Layout::Dist);
        assert_eq!(found.home, home);
        assert!(found.owns(&home.join("lib64").join(LIBRARY)));
        fs::remove_dir_all(home).unwrap();
    }

    #[test]
    fn a_build_folder_is_recognised_by_the_library_beside_the_command() {
        let home = folder("build");
        fs::write(home.join(LIBRARY), "").unwrap();
        let found = Installation::around(&home.join("millpond")).unwrap();
        assert_eq!(found.layout, Layout::Build);
        assert_eq!(found.lib, home);
        fs::remove_dir_all(home).unwrap();
    }

    #[test]
    fn the_searched_paths_are_listed() {
        let looked = Installation::around(Path::new("/nowhere/bin/millpond")).unwrap_err();
        assert_eq!(looked.len(), 2);
        assert_eq!(looked[0], Path::new("/nowhere/lib64/libascendcl.so"));
    }
}
