//! Reads a file with look-ahead.

use std::io::{self, Read};

use super::frame::{BLOCK_HEADER, BLOCK_MAGIC, BlockHeader};

/// How much is read per call.
const STEP: usize = 1 << 16;

/// The bytes ahead in a file. It buffers what was requested, and one step more.
#[derive(Debug)]
pub(super) struct Source<R> {
    input: R,
    buffer: Vec<u8>,
    /// Index of the first byte in the buffer that was not consumed.
    start: usize,
    /// Offset of that byte in the file.
    at: u64,
    ended: bool,
    /// Why reading stopped before the end of the file.
    failed: Option<io::ErrorKind>,
}

impl<R: Read> Source<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            start: 0,
            at: 0,
            ended: false,
            failed: None,
        }
    }

    /// Offset of the next byte in the file.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// The bytes that were read and not consumed.
    pub(super) fn ahead(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Why reading stopped before the end of the file.
    pub(super) fn failed(&self) -> Option<io::ErrorKind> {
        self.failed
    }

    /// Reads until `wanted` bytes are ahead or the file ends. Returns whether they are ahead.
    pub(super) fn fill(&mut self, wanted: usize) -> bool {
        while self.ahead().len() < wanted && !self.ended {
            if self.start > STEP {
                self.buffer.drain(..self.start);
                self.start = 0;
            }
            // Step by step: memory is allocated for bytes that exist, not for what a length claims.
            let mut step = (&mut self.input).take(STEP as u64);
            match step.read_to_end(&mut self.buffer) {
                Ok(read) => self.ended = read == 0,
                // The bytes that were read before stay in the buffer.
                Err(error) => {
                    self.ended = true;
                    self.failed = Some(error.kind());
                }
            }
        }
        self.ahead().len() >= wanted
    }

    /// Consumes bytes.
    pub(super) fn consume(&mut self, bytes: usize) {
        let bytes = bytes.min(self.ahead().len());
        self.start += bytes;
        self.at += bytes as u64;
    }

    /// The header of the block at `distance`, if one begins there.
    pub(super) fn block(&mut self, distance: usize) -> Option<BlockHeader> {
        self.fill(distance + BLOCK_HEADER);
        BlockHeader::decode(self.ahead().get(distance..)?)
    }

    /// Whether the file ends at `distance`.
    pub(super) fn ends(&mut self, distance: usize) -> bool {
        !self.fill(distance + 1) && self.ahead().len() == distance
    }

    /// Consumes bytes up to the next header of a block, or all there are.
    pub(super) fn search(&mut self) {
        while self.fill(1) {
            let ahead = self.ahead();
            let found = ahead.iter().position(|&byte| byte == BLOCK_MAGIC[0]);
            let passed = found.unwrap_or(ahead.len());
            self.consume(passed);
            if found.is_some() {
                if self.block(0).is_some() {
                    return;
                }
                self.consume(1);
            }
        }
    }
}
