//! Which queued tasks name a block.
//!
//! A freed block's bytes must not be handed out before those tasks have passed. The block remembers
//! them itself, so that freeing a block that nobody names costs nothing, however busy streams are.

use std::sync::Arc;

use crate::stream::Progress;

/// The queued tasks that name a block: of each stream the last one.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// Most blocks are used by one stream.
    first: Option<(Arc<Progress>, u64)>,
    /// Those of others: nearly always absent, and then one word.
    rest: Option<Box<Others>>,
}

type Others = Vec<(Arc<Progress>, u64)>;

impl Uses {
    /// Task number `position` of the stream with this progress names the block.
    #[inline]
    pub(super) fn note(&mut self, progress: &Arc<Progress>, position: u64) {
        match &mut self.first {
            Some((known, last)) if Arc::ptr_eq(known, progress) => *last = position,
            None => self.first = Some((Arc::clone(progress), position)),
            Some(_) => self.note_other(progress, position),
        }
    }

    #[cold]
    fn note_other(&mut self, progress: &Arc<Progress>, position: u64) {
        let rest = self.rest.get_or_insert_default();
        let known = rest
            .iter_mut()
            .find(|(known, _)| Arc::ptr_eq(known, progress));
        if let Some((_, last)) = known {
            *last = position;
            return;
        }
        rest.retain(|use_| !has_passed(use_));
        rest.push((Arc::clone(progress), position));
    }

    #[inline]
    pub(super) fn passed(&self) -> bool {
        self.first.as_ref().is_none_or(has_passed)
            && self
                .rest
                .as_ref()
                .is_none_or(|rest| rest.iter().all(has_passed))
    }
}

fn has_passed((progress, task): &(Arc<Progress>, u64)) -> bool {
    progress.completed() >= *task
}
