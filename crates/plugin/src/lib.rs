//! `libmillpond_plugin.so`: the pool as an allocator for the streams of any AscendCL runtime.
//!
//! A program asks for a descriptor for a stream (`include/millpond/plugin.h`) and registers it with the
//! runtime that the process has, a vendor's or ours. From the outside in:
//! - `exports`: the C functions, and the callbacks that the runtime calls.
//! - `arenas`: one arena per device; which descriptor belongs to which stream's lane (`lanes`).
//! - `arena`: one pool with its memory, and the ladder of what is tried before a request fails.
//! - `lane`: one stream's part: its shard of the pool, its position, its epoch.
//! - `source`: where memory comes from: `mapped` pages of one large range, or `segments`.
//! - `blocks`: the objects that block handles point to.
//! - `calls`: what is needed of the process's runtime; `process` finds it.
//!
//! What must always hold:
//! - No lock of the pool is held while the runtime is called.
//! - Another stream's memory is handed out only if an event, recorded behind its free, has passed.
//! - Nothing is dereferenced that was not checked to be ours; no panic leaves the library.

mod arena;
mod arenas;
mod blocks;
mod calls;
mod exports;
#[cfg(test)]
mod fake;
mod lane;
mod lanes;
mod mapped;
mod message;
mod options;
mod process;
mod segments;
mod source;
mod statistics;
#[cfg(test)]
mod tests;
