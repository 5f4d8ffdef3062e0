//! MSTX: what a program tells tools about itself: marks, ranges, domains, and its own memory pools.
//!
//! Two kinds of listeners: our own, which turns what it hears into records when somebody reads
//! those, and tools of other people that are injected. Every call goes to all of them.
//!
//! ```text
//!   program, linked ──▶ marks, domains, heaps ──▶ chain: each injected tool, with handles of its own
//!   program, header ──▶ (by inject)      │
//!                                        └──▶ listen: books ──▶ records
//! ```
//!
//! - `marks`, `domains`, `heaps`: the exported functions.
//! - `inject`: attaches programs that have the functions from the header.
//! - `chain`, `slots`: the tools of other people: found at the first call, then asked in order.
//! - `listen`: whether anybody reads records, and the way into the books.
//! - `books`, `regions`, `dialect`: what was registered, and by whose habits it is read. Pure.
//! - `probe`: reads and writes memory that may not be there.
//!
//! The program's handles are minted here. Each thing remembers what each tool calls it. What the
//! program hands over is never trusted: descriptions are read through the kernel, which answers an
//! error where a plain load would end the process.

mod books;
mod chain;
mod dialect;
mod domains;
mod heaps;
mod inject;
pub(crate) mod listen;
mod marks;
pub(crate) mod probe;
mod regions;
mod slots;
