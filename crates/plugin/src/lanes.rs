//! From the object in a descriptor to the lane it stands for.
//!
//! The object that callbacks get is a number, not an address: a place in a table and how often that
//! place has been used. So one that is stale or made up is found by comparison. While a callback
//! runs it holds its place's lock for reading; ending a lane waits for that.

use std::sync::{Arc, OnceLock};

use parking_lot::{Mutex, RwLock, RwLockReadGuard};

use crate::arena::Arena;
use crate::lane::Lane;

/// A lane with the arena it belongs to.
#[derive(Debug, Clone)]
pub(crate) struct Seat {
    pub(crate) arena: Arc<Arena>,
    pub(crate) lane: Arc<Lane>,
}

/// On lines of its own, so that threads with a stream each do not meet.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Place {
    seat: RwLock<(u32, Option<Seat>)>,
}

const CHUNK: usize = 256;
const CHUNKS: usize = 256;
/// Above what is an address of a program, so that it is not taken for one.
const MARK: u64 = 0x4d50 << 48;

static PLACES: [OnceLock<Box<[Place]>>; CHUNKS] = [const { OnceLock::new() }; CHUNKS];
/// How many places have ever been used, and which are free.
static FREE: Mutex<(u16, Vec<u16>)> = Mutex::new((0, Vec::new()));

fn place(index: u16) -> &'static Place {
    let index = usize::from(index);
    let chunk = PLACES[index / CHUNK]
        .get_or_init(|| std::iter::repeat_with(Place::default).take(CHUNK).collect());
    &chunk[index % CHUNK]
}

/// Seats a lane; answers its object. `None` when there are too many.
pub(crate) fn seat(seat: Seat) -> Option<usize> {
    let index = {
        let mut free = FREE.lock();
        if let Some(index) = free.1.pop() {
            index
        } else {
            let index = free.0;
            free.0 = index.checked_add(1)?;
            index
        }
    };
    let mut place = place(index).seat.write();
    // Never 0, and never the same twice in a row.
    place.0 = place.0.wrapping_add(1).max(1);
    place.1 = Some(seat);
    usize::try_from(MARK | u64::from(place.0) << 16 | u64::from(index)).ok()
}

/// The seat of an object, held as long as the answer lives.
pub(crate) fn find(object: usize) -> Option<Held> {
    let (turn, index) = split(object)?;
    let chunk = PLACES[usize::from(index) / CHUNK].get()?;
    let guard = chunk[usize::from(index) % CHUNK].seat.read_recursive();
    (guard.0 == turn && guard.1.is_some()).then_some(Held(guard))
}

/// Ends a seat if `may` lets it; waits for callbacks that use it. `None` if there is no such seat.
pub(crate) fn leave<E>(
    object: usize,
    may: impl FnOnce(&Seat) -> Result<(), E>,
) -> Option<Result<Seat, E>> {
    let (turn, index) = split(object)?;
    let chunk = PLACES[usize::from(index) / CHUNK].get()?;
    let mut place = chunk[usize::from(index) % CHUNK].seat.write();
    if place.0 != turn {
        return None;
    }
    if let Err(why) = may(place.1.as_ref()?) {
        return Some(Err(why));
    }
    let seat = place.1.take()?;
    drop(place);
    FREE.lock().1.push(index);
    Some(Ok(seat))
}

fn split(object: usize) -> Option<(u32, u16)> {
    let word = (object as u64) ^ MARK;
    let turn = u32::try_from(word >> 16).ok()?;
    Some((turn, u16::try_from(word & 0xffff).ok()?))
}

/// A seat that cannot end as long as this lives.
#[derive(Debug)]
pub(crate) struct Held(RwLockReadGuard<'static, (u32, Option<Seat>)>);

impl std::ops::Deref for Held {
    type Target = Seat;

    fn deref(&self) -> &Seat {
        self.0.1.as_ref().expect("looked at when it was made")
    }
}
