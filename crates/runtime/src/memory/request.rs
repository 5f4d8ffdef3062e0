//! From a request to a block: rounding, padding and pages. Pure arithmetic.

use crate::error::{Boxed, Error};
use crate::profile::Profile;

const GIB: u64 = 1 << 30;
const MIB: u64 = 1 << 20;

/// The size of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PageKind {
    /// 4 KiB.
    #[default]
    Normal,
    /// 2 MiB.
    Huge,
    /// 1 GiB.
    Gigabyte,
}

impl PageKind {
    /// Bytes of one page. A unit of accounting: the host's own pages may be of another size.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Normal => 4096,
            Self::Huge => 2 * MIB,
            Self::Gigabyte => GIB,
        }
    }

    /// The kind whose number this is.
    #[doc(hidden)]
    pub const fn from_number(number: u8) -> Self {
        match number {
            1 => Self::Huge,
            2 => Self::Gigabyte,
            _ => Self::Normal,
        }
    }

    /// What a block of `bytes` bytes takes from the device: whole pages.
    #[inline]
    pub const fn charge(self, bytes: u64) -> Option<u64> {
        // Pages are powers of two: no division is needed.
        let within = self.bytes() - 1;
        match bytes.checked_add(within) {
            Some(end) => Some(end & !within),
            None => None,
        }
    }
}

/// Which pages a program wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PageChoice {
    /// Huge pages for more than 1 MiB, normal ones below that or when huge ones run out.
    HugeFirst,
    /// Huge pages for any size.
    HugeOnly,
    /// Normal pages for any size.
    NormalOnly,
    /// 1 GiB pages for any size.
    GigabyteOnly,
    /// The documented rule for unlisted values: huge pages from 2 MiB on, else normal ones.
    BySize,
}

/// What follows the bytes of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tail {
    /// Nothing: the size is rounded up to a multiple of 32.
    None,
    /// The profile's padding, 32 bytes on most: kernels may read a little beyond the end.
    Padding,
}

/// A request for device memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Request {
    /// Bytes that are requested.
    pub bytes: u64,
    /// What follows them.
    pub tail: Tail,
    /// On which pages.
    pub pages: PageChoice,
}

impl Request {
    /// `bytes` bytes as `aclrtMallocAlign32` takes them by default.
    pub const fn of(bytes: u64) -> Self {
        Self {
            bytes,
            tail: Tail::None,
            pages: PageChoice::HugeFirst,
        }
    }

    /// The size after rounding and padding.
    #[inline(always)]
    pub(crate) fn rounded(&self, profile: &Profile) -> Boxed<u64> {
        self.size(profile).ok_or_else(|| {
            Box::new(Error::BadSize {
                requested: self.bytes,
            })
        })
    }

