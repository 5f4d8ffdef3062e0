//! Recorded allocations replayed with other allocation policies, and what to change.
//!
//! No device is called and no memory is touched: a policy is a model that says where a block would lie and how much of the
//! device it would hold. So a recording of one run tells what another allocator, or another setting, would have needed.
//!
//! From the outside in:
//! - [`policy`]: what a policy is asked, and what it answers. [`policies`] has one module for each.
//! - [`trace`]: the calls of one device that are replayed. [`engine`] replays them and takes the figures.
//! - [`oracle`]: what the order of streams allows at least.
//! - `patterns`: traces that are made here, with several streams and events.

mod blocks;
pub mod cpu_time;
pub mod engine;
pub mod fast_map;
pub mod ledger;
pub mod oracle;
pub mod order;
pub mod patterns;
pub mod pending;
pub mod policies;
pub mod policy;
mod ranges;
pub mod read;
pub mod trace;

#[cfg(test)]
mod check;
