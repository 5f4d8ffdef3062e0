//! The arenas of the process, one per device, and which descriptor belongs to which lane.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::arena::Arena;
use crate::calls::{Calls, Refused};
use crate::lanes::{self, LaneGuard, StreamLane};
use crate::message::count;
use crate::options::Settings;
use crate::statistics::Statistics;

/// Taken first; held while descriptors come and go, so that an arena is not dropped under a new one.
static ARENAS: Mutex<BTreeMap<i32, Arc<Arena>>> = Mutex::new(BTreeMap::new());
/// The object in each descriptor of ours.
static DESCRIPTORS: Mutex<Option<HashMap<u64, usize>>> = Mutex::new(None);

/// Reason something could not be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Problem {
    /// A descriptor that is not ours, or was destroyed.
    NotOurs(u64),
    /// The options differ from those that the device's arena has.
    OtherOptions(i32),
    /// Blocks of the descriptor are live.
    Busy(u64),
    /// The runtime refused.
    Refused(Refused),
    /// A table is full.
    TooMany,
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotOurs(descriptor) => write!(
                f,
                "{descriptor:#x} is not a descriptor of millpondAllocatorCreate, or it was destroyed"
            ),
            Self::OtherOptions(device) => write!(
                f,
                "device {device} already has an allocator with different options; all streams of a device share one"
            ),
            Self::Busy(blocks) => write!(
                f,
                "the descriptor still has {}; free them first",
                count(*blocks, "block")
            ),
            Self::Refused(refused) => write!(f, "{refused}"),
            Self::TooMany => write!(f, "too many descriptors"),
        }
    }
}

/// A descriptor for a stream of the thread's device.
pub(crate) fn create(
    calls: &Arc<dyn Calls>,
    stream: u64,
    settings: Option<Settings>,
) -> Result<u64, Problem> {
    let device = calls.device()?;
    let context = calls.context();
    let mut arenas = ARENAS.lock();
    let arena = match arenas.get(&device) {
        Some(arena) => {
            if settings.is_some_and(|settings| settings != arena.settings) {
                return Err(Problem::OtherOptions(device));
            }
            Arc::clone(arena)
        }
        None => Arc::new(Arena::new(
            Arc::clone(calls),
            device,
            settings.unwrap_or_default(),
        )?),
    };
    let created = describe(calls, &arena, stream, context);
    if created.is_ok() {
        arenas.entry(device).or_insert(arena);
    } else if !arenas.contains_key(&device) {
        arena.end();
    }
    created
}

fn describe(
    calls: &Arc<dyn Calls>,
    arena: &Arc<Arena>,
    stream: u64,
    context: Option<usize>,
) -> Result<u64, Problem> {
    let lane = arena.open(stream, context).ok_or(Problem::TooMany)?;
    let abandon = || {
        // It has done nothing yet, so it needs no epoch.
        lane.end(&**calls).ok();
        arena.close(&lane);
    };
    let stream = StreamLane {
        arena: Arc::clone(arena),
        lane: Arc::clone(&lane),
    };
    let Some(object) = lanes::insert(stream) else {
        abandon();
        return Err(Problem::TooMany);
    };
    match calls.describe(object) {
        Ok(descriptor) => {
            let mut descriptors = DESCRIPTORS.lock();
            descriptors
                .get_or_insert_default()
                .insert(descriptor, object);
            Ok(descriptor)
        }
        Err(why) => {
            drop(lanes::remove(object, |_| Ok::<(), Problem>(())));
            abandon();
            Err(why.into())
        }
    }
}

fn object_of(descriptor: u64) -> Result<usize, Problem> {
    let descriptors = DESCRIPTORS.lock();
    let object = descriptors
        .as_ref()
        .and_then(|known| known.get(&descriptor));
    object.copied().ok_or(Problem::NotOurs(descriptor))
}

fn held(descriptor: u64) -> Result<LaneGuard, Problem> {
    lanes::find(object_of(descriptor)?).ok_or(Problem::NotOurs(descriptor))
}

/// Ends a descriptor. With the last of a device its memory goes back, as far as work has passed.
pub(crate) fn destroy(calls: &Arc<dyn Calls>, descriptor: u64) -> Result<(), Problem> {
    let mut arenas = ARENAS.lock();
    let left = lanes::remove(object_of(descriptor)?, |stream| {
        match stream.lane.live.load(std::sync::atomic::Ordering::Acquire) {
            0 => stream.lane.end(&**calls).map_err(Problem::from),
            live => Err(Problem::Busy(live)),
        }
    });
    let StreamLane { arena, lane } = left.ok_or(Problem::NotOurs(descriptor))??;
    if let Some(known) = DESCRIPTORS.lock().as_mut() {
        known.remove(&descriptor);
    }
    arena.close(&lane);
    calls.destroy_descriptor(descriptor);
    retire(&mut arenas);
    Ok(())
}

/// Drops arenas that no stream uses.
fn retire(arenas: &mut BTreeMap<i32, Arc<Arena>>) {
    arenas.retain(|_, arena| {
        if !arena.is_deserted() {
            return true;
        }
        let over = arena.visit(|| {
            arena.trim(0);
            let over = arena.is_empty();
            if over {
                arena.end();
            }
            over
        });
        over != Some(true)
    });
}

/// Gives idle memory back, of one descriptor's device or of all, until `keep` bytes are left on each.
pub(crate) fn trim(descriptor: Option<u64>, keep: u64) -> Result<u64, Problem> {
    let mut arenas = ARENAS.lock();
    let chosen = match descriptor {
        Some(descriptor) => Some(Arc::clone(&held(descriptor)?.arena)),
        None => None,
    };
    let mut released = 0;
    for arena in arenas.values() {
        if chosen
            .as_ref()
            .is_none_or(|chosen| Arc::ptr_eq(chosen, arena))
        {
            released += arena.visit(|| arena.trim(keep)).unwrap_or(0);
        }
    }
    retire(&mut arenas);
    Ok(released)
}

pub(crate) fn statistics(descriptor: u64) -> Result<Statistics, Problem> {
    let stream = held(descriptor)?;
    Ok(stream.arena.statistics(&stream.lane))
}
