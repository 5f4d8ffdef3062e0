//! The record file: records kept in few bytes, readable after the program was killed.
//!
//! docs/record-format.md says what every byte means, and tests hold this module against it. A file is a
//! header and blocks. Each block has a checksum and needs no other block, so that whatever happens
//! to a part of a file, the rest is read, and what was lost is said.
//!
//! What must always hold: no input makes the reader panic, or take more memory than a few times the
//! largest block; nothing that fails a checksum becomes a record; a writer never stops its program.

mod block;
mod choices;
mod field;
mod frame;
mod input;
mod kinds;
mod loss;
mod output;
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
/// Grows when records say more than before.
pub const MINOR: u16 = 0;

/// A block is written when it has this many bytes.
const BLOCK_BYTES: usize = 1 << 16;
/// Or when its first record is this old.
const BLOCK_NANOSECONDS: u64 = 100_000_000;
/// No block has more; who reads makes room for no more.
const PAYLOAD_LIMIT: usize = 1 << 20;
/// No record takes more, with the texts that it names for the first time.
const RECORD_LIMIT: usize = PAYLOAD_LIMIT - BLOCK_BYTES;
/// Longer texts are cut when they are written.
const TEXT_LIMIT: usize = 1 << 16;
/// All texts of one record together.
const TEXTS_LIMIT: usize = 1 << 20;

/// The first kind that is a record. Those below say what records refer to.
const FIRST_RECORD: u64 = 16;
const TEXT: u64 = 1;
const SITE: u64 = 2;
const END: u64 = 3;
