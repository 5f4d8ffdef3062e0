//! Maps the object in a descriptor to its lane.
//!
//! The object that callbacks get is a number, not an address: the index of a slot in a table and its
//! generation. So a stale or made-up one is recognised by comparison. While a callback
//! runs it holds the slot's lock for reading; removing a lane waits for that.

use std::sync::{Arc, OnceLock};

use parking_lot::{Mutex, RwLock, RwLockReadGuard};

use crate::arena::Arena;
use crate::lane::Lane;

/// A lane with the arena it belongs to.
#[derive(Debug, Clone)]
pub(crate) struct StreamLane {
    pub(crate) arena: Arc<Arena>,
    pub(crate) lane: Arc<Lane>,
}

/// On its own cache lines, so that threads with one stream each do not share any.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Slot {
    lane: RwLock<(u32, Option<StreamLane>)>,
}

const CHUNK: usize = 256;
const CHUNKS: usize = 256;
/// Makes an object differ from every address of a program.
const MARK: u64 = 0x4d50 << 48;

static SLOTS: [OnceLock<Box<[Slot]>>; CHUNKS] = [const { OnceLock::new() }; CHUNKS];
/// How many slots were ever used, and which are free.
static FREE: Mutex<(u16, Vec<u16>)> = Mutex::new((0, Vec::new()));

fn slot(index: u16) -> &'static Slot {
    let index = usize::from(index);
    let chunk = SLOTS[index / CHUNK]
        .get_or_init(|| std::iter::repeat_with(Slot::default).take(CHUNK).collect());
    &chunk[index % CHUNK]
}

/// Adds a lane and returns its object. `None` when there are too many.
pub(crate) fn insert(lane: StreamLane) -> Option<usize> {
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
    let mut slot = slot(index).lane.write();
    // Never 0, and never the same twice in a row.
    slot.0 = slot.0.wrapping_add(1).max(1);
    slot.1 = Some(lane);
    usize::try_from(MARK | u64::from(slot.0) << 16 | u64::from(index)).ok()
}

/// The lane of an object, which stays while the guard exists.
pub(crate) fn find(object: usize) -> Option<LaneGuard> {
    let (generation, index) = split(object)?;
    let chunk = SLOTS[usize::from(index) / CHUNK].get()?;
    let guard = chunk[usize::from(index) % CHUNK].lane.read_recursive();
    (guard.0 == generation && guard.1.is_some()).then_some(LaneGuard(guard))
}

/// Removes a lane if `may` allows it; waits for callbacks that use it. `None` if there is no such lane.
pub(crate) fn remove<E>(
    object: usize,
    may: impl FnOnce(&StreamLane) -> Result<(), E>,
) -> Option<Result<StreamLane, E>> {
    let (generation, index) = split(object)?;
    let chunk = SLOTS[usize::from(index) / CHUNK].get()?;
    let mut slot = chunk[usize::from(index) % CHUNK].lane.write();
    if slot.0 != generation {
        return None;
    }
    if let Err(why) = may(slot.1.as_ref()?) {
        return Some(Err(why));
    }
    let lane = slot.1.take()?;
    drop(slot);
    FREE.lock().1.push(index);
    Some(Ok(lane))
}

fn split(object: usize) -> Option<(u32, u16)> {
    let word = (object as u64) ^ MARK;
    let generation = u32::try_from(word >> 16).ok()?;
    Some((generation, u16::try_from(word & 0xffff).ok()?))
}

/// A lane that cannot be removed while this exists.
#[derive(Debug)]
pub(crate) struct LaneGuard(RwLockReadGuard<'static, (u32, Option<StreamLane>)>);

impl std::ops::Deref for LaneGuard {
    type Target = StreamLane;

    fn deref(&self) -> &StreamLane {
        self.0.1.as_ref().expect("checked when the guard was made")
    }
}
