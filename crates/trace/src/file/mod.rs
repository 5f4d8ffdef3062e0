//! The record file: compact, and readable after the program was killed.
//!
//! docs/record-format.md specifies every byte, and tests compare this module with it. A file is a header and blocks. Each
//! block has a checksum and depends on no other block. So if a part of a file is damaged, the rest is read, and the loss
//! is reported.
//!
//! Invariants: no input makes the reader panic or use more memory than a few times the largest block; nothing that fails
//! a checksum becomes a record; a writer never stops its program.

mod block;
mod choices;
mod field;
mod frame;
mod input;
mod kinds;
mod loss;
mod names;
mod output;
mod packing;
mod reader;
mod regular;
mod source;
mod writer;

#[cfg(test)]
mod tests;

pub use frame::Header;
pub use kinds::name_of;
pub use loss::{Loss, Losses, OpenError, Why};
pub use reader::{End, Reader};
pub use regular::open_regular;
pub use writer::{Problem, Writer};

/// The version that is written. A reader reads every minor version of its major one.
pub const MAJOR: u16 = 1;
/// Grows when records or fields are added.
pub const MINOR: u16 = 0;

/// A block is written when it has this many bytes.
const BLOCK_BYTES: usize = 1 << 16;
/// Or when its first record is this old.
const BLOCK_NANOSECONDS: u64 = 100_000_000;
/// The largest block. Readers allocate no more.
const PAYLOAD_LIMIT: usize = 1 << 20;
/// The largest record, with the texts that it introduces.
const RECORD_LIMIT: usize = PAYLOAD_LIMIT - BLOCK_BYTES;
/// Longer texts are truncated when they are written.
const TEXT_LIMIT: usize = 1 << 16;
/// The limit for all texts of one record.
const TEXTS_LIMIT: usize = 1 << 20;

/// The first kind that is a record. Lower kinds define what records refer to.
const FIRST_RECORD: u64 = 16;
const TEXT: u64 = 1;
const SITE: u64 = 2;
const END: u64 = 3;
