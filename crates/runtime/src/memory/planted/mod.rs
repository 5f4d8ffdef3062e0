//! What the checking mode puts into memory: guards (redzones) behind blocks, a fill in new ones, poison in freed ones, and
//! a quarantine that keeps freed blocks from being handed out again at once.
//!
//! ```text
//!   a live block                                a freed one, in quarantine
//!   ┌────────┬──── … ────┬────────┬───────┐     ┌────────┬──── … ────┬────────────────┐
//!   │ fresh  │           │ fresh  │ guard │     │ poison │           │     poison     │
//!   └────────┴──── … ────┴────────┴───────┘     └────────┴──── … ────┴────────────────┘
//!   0      1 KiB              requested  ≥ 32   0      1 KiB                end of guard
//! ```
//!
//! In pools of programs nothing rests: a stream gets back at once what it has freed, and programs count on that.
//! Nothing of it can be seen through the interface: sizes, pages and what is charged are as without it.
//!
//! What must always hold:
//! - Bytes are planted only where no queued work may still write: at once if none is queued, else when it has
//!   passed. Where a stream gets its own memory back before that, blocks stay bare.
//! - The quarantine is bounded, in blocks and in bytes, and is given up before anybody is refused memory.
//! - Its lock is held only for its own lists: not while bytes are looked at, the pool is called or a record is made.
//!
//! Owns: which blocks are in quarantine (`quarantine.rs`, pure), the stand-ins that keep the pool from reusing
//! them (`stand_ins.rs`), and the bytes (`bytes.rs`). `watched_source.rs` watches what queued copies read. How a store uses it is in `store.rs` beside this.

mod bytes;
mod quarantine;
mod stand_ins;
mod store;
mod watched_source;

use std::collections::HashSet;

use millpond_pool::{Ask, Found, GRANULE};

use self::quarantine::Quarantine;
pub(crate) use self::stand_ins::StandIns;
pub(crate) use self::watched_source::WatchedSource;
use crate::lock::{Mutex, RwLock, rank};
use crate::order::Streams;

/// What new blocks are filled with: not a number in most formats of numbers.
const FRESH: u8 = 0xfe;
/// What freed blocks are filled with.
const POISON: u8 = 0xfd;
/// What lies behind a block.
const GUARD: u8 = 0xfc;

/// How much of each end of a block is filled: what most mistakes hit, and little enough to be fast.
const END: u64 = 512;
/// The least that a guard is long.
const LEAST_GUARD: u64 = 32;
/// What sizes are rounded up to.
const ROUNDED: u64 = 32;

/// A bit of a block's kind: a granule was added for its guard.
const WIDENED: u8 = 4;

/// The checking mode's part of a store.
#[derive(Debug)]
pub(super) struct Planted {
    state: Mutex<rank::Quarantine, State>,
    /// Held by many, from where a block is had until it is planted; by whoever looks at all of them, alone.
    planting: RwLock<rank::Planting, ()>,
}

#[derive(Debug)]
struct State {
    quarantine: Quarantine,
    /// Live blocks with nothing planted.
    bare: HashSet<u64>,
    /// Work that may still write to memory that its stream already has back: the last task of each stream.
    unquiet: Vec<(u64, u64)>,
}

/// What of a block's kind is its pages.
pub(super) fn pages(kind: u8) -> u8 {
    kind & !WIDENED
}

/// How many bytes of a block belong to the program.
pub(super) fn own_bytes(found: &Found) -> u64 {
    if found.kind & WIDENED == 0 {
        found.bytes
    } else {
        found.bytes - GRANULE
    }
}

/// The same request with room for a guard, if there is none in its last granule or page.
pub(super) fn widened(ask: &Ask) -> Option<Ask> {
    let own = ask.bytes.checked_next_multiple_of(GRANULE)?;
    // A block on large pages of its own mostly has room behind it.
    let room = ask.align > GRANULE && own - ask.requested.min(own) >= LEAST_GUARD + ROUNDED;
    if room {
        return Some(*ask);
    }
    Some(Ask {
        bytes: own.checked_add(GRANULE)?,
        kind: ask.kind | WIDENED,
        ..*ask
    })
}

