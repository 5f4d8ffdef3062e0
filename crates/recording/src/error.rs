//! Why a recording could not be read.

use std::fmt;
use std::path::{Path, PathBuf};

/// What is wrong with a file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The file.
    pub file: PathBuf,
    /// The byte at which it is wrong, from 0; of a compressed file, the byte of its content.
    pub at: Option<u64>,
    /// The line of that byte, from 1, for files of lines.
    pub line: Option<u64>,
    /// Whether `at` counts in the content of a compressed file.
    pub unpacked: bool,
    /// What is wrong, as a sentence without a full stop.
    pub what: String,
}

impl Error {
    /// An error of a whole file.
    pub fn of(file: &Path, what: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            at: None,
            line: None,
            unpacked: false,
            what: what.into(),
        }
    }

    /// An error at a byte.
    pub fn at(file: &Path, at: u64, what: impl Into<String>) -> Self {
        Self {
            at: Some(at),
            ..Self::of(file, what)
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file.display())?;
        match (self.line, self.at) {
            (Some(line), Some(at)) => write!(f, "line {line}, byte {at}")?,
            (None, Some(at)) => write!(f, "byte {at}")?,
            (_, None) => return f.write_str(&self.what),
        }
        if self.unpacked {
            f.write_str(" of the unpacked content")?;
        }
        write!(f, ": {}", self.what)
    }
}

impl std::error::Error for Error {}

/// Something wrong at a byte, before it is known in which file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) at: Option<u64>,
    pub(crate) line: Option<u64>,
    pub(crate) what: String,
}

impl Fault {
    pub(crate) fn at(at: u64, what: impl Into<String>) -> Self {
        Self {
            at: Some(at),
            line: None,
            what: what.into(),
        }
    }

    pub(crate) fn within(self, file: &Path, unpacked: bool) -> Error {
        Error {
            file: file.to_owned(),
            at: self.at,
            line: self.line,
            unpacked,
            what: self.what,
        }
    }
}
