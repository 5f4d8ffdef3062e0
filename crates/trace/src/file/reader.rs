//! Reads a record file.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::Record;

use super::MAJOR;
use super::block::Block;
use super::frame::{BLOCK_HEADER, BlockHeader, FILE_FIXED, FILE_MAGIC, Header};
use super::input::Unfit;
use super::loss::{Loss, Losses, OpenError, Why};
use super::packing::{self, Unpacker};
use super::regular::open_regular;
use super::source::Source;

/// What a writer stores when it closes its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// Records that it wrote.
    pub records: u64,
    /// Records that it could not write.
    pub lost: u64,
}

/// The records of a file, in order. A part that cannot be read comes as a [`Loss`]; then the rest follows.
#[derive(Debug)]
pub struct Reader<R> {
    source: Source<R>,
    header: Option<Header>,
    block: Block,
    unpacker: Unpacker,
    /// Where in the file the payload of the block began.
    payload_at: u64,
    /// Whether that payload is packed.
    packed: bool,
    /// Which order number comes next, once one is known.
    expected: Option<u64>,
    losses: Losses,
    records: u64,
    /// Found before the item that was requested.
    waiting: Option<Loss>,
    end: Option<End>,
    over: bool,
}

impl Reader<File> {
    /// Opens a file. Only regular ones are read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::new(open_regular(path.as_ref())?)
    }
}

impl<R: Read> Reader<R> {
    /// Reads from any input, in large pieces: it needs no buffer.
    pub fn new(input: R) -> Result<Self, OpenError> {
        let mut reader = Self {
            source: Source::new(input),
            header: None,
            block: Block::default(),
            unpacker: Unpacker::default(),
            payload_at: 0,
            packed: false,
            expected: None,
            losses: Losses::default(),
            records: 0,
            waiting: None,
            end: None,
            over: false,
        };
        reader.begin()?;
        Ok(reader)
    }

    /// The header of the file; none if it is damaged.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// What was lost up to here.
    pub fn losses(&self) -> Losses {
        self.losses
    }

    /// How many records were read up to here.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// How many bytes of the file were read up to here.
    pub fn bytes(&self) -> u64 {
        self.source.at()
    }

    /// Where in the file the block begins that the latest record is in.
    pub fn block_at(&self) -> u64 {
        self.payload_at.saturating_sub(BLOCK_HEADER as u64)
    }

    /// What the writer stored when it closed the file. None if the program was killed or is still running, or if the end
    /// of the file is lost.
    pub fn end(&self) -> Option<End> {
        self.end
    }

    fn begin(&mut self) -> Result<(), OpenError> {
        let fixed = self.source.fill(FILE_FIXED);
        let ahead = self.source.ahead();
        if !ahead.starts_with(&FILE_MAGIC) {
            return Err(match self.source.failed() {
                Some(kind) => OpenError::Io(kind.into()),
                None => OpenError::NotRecords,
            });
        }
        let length = Header::length(ahead).filter(|_| fixed);
        if let Some(length) = length
            && self.source.fill(length)
        {
            self.header = Header::decode(&self.source.ahead()[..length]);
            if let Some(header) = &self.header {
                if header.major != MAJOR {
                    return Err(OpenError::Version {
                        major: header.major,
                        minor: header.minor,
                    });
                }
                self.source.consume(length);
                return Ok(());
            }
        }
        // Each block has its version.
        self.source.consume(FILE_MAGIC.len());
        self.source.search();
        self.waiting = Some(Loss {
            at: 0,
            bytes: self.source.at(),
            records: Some(0),
            why: Why::FileHeader,
        });
        Ok(())
    }