    /// The pages to try, in this order. The size that decides is the one asked for.
    #[inline(always)]
    pub(crate) fn attempts(&self, profile: &Profile) -> Boxed<&'static [PageKind]> {
        self.kinds(profile)
            .ok_or_else(|| Error::PagesNotOffered { pages: "1 GiB" }.into())
    }

    /// The size after rounding and padding and the first pages to try, for a path that makes no errors: `None` where
    /// [`Request::rounded`] or [`Request::attempts`] refuse.
    #[inline(always)]
    pub(crate) fn first_attempt(&self, profile: &Profile) -> Option<(u64, PageKind)> {
        Some((self.size(profile)?, *self.kinds(profile)?.first()?))
    }

    #[inline(always)]
    fn size(&self, profile: &Profile) -> Option<u64> {
        if self.bytes == 0 {
            return None;
        }
        // 1 GiB pages leave room enough behind any block: nothing is added to those.
        let padding = match (self.tail, self.pages) {
            (Tail::None, _) | (_, PageChoice::GigabyteOnly) => 0,
            (Tail::Padding, _) => profile.padding,
        };
        self.bytes
            .checked_next_multiple_of(32)?
            .checked_add(padding)
    }

    #[inline(always)]
    fn kinds(&self, profile: &Profile) -> Option<&'static [PageKind]> {
        use PageKind::{Gigabyte, Huge, Normal};
        Some(match self.pages {
            PageChoice::HugeFirst if self.bytes > MIB => &[Huge, Normal],
            PageChoice::BySize if self.bytes >= 2 * MIB => &[Huge, Normal],
            PageChoice::HugeFirst | PageChoice::BySize | PageChoice::NormalOnly => &[Normal],
            PageChoice::HugeOnly => &[Huge],
            PageChoice::GigabyteOnly if profile.gigabyte_pages => &[Gigabyte],
            PageChoice::GigabyteOnly => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The manual's formulas, row by row: what is asked, with and without the extra 32 bytes.
    #[test]
    fn sizes_are_rounded_as_the_manual_says() {
        let profile = Profile::default();
        let rows = [
            (1, 32, 64),
            (31, 32, 64),
            (32, 32, 64),
            (33, 64, 96),
            (100, 128, 160),
            (4064, 4064, 4096),
            (4096, 4096, 4128),
            (1 << 20, 1 << 20, (1 << 20) + 32),
        ];
        for (asked, bare, padded) in rows {
            let request = Request::of(asked);
            assert_eq!(request.rounded(&profile), Ok(bare), "{asked} rounded to 32");
            let request = Request {
                tail: Tail::Padding,
                ..request
            };
            assert_eq!(
                request.rounded(&profile),
                Ok(padded),
                "{asked} with padding"
            );
        }
    }

    #[test]
    fn sizes_that_cannot_be_are_refused() {
        let profile = Profile::default();
        for asked in [0, u64::MAX, u64::MAX - 30] {
            let request = Request::of(asked);
            assert_eq!(
                request.rounded(&profile),
                Err(Box::new(Error::BadSize { requested: asked }))
            );
            assert_eq!(request.first_attempt(&profile), None);
        }
        let padded = Request {
            tail: Tail::Padding,
            ..Request::of(u64::MAX - 31)
        };
        assert!(padded.rounded(&profile).is_err());
    }

    #[test]
    fn nothing_is_added_to_gigabyte_pages_nor_where_the_chip_needs_none() {
        let gigabyte = Request {
            bytes: 100,
            tail: Tail::Padding,
            pages: PageChoice::GigabyteOnly,
        };
        assert_eq!(gigabyte.rounded(&Profile::default()), Ok(128));
        let padded = Request {
            pages: PageChoice::HugeFirst,
            ..gigabyte
        };
        let unpadded = Profile::named("ascend950").copied().unwrap_or_default();
        assert_eq!(padded.rounded(&unpadded), Ok(128));
    }

    #[test]
    fn pages_follow_the_size_and_the_choice() {
        use PageChoice::{BySize, GigabyteOnly, HugeFirst, HugeOnly, NormalOnly};
        use PageKind::{Gigabyte, Huge, Normal};
        let rows: &[(PageChoice, u64, &[PageKind])] = &[
            (HugeFirst, MIB, &[Normal]),
            (HugeFirst, MIB + 1, &[Huge, Normal]),
            (HugeOnly, 1, &[Huge]),
            (NormalOnly, 4 * MIB, &[Normal]),
            (GigabyteOnly, 1, &[Gigabyte]),
            (BySize, 2 * MIB - 1, &[Normal]),
            (BySize, 2 * MIB, &[Huge, Normal]),
        ];
        for &(pages, bytes, expected) in rows {
            let request = Request {
                bytes,
                tail: Tail::None,
                pages,
            };
            assert_eq!(
                request.attempts(&Profile::default()),
                Ok(expected),
                "{pages:?} {bytes}"
            );
        }
        let small = Profile::named("ascend310p3").copied().unwrap_or_default();
        let request = Request {
            bytes: 1,
            tail: Tail::None,
            pages: GigabyteOnly,
        };
        assert!(request.attempts(&small).is_err());
    }
}
