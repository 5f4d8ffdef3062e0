//! Address ranges and page sizes: plain arithmetic.

/// The size of a huge page as AscendCL counts them. An accounting unit, not the host's page.
pub const HUGE_PAGE: u64 = 2 << 20;

/// A half-open range of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AddressRange {
    /// First address.
    pub start: u64,
    /// Number of bytes.
    pub bytes: u64,
}

impl AddressRange {
    /// The range of `bytes` bytes from `start`.
    pub const fn new(start: u64, bytes: u64) -> Self {
        Self { start, bytes }
    }

    /// First address after the range.
    pub const fn end(self) -> u64 {
        self.start + self.bytes
    }

    /// Whether `address` is inside.
    pub const fn contains(self, address: u64) -> bool {
        address >= self.start && address - self.start < self.bytes
    }

    /// Whether `other` is inside as a whole.
    pub const fn covers(self, other: Self) -> bool {
        other.start >= self.start
            && other.start - self.start <= self.bytes
            && other.bytes <= self.bytes - (other.start - self.start)
    }

    /// Whether both have a byte in common.
    pub const fn overlaps(self, other: Self) -> bool {
        self.bytes != 0 && other.bytes != 0 && self.start < other.end() && other.start < self.end()
    }

    /// The largest range of whole `page`-sized pages inside this one, if there is any.
    #[must_use]
    pub fn whole_pages(self, page: u64) -> Option<Self> {
        let start = self.start.checked_next_multiple_of(page)?;
        let end = self.end() / page * page;
        (start < end).then(|| Self::new(start, end - start))
    }
}

/// The operating system's page size: 4 KiB on most machines, 16 or 64 KiB on some.
pub fn os_page() -> u64 {
    crate::mapping::os_page()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_pages_never_reach_outside() {
        let range = AddressRange::new(100, 10_000);
        assert_eq!(range.whole_pages(4096), Some(AddressRange::new(4096, 4096)));
        assert_eq!(AddressRange::new(1, 4096).whole_pages(4096), None);
        assert_eq!(
            AddressRange::new(4096, 4096).whole_pages(4096),
            Some(AddressRange::new(4096, 4096))
        );
        assert_eq!(AddressRange::new(u64::MAX - 10, 5).whole_pages(4096), None);
    }

    #[test]
    fn covering_and_overlapping() {
        let range = AddressRange::new(1000, 100);
        assert!(range.covers(AddressRange::new(1000, 100)));
        assert!(range.covers(AddressRange::new(1100, 0)));
        assert!(!range.covers(AddressRange::new(1001, 100)));
        assert!(!range.covers(AddressRange::new(1050, u64::MAX - 1050)));
        assert!(range.overlaps(AddressRange::new(1099, 1)));
        assert!(!range.overlaps(AddressRange::new(1100, 1)));
        assert!(!range.overlaps(AddressRange::new(1050, 0)));
    }
}
