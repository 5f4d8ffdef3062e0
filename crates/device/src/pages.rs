//! Pages that another process can map: a file, and which parts of it in which order, or handles of a GPU.

use std::os::fd::OwnedFd;

use crate::AddressRange;

/// A part of a file, in whole pages of the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilePart {
    /// Where it starts in the file.
    pub offset: u64,
    /// How long it is.
    pub bytes: u64,
}

/// Pages in the order of their addresses.
#[derive(Debug)]
pub struct SharedPages {
    /// What they are of.
    pub source: PagesOf,
    /// Their parts, one behind the other.
    pub parts: Vec<FilePart>,
}

/// What shared pages are of.
#[derive(Debug)]
pub enum PagesOf {
    /// One file.
    File(OwnedFd),
    /// A GPU.
    Gpu {
        /// Where it is plugged in: processes number GPUs differently.
        bus: String,
        /// What stands for each part, which is the whole of a handle of the driver.
        handles: Vec<OwnedFd>,
    },
}

impl SharedPages {
    /// How many bytes all parts have; `None` where that does not fit a number.
    pub fn bytes(&self) -> Option<u64> {
        let bytes = self.parts.iter().map(|part| part.bytes);
        bytes.into_iter().try_fold(0, u64::checked_add)
    }

    /// The same pages without the first `skip` bytes, and at most `bytes` of them. Pages of a GPU come as whole handles: then how
    /// many bytes are in front of what was wanted.
    #[must_use]
    pub fn slice(self, skip: u64, bytes: u64) -> (Self, u64) {
        match self.source {
            PagesOf::File(file) => {
                let parts = cut(&self.parts, skip, bytes);
                let source = PagesOf::File(file);
                (Self { source, parts }, 0)
            }
            PagesOf::Gpu { bus, handles } => {
                let (mut at, mut front) = (0, 0);
                let wanted = AddressRange::new(skip, bytes);
                let mut kept = (Vec::new(), Vec::new());
                for (part, handle) in self.parts.into_iter().zip(handles) {
                    if wanted.overlaps(AddressRange::new(at, part.bytes)) {
                        if kept.0.is_empty() {
                            front = skip - at;
                        }
                        kept.0.push(part);
                        kept.1.push(handle);
                    }
                    at += part.bytes;
                }
                let (parts, handles) = kept;
                let source = PagesOf::Gpu { bus, handles };
                (Self { source, parts }, front)
            }
        }
    }
}

/// The parts of a file without the first `skip` bytes, and at most `bytes` of them.
fn cut(parts: &[FilePart], mut skip: u64, bytes: u64) -> Vec<FilePart> {
    let mut left = bytes;
    let kept = parts.iter().filter_map(|part| {
        let cut = skip.min(part.bytes);
        skip -= cut;
        let taken = (part.bytes - cut).min(left);
        left -= taken;
        (taken > 0).then_some(FilePart {
            offset: part.offset + cut,
            bytes: taken,
        })
    });
    kept.collect()
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
        let file = || std::fs::File::open("/dev/null").unwrap().into();
        let pages = || SharedPages {
            source: PagesOf::File(file()),
            parts: vec![part(100, 10), part(0, 10), part(50, 10)],
        };
        let slice = |pages: SharedPages, skip, bytes| {
            let (pages, front) = pages.slice(skip, bytes);
            (pages.parts, front)
        };
        assert_eq!(pages().bytes(), Some(30));
        assert_eq!(slice(pages(), 0, 30), (pages().parts, 0));
        assert_eq!(slice(pages(), 5, 10), (vec![part(105, 5), part(0, 5)], 0));
        assert_eq!(slice(pages(), 20, 100), (vec![part(50, 10)], 0));
        assert!(slice(pages(), 30, 1).0.is_empty());
        // Handles of a GPU stay whole.
        let of_gpu = || SharedPages {
            source: PagesOf::Gpu {
                bus: String::new(),
                handles: vec![file(), file(), file()],
            },
            parts: vec![part(0, 10), part(0, 20), part(0, 10)],
        };
        assert_eq!(slice(of_gpu(), 0, 10), (vec![part(0, 10)], 0));
        assert_eq!(slice(of_gpu(), 12, 19), (vec![part(0, 20), part(0, 10)], 2));
        let (middle, _) = of_gpu().slice(10, 20);
        let PagesOf::Gpu { handles, .. } = middle.source else {
            panic!("of a GPU");
        };
        assert_eq!(handles.len(), 1);
        let mut parts = Vec::new();
        for next in [part(0, 2), part(2, 2), part(6, 1)] {
            add(&mut parts, next);
        }
        assert_eq!(parts, [part(0, 4), part(6, 1)]);
    }
}
