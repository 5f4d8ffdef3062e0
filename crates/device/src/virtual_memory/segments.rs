//! What is mapped in one view of a window, and how many mappings that costs the system. Pure.
//!
//! The system counts every run of pages of one kind, the empty ones too. A process has some 65,000, and
//! when they are used up `malloc` and thread creation fail. So they are counted here, exactly.

use std::collections::BTreeMap;

use super::PieceId;
use crate::AddressRange;

/// What is mapped in one view.
#[derive(Debug)]
pub(super) struct Segments {
    view: AddressRange,
    mapped: BTreeMap<u64, (u64, PieceId)>,
}

impl Segments {
    pub(super) fn new(view: AddressRange) -> Self {
        Self {
            view,
            mapped: BTreeMap::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.mapped.is_empty()
    }

    /// What is mapped from `at` on.
    pub(super) fn at(&self, at: u64) -> Option<(AddressRange, PieceId)> {
        let (bytes, piece) = self.mapped.get(&at)?;
        Some((AddressRange::new(at, *bytes), *piece))
    }

    /// Whether `range` is in the view and nothing is mapped there.
    pub(super) fn has_room(&self, range: AddressRange) -> bool {
        let (before, behind) = self.gap(range);
        self.view.covers(range) && before <= range.start && range.end() <= behind
    }

    /// How many runs there are more when something is mapped at `range`, where nothing is.
    pub(super) fn cost(&self, range: AddressRange) -> u64 {
        let (before, behind) = self.gap(range);
        u64::from(before < range.start) + u64::from(range.end() < behind)
    }

    pub(super) fn insert(&mut self, range: AddressRange, piece: PieceId) {
        self.mapped.insert(range.start, (range.bytes, piece));
    }

    /// Forgets what is mapped from `at` on, and returns how many runs there are less.
    pub(super) fn remove(&mut self, at: u64) -> u64 {
        match self.mapped.remove(&at) {
            Some((bytes, _)) => self.cost(AddressRange::new(at, bytes)),
            None => 0,
        }
    }

    /// Where the mapped range before `range` ends and the one behind it begins.
    fn gap(&self, range: AddressRange) -> (u64, u64) {
        let before = self.mapped.range(..range.end()).next_back();
        let before = before.map_or(self.view.start, |(start, (bytes, _))| start + bytes);
        let behind = self.mapped.range(range.end()..).next();
        (before, behind.map_or(self.view.end(), |(start, _)| *start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIECE: PieceId = PieceId(1);

    #[test]
    fn runs_are_counted_as_the_system_counts_them() {
        let range = AddressRange::new;
        let mut segments = Segments::new(range(100, 100));
        // One run: nothing is mapped. In its middle something makes three of it.
        assert_eq!(segments.cost(range(140, 10)), 2);
        segments.insert(range(140, 10), PIECE);
        // At an edge, or beside another one, it is one more; in a gap that it fills, none.
        assert_eq!(segments.cost(range(100, 10)), 1);
        assert_eq!(segments.cost(range(150, 10)), 1);
        segments.insert(range(100, 10), PIECE);
        assert_eq!(segments.cost(range(110, 30)), 0);
        segments.insert(range(110, 30), PIECE);
        assert_eq!(
            segments.remove(140),
            1,
            "the hole is one with what is behind"
        );
        assert_eq!(segments.remove(100), 0, "a hole instead of it");
        assert_eq!(segments.remove(110), 2);
        assert_eq!(segments.remove(110), 0);
        assert!(segments.is_empty());
    }

    #[test]
    fn room_is_inside_the_view_and_between_others() {
        let range = AddressRange::new;
        let mut segments = Segments::new(range(100, 100));
        segments.insert(range(140, 10), PIECE);
        for (start, bytes, room) in [
            (100, 40, true),
            (150, 50, true),
            (100, 41, false),
            (149, 1, false),
            (145, 2, false),
            (99, 2, false),
            (190, 11, false),
            (120, 60, false),
        ] {
            assert_eq!(
                segments.has_room(range(start, bytes)),
                room,
                "{start}+{bytes}"
            );
        }
    }
}
