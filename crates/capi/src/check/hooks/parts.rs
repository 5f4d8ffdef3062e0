//! Which memory a system call uses.
#![expect(unsafe_code, reason = "reads lists of the program")]

use std::mem::MaybeUninit;
use std::ops::Range;

use libc::iovec;
use millpond::device_api::AddressRange;

use super::peek::peek_all;

/// The memory that a call of the system names.
#[derive(Debug, Clone, Copy)]
pub(in super::super) enum Parts {
    One(u64, u64),
    /// Where a list of parts is said to be, and how long.
    List(usize, usize),
}

impl Parts {
    pub(in super::super) const NONE: Self = Self::One(0, 0);

    pub(in super::super) fn iter(self) -> impl Iterator<Item = AddressRange> {
        let (one, list) = match self {
            Self::One(start, bytes) => (Some((start, bytes)), Listed::new(0, 0)),
            Self::List(list, count) => (None, Listed::new(list, count)),
        };
        let list = list.map(|part| (part.iov_base.addr() as u64, part.iov_len as u64));
        let all = one.into_iter().chain(list);
        all.map(|(start, bytes)| AddressRange::new(start, bytes.min(u64::MAX - start)))
    }
}

/// The parts of a list, a few at a time: there may be little stack. It ends where the list cannot be read; the system
/// refuses such a list.
struct Listed {
    at: usize,
    left: usize,
    few: [MaybeUninit<iovec>; 16],
    /// Those of them that come next.
    next: Range<usize>,
}

impl Listed {
    fn new(list: usize, count: usize) -> Self {
        Self {
            at: list,
            left: count,
            few: [MaybeUninit::uninit(); 16],
            next: 0..0,
        }
    }
}

impl Iterator for Listed {
    type Item = iovec;

    fn next(&mut self) -> Option<iovec> {
        if self.next.is_empty() {
            let count = self.left.min(self.few.len());
            if count == 0 || !peek_all(self.at, &mut self.few[..count]) {
                self.left = 0;
                return None;
            }
            self.at = self.at.wrapping_add(count * size_of::<iovec>());
            self.left -= count;
            self.next = 0..count;
        }
        let index = self.next.next()?;
        // SAFETY: those that come next were read.
        Some(unsafe { self.few[index].assume_init() })
    }
}
