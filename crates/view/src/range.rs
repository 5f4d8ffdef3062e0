//! What was allocated in a stretch of time: sizes, lines, totals.

use millpond_recording::StackId;
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::index::{Index, What};
use crate::moment::{Line, lines};

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
fn bar(bytes: u64) -> usize {
    bytes
        .saturating_sub(1)
        .checked_ilog2()
        .map_or(0, |log| log as usize + 1)
}

/// What happened from `from` to before `to`.
pub fn range(index: &Index, from: u64, to: u64) -> Range {
    let first = index.times.partition_point(|&time| time < from);
    let last = index.times.partition_point(|&time| time < to).max(first);
    let mut level = index.level_after(first);
    let mut out = Range {
        from,
        to,
        allocations: 0,
        allocated: 0,
        frees: 0,
        freed: 0,
        peak: level.live,
        peak_time: from,
        sizes: Vec::new(),
        lines: Vec::new(),
        more_lines: 0,
    };
    let mut by_stack: FxHashMap<StackId, (u64, u64)> = FxHashMap::default();
    for place in first..last {
        let event = index.events[place];
        let block = &index.blocks[event.block()];
        level.apply(event, block);
        if level.live > out.peak {
            out.peak = level.live;
            out.peak_time = index.times[place];
        }
        match event.what() {
            What::Allocated => {
                out.allocations += 1;
                out.allocated += block.bytes;
                let bar = bar(block.bytes);
                if out.sizes.len() <= bar {
                    out.sizes.resize(bar + 1, Size::default());
                }
                out.sizes[bar].blocks += 1;
                out.sizes[bar].bytes += block.bytes;
                let sum = by_stack.entry(block.stack).or_default();
                sum.0 += block.bytes;
                sum.1 += 1;
            }
            What::Freed => {
                out.frees += 1;
                out.freed += block.bytes;
            }
            What::Reusable => {}
        }
    }
    (out.lines, out.more_lines) = lines(&index.tables, by_stack.into_iter());
    out
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
