//! Who still touches a mapping.
//!
//! Unmapping must not take the bytes away from them. A block's users are kept by the block in the same
//! way (`note_use` of the pool); a mapping knows the streams by number too, because it tells people which
//! one to wait for, and also the calls that are on their way, because pages that vanish under a copy
//! end the process.

use std::sync::Arc;

use crate::stream::Progress;

/// The calls and queued tasks that use a mapping.
#[derive(Debug, Default)]
pub(super) struct Users {
    /// Calls that have found the mapping and have not ended.
    pub(super) calls: u32,
    /// Of each stream the last task.
    tasks: Vec<User>,
}

/// A task of a stream.
#[derive(Debug, Clone)]
pub(crate) struct User {
    pub(crate) stream: u64,
    pub(crate) progress: Arc<Progress>,
    pub(crate) task: u64,
}

impl User {
    fn has_passed(&self) -> bool {
        self.progress.completed() >= self.task
    }
}

impl Users {
    /// A task uses the mapping.
    pub(super) fn note(&mut self, user: &User) {
        if let Some(known) = self
            .tasks
            .iter_mut()
            .find(|known| known.stream == user.stream)
        {
            // Threads that enqueue at the same time may come here in any order.
            known.task = known.task.max(user.task);
            return;
        }
        self.tasks.retain(|known| !known.has_passed());
        self.tasks.push(user.clone());
    }

    /// Whether it is no longer used.
    pub(super) fn passed(&self) -> bool {
        self.calls == 0 && self.tasks.iter().all(User::has_passed)
    }

    /// A task that still uses it: stream and number.
    pub(super) fn task(&self) -> Option<(u64, u64)> {
        let user = self.tasks.iter().find(|user| !user.has_passed())?;
        Some((user.stream, user.task))
    }
}