/// The guard of a block: its first byte and how many, counted from the block's start. Empty if there is no room. It
/// begins where the size is rounded up to: up to there the program may write.
fn guard(found: &Found) -> (u64, u64) {
    let start = found.requested.checked_next_multiple_of(ROUNDED);
    let start = start.unwrap_or(u64::MAX).min(found.bytes);
    let end = start
        .saturating_add(LEAST_GUARD)
        .next_multiple_of(GRANULE)
        .min(found.bytes);
    (start, end - start)
}

impl Planted {
    /// For a store of so many bytes; 0 for one where nothing rests.
    pub(super) fn new(capacity: u64) -> Self {
        Self {
            state: Mutex::new(State {
                quarantine: Quarantine::new(capacity),
                bare: HashSet::new(),
                unquiet: Vec::new(),
            }),
            planting: RwLock::new(()),
        }
    }

    /// Whether no queued work may still write to memory that is handed out now.
    fn is_quiet(&self, streams: &Streams) -> bool {
        let mut state = self.state.lock();
        state
            .unquiet
            .retain(|&(stream, position)| streams.completed(stream) < position);
        state.unquiet.is_empty()
    }

    /// Memory goes back to its stream while this work is queued.
    fn note_unquiet(&self, waits: &[(u64, u64)]) {
        let mut state = self.state.lock();
        for &(stream, position) in waits {
            match state.unquiet.iter_mut().find(|(known, _)| *known == stream) {
                Some((_, last)) => *last = position.max(*last),
                None => state.unquiet.push((stream, position)),
            }
        }
    }

    fn note_bare(&self, serial: u64) {
        self.state.lock().bare.insert(serial);
    }

    /// Whether nothing was planted around a block.
    fn is_bare(&self, serial: u64) -> bool {
        self.state.lock().bare.contains(&serial)
    }

    pub(super) fn forget_bare(&self, serial: u64) -> bool {
        let mut state = self.state.lock();
        !state.bare.is_empty() && state.bare.remove(&serial)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(bytes: u64, requested: u64, kind: u8) -> Found {
        Found {
            offset: 0,
            bytes,
            requested,
            charge: 4096,
            serial: 1,
            kind,
        }
    }

    #[test]
    fn every_guard_has_room_and_begins_behind_what_a_size_is_rounded_to() {
        for requested in [1, 31, 32, 100, 479, 480, 481, 511, 512, 513, 4096, 65536] {
            let bytes = u64::next_multiple_of(requested, 32);
            let ask = Ask {
                bytes,
                requested,
                ..Ask::of(bytes)
            };
            let wide = widened(&ask).unwrap();
            let block = found(wide.bytes.next_multiple_of(GRANULE), requested, wide.kind);
            let (start, length) = guard(&block);
            assert_eq!(start, bytes);
            assert!(
                (32..32 + GRANULE).contains(&length),
                "{requested}: {length}"
            );
            assert_eq!(own_bytes(&block), bytes.next_multiple_of(GRANULE));
            assert_eq!(wide.charge, ask.charge);
        }
    }

    #[test]
    fn a_block_on_large_pages_gets_a_granule_only_where_it_fills_them() {
        const HUGE: u64 = 2 << 20;
        let ask = |requested| Ask {
            bytes: HUGE,
            align: HUGE,
            charge: HUGE,
            requested,
            kind: 1,
        };
        assert_eq!(widened(&ask(HUGE - 64)), Some(ask(HUGE - 64)));
        let full = widened(&ask(HUGE)).unwrap();
        assert_eq!(full.bytes, HUGE + GRANULE);
        let block = found(full.bytes, HUGE, full.kind);
        assert_eq!((own_bytes(&block), pages(block.kind)), (HUGE, 1));
        assert_eq!(guard(&block), (HUGE, GRANULE));
        assert_eq!(guard(&found(HUGE, HUGE, 1)), (HUGE, 0));
    }

    #[test]
    fn requests_that_cannot_be_stay_so() {
        let ask = Ask {
            bytes: u64::MAX - 100,
            ..Ask::of(1)
        };
        assert_eq!(widened(&ask), None);
    }
}
