//! The lanes that a thread uses, so that it finds them without a lock.
//!
//! Each thread has a small table of lanes, and a pointer to the one that it used last. That pointer is all that most calls need: a
//! value without a destructor, which costs no check whether it is there yet.
//!
//! Invariant: the pointer is null, or an entry of the thread's table owns what it points to. So whatever takes an entry out of the
//! table, or ends the table, clears the pointer first.
#![expect(unsafe_code, reason = "follows the pointer of the thread")]

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::arena::Lane;

#[derive(Debug)]
struct Entry {
    pool: u64,
    stream: u64,
    lane: Arc<Lane>,
}

const ENTRIES: usize = 16;

#[derive(Debug)]
struct Table([Option<Entry>; ENTRIES]);

impl Drop for Table {
    fn drop(&mut self) {
        LAST.set(Last::NONE);
    }
}

/// The lane that was used last, and what it was asked for by.
#[derive(Debug, Clone, Copy)]
struct Last {
    pool: u64,
    stream: u64,
    lane: *const Lane,
}

impl Last {
    const NONE: Self = Self {
        pool: 0,
        stream: 0,
        lane: std::ptr::null(),
    };
}

thread_local! {
    static LAST: Cell<Last> = const { Cell::new(Last::NONE) };
    static TABLE: RefCell<Table> = const { RefCell::new(Table([const { None }; ENTRIES])) };
}

#[inline(always)]
fn slot(pool: u64, stream: u64) -> usize {
    let mixed = (pool ^ stream >> 4 ^ stream >> 9).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    usize::try_from(mixed >> 60).unwrap_or(0) % ENTRIES
}

/// Calls `act` with the lane that this thread used last, if there is one. `act` may not come back here.
#[inline(always)]
pub(super) fn with_last<R>(act: impl FnOnce(&Lane) -> Option<R>) -> Option<R> {
    let last = LAST.get();
    // SAFETY: null, or an entry of this thread's table owns it. The entry stays while `act` runs, which changes no entries.
    let lane = unsafe { last.lane.as_ref() }?;
    act(lane)
}

/// Calls `act` with the lane of a stream in a pool, if this thread knows it and it serves. `act` may not come back here.
#[inline(always)]
pub(super) fn with_lane<R>(
    pool: u64,
    stream: u64,
    act: impl FnOnce(&Lane) -> Option<R>,
) -> Option<R> {
    let last = LAST.get();
    if (last.pool, last.stream) != (pool, stream) && !find(pool, stream) {
        return None;
    }
    with_last(|lane| {
        if lane.closed.load(Ordering::Relaxed) {
            return None;
        }
        act(lane)
    })
}

/// Makes a lane of the table the one that was used last; false if the thread does not know it.
#[cold]
#[inline(never)]
fn find(pool: u64, stream: u64) -> bool {
    let found = TABLE.try_with(|table| {
        let table = table.try_borrow().ok()?;
        let entry = table.0[slot(pool, stream)].as_ref()?;
        (entry.pool == pool && entry.stream == stream).then_some(Arc::as_ptr(&entry.lane))
    });
    let Some(lane) = found.ok().flatten() else {
        return false;
    };
    LAST.set(Last { pool, stream, lane });
    true
}

/// The lane of a stream in a pool, if this thread knows it and it serves.
pub(super) fn lane(pool: u64, stream: u64) -> Option<Arc<Lane>> {
    let found = TABLE.try_with(|table| {
        let table = table.try_borrow().ok()?;
        let entry = table.0[slot(pool, stream)].as_ref()?;
        let fits = entry.pool == pool
            && entry.stream == stream
            && !entry.lane.closed.load(Ordering::Acquire);
        fits.then(|| Arc::clone(&entry.lane))
    });
    found.ok().flatten()
}

/// Has this thread know a lane.
pub(super) fn remember(pool: u64, stream: u64, lane: &Arc<Lane>) {
    let entry = Entry {
        pool,
        stream,
        lane: Arc::clone(lane),
    };
    LAST.set(Last::NONE);
    let before = TABLE.try_with(|table| {
        let mut table = table.try_borrow_mut().ok()?;
        table.0[slot(pool, stream)].replace(entry)
    });
    drop(before);
}
