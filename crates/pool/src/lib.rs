//! Allocation policy over offsets.
//!
//! Nothing here calls a device or knows an address: a pool decides which bytes of a range serve a
//! request, and its caller carries it out. So the same code serves a runtime, an allocator for
//! other people's runtimes, a replayer and a property test.
//!
//! From the outside in:
//! - [`Pool`]: stream-ordered memory; the rest is inside it.
//! - `shard`: one stream's part: blocks kept for the next request of their size (`kept`), and freed ones that
//!   other streams may still use.
//! - `ground`: the range itself, cut and merged in constant time (`bins`), which pages back it (`pages`),
//!   and pages shown at a second address (`window`).
//! - `headers`, `starts`: what is known of a block, and the way from an offset to it.
//! - [`Clock`]: what one stream knows of the others.

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
pub use pages::{PAGE, PageSet, Pages};
pub use pool::{Ask, BlockId, Found, Freed, Grant, NotLive, Options, Order, Pool, Quick, Refusal};
pub use report::{Holder, Report};
pub use shard::{HOST, Shard};
pub use statistics::{CLASSES, ClassCount, Statistics, StreamStatistics};
pub use window::Mapping;

/// Every block starts at a multiple of this and is a multiple of it long.
///
/// Device memory is documented to start at multiples of 64 bytes; implementations are known to give
/// 512, and programs that sub-allocate have come to rely on it.
pub const GRANULE: u64 = 512;

/// Allocations of one stream after which pages that were idle all the time go back. Many programs
/// repeat what they do every few thousand allocations, and a page that goes back and is touched
/// again costs a millisecond or two.
pub const DECAY_PERIOD: u32 = 1 << 16;

/// Marks the absence of a block or link.
const NONE: u32 = u32::MAX;
