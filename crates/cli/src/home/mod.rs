//! Creates the installation that programs expect, beside a library that Cargo built.
//!
//! `cargo xtask dist` and the wheel have the whole layout. Cargo's build folder has only the library, so a folder of
//! links is created beside it when the first program is started, and reused afterwards:
//!
//! ```text
//! target/debug/libascendcl.so
//! target/debug/millpond-home/lib64/libascendcl.so -> ../../libascendcl.so    and every other name
//! target/debug/millpond-home/lib64/stub/                                     the same names
//! target/debug/millpond-home/{runtime,compiler,opp}/
//! target/debug/millpond-home/runtime/lib64 -> ../lib64                       and the rest of packaging/layouts.txt
//! target/debug/millpond-home/bin/npu-smi -> the command that runs now
//! target/debug/millpond-home/bin/millpond -> the same
//! target/debug/millpond-home/bin/msprof -> ../tools/profiler/bin/msprof           and the file that is expected beside it
//! target/debug/millpond-home/python-path/                                    the files of packaging/torch
//! ```
//!
//! It is beside the library because whoever can write there can replace the library too, and `cargo clean` removes it.
//! Each entry is created by one rename, and every process creates the same, so several may do it concurrently.

mod empty;
mod toolkit;

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::SystemTime;

use crate::installation::{
    GLOO, HOOK, Installation, LIBRARY, Layout, PARSER, PLACES, REMEDIES, companions, layouts,
};

/// The folder of links, beside the library.
const FOLDER: &str = "millpond-home";

/// The library that ours searches in its own folder.
const ENGINE: &str = "libonnxruntime.so";

macro_rules! remedies {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("../../../../packaging/torch/", $name)))),*]
    };
}

/// The files of [`REMEDIES`].
const REMEDY_FILES: [(&str, &str); 4] = remedies!(
    "sitecustomize.py",
    "millpond_torch/__init__.py",
    "millpond_torch/allocator_settings.py",
    "millpond_torch/safe_softmax.py"
);

/// The files of the command msprof, in the places that programs expect.
const MSPROF_FILES: [(&str, &str); 2] = [
    (
        "tools/profiler/bin/msprof",
        include_str!("../../../../packaging/msprof/msprof"),
    ),
    (
        "tools/profiler/profiler_tool/analysis/msprof/msprof.py",
        include_str!("../../../../packaging/msprof/msprof.py"),
    ),
];

impl Installation {
    /// The installation with every name and folder that programs expect.
    pub(crate) fn presented(self) -> io::Result<Self> {
        if self.layout == Layout::Dist {
            return Ok(self);
        }
        let home = self.lib.join(FOLDER);
        let presented = Self {
            lib: home.join("lib64"),
            home,
            layout: Layout::Build,
        };
        fs::create_dir_all(&presented.lib)?;
        for place in PLACES {
            fs::create_dir_all(presented.home.join(place))?;
        }
        for name in companions().chain([LIBRARY]) {
            // A separate library with that name takes precedence over a link to ours.
            let own = self.lib.join(name).is_file();
            link(if own { name } else { LIBRARY }, &presented.lib, name)?;
            ensure_link(
                &presented.lib.join("stub").join(name),
                &Path::new("..").join(name),
            )?;
        }
        for (name, target) in layouts() {
            let link = presented.home.join(name);
            let folder = link.parent().unwrap_or(&presented.home);
            // There are no headers here, and links are listed after their targets.
            fs::create_dir_all(folder)?;
            if folder.join(&target).exists() {
                ensure_link(&link, Path::new(&target))?;
            }
        }
        for entry in fs::read_dir(&self.lib)?.flatten() {
            let name = entry.file_name();
            if let Some(name) = name
                .to_str()
                .filter(|name| name.starts_with(ENGINE) || [PARSER, GLOO].contains(name))
            {
                link(name, &presented.lib, name)?;
            }
        }
        for (name, text) in REMEDY_FILES {
            ensure_file(&presented.home.join(REMEDIES).join(name), text.as_bytes())?;
        }
        ensure_file(&presented.lib.join(HOOK), &empty::library()?)?;
        // Scripts ask for devices by this command.
        let command = std::env::current_exe()?;
        for name in ["npu-smi", "millpond"] {
            ensure_link(&presented.home.join("bin").join(name), &command)?;
        }
        for (name, text) in MSPROF_FILES {
            let file = presented.home.join(name);
            ensure_file(&file, text.as_bytes())?;
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
        }
        ensure_link(
            &presented.home.join("bin/msprof"),
            Path::new("../tools/profiler/bin/msprof"),
        )?;
        Ok(presented)
    }
}

/// Creates the link `name` in `lib` to `target` two folders above.
fn link(target: &str, lib: &Path, name: &str) -> io::Result<()> {
    ensure_link(&lib.join(name), &Path::new("../..").join(target))
}

/// Creates a link to `target`, unless it exists.
fn ensure_link(link: &Path, target: &Path) -> io::Result<()> {
    if fs::read_link(link).is_ok_and(|there| there == target) {
        return Ok(());
    }
    if let Some(folder) = link.parent() {
        fs::create_dir_all(folder)?;
    }
    create_atomically(link, |next| symlink(target, next))
}

