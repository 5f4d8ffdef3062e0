//! Addresses without the gaps between them.
//!
//! Blocks lie in a few segments that are terabytes apart. A picture of memory needs them one below the other, so every address that was
//! ever used gets a *height*: how many used bytes lie below it. Segments stay in the order of their addresses.

/// Gaps below this size are kept: they are free memory inside a segment, and a picture should show them.
const SMALLEST_GAP: u64 = 64 << 20;

/// Which addresses were used.
#[derive(Clone, Debug, Default)]
pub struct Addresses {
    ranges: Vec<Range>,
    height: u64,
}

#[derive(Clone, Copy, Debug)]
struct Range {
    start: u64,
    end: u64,
    /// The height of `start`.
    height: u64,
}

impl Addresses {
    /// Of these blocks: address and bytes.
    pub fn of(blocks: impl Iterator<Item = (u64, u64)>) -> Self {
        // Blocks reuse few addresses: runs of 2 MiB are enough to find the gaps, and a recording has not many.
        const RUN: u64 = 2 << 20;
        let mut runs: Vec<(u64, u64)> = Vec::new();
        let mut unsorted = 0;
        for (address, bytes) in blocks {
            let end = address.saturating_add(bytes);
            match runs.last() {
                Some(last) if last.0 <= address && end <= last.1 => continue,
                _ => {}
            }
            runs.push((address / RUN * RUN, end.div_ceil(RUN).saturating_mul(RUN)));
            if runs.len() > 1 << 16 && runs.len() > 2 * unsorted {
                runs = merged(runs, 0);
                unsorted = runs.len();
            }
        }
        let mut ranges = Vec::new();
        let mut height = 0_u64;
        for (start, end) in merged(runs, SMALLEST_GAP) {
            ranges.push(Range { start, end, height });
            height = height.saturating_add(end - start);
        }
        Self { ranges, height }
    }

    /// How many bytes all ranges have together.
    pub fn height(&self) -> u64 {
        self.height
    }

    /// The height of an address, if it was used.
    pub fn height_of(&self, address: u64) -> Option<u64> {
        let next = self.ranges.partition_point(|range| range.start <= address);
        let range = self.ranges.get(next.checked_sub(1)?)?;
        (address < range.end).then(|| range.height + (address - range.start))
    }

    /// First address and height of each range, and its bytes.
    pub fn ranges(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        self.ranges
            .iter()
            .map(|range| (range.start, range.height, range.end - range.start))
    }
}

/// Sorted, with ranges that touch or lie at most `gap` apart joined.
fn merged(mut runs: Vec<(u64, u64)>, gap: u64) -> Vec<(u64, u64)> {
    runs.sort_unstable();
    let mut out: Vec<(u64, u64)> = Vec::new();
    for (start, end) in runs {
        match out.last_mut() {
            Some(last) if start <= last.1.saturating_add(gap) => last.1 = last.1.max(end),
            _ => out.push((start, end)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_between_segments_disappear_and_gaps_inside_them_stay() {
        const MIB: u64 = 1 << 20;
        let far = 1 << 44;
        let addresses = Addresses::of(
            [(far, 2 * MIB), (4 * MIB, MIB), (0, MIB), (far + 8 * MIB, 1)].into_iter(),
        );
        assert_eq!(addresses.height_of(0), Some(0));
        assert_eq!(addresses.height_of(4 * MIB), Some(4 * MIB));
        assert_eq!(addresses.height_of(far), Some(6 * MIB));
        assert_eq!(addresses.height_of(far + 8 * MIB), Some(14 * MIB));
        assert_eq!(addresses.height_of(1 << 30), None);
        assert_eq!(addresses.height(), 16 * MIB);
    }

    #[test]
    fn addresses_at_the_end_of_the_range_of_numbers_do_not_overflow() {
        let addresses = Addresses::of([(u64::MAX - 5, 100), (0, u64::MAX)].into_iter());
        assert!(addresses.height_of(u64::MAX - 1).is_some());
    }
}
