//! The programs and libraries that are loaded in this process.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;

use millpond_trace::Bytes;

/// Code of a file at addresses in a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// Its addresses.
    pub range: Bytes,
    /// What to subtract from an address to get an address in the file.
    pub bias: u64,
    /// The file.
    pub file: String,
}

impl Module {
    pub(crate) fn holds(&self, address: u64) -> bool {
        address
            .checked_sub(self.range.start)
            .is_some_and(|offset| offset < self.range.bytes)
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.holds(other.range.start) || other.holds(self.range.start)
    }
}

/// The code in `/proc/self/maps` that comes from files. Empty if it cannot be read.
pub fn loaded_modules() -> Vec<Module> {
    // A path may have any bytes. It is only shown and opened, so a lossy conversion is fine.
    let maps = std::fs::read("/proc/self/maps").unwrap_or_default();
    modules(&String::from_utf8_lossy(&maps), segments)
}

fn modules(maps: &str, read: impl Fn(&str) -> Vec<Segment>) -> Vec<Module> {
    let mut known: HashMap<&str, Vec<Segment>> = HashMap::new();
    let mut modules = Vec::new();
    for line in maps.lines() {
        let Some(mapping) = Mapping::parse(line) else {
            continue;
        };
        let segments = known
            .entry(mapping.file)
            .or_insert_with(|| read(mapping.file));
        modules.push(Module {
            range: Bytes {
                start: mapping.start,
                bytes: mapping.end.saturating_sub(mapping.start),
            },
            bias: mapping.bias(segments),
            file: mapping.file.to_owned(),
        });
    }
    modules
}

/// One line of the table, if it is code of a file.
struct Mapping<'a> {
    start: u64,
    end: u64,
    offset: u64,
    file: &'a str,
}

impl<'a> Mapping<'a> {
    /// `start-end rights offset device inode   path`.
    fn parse(line: &'a str) -> Option<Self> {
        let (range, rest) = line.split_once(' ')?;
        let (rights, rest) = rest.split_once(' ')?;
        let (offset, rest) = rest.split_once(' ')?;
        let (_device, rest) = rest.split_once(' ')?;
        let (_inode, rest) = rest.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let file = rest.trim_start();
        if !rights.contains('x') || !file.starts_with('/') {
            return None;
        }
        Some(Self {
            start: u64::from_str_radix(start, 16).ok()?,
            end: u64::from_str_radix(end, 16).ok()?,
            offset: u64::from_str_radix(offset, 16).ok()?,
            file: file.strip_suffix(" (deleted)").unwrap_or(file),
        })
    }

    /// The offset of a segment in the file and its address differ.
    fn bias(&self, segments: &[Segment]) -> u64 {
        let address = segments
            .iter()
            .find(|segment| {
                let first = segment.offset & !(PAGE - 1);
                let end = segment.offset.saturating_add(segment.bytes);
                (first..end).contains(&self.offset)
            })
            .map_or(self.offset, |segment| {
                segment
                    .address
                    .wrapping_add(self.offset.wrapping_sub(segment.offset))
            });
        self.start.wrapping_sub(address)
    }
}

const PAGE: u64 = 4096;

/// An executable segment of an ELF file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Segment {
    offset: u64,
    address: u64,
    bytes: u64,
}

/// The executable segments of a 64-bit little-endian ELF file; none for other files.
fn segments(file: &str) -> Vec<Segment> {
    const MOST: u64 = 64 * 1024;
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|file| file.take(MOST).read_to_end(&mut bytes));
    match read {
        Ok(_) => parse_segments(&bytes).unwrap_or_default(),
        Err(_) => Vec::new(),
    }
}

fn parse_segments(bytes: &[u8]) -> Option<Vec<Segment>> {
    const LOAD: u64 = 1;
    const EXECUTABLE: u64 = 1;
    if bytes.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    let table = usize::try_from(word(bytes, 32, 8)?).ok()?;
    let size = usize::try_from(word(bytes, 54, 2)?).ok()?;
    let count = usize::try_from(word(bytes, 56, 2)?).ok()?;
    let mut segments = Vec::new();
    for index in 0..count {
        let at = table.checked_add(index.checked_mul(size)?)?;
        let Some(header) = bytes.get(at..at.checked_add(56)?) else {
            break;
        };
        if word(header, 0, 4)? == LOAD && word(header, 4, 4)? & EXECUTABLE != 0 {
            segments.push(Segment {
                offset: word(header, 8, 8)?,
                address: word(header, 16, 8)?,
                bytes: word(header, 32, 8)?,
            });
        }
    }
    Some(segments)
}

/// A little-endian number of `size` bytes.
fn word(bytes: &[u8], at: usize, size: usize) -> Option<u64> {
    let part = bytes.get(at..at.checked_add(size)?)?;
    Some(
        part.iter()
            .rev()
            .fold(0, |sum, byte| (sum << 8) | u64::from(*byte)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_whose_address_is_not_its_offset_gives_the_right_bias() {
        let maps = "\
7f0000001000-7f0000003000 r-xp 00001000 08:01 42                         /lib/one two.so
7f0000003000-7f0000004000 rw-p 00003000 08:01 42                         /lib/one two.so
7ffc00000000-7ffc00001000 r-xp 00000000 00:00 0                          [vdso]
7f0000010000-7f0000011000 r-xp 00002000 08:01 43                         /lib/gone.so (deleted)
not a line
";
        let found = modules(maps, |file| {
            if file == "/lib/one two.so" {
                vec![Segment {
                    offset: 0x1040,
                    address: 0x2040,
                    bytes: 0x1800,
                }]
            } else {
                Vec::new()
            }
        });
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].file, "/lib/one two.so");
        assert_eq!(found[0].bias, 0x7f00_0000_1000 - 0x2000);
        assert_eq!(found[1].file, "/lib/gone.so");
        assert_eq!(found[1].bias, 0x7f00_0001_0000 - 0x2000);
    }

    #[test]
    fn the_headers_of_our_own_executable_are_read_and_broken_ones_are_not() {
        let own = std::env::current_exe().unwrap();
        let found = segments(own.to_str().unwrap());
        assert!(!found.is_empty());
        let bytes = std::fs::read(own).unwrap();
        for length in 0..200 {
            let _ = parse_segments(&bytes[..length]);
        }
        let mut wild = bytes[..4096].to_vec();
        wild[32..58].fill(0xff);
        let _ = parse_segments(&wild);
        assert_eq!(parse_segments(b"#!/bin/sh"), None);
    }
}
