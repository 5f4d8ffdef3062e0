//! Writes the fields of one entry, and the block that contains it.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::{Record, Site};

use super::frame::{BLOCK_HEADER, BlockHeader};
use super::{RECORD_LIMIT, SITE, TEXT, TEXT_LIMIT, TEXTS_LIMIT, kinds, packing};

type Numbers<K> = HashMap<K, u64, BuildHasherDefault<Mix>>;

/// A block that is being filled.
#[derive(Debug)]
pub(super) struct Output {
    /// Room for the header, then entries.
    block: Vec<u8>,
    /// The entry that is being written. Texts that it introduces precede it.
    entry: Vec<u8>,
    texts: Numbers<Box<str>>,
    sites: Numbers<(u64, u64, u64)>,
    /// Bytes of the texts of this entry.
    text: usize,
    last_site: (Site, u64),
    records: u32,
    /// Of the first record.
    order: u64,
    nanoseconds: u64,
    /// Of the next record, if none is dropped.
    next_order: u64,
    last_nanoseconds: u64,
    /// Whether finished blocks are packed.
    packs: bool,
    /// The finished block, if it was packed.
    packed: Vec<u8>,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            block: vec![0; BLOCK_HEADER],
            entry: Vec::new(),
            texts: Numbers::default(),
            sites: Numbers::default(),
            text: 0,
            last_site: (Site::default(), 0),
            records: 0,
            order: 0,
            nanoseconds: 0,
            next_order: 0,
            last_nanoseconds: 0,
            packs: false,
            packed: Vec::new(),
        }
    }
}

impl Output {
    /// A block that is packed when it is finished.
    pub(super) fn packing() -> Self {
        Self {
            packs: true,
            ..Self::default()
        }
    }

    /// How many records are in the block.
    pub(super) fn records(&self) -> u32 {
        self.records
    }

    /// Whether it is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.block.len() == BLOCK_HEADER
    }

    /// How many bytes it has.
    pub(super) fn bytes(&self) -> usize {
        self.block.len()
    }

    /// When its first record was made.
    pub(super) fn nanoseconds(&self) -> u64 {
        self.nanoseconds
    }

    /// Adds a record with this order number. Returns false, without adding it, if it is larger than a block may be. The block must then be
    /// finished, because it may refer to texts of that record.
    pub(super) fn add(&mut self, record: &Record, order: u64) -> bool {
        let before = self.block.len();
        if self.records == 0 {
            self.order = order;
            self.nanoseconds = record.nanoseconds;
            self.next_order = order;
            self.last_nanoseconds = record.nanoseconds;
        }
        self.text = 0;
        let site = self.site(&record.site);
        self.entry.clear();
        self.number(kinds::number_of(&record.operation));
        self.number(order.wrapping_sub(self.next_order));
        self.number(record.nanoseconds.wrapping_sub(self.last_nanoseconds));
        self.number(record.thread);
        self.number(site);
        kinds::write(&record.operation, self);
        let bytes = self.block.len() - before + self.entry.len();
        if bytes > RECORD_LIMIT || self.text > TEXTS_LIMIT {
            self.block.truncate(before);
            return false;
        }
        put_number(&mut self.block, self.entry.len() as u64);
        self.block.extend_from_slice(&self.entry);
        self.records += 1;
        self.next_order = order.wrapping_add(1);
        self.last_nanoseconds = record.nanoseconds;
        true
    }

    /// Adds an entry of numbers that is not a record.
    pub(super) fn note(&mut self, kind: u64, numbers: &[u64]) {
        self.entry.clear();
        self.number(kind);
        for &number in numbers {
            self.number(number);
        }
        put_number(&mut self.block, self.entry.len() as u64);
        self.block.extend_from_slice(&self.entry);
    }

    /// The whole block with its header. It stays until `clear`.
    pub(super) fn finish(&mut self) -> &[u8] {
        let mut whole = &mut self.block;
        let mut flags = 0;
        if self.packs {
            self.packed.clear();
            self.packed.resize(BLOCK_HEADER, 0);
            if packing::pack(&whole[BLOCK_HEADER..], &mut self.packed) {
                whole = &mut self.packed;
                flags = packing::PACKED;
            }
        }
        let (header, payload) = whole.split_at_mut(BLOCK_HEADER);
        let filled = BlockHeader {
            payload: payload.len(),
            records: self.records,
            flags,
            order: self.order,
            nanoseconds: self.nanoseconds,
            checksum: crc32fast::hash(payload),
        };
        header.copy_from_slice(&filled.encode());
        whole
    }

    /// Begins a new block, independent of this one.
    pub(super) fn clear(&mut self) {
        self.block.truncate(BLOCK_HEADER);
        self.texts.clear();
        self.sites.clear();
        self.last_site = (Site::default(), 0);
        self.records = 0;
        self.order = self.next_order;
        self.nanoseconds = self.last_nanoseconds;
    }

    #[inline]
    pub(super) fn number(&mut self, value: u64) {
        put_number(&mut self.entry, value);
    }

    /// A text, by its number in the block.
    pub(super) fn text(&mut self, text: &str) {
        let number = self.text_number(text);
        self.number(number);
    }

    fn text_number(&mut self, text: &str) -> u64 {
        if text.is_empty() {
            return 0;
        }
        let text = &text[..text.floor_char_boundary(TEXT_LIMIT)];
        self.text += text.len();
        if let Some(&number) = self.texts.get(text) {
            return number;
        }
        put_number(&mut self.block, 1 + text.len() as u64);
        put_number(&mut self.block, TEXT);
        self.block.extend_from_slice(text.as_bytes());
        let number = self.texts.len() as u64 + 1;
        self.texts.insert(text.into(), number);
        number
    }

    /// Fields of a structure that cannot be extended.
    pub(super) fn fixed(&mut self, write: impl FnOnce(&mut Self)) {
        write(self);
    }

    /// Fields that are preceded by their length.
    pub(super) fn group(&mut self, write: impl FnOnce(&mut Self)) {
        let start = self.entry.len();
        self.entry.push(0);
        write(self);
        let length = self.entry.len() - start - 1;
        if let Ok(short @ 0..0x80) = u8::try_from(length) {
            self.entry[start] = short;
            return;
        }
        let mut prefix = Vec::new();
        put_number(&mut prefix, length as u64);
        self.entry.splice(start..=start, prefix);
    }

    /// The number of a site in the block; 0 is the empty one.
    fn site(&mut self, site: &Site) -> u64 {
        // Most records have the site of the previous one.
        if *site == self.last_site.0 {
            return self.last_site.1;
        }
        let number = if *site == Site::default() {
            0
        } else {
            let call = self.text_number(&site.call);
            let key = (call, site.caller, u64::from(site.stack));
            let next = self.sites.len() as u64 + 1;
            let number = *self.sites.entry(key).or_insert(next);
            if number == next {
                self.note(SITE, &[key.0, key.1, key.2]);
            }
            number
        };
        self.last_site = (site.clone(), number);
        number
    }
}

#[inline]
fn put_number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

/// A fast hash for short-lived tables of the program's own texts.
#[derive(Debug, Default)]
struct Mix(u64);

impl Mix {
    #[inline]
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.mix(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.mix(value);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}
