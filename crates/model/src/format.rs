//! The order of a tensor's dimensions, as AscendCL names it.
//!
//! Only plain layouts are supported. The others split tensors into blocks for the cores of an NPU; no model or
//! operator of this runtime uses them.

/// An order of dimensions. Its discriminant is AscendCL's number for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub enum Format {
    Nchw = 0,
    Nhwc = 1,
    Nd = 2,
    Hwcn = 16,
    Ndhwc = 27,
    Ncdhw = 30,
    Nc = 35,
    Ncl = 47,
}

const FORMATS: [(Format, &str); 8] = [
    (Format::Nchw, "NCHW"),
    (Format::Nhwc, "NHWC"),
    (Format::Nd, "ND"),
    (Format::Hwcn, "HWCN"),
    (Format::Ndhwc, "NDHWC"),
    (Format::Ncdhw, "NCDHW"),
    (Format::Nc, "NC"),
    (Format::Ncl, "NCL"),
];

impl Format {
    /// The order with this name, case-insensitive.
    pub fn from_name(name: &str) -> Option<Self> {
        let found = FORMATS.iter().find(|row| row.1.eq_ignore_ascii_case(name));
        found.map(|row| row.0)
    }

    /// The order with this number in AscendCL.
    pub fn from_acl(number: i32) -> Option<Self> {
        let found = FORMATS.iter().find(|row| row.0.acl() == number);
        found.map(|row| row.0)
    }

    /// Its number in AscendCL.
    pub fn acl(self) -> i32 {
        self as i32
    }

    /// Its name in AscendCL.
    pub fn name(self) -> &'static str {
        let found = FORMATS.iter().find(|row| row.0 == self);
        found.map_or("ND", |row| row.1)
    }

    /// The number of dimensions of a tensor in this order; `None` if any number is valid.
    pub fn rank(self) -> Option<usize> {
        match self {
            Self::Nd => None,
            other => Some(other.name().len()),
        }
    }

    /// The indices of height and width.
    pub fn height_and_width(self) -> Option<(usize, usize)> {
        let name = self.name();
        Some((name.find('H')?, name.find('W')?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_found_by_name_and_number() {
        for (format, name) in FORMATS {
            assert_eq!(Format::from_name(&name.to_lowercase()), Some(format));
            assert_eq!(Format::from_acl(format.acl()), Some(format));
        }
        assert_eq!(Format::from_acl(3), None, "blocks of an NPU");
        assert_eq!(Format::from_name("NC1HWC0"), None);
        assert_eq!(Format::Nhwc.height_and_width(), Some((1, 2)));
        assert_eq!(Format::Nd.height_and_width(), None);
        assert_eq!((Format::Nchw.rank(), Format::Nd.rank()), (Some(4), None));
    }
}
