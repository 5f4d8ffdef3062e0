//! The two fixed headers: that of the file and that of a block.

use std::time::{SystemTime, UNIX_EPOCH};

use super::{MAJOR, MINOR, PAYLOAD_LIMIT};

/// The start of a file. Tools that take files for text damage the bytes around the letters.
pub(super) const FILE_MAGIC: [u8; 8] = *b"\x89MPR\r\n\x1a\n";
/// The start of a block. The last byte is the major version, for files with a damaged header.
pub(super) const BLOCK_MAGIC: [u8; 4] = [0xF5, b'M', b'B', 1];

/// Bytes of a file's header before the name of the program.
pub(super) const FILE_FIXED: usize = 32;
/// The largest header of a file that is read.
pub(super) const FILE_LIMIT: usize = 1 << 16;
/// Bytes of a block's header.
pub(super) const BLOCK_HEADER: usize = 40;

const CHECKSUM: usize = 4;
const PROGRAM_LIMIT: usize = 4096;

/// The header of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The major version: what a reader must know to read anything.
    pub major: u16,
    /// The minor version: what a reader may not know and can skip.
    pub minor: u16,
    /// When the file was begun: nanoseconds since 1970 in UTC.
    pub started: u64,
    /// The process that wrote it.
    pub process: u32,
    /// The program; empty if unknown.
    pub program: String,
    /// Only records about memory were written: which work used it is not in the file.
    pub memory_only: bool,
}

/// What is in a file: bits of a number after the program's name.
const MEMORY_ONLY: u32 = 1;

impl Header {
    /// The header of a file that this process begins now.
    pub fn of_this_process() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let program = std::env::current_exe();
        Self {
            major: MAJOR,
            minor: MINOR,
            started: now.map_or(0, |since| {
                u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
            }),
            process: std::process::id(),
            program: program.map_or_else(
                |_| String::new(),
                |path| path.to_string_lossy().into_owned(),
            ),
            memory_only: false,
        }
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let program = &self.program[..self.program.floor_char_boundary(PROGRAM_LIMIT)];
        // Written only where it says something, so that other files stay as they were.
        let content = if self.memory_only {
            &MEMORY_ONLY.to_le_bytes()[..]
        } else {
            &[]
        };
        let length = FILE_FIXED + program.len() + content.len() + CHECKSUM;
        let mut bytes = Vec::with_capacity(length);
        bytes.extend(FILE_MAGIC);
        bytes.extend(self.major.to_le_bytes());
        bytes.extend(self.minor.to_le_bytes());
        bytes.extend(short(length).to_le_bytes());
        bytes.extend(self.started.to_le_bytes());
        bytes.extend(self.process.to_le_bytes());
        bytes.extend(short(program.len()).to_le_bytes());
        bytes.extend(program.as_bytes());
        bytes.extend(content);
        let checksum = crc32fast::hash(&bytes);
        bytes.extend(checksum.to_le_bytes());
        bytes
    }

    /// The length that a header states, from its fixed bytes; none if no header is that long.
    pub(super) fn length(fixed: &[u8]) -> Option<usize> {
        let length = usize::try_from(four(fixed, 12)?).ok()?;
        (FILE_FIXED + CHECKSUM..=FILE_LIMIT)
            .contains(&length)
            .then_some(length)
    }

    /// Reads a whole header; none if its checksum is wrong.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let (bytes, checksum) = bytes.split_last_chunk::<CHECKSUM>()?;
        if crc32fast::hash(bytes) != u32::from_le_bytes(*checksum) {
            return None;
        }
        let versions = four(bytes, 8)?.to_le_bytes();
        let program = usize::try_from(four(bytes, 28)?).ok()?;
        let content = four(bytes, FILE_FIXED.checked_add(program)?).unwrap_or(0);
        let program = bytes.get(FILE_FIXED..)?.get(..program)?;
        Some(Self {
            major: u16::from_le_bytes([versions[0], versions[1]]),
            minor: u16::from_le_bytes([versions[2], versions[3]]),
            started: eight(bytes, 16)?,
            process: four(bytes, 24)?,
            program: String::from_utf8_lossy(program).into_owned(),
            memory_only: content & MEMORY_ONLY != 0,
        })
    }
}

/// The header of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockHeader {
    /// Bytes of the payload.
    pub(super) payload: usize,
    /// How many records are in it.
    pub(super) records: u32,
    /// The packing of the payload: 0, or [`PACKED`](super::packing::PACKED).
    pub(super) flags: u32,
    /// The order number of the first record.
    pub(super) order: u64,
    /// The time of the first record.
    pub(super) nanoseconds: u64,
    /// The checksum of the payload.
    pub(super) checksum: u32,
}

impl BlockHeader {
    pub(super) fn encode(self) -> [u8; BLOCK_HEADER] {
        let mut bytes = [0; BLOCK_HEADER];
        bytes[..4].copy_from_slice(&BLOCK_MAGIC);
        bytes[4..8].copy_from_slice(&short(self.payload).to_le_bytes());
        bytes[8..12].copy_from_slice(&self.records.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.flags.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.order.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.nanoseconds.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.checksum.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[..36]);
        bytes[36..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads a header from the first bytes; none if no block begins here.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.first_chunk::<BLOCK_HEADER>()?;
        if !bytes.starts_with(&BLOCK_MAGIC) || crc32fast::hash(&bytes[..36]) != four(bytes, 36)? {
            return None;
        }
        let payload = usize::try_from(four(bytes, 4)?).ok()?;
        (payload <= PAYLOAD_LIMIT).then_some(Self {
            payload,
            records: four(bytes, 8)?,
            flags: four(bytes, 12)?,
            order: eight(bytes, 16)?,
            nanoseconds: eight(bytes, 24)?,
            checksum: four(bytes, 32)?,
        })
    }
}

/// The limits of lengths are far below what the field can hold.
fn short(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn four(bytes: &[u8], at: usize) -> Option<u32> {
    let found = bytes.get(at..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*found))
}

fn eight(bytes: &[u8], at: usize) -> Option<u64> {
    let found = bytes.get(at..)?.first_chunk::<8>()?;
    Some(u64::from_le_bytes(*found))
}