    /// Makes the next block the current one, or returns what was found instead.
    fn advance(&mut self) -> Option<Loss> {
        let at = self.source.at();
        if self.source.ends(0) {
            self.over = true;
            return self.source.failed().map(|kind| Loss {
                at,
                bytes: 0,
                records: None,
                why: Why::Unreadable(kind),
            });
        }
        let found = self.source.block(0);
        let why = match &found {
            None if self.source.ahead().len() < BLOCK_HEADER => Why::Cut,
            None => Why::NoBlock,
            Some(header) => {
                let left_out = self.left_out(header);
                if left_out.is_some() {
                    return left_out;
                }
                self.load(header)?
            }
        };
        self.skip(found.as_ref());
        let next = self.source.block(0);
        let expected = self.expected.or(found.map(|header| header.order));
        // The next block's number tells exactly how many are missing, including blocks with damaged headers.
        let missing = next
            .zip(expected)
            .and_then(|(next, expected)| next.order.checked_sub(expected));
        let stated = found.map(|header| u64::from(header.records));
        if let Some(next) = next {
            self.expected = Some(next.order);
        }
        Some(Loss {
            at,
            bytes: self.source.at() - at,
            records: missing.or(stated),
            why,
        })
    }

    /// Makes it the current block, or returns why not.
    fn load(&mut self, header: &BlockHeader) -> Option<Why> {
        let whole = BLOCK_HEADER + header.payload;
        if !self.source.fill(whole) {
            return Some(Why::Cut);
        }
        let payload = &self.source.ahead()[BLOCK_HEADER..whole];
        if crc32fast::hash(payload) != header.checksum {
            return Some(Why::Checksum);
        }
        self.packed = header.flags == packing::PACKED;
        let (unpacker, block) = (&mut self.unpacker, &mut self.block);
        let whole_payload = match header.flags {
            0 => block.load(header, |into| {
                into.extend_from_slice(payload);
                true
            }),
            packing::PACKED => block.load(header, |into| unpacker.unpack(payload, into)),
            _ => return Some(Why::Packing),
        };
        if !whole_payload {
            return Some(Why::Malformed);
        }
        self.payload_at = self.source.at() + BLOCK_HEADER as u64;
        self.source.consume(whole);
        None
    }

    /// Skips an unreadable block, or bytes that are not a block.
    fn skip(&mut self, header: Option<&BlockHeader>) {
        if let Some(header) = header {
            // If a valid block follows, the length is right. Otherwise bytes may be missing from it, and the next block
            // is nearer.
            let whole = BLOCK_HEADER + header.payload;
            if self.source.ends(whole) || self.source.block(whole).is_some() {
                self.source.consume(whole);
                return;
            }
        }
        self.source.consume(1);
        self.source.search();
    }

    /// Reports once if records are missing between this block and the one before.
    fn left_out(&mut self, header: &BlockHeader) -> Option<Loss> {
        let expected = self.expected.replace(header.order)?;
        let missing = header.order.checked_sub(expected)?;
        (missing > 0).then(|| Loss {
            at: self.source.at(),
            bytes: 0,
            records: Some(missing),
            why: Why::LeftOut,
        })
    }

    /// Reads the next record into `into`, whose content is undefined after a loss. It is what [`Iterator::next`] returns, and cheaper:
    /// records are large.
    pub fn next_into(&mut self, into: &mut Record) -> Option<Result<(), Loss>> {
        let lost = loop {
            if let Some(loss) = self.waiting.take() {
                break loss;
            }
            match self.entry(into) {
                Some(Ok(())) => return Some(Ok(())),
                Some(Err(loss)) => break loss,
                None if self.over => return None,
                None => {}
            }
            if let Some(loss) = self.advance() {
                break loss;
            }
        };
        self.losses.add(&lost);
        Some(Err(lost))
    }

    /// Reads the next record of the current block, or returns what was lost.
    fn entry(&mut self, into: &mut Record) -> Option<Result<(), Loss>> {
        while let Some(entry) = self.block.entry(into) {
            let broken = match entry {
                Ok(()) => {
                    self.records += 1;
                    self.expected = Some(self.block.order());
                    return Some(Ok(()));
                }
                Err(broken) => broken,
            };
            if broken.unfit == Unfit::Unknown {
                self.losses.unknown += 1;
                self.expected = Some(self.block.order());
                continue;
            }
            return Some(Err(Loss {
                // Inside a packed payload there are no places of the file.
                at: self.payload_at + if self.packed { 0 } else { broken.start as u64 },
                bytes: if self.packed { 0 } else { broken.bytes as u64 },
                records: Some(1),
                why: Why::Malformed,
            }));
        }
        self.end = self.block.end().or(self.end);
        None
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Record, Loss>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut record = Record::default();
        let read = self.next_into(&mut record)?;
        Some(read.map(|()| record))
    }
}
