//! Which rank gave a NaN to an operation first.
#![expect(unsafe_code, reason = "passes on where the elements of a call are")]

use std::sync::atomic::Ordering;

use super::Communicator;
use super::problems::listed;
use crate::numbers::{Mark, gives_nan};
use crate::operation::Group;
use crate::trouble::{Doing, Trouble};

impl Communicator {
    /// Says on the board if this rank gives a NaN to an operation, for the first time.
    pub(super) fn mark_nan(&self, group: &Group, sequence: u64, send: usize) {
        let word = self.board.nan(self.rank);
        if self.settings.observer.is_none()
            || self.board.shape.is_spread
            || word.load(Ordering::Relaxed) != 0
        {
            return;
        }
        // SAFETY: the stream's task owns the buffers, and its elements are there.
        if unsafe { gives_nan(group, self.rank, self.ranks(), send) } {
            let is_later = self.hub.has_nan.load(Ordering::SeqCst);
            let mark = Mark { sequence, is_later };
            word.store(mark.to_word(), Ordering::SeqCst);
        }
    }

    /// An operation of all ranks is over: reports if it was the first with a NaN. The lowest of the ranks that had one does.
    pub(super) fn look_for_nan(&self, sequence: u64) {
        let Some(observer) = &self.settings.observer else {
            return;
        };
        if self.board.shape.is_spread {
            // The words of other machines' ranks are not on this board, so the result may have a NaN of theirs.
            self.hub.has_nan.store(true, Ordering::SeqCst);
            return;
        }
        let mark = |rank| Mark::from_word(self.board.nan(rank).load(Ordering::SeqCst));
        let marks = (0..self.ranks()).filter_map(|rank| Some((rank, mark(rank)?)));
        let here: Vec<(usize, Mark)> = marks.filter(|(_, it)| it.sequence <= sequence).collect();
        if here.is_empty() {
            return;
        }
        self.hub.has_nan.store(true, Ordering::SeqCst);
        let is_first = here
            .iter()
            .all(|(_, it)| it.sequence == sequence && !it.is_later);
        if !is_first || here[0].0 != self.rank {
            return;
        }
        let ranks: Vec<usize> = here.iter().map(|(rank, _)| *rank).collect();
        let shown = |rank: &usize| Some((*rank, self.board.shown(*rank, sequence)?));
        let doings = ranks.iter().filter_map(shown).map(|(rank, shown)| Doing {
            rank,
            what: format!("{} has a NaN in its elements", shown.summary()),
            site: shown.site,
            also: Vec::new(),
        });
        let (place, name) = (sequence + 1, &self.settings.name);
        let reason = format!(
            "the elements of {} for operation {place} of communicator {name} have a NaN, and those of no rank had one before",
            listed(&ranks)
        );
        let mut problem = self.trouble(Trouble::NotANumber, reason, doings.collect());
        problem.place = place;
        (observer.0)(&problem);
    }
}
