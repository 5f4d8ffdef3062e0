//! The checking mode's bytes in memory: guards (redzones) after blocks, a fill in new blocks, poison in freed ones, and
//! a quarantine that delays the reuse of freed blocks.
//!
//! ```text
//!   a live block                                a freed one, in quarantine
//!   ┌────────┬──── … ────┬────────┬───────┐     ┌────────┬──── … ────┬────────────────┐
//!   │ fresh  │           │ fresh  │ guard │     │ poison │           │     poison     │
//!   └────────┴──── … ────┴────────┴───────┘     └────────┴──── … ────┴────────────────┘
//!   0      1 KiB              requested  ≥ 32   0      1 KiB                end of guard
//! ```
//!
//! Pools that a program creates have no quarantine: a stream can reuse at once what it has freed, and programs rely on that.
//! None of this is visible through the interface: sizes, pages and charges are the same without it.
//!
//! What must always hold:
//! - Bytes are written only where no queued work may still write: at once if none is queued, otherwise when it is
//!   done. A block that a stream reuses before that stays bare: it has no guard and no fill.
//! - The quarantine is bounded, in blocks and in bytes, and is emptied before a request is refused.
//! - Its lock protects only its own lists. It is not held while bytes are compared, the pool is called or a record is emitted.
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

/// Fill of new blocks: not a valid number in most formats.
const FRESH: u8 = 0xfe;
/// Fill of freed blocks.
const POISON: u8 = 0xfd;
/// The byte of a guard.
const GUARD: u8 = 0xfc;

/// Bytes that are filled at each end of a block: most mistakes hit them, and few enough to be fast.
const END: u64 = 512;
/// The shortest guard.
const LEAST_GUARD: u64 = 32;
/// Sizes are rounded up to a multiple of this.
const ROUNDED: u64 = 32;

/// A bit of a block's kind: a granule was added for its guard.
const WIDENED: u8 = 4;

/// The checking mode's part of a store.
#[derive(Debug)]
pub(super) struct Guards {
    state: Mutex<rank::Quarantine, State>,
    /// Read-locked from the allocation of a block until its guard is written; write-locked by the check of all guards.
    writing: RwLock<rank::Guards, ()>,
}

#[derive(Debug)]
struct State {
    quarantine: Quarantine,
    /// Live blocks without a guard.
    bare: HashSet<u64>,
    /// Work that may still write to memory that its stream already has back: the last task of each stream.
    unquiet: Vec<(u64, u64)>,
}

/// The page kind of a block, without the bits of this module.
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

impl Guards {
    /// For a store of `capacity` bytes; 0 for a store without a quarantine.
    pub(super) fn new(capacity: u64) -> Self {
        Self {
            state: Mutex::new(State {
                quarantine: Quarantine::new(capacity),
                bare: HashSet::new(),
                unquiet: Vec::new(),
            }),
            writing: RwLock::new(()),
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

    /// Whether a block has no guard.
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
    fn every_guard_has_room_and_begins_after_the_rounded_size() {
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
    fn impossible_requests_stay_impossible() {
        let ask = Ask {
            bytes: u64::MAX - 100,
            ..Ask::of(1)
        };
        assert_eq!(widened(&ask), None);
    }
}
