//! Allocation policy over offsets.
//!
//! Nothing here calls a device, takes a lock or knows an address: a pool decides which bytes of a
//! range serve a request and its caller carries it out. So the same code serves a runtime, a
//! replayer and a property test.
//!
//! - [`Arena`]: cuts blocks from one range and merges them again, in constant time.
//! - [`Starts`]: finds the live block that an offset lies in.
//! - [`PageSet`]: which pages of the range have been promised by the device.
#![forbid(unsafe_code)]

mod arena;
mod bins;
mod kept;
mod pages;
mod starts;

pub use arena::{Arena, BlockId, Exhausted, Found, Grant, NotLive};
pub use pages::{PAGE, PageSet, Pages};
pub use starts::Starts;

/// Every block starts at a multiple of this and is a multiple of it long.
///
/// Device memory is documented to start at multiples of 64 bytes; implementations are known to give
/// 512, and programs that sub-allocate have come to rely on it.
pub const GRANULE: u64 = 512;

/// Marks the absence of a block or link.
const NONE: u32 = u32::MAX;
