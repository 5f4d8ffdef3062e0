//! What could not be read, and why.

use std::{fmt, io};

use crate::words::count;

/// Why a file is not read at all.
#[derive(Debug)]
pub enum OpenError {
    /// It could not be opened or read.
    Io(io::Error),
    /// It is not a record file.
    NotRecords,
    /// A newer version wrote it, in a format that this one cannot read.
    Version {
        /// Its major version.
        major: u16,
        /// Its minor version.
        minor: u16,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::NotRecords => f.write_str("this is not a record file"),
            Self::Version { major, minor } => write!(
                f,
                "this record file has version {major}.{minor}; only versions {}.x are supported",
                super::MAJOR
            ),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::NotRecords | Self::Version { .. } => None,
        }
    }
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// A part of a file without readable records. What follows it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// Where it begins, from the start of the file.
    pub at: u64,
    /// Its size in bytes; 0 if the writer dropped records there.
    pub bytes: u64,
    /// How many records were in it, if known.
    pub records: Option<u64>,
    /// Why.
    pub why: Why,
}

/// Why something could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Why {
    /// The header of the file is damaged. The records do not depend on it.
    FileHeader,
    /// No block begins where one should.
    NoBlock,
    /// The checksum of a block is wrong.
    Checksum,
    /// The file ends inside a block.
    Cut,
    /// A block is packed in a way that only newer versions know.
    Packing,
    /// A record is malformed, although its block is intact.
    Malformed,
    /// Record numbers are missing: the writer could not write them.
    LeftOut,
    /// The file could not be read any further.
    Unreadable(io::ErrorKind),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FileHeader => "the header of the file is damaged",
            Self::NoBlock => "no block begins there",
            Self::Checksum => "the checksum of a block is wrong",
            Self::Cut => "the file ends inside a block",
            Self::Packing => "a block has a compression that only newer versions can read",
            Self::Malformed => "a record is malformed",
            Self::LeftOut => "they were never written",
            Self::Unreadable(kind) => return write!(f, "reading failed: {kind}"),
        })
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.records {
            Some(records) => write!(f, "{} lost", count(records, "record"))?,
            None => f.write_str("an unknown number of records lost")?,
        }
        if self.bytes > 0 {
            write!(f, ", {}", count(self.bytes, "byte"))?;
        }
        write!(f, " at byte {}: {}", self.at, self.why)
    }
}

impl std::error::Error for Loss {}

/// All losses of a file so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Losses {
    /// How many there were.
    pub times: u64,
    /// Bytes without readable records.
    pub bytes: u64,
    /// Records that are known to be lost.
    pub records: u64,
    /// Losses with an unknown number of records.
    pub uncounted: u64,
    /// Records that were skipped because only newer versions know their kind. Not counted as lost.
    pub unknown: u64,
}

impl Losses {
    pub(super) fn add(&mut self, loss: &Loss) {
        self.times += 1;
        self.bytes = self.bytes.saturating_add(loss.bytes);
        match loss.records {
            Some(records) => self.records = self.records.saturating_add(records),
            None => self.uncounted += 1,
        }
    }
}
