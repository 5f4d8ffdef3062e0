//! Allocation policy over offsets.
//!
//! This crate calls no device and knows no addresses: a pool decides which bytes of a range serve a request, and its
//! caller acts on the decision. So the same code serves a runtime, an allocator for other runtimes, a trace replayer
//! and a property test.
//!
//! From the outside in:
//! - [`Pool`]: stream-ordered memory; it contains everything below.
//! - `shard`: the part of one stream: cached blocks by size (`kept`), and freed blocks that other streams may still
//!   use (pending).
//! - `ground`: the address range, cut and merged in constant time (`bins`), its backing pages (`pages`), and pages mapped
//!   at a second address (`window`).
//! - `headers`, `starts`: the metadata of a block, and the lookup from an offset to its block.
//! - [`Clock`]: what one stream knows about the progress of the others.
#![deny(missing_docs)]

mod bins;
mod clock;
mod ground;
mod headers;
mod kept;
#[cfg(not(loom))]
mod lock;
mod numbers;
mod pages;
mod pool;
mod report;
mod shard;
mod starts;
mod statistics;
mod sync;
mod window;

pub use clock::Clock;
pub use ground::{Growth, Leaving};
pub use numbers::Numbers;
pub use pages::{PAGE, PageSet, PageSize, Pages};
pub use pool::{
    Ask, BlockId, Found, Freed, GPU_MOST, GPU_PAGE, GPU_SLACK, Grant, NotLive, Options, Order,
    Pool, Quick, Refusal,
};
pub use report::{Extent, ExtentUse, Holder, Report};
pub use shard::{HOST, Shard};
pub use statistics::{CLASSES, ClassCount, Statistics, StreamStatistics};
pub use window::Mapping;

/// Every block starts at a multiple of this and is a multiple of it long.
///
/// The documented alignment of device memory is 64 bytes; implementations are known to use 512, and programs that
/// sub-allocate rely on it.
pub const GRANULE: u64 = 512;

/// Number of allocations of one stream after which pages that stayed idle are returned. Many programs repeat their
/// pattern every few thousand allocations, and returning a page and touching it again costs one to two
/// milliseconds.
pub const DECAY_PERIOD: u32 = 1 << 16;

/// No block, or no link.
const NONE: u32 = u32::MAX;
