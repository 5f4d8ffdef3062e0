//! What was allocated in a stretch of time: sizes, lines, totals.

use serde::Serialize;

use crate::index::Index;
use crate::moment::{Line, lines};
use crate::series::Walk;

/// One stretch of time.
#[derive(Clone, Debug, Serialize)]
pub struct Range {
    /// Its first moment.
    pub from: u64,
    /// The first moment after it.
    pub to: u64,
    /// Blocks that were allocated in it.
    pub allocations: u64,
    /// The bytes of those.
    pub allocated: u64,
    /// Blocks that were freed in it.
    pub frees: u64,
    /// The bytes of those.
    pub freed: u64,
    /// The most bytes that were live at one moment of it.
    pub peak: u64,
    /// When that was.
    pub peak_time: u64,
    /// Allocated blocks by size: entry n counts those of more than 2^(n-1) and at most 2^n bytes.
    pub sizes: Vec<Size>,
    /// Allocated blocks by source line, the most bytes first.
    pub lines: Vec<Line>,
    /// Lines that are not in `lines`.
    pub more_lines: u64,
}

/// One bar of the histogram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Size {
    /// How many blocks.
    pub blocks: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// The bar of a block of so many bytes.
pub(crate) fn bar(bytes: u64) -> usize {
    bytes
        .saturating_sub(1)
        .checked_ilog2()
        .map_or(0, |log| log as usize + 1)
}

/// What happened from `from` to before `to`.
pub fn range(index: &Index, from: u64, to: u64) -> Range {
    counted(index, from, to).0
}

/// The same, and how many events and joined stretches were visited for it.
pub(crate) fn counted(index: &Index, from: u64, to: u64) -> (Range, usize) {
    let first = index.times.partition_point(|&time| time < from);
    let last = index.times.partition_point(|&time| time < to).max(first);
    let mut walk = Walk::begin(index, from);
    let highest = walk.until(from, to.max(from));
    let tables = (&*index.events, &*index.blocks, &*index.owners);
    let (sums, visited) = index.sums.between(tables, first, last);
    let (lines, more_lines) = lines(&index.names, sums.owners.into_iter());
    let range = Range {
        from,
        to,
        allocations: sums.allocations,
        allocated: sums.allocated,
        frees: sums.frees,
        freed: sums.freed,
        peak: highest.highest.live,
        peak_time: highest.time,
        sizes: sums.sizes,
        lines,
        more_lines,
    };
    (range, walk.visited + visited)
}

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn a_power_of_two_is_the_last_size_of_its_bar() {
        let bars: Vec<usize> = [1, 2, 3, 4, 5, 512, 513, u64::MAX].map(bar).to_vec();
        assert_eq!(bars, [0, 1, 2, 2, 3, 9, 10, 64]);
    }
}
