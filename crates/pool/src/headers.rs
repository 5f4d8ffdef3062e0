//! The metadata of each block, at a stable address.
//!
//! Any thread may read a header, so all its fields are atomic; locks protect *writes*. A header belongs to its `home`
//! shard and is changed only under that shard's lock. `home` changes only when an unused block moves from one shard
//! to another through the ground, under the locks of both. So after finding a block by its offset, a thread locks
//! its home and checks again.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::sync::AtomicU16;

/// The state of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub(crate) enum State {
    /// Not a block, or owned by the ground.
    None = 0,
    /// In use by the program.
    Live = 1,
    /// Kept: cached for the next request of its size.
    Kept = 2,
    /// Freed, but other streams may still use it.
    Pending = 3,
}

/// One cache line, so that threads with different blocks do not contend.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Header {
    pub(crate) offset: AtomicU64,
    pub(crate) bytes: AtomicU64,
    /// The bytes that the program requested; for a pending block, the stream in whose order it was freed.
    pub(crate) requested: AtomicU64,
    /// Its charge against the limit.
    pub(crate) charge: AtomicU64,
    /// Its serial number.
    pub(crate) serial: AtomicU64,
    /// The stream whose queued work uses it (0 for none), and the position of the last use. The shard stores further
    /// streams: see `crowd`. Without a use, it is the position of its own stream after which others may use its
    /// bytes.
    pub(crate) stream: AtomicU64,
    pub(crate) position: AtomicU64,
    /// The next block in its list; for a live block, the list that it will return to, if known.
    pub(crate) next: AtomicU32,
    pub(crate) home: AtomicU16,
    /// Its state, the caller's 7 bits, and whether more than one stream uses it.
    tag: AtomicU16,
}

const CROWD: u16 = 0x8000;
const STATE: u16 = 0x00ff;

impl Default for Header {
    fn default() -> Self {
        Self {
            offset: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            requested: AtomicU64::new(0),
            charge: AtomicU64::new(0),
            serial: AtomicU64::new(0),
            stream: AtomicU64::new(0),
            position: AtomicU64::new(0),
            next: AtomicU32::new(0),
            home: AtomicU16::new(0),
            tag: AtomicU16::new(State::None as u16),
        }
    }
}

impl Header {
    #[inline(always)]
    pub(crate) fn is(&self, state: State) -> bool {
        self.tag.load(Relaxed) & STATE == state as u16
    }

    #[inline(always)]
    pub(crate) fn set(&self, state: State) {
        let tag = self.tag.load(Relaxed) & !STATE;
        self.tag.store(tag | state as u16, Relaxed);
    }

    /// Marks it as live, with the caller's bits; no stream uses it yet.
    #[inline(always)]
    pub(crate) fn set_live(&self, kind: u8) {
        let kind = u16::from(kind & 0x7f) << 8;
        self.tag.store(kind | State::Live as u16, Relaxed);
    }

    /// Whether it is live, and no stream other than the one in the header uses it.
    #[inline(always)]
    pub(crate) fn is_plainly_live(&self) -> bool {
        self.tag.load(Relaxed) & (STATE | CROWD) == State::Live as u16
    }

    /// Sets a state other than live and clears the caller's bits.
    #[inline(always)]
    pub(crate) fn set_plain(&self, state: State) {
        self.tag.store(state as u16, Relaxed);
    }

    #[inline(always)]
    pub(crate) fn kind(&self) -> u8 {
        let [_, high] = (self.tag.load(Relaxed) & !CROWD).to_le_bytes();
        high
    }

    /// Whether streams other than the one in the header use it.
    #[inline(always)]
    pub(crate) fn crowd(&self) -> bool {
        self.tag.load(Relaxed) & CROWD != 0
    }

    pub(crate) fn set_crowd(&self, crowd: bool) {
        let tag = self.tag.load(Relaxed) & !CROWD;
        self.tag.store(tag | if crowd { CROWD } else { 0 }, Relaxed);
    }
}

