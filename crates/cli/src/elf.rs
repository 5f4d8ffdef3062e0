//! What an executable file tells the dynamic loader.
//!
//! Only what `millpond run` needs: whether it is linked dynamically, which libraries it needs, and which folders the
//! loader searches before `LD_LIBRARY_PATH`. Such folders come from the old `DT_RPATH` tag; the newer `DT_RUNPATH` is
//! searched after `LD_LIBRARY_PATH`, and if both are present the loader ignores the old one.
//!
//! Only 64-bit little-endian files are read: every supported machine uses them. Anything else, and anything
//! inconsistent, is `None`: then there is no warning, and the loader reports the problem.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use object::LittleEndian;
use object::elf::{
    DT_NEEDED, DT_NULL, DT_RPATH, DT_RUNPATH, DT_STRSZ, DT_STRTAB, DynamicTag, ELFMAG,
    FileHeader64, PT_INTERP, PT_LOAD, ProgramHeader64,
};
use object::read::elf::{Dyn, FileHeader, ProgramHeader};
use object::read::{ReadCache, StringTable};

/// The part of an executable that the dynamic loader uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Executable {
    /// Whether the file needs a dynamic loader.
    pub(crate) dynamic: bool,
    /// `DT_NEEDED`, in order.
    pub(crate) needed: Vec<String>,
    rpath: Option<String>,
    runpath: Option<String>,
}

impl Executable {
    pub(crate) fn read(path: &Path) -> Option<Self> {
        // Parts of the file are read on demand: executables can be very large.
        let file = ReadCache::new(File::open(path).ok()?);
        let header = FileHeader64::<LittleEndian>::parse(&file).ok()?;
        let endian = header.endian().ok()?;
        let segments = header.program_headers(endian, &file).ok()?;
        let mut executable = Self {
            dynamic: segments
                .iter()
                .any(|segment| segment.p_type(endian) == PT_INTERP),
            ..Self::default()
        };
        let dynamic = segments
            .iter()
            .find_map(|segment| segment.dynamic(endian, &file).transpose());
        let Some(dynamic) = dynamic else {
            return Some(executable);
        };
        let entries = dynamic.ok()?.iter();
        let entries: Vec<(DynamicTag, u64)> = entries
            .map(|entry| (entry.tag(endian), entry.val(endian)))
            .take_while(|(tag, _)| *tag != DT_NULL)
            .collect();
        let value = |wanted| {
            let found = entries.iter().find(|(tag, _)| *tag == wanted);
            found.map(|(_, value)| *value)
        };
        let start = file_offset(segments, endian, value(DT_STRTAB)?)?;
        let end = start.checked_add(value(DT_STRSZ)?)?;
        let texts = StringTable::new(&file, start, end);
        for &(tag, value) in &entries {
            let text = || {
                let bytes = texts.get(u32::try_from(value).ok()?).ok()?;
                String::from_utf8(bytes.to_vec()).ok()
            };
            match tag {
                DT_NEEDED => executable.needed.push(text()?),
                DT_RPATH => executable.rpath = Some(text()?),
                DT_RUNPATH => executable.runpath = Some(text()?),
                _ => {}
            }
        }
        Some(executable)
    }

    /// The folders that the loader searches before `LD_LIBRARY_PATH`. `path` is that of the executable, for `$ORIGIN`;
    /// entries with other variables are ignored.
    pub(crate) fn folders_searched_first(&self, path: &Path) -> Vec<PathBuf> {
        let Some(rpath) = self.rpath.as_ref().filter(|_| self.runpath.is_none()) else {
            return Vec::new();
        };
        let origin = path.parent().unwrap_or(Path::new("/")).to_string_lossy();
        rpath
            .split(':')
            .filter(|entry| !entry.is_empty())
            .map(|entry| {
                entry
                    .replace("${ORIGIN}", &origin)
                    .replace("$ORIGIN", &origin)
            })
            .filter(|entry| !entry.contains('$'))
            .map(PathBuf::from)
            .collect()
    }
}

/// The file offset of the bytes that are loaded at `address`.
fn file_offset(
    segments: &[ProgramHeader64<LittleEndian>],
    endian: LittleEndian,
    address: u64,
) -> Option<u64> {
    let loaded = segments
        .iter()
        .filter(|segment| segment.p_type(endian) == PT_LOAD);
    loaded
        .filter(|segment| segment.p_filesz(endian) > 0)
        .find_map(|segment| {
            let inside = address.checked_sub(segment.p_vaddr(endian))?;
            (inside < segment.p_filesz(endian))
                .then(|| segment.p_offset(endian).checked_add(inside))?
        })
}

/// Word size, byte order and machine of an ELF file. Only files with equal values can share a process.
pub(crate) fn machine(path: &Path) -> Option<[u8; 4]> {
    let mut header = [0; 20];
    File::open(path).ok()?.read_exact(&mut header).ok()?;
    let [class, order, low, high] = [header[4], header[5], header[18], header[19]];
    header
        .starts_with(&ELFMAG)
        .then_some([class, order, low, high])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_test_is_a_dynamic_program_that_needs_libc() {
        let own = std::env::current_exe().unwrap();
        let executable = Executable::read(&own).unwrap();
        assert!(executable.dynamic);
        assert!(
            executable
                .needed
                .iter()
                .any(|name| name.starts_with("libc.so"))
        );
        assert!(executable.folders_searched_first(&own).is_empty());
    }

    #[test]
    fn a_text_file_is_not_an_executable() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        assert_eq!(Executable::read(&source), None);
    }

    #[test]
    fn every_truncation_of_a_real_program_is_survived() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let path = std::env::temp_dir().join(format!("millpond-{}-cut", std::process::id()));
        for bytes in (0..1200).step_by(7) {
            std::fs::write(&path, &own[..bytes]).unwrap();
            Executable::read(&path);
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn rpath_counts_only_without_runpath() {
        let mut executable = Executable {
            rpath: Some("$ORIGIN/../lib:/opt/x:${ORIGIN}::$LIB/y".into()),
            ..Executable::default()
        };
        let path = Path::new("/app/bin/tool");
        assert_eq!(
            executable.folders_searched_first(path),
            [
                Path::new("/app/bin/../lib"),
                Path::new("/opt/x"),
                Path::new("/app/bin")
            ]
        );
        executable.runpath = Some("/opt/z".into());
        assert!(executable.folders_searched_first(path).is_empty());
    }
}
