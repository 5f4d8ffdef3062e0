//! Recorded allocations replayed with other allocation policies, and what to change.
//!
//! No device is called and no memory is touched: a policy is a model that says where a block would lie and how much of the
//! device it would hold. So a recording of one run tells what another allocator, or another setting, would have needed.
//!
//! From the outside in:
//! - [`advise`]: what to change, in three sentences; `holders` says whose memory it is.
//! - [`recorded`]: recordings as traces, one for each device. [`trace`]: the calls that are replayed.
//! - [`allocator`]: policies by name and setting. [`engine`] replays a trace with one and takes the figures.
//! - [`policy`]: what a policy is asked, and what it answers. [`policies`] has a module for each, made of `blocks` (ranges that are
//!   cut and merged), `ranges` (addresses with pages), `pending` (blocks that other streams still use) and [`ledger`] (the device).
//! - [`plan`]: what somebody could hold who knows all requests in advance. [`oracle`]: what the order of streams allows.
//! - [`patterns`]: traces that are made here, with several streams and events.

pub mod advise;
pub mod allocator;
mod blocks;
pub mod cpu_time;
pub mod engine;
pub mod fast_map;
pub mod holders;
pub mod ledger;
pub mod oracle;
mod order;
pub mod patterns;
mod pending;
pub mod plan;
pub mod policies;
pub mod policy;
mod ranges;
pub mod recorded;
pub mod sizes;
pub mod table;
pub mod trace;

#[cfg(test)]
mod check;
