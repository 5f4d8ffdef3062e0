//! Pages of a range, and sets of them.

use std::ops::Range;

/// The size of a page unless [`crate::Options::page`] says otherwise.
///
/// 2 MiB: the size of a huge page, so that growth is rare, and a multiple of every page size of Linux hosts.
pub const PAGE: u64 = PageSize::SMALLEST.bytes();

/// The unit in which a pool requests pages from its device and returns idle ones: a power of two, at least 2 MiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageSize {
    shift: u32,
}

impl PageSize {
    /// 2 MiB.
    pub const SMALLEST: Self = Self { shift: 21 };

    /// Pages of `bytes` bytes; `None` if that is no power of two or less than 2 MiB.
    pub const fn new(bytes: u64) -> Option<Self> {
        let shift = bytes.trailing_zeros();
        if !bytes.is_power_of_two() || shift < Self::SMALLEST.shift {
            return None;
        }
        Some(Self { shift })
    }

    /// Bytes of a page.
    pub const fn bytes(self) -> u64 {
        1 << self.shift
    }

    /// The number of the page that contains `offset`; for a length, its whole pages.
    #[inline]
    pub const fn at(self, offset: u64) -> u64 {
        offset >> self.shift
    }

    /// The number of the first page that starts at `offset` or behind it.
    #[inline]
    pub const fn from(self, offset: u64) -> u64 {
        self.at(offset) + !self.divides(offset) as u64
    }

    /// The start of the page with this number; for a number of pages, their bytes.
    #[inline]
    pub const fn start(self, page: u64) -> u64 {
        page << self.shift
    }

    /// The start of the page that contains `offset`.
    #[inline]
    pub const fn down(self, offset: u64) -> u64 {
        self.start(self.at(offset))
    }

    /// The start of the first page that starts at `offset` or behind it.
    #[inline]
    pub const fn up(self, offset: u64) -> u64 {
        self.start(self.from(offset))
    }

    /// Bytes of the last page that are behind its start.
    #[inline]
    pub(crate) const fn rest(self, offset: u64) -> u64 {
        offset & (self.bytes() - 1)
    }

    /// Whether a page starts at `offset`.
    #[inline]
    pub const fn divides(self, offset: u64) -> bool {
        self.rest(offset) == 0
    }

    /// The page with this number.
    pub const fn one(self, page: u64) -> Pages {
        Pages {
            offset: self.start(page),
            bytes: self.bytes(),
        }
    }

    /// The whole pages inside a range, if there are any.
    pub fn inside(self, offset: u64, bytes: u64) -> Option<Pages> {
        let (first, behind) = (self.from(offset), self.at(offset + bytes));
        (first < behind).then(|| Pages {
            offset: self.start(first),
            bytes: self.start(behind - first),
        })
    }

    /// The pages of a range, one by one.
    pub fn each(self, pages: Pages) -> impl Iterator<Item = Pages> {
        self.touched(pages.offset, pages.bytes)
            .map(move |page| self.one(page))
    }

    /// The numbers of the pages that a range of `bytes` bytes at `offset` touches.
    fn touched(self, offset: u64, bytes: u64) -> Range<u64> {
        self.at(offset)..self.from(offset + bytes)
    }

    /// The runs of pages with these numbers, which are in order.
    pub(crate) fn runs(self, pages: impl Iterator<Item = u64>) -> Vec<Pages> {
        let mut found: Vec<Pages> = Vec::new();
        for page in pages {
            let one = self.one(page);
            match found.last_mut() {
                Some(last) if last.offset + last.bytes == one.offset => last.bytes += one.bytes,
                _ => found.push(one),
            }
        }
        found
    }
}

/// A range of whole pages, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pages {
    /// Offset of the first page.
    pub offset: u64,
    /// Length, a multiple of the page size.
    pub bytes: u64,
}

impl Pages {
    /// Its pages of [`PAGE`] bytes, one by one.
    pub fn each(self) -> impl Iterator<Item = Self> {
        PageSize::SMALLEST.each(self)
    }
}

/// A set of pages, one bit each.
#[derive(Debug, Clone)]
pub struct PageSet {
    size: PageSize,
    words: Vec<u64>,
}

impl Default for PageSet {
    /// An empty set of pages of [`PAGE`] bytes.
    fn default() -> Self {
        Self::new(PageSize::SMALLEST)
    }
}

impl PageSet {
    /// An empty set of pages of this size.
    pub const fn new(size: PageSize) -> Self {
        Self {
            size,
            words: Vec::new(),
        }
    }

    /// Whether the set contains every page of the range of `bytes` bytes at `offset`.
    pub fn covers(&self, offset: u64, bytes: u64) -> bool {
        self.size.touched(offset, bytes).all(|page| self.has(page))
    }

    /// Whether the set contains the page with this number.
    pub fn has(&self, page: u64) -> bool {
        self.words
            .get(index(page / 64))
            .is_some_and(|word| word & (1 << (page % 64)) != 0)
    }

    /// The runs of pages of the range that are not in the set.
    pub fn missing(&self, offset: u64, bytes: u64) -> Vec<Pages> {
        let touched = self.size.touched(offset, bytes);
        self.size.runs(touched.filter(|page| !self.has(*page)))
    }

    /// The runs of pages in the set that are entirely within the range.
    pub fn whole(&self, offset: u64, bytes: u64) -> Vec<Pages> {
        let (first, behind) = (self.size.from(offset), self.size.at(offset + bytes));
        self.size
            .runs((first..behind.max(first)).filter(|page| self.has(*page)))
    }

    /// Adds a run of pages.
    #[inline]
    pub fn insert(&mut self, pages: Pages) {
        let (first, behind) = (
            self.size.at(pages.offset),
            self.size.from(pages.offset + pages.bytes),
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
        for page in self.size.touched(pages.offset, pages.bytes) {
            if let Some(word) = self.words.get_mut(index(page / 64)) {
                *word &= !(1 << (page % 64));
            }
        }
    }

    /// Whether the set contains any page of the run.
    pub fn touches(&self, pages: Pages) -> bool {
        self.size
            .touched(pages.offset, pages.bytes)
            .any(|page| self.has(page))
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
        self.size.start(pages)
    }
}

fn index(word: u64) -> usize {
    usize::try_from(word).unwrap_or(usize::MAX)
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
