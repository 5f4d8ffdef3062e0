//! Objects that C refers to by a number in place of a pointer.
//!
//! An unknown number is reported and does not crash. Nothing is dropped while the table is locked: dropping an
//! object may run Python code, which may come back here.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Objects by number.
pub(super) struct ObjectTable<T>(Mutex<Option<Entries<T>>>);

struct Entries<T> {
    next: usize,
    things: HashMap<usize, Arc<T>>,
}

impl<T> ObjectTable<T> {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(None))
    }

    fn entries(&self) -> MutexGuard<'_, Option<Entries<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps something; the number is never 0 and never reused.
    pub(super) fn put(&self, thing: Arc<T>) -> usize {
        let mut entries = self.entries();
        let entries = entries.get_or_insert_with(|| Entries {
            next: 0,
            things: HashMap::new(),
        });
        // Sixteen apart, as pointers would be.
        entries.next += 16;
        let number = entries.next;
        entries.things.insert(number, thing);
        number
    }

    pub(super) fn get(&self, number: usize) -> Option<Arc<T>> {
        self.entries().as_ref()?.things.get(&number).cloned()
    }

    /// Takes something out. The caller drops it.
    pub(super) fn take(&self, number: usize) -> Option<Arc<T>> {
        self.entries().as_mut()?.things.remove(&number)
    }

    /// The number that was given last.
    pub(super) fn last(&self) -> usize {
        self.entries().as_ref().map_or(0, |entries| entries.next)
    }

    /// Takes all out that have a number up to `last` and are wanted. The caller drops them.
    pub(super) fn take_all(&self, last: usize, wanted: impl Fn(&T) -> bool) -> Vec<Arc<T>> {
        let mut entries = self.entries();
        let Some(entries) = entries.as_mut() else {
            return Vec::new();
        };
        let wanted = |number: &usize, thing: &mut Arc<T>| *number <= last && wanted(thing);
        entries
            .things
            .extract_if(wanted)
            .map(|(_, thing)| thing)
            .collect()
    }
}

/// A number as C carries it.
pub(super) fn as_pointer(number: usize) -> *mut c_void {
    std::ptr::without_provenance_mut(number)
}

/// Locks a table of ours, which no panic leaves half changed.
pub(super) fn lock<T>(table: &Mutex<T>) -> MutexGuard<'_, T> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}
