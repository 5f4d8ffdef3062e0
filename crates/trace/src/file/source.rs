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
}

impl<R: Read> Source<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            start: 0,
            at: 0,
            ended: false,
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

    /// Reads until `wanted` bytes are ahead or the file ends, and says whether they are.
    pub(super) fn fill(&mut self, wanted: usize) -> io::Result<bool> {
        while self.ahead().len() < wanted && !self.ended {
            if self.start > STEP {
                self.buffer.drain(..self.start);
                self.start = 0;
            }
            // Step by step: room is made for what is there, not for what a length claims.
            let step = (&mut self.input).take(STEP as u64);
            self.ended = { step }.read_to_end(&mut self.buffer)? == 0;
        }
        Ok(self.ahead().len() >= wanted)
    }

    /// Leaves bytes behind that are ahead.
    pub(super) fn consume(&mut self, bytes: usize) {
        let bytes = bytes.min(self.ahead().len());
        self.start += bytes;
        self.at += bytes as u64;
    }

    /// The header of the block that begins `distance` further; none if none does.
    pub(super) fn block(&mut self, distance: usize) -> io::Result<Option<BlockHeader>> {
        self.fill(distance + BLOCK_HEADER)?;
        Ok(self.ahead().get(distance..).and_then(BlockHeader::decode))
    }

    /// Whether the file ends `distance` further.
    pub(super) fn ends(&mut self, distance: usize) -> io::Result<bool> {
        Ok(!self.fill(distance + 1)? && self.ahead().len() == distance)
    }

    /// Consumes bytes up to the next header of a block, or all there are.
    pub(super) fn search(&mut self) -> io::Result<()> {
        loop {
            self.fill(BLOCK_HEADER)?;
            let ahead = self.ahead();
            let Some(found) = ahead.iter().position(|&byte| byte == BLOCK_MAGIC[0]) else {
                let all = ahead.len();
                self.consume(all);
                if all == 0 {
                    return Ok(());
                }
                continue;
            };
            self.consume(found);
            if self.block(0)?.is_some() {
                return Ok(());
            }
            self.consume(1);
        }
    }
}
