//! Atomics and cells: the standard library's, or those of the model checker in its own tests.

#[cfg(not(loom))]
use std::cell::UnsafeCell;
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

#[cfg(loom)]
use loom::cell::UnsafeCell;
#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A cell whose contents are reached by pointer.
#[derive(Debug)]
pub(crate) struct SharedCell<T>(UnsafeCell<T>);

impl<T> SharedCell<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    #[inline]
    pub(crate) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        #[cfg(not(loom))]
        return read(self.0.get().cast_const());
        #[cfg(loom)]
        self.0.with(read)
    }

    #[inline]
    pub(crate) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        #[cfg(not(loom))]
        return write(self.0.get());
        #[cfg(loom)]
        self.0.with_mut(write)
    }
}
