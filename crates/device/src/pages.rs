//! Pages that another process can map: a file, and which parts of it in which order.

use std::os::fd::OwnedFd;

/// A part of a file, in whole pages of the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilePart {
    /// Where it starts in the file.
    pub offset: u64,
    /// How long it is.
    pub bytes: u64,
}

/// Pages of a file in the order of their addresses.
#[derive(Debug)]
pub struct SharedPages {
    /// The file.
    pub file: OwnedFd,
    /// Its parts, one behind the other.
    pub parts: Vec<FilePart>,
}

impl SharedPages {
    /// How many bytes all parts have; `None` where that does not fit a number.
    pub fn bytes(&self) -> Option<u64> {
        let bytes = self.parts.iter().map(|part| part.bytes);
        bytes.into_iter().try_fold(0, u64::checked_add)
    }

    /// The same pages without the first `skip` bytes, and at most `bytes` of them.
    #[must_use]
    pub fn slice(mut self, skip: u64, bytes: u64) -> Self {
        let (mut skip, mut left) = (skip, bytes);
        self.parts = self
            .parts
            .iter()
            .filter_map(|part| {
                let cut = skip.min(part.bytes);
                skip -= cut;
                let taken = (part.bytes - cut).min(left);
                left -= taken;
                (taken > 0).then_some(FilePart {
                    offset: part.offset + cut,
                    bytes: taken,
                })
            })
            .collect();
        self
    }
}

/// Adds a part; one that continues the last one extends it.
pub(crate) fn add(parts: &mut Vec<FilePart>, part: FilePart) {
    match parts.last_mut() {
        Some(last) if last.offset + last.bytes == part.offset => last.bytes += part.bytes,
        _ => parts.push(part),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_has_the_bytes_that_were_asked_for() {
        let part = |offset, bytes| FilePart { offset, bytes };
        let pages = || SharedPages {
            file: std::fs::File::open("/dev/null").unwrap().into(),
            parts: vec![part(100, 10), part(0, 10), part(50, 10)],
        };
        assert_eq!(pages().bytes(), Some(30));
        assert_eq!(pages().slice(0, 30).parts, pages().parts);
        assert_eq!(pages().slice(5, 10).parts, [part(105, 5), part(0, 5)]);
        assert_eq!(pages().slice(20, 100).parts, [part(50, 10)]);
        assert!(pages().slice(30, 1).parts.is_empty());
        let mut parts = Vec::new();
        for next in [part(0, 2), part(2, 2), part(6, 1)] {
            add(&mut parts, next);
        }
        assert_eq!(parts, [part(0, 4), part(6, 1)]);
    }
}
