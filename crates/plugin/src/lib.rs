//! `libmillpond_plugin.so`: the pool as an allocator for the streams of any AscendCL runtime.
//!
//! A program asks for a descriptor for a stream (`include/millpond/plugin.h`) and registers it with the
//! runtime of the process, a vendor's or ours. From the outside in:
//! - `exports`: the C functions, and the callbacks that the runtime calls.
//! - `arenas`: one arena per device; which descriptor belongs to which stream's lane (`lanes`).
//! - `arena`: one pool with its memory, and the steps that are tried before a request fails (`ladder`).
//! - `lane`: one stream's part: its shard of the pool, its position, its epoch.
//! - `source`: where memory comes from: `mapped` pages of one large range, or separate `segments`.
//! - `blocks`: the objects that block handles point to.
//! - `records`: what happened to blocks and pages, for `millpond record`; for AscendCL by way of `noted`.
//! - `calls`: the functions of the process's runtime that are needed; `process` finds them.
//!
//! Invariants:
//! - No lock of the pool is held while the runtime is called.
//! - Memory of another stream is handed out only after an event that was recorded behind its free has completed.
//! - No pointer is dereferenced before it is checked to be ours; no panic leaves the library.

mod arena;
mod arenas;
mod blocks;
mod calls;
mod direct;
mod exports;
#[cfg(test)]
mod fake;
mod lane;
mod lanes;
mod mapped;
mod message;
mod noted;
mod options;
mod process;
mod records;
mod segments;
mod source;
mod statistics;
#[cfg(test)]
mod tests;
