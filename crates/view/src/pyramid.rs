//! Levels of detail over a list: each level joins sixteen entries of the level below.
//!
//! A question about a stretch of the list reads a few joined entries instead of every single one.

/// Entries that one entry of the next level joins.
const JOINED: usize = 16;

/// A list and its levels.
#[derive(Debug, Default)]
pub(crate) struct Pyramid<T> {
    levels: Vec<Vec<T>>,
}

impl<T> Pyramid<T> {
    pub(crate) fn new(base: Vec<T>, join: impl Fn(&[T]) -> T) -> Self {
        let mut levels = vec![base];
        while let Some(below) = levels.last().filter(|below| below.len() > JOINED) {
            levels.push(below.chunks(JOINED).map(&join).collect());
        }
        Self { levels }
    }

    /// Calls `see` with entries that together are those from `first` to before `last`, not in their order. Returns how many it called.
    pub(crate) fn visit(
        &self,
        mut first: usize,
        mut last: usize,
        mut see: impl FnMut(&T),
    ) -> usize {
        let mut seen = 0;
        let mut see = |entry: &T| {
            seen += 1;
            see(entry);
        };
        for (height, level) in self.levels.iter().enumerate() {
            last = last.min(level.len());
            let is_top = height + 1 == self.levels.len();
            while first < last && (is_top || !first.is_multiple_of(JOINED)) {
                see(&level[first]);
                first += 1;
            }
            while first < last && !last.is_multiple_of(JOINED) {
                last -= 1;
                see(&level[last]);
            }
            if first >= last {
                break;
            }
            first /= JOINED;
            last /= JOINED;
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::Pyramid;

    #[test]
    fn every_stretch_is_covered_once_by_few_entries() {
        let list: Vec<u64> = (0..5000).map(|place| place * place % 977).collect();
        let sums = Pyramid::new(list.clone(), |part| part.iter().sum());
        for first in (0..5000).step_by(37) {
            for last in (0..5001).step_by(53) {
                let mut sum = 0;
                let seen = sums.visit(first, last, |part| sum += part);
                let expected: u64 = list.get(first..last).unwrap_or(&[]).iter().sum();
                assert_eq!(sum, expected, "{first}..{last}");
                assert!(seen <= 16 * 2 * 4, "{first}..{last}: {seen}");
            }
        }
    }
}
