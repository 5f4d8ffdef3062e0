//! Bytes of a file with some room to look ahead.

use std::io::{self, Read};

use super::frame::{BLOCK_HEADER, BLOCK_MAGIC, BlockHeader};

/// How much is read at once.
const STEP: usize = 1 << 16;

/// What is ahead in a file. Holds as much as somebody asked to see, and a step more.
#[derive(Debug)]
pub(super) struct Source<R> {
    input: R,
    buffer: Vec<u8>,
    /// Where in the buffer the first byte is that was not consumed.
    start: usize,
    /// Where that byte is in the file.
    at: u64,
    ended: bool,
    /// Why it ended, if the file did not.
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

    /// Where in the file the next byte is.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// What has been read and not consumed.
    pub(super) fn ahead(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Why reading stopped before the end of the file.
    pub(super) fn failed(&self) -> Option<io::ErrorKind> {
        self.failed
    }

    /// Reads until `wanted` bytes are ahead or there are no more, and says whether they are.
    pub(super) fn fill(&mut self, wanted: usize) -> bool {
        while self.ahead().len() < wanted && !self.ended {
            if self.start > STEP {
                self.buffer.drain(..self.start);
                self.start = 0;
            }
            // Step by step: room is made for what is there, not for what a length claims.
            let mut step = (&mut self.input).take(STEP as u64);
            match step.read_to_end(&mut self.buffer) {
                Ok(read) => self.ended = read == 0,
                // What was read before is in the buffer.
                Err(error) => {
                    self.ended = true;
                    self.failed = Some(error.kind());
                }
            }
        }
        self.ahead().len() >= wanted
    }

    /// Leaves bytes behind that are ahead.
    pub(super) fn consume(&mut self, bytes: usize) {
        let bytes = bytes.min(self.ahead().len());
        self.start += bytes;
        self.at += bytes as u64;
    }

    /// The header of the block that begins `distance` further; none if none does.
    pub(super) fn block(&mut self, distance: usize) -> Option<BlockHeader> {
        self.fill(distance + BLOCK_HEADER);
        BlockHeader::decode(self.ahead().get(distance..)?)
    }

    /// Whether there is nothing more `distance` further.
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
