//! A set of addresses, as ranges that do not touch.

use std::collections::BTreeMap;

/// Start and end of each range.
#[derive(Debug, Clone, Default)]
pub struct Ranges {
    ends: BTreeMap<u64, u64>,
}

impl Ranges {
    /// All ranges, as start and end.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.ends.iter().map(|(&start, &end)| (start, end))
    }

    /// Adds a range.
    pub fn add(&mut self, start: u64, end: u64) {
        if start >= end {
            return;
        }
        let (mut start, mut end) = (start, end);
        while let Some((&other, &other_end)) = self.ends.range(..=end).next_back()
            && other_end >= start
        {
            self.ends.remove(&other);
            start = start.min(other);
            end = end.max(other_end);
        }
        self.ends.insert(start, end);
    }

    /// Removes a range. Returns the parts of it that were not in the set.
    pub fn remove(&mut self, start: u64, end: u64) -> Vec<(u64, u64)> {
        let missing = self.missing(start, end);
        while let Some((&other, &other_end)) = self.ends.range(..end).next_back()
            && other_end > start
        {
            self.ends.remove(&other);
            if other < start {
                self.ends.insert(other, start);
            }
            if other_end > end {
                self.ends.insert(end, other_end);
            }
        }
        missing
    }

    /// How many addresses are in these ranges.
    pub fn sum(ranges: &[(u64, u64)]) -> u64 {
        ranges.iter().map(|(start, end)| end - start).sum()
    }

    /// The parts of a range that are not in the set.
    pub fn missing(&self, start: u64, end: u64) -> Vec<(u64, u64)> {
        let mut missing = Vec::new();
        let mut at = start;
        let first = self
            .ends
            .range(..=start)
            .next_back()
            .map_or(start, |(&first, _)| first);
        for (&other, &other_end) in self.ends.range(first..) {
            if other >= end {
                break;
            }
            if other > at {
                missing.push((at, other));
            }
            at = at.max(other_end);
        }
        if at < end {
            missing.push((at, end));
        }
        missing
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_a_set(steps in prop::collection::vec((any::<bool>(), 0..40_u64, 0..12_u64), 0..60)) {
            let (mut ranges, mut model) = (Ranges::default(), BTreeSet::new());
            for (adds, start, bytes) in steps {
                let end = start + bytes;
                let missing: Vec<u64> = (start..end).filter(|at| !model.contains(at)).collect();
                let told = ranges.missing(start, end);
                prop_assert_eq!(told.iter().flat_map(|&(a, b)| a..b).collect::<Vec<_>>(), missing);
                if adds {
                    ranges.add(start, end);
                    model.extend(start..end);
                } else {
                    prop_assert_eq!(ranges.remove(start, end), told);
                    model.retain(|at| !(start..end).contains(at));
                }
                let held: Vec<u64> = ranges.ends.iter().flat_map(|(&a, &b)| a..b).collect();
                prop_assert_eq!(held, model.iter().copied().collect::<Vec<_>>());
            }
        }
    }
}
