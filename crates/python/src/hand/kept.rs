//! Objects that are kept for C, by a number that C holds in place of a pointer.
//!
//! A number that is not known is no crash but an answer. Nothing is dropped while the book is locked: dropping an
//! object may run code of Python, which may come back here.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A book of things with numbers.
pub(super) struct Kept<T>(Mutex<Option<Book<T>>>);

struct Book<T> {
    next: usize,
    things: HashMap<usize, Arc<T>>,
}

impl<T> Kept<T> {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(None))
    }

    fn book(&self) -> MutexGuard<'_, Option<Book<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps something; the number is never 0 and never given twice.
    pub(super) fn put(&self, thing: Arc<T>) -> usize {
        let mut book = self.book();
        let book = book.get_or_insert_with(|| Book {
            next: 0,
            things: HashMap::new(),
        });
        // Sixteen apart, as pointers would be.
        book.next += 16;
        let number = book.next;
        book.things.insert(number, thing);
        number
    }

    pub(super) fn get(&self, number: usize) -> Option<Arc<T>> {
        self.book().as_ref()?.things.get(&number).cloned()
    }

    /// Takes something out. The caller drops it.
    pub(super) fn take(&self, number: usize) -> Option<Arc<T>> {
        self.book().as_mut()?.things.remove(&number)
    }

    /// The number that was given last.
    pub(super) fn last(&self) -> usize {
        self.book().as_ref().map_or(0, |book| book.next)
    }

    /// Takes all out that have a number up to `last` and are wanted. The caller drops them.
    pub(super) fn take_all(&self, last: usize, wanted: impl Fn(&T) -> bool) -> Vec<Arc<T>> {
        let mut book = self.book();
        let Some(book) = book.as_mut() else {
            return Vec::new();
        };
        let wanted = |number: &usize, thing: &mut Arc<T>| *number <= last && wanted(thing);
        book.things
            .extract_if(wanted)
            .map(|(_, thing)| thing)
            .collect()
    }
}

/// A number as C carries it.
pub(super) fn as_pointer(number: usize) -> *mut c_void {
    std::ptr::without_provenance_mut(number)
}

/// Locks a table of ours; nobody panics with it.
pub(super) fn lock<T>(table: &Mutex<T>) -> MutexGuard<'_, T> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}
