//! Pages of a range, and sets of them.

/// The unit in which a pool requests pages from its device and returns idle ones.
///
/// 2 MiB: the size of a huge page, so that growth is rare, and a multiple of every page size of Linux hosts.
pub const PAGE: u64 = 2 << 20;

/// A range of whole pages, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pages {
    /// Offset of the first page.
    pub offset: u64,
    /// Length, a multiple of [`PAGE`].
    pub bytes: u64,
}

impl Pages {
    /// The page with this number.
    pub const fn one(page: u64) -> Self {
        Self {
            offset: page * PAGE,
            bytes: PAGE,
        }
    }

    /// The whole pages inside a range, if there are any.
    pub fn inside(offset: u64, bytes: u64) -> Option<Self> {
        let first = offset.div_ceil(PAGE);
        let behind = (offset + bytes) / PAGE;
        (first < behind).then(|| Self {
            offset: first * PAGE,
            bytes: (behind - first) * PAGE,
        })
    }

    /// Its pages, one by one.
    pub fn each(self) -> impl Iterator<Item = Self> {
        touched(self.offset, self.bytes).map(|page| Self {
            offset: page * PAGE,
            bytes: PAGE,
        })
    }
}

/// A set of pages, one bit each.
#[derive(Debug, Default, Clone)]
pub struct PageSet {
    words: Vec<u64>,
}

impl PageSet {
    /// Whether the set contains every page of the range of `bytes` bytes at `offset`.
    pub fn covers(&self, offset: u64, bytes: u64) -> bool {
        touched(offset, bytes).all(|page| self.has(page))
    }

    /// The runs of pages of the range that are not in the set.
    pub fn missing(&self, offset: u64, bytes: u64) -> Vec<Pages> {
        runs(touched(offset, bytes).filter(|page| !self.has(*page)))
    }

    /// The runs of pages in the set that are entirely within the range.
    pub fn whole(&self, offset: u64, bytes: u64) -> Vec<Pages> {
        let first = offset.div_ceil(PAGE);
        let behind = (offset + bytes) / PAGE;
        runs((first..behind.max(first)).filter(|page| self.has(*page)))
    }

    /// Adds a run of pages.
    #[inline]
    pub fn insert(&mut self, pages: Pages) {
        let (first, behind) = (
            pages.offset / PAGE,
            (pages.offset + pages.bytes).div_ceil(PAGE),
        );
        if first >= behind {
            return;
        }
        let (word, last) = (index(first / 64), index((behind - 1) / 64));
        let (low, high) = (
            u64::MAX << (first % 64),
            u64::MAX >> (63 - (behind - 1) % 64),
        );
        if word == last
            && let Some(word) = self.words.get_mut(word)
        {
            *word |= low & high;
            return;
        }
        self.insert_long((word, low), (last, high));
    }

    /// Adds a run that spans several words or extends the set, given the bit masks of its first and last word.
    #[cold]
    fn insert_long(&mut self, (word, low): (usize, u64), (last, high): (usize, u64)) {
        if last >= self.words.len() {
            self.words.resize(last + 1, 0);
        }
        if word == last {
            self.words[word] |= low & high;
            return;
        }
        self.words[word] |= low;
        self.words[word + 1..last].fill(u64::MAX);
        self.words[last] |= high;
    }

    /// Removes a run of pages.
    pub fn remove(&mut self, pages: Pages) {
        for page in touched(pages.offset, pages.bytes) {
            if let Some(word) = self.words.get_mut(index(page / 64)) {
                *word &= !(1 << (page % 64));
            }
        }
    }

    /// Whether the set contains any page of the run.
    pub fn touches(&self, pages: Pages) -> bool {
        touched(pages.offset, pages.bytes).any(|page| self.has(page))
    }

    /// Removes all pages.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// The total bytes of the pages in the set.
    pub fn bytes(&self) -> u64 {
        let pages: u64 = self
            .words
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum();
        pages * PAGE
    }

    fn has(&self, page: u64) -> bool {
        self.words
            .get(index(page / 64))
            .is_some_and(|word| word & (1 << (page % 64)) != 0)
    }
}

fn touched(offset: u64, bytes: u64) -> impl Iterator<Item = u64> {
    offset / PAGE..(offset + bytes).div_ceil(PAGE)
}

fn index(word: u64) -> usize {
    usize::try_from(word).unwrap_or(usize::MAX)
}

pub(crate) fn runs(pages: impl Iterator<Item = u64>) -> Vec<Pages> {
    let mut found: Vec<Pages> = Vec::new();
    for page in pages {
        let offset = page * PAGE;
        match found.last_mut() {
            Some(last) if last.offset + last.bytes == offset => last.bytes += PAGE,
            _ => found.push(Pages {
                offset,
                bytes: PAGE,
            }),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_missing_and_whole_pages() {
        let mut set = PageSet::default();
        assert!(!set.covers(0, 1));
        assert_eq!(
            set.missing(PAGE - 1, 2),
            [Pages {
                offset: 0,
                bytes: 2 * PAGE
            }]
        );
        set.insert(Pages {
            offset: PAGE,
            bytes: 3 * PAGE,
        });
        assert!(set.covers(PAGE, 3 * PAGE));
        assert_eq!(set.bytes(), 3 * PAGE);
        assert_eq!(
            set.missing(0, 6 * PAGE),
            [
                Pages {
                    offset: 0,
                    bytes: PAGE
                },
                Pages {
                    offset: 4 * PAGE,
                    bytes: 2 * PAGE
                }
            ]
        );
        assert_eq!(
            set.whole(PAGE + 1, 2 * PAGE),
            [Pages {
                offset: 2 * PAGE,
                bytes: PAGE
            }]
        );
        assert_eq!(set.whole(PAGE + 1, 5), []);
        set.remove(Pages {
            offset: 2 * PAGE,
            bytes: PAGE,
        });
        assert_eq!(set.bytes(), 2 * PAGE);
        assert!(!set.covers(PAGE, 3 * PAGE));
        let gap = Pages {
            offset: 2 * PAGE,
            bytes: PAGE,
        };
        assert!(!set.touches(gap));
        set.clear();
        assert_eq!(set.bytes(), 0);
    }
}
