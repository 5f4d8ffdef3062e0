//! What an executable says to the dynamic loader, read from its file.
//!
//! Only what `millpond run` asks: is it linked dynamically, which libraries does it need, and does it
//! name folders that the loader searches before `LD_LIBRARY_PATH`. Such folders come from the old
//! `DT_RPATH` tag; the newer `DT_RUNPATH` is searched after `LD_LIBRARY_PATH`, and where both are
//! present the loader ignores the old one.
//!
//! 64-bit little-endian files only, which is what every machine we run on has. Anything else, and
//! anything that contradicts itself, is `None`: then nobody is warned, and the loader says the rest.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The part of an executable that concerns the dynamic loader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Executable {
    /// Whether the file asks for a dynamic loader at all.
    pub(crate) dynamic: bool,
    /// `DT_NEEDED`, in order.
    pub(crate) needed: Vec<String>,
    rpath: Option<String>,
    runpath: Option<String>,
}

const PT_LOAD: u32 = 1;
const PT_DYNAMIC: u32 = 2;
const PT_INTERP: u32 = 3;

const DT_NULL: u64 = 0;
const DT_NEEDED: u64 = 1;
const DT_STRTAB: u64 = 5;
const DT_RPATH: u64 = 15;
const DT_RUNPATH: u64 = 29;

/// Far above any real file; a damaged one must not make us read for ever.
const MOST_DYNAMIC_ENTRIES: u64 = 4096;
const LONGEST_STRING: usize = 4096;

struct Segment {
    kind: u32,
    offset: u64,
    address: u64,
    bytes: u64,
}

impl Executable {
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let file = File::open(path).ok()?;
        let segments = segments(&file)?;
        let mut executable = Self {
            dynamic: segments.iter().any(|segment| segment.kind == PT_INTERP),
            ..Self::default()
        };
        if let Some(dynamic) = segments.iter().find(|segment| segment.kind == PT_DYNAMIC) {
            executable.read_dynamic(&file, &segments, dynamic)?;
        }
        Some(executable)
    }

    fn read_dynamic(&mut self, file: &File, segments: &[Segment], dynamic: &Segment) -> Option<()> {
        let mut entries = Vec::new();
        for index in 0..(dynamic.bytes / 16).min(MOST_DYNAMIC_ENTRIES) {
            let entry: [u8; 16] = at(file, dynamic.offset.checked_add(index * 16)?)?;
            let (tag, value) = (u64_at(&entry, 0), u64_at(&entry, 8));
            if tag == DT_NULL {
                break;
            }
            entries.push((tag, value));
        }
        let table = entries.iter().find(|(tag, _)| *tag == DT_STRTAB)?.1;
        let table = file_offset(segments, table)?;
        for (tag, value) in entries {
            let text = || string(file, table.checked_add(value)?);
            match tag {
                DT_NEEDED => self.needed.push(text()?),
                DT_RPATH => self.rpath = Some(text()?),
                DT_RUNPATH => self.runpath = Some(text()?),
                _ => {}
            }
        }
        Some(())
    }

    /// The folders that the loader searches before `LD_LIBRARY_PATH`. `path` is the executable's own,
    /// for `$ORIGIN`; entries with other variables are left out.
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

/// Word size, byte order and machine of an ELF file. Two files can share a process only when equal.
pub(crate) fn machine(path: &Path) -> Option<[u8; 4]> {
    let header: [u8; 20] = at(&File::open(path).ok()?, 0)?;
    let [class, order, low, high] = [header[4], header[5], header[18], header[19]];
    header
        .starts_with(b"\x7fELF")
        .then_some([class, order, low, high])
}

/// The program header table.
fn segments(file: &File) -> Option<Vec<Segment>> {
    const CLASS_64: u8 = 2;
    const LITTLE_ENDIAN: u8 = 1;

    let header: [u8; 64] = at(file, 0)?;
    if !header.starts_with(b"\x7fELF") || header[4] != CLASS_64 || header[5] != LITTLE_ENDIAN {
        return None;
    }
    let table = u64_at(&header, 32);
    let entry_bytes = u64::from(u16_at(&header, 54));
    let count = u64::from(u16_at(&header, 56));
    (0..count)
        .map(|index| {
            let entry: [u8; 56] = at(file, table.checked_add(index * entry_bytes)?)?;
            Some(Segment {
                kind: u32_at(&entry, 0),
                offset: u64_at(&entry, 8),
                address: u64_at(&entry, 16),
                bytes: u64_at(&entry, 32),
            })
        })
        .collect()
}

/// Where the bytes that will be loaded at `address` are in the file.
fn file_offset(segments: &[Segment], address: u64) -> Option<u64> {
    segments
        .iter()
        .filter(|segment| segment.kind == PT_LOAD)
        .find_map(|segment| {
            let inside = address.checked_sub(segment.address)?;
            (inside < segment.bytes).then(|| segment.offset.checked_add(inside))?
        })
}

/// The text at `offset`, up to its zero byte.
fn string(file: &File, offset: u64) -> Option<String> {
    let mut bytes = vec![0; LONGEST_STRING];
    let read = file.read_at(&mut bytes, offset).ok()?;
    let end = bytes[..read].iter().position(|byte| *byte == 0)?;
    bytes.truncate(end);
    String::from_utf8(bytes).ok()
}

fn at<const N: usize>(file: &File, offset: u64) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    file.read_exact_at(&mut bytes, offset).ok()?;
    Some(bytes)
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
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
    fn the_old_tag_counts_only_without_the_new_one() {
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