/// Headers by number. The first ones are preallocated; the others are in tables that are allocated on demand.
#[derive(Debug)]
pub(crate) struct Headers {
    first: Box<[Header; FIRST]>,
    tables: Box<[OnceLock<Box<[Header; TABLE]>>; TABLES]>,
}

/// Enough for most programs; few under a model checker, which tracks each one.
const FIRST: usize = if cfg!(loom) { 16 } else { 1 << 14 };
/// Headers per table.
const TABLE: usize = if cfg!(loom) { 16 } else { 1 << 14 };
/// Number of tables: enough for 2^26 blocks, whose headers take 4 GiB.
const TABLES: usize = 1 << 12;

fn new_headers<const COUNT: usize>() -> Box<[Header; COUNT]> {
    let headers: Vec<Header> = std::iter::repeat_with(Header::default)
        .take(COUNT)
        .collect();
    headers.try_into().expect("as many as were made")
}

impl Default for Headers {
    fn default() -> Self {
        Self {
            first: new_headers(),
            tables: std::iter::repeat_with(OnceLock::new)
                .take(TABLES)
                .collect::<Vec<_>>()
                .try_into()
                .expect("as many as were made"),
        }
    }
}

impl Headers {
    /// The maximum number of headers.
    pub(crate) const MOST: usize = TABLE * TABLES;

    /// The header of an existing block.
    #[inline(always)]
    pub(crate) fn get(&self, id: u32) -> &Header {
        self.find(id)
            .expect("a block's header is made before the block")
    }

    /// The header of a block, if it has one.
    #[inline(always)]
    pub(crate) fn find(&self, id: u32) -> Option<&Header> {
        match self.first.get(id as usize) {
            None => self.find_later(id),
            found => found,
        }
    }

    #[inline(always)]
    fn find_later(&self, id: u32) -> Option<&Header> {
        let table = self.tables.get(id as usize / TABLE)?.get()?;
        Some(&table[id as usize % TABLE])
    }

    /// Ensures that a header with this number exists; false if there are too many.
    pub(crate) fn make(&self, id: u32) -> bool {
        let Some(table) = self.tables.get(id as usize / TABLE) else {
            return false;
        };
        if id as usize >= FIRST {
            table.get_or_init(new_headers);
        }
        true
    }

    /// All headers.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Header> {
        let tables = self.tables.iter().filter_map(OnceLock::get);
        let later = tables.flat_map(|table| table.iter());
        self.first.iter().chain(later)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_made_in_tables_and_not_without_end() {
        let headers = Headers::default();
        assert!(headers.make(0));
        assert!(headers.make(20_000));
        headers.get(20_000).offset.store(7, Relaxed);
        assert_eq!(headers.get(20_000).offset.load(Relaxed), 7);
        assert_eq!(headers.all().count(), FIRST + TABLE);
        assert!(!headers.make(u32::MAX));
    }

    #[test]
    fn state_kind_and_crowd_do_not_disturb_each_other() {
        let header = Header::default();
        header.set_live(3);
        header.set_crowd(true);
        assert_eq!(
            (header.kind(), header.crowd(), header.is(State::Live)),
            (3, true, true)
        );
        header.set(State::Pending);
        assert_eq!(
            (header.kind(), header.crowd(), header.is(State::Pending)),
            (3, true, true)
        );
        header.set_crowd(false);
        assert_eq!(
            (header.kind(), header.crowd(), header.is(State::Pending)),
            (3, false, true)
        );
        header.set_live(0x7f);
        assert_eq!(
            (header.kind(), header.crowd(), header.is(State::Live)),
            (0x7f, false, true)
        );
    }

    #[cfg(not(loom))]
    #[test]
    fn one_line_each() {
        assert_eq!(size_of::<Header>(), 64);
    }
}
