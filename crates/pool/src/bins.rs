//! Bins of free pieces by size: two-level segregated fit.
//!
//! Sizes are in granules. The first level is the power of two; the second splits it into [`SECOND`] equal parts, so the
//! sizes in a bin differ by at most 1/32. Insertion and search round differently: a piece goes into the bin whose
//! minimum size it reaches, and a search starts at the first bin in which every piece is large enough.

use crate::NONE;

const SECOND_BITS: u32 = 5;
/// Bins per power of two.
const SECOND: usize = 1 << SECOND_BITS;
/// Powers of two: enough for 2^48 granules.
const FIRST: usize = 48 - SECOND_BITS as usize + 1;

/// The bin for a free piece of `granules`.
pub(crate) fn filed(granules: u64) -> (usize, usize) {
    debug_assert!(granules > 0);
    if granules < SECOND as u64 {
        return (0, small(granules));
    }
    let power = granules.ilog2();
    let part = (granules >> (power - SECOND_BITS)) & (SECOND as u64 - 1);
    ((power - SECOND_BITS + 1) as usize, small(part))
}

/// The first bin whose blocks all have at least `granules`.
pub(crate) fn search(granules: u64) -> (usize, usize) {
    if granules < SECOND as u64 {
        return (0, small(granules));
    }
    let power = granules.ilog2();
    filed(granules + (1 << (power - SECOND_BITS)) - 1)
}

/// The next bin.
pub(crate) fn after((first, second): (usize, usize)) -> (usize, usize) {
    if second + 1 < SECOND {
        (first, second + 1)
    } else {
        (first + 1, 0)
    }
}

fn small(part: u64) -> usize {
    usize::try_from(part).unwrap_or(0)
}

/// Lists of free pieces by size, and two levels of bits for the non-empty ones.
#[derive(Debug)]
pub(crate) struct Bins {
    first: u64,
    second: [u32; FIRST],
    heads: [[u32; SECOND]; FIRST],
}

impl Default for Bins {
    fn default() -> Self {
        Self {
            first: 0,
            second: [0; FIRST],
            heads: [[NONE; SECOND]; FIRST],
        }
    }
}

impl Bins {
    /// Inserts a piece at the head of its list; returns the previous head.
    pub(crate) fn put(&mut self, (first, second): (usize, usize), id: u32) -> u32 {
        self.first |= 1 << first;
        self.second[first] |= 1 << second;
        std::mem::replace(&mut self.heads[first][second], id)
    }

    /// Sets the head of a list.
    pub(crate) fn set_head(&mut self, (first, second): (usize, usize), id: u32) {
        self.heads[first][second] = id;
        if id == NONE {
            self.second[first] &= !(1 << second);
            if self.second[first] == 0 {
                self.first &= !(1 << first);
            }
        }
    }

    pub(crate) fn head(&self, (first, second): (usize, usize)) -> u32 {
        self.heads[first][second]
    }

    /// The first non-empty bin at or after the given one.
    pub(crate) fn at_least(&self, (first, second): (usize, usize)) -> Option<(usize, usize)> {
        if first >= FIRST {
            return None;
        }
        let here = self.second[first] & (u32::MAX << second);
        if here != 0 {
            return Some((first, here.trailing_zeros() as usize));
        }
        let later = self.first
            & u64::MAX
                .checked_shl(u32::try_from(first).ok()? + 1)
                .unwrap_or(0);
        if later == 0 {
            return None;
        }
        let first = later.trailing_zeros() as usize;
        Some((first, self.second[first].trailing_zeros() as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_never_finds_a_block_that_is_too_small() {
        // For every size, the smallest size in the bin where the search starts is large enough.
        for granules in (1..5000).chain([1 << 20, (1 << 20) + 1, (1 << 31) - 1, 1 << 40]) {
            let start = search(granules);
            if granules > 1 {
                assert!(
                    filed(granules - 1) < start,
                    "{} must not serve {granules}",
                    granules - 1
                );
            }
            assert!(filed(granules) <= start);
            assert!(filed(granules * 2) >= start);
        }
    }

    #[test]
    fn occupied_bins_are_found_in_order() {
        let mut bits = Bins::default();
        assert_eq!(bits.at_least((0, 0)), None);
        bits.put((3, 7), 1);
        bits.put((FIRST - 1, 31), 2);
        assert_eq!(bits.at_least((0, 0)), Some((3, 7)));
        assert_eq!(bits.at_least((3, 8)), Some((FIRST - 1, 31)));
        bits.set_head((FIRST - 1, 31), NONE);
        assert_eq!(bits.at_least((3, 8)), None);
        assert_eq!(bits.at_least((FIRST, 0)), None);
    }
}
