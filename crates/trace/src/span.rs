//! Bytes that work accesses: one range, or rows at a constant distance.

use smallvec::SmallVec;

use crate::Bytes;

/// The spans of one task. Most tasks have one or two.
pub type Spans = SmallVec<[Span; 2]>;

/// Rows of equal width at a constant distance; a plain range is one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// First address, as the program sees it.
    pub start: u64,
    /// Bytes of a row.
    pub width: u64,
    /// From the start of a row to the start of the next.
    pub pitch: u64,
    /// How many rows.
    pub rows: u64,
}

impl From<Bytes> for Span {
    fn from(range: Bytes) -> Self {
        Self {
            start: range.start,
            width: range.bytes,
            pitch: range.bytes,
            rows: 1,
        }
    }
}

impl Span {
    /// Its rows as ranges; adjacent rows are merged.
    pub fn ranges(self) -> impl Iterator<Item = Bytes> {
        let dense = self.rows == 1 || self.pitch == self.width;
        let rows = if dense { self.rows.min(1) } else { self.rows };
        (0..rows).map(move |row| Bytes {
            start: self.start.saturating_add(row.saturating_mul(self.pitch)),
            bytes: if dense {
                self.width.saturating_mul(self.rows)
            } else {
                self.width
            },
        })
    }

    /// From its first byte to its last.
    pub fn hull(self) -> Bytes {
        let before = self.rows.saturating_sub(1).saturating_mul(self.pitch);
        Bytes {
            start: self.start,
            bytes: if self.rows == 0 {
                0
            } else {
                before.saturating_add(self.width)
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(span: Span) -> Vec<(u64, u64)> {
        span.ranges().map(|one| (one.start, one.bytes)).collect()
    }

    #[test]
    fn rows_are_ranges() {
        let mut span = Span {
            start: 100,
            width: 3,
            pitch: 10,
            rows: 3,
        };
        assert_eq!(ranges(span), [(100, 3), (110, 3), (120, 3)]);
        assert_eq!(span.hull().bytes, 23);
        span.pitch = 3;
        assert_eq!(ranges(span), [(100, 9)]);
        span.rows = 0;
        assert_eq!((ranges(span).len(), span.hull().bytes), (0, 0));
    }
}
