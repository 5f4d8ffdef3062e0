//! The out-of-memory report.

use crate::statistics::Statistics;

/// A live block in the list of the largest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder {
    /// Its start.
    pub offset: u64,
    /// Its size.
    pub bytes: u64,
    /// The bytes that the program requested.
    pub requested: u64,
    /// Its serial number.
    pub serial: u64,
}

/// Where the memory is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The pool's statistics, with the pending bytes per stream.
    pub statistics: Statistics,
    /// Bytes of the largest free range that is backed by pages.
    pub largest_free: u64,
    /// Bytes of idle whole pages.
    pub idle: u64,
    /// The largest live blocks, the largest first.
    pub holders: Vec<Holder>,
}
