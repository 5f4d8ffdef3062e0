//! The door to atomics and cells for `slot.rs`: the standard library's here, a model checker's in
//! `tests/loom.rs`.

use std::cell::UnsafeCell;

pub(crate) use std::sync::atomic::{AtomicU64, Ordering};

/// A cell whose contents are reached by pointer.
#[derive(Debug)]
pub(crate) struct SharedCell<T>(UnsafeCell<T>);

impl<T> SharedCell<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    #[inline]
    pub(crate) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        read(self.0.get().cast_const())
    }

    #[inline]
    pub(crate) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        write(self.0.get())
    }
}
