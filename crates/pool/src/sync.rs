//! What threads meet at: the real things, or a model checker's in a test of its own.
//!
//! The model checker gets the locks and the one number that is read without a lock and decides which lock is
//! taken next. The rest of what threads share is written under those locks.

#[cfg(not(loom))]
pub(crate) use std::sync::atomic::AtomicU16 as HomeNumber;

#[cfg(loom)]
pub(crate) use loom::sync::atomic::AtomicU16 as HomeNumber;

#[cfg(not(loom))]
pub(crate) use crate::lock::Lock;

/// The model checker's own lock, with the same face.
#[cfg(loom)]
#[derive(Debug)]
pub(crate) struct Lock<T>(loom::sync::Mutex<T>);

#[cfg(loom)]
impl<T> Lock<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(loom::sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> loom::sync::MutexGuard<'_, T> {
        self.0
            .lock()
            .expect("no thread panics while it holds a lock")
    }
}

#[cfg(loom)]
impl<T: Default> Default for Lock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}