/// Creates a file with these contents, unless it exists.
fn ensure_file(file: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::read(file).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    create_atomically(file, |next| fs::write(next, bytes))
}

/// Creates a file under a unique name, and renames it when it is complete.
fn create_atomically(file: &Path, make: impl Fn(&Path) -> io::Result<()>) -> io::Result<()> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let number = now.unwrap_or_default().as_nanos();
    let next = file.with_file_name(format!(".{name}.{}.{number}", std::process::id()));
    let made = make(&next).and_then(|()| fs::rename(&next, file));
    if made.is_err() {
        // Otherwise each start would leave another one.
        drop(fs::remove_file(&next));
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;
    use std::thread;

    /// A build folder with a library.
    fn build(name: &str) -> (PathBuf, Installation) {
        let folder = std::env::temp_dir().join(format!("millpond-{}-{name}", std::process::id()));
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(LIBRARY), "ours").unwrap();
        let installation = Installation {
            home: folder.clone(),
            lib: folder.clone(),
            layout: Layout::Build,
        };
        (folder, installation)
    }

    #[test]
    fn every_name_refers_to_the_library_and_every_folder_exists() {
        let (folder, plain) = build("home-names");
        let presented = plain.clone().presented().unwrap();
        for name in companions().chain([LIBRARY]) {
            assert!(plain.owns(&presented.lib.join(name)), "{name}");
        }
        for place in PLACES {
            assert!(presented.home.join(place).is_dir(), "{place}");
        }
        let arch = format!("{}-linux", std::env::consts::ARCH);
        for place in ["runtime", "acllib", "latest", "latest/acllib", &arch] {
            for lib in ["lib64", "lib64/stub"] {
                let library = presented.home.join(place).join(lib).join(LIBRARY);
                assert!(plain.owns(&library), "{}", library.display());
            }
        }
        // There are no headers beside a library that Cargo built.
        assert!(!presented.home.join("runtime/include").exists());
        assert!(presented.lib.join(HOOK).is_file());
        assert!(presented.owns(&plain.library()));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn every_remedy_is_there() {
        let (folder, plain) = build("home-remedies");
        let made = plain.presented().unwrap().home.join(REMEDIES);
        let packaged = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/torch");
        let mut compared = 0;
        for place in ["", "millpond_torch"] {
            for file in fs::read_dir(packaged.join(place)).unwrap() {
                let file = file.unwrap().path();
                if file.extension().is_some_and(|extension| extension == "py") {
                    let name = Path::new(place).join(file.file_name().unwrap());
                    let text = fs::read_to_string(made.join(&name));
                    assert_eq!(text.unwrap(), fs::read_to_string(&file).unwrap());
                    compared += 1;
                }
            }
        }
        assert_eq!(compared, REMEDY_FILES.len());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_separate_library_replaces_the_link_once_it_exists() {
        let (folder, plain) = build("home-own");
        let name = companions().next().unwrap();
        let lib = plain.clone().presented().unwrap().lib;
        assert_eq!(fs::read_to_string(lib.join(name)).unwrap(), "ours");
        fs::write(folder.join(name), "its own").unwrap();
        plain.presented().unwrap();
        assert_eq!(fs::read_to_string(lib.join(name)).unwrap(), "its own");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_engine_beside_the_library_stays_beside_it() {
        let (folder, plain) = build("home-engine");
        fs::write(folder.join("libonnxruntime.so.1.22.0"), "engine").unwrap();
        let lib = plain.presented().unwrap().lib;
        assert!(lib.join("libonnxruntime.so.1.22.0").is_file());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn concurrent_creation_works_and_a_second_time_changes_nothing() {
        let (folder, plain) = build("home-together");
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| plain.clone().presented().unwrap());
            }
        });
        let presented = plain.clone().presented().unwrap();
        let library = presented.library();
        let before = fs::symlink_metadata(&library).unwrap().modified().unwrap();
        assert_eq!(plain.presented().unwrap(), presented);
        let after = fs::symlink_metadata(&library).unwrap().modified().unwrap();
        assert_eq!(before, after);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_failure_leaves_nothing_behind() {
        let (folder, plain) = build("home-failed");
        let lib = folder.join(FOLDER).join("lib64");
        // A link cannot be renamed over a folder.
        fs::create_dir_all(lib.join(LIBRARY)).unwrap();
        plain.presented().unwrap_err();
        let left = fs::read_dir(&lib).unwrap().flatten();
        let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
        let hidden = left
            .iter()
            .filter(|name| name.to_string_lossy().starts_with('.'));
        assert_eq!(hidden.count(), 0, "{left:?}");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_dist_folder_is_not_changed() {
        let dist = Installation {
            home: "/nowhere".into(),
            lib: "/nowhere/lib64".into(),
            layout: Layout::Dist,
        };
        assert_eq!(dist.clone().presented().unwrap(), dist);
    }
}
