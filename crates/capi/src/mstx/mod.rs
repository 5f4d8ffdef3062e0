//! MSTX: annotations of a program for tools: marks, ranges, domains, and its own memory pools.
//!
//! They go to our own listener, which turns them into records if those are read, and to every injected tool.
//!
//! ```text
//!   program, linked ──▶ marks, domains, heaps ──▶ chain: each injected tool, with handles of its own
//!   program, header ──▶ (by inject)      │
//!                                        └──▶ listen: state ──▶ records
//! ```
//!
//! - `marks`, `domains`, `heaps`: the exported functions.
//! - `inject`: attaches programs that have the functions from the header.
//! - `chain`, `slots`: injected tools, found at the first call and then called in order.
//! - `listen`: whether records are read, and access to the state.
//! - `state`, `regions`, `dialect`: what was registered, and how known libraries deviate from the contract. Pure.
//!
//! The program's handles are minted here. Each thing has the handle of each tool. What the
//! program passes is not trusted: descriptions are read through the kernel, which returns an
//! error where a plain load would crash the process.

mod chain;
mod dialect;
mod domains;
mod heaps;
mod inject;
pub(crate) mod listen;
mod marks;
mod regions;
mod slots;
mod state;
