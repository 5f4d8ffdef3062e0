//! Where pieces are in the file behind them. Pure arithmetic.

use std::collections::BTreeMap;

/// The offsets that no piece has: start and end of each run, none of which touch.
#[derive(Debug)]
pub(crate) struct Offsets {
    free: BTreeMap<u64, u64>,
}

impl Offsets {
    /// All offsets below `end` are free.
    pub(crate) fn new(end: u64) -> Self {
        Self {
            free: BTreeMap::from([(0, end)]),
        }
    }

    /// Takes `bytes` bytes at the lowest multiple of `align` that has room for them.
    pub(crate) fn take(&mut self, bytes: u64, align: u64) -> Option<u64> {
        let (start, end, offset) = self.free.iter().find_map(|(&start, &end)| {
            let offset = start.checked_next_multiple_of(align)?;
            let fits = offset < end && bytes <= end - offset;
            fits.then_some((start, end, offset))
        })?;
        self.free.remove(&start);
        if start < offset {
            self.free.insert(start, offset);
        }
        if offset + bytes < end {
            self.free.insert(offset + bytes, end);
        }
        Some(offset)
    }

    /// Makes `bytes` bytes at `offset`, which were taken, free again.
    pub(crate) fn give(&mut self, offset: u64, bytes: u64) {
        let (mut start, mut end) = (offset, offset + bytes);
        if let Some((&before, &touches)) = self.free.range(..offset).next_back()
            && touches == start
        {
            start = before;
        }
        if let Some(behind) = self.free.remove(&end) {
            end = behind;
        }
        self.free.insert(start, end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_place_is_taken_and_neighbours_merge() {
        let mut offsets = Offsets::new(100);
        assert_eq!(offsets.take(10, 1), Some(0));
        assert_eq!(offsets.take(20, 16), Some(16));
        assert_eq!(offsets.take(6, 1), Some(10));
        assert_eq!(offsets.take(64, 1), Some(36));
        assert_eq!(offsets.take(1, 1), None);
        offsets.give(10, 6);
        offsets.give(36, 64);
        offsets.give(16, 20);
        assert_eq!(offsets.take(91, 1), None);
        assert_eq!(offsets.take(90, 1), Some(10));
        offsets.give(10, 90);
        offsets.give(0, 10);
        assert_eq!(offsets.free, BTreeMap::from([(0, 100)]));
    }

    #[test]
    fn an_alignment_beyond_the_end_fits_nothing() {
        let mut offsets = Offsets::new(u64::MAX);
        assert_eq!(offsets.take(u64::MAX - 1, 1), Some(0));
        assert_eq!(offsets.take(1, 1 << 63), None);
    }
}
