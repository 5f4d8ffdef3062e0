//! Which bytes of a block are defined, and why others are not.

use std::sync::Arc;

use millpond_trace::Bytes;

use crate::range_map::RangeMap;
use crate::world::Origin;

/// Why bytes are undefined. Ranges that became undefined together share it.
pub(super) type SharedCause = Arc<Cause>;

/// Why bytes are undefined.
#[derive(Debug)]
pub(super) struct Cause {
    /// The operation that left them undefined.
    pub(super) origin: Arc<Origin>,
    /// What it did: `allocated`.
    pub(super) what: &'static str,
    /// The tensor whose bytes they are, or were before they were copied.
    pub(super) tensor: Option<Bytes>,
}

impl PartialEq for Cause {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.origin, &other.origin)
    }
}

/// A range and its state: `None` for defined bytes.
pub(super) type Part = (u64, u64, Option<SharedCause>);

/// The state of the bytes of a block, or of a piece of physical memory.
#[derive(Debug)]
pub(super) struct Shadow {
    length: u64,
    known: Known,
    /// Whether parts of it are registered, so that the bytes after one belong to another.
    pub(super) annotated: bool,
}

/// Most blocks are written whole, so most need no list.
#[derive(Debug)]
enum Known {
    All(Option<SharedCause>),
    Parts(RangeMap<Option<SharedCause>>),
}

impl Shadow {
    /// Bytes without a content.
    pub(super) fn new(length: u64, cause: SharedCause) -> Self {
        Self {
            length,
            known: Known::All(Some(cause)),
            annotated: false,
        }
    }

    /// Whether all bytes have a content, or nothing is known any more.
    pub(super) fn is_whole(&self) -> bool {
        match &self.known {
            Known::All(cause) => cause.is_none(),
            Known::Parts(parts) => parts.full(),
        }
    }

    /// Calls `see` with the parts between two bytes, in order.
    pub(super) fn look(&self, start: u64, end: u64, mut see: impl FnMut(Part)) {
        let end = end.min(self.length);
        match &self.known {
            Known::All(cause) if start < end => see((start, end, cause.clone())),
            Known::All(_) => {}
            Known::Parts(parts) if parts.full() => see((start, end, None)),
            Known::Parts(parts) => {
                for (from, until, cause) in parts.look(start, end) {
                    see((from, until, cause.clone()));
                }
            }
        }
    }

    /// Sets what is known of the bytes between two.
    pub(super) fn set(&mut self, start: u64, end: u64, cause: Option<&SharedCause>) {
        let end = end.min(self.length);
        if start >= end {
            return;
        }
        if start == 0 && end == self.length {
            self.known = Known::All(cause.cloned());
            return;
        }
        if let Known::All(all) = &self.known
            && all.as_ref() == cause
        {
            return;
        }
        if let Some(parts) = self.parts() {
            parts.change(start, end, |known| *known = cause.cloned());
        }
    }

    /// Sets what is known of many parts, which ascend and do not overlap.
    pub(super) fn set_all(&mut self, rows: &[Part]) {
        if let Some(parts) = self.parts() {
            let ranges = rows.iter().map(|(start, end, _)| (*start, *end));
            parts.visit_all(ranges, |row, _, known| known.clone_from(&rows[row].2));
        }
    }

    /// What is known, as a list.
    fn parts(&mut self) -> Option<&mut RangeMap<Option<SharedCause>>> {
        if let Known::All(all) = &mut self.known {
            self.known = Known::Parts(RangeMap::new(self.length, all.take()));
        }
        match &mut self.known {
            Known::Parts(parts) => Some(parts),
            Known::All(_) => None,
        }
    }

    /// Whether it was given up because it was touched in too many small parts.
    pub(super) fn given_up(&self) -> bool {
        matches!(&self.known, Known::Parts(parts) if parts.full())
    }

    pub(super) fn state_bytes(&self) -> u64 {
        match &self.known {
            Known::All(_) => 0,
            Known::Parts(parts) => parts.state_bytes(),
        }
    }
}
