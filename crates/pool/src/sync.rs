//! Synchronisation primitives: the real ones, or those of a model checker in its own tests.
//!
//! The model checker gets the locks, a marker for every lookup of a block start, and the two fields of a header that
//! determine the owner of a block: they are read before it is known whether the right lock is held. All other shared
//! data is written under those locks.

#[cfg(not(loom))]
pub(crate) use std::sync::atomic::AtomicU16;

#[cfg(loom)]
pub(crate) use loom::sync::atomic::AtomicU16;

#[cfg(not(loom))]
pub(crate) use crate::lock::Lock;

/// The model checker's lock, with the same interface.
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

    /// Waits: whether a thread had to is of no interest to the model checker, and would double what it explores.
    pub(crate) fn try_lock(&self) -> Option<loom::sync::MutexGuard<'_, T>> {
        Some(self.lock())
    }
}

#[cfg(loom)]
impl<T: Default> Default for Lock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

/// Marks an access to shared data that is too large for the model checker to track.
#[derive(Debug, Default)]
pub(crate) struct Meeting(#[cfg(loom)] loom::sync::atomic::AtomicUsize);

impl Meeting {
    #[inline(always)]
    #[cfg_attr(
        not(loom),
        expect(clippy::unused_self, reason = "only the model checker looks at it")
    )]
    pub(crate) fn look(&self) {
        #[cfg(loom)]
        self.0.fetch_add(1, loom::sync::atomic::Ordering::AcqRel);
    }
}
