//! Which bytes of a block have a content, and why others have none.

use std::sync::Arc;

use millpond_trace::Bytes;

use crate::segments::Segments;
use crate::world::Doer;

/// Why bytes have no content. Pieces that lost it at once share that.
pub(super) type Origin = Arc<Cause>;

/// Why bytes have no content.
#[derive(Debug)]
pub(super) struct Cause {
    /// Who left them without one.
    pub(super) doer: Arc<Doer>,
    /// What that was: `allocated`.
    pub(super) what: &'static str,
    /// The tensor whose bytes they are, or were before they were copied.
    pub(super) tensor: Option<Bytes>,
}

impl PartialEq for Cause {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.doer, &other.doer)
    }
}

/// A part and what is known of it: `None` for bytes that have a content.
pub(super) type Part = (u64, u64, Option<Origin>);

/// What is known of the bytes of a block, or of a piece of physical memory.
#[derive(Debug)]
pub(super) struct Shadow {
    length: u64,
    known: Known,
    /// Whether parts of it are registered, so that what lies behind one belongs to another.
    pub(super) annotated: bool,
}

/// Most blocks are written whole, so most need no list.
#[derive(Debug)]
enum Known {
    All(Option<Origin>),
    Parts(Segments<Option<Origin>>),
}

impl Shadow {
    /// Bytes without a content.
    pub(super) fn new(length: u64, origin: Origin) -> Self {
        Self {
            length,
            known: Known::All(Some(origin)),
            annotated: false,
        }
    }

    /// Whether all bytes have a content, or nothing is known any more.
    pub(super) fn is_whole(&self) -> bool {
        match &self.known {
            Known::All(origin) => origin.is_none(),
            Known::Parts(parts) => parts.full(),
        }
    }

    /// Calls `see` with the parts between two bytes, in order.
    pub(super) fn look(&self, start: u64, end: u64, mut see: impl FnMut(Part)) {
        let end = end.min(self.length);
        match &self.known {
            Known::All(origin) if start < end => see((start, end, origin.clone())),
            Known::All(_) => {}
            Known::Parts(parts) if parts.full() => see((start, end, None)),
            Known::Parts(parts) => {
                for (from, until, origin) in parts.look(start, end) {
                    see((from, until, origin.clone()));
                }
            }
        }
    }

    /// Sets what is known of the bytes between two.
    pub(super) fn set(&mut self, start: u64, end: u64, origin: Option<&Origin>) {
        let end = end.min(self.length);
        if start >= end {
            return;
        }
        if start == 0 && end == self.length {
            self.known = Known::All(origin.cloned());
            return;
        }
        if let Known::All(all) = &self.known
            && all.as_ref() == origin
        {
            return;
        }
        if let Some(parts) = self.parts() {
            parts.change(start, end, |known| *known = origin.cloned());
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
    fn parts(&mut self) -> Option<&mut Segments<Option<Origin>>> {
        if let Known::All(all) = &mut self.known {
            self.known = Known::Parts(Segments::new(self.length, all.take()));
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

    pub(super) fn books(&self) -> u64 {
        match &self.known {
            Known::All(_) => 0,
            Known::Parts(parts) => parts.books(),
        }
    }
}
