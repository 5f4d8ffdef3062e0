//! The bytes of a file, unpacked if it is compressed, with the place of each.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use crate::error::{Error, Fault};

const STEP: usize = 1 << 16;
/// A compressed file may always unpack to this many bytes.
const UNPACKED_FREE: u64 = 16 << 20;
/// Above that, to this many times its size. Traces and snapshots shrink to a tenth; a bomb shrinks to a thousandth.
const UNPACKED_RATIO: u64 = 100;

/// Where bytes come from.
enum Bytes<'a> {
    Plain(Box<dyn Read + Send + 'a>),
    Gzip(Box<MultiGzDecoder<Box<dyn Read + Send + 'a>>>),
}

/// Bytes ahead, read step by step: memory is allocated for bytes that exist, not for what a length claims.
pub(crate) struct Input<'a> {
    bytes: Bytes<'a>,
    buffer: Vec<u8>,
    start: usize,
    at: u64,
    ended: bool,
    failed: Option<String>,
    /// The most bytes that a compressed file may unpack to.
    limit: u64,
    pub(crate) file_bytes: u64,
}

impl std::fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Input")
            .field("at", &self.at)
            .finish_non_exhaustive()
    }
}

/// A file and how many bytes it has.
pub(crate) fn open(path: &Path) -> Result<(File, u64), Error> {
    let failed = |error: io::Error| Error::of(path, error.to_string());
    let file = File::open(path).map_err(failed)?;
    let about = file.metadata().map_err(failed)?;
    if about.is_dir() {
        return Err(Error::of(path, "is a folder, not a recording"));
    }
    Ok((file, about.len()))
}

impl<'a> Input<'a> {
    pub(crate) fn new(mut read: Box<dyn Read + Send + 'a>, file_bytes: u64) -> Result<Self, Fault> {
        let mut head = Vec::new();
        (&mut read)
            .take(2)
            .read_to_end(&mut head)
            .map_err(|error| Fault::at(0, error.to_string()))?;
        let packed = head == [0x1F, 0x8B];
        let whole: Box<dyn Read + Send + 'a> = Box::new(io::Cursor::new(head).chain(read));
        let bytes = if packed {
            Bytes::Gzip(Box::new(MultiGzDecoder::new(whole)))
        } else {
            Bytes::Plain(whole)
        };
        Ok(Self {
            bytes,
            buffer: Vec::new(),
            start: 0,
            at: 0,
            ended: false,
            failed: None,
            limit: UNPACKED_FREE.max(file_bytes.saturating_mul(UNPACKED_RATIO)),
            file_bytes,
        })
    }

    /// Whether places count in the content of a compressed file.
    pub(crate) fn unpacked(&self) -> bool {
        matches!(self.bytes, Bytes::Gzip(_))
    }

    /// The place of the next byte.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// The bytes that were read and not consumed.
    pub(crate) fn ahead(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    pub(crate) fn consume(&mut self, bytes: usize) {
        let bytes = bytes.min(self.ahead().len());
        self.start += bytes;
        self.at += bytes as u64;
    }

    /// Reads until `wanted` bytes are ahead, or the file ends. Returns whether they are.
    pub(crate) fn fill(&mut self, wanted: usize) -> Result<bool, Fault> {
        while self.ahead().len() < wanted && !self.ended {
            if self.start >= STEP || self.start == self.buffer.len() {
                self.buffer.drain(..self.start);
                self.start = 0;
            }
            let had = self.buffer.len();
            let read = match &mut self.bytes {
                Bytes::Plain(read) => read.take(STEP as u64).read_to_end(&mut self.buffer),
                Bytes::Gzip(read) => read
                    .as_mut()
                    .take(STEP as u64)
                    .read_to_end(&mut self.buffer),
            };
            let end = self.at + (self.buffer.len() - self.start) as u64;
            match read {
                Ok(_) => self.ended = self.buffer.len() == had,
                // What came before is still delivered.
                Err(error) => {
                    self.ended = true;
                    let packed = if self.unpacked() {
                        "cannot unpack it further"
                    } else {
                        "cannot read it further"
                    };
                    self.failed = Some(format!("{packed}: {error}"));
                }
            }
            if self.unpacked() && end > self.limit {
                return Err(Fault::at(
                    end,
                    format!(
                        "unpacks to more than {UNPACKED_RATIO} times its size of {} bytes. Unpack it with gzip if that is intended",
                        self.file_bytes
                    ),
                ));
            }
        }
        if self.ahead().len() >= wanted {
            return Ok(true);
        }
        match self.failed.take() {
            Some(failed) => Err(Fault::at(self.at + self.ahead().len() as u64, failed)),
            None => Ok(false),
        }
    }
}

/// No line of a trace is longer.
const LONGEST_LINE: usize = 1 << 16;

/// Reads lines. Each call gives one line, without its end, and its place.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    pub(crate) input: Input<'a>,
    pub(crate) number: u64,
    length: usize,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(input: Input<'a>) -> Self {
        Self {
            input,
            number: 0,
            length: 0,
        }
    }

    /// Goes to the next line; false at the end.
    pub(crate) fn advance(&mut self) -> Result<bool, Fault> {
        self.input.consume(self.length);
        self.number += 1;
        let mut searched = 0;
        loop {
            let ahead = self.input.ahead();
            if let Some(found) = ahead[searched..].iter().position(|&byte| byte == b'\n') {
                self.length = searched + found + 1;
                return Ok(true);
            }
            searched = ahead.len();
            if searched > LONGEST_LINE {
                return Err(self.fault(format!("the line has more than {LONGEST_LINE} bytes")));
            }
            if !self.input.fill(searched + 1).map_err(|fault| Fault {
                line: Some(self.number),
                ..fault
            })? {
                self.length = searched;
                return Ok(searched > 0);
            }
        }
    }

    /// The current line.
    pub(crate) fn line(&self) -> &[u8] {
        let line = &self.input.ahead()[..self.length];
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Something wrong with the current line.
    pub(crate) fn fault(&self, what: impl Into<String>) -> Fault {
        Fault {
            line: Some(self.number),
            ..Fault::at(self.input.at(), what)
        }
    }
}
