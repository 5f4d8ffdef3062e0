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

/// What bytes of a pool are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtentUse {
    /// A live block.
    Live,
    /// A freed block that other streams may still use.
    Pending,
    /// Free, cached for a size or not.
    Free,
    /// Shown in a window, where a block is.
    Lent,
}

/// A range of bytes that are the same: see [`crate::Pool::extents`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Its start.
    pub offset: u64,
    /// Its length.
    pub bytes: u64,
    /// The bytes that the program requested, for a live block.
    pub requested: u64,
    /// What it is.
    pub is: ExtentUse,
    /// The stream it belongs to; [`crate::HOST`] for none.
    pub stream: u64,
}
