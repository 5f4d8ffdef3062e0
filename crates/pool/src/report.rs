//! What a person wants to know when there is no memory left.

use crate::statistics::Statistics;

/// A live block, for a list of the largest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder {
    /// Where it starts.
    pub offset: u64,
    /// How long it is.
    pub bytes: u64,
    /// What the program asked for.
    pub requested: u64,
    /// The number that the pool's user gave it.
    pub serial: u64,
}

/// Where the memory is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The pool's numbers, with what is pending per stream.
    pub statistics: Statistics,
    /// Bytes of the largest piece that is free and backed by pages.
    pub largest_free: u64,
    /// Bytes of whole pages that are idle.
    pub idle: u64,
    /// The largest live blocks, the largest first.
    pub holders: Vec<Holder>,
}
