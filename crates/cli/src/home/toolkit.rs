//! A toolkit folder of links: every layout of `packaging/layouts.txt` around an installation.
//!
//! A wheel cannot contain links, so the package has `include` and `lib64` only. Builds that look for
//! `runtime/include`, `lib64/stub` or `latest` get a folder that has them, wherever the user wants it.

use std::fs;
use std::io;
use std::path::Path;

use super::ensure_link;
use crate::installation::{Installation, LIBRARY, PLACES, companions, layouts};

/// Entries of an installation that the folder refers to as a whole.
const WHOLE: [&str; 5] = ["bin", "include", "python-path", "share", "set_env.sh"];

impl Installation {
    /// Makes `folder` refer to this installation. What is there already and right stays; anything else in the folder is
    /// left alone, and a file in the way of a link is an error.
    pub(crate) fn link_toolkit(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        for name in WHOLE {
            let target = self.home.join(name);
            if target.exists() {
                place(&folder.join(name), &target)?;
            }
        }
        let lib = folder.join("lib64");
        fs::create_dir_all(&lib)?;
        for entry in fs::read_dir(&self.lib)?.flatten() {
            if entry.file_name() != "stub" {
                place(&lib.join(entry.file_name()), &entry.path())?;
            }
        }
        for name in companions().chain([LIBRARY]) {
            place(&lib.join("stub").join(name), &Path::new("..").join(name))?;
        }
        for name in PLACES {
            fs::create_dir_all(folder.join(name))?;
        }
        for (name, target) in layouts() {
            let link = folder.join(name);
            let above = link.parent().unwrap_or(folder);
            fs::create_dir_all(above)?;
            // A build folder has no headers, and links are listed after their targets.
            if above.join(&target).exists() {
                place(&link, Path::new(&target))?;
            }
        }
        Ok(())
    }
}

/// As [`ensure_link`], but a file or folder that somebody else put there is not replaced.
fn place(link: &Path, target: &Path) -> io::Result<()> {
    match fs::symlink_metadata(link) {
        Ok(there) if !there.file_type().is_symlink() => Err(io::Error::other(format!(
            "{} exists and is not a link",
            link.display()
        ))),
        _ => ensure_link(link, target),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::installation::Layout;
    use std::path::PathBuf;

    /// What a wheel installs: no links.
    fn installed(name: &str) -> (PathBuf, Installation) {
        let folder = std::env::temp_dir().join(format!("millpond-{}-{name}", std::process::id()));
        drop(fs::remove_dir_all(&folder));
        let home = folder.join("millpond");
        for place in ["bin", "lib64", "include/acl"] {
            fs::create_dir_all(home.join(place)).unwrap();
        }
        for file in companions().chain([LIBRARY]) {
            fs::write(home.join("lib64").join(file), file).unwrap();
        }
        fs::write(home.join("include/acl/acl.h"), "header").unwrap();
        let installation = Installation {
            lib: home.join("lib64"),
            home,
            layout: Layout::Dist,
        };
        (folder, installation)
    }

    #[test]
    fn builds_find_headers_and_libraries_in_every_layout() {
        let (folder, installation) = installed("toolkit-layouts");
        let toolkit = folder.join("toolkit");
        installation.link_toolkit(&toolkit).unwrap();
        // The second time changes nothing.
        installation.link_toolkit(&toolkit).unwrap();
        for place in [".", "runtime", "acllib", "latest", "latest/runtime"] {
            let place = toolkit.join(place);
            for (file, text) in [
                ("include/acl/acl.h", "header"),
                ("lib64/libascendcl.so", LIBRARY),
                ("lib64/stub/libascendcl.so", LIBRARY),
                ("lib64/stub/libhccl.so", "libhccl.so"),
            ] {
                let file = place.join(file);
                assert_eq!(
                    fs::read_to_string(&file).unwrap_or_default(),
                    text,
                    "{}",
                    file.display()
                );
            }
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_belongs_to_somebody_else_is_not_replaced() {
        let (folder, installation) = installed("toolkit-occupied");
        let toolkit = folder.join("toolkit");
        fs::create_dir_all(toolkit.join("include")).unwrap();
        fs::write(toolkit.join("include/mine.h"), "mine").unwrap();
        let error = installation.link_toolkit(&toolkit).unwrap_err();
        assert!(
            error.to_string().contains("include exists and is not"),
            "{error}"
        );
        assert_eq!(
            fs::read_to_string(toolkit.join("include/mine.h")).unwrap(),
            "mine"
        );
        fs::remove_dir_all(folder).unwrap();
    }
}
