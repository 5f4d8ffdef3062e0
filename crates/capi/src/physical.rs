//! Handles of physical memory are reference-counted: querying the handle of a mapping returns the same
//! handle again, which must be freed once more.

use std::collections::HashMap;
use std::ffi::c_void;

use millpond::PhysicalMemory;
use parking_lot::Mutex;

use crate::boundary::CallError;
use crate::handles::{mint, resolve, withdraw, word};
use crate::registry::{HandleGuard, Kind, Registry};

pub(crate) static PHYSICAL: Registry<PhysicalMemory> = Registry::new(Kind::PhysicalMemory);
static COUNTS: Mutex<Option<Counts>> = Mutex::new(None);

#[derive(Debug, Default)]
struct Counts {
    /// How often each handle has to be freed.
    of_handle: HashMap<u64, u64>,
    /// The handle that is given out for memory that is mapped: its first one that is left.
    of_memory: HashMap<u64, u64>,
}

/// Mints a handle of its own.
pub(crate) fn add(memory: PhysicalMemory) -> Result<u64, CallError> {
    let mut counts = COUNTS.lock();
    counts.get_or_insert_default().add(memory)
}

/// The handle that the memory has, counted once more; a new one if it has none.
pub(crate) fn retain(memory: PhysicalMemory) -> Result<u64, CallError> {
    let mut counts = COUNTS.lock();
    let counts = counts.get_or_insert_default();
    let known = counts.of_memory.get(&memory.number()).copied();
    if let Some(handle) = known
        && let Some(count) = counts.of_handle.get_mut(&handle)
    {
        *count += 1;
        return Ok(handle);
    }
    counts.add(memory)
}

/// The memory that a handle names.
pub(crate) fn get(
    handle: *mut c_void,
    argument: &'static str,
) -> Result<HandleGuard<'static, PhysicalMemory>, CallError> {
    resolve(&PHYSICAL, Kind::PhysicalMemory, handle, argument)
}

/// Frees all, and returns how many there were.
pub(crate) fn forget_all() -> usize {
    let live = PHYSICAL.live();
    *COUNTS.lock() = None;
    for handle in &live {
        drop(withdraw(
            &PHYSICAL,
            Kind::PhysicalMemory,
            crate::handles::pointer(*handle),
            "handle",
        ));
    }
    live.len()
}

/// Counts a handle once less; the last time takes it out of use.
pub(crate) fn free(handle: *mut c_void, argument: &'static str) -> Result<(), CallError> {
    let mut counts = COUNTS.lock();
    // Says what is wrong with it, if anything is.
    let memory = get(handle, argument)?.number();
    let counts = counts.get_or_insert_default();
    match counts.of_handle.get_mut(&word(handle)) {
        Some(count) if *count > 1 => {
            *count -= 1;
            Ok(())
        }
        _ => {
            counts.of_handle.remove(&word(handle));
            if counts.of_memory.get(&memory) == Some(&word(handle)) {
                counts.of_memory.remove(&memory);
            }
            withdraw(&PHYSICAL, Kind::PhysicalMemory, handle, argument).map(drop)
        }
    }
}

impl Counts {
    fn add(&mut self, memory: PhysicalMemory) -> Result<u64, CallError> {
        let number = memory.number();
        let handle = mint(&PHYSICAL, Kind::PhysicalMemory, memory)?;
        self.of_handle.insert(handle, 1);
        self.of_memory.entry(number).or_insert(handle);
        Ok(handle)
    }
}
