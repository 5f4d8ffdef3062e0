//! Memory that is handed out by address, for programs of CUDA and for PyTorch: `include/millpond/cuda.h`.
//!
//! From the outside in:
//! - `exports`: the C functions. `forms`: those that PyTorch's pluggable allocators call. `watch`: replacements for functions of
//!   the CUDA runtime that show the order of streams.
//! - `pools`: which device, arena and lane a number means; the fast path. `recent`: the lanes that a thread knows.
//! - `arena`: one pool with its pages, and the steps that are tried for a request (`ladder`). `settings`: how it behaves.
//! - `clocks`: what is known of the order of streams. `epochs`: events of our own.
//! - `gpu`: what all pools of one device share. `mapping`: pages and windows. `news`: callbacks of the program.
//! - `noted`: what `millpond record` and `millpond check` are told.
//! - `device`: what is needed of a driver. `cuda` and `ascend` are two.
//!
//! Invariants, besides those of the library:
//! - Bytes of one stream go to another only if that one is known to come after the free: by a wait that was seen, or because the
//!   work is over.
//! - What a pool keeps for graphs stays where it is, and is given to other streams only when the work is over.

mod arena;
mod ascend;
mod clocks;
mod cuda;
mod device;
mod epochs;
mod exports;
mod forms;
mod gpu;
mod mapping;
mod news;
mod noted;
mod pools;
mod recent;
mod settings;
mod watch;
